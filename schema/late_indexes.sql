-- late_indexes.sql - created by SQLite when all rows are in the file, as of small tables with
-- indexes that cannot be loaded in bulk (docs/bulk-load.md).

CREATE INDEX perflib_snapshot_by_number ON perflib_snapshot (trace_id, snapshot);
CREATE INDEX perflib_block_by_snapshot ON perflib_block (trace_id, snapshot, block);
CREATE INDEX perflib_counter_by_id ON perflib_counter (trace_id, counterset, counter);
-- All columns that distinguish instances: thousands may have the same name.
CREATE INDEX perflib_instance_by_name ON perflib_instance (trace_id, counterset, name, ordinal, number);
