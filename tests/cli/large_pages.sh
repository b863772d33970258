#!/bin/bash
# large_pages.sh: the heap of perftab-analyze and perftab-convert is to come in large pages, but for its beginning.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_RELEASE:-}" ] || skip "no build without sanitizers, which have a heap of their own"
[ -e /sys/kernel/mm/transparent_hugepage ] || skip "this kernel has no large pages"
delivered_programs

# heap PID: "SIZE_KB FLAGS" of each part of the heap
heap() { awk '/\[heap\]$/ { in_heap = 1 } in_heap && /^Size:/ { size = $2 } in_heap && /^VmFlags:/ { print size, $0; in_heap = 0 }' "/proc/$1/smaps"; }

mkfifo "$work/trace" || fail "no pipe"
for program in perftab-analyze "perftab-convert --to null"; do
	$program "$work/trace" >"$work/out" 2>"$work/err" &
	exec 3>"$work/trace" # it has begun, and waits for bytes
	heap $! >"$work/heap"
	exec 3>&-
	wait $!
	awk '/ hg( |$)/ { large += $1 } !/ hg( |$)/ { small += $1 } END { exit !(large >= 60000 && small < 3000) }' "$work/heap" ||
		fail "$program: $(cat "$work/heap")"
done
finish
