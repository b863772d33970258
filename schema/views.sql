-- views.sql - views that are the same in every database.  More are made at conversion,
-- because their columns are the trace's own counters: context_switch_named (context_switch
-- with each counter under its name), switch_counters (a row for
-- each switch and counter: switch_id, ts_ns, cpu, prev_thread_id, status, counter_id, name,
-- delta), process_bill (what each process cost, as perftab-analyze has it) and, where switches
-- of a tracepoint were sampled with counters, <system>_<event>.

-- switch_counters with the cumulative value as it was recorded.  Slow on large traces: it
-- adds up every delta before each row.
CREATE VIEW switch_values AS
	SELECT s.switch_id, s.ts_ns, s.cpu, s.name, s.delta,
	       b.first_value + sum(s.delta) OVER (
	           PARTITION BY s.counter_id, s.cpu, b.thread_id ORDER BY s.switch_id
	       ) AS value
	FROM switch_counters AS s
	JOIN counter_base AS b ON b.counter_id = s.counter_id AND b.cpu = s.cpu
	     AND (b.thread_id IS NULL OR b.thread_id = s.prev_thread_id);

-- Findings, the worst first.
CREATE VIEW finding_sorted AS
	SELECT trace_id, severity, kind, count, first_offset, end_offset, text FROM finding
	ORDER BY trace_id,
	         CASE severity WHEN 'damage' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, kind;
