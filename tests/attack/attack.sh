#!/bin/bash
# attack.sh [--short]: convert and analyze with calls that fail (faults.py), then outputs.sh.
# Nothing half-made gets a name, nothing is destroyed.  PERFTAB_BIN and PERFTAB_SOURCE as for the
# tests in tests/cli.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
command -v python3 >/dev/null || skip "no python3"
here=$PERFTAB_SOURCE/tests/attack
fault=$PERFTAB_BIN/tests/attack/fault.so
depth=2000 step=1
[ "${1-}" != --short ] || { depth=400 step=23; }
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
[ "${1-}" != --short ] || short=(--outputs csv,db,parquet,perfetto,html,json --kinds malloc,read,names,fsync,kill,interrupt)
mkdir "$work/faults"
python3 "$here/faults.py" --bin "$PERFTAB_BIN/tools" --fault "$fault" --work "$work/faults" --depth $depth --step $step \
	"${short[@]}" "${inputs[@]}" || fail "faults.py"

# Full disks, kills, two writers, planted files.
bash "$here/outputs.sh" "$@" || fail "outputs.sh"
finish
