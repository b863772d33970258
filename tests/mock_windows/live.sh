#!/bin/bash
# live.sh: perftab-analyze.exe --live under Wine, with a mock of tracing (real_system.c) that writes
# the trace of a sample: commands, files, Ctrl-C and the bill are real.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
programs_under_wine
sample=$PERFTAB_SOURCE/sample-traces/etw/good-demo.etl
export LC_ALL=C.UTF-8 PERFTAB_TRACE="Z:${sample//\//\\}"
mkdir "$work/here" && cd "$work/here" || exit 1
live() { timeout 60 "$wine" "$windows/tests/real_live.exe" --live "$@"; }
perftab-analyze --csv "$sample" 2>/dev/null >wanted

# nothing_left WHAT: neither in the folder for temporary files nor here
nothing_left() {
	find "$WINEPREFIX/drive_c/users" -name 'perftab-*' | grep . && fail "$1: the trace is left"
	[ "$(echo *)" = wanted ] || fail "$1: files are left: $(ls)"
}

status 0 "for some time" live --csv -d 0.3
same "for some time" wanted "$work/out"
[ ! -s "$work/err" ] || fail "for some time: $(cat "$work/err")"
nothing_left "for some time"

status 0 "all processes" live --csv -a -- cmd /c exit 0
same "all processes" wanted "$work/out"
# No process of the sample is one of ours.
status 7 "a command" live --csv -- cmd /c exit 7
grep -q '^(other processes),' "$work/out" || fail "a command: $(cat "$work/out")"
grep -q '^sum-sorted' "$work/out" && fail "a command: other processes have lines"
status 0 "a command's output" live --csv -a -- cmd /c echo hello
grep -q '^hello' "$work/out" || fail "a command's output: $(cat "$work/out")"
tail -n +2 "$work/out" | same "a command's output" wanted -
nothing_left "a command"

status 127 "no such command" live -- nowhere.exe
says "no such command" "cannot run 'nowhere.exe': no such program"
nothing_left "no such command"

# Ctrl-C ends the recording; its bill follows.
"$wine" "$windows/tests/real_live.exe" --live --csv >"$work/out" 2>"$work/err" &
pid=$!
for ((i = 0; i < 300; i++)); do
	find "$WINEPREFIX/drive_c/users" -name 'perftab-*.partial' | grep -q . && break
	sleep 0.1
done
sleep 0.5
kill -INT $pid
code=0
wait $pid || code=$?
[ $code -eq 0 ] || fail "Ctrl-C: exit status $code: $(cat "$work/err")"
same "Ctrl-C" wanted "$work/out"
nothing_left "Ctrl-C"
finish
