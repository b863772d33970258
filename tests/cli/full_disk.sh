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
	reports 1 "CSV on $size" "cannot write $work/small/out/" perftab-convert "$work/basic.data" --to csv -o "$work/small/out"
	says "CSV on $size" ".csv: No space left on device"
	[ -z "$(ls -A "$work/small")" ] || fail "CSV on $size: left $(ls -A "$work/small")"
done

# A limit of the size of files is a full disk, too.
for starts in "perftab-convert --to csv -o $work/limited" "perftab-convert -o $work/limited"; do
	# shellcheck disable=SC2086
	status 1 "ulimit -f, $starts" bash -c 'ulimit -f 40; exec "$@"' limited $starts "$work/basic.data"
	[ ! -e "$work/limited" ] || fail "ulimit -f, $starts: an output was left"
done

# 20 sizes, from hardly anything to a page less than the database, for each loader.
for loader in bulk sql; do
	mount -o remount,size=64m "$work/small"
	status 0 "database with room, $loader" perftab-convert --loader $loader "$work/basic.data" -o "$work/small/out.db"
	bytes=$(stat -c %s "$work/small/out.db")
	rm "$work/small/out.db"
	for ((i = 1; i <= 20; i++)); do
		size=$((i == 20 ? bytes - 4096 : bytes * i / 21))
		mount -o remount,size=$size "$work/small"
		status 1 "database on $size, $loader" \
			perftab-convert --loader $loader "$work/basic.data" -o "$work/small/out.db"
		says "database on $size, $loader" "disk"
		[ -z "$(ls -A "$work/small")" ] || fail "database on $size, $loader: left $(ls -A "$work/small")"
	done
done
finish
