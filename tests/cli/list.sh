#!/bin/bash
# list.sh: perftab-convert --list says what a conversion finds, for users and for programs.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/perf
sample=$samples/good-switch-group.data
cd "$work" || exit 1

# json WHAT: $work/out is one JSON document of a known version
json() {
	holds "$1: not valid JSON" :memory: 1 "SELECT json_valid(readfile('$work/out'))"
	[ "$(member '$.schema_version')" = 1 ] || fail "$1: no schema_version"
}

# member PATH: of the document in $work/out
member() { sql :memory: "SELECT json_extract(readfile('$work/out'), '$1')"; }

# rows ARRAY COLUMNS: members of each element of inputs[0].ARRAY, ordered
rows() {
	sql :memory: "SELECT $2 FROM json_each(readfile('$work/out'), '\$.inputs[0].$1') ORDER BY key"
}

# terminal WHAT: $work/out is fit for a terminal
terminal() {
	awk 'length($0) > 100 { exit 1 }' "$work/out" || fail "$1: wider than 100 columns"
	grep -q ' $' "$work/out" && fail "$1: lines end in spaces"
	tr -d '\n' <"$work/out" | grep -q '[[:cntrl:]]' && fail "$1: control characters"
}

# The list and the database of a conversion say the same.
for trace in "$samples"/*.data; do
	name=${trace##*/} name=${name%.data}
	perftab-convert "$trace" -o "$name.db" 2>convert.err
	code=$?
	status $code "$name" perftab-convert --list "$trace"
	[ ! -s "$work/err" ] || fail "$name: talks on stderr: $(cat "$work/err")"
	terminal "$name"
	[ "$(head -1 "$work/out")" = "$trace" ] || fail "$name: does not begin with the path"
	sql "$name.db" "SELECT printf('%s %,d', record, records) FROM record_count
		UNION ALL SELECT printf('total %,d', sum(records)) FROM record_count" >wanted
	sed -n '/^Records:/,/^$/p' "$work/out" | sed '1d; /^-*$/d; s/  */ /' >got
	same "$name: counts of records" wanted got
	status $code "$name: json" perftab-convert --list --json "$trace"
	json "$name"
	[ "$(member '$.inputs[0].path')" = "$trace" ] || fail "$name: path"
	[ "$(member '$.inputs[0].bytes')" = "$(wc -c <"$trace")" ] || fail "$name: bytes"
	while IFS='|' read -r array members table columns; do
		rows "$array" "$members" >got
		sql "$name.db" "SELECT $columns FROM $table ORDER BY rowid" >wanted
		same "$name: $array" wanted got
	done <<-'ARRAYS'
		events|value->>'name', value->>'type', value->>'config', value->>'period', value->>'unit', value->>'group' + 1|counter|name, type, config, period, unit, group_id
		groups|value->>'leader', value->>'counters', value->>'scope'|counter_group|leader, counters, scope
		records|value->>'type', value->>'name', value->>'count'|record_count|type, record, records
		features|value->>'name', value->>'bytes', value->>'status'|header_feature|name, bytes, status
		facts|value->>'key', value->>'value'|header_fact|key, value
		findings|value->>'severity', value->>'kind', value->>'count', value->>'first_offset'|finding|severity, kind, count, first_offset
	ARRAYS
done

# Several inputs: a block, or an object, of each; one that is missing hides no other.
status 0 "two inputs" perftab-convert -l "$sample" "$samples/good-times.data"
[ "$(grep -c '^status    complete' "$work/out")" -eq 2 ] || fail "two inputs: not two blocks"
reports 1 "a missing input" "missing.data: cannot open" perftab-convert -l "$sample" missing.data "$samples/good-times.data"
[ "$(grep -c '^status    complete' "$work/out")" -eq 2 ] || fail "a missing input: the others are not listed"
status 1 "a missing input, json" perftab-convert -lj missing.data "$sample"
json "a missing input, json"
[ "$(member '$.inputs[0].path')|$(member '$.inputs[1]')" = "$sample|" ] || fail "a missing input, json: inputs"
status 1 "nothing but a missing input" perftab-convert -lj missing.data
json "nothing but a missing input"
reports 1 "a database" "is a perftab database already" perftab-convert -l good-times.db

# Damage is listed, not reported a second time, and shows in the exit status.
bytes=$(wc -c <"$sample")
head -c $((bytes / 2)) "$sample" >cut.data
status 3 "cut off" perftab-convert --list cut.data
[ ! -s "$work/err" ] || fail "cut off: talks on stderr"
terminal "cut off"
grep -q '^status    partial' "$work/out" || fail "cut off: status"
[ "$(sed -n '/^Findings:/{n;p}' "$work/out" | cut -d: -f1)" = damage ] || fail "cut off: damage is not the first finding"
grep -qE ', bytes 0x[0-9a-f]+ to 0x[0-9a-f]+\)$' "$work/out" || fail "cut off: no range of bytes"
status 1 "cut off, --strict" perftab-convert --list --strict cut.data
status 3 "cut off, and a good one" perftab-convert --list cut.data "$sample"
status 3 "cut off, json" perftab-convert --list --json cut.data
json "cut off, json"
[ "$(member '$.inputs[0].status')" = partial ] || fail "cut off, json: status"
holds "cut off, json: no range of bytes" :memory: 1 "SELECT count(*) > 0 FROM json_each(readfile('$work/out'), '\$.inputs[0].findings')
	WHERE value->>'severity' = 'damage' AND value->>'end_offset' > value->>'first_offset'"

# Names from a trace, and of files.
make_trace names "$work" || fail "make_trace names"
nasty=$'a "b"\\\e[31m\xff.data'
! under_wine || nasty='a b.data'
sed 's|sched:sched_switch|s\x1b[1m"\\:\x07\xff_switchx|g' names.data >"$nasty" # as long as before
status 0 "odd names" perftab-convert --list names.data
terminal "odd names"
perftab-convert --list "$nasty" >"$work/out" 2>/dev/null
terminal "hostile names"
grep -qF '\x1b[1m"\' "$work/out" || fail "hostile names: not in the list"
perftab-convert --list --json "$nasty" >"$work/out" 2>/dev/null
json "hostile names"
grep -qF '\u001b[1m\"\\:\u0007' "$work/out" || fail "hostile names: not in the document"
tr -d '\n' <"$work/out" | grep -q '[[:cntrl:]]' && fail "hostile names: control characters in JSON"

# Standard input, and outputs that fail.
status 0 "standard input" perftab-convert --list - <"$sample"
[ "$(head -1 "$work/out")" = - ] || fail "standard input: path"
if [ -w /dev/full ]; then
	perftab-convert --list "$sample" >/dev/full 2>"$work/err"
	[ $? -eq 1 ] || fail "a full disk: exit status"
	says "a full disk" "cannot write to standard output"
fi

mistakes perftab-convert <<END
--json $sample|--json goes with --list
--list $sample -o out.db|--list converts nothing: no -o
--list --to csv $sample|--list converts nothing: no --to
--list|no input given
END
# What is in traces of Windows: kinds of events with the names of their providers, countersets
# with their counters and instances.
samples=$PERFTAB_SOURCE/sample-traces
status 0 "list an .etl" perftab-convert --list "$samples/etw/good-basic.etl"
grep -qE '^Thread/CSwitch +60 +3,360 +context_switch$' "$work/out" || fail "an .etl: no Thread/CSwitch: $(cat "$work/out")"
perftab-convert "$samples/etw/good-basic.etl" -o "$work/basic.db"
status 0 "list an .etl, JSON" perftab-convert --list --json "$samples/etw/good-basic.etl"
holds "an .etl, JSON: other numbers than the table" :memory: "$(sql "$work/basic.db" 'SELECT sum(events) FROM etw_event_count')" "SELECT sum(value ->> 'events') FROM json_each(readfile('$work/out'), '\$.inputs[0].event_counts')"
for trace in "$samples"/etw/*.etl "$samples"/etw/*.txt "$samples"/perflib/*.plb "$samples"/perflib/*.blob; do
	perftab-convert --list "$trace" >"$work/out" 2>/dev/null
	terminal "${trace##*/}"
done
status 0 "list a text of xperf" perftab-convert --list "$samples/etw/good-dump.txt"
grep -q '^Kinds of events: ' "$work/out" || fail "a text of xperf: no kinds of events"
status 0 "list a bundle" perftab-convert --list "$samples/perflib/good-disk.plb"
for line in 'Countersets: 1, in 4 snapshots' Disk '  7 counters: Transfers/sec,' '  2 instances: C:, D:'; do
	grep -qF "$line" "$work/out" || fail "a bundle: no '$line'"
done
awk 'length($0) > 100 { exit 1 }' "$work/out" || fail "a bundle: wider than 100 columns"
status 0 "list a bundle, JSON" perftab-convert --list --json "$samples/perflib/good-disk.plb"
holds "a bundle, JSON: $(head -c 300 "$work/out")" :memory: "7 Disk" "SELECT json_array_length(readfile('$work/out'), '\$.inputs[0].counters') || ' ' || json_extract(readfile('$work/out'), '\$.inputs[0].countersets[0].english_name')"
if [ -n "${PERFTAB_CORPUS:-}" ]; then
	status 0 "list a .blg" perftab-convert --list "$PERFTAB_CORPUS/perflib/SampleLog.blg"
	grep -qE '^Performance log \(PDH\)/opcode 34 +33 +261,408 +perflib_snapshot' "$work/out" || fail "a .blg: provider: $(sed -n '/^Kinds/,/^$/p' "$work/out")"
	grep -q '^began     2007-08-14 19:40:38 UTC$' "$work/out" || fail "a .blg: time range"
	for line in 'form      blg raw, little-endian' 'time      599.890 s, from ' 'kernel    Windows 6.0.6000' 'Countersets: 8, in 88 snapshots' LogicalDisk '  34 counters: % Free Space, ' '  3 instances: HarddiskVolume1, C:, _Total'; do
		grep -qF "$line" "$work/out" || fail "a .blg: no '$line'"
	done
	terminal "a .blg"
	perftab-convert "$PERFTAB_CORPUS/perflib/SampleLog.blg" -o "$work/log.db" 2>/dev/null
	status 0 "list a .blg, JSON" perftab-convert --list --json "$PERFTAB_CORPUS/perflib/SampleLog.blg"
	json "a .blg, JSON"
	holds "a .blg, JSON: not the counters of the table" :memory: "$(sql "$work/log.db" 'SELECT count(*) FROM perflib_counter')" "SELECT json_array_length(readfile('$work/out'), '\$.inputs[0].counters')"
	holds "a .blg, JSON: not the countersets of the table" :memory: "$(sql "$work/log.db" 'SELECT count(*) FROM perflib_counterset')" "SELECT json_array_length(readfile('$work/out'), '\$.inputs[0].countersets')"
	status 0 "list a provider" perftab-convert --list "$PERFTAB_CORPUS/etw/KernelNetwork.etl"
	grep -q '^Microsoft-Windows-Kernel-Network/' "$work/out" || fail "a provider: no name: $(sed -n '/^Kinds/,$p' "$work/out" | head -5)"
fi
finish
