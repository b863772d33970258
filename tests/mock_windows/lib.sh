# lib.sh - shared by the tests of perftab-capture.exe; source tests/cli/lib.sh before it.
# With PERFTAB_REQUIRE_WINDOWS set, as in CI, a missing tool is a failure.
windows=$PERFTAB_BIN/windows
exe=$windows/tools/perftab-capture.exe
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)

missing() {
	[ -z "${PERFTAB_REQUIRE_WINDOWS:-}" ] || { fail "$*"; finish; }
	skip "$*"
}

needs_exe() {
	[ -e "$exe" ] || missing "perftab-capture.exe is not built (scripts/install-packages mingw)"
}
