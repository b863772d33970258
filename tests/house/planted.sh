#!/bin/bash
# planted.sh - every check of this folder fails on a fault planted for it, and names the fault.
#
#   PERFTAB_CC=cc planted.sh
set -u
export LC_ALL=C
house=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/perftab-house.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
	failures=$((failures + 1))
	printf 'FAIL: %s\n' "$*" >&2
	sed 's/^/    /' "$work/out" >&2
}

# passes CHECK ARGUMENTS...
passes()
{
	bash "$house/$1" "${@:2}" >"$work/out" 2>&1 || fail "$1 fails on a clean tree"
}

# refuses LINE CHECK ARGUMENTS...: it fails, and prints this line
refuses()
{
	if bash "$house/$2" "${@:3}" >"$work/out" 2>&1; then
		fail "$2 passes, expected: $1"
	elif ! grep -qxF -- "$1" "$work/out"; then
		fail "$2 does not print: $1"
	fi
}

# tree: an empty source tree in $work/tree
tree()
{
	rm -rf "$work/tree" "$work/build"
	mkdir -p "$work/tree/"{lib/base,lib/model,lib/formats/perf,tools/analyze,bench,tests/house} "$work/build"
	: >"$work/tree/CMakeLists.txt"
}

# put FILE: a file of the tree, from standard input
put()
{
	mkdir -p "$(dirname "$work/tree/$1")"
	cat >"$work/tree/$1"
}

# c_file FILE CODE: a C file that has a purpose
c_file()
{
	printf '/* A file that was planted for a test. */\n%s\n' "$2" | put "$1"
}

# compile: objects of the whole tree, and compile_commands.json as CMake writes it
compile()
{
	local file object separator=
	{
		echo '['
		while read -r file; do
			object=objects/${file//\//_}.o
			mkdir -p "$work/build/objects"
			"${PERFTAB_CC:-cc}" -w -I"$work/tree/lib" -o "$work/build/$object" \
				-c "$work/tree/$file" || fail "$file does not compile"
			printf '%s{\n  "directory": "%s",\n' "$separator" "$work/build"
			printf '  "command": "cc -w -I%s/lib -o %s -c %s",\n' "$work/tree" "$object" \
				"$work/tree/$file"
			printf '  "file": "%s"\n}' "$work/tree/$file"
			separator=$',\n'
		done < <(cd "$work/tree" && find lib tools -name '*.c' | sort)
		printf '\n]\n'
	} >"$work/build/compile_commands.json"
}

graph()
{
	printf '%s\n' 'lib/base:' 'lib/model: lib/base' 'lib/formats/perf: lib/model zstd' \
		'tools/analyze: lib' >"$work/rules"
	printf '%s\n' "${circles[@]}" >"$work/circles"
	compile
}

graph_refuses()
{
	graph
	refuses "symbol_graph: $1" symbol_graph "$work/build" "$work/tree" "$work/rules" "$work/circles"
}

# --- the graph of symbols

graph_tree()
{
	circles=('# none')
	tree
	c_file lib/base/text.c 'int text_length(void) { return 1; }'
	c_file lib/model/row.c 'int row_size(void) { return text_length(); }'
	c_file lib/formats/perf/walk.c 'int walk(void) { return row_size() + text_length() + ZSTD_x(); }'
	c_file tools/analyze/main.c 'int main(void) { return walk(); }'
}

graph_tree
graph
passes symbol_graph "$work/build" "$work/tree" "$work/rules" "$work/circles"

c_file lib/base/text.c 'int text_length(void) { return row_size(); }'
graph_refuses 'lib/base/text.c: uses row_size of lib/model/row.c, which lib/base must not use'
graph_refuses 'circle of 2 files: lib/base/text.c lib/model/row.c'
refuses '  lib/base/text.c -> lib/model/row.c: row_size' \
	symbol_graph "$work/build" "$work/tree" "$work/rules" "$work/circles"

graph_tree
c_file lib/model/a.c 'int a(void) { return b(); }'
c_file lib/model/b.c 'int b(void) { return c(); }'
c_file lib/model/c.c 'extern int a_table[]; int c(void) { return a_table[0]; }'
c_file lib/model/d.c 'int a_table[1]; int d(void) { return 1; }'
graph
passes symbol_graph "$work/build" "$work/tree" "$work/rules" "$work/circles"
c_file lib/model/d.c 'int a_table[1]; int d(void) { return e(); }'
c_file lib/model/e.c 'int e(void) { return b(); }'
graph_refuses 'circle of 4 files: lib/model/b.c lib/model/c.c lib/model/d.c lib/model/e.c'
circles=('lib/model/e.c lib/model/d.c lib/model/c.c lib/model/b.c # planted')
graph
passes symbol_graph "$work/build" "$work/tree" "$work/rules" "$work/circles"
circles+=('lib/model/a.c lib/model/row.c # planted')
graph_refuses "no such circle any more, remove it from $work/circles: lib/model/a.c lib/model/row.c"

graph_tree
c_file lib/model/row.c 'int row_size(void) { return ZSTD_compress(); }'
graph_refuses 'lib/model/row.c: uses ZSTD_compress of zstd, which lib/model must not use'
graph_tree
put lib/base/text.h <<<'/* A header that was planted for a test. */'
put lib/model/row.h <<<'#include "base/text.h"'
graph
passes symbol_graph "$work/build" "$work/tree" "$work/rules" "$work/circles"
put lib/base/text.h <<<'#include "model/row.h"'
graph_refuses 'lib/base/text.h: includes lib/model/row.h, which lib/base must not use'
graph_tree
c_file lib/output/csv.c 'int csv;'
graph_refuses "lib/output/csv.c: its folder has no rule in $work/rules"
rm "$work/build/objects/lib_output_csv.c.o"
refuses "symbol_graph: $work/build/objects/lib_output_csv.c.o: not built (of lib/output/csv.c)" \
	symbol_graph "$work/build" "$work/tree" "$work/rules" "$work/circles"

# --- words

words_tree()
{
	tree
	{
		printf '%s\t-\t%s\n' nobody 'name the thing'
		printf '%s\t%s\t%s\n' 'cannot be' 'cannot be [a-z]+ed' invalid
	} | put tests/house/words.txt
	printf '# none\n' | put tests/house/words_allowed.txt
	put README.md <<<'A file that cannot be opened is skipped.'
}

words_tree
passes words "$work/tree"
put lib/base/text.c <<<'/* Nobody reads it. */'
refuses 'lib/base/text.c:1: nobody: name the thing' words "$work/tree"
put lib/base/text.c <<<'int nobody_reads(void);'
refuses 'lib/base/text.c:1: nobody: name the thing' words "$work/tree"
put lib/base/text.c < <(printf '/* a size that cannot\n * be, skipped */\n')
refuses 'lib/base/text.c:1: cannot be: invalid' words "$work/tree"
put lib/base/text.c < <(printf '/* a file that cannot be\n * opened */\n')
passes words "$work/tree"
put lib/base/text.c < <(printf 'fail("a size that cannot "\n     "be");\n')
refuses 'lib/base/text.c:1: cannot be: invalid' words "$work/tree"
put lib/base/text.c <<<'/* clean */'
put scripts/demo < <(printf '#!/bin/bash\n# nobody\n')
chmod +x "$work/tree/scripts/demo"
refuses 'scripts/demo:2: nobody: name the thing' words "$work/tree"
put tests/house/words_allowed.txt < <(printf '%s\t%s\t%s\n' 'scripts/*' nobody 'the name of a user')
passes words "$work/tree"
rm "$work/tree/scripts/demo"
refuses 'words_allowed.txt: unused: scripts/*: nobody' words "$work/tree"

# --- references

tree
put README.md <<<'See docs/bills.md, lib/base/text.c, `text.c`, lib/base and <stdio.h>.'
put docs/bills.md <<<'Bills.'
c_file lib/base/text.c ''
put tests/house/references_allowed.txt <<<'# none'
passes references "$work/tree"
rm "$work/tree/docs/bills.md"
refuses 'README.md:1: docs/bills.md: no such file' references "$work/tree"
rm "$work/tree/lib/base/text.c"
refuses 'README.md:1: text.c: no such file' references "$work/tree"
put tests/house/references_allowed.txt < <(printf 'docs/bills.md # planted\ntext.c # planted\n')
passes references "$work/tree"
put README.md <<<'The reader is in lib/readers; lib/base is not.'
refuses 'README.md:1: lib/readers: no such folder' references "$work/tree"
put tests/house/references_allowed.txt <<<'text.c'
refuses 'tests/house/references_allowed.txt: text.c: no reason given' references "$work/tree"

# --- sources

tree
c_file lib/base/text.c 'int text;'
put CMakeLists.txt < <(printf 'add_library(base\n\ta.c\n\tb.c)\nadd_executable(main main.c)\n')
passes sources "$work/tree"
put CMakeLists.txt < <(printf 'add_library(base\n\tb.c\n\ta.c)\n')
refuses 'CMakeLists.txt:3: a.c after b.c: sources are sorted' sources "$work/tree"
put CMakeLists.txt < <(printf 'add_library(base a.c b.c)\n')
refuses 'CMakeLists.txt:1: 2 source files in one line' sources "$work/tree"
: >"$work/tree/CMakeLists.txt"
put lib/base/map.c <<<'int map;'
refuses 'lib/base/map.c: begins without a comment that says its purpose' sources "$work/tree"
put lib/base/map.c <<<'/* map.c: see map.h. */'
refuses 'lib/base/map.c: its first comment does not say its purpose' sources "$work/tree"
put lib/base/map.c <<<'/* hash.c - finds pointers by their keys. */'
refuses 'lib/base/map.c: its first comment names hash.c' sources "$work/tree"
put lib/base/map.c <<<'/* base/map.c - finds pointers by their keys. */'
refuses 'lib/base/map.c: its first comment names base/map.c' sources "$work/tree"
put lib/base/map.c <<<'/* map.c - finds pointers by their keys. */'
passes sources "$work/tree"
for guard in MAP_H BASE_MAP_H; do
	c_file lib/base/map.h "$(printf '#ifndef PERFTAB_%s\n#define PERFTAB_%s\n' $guard $guard)"
	passes sources "$work/tree"
done
for guard in PERFTAB_HASH_H PERFTAB_H PERFTAB_FORMATS_MAP_H PERFTAB_BITMAP_H MAP_H; do
	c_file lib/base/map.h "#ifndef $guard"
	refuses 'lib/base/map.h:2: the guard is not PERFTAB_ and the end of its path, such as PERFTAB_MAP_H' sources "$work/tree"
done
c_file lib/base/map.h '#include <stddef.h>'
refuses 'lib/base/map.h:2: the guard is not PERFTAB_ and the end of its path, such as PERFTAB_MAP_H' sources "$work/tree"
rm "$work/tree/lib/base/map.h"
c_file lib/base/map.c "$(printf 'int x;\n%.0s' {1..600})"
refuses 'lib/base/map.c: 601 lines, at most 600' sources "$work/tree"
c_file lib/base/map.c "$(printf 'int f(void)\n{\n'; printf '\tx();\n%.0s' {1..61}; echo '}')"
refuses 'lib/base/map.c:3: a function of 61 lines, at most 60' sources "$work/tree"
mkdir -p "$work/tree/lib/model"
c_file lib/model/row.c 'char *row(void) { return malloc(4); }'
refuses 'lib/model/row.c:2: allocates without lib/base/memory.h' sources "$work/tree"
rm -r "$work/tree/lib/model"
c_file lib/base/map.c "$(printf '\t/* %083d */' 0)"
refuses 'lib/base/map.c:2: a comment of 97 columns, at most 90' sources "$work/tree"
c_file lib/base/map.c "$(printf '/* One line.\n */')"
refuses 'lib/base/map.c:3: the end of a comment of one line' sources "$work/tree"
c_file lib/base/map.c '#include "tests/unit/unit.h"'
refuses 'lib/base/map.c:2: includes tests/unit/unit.h: lib and tools know nothing of tests' sources "$work/tree"
c_file lib/base/map.c '#include <Windows.h>'
refuses 'lib/base/map.c:2: includes Windows.h: only lib/base/os_windows*.c and tools/capture/windows/api do' \
	sources "$work/tree"
c_file lib/base/map.c ''
c_file lib/base/map.c '#include <fcntl.h>'
refuses 'lib/base/map.c:2: includes fcntl.h: lib/base/os.h is the way to the system' sources "$work/tree"
rm "$work/tree/lib/base/map.c"
c_file lib/base/os_posix_more.c '#include <sys/stat.h>'
passes sources "$work/tree"
rm "$work/tree/lib/base/os_posix_more.c"
c_file lib/base/map.c '#include "base/map_private.h"'
passes sources "$work/tree"
c_file lib/base/map.c '#include "model/private.h"'
refuses 'lib/base/map.c:2: includes model/private.h: only its own folder and tests do' sources "$work/tree"
c_file lib/base/map.c ''
c_file bench/map.c '#include "base/map_private.h"'
refuses 'bench/map.c:2: includes base/map_private.h: only its own folder and tests do' sources "$work/tree"
rm "$work/tree/bench/map.c"
c_file tests/generate/make.c '#include "base/map.c"'
refuses 'tests/generate/make.c:2: includes base/map.c: generators know nothing of lib' sources "$work/tree"

# --- messages

tree
mkdir -p "$work/tree/tests/unit"
c_file lib/base/text.c "$(printf 'int f(int a)\n{\n\treturn error_set(a,\n\t\t"a text of %%d bytes, "\n\t\t"expected at most 9", a);\n}')"
put tests/house/messages_untested.txt <<<'# none'
put tests/unit/test_text.c <<<'assert_text("this text of 7 bytes");'
refuses 'lib/base/text.c:4: a text of %d bytes, expected at most 9: no test names it' messages "$work/tree"
put tests/unit/test_text.c < <(printf 'assert_text("a text of 10 bytes, expected "\n\t"at most 9");\n')
passes messages "$work/tree"
put tests/house/messages_untested.txt <<<'a text of %d bytes, expected at most 9 # planted'
refuses 'tests/house/messages_untested.txt: a text of %d bytes, expected at most 9: a test names it' messages "$work/tree"
put tests/unit/test_text.c <<<''
passes messages "$work/tree"
put tests/house/messages_untested.txt <<<'a text of %d bytes, expected at most 9'
refuses 'tests/house/messages_untested.txt: a message without a reason: a text of %d bytes, expected at most 9' \
	messages "$work/tree"
printf 'a text of %%d bytes, expected at most 9 # planted\nanother text # planted\n' | put tests/house/messages_untested.txt
refuses 'tests/house/messages_untested.txt: another text: no such message' messages "$work/tree"

# --- mutants

# faults LINE...: a list of them
faults()
{
	printf '%s\n' "$@" | put tests/mutants/base.list
}

tree
c_file lib/base/text.c "$(printf 'int f(int a);\nint f(int a)\n{\n\treturn a <\n\t\t3;\n}\nint g(void)\n{\n\treturn f(1);\n}')"
faults 'fault A1 lib/base/text.c f' 'what < became <=' 'old a < 3' 'new a <= 3'
passes mutants "$work/tree"
faults 'fault A1 lib/base/text.c g' 'what < became <=' 'old a < 3' 'new a <= 3'
refuses 'tests/mutants/base.list:1: A1: its old text is in g of lib/base/text.c 0 times, expected once' \
	mutants "$work/tree"
faults 'fault A1 lib/base/text.c h' 'what < became <=' 'old a < 3' 'new a <= 3'
refuses 'tests/mutants/base.list:1: A1: no function h in lib/base/text.c' mutants "$work/tree"
faults 'fault A1 lib/base/text.c -' 'what f is g' 'old f(' 'new g('
refuses 'tests/mutants/base.list:1: A1: its old text is in - of lib/base/text.c 3 times, expected once' \
	mutants "$work/tree"
faults 'fault A1 lib/base/text.c f' 'what nothing' 'old a < 3' 'new a<3'
refuses 'tests/mutants/base.list:1: A1: the new text is the old one' mutants "$work/tree"

# --- prefetch

if [[ $(uname -m) == x86_64 ]]; then
	tree
	c_file lib/base/text.c 'void f(const char *at) { /* prefetch(at) */ __builtin_prefetch(at); }'
	compile
	passes prefetch "$work/build" "$work/tree"
	c_file lib/base/text.c 'static void prefetch(const char *at) {} void f(const char *at) { prefetch(at); }'
	compile
	refuses 'prefetch: lib/base/text.c: its machine code never asks for memory' prefetch "$work/build" "$work/tree"
fi

# --- format

if command -v clang-format >/dev/null; then
	tree
	cp "$house/../../.clang-format" "$work/tree"
	printf '/* Planted. */\nint main(void)\n{\n\treturn 0;\n}\n' | put lib/base/text.c
	passes format "$work/tree"
	put docs/bills.md < <(printf 'a\n%s HEAD\nb\n' '<<<<<<<')
	refuses './docs/bills.md:2:<<<<<<< HEAD' format "$work/tree"
	rm "$work/tree/docs/bills.md"
	printf 'int main(void) { return 0; }\n' | put lib/base/text.c
	refuses 'lib/base/text.c:1:15: error: code should be clang-formatted [-Wclang-format-violations]' \
		format "$work/tree" "$work/formatted"
	[[ ! -e $work/formatted ]] || fail 'format left a stamp where it failed'
	printf '/* Planted. */\nint main(void)\n{\n\treturn 0;\n}\n' | put lib/base/text.c
	passes format "$work/tree" "$work/formatted"
	printf 'int main(void) { return 0; }\n' | put lib/base/text.c
	touch -d '+1 second' "$work/tree/lib/base/text.c"
	refuses 'lib/base/text.c:1:15: error: code should be clang-formatted [-Wclang-format-violations]' \
		format "$work/tree" "$work/formatted"
fi

((failures == 0))
