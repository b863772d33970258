#!/bin/bash
# unfinished.sh: the recorder was killed, so no names of events and no tracepoint formats
# were written.  What the user knows of them gives the bill that was planned (make_trace);
# without it sched_switch is recognised by the shape of its payload, and names are made up.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # forms.sh
dir=$work/unfinished
make_trace --form unfinished all "$dir" || fail "make_trace"
make_trace all "$work/file" || fail "make_trace"

# tracefs NAME: what the kernel of that scenario has below /sys/kernel/tracing, as far as
# the finished recording says, in $work/tracefs.NAME; the length is before the text
tracefs() {
	local at size folder=$work/tracefs.$1/events/sched/sched_switch
	mkdir -p "$folder"
	at=$(grep -abo 'name: sched_switch' "$work/file/$1.data")
	at=${at%%:*}
	[ -n "$at" ] || return
	size=$(od -An -t u8 -j $((at - 8)) -N 8 "$work/file/$1.data")
	tail -c +$((at + 1)) "$work/file/$1.data" | head -c $((size)) >"$folder/format"
	grep -q 'field:pid_t next_pid;' "$folder/format" || fail "$1: the test did not find the format"
}

# made_up_each: of each line "NAME<tab>KIND<tab>WANTED<tab>GOT" the same numbers, whatever the names of events:
# the header, or of a check the column event
made_up_each() {
	awk -F'\t' '
		function plain(row,   first) {
			if (kind != "check") return row
			match(row, /^[^,]*,/)
			first = substr(row, 1, RLENGTH)
			row = substr(row, RLENGTH + 1)
			sub(/^("[^"]*"|[^,]*),/, "", row)
			return first row
		}
		function counts(row) { return ++lines > 1 && (kind == "check" || row !~ /^\(with idle\),/) }
		{
			kind = $2
			split("", wanted)
			for (lines = 0; (getline row <$3) > 0;) if (counts(row)) wanted[plain(row)]++
			for (lines = 0; (getline row <$4) > 0;)
				if (counts(row) && wanted[plain(row)]-- <= 0) print $1 ": " kind ": not planned: " row
			for (row in wanted) if (wanted[row] > 0) print $1 ": " kind ": missing: " row
			close($3); close($4)
		}' >"$work/differs"
	[ ! -s "$work/differs" ] || fail "without names and formats there are other numbers: $(head -5 "$work/differs")"
}

# names NAME: those of the events, as the header has them
names() {
	IFS= read -r names <"$dir/$1.thread.csv"
	names=${names#*,*,*,*,*,*,}
	names=${names//\"/}
}

# convert NAME WANTED OPTIONS...: to $work/db; its tracepoint's format is from WANTED
convert() {
	local name=$1 wanted=$2 assumed=0 got
	shift 2
	rm -f "$work/db"
	status 3 "$name: convert $*" perftab-convert "$dir/$name.data" -o "$work/db" "$@"
	sql "$work/db" "SELECT status || ' ' || (SELECT severity || ' ' || count || ' ' || first_offset
			FROM finding WHERE kind = 'unfinished') FROM trace;
		SELECT coalesce((SELECT format_from FROM tracepoint), '');
		SELECT count(*) FROM finding WHERE kind = 'assumed_format'" >"$work/rows"
	mapfile -t got <"$work/rows"
	[[ ${got[0]} = "partial damage 1 "* ]] || fail "$name: convert $*: the database says: ${got[0]}"
	[ "${got[1]}" = "$wanted" ] || fail "$name: convert $*: the format is from ${got[1]}, expected $wanted"
	if [ "$wanted" = shape ]; then assumed=1; fi
	[ "${got[2]}" = "$assumed" ] || fail "$name: convert $*: ${got[2]} findings assumed_format"
}

# Every scenario: with names and formats that the user knows, and without.
each=$work/each
mkdir "$each"
mapfile -t scenarios < <(make_trace --form unfinished --list)
[ "${#scenarios[@]}" -ge 40 ] || fail "only ${#scenarios[@]} scenarios"
declare -A options=([thread]=$'--by\tthread\t--csv\t--with-idle\tthread'
	[thread-unproven]=$'--by\tthread\t--csv\t--unproven\tswitched-out' [check]=$'--check\t--csv')
# A payload of another shape must not be taken for the ordinary one: no bill, but no wrong one either.
is_strange() { [[ $1 == @(extra_fields|next_first|everything) ]]; }
for name in "${scenarios[@]}"; do
	names "$name"
	tracefs "$name"
	given=$'--events\t'$names$'\t--tracefs\t'$work/tracefs.$name
	for kind in "${!options[@]}"; do
		printf '%s\tperftab-analyze\t%s\t%s\t%s\n' "$name.given.$kind" "${options[$kind]}" "$given" "$dir/$name.data"
		is_strange "$name" || printf '%s\tperftab-analyze\t%s\t%s\n' "$name.plain.$kind" "${options[$kind]}" "$dir/$name.data"
	done
	printf '%s\tperftab-convert\t%s\t-o\t%s\t%s\n' "$name.given" "$dir/$name.data" "$work/$name.given.db" "$given"
	printf '%s\tperftab-convert\t%s\t-o\t%s\n' "$name.plain" "$dir/$name.data" "$work/$name.plain.db"
done >"$work/lines"
run_lines "$each" <"$work/lines"
grep -Lx 3 "$each"/*.exit >"$work/ended"
[ ! -s "$work/ended" ] || fail "exit statuses other than 3: $(head -5 "$work/ended")"
awk '{ lines[FILENAME]++ } /the recorder did not finish the file/ { said[FILENAME] = 1 }
	END { for (i = 1; i < ARGC; i++) if (lines[ARGV[i]] != 1 || !said[ARGV[i]]) print ARGV[i] }' "$each"/*.given.*.err >"$work/silent"
[ ! -s "$work/silent" ] || fail "not one line that the recorder did not finish the file: $(head -5 "$work/silent")"
for name in "${scenarios[@]}"; do
	for kind in "${!options[@]}"; do
		printf '%s\t%s\t%s\n' "$name: $kind is not what was planned" "$dir/$name.$kind.csv" "$each/$name.given.$kind.out"
	done
done | rows_each
for name in "${scenarios[@]}"; do
	for kind in "${!options[@]}"; do
		is_strange "$name" || printf '%s\t%s\t%s\t%s\n' "$name" $kind "$dir/$name.$kind.csv" "$each/$name.plain.$kind.out"
	done
done | made_up_each
for name in "${scenarios[@]}"; do
	for given in given plain; do
		printf ".open '%s'\nSELECT '%s', '%s', status || ' ' || (SELECT severity || ' ' || count || ' ' || first_offset
			FROM finding WHERE kind = 'unfinished'),
			coalesce((SELECT format_from FROM tracepoint), ''), (SELECT count(*) FROM finding WHERE kind = 'assumed_format'),
			(SELECT count(*) || ' ' || coalesce(sum(count), 0) FROM finding WHERE kind = 'nameless'),
			(SELECT count(*) FROM counter WHERE event LIKE 'dummy%%'), (SELECT count(*) FROM finding WHERE kind = 'no_format'),
			(SELECT count(*) FROM context_switch) FROM trace;\n" "$work/$name.$given.db" "$name" $given
	done
done | sqlite3 -batch >"$work/rows" 2>"$work/err"
[ ! -s "$work/err" ] || fail "databases: $(head -3 "$work/err")"
[ "$(wc -l <"$work/rows")" -eq $((2 * ${#scenarios[@]})) ] || fail "not all databases have a trace"
while IFS='|' read -r name given status from assumed nameless dummies no_format switches; do
	names "$name"
	wanted='' shape=0
	[[ $names == context-switches* ]] || { [ "$given" = given ] && wanted=tracefs || wanted=shape; }
	! is_strange "$name" || [ "$given" = given ] || wanted=''
	[ "$wanted" != shape ] || shape=1
	[[ $status = "partial damage 1 "* ]] || fail "$name, $given: the database says: $status"
	[ "$from" = "$wanted" ] || fail "$name, $given: the format is from $from, expected $wanted"
	[ "$assumed" = $shape ] || fail "$name, $given: $assumed findings assumed_format"
	if [ "$given" = given ]; then
		# The dummy event of some scenarios counts nothing and has no name in the truth.
		[ "${nameless#* }" = "$dummies" ] || fail "$name: nameless, although all names were given"
	elif is_strange "$name"; then
		[ "$no_format" = 1 ] || fail "$name: no finding no_format"
		[ "$switches" = 0 ] || fail "$name: switches are billed by a format that is not theirs"
	else
		[ "${nameless% *}" = 1 ] || fail "$name: no finding nameless"
	fi
done <"$work/rows"

# Names as they stand after perf record -e, the group's braces and modifiers included.
names names
reports 3 "names: --events in braces" "the recorder did not finish the file" perftab-analyze --by thread --csv --with-idle thread \
	--events "{$names}:S" --tracefs "$work/tracefs.names" "$dir/names.data"
same_rows "names: --events in braces" "$dir/names.thread.csv" "$work/out"
# The format alone says the name of its tracepoint, and a folder without it does no harm.
convert basic tracefs --tracefs "$work/tracefs.basic"
holds "basic: the tracepoint is not named by its format" "$work/db" 1 "SELECT count(*) FROM counter WHERE name = 'sched:sched_switch'"
folder=$work/tracefs.names/events/sched
mv "$folder/sched_switch" "$folder/sched_wakeup"
sed -i 's/^name: .*/name: sched_wakeup/; s/^ID: .*/ID: 77/' "$folder/sched_wakeup/format"
convert names shape --tracefs "$work/tracefs.names"
# What the file does say is not overruled.
perftab-analyze --csv "$work/file/basic.data" >"$work/wanted"
perftab-analyze --csv --events a,b,c,d --tracefs "$work/tracefs.names" "$work/file/basic.data" >"$work/got"
same "basic, finished: --events overrules the names in the file" "$work/wanted" "$work/got"
two_roads "$dir/basic.data" basic every tables

# perftab-capture killed while it wrote over the table after its data: the table is gone, or
# records are in its place.  The bytes before the data say the same.
killed=$PERFTAB_SOURCE/sample-traces/perf/bad-perftab-killed.data
u64() { od -An -t u8 -j "$2" -N 8 "$1" | tr -d ' '; } # as on this machine, little-endian
at=$(u64 "$killed" 40)
end=$((at + $(u64 "$killed" 48)))
status 3 "killed" perftab-analyze --by thread --csv "$killed"
cp "$work/out" "$work/whole"
grep -q '^rcu_preempt,' "$work/whole" || fail "killed: no bill"
head -c "$end" "$killed" >"$work/no-table.data"
{ head -c "$end" "$killed"; tail -c +$((at + 1)) "$killed" | head -c 1000; } >"$work/records.data"
{ head -c "$end" "$killed"; head -c 100 /dev/zero; } >"$work/zeros.data"
for torn in no-table records zeros; do
	status 3 "$torn" perftab-analyze --by thread --csv "$work/$torn.data"
	same "$torn: another bill than with the table" "$work/whole" "$work/out"
	perftab-convert "$work/$torn.data" -o "$work/$torn.db" 2>/dev/null
	[ "$(sql "$work/$torn.db" "SELECT status || ' ' || (recorder LIKE 'perftab %, unfinished') || ' ' || host || ' ' || wall_offset_ns FROM trace")" = \
		"partial 1 lab $(sql "$work/no-table.db" "SELECT wall_offset_ns FROM trace")" ] || fail "$torn: what the header said is lost"
	holds "$torn: names are lost" "$work/$torn.db" "sched:sched_switch,task-clock,page-faults,msr/tsc/" "SELECT group_concat(name) FROM counter WHERE group_id = 1"
	sound "$torn"
done
# A finished file that was cut off since: the same, and not only a killed recorder is blamed.
head -c 30000 "$PERFTAB_SOURCE/sample-traces/perf/good-perftab.data" >"$work/cut.data"
status 3 "cut" perftab-analyze --csv "$work/cut.data"
grep -q 'or the file was cut off' "$work/err" || fail "cut: the recorder alone is blamed: $(cat "$work/err")"
head -1 "$work/out" | grep -q 'sched:sched_switch,task-clock,page-faults,msr/tsc/' || fail "cut: names are lost"
grep -q '^sum-sorted,' "$work/out" || fail "cut: no bill"
finish
