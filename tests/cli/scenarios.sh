#!/bin/bash
# scenarios.sh NAME...: every scenario that make_trace knows is in a test.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
make_trace --list | sort >"$work/known"
printf '%s\n' "$@" | sort >"$work/tested"
same "make_trace --list and tests/CMakeLists.txt" "$work/known" "$work/tested"
finish
