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
# the finished recording says; the length is before the text
tracefs() {
	local at size folder=$work/tracefs/events/sched/sched_switch
	rm -rf "$work/tracefs"
	mkdir -p "$folder"
	at=$(grep -abo 'name: sched_switch' "$work/file/$1.data")
	at=${at%%:*}
	[ -n "$at" ] || return
	size=$(od -An -t u8 -j $((at - 8)) -N 8 "$work/file/$1.data")
	tail -c +$((at + 1)) "$work/file/$1.data" | head -c $((size)) >"$folder/format"
	grep -q 'field:pid_t next_pid;' "$folder/format" || fail "$1: the test did not find the format"
}

# with_names NAME KIND OPTIONS...: the bill with what the user knows
with_names() {
	local name=$1 kind=$2
	shift 2
	reports 3 "$name: analyze $*" "the recorder did not finish the file" perftab-analyze "$@" "$dir/$name.data"
	same_rows "$name: $kind is not what was planned" "$dir/$name.$kind.csv" "$work/out"
}

# made_up NAME KIND OPTIONS...: the same numbers, whatever the names of events: the header, or of a
# check the column event
made_up() {
	local name=$1 kind=$2
	shift 2
	status 3 "$name: analyze $*" perftab-analyze "$@" "$dir/$name.data"
	awk -v kind="$kind" '
		FNR == 1 || (kind != "check" && /^\(with idle\),/) { next }
		kind == "check" {
			match($0, /^[^,]*,/)
			first = substr($0, 1, RLENGTH)
			rest = substr($0, RLENGTH + 1)
			sub(/^("[^"]*"|[^,]*),/, "", rest)
			$0 = first rest
		}
		NR == FNR { wanted[$0]++; next }
		wanted[$0]-- <= 0 { print "not planned: " $0 }
		END { for (row in wanted) if (wanted[row] > 0) print "missing: " row }' \
		"$dir/$name.$kind.csv" "$work/out" >"$work/differs" 2>&1
	[ ! -s "$work/differs" ] ||
		fail "$name: $kind without names and formats has other numbers: $(head -5 "$work/differs")"
}

# names NAME: those of the events, as the header has them
names() {
	IFS= read -r names <"$dir/$1.thread.csv"
	names=${names#*,*,*,*,*,*,}
	names=${names//\"/}
}

# found KIND WHAT: one row of that kind is in the database
found() { holds "$2: no finding $1" "$work/db" 1 "SELECT count(*) FROM finding WHERE kind = '$1'"; }

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

count=0
while read -r name; do
	count=$((count + 1))
	names "$name"
	tracefs "$name"
	with_names "$name" thread --by thread --csv --with-idle thread --events "$names" --tracefs "$work/tracefs"
	with_names "$name" thread-unproven --by thread --csv --unproven switched-out --events "$names" --tracefs "$work/tracefs"
	with_names "$name" check --check --csv --events "$names" --tracefs "$work/tracefs"
	case $names in
	context-switches*) tracepoint='' shape='' ;;
	*) tracepoint=tracefs shape=shape ;;
	esac
	convert "$name" "$tracepoint" --events "$names" --tracefs "$work/tracefs"
	# The dummy event of some scenarios counts nothing and has no name in the truth.
	holds "$name: nameless, although all names were given" "$work/db" 1 "SELECT (SELECT coalesce(sum(count), 0) FROM finding WHERE kind = 'nameless') =
		(SELECT count(*) FROM counter WHERE event LIKE 'dummy%')"
	case $name in
	extra_fields | next_first | everything)
		# A payload of another shape must not be taken for the ordinary one: no bill, but
		# no wrong one either.
		convert "$name" ''
		found no_format "$name"
		holds "$name: switches are billed by a format that is not theirs" "$work/db" 0 'SELECT count(*) FROM context_switch'
		;;
	*)
		made_up "$name" thread --by thread --csv --with-idle thread
		made_up "$name" thread-unproven --by thread --csv --unproven switched-out
		made_up "$name" check --check --csv
		convert "$name" "$shape"
		found nameless "$name"
		;;
	esac
done < <(make_trace --form unfinished --list)
[ "$count" -ge 40 ] || fail "only $count scenarios"

# Names as they stand after perf record -e, the group's braces and modifiers included.
names names
with_names names thread --by thread --csv --with-idle thread --events "{$names}:S"
# The format alone says the name of its tracepoint, and a folder without it does no harm.
tracefs basic
convert basic tracefs --tracefs "$work/tracefs"
holds "basic: the tracepoint is not named by its format" "$work/db" 1 "SELECT count(*) FROM counter WHERE name = 'sched:sched_switch'"
tracefs names
mv "$work/tracefs/events/sched/sched_switch" "$work/tracefs/events/sched/sched_wakeup"
sed -i 's/^name: .*/name: sched_wakeup/; s/^ID: .*/ID: 77/' "$work/tracefs/events/sched/sched_wakeup/format"
convert names shape --tracefs "$work/tracefs"
# What the file does say is not overruled.
perftab-analyze --csv "$work/file/basic.data" >"$work/wanted"
perftab-analyze --csv --events a,b,c,d --tracefs "$work/tracefs" "$work/file/basic.data" >"$work/got"
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
