-- perflib_views.sql - views of databases with countersets of PerfLib.  They need SQL functions:
-- `.load perftab` in the sqlite3 shell (docs/counters.md).

-- The inputs of each PerfLib counter's formula.
CREATE VIEW perflib_formula AS
	SELECT c.trace_id, c.counterset, c.counter,
	       coalesce(s.english_name, s.name) AS counterset_name,
	       coalesce(c.english_name, c.name) AS counter_name,
	       c.type, perf_counter_type_name(c.type) AS type_name, perf_counter_unit(c.type) AS unit,
	       coalesce(b.counter, n.counter) AS base_counter,     -- its divisor, or the number of components
	       CASE WHEN b.counter IS NOT NULL THEN 'registered'
	            WHEN n.counter IS NOT NULL THEN 'next-id' END AS base_source,
	       coalesce(perf_counter_base_type(c.type) = 0x42030500, 0) AS is_multi,  -- a multi-timer
	       CASE WHEN perf_counter_over(c.type) <> 'base' THEN perf_counter_over(c.type)
	            -- PERF_PRECISION_OBJECT_TIMER without a base
	            WHEN c.type = 0x20670500 AND b.counter IS NULL AND n.counter IS NULL THEN 'object'
	       END AS clock,                                       -- ticks, 100ns, object
	       c.time_counter, c.freq_counter, c.time_base
	FROM perflib_counter AS c
	LEFT JOIN perflib_counterset AS s ON s.trace_id = c.trace_id AND s.counterset = c.counterset
	LEFT JOIN perflib_counter AS b
	     ON b.trace_id = c.trace_id AND b.counterset = c.counterset
	     AND b.counter = CASE WHEN perf_counter_base_type(c.type) = 0x42030500 THEN c.multi_counter
	                          WHEN perf_counter_base_type(c.type) IS NOT NULL THEN c.base_counter END
	     AND b.counter <> c.counter AND b.type IS NOT NULL
	LEFT JOIN perflib_counter AS n
	     ON b.counter IS NULL AND n.trace_id = c.trace_id AND n.counterset = c.counterset
	     AND n.counter = c.counter + 1 AND n.type = perf_counter_base_type(c.type);

-- The displayable value of each counter in each snapshot of an instance, from it and from
-- the previous snapshot in which this incarnation of the instance has it.  n is the counter,
-- d its divisor.  Partners come from the same snapshot and instance, which may be in another
-- block.  If an id is repeated in a block, the last value counts.
CREATE VIEW perflib_value AS
	SELECT trace_id, counterset, counter, instance, from_snapshot, to_snapshot, from_ts_ns, to_ts_ns,
	       counterset_name, counter_name, instance_name, number, ordinal,
	       perf_counter_value(type, n0, n1, d0, d1, frequency, multi, NULL, n_bytes, d_bytes) AS value,
	       unit,
	       perf_counter_status(type, n0, n1, d0, d1, frequency, multi, NULL, n_bytes, d_bytes) AS status,
	       base_source, time_source, CASE WHEN is_multi THEN 'share' END AS variant,
	       type, n0, n1, d0, d1, frequency, multi, n_bytes, d_bytes, machine
	FROM (
	WITH f AS MATERIALIZED (
	     SELECT *, CASE WHEN clock = 'object' THEN time_counter
	                    WHEN clock IS NULL AND NOT is_multi THEN base_counter END AS d_counter,
	            CASE WHEN clock = 'object' THEN freq_counter END AS f_counter,
	            CASE WHEN is_multi THEN base_counter END AS m_counter
	     FROM perflib_formula)
	SELECT f.trace_id, f.counterset, f.counter, i.instance, r0.snapshot AS from_snapshot,
	       r1.snapshot AS to_snapshot, s0.ts_ns AS from_ts_ns, s1.ts_ns AS to_ts_ns,
	       f.counterset_name, f.counter_name, i.name AS instance_name, i.number, i.ordinal,
	       f.type, f.unit, f.is_multi, k.machine,
	       -- 8 bytes without a value are 2^63, which no integer of a table is here.
	       coalesce(r0.value, CASE r0.bytes WHEN 8 THEN '9223372036854775808' END) AS n0,
	       coalesce(r1.value, CASE r1.bytes WHEN 8 THEN '9223372036854775808' END) AS n1,
	       CASE WHEN r0.second IS NOT NULL THEN r0.second
	            WHEN f.clock = 'ticks' THEN s0.perf_time
	            WHEN f.clock = '100ns' THEN s0.perf_time_100ns
	            WHEN f.clock = 'object' AND k0.object_time IS NOT NULL THEN k0.object_time
	            ELSE coalesce(d0.value, CASE d0.bytes WHEN 8 THEN '9223372036854775808' END) END AS d0,
	       CASE WHEN r1.second IS NOT NULL THEN r1.second
	            WHEN f.clock = 'ticks' THEN s1.perf_time
	            WHEN f.clock = '100ns' THEN s1.perf_time_100ns
	            WHEN f.clock = 'object' AND k1.object_time IS NOT NULL THEN k1.object_time
	            WHEN f.d_counter IS NOT NULL
	            THEN coalesce(d1.value, CASE d1.bytes WHEN 8 THEN '9223372036854775808' END)
	            -- PERF_ELAPSED_TIME without a clock: its start looks like a FILETIME of 1970 to 2400
	            WHEN f.type = 0x30240500 AND r1.value >= 116444736000000000 AND r1.value < 252150000000000000
	            THEN s1.perf_time_100ns END AS d1,
	       CASE WHEN r1.second IS NOT NULL THEN coalesce(f.time_base, s1.perf_freq)
	            WHEN f.clock = 'object' AND k1.object_time IS NOT NULL THEN k1.object_freq
	            WHEN f.clock = 'object' AND f.d_counter IS NOT NULL
	            THEN coalesce(q1.value, CASE q1.bytes WHEN 8 THEN '9223372036854775808' END)
	            WHEN f.clock = 'object' THEN 10000000
	            ELSE s1.perf_freq END AS frequency,
	       coalesce(r1.multi, coalesce(m1.value, CASE m1.bytes WHEN 8 THEN '9223372036854775808' END)) AS multi,
	       CASE WHEN r1.bytes IN (4, 8) THEN r1.bytes END AS n_bytes,
	       CASE WHEN r1.second IS NULL AND d1.bytes IN (4, 8) THEN d1.bytes END AS d_bytes,
	       CASE WHEN r1.second IS NOT NULL AND perf_counter_over(f.type) = 'base' THEN 'second'
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
	)
	UNION ALL
	-- Values that the recording program computed; it does not name their interval.
	SELECT i.trace_id, i.counterset, v.counter, i.instance, NULL, v.snapshot, NULL, s.ts_ns,
	       coalesce(k.english_name, k.name), coalesce(c.english_name, c.name), i.name, i.number, i.ordinal,
	       v.value, perf_counter_unit(c.type), 'ok',
	       NULL, NULL, NULL, c.type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, k.machine
	FROM trace AS t
	CROSS JOIN perflib_instance AS i ON i.trace_id = t.trace_id
	CROSS JOIN perflib_cooked AS v ON v.trace_id = i.trace_id AND v.instance = i.instance
	LEFT JOIN perflib_snapshot AS s ON s.trace_id = v.trace_id AND s.snapshot = v.snapshot
	LEFT JOIN perflib_counter AS c
	     ON c.trace_id = v.trace_id AND c.counterset = i.counterset AND c.counter = v.counter
	LEFT JOIN perflib_counterset AS k ON k.trace_id = i.trace_id AND k.counterset = i.counterset
	-- If a column occurs twice, the last value counts.
	LEFT JOIN perflib_cooked AS p
	     ON p.trace_id = v.trace_id AND p.instance = v.instance AND p.counter = v.counter
	     AND p.snapshot = v.snapshot AND p.rowid > v.rowid
	WHERE p.rowid IS NULL;
