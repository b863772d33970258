#!/bin/bash
# hardening.sh: the programs and libraries of an optimised build have what cmake/Hardening.cmake
# asks for, and so do those of other builds in the tree: static ones, packages, other machines.
# scripts/try-packages looks at what is released in the same way.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
command -v readelf >/dev/null || skip "no readelf"
hardened=$PERFTAB_SOURCE/tests/packages/hardened.sh

# is_hardened BUILD
is_hardened() { grep -qs '^PERFTAB_HARDENED:INTERNAL=ON' "$1/CMakeCache.txt"; }

# A program without any of it fails.
if command -v gcc >/dev/null; then
	echo 'int main(void) { return 0; }' >"$work/plain.c"
	gcc -no-pie -fno-stack-protector -Wl,-z,norelro,-z,execstack,-z,lazy -o "$work/plain" "$work/plain.c" 2>"$work/err" ||
		fail "no program: $(head -1 "$work/err")"
	"$hardened" "$work/plain" "$work/plain.c" >"$work/out" && fail "a plain program is hardened"
	grep -v 'no branch protection$' "$work/out" | reads "a plain program" "$work/plain: no RELRO" "$work/plain: an executable stack" \
		"$work/plain: not position-independent" "$work/plain: symbols are bound late" "$work/plain: no stack protector" \
		"$work/plain: no FORTIFY" "$work/plain.c: not an ELF file"
	case $(uname -m) in x86_64 | aarch64) grep -q 'plain: no branch protection$' "$work/out" || fail "a plain program: $(cat "$work/out")" ;; esac
fi

checked=0
for build in "$PERFTAB_BIN" "$PERFTAB_SOURCE"/build/{package,static,static-arm64,arm64,s390x}; do
	is_hardened "$build" || continue
	for file in "$build"/tools/perftab-{convert,analyze,capture} "$build"/lib/{libperftab,perftab}.so; do
		[ -e "$file" ] || continue
		checked=$((checked + 1))
		"$hardened" "$file" >"$work/out" || fail "$(cat "$work/out")"
	done
done
[ ! -e "$work/.failed" ] || finish
is_hardened "$PERFTAB_BIN" || skip "this build is not hardened; $checked files of others were looked at"
[ $checked -gt 0 ] || fail "no program was looked at"

# has WHAT PATTERN FILE: a line of what readelf said
has() { grep -qE -- "$2" "$3" || fail "$1"; }

# The mark of branch protection is only there if all that is linked has it, the C library's
# start as well; else the code of our own is looked at.
file=$PERFTAB_BIN/tools/perftab-convert
readelf -nW "$file" >"$work/notes" 2>"$work/err"
if grep -q 'HAVE_fcf_protection_full:INTERNAL=1' "$PERFTAB_BIN/CMakeCache.txt"; then
	start=$(gcc -print-file-name=crt1.o 2>"$work/err")
	if readelf -nW "$start" 2>"$work/err" | grep -q IBT; then
		has "no IBT and SHSTK" 'IBT.*SHSTK' "$work/notes"
	elif command -v objdump >"$work/out"; then
		objdump -d --no-show-raw-insn "$file" | grep -A1 '<main>:$' >"$work/main"
		has "main() has no mark for CET" 'endbr64' "$work/main"
	fi
fi
if grep -q 'HAVE_mbranch_protection_standard:INTERNAL=1' "$PERFTAB_BIN/CMakeCache.txt"; then
	has "no BTI and PAC" 'BTI.*PAC' "$work/notes"
fi
for flag in -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero; do
	name=$(tr -c 'a-z\n' _ <<<"${flag#-}")
	grep -q "HAVE_$name:INTERNAL=1" "$PERFTAB_BIN/CMakeCache.txt" || continue
	grep -q -- "$flag" "$PERFTAB_BIN/build.ninja" || fail "$flag is known, and not used"
done
# A packager's own level stays.
grep -qE -- '-D_FORTIFY_SOURCE=[23]' "$PERFTAB_BIN/build.ninja" || fail "_FORTIFY_SOURCE is not set"
finish
