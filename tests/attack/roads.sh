#!/bin/bash
# roads.sh [--short]: convert, analyze of an input and analyze of its database agree on
# mutants of inputs of all formats.  PERFTAB_BIN and PERFTAB_SOURCE as for the tests in
# tests/cli.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
command -v python3 >/dev/null || skip "no python3"
samples=$PERFTAB_SOURCE/sample-traces
mutants=6000
[ "${1-}" != --short ] || mutants=32
mkdir "$work/in" "$work/mutants"
make_perf "$work/in" && make_winperf "$work/in" || fail "make_perf, make_winperf"
rm "$work/in/odd-many-mappings.data" # only a conversion names addresses: its finding is not of all roads
for form in file pipe zstd; do
	mkdir "$work/in/$form"
	make_trace --form $form --switches 60 everything "$work/in/$form" || fail "make_trace --form $form"
done
python3 "$PERFTAB_SOURCE/tests/attack/roads.py" --bin "$PERFTAB_BIN/tools" --work "$work/mutants" --mutants $mutants --seed 17 \
	"$work"/in/*.{data,blg,v1} "$work"/in/*/everything.data "$samples"/perf/*.data "$samples"/etw/*.{etl,txt} "$samples"/perflib/*.plb ||
	fail "roads.py"
finish
