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

# programs_under_wine: below $bin, perftab-convert and perftab-analyze are those for Windows, and all
# else is that of $PERFTAB_BIN.  Needs the prefix that prefix.sh makes.
programs_under_wine() {
	local program
	bin=$work/bin
	needs_exe
	[ -x "$wine" ] || missing "wine64 is not installed (scripts/install-packages wine)"
	[ -e "$windows/prefix" ] || missing "no Wine prefix: run prefix.sh begin"
	export WINEPREFIX=$windows/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
	unset DISPLAY WAYLAND_DISPLAY
	mkdir -p "$bin/tools"
	for program in convert analyze; do
		# Wine loses arguments that are not ASCII in the locale C.
		printf '#!/bin/sh\nLC_ALL=C.UTF-8 exec %s %s "$@"\n' "$wine" "$windows/tools/perftab-$program.exe" \
			>"$bin/tools/perftab-$program"
		chmod +x "$bin/tools/perftab-$program"
	done
	for program in tests lib bench; do
		ln -s "$PERFTAB_BIN/$program" "$bin/$program"
	done
}
