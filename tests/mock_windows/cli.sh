#!/bin/bash
# cli.sh NAME [ARGUMENT...]: tests/cli/NAME.sh, or tests/FOLDER/NAME.sh of FOLDER/NAME, with the Windows
# programs under Wine.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
programs_under_wine
script=$1.sh
[[ $script == */* ]] || script=cli/$script
PERFTAB_BIN=$bin PERFTAB_UNDER_WINE=1 bash "$PERFTAB_SOURCE/tests/$script" "${@:2}"
code=$?
[ $code -ne 77 ] || skip "$script is skipped"
[ $code -eq 0 ] || fail "$script: exit status $code"
finish
