#!/bin/bash
# run.sh [--update]: what perftab-analyze prints for the samples, against what it printed
# when it was last reviewed.  --update rewrites the expectations; review the diff.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
watched_starts
golden=$PERFTAB_SOURCE/tests/golden
cd "$PERFTAB_SOURCE/sample-traces/perf" || exit 1

cases() { grep -v -e '^#' -e '^$' "$golden/cases.txt"; }

# The samples are what is given last.
cases | awk '{ line = $1 "\tperftab-analyze"; for (i = 3; i <= NF; i++) line = line "\t" $i; print line "\t" $2 }' >"$work/lines"
run_lines --together "$work" <"$work/lines"
while read -r name _; do
	if [ "${1:-}" = --update ]; then
		cp "$work/$name.out" "$golden/$name.txt"
	else
		same "golden $name" "$golden/$name.txt" "$work/$name.out"
	fi
done < <(cases)
finish
