-- perflib_views.sql - views of databases with countersets of PerfLib.

-- Every counter type of Windows' winperf.h: how its value is made (docs/counters.md), whether
-- from two samples, over what clock or over a base of what type.
CREATE VIEW perflib_counter_type(type, name, bytes, formula, is_of_two, over, base_type, unit) AS VALUES
	(0x00000000, 'PERF_COUNTER_RAWCOUNT_HEX', 4, 'raw', 0, NULL, NULL, ''),
	(0x00000100, 'PERF_COUNTER_LARGE_RAWCOUNT_HEX', 8, 'raw', 0, NULL, NULL, ''),
	(0x00000b00, 'PERF_COUNTER_TEXT', NULL, 'no number', 0, NULL, NULL, ''),
	(0x00010000, 'PERF_COUNTER_RAWCOUNT', 4, 'raw', 0, NULL, NULL, ''),
	(0x00010100, 'PERF_COUNTER_LARGE_RAWCOUNT', 8, 'raw', 0, NULL, NULL, ''),
	(0x00400400, 'PERF_COUNTER_DELTA', 4, 'delta', 1, NULL, NULL, ''),
	(0x00400500, 'PERF_COUNTER_LARGE_DELTA', 8, 'delta', 1, NULL, NULL, ''),
	(0x00410400, 'PERF_SAMPLE_COUNTER', 4, 'rate', 1, 'ticks', NULL, ''),
	(0x00450400, 'PERF_COUNTER_QUEUELEN_TYPE', 4, 'quotient', 1, 'ticks', NULL, ''),
	(0x00450500, 'PERF_COUNTER_LARGE_QUEUELEN_TYPE', 8, 'quotient', 1, 'ticks', NULL, ''),
	(0x00550500, 'PERF_COUNTER_100NS_QUEUELEN_TYPE', 8, 'quotient', 1, '100ns', NULL, ''),
	(0x00650500, 'PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE', 8, 'quotient', 1, 'object', NULL, ''),
	(0x10410400, 'PERF_COUNTER_COUNTER', 4, 'rate', 1, 'ticks', NULL, '/sec'),
	(0x10410500, 'PERF_COUNTER_BULK_COUNT', 8, 'rate', 1, 'ticks', NULL, '/sec'),
	(0x20020400, 'PERF_RAW_FRACTION', 4, 'fraction', 0, 'base', 0x40030403, '%'),
	(0x20020500, 'PERF_LARGE_RAW_FRACTION', 8, 'fraction', 0, 'base', 0x40030500, '%'),
	(0x20410500, 'PERF_COUNTER_TIMER', 8, 'share', 1, 'ticks', NULL, '%'),
	(0x20470500, 'PERF_PRECISION_SYSTEM_TIMER', 8, 'share', 1, 'base', 0x40030500, '%'),
	(0x20510500, 'PERF_100NSEC_TIMER', 8, 'share', 1, '100ns', NULL, '%'),
	(0x20570500, 'PERF_PRECISION_100NS_TIMER', 8, 'share', 1, 'base', 0x40030500, '%'),
	(0x20610500, 'PERF_OBJ_TIME_TIMER', 8, 'share', 1, 'object', NULL, '%'),
	(0x20670500, 'PERF_PRECISION_OBJECT_TIMER', 8, 'share', 1, 'base', 0x40030500, '%'),
	(0x20c20400, 'PERF_SAMPLE_FRACTION', 4, 'share', 1, 'base', 0x40030401, '%'),
	(0x21410500, 'PERF_COUNTER_TIMER_INV', 8, 'inverse', 1, 'ticks', NULL, '%'),
	(0x21510500, 'PERF_100NSEC_TIMER_INV', 8, 'inverse', 1, '100ns', NULL, '%'),
	(0x22410500, 'PERF_COUNTER_MULTI_TIMER', 8, 'multi', 1, 'ticks', 0x42030500, '%'),
	(0x22510500, 'PERF_100NSEC_MULTI_TIMER', 8, 'multi', 1, '100ns', 0x42030500, '%'),
	(0x23410500, 'PERF_COUNTER_MULTI_TIMER_INV', 8, 'multi inverse', 1, 'ticks', 0x42030500, '%'),
	(0x23510500, 'PERF_100NSEC_MULTI_TIMER_INV', 8, 'multi inverse', 1, '100ns', 0x42030500, '%'),
	(0x30020400, 'PERF_AVERAGE_TIMER', 4, 'average time', 1, 'base', 0x40030402, 'secs'),
	(0x30240500, 'PERF_ELAPSED_TIME', 8, 'elapsed', 0, 'object', NULL, 'secs'),
	(0x40000200, 'PERF_COUNTER_NODATA', NULL, 'no number', 0, NULL, NULL, ''),
	(0x40020500, 'PERF_AVERAGE_BULK', 8, 'quotient', 1, 'base', 0x40030402, ''),
	(0x40030401, 'PERF_SAMPLE_BASE', 4, 'base', 0, NULL, NULL, ''),
	(0x40030402, 'PERF_AVERAGE_BASE', 4, 'base', 0, NULL, NULL, ''),
	(0x40030403, 'PERF_RAW_BASE', 4, 'base', 0, NULL, NULL, ''),
	(0x40030500, 'PERF_LARGE_RAW_BASE', 8, 'base', 0, NULL, NULL, ''),
	(0x42030500, 'PERF_COUNTER_MULTI_BASE', 8, 'base', 0, NULL, NULL, ''),
	(0x80000000, 'PERF_COUNTER_HISTOGRAM_TYPE', 4, 'no number', 0, NULL, NULL, '');

-- The inputs of each PerfLib counter's formula.
CREATE VIEW perflib_formula AS
	SELECT c.trace_id, c.counterset, c.counter,
	       coalesce(s.english_name, s.name) AS counterset_name,
	       coalesce(c.english_name, c.name) AS counter_name,
	       c.type, t.name AS type_name, t.unit,
	       coalesce(b.counter, n.counter) AS base_counter,     -- its divisor, or the number of components
	       CASE WHEN b.counter IS NOT NULL THEN 'registered'
	            WHEN n.counter IS NOT NULL THEN 'next-id' END AS base_source,
	       coalesce(t.base_type = 0x42030500, 0) AS is_multi,  -- a multi-timer
	       CASE WHEN t.over <> 'base' THEN t.over
	            -- PERF_PRECISION_OBJECT_TIMER without a base
	            WHEN c.type = 0x20670500 AND b.counter IS NULL AND n.counter IS NULL THEN 'object'
	       END AS clock,                                       -- ticks, 100ns, object
	       c.time_counter, c.freq_counter, c.time_base,
	       t.formula, t.is_of_two, t.over, t.bytes, t.base_type
	FROM perflib_counter AS c
	LEFT JOIN perflib_counter_type AS t ON t.type = c.type
	LEFT JOIN perflib_counterset AS s ON s.trace_id = c.trace_id AND s.counterset = c.counterset
	LEFT JOIN perflib_counter AS b
	     ON b.trace_id = c.trace_id AND b.counterset = c.counterset
	     AND b.counter = CASE WHEN t.base_type = 0x42030500 THEN c.multi_counter
	                          WHEN t.base_type IS NOT NULL THEN c.base_counter END
	     AND b.counter <> c.counter AND b.type IS NOT NULL
	LEFT JOIN perflib_counter AS n
	     ON b.counter IS NULL AND n.trace_id = c.trace_id AND n.counterset = c.counterset
	     AND n.counter = c.counter + 1 AND n.type = t.base_type;

-- The displayable value of each counter in each snapshot of an instance, from it and from
-- the previous snapshot in which this incarnation of the instance has it.  n is the counter,
-- d its divisor.  Partners come from the same snapshot and instance, which may be in another
-- block.  If an id is repeated in a block, the last value counts.
--
-- Values of 8 bytes are unsigned, integers of SQLite are not: 2^63 and above are negative here.
-- Arithmetic is exact below 2^63; above it SQLite goes on with real numbers.  So a value can
-- differ in its last digits from perf_counter_value(), which rounds once.
CREATE VIEW perflib_value AS
	SELECT trace_id, counterset, counter, instance, from_snapshot, to_snapshot, from_ts_ns, to_ts_ns,
	       counterset_name, counter_name, instance_name, number, ordinal,
	       CASE WHEN formula IN ('no number', 'base') THEN NULL
	            WHEN formula IN ('raw', 'delta') THEN dn * 1.0
	            WHEN formula IN ('inverse', 'multi inverse') THEN (dd * parts - dn) * 100 * 1.0 / (dd * parts)
	            WHEN formula <> 'elapsed' THEN dn * scale * 1.0 / (dd * parts)
	            WHEN formula = 'elapsed' AND dn BETWEEN 1 AND dd THEN (dd - dn) * 1.0 / hz END AS value,
	       unit,
	       -- Why there is a value, or none: if several reasons apply, the first.
	       CASE WHEN formula IS NULL THEN 'unknown_type'
	            WHEN formula = 'no number' THEN 'no_number'
	            WHEN formula = 'base' THEN 'partner'
	            WHEN n1 IS NULL THEN 'missing'
	            WHEN na IS NULL THEN 'single_sample'
	            WHEN over IS NOT NULL AND (d1 IS NULL OR da IS NULL)
	            THEN CASE over WHEN 'base' THEN 'no_base' ELSE 'no_time' END
	            WHEN needs_hz AND frequency IS NULL THEN 'no_frequency'
	            WHEN needs_hz AND frequency <= 0 THEN 'frequency'
	            WHEN is_multi AND multi IS NULL THEN 'no_multi'
	            WHEN n_is_too_wide OR d_is_too_wide THEN 'bytes'
	            WHEN over <> 'base' AND dd IS NULL THEN 'time'
	            WHEN dn IS NULL THEN 'negative'
	            WHEN dd IS NULL AND over = 'base' THEN 'negative_base'
	            WHEN (over = 'base' AND dd = 0) OR parts = 0 THEN 'zero_base'
	            WHEN formula = 'elapsed' AND dn = 0 THEN 'no_start'
	            WHEN formula = 'elapsed' AND dn > dd THEN 'future_start'
	            WHEN (n1 BETWEEN 0 AND na - 1) OR (over = 'base' AND d1 BETWEEN 0 AND da - 1) THEN 'wrapped'
	            ELSE 'ok' END AS status,
	       base_source, time_source, CASE WHEN is_multi THEN 'share' END AS variant,
	       type, n0, n1, d0, d1, frequency, multi, n_bytes, d_bytes, machine
	FROM (
	-- How far each rose, NULL if it did not: 4 bytes that went down by more than half have wrapped.
	SELECT *,
	       CASE WHEN n_is_too_wide THEN NULL
	            WHEN n1 >= na AND (n1 < 0 OR na >= 0) THEN n1 - na
	            WHEN n1 < 0 AND na >= 0 THEN (n1 & 0x7fffffffffffffff) - na - -9223372036854775808
	            WHEN coalesce(n_bytes, bytes) = 4 AND na BETWEEN 0 AND 0xffffffff AND na - n1 > 0x80000000
	            THEN n1 - na + 0x100000000 END AS dn,
	       CASE WHEN over <> 'base' THEN CASE WHEN d1 >= 0 AND da >= 0 AND (d1 > da OR NOT is_of_two) THEN d1 - da END
	            WHEN d_is_too_wide THEN NULL
	            WHEN d1 >= da AND (d1 < 0 OR da >= 0) THEN d1 - da
	            WHEN d1 < 0 AND da >= 0 THEN (d1 & 0x7fffffffffffffff) - da - -9223372036854775808
	            WHEN coalesce(d_bytes, base_bytes) = 4 AND da BETWEEN 0 AND 0xffffffff AND da - d1 > 0x80000000
	            THEN d1 - da + 0x100000000 END AS dd
	FROM (
	SELECT *, CASE WHEN unit = '%' THEN 100 WHEN formula = 'rate' THEN hz ELSE 1 END AS scale,
	       CASE WHEN is_multi THEN multi + CASE WHEN multi < 0 THEN 18446744073709551616.0 ELSE 0 END
	            WHEN formula = 'average time' THEN hz ELSE 1 END AS parts,
	       n_bytes = 4 AND (n1 | na) NOT BETWEEN 0 AND 0xffffffff AS n_is_too_wide,
	       over = 'base' AND d_bytes = 4 AND (d1 | da) NOT BETWEEN 0 AND 0xffffffff AS d_is_too_wide
	FROM (
	SELECT *, CASE WHEN is_of_two THEN n0 ELSE 0 END AS na, CASE WHEN is_of_two THEN d0 ELSE 0 END AS da,
	       formula IN ('rate', 'average time', 'elapsed') AS needs_hz,
	       CASE WHEN frequency > 0 THEN frequency END AS hz
	FROM (
	WITH f AS MATERIALIZED (
	     SELECT *, CASE WHEN clock = 'object' THEN time_counter
	                    WHEN clock IS NULL AND NOT is_multi THEN base_counter END AS d_counter,
	            CASE WHEN clock = 'object' THEN freq_counter END AS f_counter,
	            CASE WHEN is_multi THEN base_counter END AS m_counter,
	            CASE base_type & 0x100 WHEN 0 THEN 4 ELSE 8 END AS base_bytes
	     FROM perflib_formula)
	SELECT f.trace_id, f.counterset, f.counter, i.instance, r0.snapshot AS from_snapshot,
	       r1.snapshot AS to_snapshot, s0.ts_ns AS from_ts_ns, s1.ts_ns AS to_ts_ns,
	       f.counterset_name, f.counter_name, i.name AS instance_name, i.number, i.ordinal,
	       f.type, f.unit, f.is_multi, k.machine, f.formula, f.is_of_two, f.over, f.bytes, f.base_bytes,
	       -- 8 bytes without a value are 2^63, as a signed integer, which no cell is.
	       coalesce(r0.value, CASE r0.bytes WHEN 8 THEN -9223372036854775808 END) AS n0,
	       coalesce(r1.value, CASE r1.bytes WHEN 8 THEN -9223372036854775808 END) AS n1,
	       CASE WHEN r0.second IS NOT NULL THEN r0.second
	            WHEN f.clock = 'ticks' THEN s0.perf_time
	            WHEN f.clock = '100ns' THEN s0.perf_time_100ns
	            WHEN f.clock = 'object' AND k0.object_time IS NOT NULL THEN k0.object_time
	            ELSE coalesce(d0.value, CASE d0.bytes WHEN 8 THEN -9223372036854775808 END) END AS d0,
	       CASE WHEN r1.second IS NOT NULL THEN r1.second
	            WHEN f.clock = 'ticks' THEN s1.perf_time
	            WHEN f.clock = '100ns' THEN s1.perf_time_100ns
	            WHEN f.clock = 'object' AND k1.object_time IS NOT NULL THEN k1.object_time
	            WHEN f.d_counter IS NOT NULL
	            THEN coalesce(d1.value, CASE d1.bytes WHEN 8 THEN -9223372036854775808 END)
	            -- PERF_ELAPSED_TIME without a clock: its start looks like a FILETIME of 1970 to 2400
	            WHEN f.type = 0x30240500 AND r1.value >= 116444736000000000 AND r1.value < 252150000000000000
	            THEN s1.perf_time_100ns END AS d1,
	       CASE WHEN r1.second IS NOT NULL THEN coalesce(f.time_base, s1.perf_freq)
	            WHEN f.clock = 'object' AND k1.object_time IS NOT NULL THEN k1.object_freq
	            WHEN f.clock = 'object' AND f.d_counter IS NOT NULL
	            THEN coalesce(q1.value, CASE q1.bytes WHEN 8 THEN -9223372036854775808 END)
	            WHEN f.clock = 'object' THEN 10000000
	            ELSE s1.perf_freq END AS frequency,
	       coalesce(r1.multi, coalesce(m1.value, CASE m1.bytes WHEN 8 THEN -9223372036854775808 END)) AS multi,
	       CASE WHEN r1.bytes IN (4, 8) THEN r1.bytes END AS n_bytes,
	       CASE WHEN r1.second IS NULL AND d1.bytes IN (4, 8) THEN d1.bytes END AS d_bytes,
	       CASE WHEN r1.second IS NOT NULL AND f.over = 'base' THEN 'second'
	            WHEN r1.multi IS NOT NULL AND f.is_multi THEN 'second'
	            ELSE f.base_source END AS base_source,
	       CASE WHEN f.clock IS NULL THEN NULL
	            WHEN r1.second IS NOT NULL THEN 'second'
	            WHEN f.clock <> 'object' THEN 'stamp'
	            WHEN k1.object_time IS NOT NULL THEN 'object'
	            WHEN f.d_counter IS NOT NULL THEN 'counter'
	            WHEN f.type = 0x30240500 AND r1.value >= 116444736000000000 AND r1.value < 252150000000000000
	            THEN 'header' END AS time_source
	FROM f
	LEFT JOIN perflib_counterset AS k ON k.trace_id = f.trace_id AND k.counterset = f.counterset
	CROSS JOIN perflib_instance AS i ON i.trace_id = f.trace_id AND i.counterset = f.counterset
	CROSS JOIN perflib_raw AS r1
	     ON r1.trace_id = i.trace_id AND r1.instance = i.instance AND r1.counter = f.counter
	     AND NOT EXISTS (SELECT 1 FROM perflib_raw AS p
	                     WHERE p.trace_id = r1.trace_id AND p.instance = r1.instance AND p.counter = r1.counter
	                           AND p.snapshot = r1.snapshot AND p.rowid > r1.rowid)
	LEFT JOIN perflib_snapshot AS s1 ON s1.trace_id = r1.trace_id AND s1.snapshot = r1.snapshot
	LEFT JOIN perflib_block AS k1
	     ON k1.trace_id = r1.trace_id AND k1.snapshot = r1.snapshot AND k1.block = i.block AND f.clock = 'object'
	LEFT JOIN perflib_raw AS r0 ON r0.rowid = (
	     SELECT p.rowid FROM perflib_raw AS p
	     WHERE p.trace_id = r1.trace_id AND p.instance = r1.instance AND p.counter = r1.counter
	           AND p.snapshot < r1.snapshot
	     ORDER BY p.snapshot DESC, p.rowid DESC LIMIT 1)
	LEFT JOIN perflib_snapshot AS s0 ON s0.trace_id = r0.trace_id AND s0.snapshot = r0.snapshot
	LEFT JOIN perflib_block AS k0
	     ON k0.trace_id = r0.trace_id AND k0.snapshot = r0.snapshot AND k0.block = i.block AND f.clock = 'object'
	LEFT JOIN perflib_raw AS d1 ON d1.rowid = CASE WHEN f.d_counter IS NOT NULL THEN coalesce(
	            (SELECT p.rowid FROM perflib_raw AS p
	             WHERE p.trace_id = i.trace_id AND p.instance = i.instance
	                   AND p.counter = f.d_counter AND p.snapshot = r1.snapshot
	             ORDER BY p.rowid DESC LIMIT 1),
	            (SELECT p.rowid FROM perflib_instance AS o CROSS JOIN perflib_raw AS p
	             WHERE o.trace_id = i.trace_id AND o.counterset = i.counterset AND o.name IS i.name
	                   AND o.number IS i.number AND o.ordinal = i.ordinal AND o.query IS i.query
	                   AND p.trace_id = o.trace_id AND p.instance = o.instance
	                   AND p.counter = f.d_counter AND p.snapshot = r1.snapshot
	             ORDER BY o.instance, p.rowid DESC LIMIT 1)) END
	LEFT JOIN perflib_raw AS d0 ON d0.rowid = CASE WHEN f.d_counter IS NOT NULL THEN coalesce(
	            (SELECT p.rowid FROM perflib_raw AS p
	             WHERE p.trace_id = i.trace_id AND p.instance = i.instance
	                   AND p.counter = f.d_counter AND p.snapshot = r0.snapshot
	             ORDER BY p.rowid DESC LIMIT 1),
	            (SELECT p.rowid FROM perflib_instance AS o CROSS JOIN perflib_raw AS p
	             WHERE o.trace_id = i.trace_id AND o.counterset = i.counterset AND o.name IS i.name
	                   AND o.number IS i.number AND o.ordinal = i.ordinal AND o.query IS i.query
	                   AND p.trace_id = o.trace_id AND p.instance = o.instance
	                   AND p.counter = f.d_counter AND p.snapshot = r0.snapshot
	             ORDER BY o.instance, p.rowid DESC LIMIT 1)) END
	LEFT JOIN perflib_raw AS q1 ON q1.rowid = CASE WHEN f.f_counter IS NOT NULL THEN coalesce(
	            (SELECT p.rowid FROM perflib_raw AS p
	             WHERE p.trace_id = i.trace_id AND p.instance = i.instance
	                   AND p.counter = f.f_counter AND p.snapshot = r1.snapshot
	             ORDER BY p.rowid DESC LIMIT 1),
	            (SELECT p.rowid FROM perflib_instance AS o CROSS JOIN perflib_raw AS p
	             WHERE o.trace_id = i.trace_id AND o.counterset = i.counterset AND o.name IS i.name
	                   AND o.number IS i.number AND o.ordinal = i.ordinal AND o.query IS i.query
	                   AND p.trace_id = o.trace_id AND p.instance = o.instance
	                   AND p.counter = f.f_counter AND p.snapshot = r1.snapshot
	             ORDER BY o.instance, p.rowid DESC LIMIT 1)) END
	LEFT JOIN perflib_raw AS m1 ON m1.rowid = CASE WHEN f.m_counter IS NOT NULL THEN coalesce(
	            (SELECT p.rowid FROM perflib_raw AS p
	             WHERE p.trace_id = i.trace_id AND p.instance = i.instance
	                   AND p.counter = f.m_counter AND p.snapshot = r1.snapshot
	             ORDER BY p.rowid DESC LIMIT 1),
	            (SELECT p.rowid FROM perflib_instance AS o CROSS JOIN perflib_raw AS p
	             WHERE o.trace_id = i.trace_id AND o.counterset = i.counterset AND o.name IS i.name
	                   AND o.number IS i.number AND o.ordinal = i.ordinal AND o.query IS i.query
	                   AND p.trace_id = o.trace_id AND p.instance = o.instance
	                   AND p.counter = f.m_counter AND p.snapshot = r1.snapshot
	             ORDER BY o.instance, p.rowid DESC LIMIT 1)) END
	))))
	UNION ALL
	-- Values that the recording program computed; it does not name their interval.
	SELECT i.trace_id, i.counterset, v.counter, i.instance, NULL, v.snapshot, NULL, s.ts_ns,
	       coalesce(k.english_name, k.name), coalesce(c.english_name, c.name), i.name, i.number, i.ordinal,
	       v.value, t.unit, 'ok',
	       NULL, NULL, NULL, c.type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, k.machine
	FROM trace AS t
	CROSS JOIN perflib_instance AS i ON i.trace_id = t.trace_id
	CROSS JOIN perflib_cooked AS v ON v.trace_id = i.trace_id AND v.instance = i.instance
	LEFT JOIN perflib_snapshot AS s ON s.trace_id = v.trace_id AND s.snapshot = v.snapshot
	LEFT JOIN perflib_counter AS c
	     ON c.trace_id = v.trace_id AND c.counterset = i.counterset AND c.counter = v.counter
	LEFT JOIN perflib_counter_type AS t ON t.type = c.type
	LEFT JOIN perflib_counterset AS k ON k.trace_id = i.trace_id AND k.counterset = i.counterset
	-- If a column occurs twice, the last value counts.
	LEFT JOIN perflib_cooked AS p
	     ON p.trace_id = v.trace_id AND p.instance = v.instance AND p.counter = v.counter
	     AND p.snapshot = v.snapshot AND p.rowid > v.rowid
	WHERE p.rowid IS NULL;
