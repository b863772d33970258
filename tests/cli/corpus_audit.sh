#!/bin/bash
# corpus_audit.sh: recordings of others with right counters, real and emulated: none of them is
# contradicted, in particular not where their truth is known (the lab).
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -d "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS names no folder"

recordings=0 judged=0
for file in "$PERFTAB_CORPUS"/lab/*.data "$PERFTAB_CORPUS"/perf/*.data "$PERFTAB_CORPUS"/etw/*.etl; do
	[ -f "$file" ] || continue
	perftab-analyze --json "$file" >"$work/json" 2>/dev/null
	grep -q '"verdict"' "$work/json" || continue
	recordings=$((recordings + 1))
	! grep '"verdict": "contradicted"' "$work/json" || fail "${file##*/}: a counter is contradicted"
	! grep '"kind": "contradicted"' "$work/json" || fail "${file##*/}: has the finding"
	! grep -q '"reason": "nothing that was tested' "$work/json" || judged=$((judged + 1))
done
[ "$recordings" -gt 0 ] || skip "no recording with groups in the corpus"
# Groups with instructions and cycles were looked at, not only passed over.
[ ! -d "$PERFTAB_CORPUS/lab" ] || [ "$judged" -ge 5 ] || fail "only $judged of $recordings recordings were judged"
finish
