#!/bin/bash
# corpus_winperf.sh: a real performance log, and the V1 blocks that were cut out of it: no
# finding, the objects, instances and counters there are, the raw numbers others read, and the
# identities that real data obey.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
corpus=$PERFTAB_CORPUS/perflib
for name in SampleLog.blg pal_v1_blobs pal_samplelog_v1.tsv; do
	[ -e "$corpus/$name" ] || skip "no perflib/$name in $PERFTAB_CORPUS"
done

# counts DATABASE: the counts of an independent script are below
counts() {
	sql "$1" "SELECT (SELECT count(*) FROM perflib_snapshot), (SELECT count(*) FROM perflib_block),
		(SELECT sum(counters) FROM perflib_block), (SELECT sum(coalesce(instances, 1)) FROM perflib_block),
		(SELECT count(*) FROM perflib_raw), (SELECT count(*) FROM perflib_counterset), (SELECT count(*) FROM perflib_counter), (SELECT count(*) FROM perflib_instance)"
}

# Each block alone, and all of them as one file.
blocks=0
for block in "$corpus"/pal_v1_blobs/*.bin; do
	status 0 "$block" perftab-convert -f -t csv -o "$work/csv" "$block"
	[ ! -e "$work/csv/finding.csv" ] || fail "$block: $(tail -1 "$work/csv/finding.csv")"
	[ "$(wc -l <"$work/csv/perflib_block.csv")" -eq 2 ] || fail "$block: objects"
	blocks=$((blocks + 1))
done
[ "$blocks" -eq 88 ] || fail "$blocks blocks"
cat "$corpus"/pal_v1_blobs/*.bin >"$work/all.bin"
status 0 "all blocks" perftab-convert "$work/all.bin" -o "$work/all.db"
[ "$(counts "$work/all.db")" = '88|88|2068|688|18769|8|188|69' ] || fail "blocks: $(counts "$work/all.db")"

db=$work/log.db
status 0 "log" perftab-convert "$corpus/SampleLog.blg" -o "$db"
[ "$(counts "$db")" = '88|88|2068|688|18769|8|188|69' ] || fail "log: $(counts "$db")"
[ -z "$(sql "$db" 'SELECT * FROM finding')$(sql "$work/all.db" 'SELECT * FROM finding')" ] || fail "findings: $(sql "$db" 'SELECT * FROM finding')"
holds "trace" "$db" 'blg|raw|complete|ZACH-PC|QPC' 'SELECT format, form, status, host, clock FROM trace'
[ "$(sql "$db" "SELECT group_concat(title || ' ' || name || ' ' || counters, ', ') FROM perflib_counterset")" = \
	'236 LogicalDisk 34, 638 TCPv4 9, 4 Memory 36, 510 Network Interface 17, 234 PhysicalDisk 31, 230 Process 28, 238 Processor 15, 2 System 18' ] || fail "objects"
holds "counters without name or time base" "$db" 0 "SELECT count(*) FROM perflib_counter WHERE name IS NULL OR time_base IS NULL"
# 19:40 UTC; the calendar in the block is of the machine's zone.
[ "$(sql "$db" "SELECT strftime('%Y-%m-%dT%H:%M:%S', (first_ns + wall_offset_ns) / 1000000000, 'unixepoch'), (SELECT system_time FROM perflib_snapshot LIMIT 1) FROM trace")" = \
	'2007-08-14T19:40:38|2007-08-14T15:40:38.659' ] || fail "time"

# The same numbers as another reader: N and its base, of both samples.
cat >"$work/pal.sql" <<END
.mode tabs
.import $corpus/pal_samplelog_v1.tsv pal
CREATE TEMP TABLE number AS
SELECT s.title AS object, coalesce(i.name, '') AS instance, i.ordinal + 1 AS occ, c.title AS counter, c.type, p.perf_time,
	CASE WHEN r.value IS NULL THEN '9223372036854775808' ELSE printf('%u', r.value) END AS n,
	(SELECT printf('%u', b.value) FROM perflib_raw AS b WHERE b.trace_id = r.trace_id AND b.snapshot = r.snapshot AND b.instance = r.instance AND b.counter = c.base_counter) AS b
FROM perflib_raw AS r JOIN perflib_instance AS i USING (trace_id, instance) JOIN perflib_snapshot AS p USING (trace_id, snapshot)
	JOIN perflib_counterset AS s ON s.counterset = i.counterset JOIN perflib_counter AS c ON c.counterset = i.counterset AND c.counter = r.counter;
CREATE INDEX temp.number_by ON number (object, instance, occ, counter, perf_time);
SELECT count(*), sum(EXISTS (SELECT 1 FROM number AS x WHERE x.object = pal.object AND x.instance = pal.instance AND x.occ = pal.occ + 0 AND x.counter = pal.counter
		AND printf('0x%x', x.type) = lower(type_hex) AND x.perf_time = perftime0 + 0 AND x.n = pal.N0 AND coalesce(x.b, '') = pal.B0)),
	sum(EXISTS (SELECT 1 FROM number AS x WHERE x.object = pal.object AND x.instance = pal.instance AND x.occ = pal.occ + 0 AND x.counter = pal.counter
		AND printf('0x%x', x.type) = lower(type_hex) AND x.perf_time = perftime1 + 0 AND x.n = pal.N1 AND coalesce(x.b, '') = pal.B1)) FROM pal;
END
sqlite3 -batch "$db" <"$work/pal.sql" >"$work/got" 2>"$work/err" || fail "pal: $(head -1 "$work/err")"
printf '3267\t3267\t3267\n' >"$work/wanted"
same "the numbers of PAL" "$work/wanted" "$work/got"

# Values by the calculator, of each counter of each instance in each interval.
cat >"$work/values.sql" <<END
.load $shared/perftab
CREATE TEMP TABLE point AS
SELECT s.name AS object, i.instance, coalesce(i.name, '') AS name, c.name AS counter, c.type, r.snapshot, r.value AS n, r.bytes, p.perf_time AS t, p.perf_freq AS f,
	p.perf_time_100ns AS h, k.object_time AS o, k.object_freq AS of,
	(SELECT b.value FROM perflib_raw AS b WHERE b.trace_id = r.trace_id AND b.snapshot = r.snapshot AND b.instance = r.instance AND b.counter = c.base_counter) AS b,
	row_number() OVER (PARTITION BY r.instance, r.counter ORDER BY r.snapshot) AS k
FROM perflib_raw AS r JOIN perflib_instance AS i USING (trace_id, instance) JOIN perflib_snapshot AS p USING (trace_id, snapshot) JOIN perflib_block AS k USING (trace_id, snapshot)
	JOIN perflib_counterset AS s ON s.counterset = i.counterset JOIN perflib_counter AS c ON c.counterset = i.counterset AND c.counter = r.counter
WHERE c.type & 0x70c00 <> 0x30400;
CREATE INDEX temp.point_by ON point (instance, counter, k);
CREATE TEMP TABLE value AS
SELECT y.object, y.name, y.counter, y.k, y.n, y.b, y.h, y.o, y.of, perf_counter_value(y.type, x.n, y.n, CASE perf_counter_over(y.type) WHEN 'ticks' THEN x.t WHEN '100ns' THEN x.h WHEN 'base' THEN x.b END,
	CASE perf_counter_over(y.type) WHEN 'ticks' THEN y.t WHEN '100ns' THEN y.h WHEN 'base' THEN y.b WHEN 'object' THEN y.o END,
	CASE perf_counter_over(y.type) WHEN 'object' THEN y.of ELSE y.f END, NULL, NULL, y.bytes) AS v
FROM point AS y JOIN point AS x ON x.instance = y.instance AND x.counter = y.counter AND x.k = y.k - 1;
CREATE INDEX temp.value_by ON value (object, name, counter, k);
CREATE TEMP VIEW disk AS SELECT a.object, a.name, a.k, a.v AS transfers,
	(SELECT v FROM value AS x WHERE x.object = a.object AND x.name = a.name AND x.k = a.k AND counter = 'Avg. Disk sec/Transfer') AS seconds,
	(SELECT v FROM value AS x WHERE x.object = a.object AND x.name = a.name AND x.k = a.k AND counter = 'Avg. Disk Queue Length') AS queue,
	(SELECT v FROM value AS x WHERE x.object = a.object AND x.name = a.name AND x.k = a.k AND counter = 'Avg. Disk Read Queue Length') AS reads,
	(SELECT v FROM value AS x WHERE x.object = a.object AND x.name = a.name AND x.k = a.k AND counter = 'Avg. Disk Write Queue Length') AS writes,
	(SELECT v FROM value AS x WHERE x.object = a.object AND x.name = a.name AND x.k = a.k AND counter = '% Disk Time') AS busy,
	(SELECT v FROM value AS x WHERE x.object = a.object AND x.name = a.name AND x.k = a.k AND counter = '% Disk Read Time') AS read_busy,
	(SELECT v FROM value AS x WHERE x.object = a.object AND x.name = a.name AND x.k = a.k AND counter = '% Disk Write Time') AS write_busy
	FROM value AS a WHERE a.counter = 'Disk Transfers/sec';
CREATE TEMP VIEW cpu AS SELECT k, v AS busy,
	(SELECT avg(v) FROM value AS x WHERE x.object = 'Processor' AND x.name <> '_Total' AND x.k = a.k AND counter = '% Processor Time') AS mean,
	(SELECT v FROM value AS x WHERE x.object = 'Processor' AND x.name = '_Total' AND x.k = a.k AND counter = '% User Time') AS user,
	(SELECT v FROM value AS x WHERE x.object = 'Processor' AND x.name = '_Total' AND x.k = a.k AND counter = '% Privileged Time') AS privileged
	FROM value AS a WHERE object = 'Processor' AND name = '_Total' AND counter = '% Processor Time';
SELECT 'queue', count(*), max(abs(queue - reads - writes)) <= 4.4e-16 FROM disk;
-- _Total of logical disks is the mean of two for the time, their sum for the queue.
SELECT 'busy', count(*), max(abs(busy - read_busy - write_busy)) < 1e-3,
	max(abs(busy * CASE WHEN object = 'LogicalDisk' AND name = '_Total' THEN 2 ELSE 1 END - 100 * queue)) < 1.1e-3 FROM disk;
SELECT 'little', count(*), max(abs(transfers * seconds / queue - 1)) <= 1.8e-4 FROM disk WHERE object = 'PhysicalDisk' AND name = '_Total';
SELECT 'mean', count(*), max(abs(busy - mean)) <= 5e-6 FROM cpu;
-- To a tick of the clock, 15.625 ms, in an interval of 60 s.
SELECT 'parts', count(*), max(abs(busy - user - privileged)) < 0.0261, sum(abs(busy - user - privileged) < 1.2e-4) FROM cpu;
SELECT 'space', count(*), sum(a.n + b.n = t.n AND a.b + b.b = t.b) FROM value AS a JOIN value AS b USING (object, counter, k) JOIN value AS t USING (object, counter, k)
	WHERE counter = '% Free Space' AND a.name = 'C:' AND b.name = 'HarddiskVolume1' AND t.name = '_Total';
-- Up before the first process was, and no longer than the machine.
SELECT 'elapsed', count(*), max(abs(v - (o - n) / (of + 0.0))) < 1e-6 FROM value WHERE object = 'Process' AND name = 'System' AND counter = 'Elapsed Time';
SELECT 'fourth', round(perf_counter_value(type, NULL, n, NULL, o, of), 3) FROM point WHERE object = 'Process' AND name = 'System' AND counter = 'Elapsed Time' AND k = 4;
END
sqlite3 -batch "$db" <"$work/values.sql" >"$work/got" 2>"$work/err" || fail "values: $(head -1 "$work/err")"
cat >"$work/wanted" <<'END'
queue|50|1
busy|50|1|1
little|10|1
mean|10|1
parts|10|1|5
space|10|10
elapsed|10|1
fourth|2181.898
END
same "identities" "$work/wanted" "$work/got"

# Cut at each quarter of a buffer: what was read before stays, with a finding.
for bytes in 65536 150000 180000 250000 400000; do
	head -c "$bytes" "$corpus/SampleLog.blg" >"$work/cut.blg"
	perftab-convert -f "$work/cut.blg" -o "$work/cut.db" 2>"$work/err"
	[ $? -eq 3 ] || [ "$bytes" -eq 65536 ] || fail "cut at $bytes: $(head -1 "$work/err")"
done
holds "cut" "$work/cut.db" 1 "SELECT count(*) > 50 FROM perflib_snapshot"
finish
