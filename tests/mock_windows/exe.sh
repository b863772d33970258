#!/bin/bash
# exe.sh: the imports, resources and package of perftab-capture.exe; it is not run.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
needs_exe
objdump=x86_64-w64-mingw32-objdump

# It imports only what every Windows has, so it starts where tracing functions are missing.
$objdump -p "$exe" >"$work/headers"
sed -n 's/^\tDLL Name: //p' "$work/headers" | tr '[:upper:]' '[:lower:]' | sort >"$work/imports"
printf '%s\n' advapi32.dll kernel32.dll msvcrt.dll >"$work/wanted"
same "imports" "$work/wanted" "$work/imports"
(cd "$PERFTAB_SOURCE/tools" && grep -rlE '#include <windows\.h>' . | grep -v '^./capture/windows/api/') &&
	fail "windows.h is included outside capture/windows/api"
grep -E '(StartTrace|ControlTrace|TraceSetInformation|TraceQueryInformation|Perf[A-Z][a-z]+(CounterSet|Counter|Query))' "$work/headers" &&
	fail "functions of tracing or PerfLib are linked, not looked up"
for trait in HIGH_ENTROPY_VA DYNAMIC_BASE NX_COMPAT; do
	grep -q "$trait" "$work/headers" || fail "not $trait"
done

[ "$(stat -c %s "$exe")" -lt 1048576 ] || fail "$(stat -c %s "$exe") bytes"
$objdump -h "$exe" | grep -q debug && fail "not stripped"
for part in '<longPathAware' '<activeCodePage' '>UTF-8<' 'level="asInvoker"'; do
	grep -aqF -- "$part" "$exe" || fail "no $part in the manifest"
done
version=$(sed -n 's/^project(perftab VERSION \([0-9.]*\).*/\1/p' "$PERFTAB_SOURCE/CMakeLists.txt")
strings -el "$exe" >"$work/texts"
for text in ProductVersion "$version" perftab-capture.exe; do
	grep -qxF "$text" "$work/texts" || fail "no '$text' in the version resource"
done

# The package: the program, docs/windows.md and the licence.
cd "$work" || exit 1
status 0 "cpack" cpack --config "$windows/CPackConfig.cmake" -B "$work/package"
zip=$work/package/perftab-capture-$version-win64.zip
[ -e "$zip" ] || { fail "no $zip: $(ls package)"; finish; }
mkdir unpacked && cd unpacked || exit 1
cmake -E tar xf "$zip"
find . -type f | sort >"$work/files"
printf './perftab-capture-%s-win64/%s\n' "$version" LICENSE "$version" README.md "$version" perftab-capture.exe >"$work/wanted"
same "files in the package" "$work/wanted" "$work/files"
same "the packaged program" "$exe" "perftab-capture-$version-win64/perftab-capture.exe"
finish
