-- late_indexes.sql - made by SQLite when all rows are in the file.  Rows of a table with an
-- index over several columns are not laid down as pages (docs/bulk-load.md), and inserting
-- them takes many times as long.

CREATE INDEX perflib_snapshot_by_number ON perflib_snapshot (trace_id, snapshot);
CREATE INDEX perflib_block_by_snapshot ON perflib_block (trace_id, snapshot, block);
CREATE INDEX perflib_counter_by_id ON perflib_counter (trace_id, counterset, counter);
-- All of what tells instances apart: thousands may have the same name.
CREATE INDEX perflib_instance_by_name ON perflib_instance (trace_id, counterset, name, ordinal, number);
CREATE INDEX perflib_raw_by_instance ON perflib_raw (trace_id, instance, counter, snapshot);
CREATE INDEX perflib_cooked_by_instance ON perflib_cooked (trace_id, instance, counter, snapshot);
