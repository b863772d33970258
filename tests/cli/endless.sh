#!/bin/bash
# endless.sh: whatever is read and however little of it makes sense, SIGTERM ends the
# programs at once, and damage that is seen long before its turn is skipped once.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
PATH=$helpers/tests/damage:$PATH
cd "$work" || exit 1
# Job control, so that children do not ignore SIGINT.
set -m

# --- inputs without end ---

# A second, though 100 ms are promised: the sanitizers are slow, and others use this machine.
LIMIT_MS=1000

# ends WHAT SIGNAL STATUS COMMAND...: still reads after half a second, and ends in time
ends() {
	local what=$1 signal=$2 wanted=$3 got=0 before after
	shift 3
	timeout -s KILL 60 "$@" >out 2>err &
	sleep 0.5
	kill -0 $! 2>/dev/null || { fail "$what: ended by itself: $(head -2 out err)"; return; }
	before=$(date +%s%3N)
	kill -"$signal" $!
	wait $! 2>/dev/null || got=$?
	after=$(date +%s%3N)
	[ "$got" -eq "$wanted" ] || fail "$what: SIG$signal: exit status $got, expected $wanted: $(head -2 err)"
	[ $((after - before)) -le $LIMIT_MS ] || fail "$what: SIG$signal took $((after - before)) ms"
}

# again FILE: its bytes for ever
again() { while cat "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1"; do :; done; }
# followed FILE COMMAND...: its bytes, then those of the command
followed() { cat "$1" && shift && "$@"; }

make_trace --form pipe basic pipe && make_trace --form pipe-zstd basic zstd && make_trace --form unfinished basic unfinished ||
	fail "make_trace"
tail -c +17 pipe/basic.data >pipe/records
tail -c +17 zstd/basic.data >zstd/records
mkdir winperf && make_winperf winperf || fail "make_winperf"

ends "perf, records" TERM 143 perftab-convert -t null - < <(followed pipe/basic.data again pipe/records)
ends "perf, records" INT 130 perftab-convert -t null - < <(followed pipe/basic.data again pipe/records)
ends "perf, analyze" TERM 143 perftab-analyze - < <(followed pipe/basic.data again pipe/records)
ends "perf, to SQLite" TERM 143 perftab-convert -o endless.db - < <(followed pipe/basic.data again pipe/records)
[ ! -e endless.db ] && [ ! -e endless.db.partial ] || fail "perf, to SQLite: something is left"
ends "perf, zeros" TERM 143 perftab-convert -t null - < <(followed pipe/basic.data cat /dev/zero)
ends "perf, list" TERM 143 perftab-convert --list - < <(followed pipe/basic.data cat /dev/zero)
ends "perf, text" TERM 143 perftab-convert -t null - < <(followed pipe/basic.data yes)
ends "perf, zstd" TERM 143 perftab-convert -t null - < <(followed zstd/basic.data again zstd/records)
ends "perf, nothing comes" TERM 143 perftab-convert -t null - < <(followed pipe/basic.data sleep 5)
truncate -s 1T unfinished/basic.data && ends "perf, a sparse file" TERM 143 perftab-convert -t null unfinished/basic.data
text=$PERFTAB_SOURCE/sample-traces/etw/good-basic-text.txt
tail -1000 "$text" >lines
ends "xperf, lines" TERM 143 perftab-convert -t null - < <(followed "$text" again lines)
ends "xperf, one line" TERM 143 perftab-convert -t null - < <(followed "$text" cat /dev/zero)
printf '%s\r\n' '"(PDH-CSV 4.0) (UTC)(0)","\\BOX\System\Threads"' >head.csv
ends "PDH-CSV, lines" TERM 143 perftab-convert -t null - < <(followed head.csv yes '"08/14/2007 15:40:38.659","812"')
ends "PDH-CSV, one line" TERM 143 perftab-convert -t null - < <(followed head.csv cat /dev/zero)
bundle=$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb
ends "PerfLib, bundles" TERM 143 perftab-convert -t null - < <(again "$bundle")
ends "PerfLib, zeros" TERM 143 perftab-convert -t null - < <(followed "$bundle" cat /dev/zero)
ends "PerfLib, V1" TERM 143 perftab-convert -t null - < <(again winperf/good.v1)
# --- damage that is seen before its turn ---

# The reader looks through 4 MiB at once, and reads up to seven eighths of them or the end of a
# round: what it saw after that it must still know when it comes there.
make_trace --switches 30000 basic large || fail "make_trace"
damage list large/basic.data >large.list
[ "$(wc -c <large/basic.data)" -gt 6000000 ] || fail "too small a trace"
for from in 3600000 3700000 4000000 4160000 4175000 4180000 4190000 4194000 4200000; do
	read -r at size <<<"$(awk -v from=$from '$1 > from && $3 == 9 { print $1, $2; exit }' large.list)"
	damage zero large/basic.data "$at" zero.data >out
	status 3 "damage at $at" timeout -s KILL 60 perftab-convert --list --json zero.data
	got=$(sql :memory: "SELECT value->>'kind', value->>'first_offset', value->>'end_offset' FROM json_each(readfile('out'), '\$.inputs[0].findings')
		WHERE value->>'severity' = 'damage'")
	[ "$got" = "bad_record|$at|$((at + size))" ] || fail "damage at $at: $got"
done
finish
