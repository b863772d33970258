#!/bin/bash
# perflib_rules.sh: for each rule V1 to V29, a bundle that breaks it gives exactly its finding
# at its place, and all values before and after the damage; what is good gives none.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

make_plb "$work" || fail "make_plb"
rules=0
for truth in "$work"/*.findings; do
	name=${truth##*/} name=${name%.findings}
	trace=$work/$name.plb
	[ -e "$trace" ] || trace=$work/$name.blob
	mv "$truth" "$work/$name.planned"
	printf '%s\t%s\n' "$trace" "$name" >>"$work/cases"
	printf '.open %s\nSELECT DISTINCT substr(text, 1, instr(text, '"':'"') - 1) FROM finding;\n' "$work/$name.db" >>"$work/rules.sql"
	rules=$((rules + 1))
done
made_each <"$work/cases"
sqlite3 -batch <"$work/rules.sql" >"$work/rules"
[ "$rules" -eq "$(make_plb --list | wc -l)" ] || fail "$rules cases"
for n in $(seq 29); do
	grep -qx "V$n" "$work/rules" || fail "no case breaks rule V$n"
done

# The seeds of the fuzz target are remade byte for byte.
"$PERFTAB_SOURCE/tests/fuzz/make-seeds-perflib" "$(command -v make_plb)" "$work/seeds" || fail "make-seeds-perflib"
diff -r "$PERFTAB_SOURCE/tests/fuzz/seeds-perflib" "$work/seeds" >&2 || fail "other seeds"

# Names and partners, in both languages; what is registered twice counts once.
sql "$work/good.db" "SELECT s.name, s.english_name, s.guid, s.instance_type, s.counters FROM perflib_counterset AS s ORDER BY counterset" >"$work/got"
cat >"$work/wanted" <<-'END'
	Prozessor|Processor|{a3a2a1a0-a5a4-a7a6-a8a9-aaabacadaeaf}|2|4
	|System|{b3b2b1b0-b5b4-b7b6-b8b9-babbbcbdbebf}|0|2
	||{c3c2c1c0-c5c4-c7c6-c8c9-cacbcccdcecf}||
END
same "countersets" "$work/wanted" "$work/got"
sql "$work/good.db" "SELECT counterset, counter, name, english_name, type, base_counter, default_scale FROM perflib_counter ORDER BY 1, 2" >"$work/got"
cat >"$work/wanted" <<-'END'
	1|1|% Prozessorzeit|% Processor Time|542180608||-2
	1|2|Zähler|Counter|65536||-2
	1|3|Bytes|Bytes|1073874176|4|-2
	1|4||Base|1073939458||-2
	2|10|||65792||-2
	2|11|||65536||-2
END
same "counters" "$work/wanted" "$work/got"
sql "$work/good.db" "SELECT call, block, counterset, counter, instance_name, status FROM perflib_identifier WHERE call = 'info'" >"$work/got"
cat >"$work/wanted" <<-'END'
	info|0|1||*|0
	info|1|2|||0
	info|2|1|2|*|0
	info|3|2|10||0
	info|4|3|||4200
END
same "identifiers" "$work/wanted" "$work/got"
holds "errors of registration" "$work/good.db" 6:1168,1:4200 'SELECT group_concat(request || ":" || code) FROM perflib_answer WHERE code <> 0'
holds "trace" "$work/good.db" 'made-up|complete|bundle' 'SELECT host, status, form FROM trace'

# An instance that was away begins a new incarnation; one that shares a name is another.
sql "$work/good-churn.db" "SELECT name, first_snapshot, max(snapshot), count(DISTINCT snapshot) FROM perflib_instance JOIN perflib_raw USING (trace_id, instance) WHERE block = 0 GROUP BY instance" | reads "churn" '0,0|1|3|3' '_Total|1|1|1' '_Total|3|3|1'
holds "ordinal" "$work/bad-v20.db" 1 "SELECT count(*) FROM perflib_instance WHERE block = 0 AND ordinal = 1"
# What could not be read ends no incarnation.
holds "incarnations ended by damage" "$work/bad-v17.db" 2 "SELECT count(*) FROM perflib_instance WHERE block = 0"

# Padding stays out of the output: it may be memory of another process.
grep -q p "$work/bad-v21-name.values" && fail "padding in values"
tables "$work/good.plb" good
perftab-convert "$work/good.plb" -o "$work/sql.db" --loader sql
for table in raw instance block snapshot counter; do
	sql "$work/good.db" "SELECT * FROM perflib_$table" >"$work/wanted"
	sql "$work/sql.db" "SELECT * FROM perflib_$table" >"$work/got"
	same "loaders: perflib_$table" "$work/wanted" "$work/got"
done
# A pipe is as good as a file.
perftab-convert - -o "$work/pipe.db" <"$work/good.plb"
sql "$work/good.db" "SELECT * FROM perflib_raw" >"$work/wanted"
sql "$work/pipe.db" "SELECT * FROM perflib_raw" >"$work/got"
same "a pipe" "$work/wanted" "$work/got"

# A killed capture: every whole record counts.
size=$(wc -c <"$work/good.plb")
head -c $((size - 32)) "$work/good.plb" >"$work/killed.plb" # without its end record
status 3 "killed" perftab-convert "$work/killed.plb" -o "$work/killed.db"
holds "killed" "$work/killed.db" 'partial|unfinished|3' 'SELECT status, (SELECT group_concat(kind) FROM finding), (SELECT max(snapshot) FROM perflib_raw) FROM trace'
head -c $((size - 100)) "$work/good.plb" >"$work/cut.plb"
status 3 "cut" perftab-convert "$work/cut.plb" -o "$work/cut.db"
holds "cut" "$work/cut.db" 'partial|truncated|2' 'SELECT status, (SELECT group_concat(kind) FROM finding), (SELECT max(snapshot) FROM perflib_raw) FROM trace'

# Names of instances may be those of users: numbers and totals alone stay.
perftab-convert --anonymize "$work/bad-v19-no-end.plb" -o "$work/anonymous.db" 2>/dev/null
holds "anonymous" "$work/anonymous.db" '0,0,_Total,text1' "SELECT group_concat(DISTINCT name) FROM perflib_instance"
finish
