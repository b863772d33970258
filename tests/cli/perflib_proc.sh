#!/bin/bash
# perflib_proc.sh: perftab-capture perflib of saved copies of /proc: values are those of
# sysstat's formulas, bundles convert without a finding, and a replayed bundle is the same.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
"$PERFTAB_SOURCE/tests/generate/perflib/proc-trees" trees || fail "proc-trees"

reports 0 "three copies" "all.plb: 3 snapshots of 7 countersets" perftab-capture perflib --proc trees -o all.plb
status 0 "convert" perftab-convert --strict all.plb -o all.db
holds "findings" all.db 0 'SELECT count(*) FROM finding'
holds "trace" all.db 'complete|made-up|6.1.0-sample|x86_64|Made-up CPU|2' 'SELECT status, host, os_release, arch, cpu_model, cpu_count FROM trace'
holds "minutes west" all.db -60 "SELECT value FROM header_fact WHERE key = 'CLOCK_MINUTES_WEST'"

# Values, against awk on the same files.
for new in 2 3; do
	awk -v old=trees/$((new - 1)) -v new=trees/$new -f "$PERFTAB_SOURCE/tests/cli/perflib_values.awk" >wanted
	[ "$(wc -l <wanted)" -ge 70 ] || fail "snapshot $new: awk knows $(wc -l <wanted) values"
	perflib_values all.db $new | cut -f 2- >got
	near "snapshot $new" wanted got
done
# Every visible counter has a value somewhere.
{ perflib_values all.db 2; perflib_values all.db 3; } | cut -f 1,2 | sort -u >got
sqlite3 -batch -separator $'\t' all.db "SELECT s.english_name, c.english_name FROM perflib_counter c JOIN perflib_counterset s USING (counterset)
	WHERE (c.attributes & 2) = 0" | sort >wanted
comm -23 wanted got >missing
[ ! -s missing ] || fail "never has a value: $(head -3 missing)"
# What wrapped at 32 bits did wrap; without swap there is no share of it.
holds "wrap" all.db 4294960000,116160,166160 "SELECT group_concat(value) FROM (SELECT value FROM perflib_raw r JOIN perflib_instance i USING (instance)
	JOIN perflib_counterset s USING (counterset) WHERE s.name = 'Linux System' AND r.counter = 1 ORDER BY snapshot)"
holds "sizes of values" all.db 8,4 "SELECT group_concat(DISTINCT bytes) FROM perflib_raw"

# Who came and went; names as they are.
sql all.db "SELECT i.name, number, min(snapshot), max(snapshot) FROM perflib_instance i JOIN perflib_counterset s USING (counterset)
	JOIN perflib_raw r USING (instance) WHERE s.name = 'Linux Process' GROUP BY instance ORDER BY 3, 2" >got
cat >wanted <<-'END'
	init|1|1|3
	work) (er S|42|1|3
	short|100|1|1
	größe|200|2|3
	other|100|3|3
END
same "processes" wanted got

# All registration queries are there, with their codes, and who was there at the beginning.
holds "registration" all.db 0,1,2,3,4,5,6,7,8,9,10 "SELECT group_concat(DISTINCT request) FROM (SELECT request FROM perflib_answer WHERE code = 0 ORDER BY request)"
holds "counter structures" all.db "$(sql all.db 'SELECT count(*) FROM perflib_counter')" "SELECT count(*) FROM perflib_answer WHERE request = 2"

# The same once more, replayed: byte for byte.  A copy of one moment is one snapshot.
status 0 "replay" perftab-capture perflib -q --replay all.plb -o again.plb
same "replay" all.plb again.plb
perftab-capture perflib -q --replay - -o pipe.plb <all.plb
same "replay of a pipe" all.plb pipe.plb
status 0 "replay, two of three" perftab-capture perflib -q -n 2 --replay all.plb -o two.plb
perftab-convert two.plb -o two.db || fail "two of three"
holds "two of three" two.db '2|complete' 'SELECT count(*), status FROM perflib_snapshot, trace'
reports 1 "replay of other requests" "cannot add the counters: invalid parameter (error 87)" perftab-capture perflib -q -c 'Linux Disk' --replay all.plb -o other.plb
status 0 "folders one by one" perftab-capture perflib -q --proc trees/1 --proc trees/3 -o apart.plb
perftab-convert apart.plb -o apart.db || fail "folders one by one"
holds "folders one by one" apart.db 20000000000 'SELECT max(ts_ns) - min(ts_ns) FROM perflib_snapshot'

# Without `clock` the time is that of uptime and btime.
rm trees/*/clock
perftab-capture perflib -q --proc trees -o guessed.plb && perftab-convert guessed.plb -o guessed.db || fail "no clock"
holds "no clock" guessed.db '1510000,1520000,1530000|2026-11-21T11:36:50.000' 'SELECT group_concat(ts_ns / 1000000), min(system_time) FROM perflib_snapshot'
# What is missing costs its own blocks alone.
rm trees/2/diskstats trees/3/meminfo
status 0 "missing files" perftab-capture perflib -q --proc trees -o missing.plb
status 0 "missing files" perftab-convert missing.plb -o missing.db
[ "$(sql missing.db "SELECT group_concat(b.snapshot || ' ' || s.name || ' ' || b.status, '; ') FROM perflib_block b JOIN perflib_counterset s USING (counterset) WHERE b.type = 0")" = \
	'2 Linux Disk 2; 3 Linux Memory 2' ] || fail "missing files: $(sql missing.db 'SELECT * FROM perflib_block WHERE type = 0')"
holds "missing files" missing.db '' "SELECT * FROM finding WHERE severity <> 'info'"
reports 1 "no folder" "cannot open nothing: No such file or directory" perftab-capture perflib --proc nothing
mkdir -p empty
reports 1 "not /proc" "empty is not a copy of /proc: no stat" perftab-capture perflib --proc empty -n 1
[ ! -e perflib.plb ] || fail "no folder: a file is made"

# In a copy there may be anything: files that never end or never begin, clocks beyond all
# bounds, interfaces without a name, names with NULs, far too long, of many processes.
"$PERFTAB_SOURCE/tests/generate/perflib/proc-trees" odd
tree=odd/1
rm "$tree/diskstats" "$tree/meminfo"
mkfifo "$tree/diskstats"
ln -s /dev/zero "$tree/meminfo"
printf ' : 1 2 3\n:\n' >>"$tree/net/dev"
mkdir "$tree/7" "$tree/8"
printf '7 (a\0b\nc) S 1 2 3\n' >"$tree/7/stat"
{ printf '8 ('; head -c 100000 /dev/zero | tr '\0' x; printf ') S 1 2 3\n'; } >"$tree/8/stat"
status 0 "an odd copy" timeout 60 perftab-capture perflib -q --proc "$tree" -o odd.plb
status 0 "an odd copy" perftab-convert --strict odd.plb -o odd.db
holds "an odd copy" odd.db '' 'SELECT kind, text FROM finding'
[ "$(sql odd.db "SELECT group_concat(hex(substr(name, 1, 6)) || length(name)) FROM perflib_instance WHERE number IN (7, 8)")" = \
	61EFBFBD620A635,7878787878781023 ] || fail "an odd copy: $(sql odd.db 'SELECT number, name FROM perflib_instance WHERE number IN (7, 8)')"
for clock in 'x 1' 'realtime_ns 18446744073709551615' 'boottime_ns -1' 'user_hz 99999999999999'; do
	printf '%s\n' "$clock" >"$tree/clock"
	printf 'btime %s\n' 9223372036854775807 9223372036854775807 >>"$tree/stat"
	echo 99999999999999999999.99 >"$tree/uptime"
	status 0 "clocks: $clock" perftab-capture perflib -q --proc "$tree" -o clock.plb
	[ ! -s err ] || fail "clocks: $clock: $(head -3 err)"
	status 0 "clocks: $clock" perftab-convert --strict --force clock.plb -o clock.db
done
# More than there can be cost their own blocks.
for ((i = 0; i < 300000; i++)); do echo "cpu$i 1"; done >"$tree/stat"
status 0 "too many CPUs" perftab-capture perflib -q -c 'Linux Processor' -c 'Linux Network' --proc "$tree" -o many.plb
status 0 "too many CPUs" perftab-convert --force many.plb -o many.db
holds "too many CPUs" many.db '0 14,6 0' "SELECT group_concat(type || ' ' || status) FROM perflib_block"

reports 1 "replay of nothing" "nothing.plb: cannot open: No such file or directory" perftab-capture perflib --replay nothing.plb

# Of a bundle with very many records each is found at once.
length=$(od -An -tu4 -j 24 -N 4 all.plb)
length=$((24 + (length + 7) / 8 * 8))
tail -c +17 all.plb | head -c "$length" >fact
for ((i = 0; i < 17; i++)); do cat fact fact >facts && mv facts fact; done
{ head -c 16 all.plb; cat fact; tail -c +17 all.plb; } >facts.plb
status 0 "131073 facts" timeout 60 perftab-capture perflib -q --replay facts.plb -o again.plb
perftab-convert --force again.plb -o again.db
holds "131073 facts" again.db 131073 "SELECT count(*) FROM header_fact WHERE key = 'SOURCE'"

# Killed at any byte: every whole snapshot counts.
size=$(stat -c %s all.plb)
for ((cut = size - 3000; cut < size; cut += 701)); do
	head -c "$cut" all.plb >cut.plb
	status 3 "cut at $cut" perftab-convert --force cut.plb -o cut.db
	holds "cut at $cut" cut.db partial 'SELECT status FROM trace'
	[ "$(sql cut.db 'SELECT count(*) FROM perflib_snapshot')" -ge 2 ] || fail "cut at $cut: $(sql cut.db 'SELECT count(*) FROM perflib_snapshot')"
done
finish
