#!/bin/bash
# etw_text.sh: texts of xperf.  The samples give the same by every road, from a file and
# from a pipe, in little memory; excerpts that others published give the counts that can
# be worked out from them.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

for trace in "$PERFTAB_SOURCE"/sample-traces/etw/*.txt; do
	name=${trace##*/} name=${name%.txt}
	wanted=0
	case $name in bad-*) wanted=3 ;; esac
	balances $wanted "$name" "$trace"
	two_roads "$trace" "$name" every window tables
	perftab-analyze --csv --by thread "$trace" >"$work/file" 2>/dev/null
	perftab-analyze --csv --by thread - <"$trace" >"$work/pipe" 2>/dev/null
	same "$name: a pipe gives something else" "$work/file" "$work/pipe"
	tr -d '\r' <"$trace" >"$work/lf.txt"
	perftab-analyze --csv --by thread "$work/lf.txt" >"$work/lf" 2>/dev/null
	same "$name: other ends of lines give something else" "$work/file" "$work/lf"
done

# dump SWITCHES: a dump of two processes that take turns on four CPUs; 1000 branches each time
dump() {
	awk -v n="$1" 'BEGIN {
		print "BeginHeader"
		print "  Pmc,  TimeStamp,   ThreadID, Branches, Misses"
		print "  CSwitch,  TimeStamp, New Process Name ( PID),    New TID, NPri, NQnt, TmSinceLast, WaitTime," \
			" Old Process Name ( PID),    Old TID, OPri, OQnt, OldState, Wait Reason, Swapable, InSwitchTime, CPU, IdealProc"
		print "  Mark,  TimeStamp, Text"
		print "EndHeader"
		for (i = 0; i < n; i++) {
			cpu = i % 4
			turn = int(i / 4) % 2
			printf "  Pmc, %d, %d, %d, %d\n", i, turn * 4 + cpu * 8 + 100, int(i / 4) * 1000, int(i / 4) * 7
			printf "  CSwitch, %d, %s.exe (  %d), %d, 8, -1, 1, 1, %s.exe (  %d), %d, 8, -1, Waiting, WrQueue, Swapable, 1, %d, 0\n",
				i, turn ? "even" : "odd", turn ? 40 : 44, turn * 4 + cpu * 8 + 100,
				turn ? "odd" : "even", turn ? 44 : 40, (1 - turn) * 4 + cpu * 8 + 100, cpu
			if (i % 3 == 0) print "  Mark, " i ", what, ever"
		}
	}'
}
dump 40000 >"$work/dump.txt"
status 0 "a dump" perftab-analyze --csv "$work/dump.txt"
cut -d, -f1-4,6- "$work/out" | grep exe | sort | reads "a dump" even.exe,40,4,20000,19996000,139972 odd.exe,44,4,20000,20000000,140000

# ... in memory that does not grow with it; a sanitizer has more in quarantine.
if [ -x /usr/bin/time ] && ! ldd "$(command -v perftab-analyze)" | grep -q asan; then
	dump 600000 | /usr/bin/time -f %M -o "$work/kib" perftab-analyze --csv - >"$work/out" 2>"$work/err" || fail "a long dump"
	[ "$(cat "$work/kib")" -le 65536 ] || fail "a long dump needs $(cat "$work/kib") KiB"
	grep -q '^odd.exe,44,4,300000,' "$work/out" || fail "a long dump: $(head -3 "$work/out")"
fi

# Texts converted by other programs are refused, with the way back.
iconv -f UTF-8 -t UTF-16LE <"$work/dump.txt" | { printf '\377\376'; cat; } >"$work/utf16.txt"
iconv -f UTF-8 -t UTF-16BE <"$work/dump.txt" | { printf '\376\377'; cat; } >"$work/utf16be.txt"
for name in utf16 utf16be; do
	status 1 $name perftab-analyze "$work/$name.txt"
	says $name "iconv -f UTF-16 -t UTF-8"
	iconv -f UTF-16 -t UTF-8 "$work/$name.txt" | cmp -s - "$work/dump.txt" || fail "$name: that does not convert it"
done
tr '\n' '\r' <"$work/dump.txt" >"$work/cr.txt"
head -c 300 "$work/cr.txt" >"$work/short_cr.txt"
for name in cr short_cr; do
	status 1 $name perftab-analyze "$work/$name.txt"
	says $name "tr '\\r' '\\n'"
done

# Of a command line with a line break nothing is left.
{
	cat <<-'EOF'
		BeginHeader
		P-Start, TimeStamp, Process Name ( PID), ParentPID, SessionID, UniqueKey, DirTableBase, Flags, SID, Command Line
		EndHeader
		P-Start, 1, app.exe (8), 4, 1, 0x1, 0x2, 0, S-1-5-18, app.exe --password=one
		zqsecret two, 123, hello, zqthree
		 <none>, <none>
	EOF
} >"$work/broken.txt"
perftab-convert --anonymize "$work/broken.txt" -o "$work/broken.db" 2>/dev/null
holds "a broken command line: kinds of events" "$work/broken.db" "P-Start,(others)" "SELECT group_concat(name) FROM etw_event_count"
! grep -aq zq "$work/broken.db" || fail "a broken command line is left"

[ -n "${PERFTAB_CORPUS:-}" ] || finish
text=$PERFTAB_CORPUS/etw/text
[ -d "$text" ] || finish

# is FILE WANTED STATEMENT: what the database of an excerpt answers
is() {
	[ "$(sql "$work/$1.db" "$3")" = "$2" ] || fail "$1: expected $2, got $(sql "$work/$1.db" "$3")"
}

# charged: "CPU process (pid) counter delta" of each switch that proves something
charged="SELECT s.cpu || ' ' || p.name || ' (' || p.pid || ') ' || s.name || ' ' || s.delta
	FROM switch_counters s JOIN context_switch c USING (switch_id) JOIN thread t ON thread_id = c.prev_thread_id
	JOIN process p USING (process_id) WHERE c.status = 1 ORDER BY 1"
for name in uiforetw easyperf; do
	balances 0 "$name" "$text/${name}_excerpt.txt"
	two_roads "$text/${name}_excerpt.txt" $name
	is $name 0 "SELECT count(*) FROM finding WHERE kind IN ('bad_line', 'chain_gap', 'other_values')"
done
is uiforetw '2 conhost.exe (8148) BranchInstructions 1539
2 conhost.exe (8148) BranchMispredictions 239
7 Idle (0) BranchInstructions 354
7 Idle (0) BranchMispredictions 33' "$charged"
# 44326484 - 44324578 and 1101713 - 1101534.
is easyperf '1 ConditionalCount.exe (14224) BranchInstructions 1906
1 ConditionalCount.exe (14224) BranchMispredictions 179' "$charged"
# The excerpt ends between a Pmc line and its switch.
is uiforetw 1 "SELECT count FROM finding WHERE kind = 'unpaired'"
finish
