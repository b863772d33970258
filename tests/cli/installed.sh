#!/bin/bash
# installed.sh: all that belongs together is installed: programs, completions, and documents and
# manuals whose references are there.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -d "$PERFTAB_BIN/completions" ] || skip "not all is built"
root=$work/root
cmake --install "$PERFTAB_BIN" --prefix "$root" >"$work/log" 2>&1 || fail "install: $(tail -3 "$work/log")"
doc=$root/share/doc/perftab

for program in perftab-analyze perftab-capture perftab-convert; do
	for file in "bin/$program" "share/man/man1/$program.1" "share/bash-completion/completions/$program" \
		"share/zsh/site-functions/_$program"; do
		[ -s "$root/$file" ] || fail "$file is not installed"
	done
	grep -o "^\.Pa [^ ]*\.md" "$root/share/man/man1/$program.1" >"$work/named"
	[ -s "$work/named" ] || fail "$program.1 names no document"
	while read -r _ file; do
		[[ $file == "$doc"/* && -e $file ]] || fail "$program.1 names $file"
	done <"$work/named"
done
[ -e "$doc/LICENSE" ] || fail "no licence"

find "$doc" -name '*.md' >"$work/documents"
[ "$(wc -l <"$work/documents")" -ge 20 ] || fail "$(wc -l <"$work/documents") documents"
while read -r file; do
	links=$(broken "$file")
	[ -z "$links" ] || fail "${file#"$doc/"}: links to what is not installed: $links"
done <"$work/documents"
# The test itself: the source tree's own README has links that need the whole tree.
cp "$PERFTAB_SOURCE/README.md" "$work/README.md"
[ -n "$(broken "$work/README.md")" ] || fail "no link is found to be broken"
grep -q '\[docs/findings.md\](docs/findings.md)' "$doc/README.md" || fail "links to what is installed are gone"

# The examples of the README find their samples there.
cmp -s "$PERFTAB_SOURCE/sample-traces/perf/good-lossy.data" "$doc/sample-traces/perf/good-lossy.data" ||
	fail "samples are not installed"
finish
