#!/bin/bash
# exe.sh: the imports, resources and package of the Windows programs; they are not run.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
needs_exe
objdump=x86_64-w64-mingw32-objdump
version=$(sed -n 's/^project(perftab VERSION \([0-9.]*\).*/\1/p' "$PERFTAB_SOURCE/CMakeLists.txt")

# They import only what every Windows has, so they start where tracing functions are missing.
imports() { # FILE DLL...
	$objdump -p "$1" >"$work/headers"
	sed -n 's/^\tDLL Name: //p' "$work/headers" | tr '[:upper:]' '[:lower:]' | sort >"$work/imports"
	printf '%s\n' "${@:2}" >"$work/wanted"
	same "imports of $1" "$work/wanted" "$work/imports"
	for trait in HIGH_ENTROPY_VA DYNAMIC_BASE NX_COMPAT; do
		grep -q "$trait" "$work/headers" || fail "$1: not $trait"
	done
	$objdump -h "$1" | grep -q debug && fail "$1: not stripped"
}
for program in analyze capture convert; do
	file=$windows/tools/perftab-$program.exe
	imports "$file" advapi32.dll kernel32.dll msvcrt.dll
	for part in '<longPathAware' '<activeCodePage' '>UTF-8<' 'level="asInvoker"' "name=\"perftab-$program\""; do
		grep -aqF -- "$part" "$file" || fail "$program: no $part in the manifest"
	done
	strings -el "$file" >"$work/texts"
	for text in ProductVersion "$version" "perftab-$program.exe"; do
		grep -qxF "$text" "$work/texts" || fail "$program: no '$text' in the version resource"
	done
done
imports "$windows/lib/perftab.dll" advapi32.dll kernel32.dll msvcrt.dll
$objdump -p "$exe" >"$work/headers"
grep -E '(StartTrace|ControlTrace|TraceSetInformation|TraceQueryInformation|Perf[A-Z][a-z]+(CounterSet|Counter|Query))' "$work/headers" &&
	fail "functions of tracing or PerfLib are linked, not looked up"
[ "$(stat -c %s "$exe")" -lt 1048576 ] || fail "$(stat -c %s "$exe") bytes"

# The package: the same bytes each time, with all that the documents name.
cd "$work" || exit 1
status 0 "windows-zip" "$PERFTAB_SOURCE/scripts/windows-zip" --build "$windows" -o "$work"
name=perftab-win64-$version
[ "$(cat "$work/out")" = "$work/$name.zip" ] || fail "windows-zip: $(cat "$work/out" "$work/err")"
cp "$name.zip" first.zip
status 0 "windows-zip again" "$PERFTAB_SOURCE/scripts/windows-zip" --build "$windows" -o "$work"
same "another package" first.zip "$name.zip"
sha256sum --quiet --check "$name.zip.sha256" || fail "the sum of the package"
cmake -E tar xf "$name.zip"
cd "$name" || exit 1
for file in perftab-{analyze,capture,convert}.exe perftab.dll self-test.cmd README.md LICENSE CHANGELOG.md \
	docs/findings.md schema/tables.sql schema/README.md samples/etw/good-basic.etl samples/perf/good-perftab.data \
	licences/{README.md,libcsv.txt,libzstd.txt,sqlite3.txt,zlib.txt,mingw-w64.txt,versions}; do
	[ -s "$file" ] || fail "the package lacks $file"
done
while read -r file; do
	links=$(broken "$file")
	[ -z "$links" ] || fail "$file of the package: links to what is not there: $links"
done < <(find . -name '*.md')
grep -q 'GNU LESSER GENERAL PUBLIC LICENSE' licences/libcsv.txt || fail "the licence of libcsv"
same "the packaged program" "$exe" perftab-capture.exe
grep -qv $'\r$' self-test.cmd && fail "self-test.cmd has lines of Unix"
# Names of files must not differ by case alone, nor be reserved.
find . | tr '[:upper:]' '[:lower:]' | sort | uniq -d | grep . && fail "names that differ by case"
finish
