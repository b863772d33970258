#!/bin/bash
# cli.sh NAME [ARGUMENT...]: tests/cli/NAME.sh with the Windows programs under Wine.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
programs_under_wine
PERFTAB_BIN=$bin PERFTAB_UNDER_WINE=1 bash "$PERFTAB_SOURCE/tests/cli/$1.sh" "${@:2}"
code=$?
[ $code -ne 77 ] || skip "$1.sh is skipped"
[ $code -eq 0 ] || fail "$1.sh: exit status $code"
finish
