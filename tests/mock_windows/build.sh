#!/bin/bash
# build.sh: cross-builds perftab-capture.exe into $PERFTAB_BIN/windows for the other tests.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
command -v x86_64-w64-mingw32-gcc >/dev/null ||
	missing "gcc-mingw-w64-x86-64-win32 is not installed (scripts/install-packages mingw)"

cd "$PERFTAB_SOURCE" || exit 1
# What .ci/run has built there, with its options, stays as it is.
[ -e "$windows/CMakeCache.txt" ] || status 0 "configure" cmake --preset mingw -B "$windows"
status 0 "build" cmake --build "$windows"
grep -i 'warning' "$work/out" && fail "warnings"
[ -e "$exe" ] || fail "no $exe: $(tail -3 "$work/out")"
finish
