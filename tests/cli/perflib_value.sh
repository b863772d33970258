#!/bin/bash
# perflib_value.sh: values that are known beforehand, from perftab-analyze and from the view
# perflib_value; and that both, and both roads, give the same for whatever is read.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # samples.sh, unit_plb

# agree TRACE NAME: the view gives the values of --csv, bit for bit; so does the database
agree() { printf '%s\t%s\n' "$1" "$2" | agree_each; }

# agree_each: the same for each line "TRACE<tab>NAME"
agree_each() {
	local each=$work/agree trace name form
	rm -rf "$each"
	mkdir -p "$each"/{converted,trace,db}
	cat >"$each/list"
	while IFS=$'\t' read -r trace name; do
		[ -e "$work/$name.db" ] || printf '%s\tperftab-convert\t%s\t-o\t%s\n' "$name" "$trace" "$work/$name.db"
	done <"$each/list" | run_lines "$each/converted"
	while IFS=$'\t' read -r trace name; do
		for form in '' --csv --json; do
			case $name:$form in bad-*:|bad-*:--json) continue ;; esac
			printf '%s\tperftab-analyze%s\t%s\n' "trace/$name$form" "${form:+$'\t'$form}" "$trace" "db/$name$form" "${form:+$'\t'$form}" "$work/$name.db"
		done
	done <"$each/list" | run_lines "$each"
	diff -rq -x '*.err' "$each/trace" "$each/db" >"$each/differ" || fail "trace and database differ: $(head -3 "$each/differ")"
	while IFS=$'\t' read -r trace name; do printf '%s\t%s\n' "$each/trace/$name--csv.out" "$name"; done <"$each/list" >"$each/views"
	views_agree <"$each/views"
}

# views_agree: of each line "FILE<tab>NAME" the view in NAME.db has the lines of FILE, a report as CSV
views_agree() {
	local csv name values
	while IFS=$'\t' read -r csv name; do
		# An empty cell is NULL, or an empty name.
		cat <<-END
			.open $work/$name.db
			ATTACH ':memory:' AS m;
			.import --csv --schema m $csv csv
			CREATE TABLE m.a AS SELECT nullif(snapshot_from, '') + 0 AS n0, snapshot_to + 0 AS n1, nullif(ts_ns, '') + 0 AS ts,
				nullif(interval_ns, '') + 0 AS ns, instance, nullif(instance_id, '') + 0 AS id, ordinal + 0 AS o, incarnation + 0 AS incarnation,
				counter_id + 0 AS c, CAST(nullif(value, '') AS REAL) AS value, unit, status, base_source AS b, time_source AS t FROM m.csv;
			CREATE TABLE m.b AS SELECT from_snapshot, to_snapshot, to_ts_ns, to_ts_ns - from_ts_ns, coalesce(instance_name, ''), number, ordinal,
				instance, counter, value, coalesce(unit, ''), status, coalesce(base_source, ''), coalesce(time_source, '') FROM perflib_value;
			SELECT '$name', (SELECT count(*) FROM (SELECT * FROM m.a EXCEPT SELECT * FROM m.b)),
				(SELECT count(*) FROM (SELECT * FROM m.b EXCEPT SELECT * FROM m.a)), a - b, a
				FROM (SELECT count(*) AS a FROM m.a), (SELECT count(*) AS b FROM m.b);
		END
	done | sqlite3 -batch >"$work/got" 2>"$work/said" && [ ! -s "$work/said" ] && [ -s "$work/got" ] || fail "the view: $(head -3 "$work/said")"
	while IFS='|' read -r name _ _ _ values; do lines=$((${lines:-0} + values)); done <"$work/got"
	awk -F'|' '$2 != 0 || $3 != 0 || $4 != 0' "$work/got" >"$work/differ"
	[ ! -s "$work/differ" ] || fail "the view and --csv differ (name, only of each, lines more, lines): $(head -5 "$work/differ")"
}

# made NAME: a bundle from the script on stdin, without a finding unless FINDINGS says which
made() {
	plb_script >"$work/$1.plb" || fail "plb_script $1"
	perftab-convert "$work/$1.plb" -o "$work/$1.db" 2>"$work/err"
	holds "$1" "$work/$1.db" "${FINDINGS:-}" 'SELECT group_concat(kind) FROM finding'
	agree "$work/$1.plb" "$1"
}

# values NAME OPTIONS...: against stdin: instance, counter, and of each snapshot value, status, sources
values() {
	cat >"$work/wanted"
	perftab-analyze --csv "${@:2}" "$work/$1.plb" 2>"$work/err" | awk -F, '
		NR > 1 { key = $6 ($6 == "" ? "" : " ") $10; $0 = $2 ": " $12 " " $14 " " $15 " " $16; gsub(/ +/, " "); sub(/ $/, ""); if (!(key in line)) order[++n] = key; line[key] = line[key] " | " $0 }
		END { for (i = 1; i <= n; i++) print order[i] line[order[i]] }' >"$work/got"
	same "$*" "$work/wanted" "$work/got"
}

# --- whatever the generator makes, broken or not ---

make_plb "$work" || fail "make_plb"
for truth in "$work"/*.findings; do
	name=${truth##*/} name=${name%.findings}
	trace=$work/$name.plb
	[ -e "$trace" ] || trace=$work/$name.blob
	printf '%s\t%s\n' "$trace" "$name"
done >"$work/made"
agree_each <"$work/made"
[ "$lines" -gt 2000 ] || fail "only $lines values were compared"

# --- an unregistered counter, asked for alone ---

FINDINGS=
made alone <<'END'
set 1 0 Set
ask 1 7; query
snapshot 1000000000 134397325643640000 10000000; block 1; value 8 5
snapshot 1010000000 134397325653640000 10000000; block 1; value 8 6
END
values alone <<'END'
#7 | 1: unknown_type | 2: unknown_type
END

# --- every kind of formula ---

FINDINGS=perflib_v24
made formulas <<'END'
set 160 2 Disk
counter 160 1 0x10410500 - - - - rate
counter 160 2 0x30020400 3 - - - wait
counter 160 3 0x40030402 - - - - waits
counter 160 4 0x40020500 - - - - size
counter 160 5 0x40030402 - - - - sizes
counter 160 6 0x10410400 - - - - short
counter 160 7 0x30240500 - 8 9 - age
counter 160 8 0x00010100 - - - - clock
counter 160 9 0x00010100 - - - - hertz
counter 160 10 0x30240500 - - - - started
counter 160 11 0x23510500 - - - 12 multi
counter 160 12 0x00010000 - - - - number
counter 160 13 0x21510500 - - - - inverse
counter 160 14 0x20670500 - 8 9 - precise
counter 160 15 0x00010100 - - - - raw
counter 160 16 0x20020400 17 - - - full
counter 160 17 0x40030403 - - - - all
counter 160 18 0x20610500 - - - - untimed
counter 160 19 0x00012000 - - - - unknown
register 160
ask 160 -; query
snapshot 1000000000 134397325643640000 10000000; block 6 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
instance 1 a; value 8 100 0; value 4 0; value 8 0; value 4 0 4294967290; value 8 5 25 10 134397325613640000 0; value 4 4; value 8 0 0 9223372036854775808; value 4 1 4; value 8 0 0
snapshot 1020000000 134397325663640000 10000000; block 6 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
instance 1 a; value 8 300 40000000; value 4 8; value 8 4096; value 4 2 5; value 8 5 45 10 134397325613640000 20000000; value 4 4; value 8 5000000 10 18446744073709551615; value 4 3 4; value 8 1 1
snapshot 1040000000 134397325683640000 10000000; block 6 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
instance 1 a; value 8 50 40000000; value 4 8; value 8 8192; value 4 1 4; value 8 0 65 0 5 100000000; value 4 0; value 8 25200000 5 7; value 4 3 0; value 8 2 2
END
values formulas <<'END'
a rate | 1: single_sample stamp | 2: 100 ok stamp | 3: negative stamp
a wait | 1: single_sample registered | 2: 0.5 ok registered | 3: zero_base registered
a waits | 1: partner | 2: partner | 3: partner
a size | 1: single_sample next-id | 2: 2048 ok next-id | 3: negative_base next-id
a sizes | 1: partner | 2: partner | 3: partner
a short | 1: single_sample stamp | 2: 5.5 wrapped stamp | 3: negative stamp
a age | 1: 2 ok counter | 2: 4 ok counter | 3: frequency counter
a clock | 1: 25 ok | 2: 45 ok | 3: 65 ok
a hertz | 1: 10 ok | 2: 10 ok | 3: 0 ok
a started | 1: 3 ok header | 2: 5 ok header | 3: no_time
a multi | 1: single_sample registered stamp | 2: 75 ok registered stamp | 3: zero_base registered stamp
a number | 1: 4 ok | 2: 4 ok | 3: 0 ok
a inverse | 1: single_sample stamp | 2: 75 ok stamp | 3: -1 ok stamp
a precise | 1: single_sample counter | 2: 50 ok counter | 3: negative counter
a raw | 1: 9223372036854775808 ok | 2: 18446744073709551616 ok | 3: 7 ok
a full | 1: 25 ok registered | 2: 75 ok registered | 3: zero_base registered
a all | 1: partner | 2: partner | 3: partner
a untimed | 1: single_sample | 2: no_time | 3: no_time
a unknown | 1: unknown_type | 2: unknown_type | 3: unknown_type
END
# Variants of multi-timers; an inverse timer below 0 is shown as 0, but in text alone.
values formulas --counter multi --multi-timer=pcq --from 101000000000 --to 103000000000 <<'END'
a multi | 2: 300 ok registered stamp
END
values formulas --counter MULT? --multi-timer=share --to 103000000000 <<'END'
a multi | 1: single_sample registered stamp | 2: 75 ok registered stamp
END
perftab-analyze "$work/formulas.plb" >"$work/got"
grep -qE '^a +inverse +37 +0 +75 +0 +% +2$' "$work/got" || fail "text: $(grep inverse "$work/got")"
grep -q '^2 zero_base: ' "$work/got" || grep -q '^3 zero_base: ' "$work/got" || fail "text: statuses"
grep -q 'partner' "$work/got" && fail "text: bases are of no use alone"
sqlite3 -batch "$work/formulas.db" "SELECT DISTINCT variant, counter_name, unit FROM perflib_value WHERE variant IS NOT NULL" | reads "variant" 'share|multi|%'

# The sample is remade byte for byte.
plb_script <"$PERFTAB_SOURCE/tests/generate/perflib/disk.script" >"$work/disk.plb"
same "good-disk.plb" "$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb" "$work/disk.plb"
agree "$work/disk.plb" disk

# --- who is who ---

FINDINGS=perflib_v20
made incarnations <<'END'
set 160 2 Task
counter 160 1 0x00400400 - - - - ticks
register 160
ask 160 -; query
snapshot 1000000000 134397325643640000 10000000; block 6 1
instance 1 x; value 4 10
instance 2 x; value 4 20
instance 3 dup; value 4 100
instance 3 dup; value 4 200
instance 4 away; value 4 1000
snapshot 1010000000 134397325653640000 10000000; block 6 1
instance 2 x; value 4 22
instance 1 x; value 4 11
instance 3 dup; value 4 101
instance 3 dup; value 4 202
snapshot 1020000000 134397325663640000 10000000; block 6 1
instance 1 x; value 4 12
instance 9 x; value 4 5
instance 3 dup; value 4 104
instance 4 away; value 4 1002
snapshot 1030000000 134397325673640000 10000000; block 6 1
instance 4 away; value 4 1007
END
values incarnations <<'END'
x ticks | 1: single_sample | 1: single_sample | 2: 2 ok | 2: 1 ok | 3: 1 ok | 3: single_sample
dup ticks | 1: single_sample | 1: single_sample | 2: 1 ok | 2: 2 ok | 3: 3 ok
away ticks | 1: single_sample | 3: single_sample | 4: 5 ok
END
perftab-analyze --csv "$work/incarnations.plb" | awk -F, '$2 == 2 { print $7, $8, $9 }' | reads "ids, ordinals, incarnations" '2 0 2' '1 0 1' '3 0 3' '3 1 4'
values incarnations --instance 'A*' <<'END'
away ticks | 1: single_sample | 3: single_sample | 4: 5 ok
END

# --- partners in other blocks, ids that are repeated or move, values that are none ---

FINDINGS=
made apart <<'END'
set 160 2 Disk
counter 160 1 0x40020500 2 - - - size
counter 160 2 0x40030402 - - - - sizes
counter 160 3 0x20610500 - 4 5 - busy
counter 160 4 0x00010100 - - - - clock
counter 160 5 0x00010100 - - - - hertz
register 160
ask 160 2; ask 160 1; ask 160 3; ask 160 4; query
snapshot 1000000000 134397325643640000 10000000; block 4
instance 1 a; value 4 1
instance 2 b; value 4 1
block 4
instance 1 a; value 8 1000
instance 2 b; value 8 2000
block 4
instance 1 a; value 8 10
block 4
instance 1 a; value 8 100
snapshot 1010000000 134397325653640000 10000000; block 4
instance 1 a; value 4 3
block 4
instance 1 a; value 8 5000
instance 2 b; value 8 9000
block 4
instance 1 a; value 8 11
block 4
instance 1 a; value 8 110
END
values apart <<'END'
a sizes | 1: partner | 2: partner
b sizes | 1: partner
a size | 1: single_sample registered | 2: 2000 ok registered
b size | 1: single_sample registered | 2: no_base registered
a busy | 1: single_sample counter | 2: 10 ok counter
a clock | 1: 100 ok | 2: 110 ok
END
values apart --counter size --instance a <<'END'
a size | 1: single_sample registered | 2: 2000 ok registered
END

FINDINGS=perflib_v15,perflib_v23,perflib_v26
made moved <<'END'
set 160 2 Disk
counter 160 1 0x00400500 - - - - one
counter 160 2 0x00400500 - - - - two
register 160
ask 160 -; query
snapshot 1000000000 134397325643640000 10000000; block 6 1 2
instance 1 a; value 8 1 100
snapshot 1010000000 134397325653640000 10000000; block 6 2 1
instance 1 a; value 8 102 3
snapshot 1020000000 134397325663640000 10000000; block 6 1 1
instance 1 a; value 8 7 8
snapshot 1030000000 134397325673640000 10000000; block 6 1 2
instance 1 a; value 8 9; value 16 110
snapshot 1040000000 134397325683640000 10000000; block 6 1 2
instance 1 a; value 8 10 120
END
values moved <<'END'
a one | 1: single_sample | 2: 2 ok | 3: 5 ok | 4: 1 ok | 5: 1 ok
a two | 1: single_sample | 2: 2 ok | 4: missing | 5: single_sample
END

# --- what V1 and PDH have beside the values; nothing writes it yet but SQL ---

# from_sql NAME FROM SQL: a copy of the database of FROM, changed
from_sql() {
	cp "$work/$2.db" "$work/$1.db" && sqlite3 -batch "$work/$1.db" "$3" || fail "$1: $3"
	perftab-analyze --csv "$work/$1.db" >"$work/$1.csv"
	views_agree <<<"$work/$1.csv"$'\t'"$1"
	awk -F, -v OFS=' ' 'NR > 1 { print $2, $10, $12, $14, $15, $16 }' "$work/$1.csv" |
		sed -E 's/ +/ /g; s/ $//' >"$work/got"
}

from_sql object formulas "UPDATE perflib_block SET object_time = 1000 + 100 * snapshot, object_freq = 50"
grep -E '^2 (age|precise|untimed|started) ' "$work/got" >"$work/got2"
cat >"$work/wanted" <<'END'
2 age 23.9 ok object
2 started future_start object
2 precise 10 ok object
2 untimed 1 ok object
END
same "V1: the object's own time" "$work/wanted" "$work/got2"
from_sql second formulas "UPDATE perflib_raw SET second = 1000 * snapshot, multi = CASE counter WHEN 11 THEN 2 END; UPDATE perflib_counter SET time_base = 100"
grep -E '^2 (rate|wait|size|multi|inverse|age|full|number) ' "$work/got" >"$work/got2"
cat >"$work/wanted" <<'END'
2 rate 20 ok second
2 wait 400 ok second
2 size 4.096 ok second
2 age 19.95 ok second
2 multi -999900 ok second second
2 number 4 ok
2 inverse -499900 ok second
2 full 0.15 ok second
END
same "PDH: what is beside the value" "$work/wanted" "$work/got2"

# A database may be of any origin: rows in any order, of nothing, or with invalid numbers.
while read -r change; do
	cp "$work/incarnations.db" "$work/strange.db" && sqlite3 -batch "$work/strange.db" "$change" || fail "$change"
	for form in '' --csv --json; do
		perftab-analyze $form "$work/strange.db" >"$work/out" 2>"$work/err"
		code=$?
		[ $code -eq 0 ] || [ $code -eq 3 ] || fail "$change: $form: exit status $code: $(head -3 "$work/err")"
		[ "$form" != --json ] || ! command -v python3 >/dev/null || python3 -m json.tool <"$work/out" >/dev/null || fail "$change: no JSON"
	done
done <<'END'
CREATE TABLE t AS SELECT * FROM perflib_raw ORDER BY rowid DESC; DELETE FROM perflib_raw; INSERT INTO perflib_raw SELECT * FROM t
UPDATE perflib_raw SET instance = 1
UPDATE perflib_raw SET instance = -instance, counter = -1
UPDATE perflib_raw SET snapshot = 9223372036854775807 - snapshot
UPDATE perflib_raw SET bytes = -1, position = -1
UPDATE perflib_instance SET instance = 1, block = 9223372036854775807
UPDATE perflib_instance SET first_snapshot = 4, name = NULL
UPDATE perflib_instance SET counterset = 77
INSERT INTO perflib_instance SELECT * FROM perflib_instance
INSERT INTO perflib_counter SELECT * FROM perflib_counter
UPDATE perflib_counter SET type = -1, counter = 4294967296
UPDATE perflib_counter SET base_counter = 1, time_counter = -7, type = 0x20670500
UPDATE perflib_snapshot SET snapshot = 1
UPDATE perflib_snapshot SET ts_ns = (-9223372036854775807 - 1) * (snapshot % 2) + 9223372036854775807 * (1 - snapshot % 2), perf_time = -1
UPDATE perflib_block SET object_time = -1, block = -1
DELETE FROM perflib_counterset
DELETE FROM perflib_snapshot
END

# --- registered too late: nothing is lost, and a finding reports it ---

FINDINGS=perflib_v15,perflib_v26,perflib_late
made late <<'END'
set 160 2 Disk
counter 160 1 0x00400500 - - - - one
ask 160 -; query
snapshot 1000000000 134397325643640000 10000000; block 6 1
instance 1 a; value 8 1
register 160
snapshot 1010000000 134397325653640000 10000000; block 6 1 2
instance 1 a; value 8 2 3
register 160
snapshot 1020000000 134397325663640000 10000000; block 6 1 2
instance 1 a; value 8 7 8
END
values late <<'END'
a #1 | 1: unknown_type
a one | 2: single_sample | 3: 5 ok
a #2 | 2: unknown_type | 3: unknown_type
END
sql "$work/late.db" "SELECT counterset, english_name, guid IS NOT NULL FROM perflib_counterset" | reads "late: countersets" '1||1' '2|Disk|1'

# The seeds of the fuzz target have no such registration.
for how in 'truncate 1' 'flip 9' 'words 3'; do
	# shellcheck disable=SC2086
	status 0 "late: $how" "$PERFTAB_BIN/tests/fuzz/damage_perflib" ${how% *} "$work/late.plb" ${how#* }
done

# --- names ---

perftab-analyze --csv --language local --counterset Proc* --counter 'Z?hler' --instance _TOTAL "$work/good.plb" | cut -d, -f5,10 | sort -u | reads "names in the language of the capture" 'Prozessor,Zähler' 'counterset,counter'
FINDINGS=
made names <<END
set 160 2 $(printf 'S\ae\tt')
counter 160 1 0x00010000 - - - - =1+1
register 160
ask 160 -; query
snapshot 1000000000 134397325643640000 10000000; block 6 1
instance 1 $(printf 'x\033[2J'); value 4 1
END
perftab-analyze "$work/names.plb" >"$work/got"
grep -q 'x\\x1b\[2J *=1+1' "$work/got" || fail "a name with control characters: $(cat "$work/got")"
# Namesakes are distinguished by their ids.
perftab-analyze "$PERFTAB_SOURCE/sample-traces/perflib/good-same-name.plb" >"$work/got"
[ "$(grep -cE '^0,0 \([12]\) +% Processor Time ' "$work/got")" -eq 2 ] || fail "namesakes: $(cat "$work/got")"
perftab-analyze "$work/names.plb" | LC_ALL=C grep -q "$(printf '\033')" && fail "an escape on the terminal"
perftab-analyze --csv --csv-safe "$work/names.plb" | grep -q ",'=1+1," || fail "--csv-safe"
perftab-analyze --json "$work/names.plb" | grep -qF 'x\u001b[2J' || fail "JSON: control characters"

status 2 "a wrong variant" perftab-analyze --multi-timer=docs "$work/good.plb"
status 2 "a wrong language" perftab-analyze --language de "$work/good.plb"

# --- the database in SQLite alone ---

sqlite3 -batch "$work/good.db" "SELECT count(*) FROM perflib_raw" "VACUUM" "PRAGMA integrity_check" "ANALYZE" "REINDEX" 2>&1 | reads "SQLite alone" 33 ok
sqlite3 -batch "$work/good.db" "VACUUM INTO '$work/copy.db'" || fail "VACUUM INTO"
agree "$work/good.plb" copy
# Every view of SQLite alone.
sqlite3 -batch "$work/good.db" "SELECT name FROM sqlite_master WHERE type = 'view'" >"$work/views"
[ "$(grep -c '^perflib_' "$work/views")" -eq 3 ] || fail "views: $(grep '^perflib_' "$work/views")"
while read -r view; do
	sqlite3 -batch "$work/good.db" "SELECT * FROM $view" >/dev/null || fail "SELECT * FROM $view"
done <"$work/views"
# Renaming looks into all views.
sqlite3 -batch "$work/copy.db" "ALTER TABLE mmap RENAME TO map" || fail "ALTER TABLE"

# A partner in another block is found at once, however many instances have the same name.
sqlite3 -batch "$work/incarnations.db" "EXPLAIN QUERY PLAN SELECT * FROM perflib_value" >"$work/got"
[ "$(grep -c 'SEARCH o USING INDEX perflib_instance_by_name (trace_id=? AND counterset=? AND name=? AND ordinal=? AND number=?)' "$work/got")" -ge 2 ] ||
	fail "partners: $(grep 'SEARCH o' "$work/got")"

# A query of one instance or one counter reads no other: no table is read from end to end.
for filter in "instance = 2" "counter_name = 'Counter'" "instance_name = '_Total'" "to_snapshot = 2"; do
	sqlite3 -batch "$work/incarnations.db" "EXPLAIN QUERY PLAN SELECT * FROM perflib_value WHERE $filter" >"$work/got"
	grep -qE 'SCAN (r1|i|s1|p|o)\b|AUTOMATIC.*r1' "$work/got" && fail "$filter: $(grep SCAN "$work/got")"
	grep -qE 'SEARCH r1 USING INDEX perflib_raw_by_instance \(trace_id=\? AND instance=\? AND counter=\?' "$work/got" || fail "$filter: $(cat "$work/got")"
done
finish
