#!/bin/bash
# golden.sh: the golden cases by perftab-analyze.exe under Wine.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
programs_under_wine
PERFTAB_BIN=$bin PERFTAB_UNDER_WINE=1 bash "$PERFTAB_SOURCE/tests/golden/run.sh" || fail "golden cases"
finish
