#!/bin/bash
# hardened.sh FILE...: each ELF program or library has what cmake/Hardening.cmake asks for, as far
# as the file itself shows it, stripped and static ones too.  Prints what is missing; exit status 1.
#
# A static program has the C library's own stack protector and FORTIFY, which look like ours; its
# branch protection is ours alone, as Debian's libraries have none.
set -u
export LC_ALL=C
missing=0
# Instructions that only branch protection makes: endbr64, paciasp.
declare -A marks=([X86-64]='\xf3\x0f\x1e\xfa' [AArch64]='\x3f\x23\x03\xd5')
MARKS_MIN=100 # of thousands of functions; a few are chance, or assembly code of libraries

# has FILE WHAT PATTERN: a line of what readelf said
has() { grep -qE -- "$3" <<<"$elf" || lacks "$1" "$2"; }
lacks() { printf '%s: %s\n' "$1" "$2" && missing=1; }

for file; do
	elf=$(readelf -hldW "$file" 2>&1) || { lacks "$file" "not an ELF file" && continue; }
	symbols=$(readelf -sW "$file" 2>/dev/null)
	machine=$(grep -oE "Machine:.*(X86-64|AArch64|S/390)" <<<"$elf" | grep -oE '[^ ]+$')
	has "$file" "no RELRO" 'GNU_RELRO'
	has "$file" "an executable stack" 'GNU_STACK.* RW '
	! grep -qE 'LOAD .* RWE ' <<<"$elf" || lacks "$file" "memory that is written and executed"
	# The recorder for other machines has a fixed address: it reads no trace.
	if ! grep -qE 'Type: +EXEC' <<<"$elf" || grep -q INTERP <<<"$elf"; then
		has "$file" "not position-independent" 'Type: +DYN'
		has "$file" "symbols are bound late" 'BIND_NOW|FLAGS_1.*NOW'
	elif [ "$(basename "$file")" != perftab-capture ]; then
		lacks "$file" "not position-independent"
	fi
	grep -q '__stack_chk_fail' <<<"$symbols" || grep -q 'stack smashing detected' "$file" ||
		lacks "$file" "no stack protector"
	grep -qE '__(vsnprintf|snprintf|memcpy|fprintf)_chk' <<<"$symbols" || grep -q 'buffer overflow detected' "$file" ||
		lacks "$file" "no FORTIFY"
	mark=${marks[$machine]-}
	[ -z "$mark" ] || [ "$(grep -obUaP "$mark" "$file" | wc -l)" -ge $MARKS_MIN ] || lacks "$file" "no branch protection"
done
exit $missing
