#!/bin/bash
# outputs.sh [--short] [full_disks|kills|pairs|planted ...]: every output on disks of all sizes,
# killed at any moment, written twice at once, and where links and files are planted.  Nothing
# half-made gets the name, nothing is destroyed, nothing is left over.  PERFTAB_BIN and
# PERFTAB_SOURCE as for the tests in tests/cli.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # the tests of each output do
sizes=50 kill_count=25 pair_count=5 switches=40000 threads=10000 chains=16000 plants=1
[ "${1-}" != --short ] || { shift; sizes=3 kill_count=2 pair_count=1 switches=6000 threads=2000 chains=500 plants=3; }
samples=$PERFTAB_SOURCE/sample-traces/perf

# Options of perftab-convert; "page" is perftab-analyze --html.
outputs=("--loader bulk" "--loader sql" "--to csv" "--to parquet" "--to parquet --all-tables" "--to clickhouse"
	"--to clickhouse --table bill_by_second" "--to clickhouse --table switch" "--to perfetto" "--to folded"
	"--to speedscope" page)
perftab-analyze --html - "$samples/good-perftab.data" >"$work/old-page" 2>/dev/null || unset 'outputs[-1]' # built without pages

make_trace --switches $switches everything "$work" || fail "make_trace"
make_growth threads $threads "$work/threads.data" || fail "make_growth"
make_growth callchains $chains "$work/chains.data" || fail "make_growth"

# input OUTPUT: a trace that makes it large
input() {
	case $1 in
	*folded | *speedscope) echo "$work/chains.data" ;;
	*clickhouse | *second) echo "$work/threads.data" ;;
	*) echo "$work/everything.data" ;;
	esac
}
# other OUTPUT: a trace for an old output
other() {
	case $1 in
	*folded | *speedscope) echo "$samples/good-plain-sampling.data" ;;
	*) echo "$samples/good-threads.data" ;;
	esac
}
# make OUTPUT TRACE PATH: replaces what is there; the process is that of the program
make() {
	local options
	read -ra options <<<"$1"
	case $1 in
	page) exec perftab-analyze --html "$3" "$2" ;;
	*) exec perftab-convert -f "${options[@]}" "$2" -o "$3" ;;
	esac
}
run() { (make "$@") >"$work/said" 2>&1; }
ends_well() { case $1 in 0 | 3) ;; *) false ;; esac; }

# The same rows may be on other pages of a database: two runs need not give the same bytes.
content() { # PATH: a sum of what is in it
	if [ -d "$1" ]; then
		(cd "$1" && find . -type f -print0 | sort -z | xargs -0 cksum | cksum)
	elif [ ! -e "$1" ]; then
		echo none
	elif [ "$(head -c 15 "$1" | tr -d '\0')" = 'SQLite format 3' ]; then
		sqlite3 -batch "$1" 'PRAGMA integrity_check' .dump 2>&1 | cksum
	else
		cksum <"$1"
	fi
}

# --- disks that fill up ---

# full_disk OUTPUT: from a page to two less than it needs; then temporary files without room
full_disk() {
	local pages i trace code=0
	trace=$(input "$1")
	mount -o remount,size=256m "$work/disk"
	run "$1" "$trace" "$work/disk/out"
	ends_well $? || fail "$1: with room: $(cat "$work/said")"
	pages=$(($(du -sB4096 "$work/disk" | cut -f1) - 2))
	rm -rf "$work/disk/out"
	for ((i = 1; i <= sizes; i++)); do
		mount -o remount,size=$((4096 * (1 + pages * i / sizes))) "$work/disk"
		run "$1" "$trace" "$work/disk/out"
		code=$?
		[ $code -eq 1 ] && [ -z "$(ls -A "$work/disk")" ] || fail "$1: disk $i: exit status $code, left $(ls -A "$work/disk")"
		grep -qE 'No space left on device|disk is full' "$work/said" || fail "$1: disk $i: does not say why: $(cat "$work/said")"
	done
	mount -o remount,size=4096 "$work/disk"
	TMPDIR=$work/disk SQLITE_TMPDIR=$work/disk run "$1" "$trace" "$work/out"
	code=$?
	ends_well $code || [ $code -eq 1 ] || fail "$1: no room for temporary files: exit status $code"
	[ -z "$(ls -A "$work/disk")" ] || fail "$1: no room for temporary files: left $(ls -A "$work/disk")"
	[ $code -ne 1 ] || [ ! -e "$work/out" ] || fail "$1: no room for temporary files: a half output has the name"
	rm -rf "$work/out"
	echo "$1: $sizes full disks of up to $pages pages; no room for temporary files: exit status $code"
}
full_disks() {
	local output
	[ "$(id -u)" -eq 0 ] || { echo "not root: no full disks"; return; }
	mkdir "$work/disk"
	mount -t tmpfs -o size=64m none "$work/disk" 2>/dev/null || { echo "no tmpfs can be mounted: no full disks"; return; }
	for output in "${outputs[@]}"; do full_disk "$output"; done
	umount "$work/disk"
}
trap 'umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT

# --- kills at random moments ---

# killed OUTPUT new|over: of a run that makes an output, or replaces one
killed() {
	local i wanted before=none trace began span whole=0 got output=$1
	mkdir "$work/kills" "$work/older" && cd "$work/kills" || exit 1
	trace=$(input "$output")
	run "$output" "$(other "$output")" ../older/out
	ends_well $? || fail "$output: $(cat "$work/said")"
	began=$(date +%s%N)
	run "$output" "$trace" out
	span=$((($(date +%s%N) - began) / 1000 + 1))
	wanted=$(content out)
	[ "$2" = new ] || before=$(content ../older/out)
	for ((i = 0; i < kill_count; i++)); do
		rm -rf out
		[ "$2" = new ] || cp -r ../older/out out
		(make "$output" "$trace" out) >/dev/null 2>&1 &
		sleep "$(awk -v r=$RANDOM -v s=$span 'BEGIN { printf "%.4f", r / 32768 * s * 1.1 / 1e6 }')"
		kill -9 $! 2>/dev/null
		wait $! 2>/dev/null
		got=$(content out)
		[ "$got" != "$wanted" ] || whole=$((whole + 1))
		[ "$got" = "$wanted" ] || [ "$got" = "$before" ] || fail "$output: $2: kill $i: a half output has the name"
	done
	run "$output" "$trace" out
	got=$(ls -A)
	[ "$got" = out ] || fail "$output: $2: left over: $got"
	[ "$(content out)" = "$wanted" ] || fail "$output: $2: the run after the kills"
	cd "$work" && rm -rf kills older
	echo "$output: $2: $kill_count kills, $whole after the end"
}
kills() {
	local output
	RANDOM=20261123
	for output in "${outputs[@]}"; do
		killed "$output" new
		killed "$output" over
	done
}

# --- two at once: one is refused, or both are whole and the last has the name ---

two_at_once() { # OUTPUT
	local i a b trace wanted
	mkdir "$work/two" && cd "$work/two" || exit 1
	trace=$(input "$1")
	run "$1" "$trace" out
	wanted=$(content out)
	for ((i = 0; i < pair_count; i++)); do
		rm -rf out
		(make "$1" "$trace" out) >../one 2>&1 & a=$!
		(make "$1" "$trace" out) >../another 2>&1 & b=$!
		wait $a; a=$?
		wait $b; b=$?
		ends_well $a || grep -q 'is being written by another process' ../one || fail "$1: two at once: $a $(cat ../one)"
		ends_well $b || grep -q 'is being written by another process' ../another || fail "$1: two at once: $b $(cat ../another)"
		ends_well $a || ends_well $b || fail "$1: two at once: both refused"
		[ "$(content out)" = "$wanted" ] || fail "$1: two at once: not whole"
		[ "$(ls -A)" = out ] || fail "$1: two at once: left $(ls -A)"
	done
	cd "$work" && rm -rf two
}
pairs() {
	local output
	for output in "${outputs[@]}"; do two_at_once "$output"; done
	echo "${#outputs[@]} outputs, $pair_count times two at once"
}

# --- planted: names of partial outputs, links under the output's name, other files in its folder ---

# precious WHAT: it is as it was
precious() {
	[ "$(cat precious)" = precious ] && [ "$(cat folder/precious)" = precious ] || fail "planted $1: destroyed"
}
planted_beside() { # OUTPUT PLANT NAME
	$2 "$3"
	run "$1" "$(other "$1")" out
	[ -e out ] || fail "planted $2 $3: $1: $(cat "$work/said")"
	precious "$2 $3: $1"
	[ "$(cat "$3")" = precious ] || fail "planted $2 $3: $1: destroyed"
	case $(stat -c %a:%u out) in 600:$UID | 700:$UID) ;; *) fail "planted $2 $3: $1: mode $(stat -c %a:%u out)" ;; esac
	rm -rf out "$3"
}
planted_name() { # OUTPUT PLANT: what is under the output's name stays
	local output=$1 before
	$2 || fail "$2"
	before=$(find out -printf '%p %y %i %l\n' | sort)
	run "$output" "$(other "$output")" out
	[ $? -eq 1 ] || fail "planted $2: $output: not refused"
	[ "$(find out -printf '%p %y %i %l\n' | sort)" = "$before" ] || fail "planted $2: $output: replaced"
	precious "$2: $output"
	rm -rf out
}
link_in_folder() { mkdir out && ln -s ../precious out/x.csv && ln -s ../folder out/bill; }
file_in_folder() { mkdir -p out/bill/host=a && echo >out/bill/host=a/x.csv && echo mine >out/bill/notes.txt; }
planted() {
	local output plant name turn=0
	mkdir "$work/planted" && cd "$work/planted" || exit 1
	echo precious >precious
	mkdir folder && echo precious >folder/precious
	for output in "${outputs[@]}"; do
		for plant in 'ln precious' 'ln -s precious' 'cp precious'; do
			for name in out.partial out.0123456789abcdef.partial out.partial-runs; do
				[ $((turn++ % plants)) -ne 0 ] || planted_beside "$output" "$plant" $name
			done
		done
		for plant in 'ln -s precious out' 'ln -s folder out' 'ln -s nowhere out' 'mkfifo out' link_in_folder file_in_folder; do
			[ $((turn++ % plants)) -ne 0 ] || planted_name "$output" "$plant"
		done
		turn=$((turn + 1)) # another third for the next output
		[ "$(ls -A)" = "$(printf '%s\n' folder precious)" ] || fail "planted: $output: left $(ls -A)"
	done
	cd "$work" || exit 1
	echo "${#outputs[@]} outputs, $((15 / plants)) times planted"
}

set -m # children of their own, to be killed one by one
[ $# -gt 0 ] || set -- full_disks kills pairs planted
for part; do "$part"; done
finish
