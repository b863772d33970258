#!/bin/bash
# style.sh: C files are formatted as .clang-format says, texts are spelled right.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
command -v clang-format >/dev/null || skip "clang-format is not installed"
cd "$PERFTAB_SOURCE" || exit 1

find lib tools bench tests -name '*.[ch]' | sort >"$work/files"
xargs clang-format --dry-run -Werror <"$work/files" >"$work/out" 2>&1 ||
	fail "not formatted: $(grep -oE '^[^ :]+\.[ch]' "$work/out" | sort -u | tr '\n' ' ')"
if command -v codespell >/dev/null; then
	codespell --quiet-level 2 --skip '*.data,*.json,good-dump.txt,build,.git,names.*,perf.dict,seeds' \
		--ignore-words-list 'tabl,ans,inout,ot,nd,iif,nin,ndoes' . >"$work/out" || fail "$(head -5 "$work/out")"
fi
finish
