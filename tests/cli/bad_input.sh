#!/bin/bash
# bad_input.sh: whatever is wrong, one clear sentence, the right exit status and nothing
# half-written.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
watched_starts
sample=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data
cd "$work" || exit 1

# nothing WHAT: neither the output nor a partial one is there
nothing() { ! compgen -G 'out.*' >left || { fail "$1: left over: $(<left)"; rm -rf out.*; }; }

# refused WHAT FILE TEXT: by both programs, with exit status 1
refused() {
	reports 1 "analyze $1" "$3" perftab-analyze "$2"
	[ ! -s "$work/out" ] || fail "analyze $1: printed something"
	perftab-convert "$2" -o out.db >"$work/out" 2>"$work/err"
	[ $? -eq 1 ] || fail "convert $1: exit status"
	says "convert $1" "$3"
	nothing "convert $1"
}

# damaged WHAT FILE TEXT: read as far as possible, exit status 3, or 1 with --strict
damaged() {
	status 3 "analyze $1" perftab-analyze --check "$2"
	grep -qF -- "$3" "$work/err" || fail "analyze $1: expected '$3', got: $(cat "$work/err")"
	grep -q NO "$work/out" && fail "analyze $1: does not balance"
	status 1 "analyze --strict $1" perftab-analyze --strict "$2"
	perftab-convert "$2" -o db.db 2>/dev/null
	[ $? -eq 3 ] || fail "convert $1: exit status"
	holds "convert $1: no sound database" db.db ok 'PRAGMA integrity_check'
	[ "$(sql db.db 'SELECT status FROM trace')" != complete ] || fail "convert $1: trace.status"
	rm -f db.db
}

# poke FILE OFFSET BYTES: bytes as printf escapes
poke() { printf "$3" | dd of="$1" bs=1 seek="$(($2))" conv=notrunc status=none; }

refused "a missing file" missing.data "cannot open: No such file or directory"
mkdir dir.data
refused "a directory" dir.data "is a directory"
: >empty.data
refused "an empty file" empty.data "is empty"
echo "this is not a trace, but it is longer than sixteen bytes" >text.data
refused "another file" text.data "unknown trace format"
gzip -k -c text.data >packed.data.gz
refused "a packed file" packed.data.gz "unknown trace format"
gzip -c packed.data.gz >twice.data.gz
refused "packed twice" twice.data.gz "is packed: unpack it first, with gunzip"
printf '\3757zXZ\0and so on' >packed.data.xz
refused "packed otherwise" packed.data.xz "is packed: unpack it first, with unxz"
printf 'PERFILE2' >short.data
refused "eight bytes" short.data "the file header is cut off"
head -c 60 "$sample" >short.data
refused "half a header" short.data "the file header is cut off"
if [ "$(id -u)" -ne 0 ]; then
	cp "$sample" secret.data && chmod 0 secret.data
	refused "no permission" secret.data "Permission denied"
fi
cp "$sample" bad.data; poke bad.data 16 '\0\0'
damaged "attr_size 0" bad.data "attribute size 0 at 0x10, corrected to 144"
poke bad.data 16 '\377\377\377\377'
damaged "attr_size huge" bad.data "attribute size 4294967295 at 0x10, corrected to 144"
cp "$sample" bad.data; poke bad.data 24 '\377\377\377\177'
damaged "attributes outside" bad.data "outside the file of $(stat -c %s "$sample") bytes; read from EVENT_DESC"
cp "$sample" bad.data; poke bad.data 32 '\0\0\0\0'
damaged "no attributes" bad.data "read from EVENT_DESC instead"
cp "$sample" bad.data; poke bad.data 40 '\377\377\377\377\377\377\377\377'
damaged "data outside" bad.data "does not begin with a record: read from"
cp "$sample" bad.data; poke bad.data 8 '\20\0\0\0\0\0\0\0'
status 3 "a file that claims to be a pipe" perftab-analyze bad.data
cat "$sample" | perftab-analyze --csv - >"$work/out" 2>"$work/err"
[ "${PIPESTATUS[1]}" -eq 0 ] || fail "a pipe: $(cat "$work/err")"
perftab-analyze --csv "$sample" >"$work/wanted"
same "a pipe" "$work/wanted" "$work/out"
status 0 "standard input" bash -c "perftab-analyze - <'$sample'"

# Where records begin: the first after the header's data offset.
data=$(od -An -tu8 -j40 -N8 "$sample" | tr -d ' ')
size=$(od -An -tu8 -j48 -N8 "$sample" | tr -d ' ')
for bytes in '\0\0' '\1\0' '\7\0'; do
	cp "$sample" bad.data; poke bad.data $((data + 6)) "$bytes"
	damaged "record size $bytes" bad.data "is less than its header, 8"
done
cp "$sample" bad.data
poke bad.data $((data + 6)) '\377\377'
perftab-analyze bad.data >/dev/null 2>"$work/err"
case $? in 0 | 1 | 3) ;; *) fail "record size 65535: exit status" ;; esac
head -c $((data + size / 2)) "$sample" >bad.data
damaged "cut in the middle of the data" bad.data "the file ends"
perftab-analyze bad.data 2>/dev/null | grep -q "sched_switch is missing: inferred from its samples" ||
	fail "cut in the middle of the data: no word on the format that was assumed"
perftab-analyze --csv bad.data 2>/dev/null | grep -q '^conditional_sum,' ||
	fail "cut in the middle of the data: no bill"
head -c $((data + size)) "$sample" >bad.data
status 3 "cut after the data" perftab-analyze bad.data
cp "$sample" bad.data; poke bad.data 48 '\0\0\0\0\0\0\0\0'
status 3 "data size 0" perftab-analyze bad.data
grep -qF "did not finish the file" "$work/err" || fail "data size 0: $(cat "$work/err")"
# Ids outside the file: the first attribute's ids section.
attrs=$(od -An -tu8 -j24 -N8 "$sample" | tr -d ' ')
entry=$(od -An -tu8 -j16 -N8 "$sample" | tr -d ' ')
cp "$sample" bad.data; poke bad.data $((attrs + entry - 16)) '\377\377\377\377\377\377\377\177'
damaged "ids outside" bad.data "outside the file"
# A group read that claims 2^63 members: the first sample's.
offset=$(sql "$(perftab-convert "$sample" -o first.db; echo first.db)" "SELECT first_offset FROM finding WHERE kind = 'first_interval'")
read_at=$((offset + 8 + 7 * 8)) # IDENTIFIER IP TID TIME CPU PERIOD come before READ
[ "$(od -An -tu8 -j$((read_at - 8)) -N8 "$sample" | tr -d ' ')" = 4 ] && read_at=$((read_at - 8))
[ "$(od -An -tu8 -j$read_at -N8 "$sample" | tr -d ' ')" = 4 ] || fail "the group read is not where this test thinks"
cp "$sample" bad.data; poke bad.data $read_at '\0\0\0\0\0\0\0\200'
damaged "READ with nr = 2^63" bad.data "samples too short for their fields"

# A file of a folder is a regular one: a FIFO without a writer would be waited for.  One that is named is an input.
if ! under_wine; then
	mkdir -p folder tracefs/events/sched/sched_switch
	mkfifo folder/data tracefs/events/sched/sched_switch/format named.data
	head -c $((data + size / 2)) "$sample" >cut.data # lacks its formats
	for tool in perftab-analyze "perftab-convert -o out.db"; do
		# shellcheck disable=SC2086
		reports 1 "a FIFO in a folder" "folder: is a directory, expected a trace file: the entry 'data' in it is not a regular file" \
			timeout 60 $tool folder
		# shellcheck disable=SC2086
		reports 1 "a FIFO for a format" "cut.data: events/sched/sched_switch/format of --tracefs is not a regular file" \
			timeout 60 $tool --tracefs tracefs cut.data
		# Whatever the trace lacks.
		# shellcheck disable=SC2086
		reports 1 "no folder of formats" "${sample##*/}: --tracefs=nowhere: No such file or directory" $tool --tracefs nowhere "$sample"
		# shellcheck disable=SC2086
		reports 1 "a file for a folder" "--tracefs=bad.data: Not a directory" $tool --tracefs bad.data "$sample"
		nothing "a FIFO in a folder"
	done
	make_trace --form dir basic . || fail "make_trace: a directory"
	rm basic.data/data.1 && mkfifo basic.data/data.1 || fail "a directory without data.1"
	reports 3 "a FIFO of a directory" "data.1 of the directory: is not a regular file" timeout 60 perftab-analyze --check basic.data
	rm -r basic.data
	(cat "$sample" >named.data) &
	status 0 "a FIFO as input" timeout 60 perftab-analyze --csv named.data
	wait
	same "a FIFO as input" "$work/wanted" "$work/out"
fi

# Outputs.
cp "$sample" good.data
echo mine >out.db
reports 1 "output exists" "exists already (--force replaces it)" perftab-convert good.data -o out.db
[ "$(cat out.db)" = mine ] || fail "output exists: it was touched"
status 0 "output exists, --force" perftab-convert --force good.data -o out.db
holds "--force: no database" out.db ok 'PRAGMA quick_check'
rm -f out* "$work"/out; mkdir out.db
reports 1 "output is a directory" "is a directory, expected a file" perftab-convert good.data -o out.db
rmdir out.db
reports 1 "output in no directory" "No such file or directory" perftab-convert good.data -o no/where/out.db
mkdir outdir; echo mine >outdir/notes.txt
reports 1 "CSV into a used directory" "contains other files than tables" perftab-convert good.data --to csv -o outdir
status 1 "CSV into a used directory, --force" perftab-convert --force good.data --to csv -o outdir
[ -e outdir/notes.txt ] || fail "a user's file was removed"
rm -rf outdir; mkdir outdir
status 0 "CSV into an empty directory" perftab-convert good.data --to csv -o outdir/
status 1 "CSV exists" perftab-convert good.data --to csv -o outdir
status 0 "CSV exists, --force" perftab-convert --force good.data --to csv -o outdir
rm -rf out* ; status 1 "a database as input" perftab-convert first.db -o out.db
says "a database as input" "is a perftab database already"
# Of several inputs each fails in its turn, although it was opened before.
cp "$sample" good.data
reports 1 "a second input that is missing" "missing.data: cannot open" perftab-convert good.data missing.data text.data -o out.db
nothing "a second input that is missing"
reports 1 "a second input that is a database" "first.db: is a perftab database already" perftab-convert good.data first.db good.data -o out.db
nothing "a second input that is a database"
reports 1 "a third input that is not a trace" "text.data: unknown trace format" perftab-convert good.data good.data text.data -o out.db
nothing "a third input that is not a trace"
status 0 "files and pipes" perftab-convert good.data <(cat good.data) good.data - -o out.db < <(cat good.data)
holds "files and pipes" out.db '4|4|1' 'SELECT count(*), max(trace_id), count(DISTINCT first_ns) FROM trace'
rm -f out.db
if [ -e /dev/full ]; then
	perftab-analyze good.data >/dev/full 2>"$work/err"
	[ $? -eq 1 ] || fail "stdout full: exit status"
	says "stdout full" "No space left on device"
fi
# Never over an input, by whatever name, with or without --force.
cp good.data in.data; ln in.data link.data
for output in in.data link.data; do
	reports 2 "output $output is the input" "would be written over the input" perftab-convert --force in.data -o $output
done
cmp -s good.data in.data || fail "an input was touched"
# What comes while we write stays, unless --force.
make_trace --switches 100000 basic "$work" || fail "make_trace"
(while ! partial out.db; do :; done; echo mine >out.db) &
perftab-convert basic.data -o out.db 2>"$work/err"
code=$?
wait
[ $code -eq 1 ] && [ "$(cat out.db)" = mine ] || fail "a file that came meanwhile was overwritten"
says "a file that came meanwhile" "File exists"
rm -f out*
# Names that SQLite would take for something else.
status 0 "output file:u.db" perftab-convert good.data -o file:u.db
holds "output file:u.db: no database" ./file:u.db ok 'PRAGMA quick_check'
status 0 "input file:u.db" perftab-analyze file:u.db

# Databases that are not ours to read.
sql plain.db 'CREATE TABLE t (x)'
refused "another database" plain.db "unknown trace format"
cp first.db other.db; sql other.db 'PRAGMA user_version = 99'
reports 1 "a newer schema" "schema version 99, expected" perftab-analyze other.db
cp first.db other.db
sql other.db "UPDATE finding SET severity = 'damage', text = char(27) || ']0;x' || char(7) || char(10) || 'ok'"
perftab-analyze other.db >"$work/out" 2>"$work/err"
[ $? -eq 3 ] || fail "stored damage: exit status"
grep -q "$(printf '\033')" "$work/out" "$work/err" && fail "a terminal escape came through"
# Marks of direction and characters without width: a name must not look like another.
cp first.db other.db
sql other.db "UPDATE process SET name = char(8238) || 'exe' || char(8203); UPDATE finding SET severity = 'damage', text = char(8295) || 'x'"
for form in --csv '--by thread' --json; do
	# shellcheck disable=SC2086
	perftab-analyze $form other.db >"$work/out" 2>"$work/err"
	grep -qE '\\x?u?(e2|202e)' "$work/out" || [ "$form" = --csv ] || fail "marks of direction, $form: $(head -3 "$work/out")"
	[ "$form" != --csv ] && grep -qP '\xe2\x80[\xae\x8b]|\xe2\x81\xa7' "$work/out" && fail "marks of direction came through: $form"
	grep -qP '\xe2\x81\xa7' "$work/err" && fail "marks of direction came through on stderr: $form"
done
cp first.db other.db
sql other.db 'DROP TABLE finding; CREATE VIEW finding AS WITH RECURSIVE c(x) AS
	(SELECT 1 UNION ALL SELECT x FROM c) SELECT x AS trace_id FROM c'
status 1 "a view that never ends" timeout 10 perftab-analyze other.db
# Text is made from the sums of processes; without them from those of threads, as CSV always is.
cp first.db other.db; sql other.db 'DROP TABLE thread_summary'
reports 1 "a table of threads is missing" "no such table" perftab-analyze --csv other.db
perftab-analyze first.db >wanted
sed -i 's/first.db/other.db/' wanted
cp first.db other.db; sql other.db 'DROP TABLE process_summary'
perftab-analyze other.db | cmp - wanted || fail "a table of processes is missing: another bill"
sql other.db 'DROP TABLE thread_summary'
reports 1 "both tables are missing" "no such table" perftab-analyze other.db
head -c 20000 first.db >other.db
perftab-analyze other.db >/dev/null 2>"$work/err"
[ $? -eq 1 ] || fail "half a database: exit status"

# has_each WHAT DATABASE TRACE...: the bills of all traces have the lines of each alone
has_each() {
	status 0 "$1" perftab-analyze "$2"
	cp "$work/out" all
	for trace in "${@:3}"; do
		perftab-analyze --trace "$trace" "$2" >wanted
		grep -vFxf all wanted && fail "$1: lines of trace $trace are missing"
	done
}

# Many traces without rows between two with rows: tables are not walked for those, but for the last one.
perftab-convert "$sample" "${sample%/*}/good-threads.data" -o two.db || fail "two traces"
cp two.db many.db
{
	sql two.db "SELECT 'UPDATE ' || m.name || ' SET trace_id = 90 WHERE trace_id = 2;' FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.name = 'trace_id'"
	echo 'CREATE TEMP TABLE t AS SELECT * FROM trace WHERE trace_id = 1;'
	for id in {2..40}; do echo "UPDATE t SET trace_id = $id; INSERT INTO trace SELECT * FROM t;"; done
} >many.sql
sql many.db "$(<many.sql)"
holds "many traces" many.db '41|2' 'SELECT (SELECT count(*) FROM trace), (SELECT count(DISTINCT trace_id) FROM process)'
for form in --csv '--csv --by thread' '--csv --interval 100ms' --check; do
	# shellcheck disable=SC2086
	status 0 "the last of many traces, $form" perftab-analyze $form --trace 90 many.db
	sed 's/many.db/two.db/' "$work/out" >last
	# shellcheck disable=SC2086
	perftab-analyze $form --trace 2 two.db >wanted
	same "the last of many traces, $form" wanted last
done
has_each "many traces" many.db 1 90

# A command that does not fit into a page, in each trace: the tables are not walked, the bills are the same.
for id in 1 2; do
	cp two.db long.db
	sql long.db "UPDATE process SET command = printf('%.6000c', 'x') WHERE process_id = (SELECT max(process_id) FROM process WHERE trace_id = $id)"
	has_each "a long command in trace $id" long.db 1 2
done

# The name of a counter becomes that of a column.
sed 's/InstructionRetired, TotalCycles/Inst\x00Retired, Tot\x00alCycles/' \
	"$PERFTAB_SOURCE/sample-traces/etw/good-dump.txt" >zero.txt
rm -f zero.db
status 0 "a NUL in the name of a counter" perftab-convert zero.txt -o zero.db
holds "a NUL in the name of a counter" zero.db 'Inst Tot' "SELECT group_concat(name, ' ') FROM counter WHERE slot IS NOT NULL"
holds "a column for it" zero.db 1 'SELECT count("Tot") > 0 FROM context_switch_named'
finish
