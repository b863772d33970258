# truths.sh - bills against what the workloads say they ran.  Sourced, after cli/lib.sh,
# by the checks, with the folder of a machine's recordings as their first argument.
recordings=$1
[ -s "$recordings/machine.txt" ] || { fail "no recordings in $recordings"; finish; }
checked=0

# column NAME FILE: number of the CSV column
column() { head -1 "$2" | tr ',' '\n' | grep -nxF "$1" | cut -d: -f1; }

# bill NAME [STATUS]: by process, to $work/bill.csv; every book of it balances
bill() {
	status "${2:-0}" "$1: --check" perftab-analyze --check "$recordings/$1.data"
	grep -qw NO "$work/out" && fail "$1: does not balance"
	status "${2:-0}" "$1: bill" perftab-analyze --by process --csv --with-idle thread "$recordings/$1.data"
	mv "$work/out" "$work/bill.csv"
	[ -s "$work/bill.csv" ]
}

# counts NAME COUNTER [STATUS]: "name wanted got loop" of each program, to $work/counts;
# got is - where the bill does not have it under its own name
counts() {
	local field
	bill "$1" "${3:-0}" || return 1
	field=$(column "$2" "$work/bill.csv")
	[ -n "$field" ] || { fail "$1: no column $2: $(head -1 "$work/bill.csv")"; return 1; }
	[ -s "$recordings/$1.truth" ] || { fail "$1: its workload says nothing"; return 1; }
	awk -v field="$field" '
		BEGIN { FS = "," }
		FNR == NR { got[$1 " " $2] = $field; next }
		{ split($0, truth, "\t"); who = truth[1] " " truth[2]
		  print truth[1], truth[3], (who in got) ? got[who] : "-", truth[4] }
	' "$work/bill.csv" "$recordings/$1.truth" >"$work/counts"
	checked=$((checked + $(wc -l <"$work/counts")))
}

# exactly NAME COUNTER [FACTOR]: the bill of every program is its truth, to the last one
exactly() {
	counts "$1" "$2" || return
	awk -v f="${3:-1}" '$3 != $2 * f' "$work/counts" >"$work/wrong"
	[ ! -s "$work/wrong" ] ||
		fail "$1: $2: $(wc -l <"$work/wrong") of $(wc -l <"$work/counts") wrong: $(head -1 "$work/wrong") (name, truth, bill)"
	no_others "$1"
}

# never_more NAME COUNTER: the bill may lack something, but has nothing that was not
never_more() {
	counts "$1" "$2" || return
	awk '$3 != "-" && $3 > $2' "$work/counts" >"$work/wrong"
	[ ! -s "$work/wrong" ] ||
		fail "$1: $2: more than there was: $(head -1 "$work/wrong") (name, truth, bill)"
}

# no_others NAME: no other task has the name of a child
no_others() {
	local children
	children=$(awk -F, '$1 ~ /^(st[0-9]+|fight[AB])$/' "$work/bill.csv" | wc -l)
	[ "$children" -eq "$(wc -l <"$recordings/$1.truth")" ] ||
		fail "$1: $children children in the bill, $(wc -l <"$recordings/$1.truth") in the truth"
}

# over NAME COUNTER NS LOW HIGH: the bill is NS times the loop, and LOW to HIGH more
over() {
	counts "$1" "$2" || return
	awk -v ns="$3" -v low="$4" -v high="$5" '
		$3 == "-" || $3 - $4 * ns < low || $3 - $4 * ns > high' "$work/counts" >"$work/wrong"
	[ ! -s "$work/wrong" ] ||
		fail "$1: $2: $(wc -l <"$work/wrong") of $(wc -l <"$work/counts") wrong: $(head -1 "$work/wrong") (name, truth, bill, loop), expected $4 to $5 over $3 a loop's instruction"
	no_others "$1"
}

# status_is NAME WANTED: how the recorder ended
status_is() {
	[ "$(cat "$recordings/$1.status")" = "$2" ] ||
		fail "$1: the recorder's status is $(cat "$recordings/$1.status"), expected $2: $(cat "$recordings/$1.said")"
}

# said NAME TEXT
said() {
	grep -qF -- "$2" "$recordings/$1.said" ||
		fail "$1: expected '$2' to be said, got: $(cat "$recordings/$1.said")"
}

# refused NAME: nothing is left of it
refused() {
	status_is "$1" 1
	[ ! -e "$recordings/$1.data" ] || fail "$1: refused, and left a file"
}

# cut_off NAME COUNTER NS SPAN: its recorder was killed.  Up to its last round nothing is
# missing: children that ended before it are there with all they ran.
cut_off() {
	local whole part
	status_is "$1" 137
	counts "$1" "$2" 3 || return
	whole=$(awk -v ns="$3" -v span="$4" '$3 != "-" && $3 >= $2 * ns && $3 <= $2 * ns + span' "$work/counts" | wc -l)
	part=$(awk -v ns="$3" '$3 != "-" && $3 < $2 * ns' "$work/counts" | wc -l)
	echo "$1: killed: $whole of $(wc -l <"$work/counts") children are there, whole; $part in part"
	[ "$whole" -ge 20 ] || fail "$1: only $whole children are there"
	[ "$whole" -lt "$(wc -l <"$work/counts")" ] || fail "$1: the recorder was not killed in time"
	[ "$part" -le 1 ] || fail "$1: $part children in part"
	awk -v ns="$3" -v span="$4" '$3 != "-" && $3 > $2 * ns + span' "$work/counts" | grep . >"$work/wrong" &&
		fail "$1: more than there was: $(head -1 "$work/wrong")"
	status 3 "$1: list" perftab-convert --list "$recordings/$1.data"
	grep -q '^recorder .*unfinished' "$work/out" || fail "$1: nothing says it is unfinished"
}

# never_lost NAME...: the recorder lost nothing
never_lost() {
	local name
	for name in "$@"; do
		grep -q ', 0 lost; ' "$recordings/$name.said" || fail "$name: $(cat "$recordings/$name.said")"
	done
}

# counted NAME OPTION...: instructions:k of its only child, in a part of its loop
counted() {
	perftab-analyze --by process --csv --with-idle thread --from "$from" --to "$to" "${@:2}" "$recordings/$1.data" 2>/dev/null |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } $1 == "st000" { print $c["instructions:k"], $c["instructions:u"] }'
}

# apart NAME PERCENT: the child runs a loop in user mode; between its fifth and its last fifth what
# it ran in kernel mode is all interrupts, but for what lies before and after their tracepoints,
# and for what reading the counters there costs: less than so many percent are left
apart() {
	local from to before after user
	rm -f "$work/loop.db"
	perftab-convert "$recordings/$1.data" -o "$work/loop.db" 2>/dev/null
	read -r from to < <(sql "$work/loop.db" "SELECT printf('%d %d', (4 * start_ns + end_ns) / 5, (start_ns + 4 * end_ns) / 5) FROM process WHERE name = 'st000'")
	read -r before user < <(counted "$1" --interrupts thread)
	read -r after user < <(counted "$1")
	echo "$1: in $(((to - from) / 1000000)) ms of a loop, $user instructions:u: instructions:k $before with interrupts, $after without"
	[ "${before:-0}" -gt 0 ] && [ "$after" -ge 0 ] && [ $((after * 100)) -lt $((before * $2)) ] ||
		fail "$1: instructions:k of a loop in user mode: ${before:-none} with interrupts, ${after:-none} without: expected less than $2 %"
}

# loses_children NAME: perf record without -a: not one child has a line
loses_children() {
	bill "$1" || return
	awk -F, '$1 ~ /^st[0-9]+$/' "$work/bill.csv" >"$work/children"
	[ ! -s "$work/children" ] || fail "$1: has children after all: $(head -1 "$work/children")"
	echo "$1: 0 of $(wc -l <"$recordings/$1.truth") children are in the bill"
}

# switches NAME: samples of the leader
switches() {
	perftab-convert --list "$recordings/$1.data" 2>/dev/null | awk '$1 == "SAMPLE" { gsub(",", ""); print $2 }'
}

# seen NAME: perf of the machine that recorded it finds every switch
seen() {
	[ "$(cat "$recordings/$1.perf")" = "$(switches "$1")" ] ||
		fail "$1: perf sees $(cat "$recordings/$1.perf") switches of $(switches "$1"): $(head -1 "$recordings/$1.perf-said")"
}

# seen_here NAME: perf of this machine finds them too
seen_here() {
	local found
	command -v perf >/dev/null || { echo "skipped: perf is not installed here"; return; }
	found=$(perf script -i "$recordings/$1.data" 2>"$work/err" | grep -c 'sched:sched_switch:')
	[ "$found" = "$(switches "$1")" ] ||
		fail "$1: perf here sees $found switches of $(switches "$1"): $(head -1 "$work/err")"
}

# same_roads NAME: trace and database agree
same_roads() {
	two_roads "$recordings/$1.data" "$1"
}

summary() {
	echo "$checked counts checked on $(head -1 "$recordings/machine.txt")"
	finish
}
