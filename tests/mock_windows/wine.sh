#!/bin/bash
# wine.sh: perftab-capture.exe under Wine: start, arguments, files, missing functions.  Wine has
# no profile sources, so no trace is recorded, and its PerfLib has no counters, so snapshots are
# empty.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
needs_exe
[ -x "$wine" ] || missing "wine64 is not installed (scripts/install-packages wine)"

# Root can write everywhere but to a read-only mount.  It is mounted before Wine's server starts,
# because the server opens the files.
if [ "$(id -u)" -eq 0 ] && [ -z "${PERFTAB_OWN_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
	rm -rf "$work"
	PERFTAB_OWN_MOUNTS=1 exec unshare -m bash "$0"
fi
readonly_folder=$work/readonly
mkdir "$readonly_folder" && cp "$exe" "$readonly_folder/" && chmod 555 "$readonly_folder"
if [ -n "${PERFTAB_OWN_MOUNTS:-}" ]; then
	mount --bind "$readonly_folder" "$readonly_folder" && mount -o remount,ro,bind "$readonly_folder"
fi

# A private prefix, 700 MB.  Creating one hangs sometimes: then create another.
export WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
unset DISPLAY WAYLAND_DISPLAY
wineserver=$(command -v wineserver64 || echo /usr/lib/wine/wineserver64)
clean_up() {
	"$wineserver" -k
	[ -z "${PERFTAB_OWN_MOUNTS:-}" ] || umount "$readonly_folder"
	chmod 755 "$readonly_folder"
	rm -rf "$work" "$windows"/wine.*
}
trap clean_up EXIT
mkdir "$work/here" && cd "$work/here" || exit 1
for attempt in 1 2 3; do
	WINEPREFIX=$(mktemp -d "$windows/wine.XXXXXX")
	export WINEPREFIX
	"$wineserver" -p900 >/dev/null 2>&1 </dev/null || fail "no server: exit status $?" # see prefix.sh
	timeout 60 "$wine" "$exe" --version >"$work/out" 2>&1 && break # prints about the prefix
	"$wineserver" -k
done
[ "$attempt" -eq 1 ] || printf 'the prefix was made at attempt %s\n' "$attempt"
capture() { timeout 60 "$wine" "$exe" "$@"; }

version=$(sed -n 's/^project(perftab VERSION \([0-9.]*\).*/\1/p' "$PERFTAB_SOURCE/CMakeLists.txt")
status 0 "--version" capture --version
# Bytes, not text: no carriage returns.
printf 'perftab-capture %s\n' "$version" | cmp - "$work/out" || fail "--version: $(od -c "$work/out" | head -2)"
for part in "" etw perflib list --selftest; do
	# shellcheck disable=SC2086
	status 0 "$part --help" capture $part --help
	grep -q '^usage: perftab-capture' "$work/out" || fail "$part --help: $(head -1 "$work/out")"
	[ ! -s "$work/err" ] || fail "$part --help talks on stderr"
	grep -q $'\r' "$work/out" && fail "$part --help: carriage returns"
done

while IFS='|' read -r wanted words text; do
	# shellcheck disable=SC2086
	status "$wanted" "$words" capture $words
	says "$words" "$text"
	[ ! -s "$work/out" ] || fail "$words: prints $(head -1 "$work/out")"
done <<'END'
2|record|unknown command 'record'
2|perf|unknown command 'perf'
2|etw --nonsense|--nonsense
2|etw -Z|unknown option '-Z'
2|etw -d 0|invalid --duration '0': expected e.g. 500ms or 10s
2|etw -m 0|--memory needs a whole number from 1, not '0'
2|etw -m 65537|-m accepts at most 65536 MiB
2|etw -o -|invalid -o '-': Windows writes a session only to a file
2|perflib -i 0|invalid --interval '0': expected e.g. 500ms or 10s
2|perflib -n 0|--snapshots needs a whole number from 1, not '0'
2|perflib everything|'everything' is not an option
2|perflib --proc proc|unknown or ambiguous option '--proc'
2|perflib --replay x.plb|unknown or ambiguous option '--replay'
2|--selftest again|'again' is not an option
2|list|expected what to list: profile-sources
2|list events|expected what to list: profile-sources
2|list profile-sources 1|expected what to list: profile-sources
2|list --json profile-sources|expected what to list: profile-sources
2|list countersets a b|one name at a time
1|list countersets|cannot list the countersets: this system lacks the function (error 127)
1|list countersets Processor|cannot list the countersets: this system lacks the function (error 127)
1|--selftest -o nowhere/x|cannot write nowhere/x.txt: No such file or directory
1|list profile-sources|this Windows has no TraceQueryInformation: counters at context switches need Windows 8 or later (Wine has none)
1|etw -d 1|this Windows has no TraceQueryInformation
1|etw -- cmd /c exit 7|this Windows has no TraceQueryInformation
1|etw -o C:\missing\x.etl -d 1|cannot write 'C:\missing\x.etl': the folder does not exist
1|etw -o C:\bad?.etl -d 1|cannot write 'C:\bad?.etl': invalid file name
END
[ -z "$(ls)" ] || fail "files are left: $(ls)"

# Names in any language pass through wmain, files and stderr.
export LC_ALL=C.UTF-8
status 1 "a name in Greek" capture etw -o 'λόγος/ίχνος.etl' -d 1
says "a name in Greek" "cannot write 'λόγος/ίχνος.etl': the folder does not exist"
status 2 "an argument that is not Unicode" capture $'rec\xffrd'
says "an argument that is not Unicode" "unknown command 'rec"

# A failed recording does not touch an older trace.
echo precious >perftab.etl
status 1 "over an older trace" capture etw -d 1
grep -qx precious perftab.etl || fail "an older trace is gone"
[ "$(ls)" = perftab.etl ] || fail "files are left: $(ls)"
rm perftab.etl

# PerfLib: the counterset of processors, by its GUID.  Wine refuses each identifier; its answer to a
# query without counters is in the bundle.
processors='{b4fc721a-0378-476f-89ba-a5a79f810b36}'
empty_bundle() { # WHAT FILE: a complete bundle of empty snapshots, converted on Linux
	rm -f "$work/wine.db"
	status 0 "$1: convert" perftab-convert --strict "$2" -o "$work/wine.db"
	[ ! -s "$work/err" ] || fail "$1: convert: $(cat "$work/err")"
	[ "$(sql "$work/wine.db" "SELECT status, clock, arch, os_release LIKE 'Windows %', cpu_count > 0 FROM trace")" = "complete|QPC|x86_64|1|1" ] ||
		fail "$1: $(sql "$work/wine.db" 'SELECT * FROM trace')"
	[ "$(sql "$work/wine.db" 'SELECT DISTINCT code, bytes, blocks, perf_freq FROM perflib_snapshot')" = '0|48|0|10000000' ] ||
		fail "$1: $(sql "$work/wine.db" 'SELECT * FROM perflib_snapshot')"
}
status 1 "perflib" capture perflib -n 1 -c "$processors"
for text in "cannot list the countersets: this system lacks the function (error 127)" \
	"$processors: refused: no such counterset (error 4200)" "none of the counters can be captured"; do
	grep -qF "perftab-capture: $text" "$work/err" || fail "perflib: no '$text': $(cat "$work/err")"
done
empty_bundle "perflib" perflib.plb
[ "$(sql "$work/wine.db" "SELECT count(*), min(code), max(code) FROM perflib_answer")" = '10|127|127' ] ||
	fail "perflib: $(sql "$work/wine.db" 'SELECT * FROM perflib_answer')"
[ "$(sql "$work/wine.db" "SELECT group_concat(status) FROM perflib_identifier")" = 4200 ] ||
	fail "perflib: $(sql "$work/wine.db" 'SELECT * FROM perflib_identifier')"
mv perflib.plb first.plb
# The default countersets are the same here: Wine does not know the names of the others.
status 1 "perflib, the defaults" capture perflib -n 1 -o 'ίχνος.plb'
empty_bundle "perflib, the defaults" ίχνος.plb
cp ίχνος.plb first.plb
status 1 "perflib, FILE.old" capture perflib -n 1 -o 'ίχνος.plb'
same "perflib, FILE.old" first.plb ίχνος.plb.old
# Binary output in a pipe; patterns are not expanded to files.
capture perflib -q -n 1 -c "$processors" -o - 2>"$work/err" | cat >pipe.plb
empty_bundle "perflib, a pipe" pipe.plb
status 1 "perflib, by name" capture perflib -n 1 -c '*' -o none.plb
grep -qF "cannot find '*' without a list of countersets; use its {GUID}" "$work/err" || fail "perflib, by name: $(cat "$work/err")"
[ ! -e none.plb ] || fail "perflib, by name: makes a file"
status 1 "perflib, no folder" capture perflib -n 1 -o nowhere/x.plb
grep -qF "cannot write nowhere/x.plb: No such file or directory" "$work/err" || fail "perflib, no folder: $(cat "$work/err")"
rm -f -- *.plb *.old

# The self-test names neither the user nor the computer.
status 0 "--selftest" capture --selftest
says "--selftest" "wrote perftab-selftest.plb and perftab-selftest.txt"
empty_bundle "--selftest" perftab-selftest.plb
[ "$(sql "$work/wine.db" 'SELECT (SELECT count(*) FROM perflib_snapshot), host, command FROM trace')" = '2||' ] ||
	fail "--selftest: $(sql "$work/wine.db" 'SELECT * FROM trace')"
for text in "perftab-capture $version" '  PerfEnumerateCounterSet              missing' '  PerfQueryCounterData                 present' \
	'PerfOpenQueryHandle = 0' 'PerfCloseQueryHandle = 0' '2 snapshots, 0 failed, '; do
	grep -qF -- "$text" perftab-selftest.txt || fail "--selftest: no '$text': $(cat perftab-selftest.txt)"
done
for name in "$(hostname)" "$(id -un)"; do
	[ ${#name} -lt 3 ] || ! grep -aiqF -- "$name" perftab-selftest.* || fail "--selftest: names '$name'"
done
[ "$(echo *)" = 'perftab-selftest.plb perftab-selftest.txt' ] || fail "--selftest: files: $(ls)"
rm -f perftab-selftest.*

# With mocks of tracing and PerfLib (real_system.c): the commands, files and time of the system.
real() { timeout 60 "$wine" "$windows/tests/real_system.exe" "$@"; }
recorded() { # WHAT FILE
	printf 'trace\n' | cmp -s - "$2" || fail "$1: no trace in $2: $(ls)"
	rm -f "$2"
	[ -z "$(ls)" ] || fail "$1: files are left: $(ls)"
}
echo older >perftab.etl
status 0 "for some time" real etw -e TOTALCYCLES -d 0.3
says "for some time" "perftab.etl: TotalCycles on "
recorded "for some time" perftab.etl
# Now and then Wine loses the connection to its own server as the first command starts.
exit_seven() {
	local got=0
	real etw -q -o 'ίχνος.etl' -- cmd /c exit 7 || got=$?
	grep -q 'wine client error' "$work/err" || return "$got"
	rm -f 'ίχνος.etl' && real etw -q -o 'ίχνος.etl' -- cmd /c exit 7
}
status 7 "a command's exit status" exit_seven
recorded "a command's exit status" ίχνος.etl
status 2 "a command's words" real etw -q -- "$windows/tests/real_system.exe" 'a "b\ λ\'
says "a command's words" "unknown command 'a \"b\\ λ\\'"
recorded "a command's words" perftab.etl
status 0 "a command's output" real etw -q -- cmd /c echo hello
grep -q '^hello' "$work/out" || fail "a command's output: $(cat "$work/out")"
recorded "a command's output" perftab.etl
status 127 "no such command" real etw -q -- nowhere.exe
says "no such command" "cannot run 'nowhere.exe': no such program"
[ -z "$(ls)" ] || fail "no such command: files are left: $(ls)"
started=$SECONDS
status 1 "a command that does not end" real etw -q -d 0.3 -- ping -n 30 127.0.0.1
[ $((SECONDS - started)) -lt 25 ] || fail "a command that does not end: it was not ended"
recorded "a command that does not end" perftab.etl
# Wine turns SIGINT into Ctrl-C: once while the session runs, twice with a command that continues.
interrupted() { # WHAT WANTED TIMES ARGUMENTS...
	local what=$1 wanted=$2 times=$3 pid code=0
	shift 3
	"$wine" "$windows/tests/real_system.exe" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		[ -s perftab.etl.partial ] && break
		sleep 0.1
	done
	sleep 0.5
	for ((i = 0; i < times; i++)); do kill -INT $pid 2>/dev/null; done
	wait $pid || code=$?
	[ $code -eq "$wanted" ] || fail "$what: exit status $code: $(cat "$work/err")"
	recorded "$what" perftab.etl
}
interrupted "Ctrl-C" 0 1 etw
says "Ctrl-C" "perftab.etl: TotalCycles on "
interrupted "Ctrl-C twice, the command goes on" 1 2 etw -q -- ping -n 30 127.0.0.1
# PerfLib: the schedule, and each way to end.
status 0 "perflib, a schedule" real perflib -q -c "$processors" -i 0.2 -n 4
empty_bundle "perflib, a schedule" perflib.plb
[ "$(sql "$work/wine.db" 'SELECT count(*), max(ts_ns) - min(ts_ns) >= 590000000 FROM perflib_snapshot')" = '4|1' ] ||
	fail "perflib, a schedule: $(sql "$work/wine.db" 'SELECT * FROM perflib_snapshot')"
rm -f perflib.plb
"$wine" "$windows/tests/real_system.exe" perflib -c "$processors" -i 0.1 >"$work/out" 2>"$work/err" &
pid=$!
for ((i = 0; i < 300; i++)); do
	[ "$(stat -c %s perflib.plb 2>/dev/null || echo 0)" -gt 2000 ] && break
	sleep 0.1
done
kill -INT $pid
wait $pid
code=$?
[ $code -eq 0 ] || fail "perflib, Ctrl-C: exit status $code: $(cat "$work/err")"
grep -q 'perflib.plb: [0-9]* snapshots of 1 counterset' "$work/err" || fail "perflib, Ctrl-C: $(cat "$work/err")"
empty_bundle "perflib, Ctrl-C" perflib.plb
rm -f perflib.plb
real perflib -q -c "$processors" -i 0.05 -o - 2>"$work/err" | head -c 100 >"$work/out"
[ "${PIPESTATUS[0]}" -eq 1 ] || fail "perflib, a closed pipe: exit status ${PIPESTATUS[0]}"
grep 'cannot write' "$work/err" && fail "perflib, a closed pipe: a message"
mkdir folder.etl
status 1 "a folder of that name" real etw -q -o folder.etl -d 0.1
says "a folder of that name" "cannot write 'folder.etl': the file cannot be replaced; the complete trace is in "
rmdir folder.etl
recorded "a folder of that name" folder.etl.partial

# From a read-only folder.
cd "$readonly_folder" || exit 1
if (: >written) 2>/dev/null; then
	printf 'not tried, root without mounts: a read-only folder\n'
	rm -f written
else
	status 0 "read-only folder: --version" capture --version
	status 1 "read-only folder: etw" capture etw -d 1
	says "read-only folder" "cannot write 'perftab.etl': "
	status 1 "read-only folder: perflib" capture perflib -n 1
	grep -q 'cannot write perflib.plb: ' "$work/err" || fail "read-only folder: perflib: $(cat "$work/err")"
	status 1 "read-only folder: --selftest" capture --selftest
	says "read-only folder: --selftest" "cannot write perftab-selftest.txt: "
fi
[ "$(ls)" = perftab-capture.exe ] || fail "read-only folder: $(ls)"
cd "$work" || exit 1
finish
