#!/bin/bash
# full_disk.sh: a file system that fills up leaves nothing under the final name.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ "$(id -u)" -eq 0 ] || skip "mounting a small tmpfs needs root"
mkdir "$work/small"
mount -t tmpfs -o size=64k none "$work/small" 2>/dev/null || skip "no tmpfs can be mounted"
trap 'umount "$work/small"; rm -rf "$work"' EXIT
make_trace --switches 20000 basic "$work" || fail "make_trace"

for size in 64k 300k 1m; do
	mount -o remount,size=$size "$work/small"
	reports 1 "CSV on $size" "No space left on device" perftab-convert "$work/basic.data" --to csv -o "$work/small/out"
	[ -z "$(ls -A "$work/small")" ] || fail "CSV on $size: left $(ls -A "$work/small")"
done

# From hardly anything to a page less than the database: 20 sizes for the bulk loader, which writes pages itself,
# and 6 for SQLite's.
for loader in bulk sql; do
	sizes=20
	[ $loader = bulk ] || sizes=6
	mount -o remount,size=64m "$work/small"
	status 0 "database with room, $loader" perftab-convert --loader $loader "$work/basic.data" -o "$work/small/out.db"
	bytes=$(stat -c %s "$work/small/out.db")
	rm "$work/small/out.db"
	for ((i = 1; i <= sizes; i++)); do
		size=$((i == sizes ? bytes - 4096 : bytes * i / (sizes + 1)))
		mount -o remount,size=$size "$work/small"
		status 1 "database on $size, $loader" \
			perftab-convert --loader $loader "$work/basic.data" -o "$work/small/out.db"
		says "database on $size, $loader" "disk"
		[ -z "$(ls -A "$work/small")" ] || fail "database on $size, $loader: left $(ls -A "$work/small")"
	done
done
finish
