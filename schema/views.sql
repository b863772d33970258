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
