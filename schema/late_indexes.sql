-- late_indexes.sql - created by SQLite when all rows are in the file.  A table with an index
-- over several columns cannot be loaded in bulk (docs/bulk-load.md), and inserting its rows is
-- many times slower.

CREATE INDEX perflib_snapshot_by_number ON perflib_snapshot (trace_id, snapshot);
CREATE INDEX perflib_block_by_snapshot ON perflib_block (trace_id, snapshot, block);
CREATE INDEX perflib_counter_by_id ON perflib_counter (trace_id, counterset, counter);
-- All columns that distinguish instances: thousands may have the same name.
CREATE INDEX perflib_instance_by_name ON perflib_instance (trace_id, counterset, name, ordinal, number);
CREATE INDEX perflib_raw_by_instance ON perflib_raw (trace_id, instance, counter, snapshot);
CREATE INDEX perflib_cooked_by_instance ON perflib_cooked (trace_id, instance, counter, snapshot);
