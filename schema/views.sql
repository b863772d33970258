-- views.sql - views that are the same in every database.  Others are created at conversion,
-- because their columns are the trace's own counters: context_switch_named (context_switch
-- with each counter under its name), switch_counters (a row for
-- each switch and counter: switch_id, ts_ns, cpu, prev_thread_id, status, counter_id, name,
-- delta), process_bill (what each process cost, as perftab-analyze has it), comm_bill (the same
-- by name), cgroup_bill (by control group), process_tree (each process with all that it started), process_metric (ratios of counters)
-- and, where switches
-- of a tracepoint were sampled with counters, <system>_<event>.

-- switch_counters with the cumulative value as it was recorded.  Slow on large traces: it
-- adds up every delta before each row.
CREATE VIEW switch_values AS
	SELECT switch_id, ts_ns, cpu, name, delta, value FROM (
	SELECT s.switch_id, s.ts_ns, s.cpu, s.name, s.delta, s.read_id,
	       b.first_value + sum(s.delta) OVER (
	           PARTITION BY s.counter_id, s.cpu, b.thread_id ORDER BY s.switch_id, s.read_id
	       ) AS value
	FROM (SELECT switch_id, 0 AS read_id, ts_ns, cpu, prev_thread_id, counter_id, name, delta
	      FROM switch_counters
	      UNION ALL
	      SELECT r.after_switch_id, r.read_id, r.ts_ns, r.cpu, r.thread_id, v.counter_id, NULL, v.delta
	      FROM group_read AS r JOIN group_read_value AS v USING (read_id)) AS s
	JOIN counter_base AS b ON b.counter_id = s.counter_id AND b.cpu = s.cpu
	     AND (b.thread_id IS NULL OR b.thread_id = s.prev_thread_id))
	WHERE read_id = 0;

-- Switches of all machines on one clock, in UTC: ORDER BY ts_utc_ns.  Where the time of day
-- was recorded at the end of a trace, too, the clocks drift evenly in between; a difference
-- of over an hour is a clock that was set.  NULL where the time of day is not known.
CREATE VIEW switch_utc AS
	SELECT s.switch_id, g.trace_id, t.host,
	       s.ts_ns + t.wall_offset_ns
	       + CASE WHEN t.last_ns > t.first_ns AND abs(t.wall_offset_end_ns - t.wall_offset_ns) <= 3600000000000
	              THEN CAST((s.ts_ns - t.first_ns) * 1.0 / (t.last_ns - t.first_ns)
	                        * (t.wall_offset_end_ns - t.wall_offset_ns) AS INTEGER)
	              ELSE 0 END AS ts_utc_ns,
	       s.ts_ns, s.cpu, op.name AS process, op.pid, o.name AS thread, o.tid,
	       n.name AS next_thread, n.tid AS next_tid, c.name AS status, s.on_cpu_ns, s.group_id
	FROM context_switch AS s
	JOIN counter_group AS g USING (group_id)
	JOIN trace AS t USING (trace_id)
	JOIN charge_status AS c ON c.status = s.status
	LEFT JOIN thread AS o ON o.thread_id = s.prev_thread_id
	LEFT JOIN process AS op ON op.process_id = o.process_id
	LEFT JOIN thread AS n ON n.thread_id = s.next_thread_id;

-- perf stat record: what was counted in each round, from its begin to its end since the
-- start.  Of what was counted after the last round, kind and to_ns are NULL.
CREATE VIEW stat_interval AS
	SELECT s.trace_id, s.round, r.kind,
	       iif(s.round = 1, 0, b.time_ns) AS from_ns, r.time_ns AS to_ns,
	       s.counter_id, c.name AS counter, s.cpu, s.thread,
	       s.value - lag(s.value, 1, 0) OVER earlier AS value,
	       s.enabled_ns - lag(s.enabled_ns, 1, 0) OVER earlier AS enabled_ns,
	       s.running_ns - lag(s.running_ns, 1, 0) OVER earlier AS running_ns
	FROM stat AS s
	LEFT JOIN counter AS c USING (counter_id)
	LEFT JOIN stat_round AS r ON r.trace_id = s.trace_id AND r.round = s.round
	LEFT JOIN stat_round AS b ON b.trace_id = s.trace_id AND b.round = s.round - 1
	WINDOW earlier AS (PARTITION BY s.trace_id, s.counter_id, s.cpu, s.thread
	                   ORDER BY s.round, s.rowid);

-- Samples with the names of what they are of.  A frame of the kernel is of no process.
CREATE VIEW sample_named AS
	SELECT s.sample_id, c.trace_id, s.ts_ns, s.cpu, p.name AS process, p.pid,
	       t.name AS thread, t.tid, c.name AS event, s.period, s.mode, s.ip,
	       f.module, f.module_offset AS offset, f.symbol, f.offset AS symbol_offset,
	       s.thread_id, t.process_id, f.module_id, s.callchain_id
	FROM sample AS s
	LEFT JOIN counter AS c USING (counter_id)
	LEFT JOIN thread AS t ON t.thread_id = s.thread_id
	LEFT JOIN process AS p ON p.process_id = t.process_id
	LEFT JOIN frame_symbol AS f ON f.rowid = (
	    SELECT g.rowid FROM frame_symbol AS g
	    WHERE g.address = s.ip AND g.trace_id = c.trace_id
	    AND g.process_id IS CASE WHEN s.mode > 2 THEN -1 WHEN s.mode = 1 OR s.ip < 0 THEN NULL
	                             ELSE coalesce(t.process_id, -1) END
	    AND (g.from_ns IS NULL OR g.from_ns <= s.ts_ns)
	    AND (g.to_ns IS NULL OR g.to_ns > s.ts_ns)
	    LIMIT 1);

-- What was sampled in each process, by event: estimates.
CREATE VIEW sample_bill AS
	SELECT s.trace_id, t.process_id, CASE p.pid WHEN 0 THEN '(idle)'
	       ELSE coalesce(p.name, ':' || p.pid, '(unattributed)') END AS process,
	       nullif(p.pid, 0) AS pid, count(t.thread_id) AS threads, c.name AS event,
	       sum(s.samples) AS samples, sum(s.events) AS events
	FROM sample_summary AS s
	JOIN counter AS c USING (counter_id)
	LEFT JOIN thread AS t ON t.thread_id = s.thread_id
	LEFT JOIN process AS p ON p.process_id = t.process_id
	WHERE c.group_id IS NULL -- what a group reads is in its bill
	GROUP BY s.trace_id, t.process_id, s.counter_id;

-- Findings, the worst first.
CREATE VIEW finding_sorted AS
	SELECT trace_id, severity, kind, count, first_offset, end_offset, text FROM finding
	ORDER BY trace_id,
	         CASE severity WHEN 'damage' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, kind;

-- The two below need SQL functions: `.load perftab` in the sqlite3 shell (docs/counters.md).

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
	       type, n0, n1, d0, d1, frequency, multi, n_bytes, d_bytes
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
	       f.type, f.unit, f.is_multi,
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
	       NULL, NULL, NULL, c.type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
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

-- What the kernel's books have of a thread, and what was recorded of it.
CREATE VIEW kernel_task_check AS
SELECT k.trace_id, k.tid, b.name, k.run_ns, max(b.on_cpu_ns) AS recorded_ns,
	k.voluntary + k.involuntary AS kernel_switches, max(b.switches) AS recorded_switches
FROM kernel_task k
LEFT JOIN (
	SELECT p.trace_id, t.tid, min(t.name) AS name, s.group_id,
		sum(s.on_cpu_ns + s.interrupts_ns) AS on_cpu_ns, sum(s.switches) AS switches
	FROM process p JOIN thread t USING (process_id) JOIN thread_summary s USING (thread_id)
	GROUP BY p.trace_id, t.tid, s.group_id) b
	ON b.trace_id = k.trace_id AND b.tid = k.tid
GROUP BY k.trace_id, k.tid;
