#!/bin/bash
# findings.sh: findings that no sample and no seed has, each from a file made for it; and tests
# name every kind there is.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1

# found KIND WHAT COMMAND...: its database has that finding; what it prints says so
found() {
	local kind=$1 what=$2
	shift 2
	"$@" -f -o made.db >out 2>err
	holds "$what" made.db 1 "SELECT count(*) FROM finding WHERE kind = '$kind'"
}

make_etw single_stream . >/dev/null || fail "make_etw single_stream"
found one_stream "all CPUs in one stream" perftab-convert single_stream.etl
make_perf . odd-payload && make_perf . odd-many-mappings || fail make_perf
found skipped_payload "hardware trace data" perftab-convert odd-payload.data
holds "what follows it is read" made.db 2 "SELECT count(*) FROM sample"
under_wine || found symbol_limit "an address with 40 mappings" perftab-convert --symbols odd-many-mappings.data

# The kinds, where a test expects them: as constants in C; as words between quotes, alone or
# before a bar; before a count, as in answers and golden cases; of found and finding in scripts;
# in lists of planned findings.  Other names, as of functions and tests, prove nothing.
sed -n 's/^FINDING(\([A-Z0-9_]*\),.*/\1/p' "$PERFTAB_SOURCE/lib/model/findings.def" >kinds
[ "$(wc -l <kinds)" -gt 100 ] || fail "findings.def has $(wc -l <kinds) kinds"
find "$PERFTAB_SOURCE/tests" -path '*/mutants' -prune -o -path '*/fuzz/seeds*' -prune -o -name '*.md' -prune -o -type f -print0 |
	xargs -0 grep -ohE "\bFINDING_[A-Z0-9_]+|['\"][a-z][a-z0-9_]*['\"|]|\b[a-z][a-z0-9_]*:[0-9]+\b|(^|[(|&])[[:blank:]]*(found|finding) [a-z0-9_]+|^FINDINGS=[a-z0-9_,]+" |
	sed -E 's/^FINDING(S=|_)//; s/:[0-9]+$//; s/.*(found|finding) //' |
	tr , '\n' | tr -d "'\"|" | tr a-z A-Z | sort -u >named
for kind in $(sort kinds | comm -23 - named); do fail "no test names the finding $kind"; done
finish
