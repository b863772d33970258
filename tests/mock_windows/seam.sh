#!/bin/bash
# seam.sh: lib/base/os.h on this system; files.sh runs the same program under Wine.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
mkdir "$work/seam"
status 0 "seam" seam "$work/seam"
grep -qx good "$work/out" || fail "seam: $(cat "$work/out")"
rmdir "$work/seam" || fail "seam: leaves $(ls "$work/seam")"
finish
