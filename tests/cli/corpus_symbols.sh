#!/bin/bash
# corpus_symbols.sh: addresses of samples and call chains have the functions and modules that
# simpleperf and Windows themselves put into a trace; tests/corpus/symbols.tsv has them.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
cd "$work" || exit 1
grep -v '^#' "$PERFTAB_SOURCE/tests/corpus/symbols.tsv" >wanted
[ "$(wc -l <wanted)" -ge 60 ] || fail "symbols.tsv has $(wc -l <wanted) lines"

# All addresses of the trace, as symbols.tsv has them, with each kind of offset.
frames() {
	sqlite3 -batch -separator $'\t' "$1" "WITH frame AS (SELECT coalesce(pid, '-') AS pid, printf('%x', address) AS address, module,
			coalesce(symbol, '-') AS symbol, iif(symbol IS NULL, module_offset, offset) AS at
			FROM frame_symbol LEFT JOIN process USING (process_id))
		SELECT DISTINCT pid, address, module, symbol, at FROM frame
		UNION SELECT pid, address, module, symbol, '-' FROM frame WHERE symbol = '-'"
}
cut -f1 wanted | sort -u >files
while IFS= read -r file; do
	rm -f db
	perftab-convert "$PERFTAB_CORPUS/$file" -o db 2>err || [ $? -eq 3 ] || fail "$file: $(head -1 err)"
	frames db | sort >got
	awk -F'\t' -v file="$file" -v OFS='\t' '$1 == file { print $2, $3, $4, $5, $6 }' wanted | sort >lines
	while IFS= read -r line; do
		fail "${file##*/}: not found: $line; there is: $(grep -F -- "$(cut -f1-2 <<<"$line")	" got | head -1)"
	done < <(comm -23 lines got)
	# What has a name shows it in the report too, and no sample is lost.
	perftab-analyze --by symbol --json db >report.json 2>/dev/null
	holds "$file: samples by function" db "$(sql db 'SELECT count(*) FROM sample')" \
		"SELECT sum(value ->> 'samples') FROM json_each(CAST(readfile('report.json') AS TEXT), '\$.traces[0].sampling.symbols')"
	# Nor is one of its process and thread in folded stacks.
	while IFS= read -r event; do
		folds "$file" "$PERFTAB_CORPUS/$file" "$event"
	done < <(sql db "SELECT DISTINCT name FROM counter JOIN sample USING (counter_id)")
done <files
finish
