#!/bin/bash
# prefix.sh begin|end: the Wine prefix that the tests of the Windows programs share, 700 MB, and its
# server.  A program starts the server if there is none, and that ends with the program: the next
# one may still meet it, and loses its connection.  So the server is started first.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
[ -x "$wine" ] || missing "wine64 is not installed (scripts/install-packages wine)"
needs_exe
wineserver=$(command -v wineserver64 || echo /usr/lib/wine/wineserver64)
export WINEPREFIX=$windows/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
unset DISPLAY WAYLAND_DISPLAY

stop() {
	[ ! -e "$WINEPREFIX" ] || "$wineserver" -k 2>/dev/null
	rm -rf "$WINEPREFIX"
}

stop
[ "$1" = begin ] || finish
# Creating one hangs sometimes: then create another.
for attempt in 1 2 3; do
	mkdir -p "$WINEPREFIX"
	"$wineserver" -p900 >/dev/null 2>&1 </dev/null || fail "no server: exit status $?"
	timeout 60 "$wine" "$exe" --version >"$work/out" 2>&1 </dev/null && break
	stop
done
[ -e "$WINEPREFIX/drive_c/windows" ] || fail "no prefix after attempt $attempt: $(tail -2 "$work/out")"
finish
