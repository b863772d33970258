-- indexes.sql - created after the rows, which is several times faster than before them.

CREATE INDEX context_switch_by_time ON context_switch (ts_ns);
CREATE INDEX context_switch_by_thread ON context_switch (prev_thread_id);
CREATE INDEX sample_by_time ON sample (ts_ns);
CREATE INDEX sample_by_thread ON sample (thread_id);
CREATE INDEX sample_value_by_sample ON sample_value (sample_id);
CREATE INDEX counter_by_group ON counter (group_id, slot);
CREATE INDEX thread_by_process ON thread (process_id);
CREATE INDEX thread_by_tid ON thread (tid);
CREATE INDEX process_by_pid ON process (pid);
CREATE INDEX process_charge_by_process ON process_charge (process_id);
CREATE INDEX thread_charge_by_thread ON thread_charge (thread_id);
CREATE INDEX header_fact_by_key ON header_fact (key);
CREATE INDEX frame_symbol_by_address ON frame_symbol (address);
CREATE INDEX perflib_raw_by_instance ON perflib_raw (trace_id, instance, counter, snapshot);
CREATE INDEX perflib_cooked_by_instance ON perflib_cooked (trace_id, instance, counter, snapshot);
