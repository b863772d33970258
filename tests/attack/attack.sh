#!/bin/bash
# attack.sh [--short]: convert and analyze with calls that fail, on disks of all sizes, killed
# at any moment, twice at once, with planted links and files.  Nothing half-made gets a
# name, nothing is destroyed.  PERFTAB_BIN and PERFTAB_SOURCE as for the tests in tests/cli.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
command -v python3 >/dev/null || skip "no python3"
here=$PERFTAB_SOURCE/tests/attack
fault=$PERFTAB_BIN/tests/attack/fault.so
sizes=200 kills=500 depth=2000 step=1
[ "${1-}" != --short ] || { sizes=12 kills=25 depth=400 step=23; }
samples=$PERFTAB_SOURCE/sample-traces

mkdir "$work/zstd" "$work/dir" "$work/made"
make_trace --switches 60 everything "$work/made" || fail "make_trace"
make_trace --form zstd --switches 60 everything "$work/zstd" || fail "make_trace --form zstd"
mv "$work/zstd/everything.data" "$work/zstd/packed.data"
make_trace --form dir --switches 60 threads "$work/dir" || fail "make_trace --form dir"
make_winperf "$work/made" || fail "make_winperf"
inputs=("$work/zstd/packed.data" "$work/made/everything.data" "$work/dir/threads.data" "$work/made/good-log.blg"
	"$samples/etw/good-everything.etl" "$samples/etw/good-basic-text.txt" "$samples/perflib/good-live.plb"
	"$samples/perf/good-switch-events.data")
[ "${1-}" != --short ] || inputs=("${inputs[0]}" "$samples/etw/good-everything.etl")

# Calls and allocations that fail.
short=()
[ "${1-}" != --short ] || short=(--outputs csv,db,json --kinds malloc,read,names,fsync,kill,interrupt)
mkdir "$work/faults"
python3 "$here/faults.py" --bin "$PERFTAB_BIN/tools" --fault "$fault" --work "$work/faults" --depth $depth --step $step \
	"${short[@]}" "${inputs[@]}" || fail "faults.py"

# ENOSPC at many sizes.
full_disks() {
	local bytes size i output
	mkdir "$work/disk"
	mount -t tmpfs -o size=64m none "$work/disk" 2>/dev/null || { echo "no tmpfs can be mounted: no full disks"; return; }
	for output in "--loader bulk" "--loader sql" "--to csv"; do
		mount -o remount,size=64m "$work/disk"
		# shellcheck disable=SC2086
		perftab-convert $output "$work/made/everything.data" -o "$work/disk/out" 2>/dev/null
		bytes=$(du -sB1 "$work/disk/out" | cut -f1)
		rm -rf "$work/disk/out"
		echo old >"$work/old"
		for ((i = 1; i <= sizes / 3; i++)); do
			mount -o remount,size=$((4096 + (bytes - 8192) * i / (sizes / 3 + 1))) "$work/disk"
			# shellcheck disable=SC2086
			perftab-convert $output "$work/made/everything.data" -o "$work/disk/out" 2>/dev/null
			[ $? -eq 1 ] && [ -z "$(ls -A "$work/disk")" ] || fail "$output, disk $i: left $(ls -A "$work/disk")"
		done
	done
	umount "$work/disk"
	echo "$((sizes / 3 * 3)) full disks"
}
trap 'umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
[ "$(id -u)" -ne 0 ] || full_disks

# Kills at random moments: a new output, one over an old one, tables over tables.
killed() {
	local i wanted span began whole=0 output=$1 moment
	shift
	mkdir "$work/kills"
	cd "$work/kills" || exit 1
	began=$(date +%s%N)
	perftab-convert "$@" "$work/big/everything.data" -o out 2>/dev/null
	span=$((($(date +%s%N) - began) / 1000 + 1))
	wanted=$(content out)
	mkdir older && perftab-convert "$@" "$samples/perf/good-threads.data" -o older/out 2>/dev/null
	for ((i = 0; i < kills / 4; i++)); do
		rm -rf out
		[ "$output" = new ] || cp -r older/out out
		(exec perftab-convert -f "$@" "$work/big/everything.data" -o out 2>/dev/null) &
		moment=$(awk -v r=$RANDOM -v s=$span 'BEGIN { printf "%.4f", r / 32768 * s * 1.1 / 1e6 }')
		sleep "$moment"
		kill -9 $! 2>/dev/null
		wait $! 2>/dev/null
		if [ "$(content out)" = "$wanted" ]; then
			whole=$((whole + 1))
		elif [ "$output" = new ]; then
			[ ! -e out ] || fail "$*: kill $i: a half output has the name"
		else
			[ "$(content out)" = "$(content older/out)" ] || fail "$*: kill $i: neither the old output nor the new one"
		fi
	done
	perftab-convert -f "$@" "$work/big/everything.data" -o out 2>/dev/null
	[ "$(ls -A)" = "$(printf '%s\n' older out)" ] || fail "$*: left over: $(ls -A)"
	[ "$(content out)" = "$wanted" ] || fail "$*: the run after the kills"
	cd "$work" || exit 1
	rm -rf kills
	echo "$((kills / 4)) kills, $output, $*: $whole after the end"
}
# The same rows may be on other pages: two runs need not give the same bytes.
content() { # PATH: a sum of what is in it
	if [ -d "$1" ]; then
		(cd "$1" && cat -- * | cksum)
	elif [ -e "$1" ]; then
		sqlite3 -batch "$1" 'PRAGMA integrity_check' .dump 2>&1 | cksum
	else
		echo none
	fi
}
set -m
RANDOM=20261122
mkdir "$work/big"
make_trace --switches 3000 everything "$work/big" || fail "make_trace"
killed new --loader bulk
killed over --loader sql
killed new --to csv
killed over --to csv

# Two at once: one is refused, or both are whole and one has the name.
mkdir "$work/two" && cd "$work/two" || exit 1
for ((i = 0; i < kills / 20; i++)); do
	rm -rf out
	perftab-convert "$work/big/everything.data" -o out 2>one & first=$!
	perftab-convert "$work/big/everything.data" -o out 2>two & second=$!
	wait $first; a=$?
	wait $second; b=$?
	[ $((a == 3 || a == 0)) -ne $((b == 3 || b == 0)) ] || fail "two at once: $a $(tail -1 one), $b $(tail -1 two)"
	[ "$(sql out 'PRAGMA integrity_check')" = ok ] || fail "two at once: not sound"
	[ "$(ls -A)" = "$(printf '%s\n' one out two)" ] || fail "two at once: left $(ls -A)"
done
echo "$((kills / 20)) times two at once"

# Planted: what has the old name of a partial output, or one that looks like a new one.
mkdir "$work/planted" && cd "$work/planted" || exit 1
echo precious >precious
for plant in 'ln precious' 'ln -s precious' 'cp precious'; do
	for name in out.partial out.0123456789abcdef.partial out.partial-runs; do
		for output in '--loader bulk' '--to csv'; do
			$plant "$name"
			# shellcheck disable=SC2086
			perftab-convert $output "$work/made/everything.data" -o out 2>err
			[ -e out ] || fail "planted $plant $name: $output: $(cat err)"
			[ "$(cat precious)" = precious ] && [ "$(cat "$name")" = precious ] || fail "planted $plant $name: $output: destroyed"
			[ "$(stat -c %a:%u out)" = "600:$(id -u)" ] || [ "$(stat -c %a:%u out)" = "700:$(id -u)" ] || fail "planted $plant $name: mode $(stat -c %a:%u out)"
			rm -rf out "$name"
		done
	done
done
finish
