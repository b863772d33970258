#!/bin/bash
# run.sh [--update]: what perftab-analyze prints for the samples, against what it printed
# when it was last reviewed.  --update rewrites the expectations; review the diff.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
golden=$PERFTAB_SOURCE/tests/golden
cd "$PERFTAB_SOURCE/sample-traces/perf" || exit 1

while read -r name input options; do
	case $name in '' | '#'*) continue ;; esac
	# shellcheck disable=SC2086
	perftab-analyze $options "$input" >"$work/$name.txt" 2>&1
	if [ "${1:-}" = --update ]; then
		cp "$work/$name.txt" "$golden/$name.txt"
	else
		same "golden $name" "$golden/$name.txt" "$work/$name.txt"
	fi
done <"$golden/cases.txt"
finish
