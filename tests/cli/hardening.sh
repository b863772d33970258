#!/bin/bash
# hardening.sh: the programs and libraries of an optimised build have what cmake/Hardening.cmake
# asks for.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
grep -q '^PERFTAB_HARDENED:INTERNAL=ON' "$PERFTAB_BIN/CMakeCache.txt" || skip "this build is not hardened"
command -v readelf >/dev/null || skip "no readelf"

# has WHAT PATTERN FILE: a line of what readelf said
has() { grep -qE -- "$2" "$3" || fail "$1"; }

for file in tools/perftab-convert tools/perftab-analyze tools/perftab-capture lib/libperftab.so lib/perftab.so; do
	program=${file#*/}
	file=$PERFTAB_BIN/$file
	[ -e "$file" ] || continue
	readelf -hldW "$file" >"$work/elf" 2>"$work/err"
	readelf -sW "$file" >"$work/symbols" 2>"$work/err"
	has "$program: no PIE" 'Type: +DYN' "$work/elf"
	has "$program: no RELRO" 'GNU_RELRO' "$work/elf"
	has "$program: symbols are bound late" 'BIND_NOW|FLAGS_1.*NOW' "$work/elf"
	has "$program: an executable stack" 'GNU_STACK.* RW ' "$work/elf"
	has "$program: no stack protector" '__stack_chk_fail' "$work/symbols"
	has "$program: no FORTIFY" '__(vsnprintf|snprintf|memcpy|fprintf)_chk' "$work/symbols"
done

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
