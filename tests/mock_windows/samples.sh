#!/bin/bash
# samples.sh text|outputs: the Windows programs under Wine give Linux's bytes and exit statuses for
# every sample: reports, or databases and tables.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/mock_windows/lib.sh" || exit 1
programs_under_wine

# both WHAT PROGRAM ARGUMENTS...: standard output, messages and status of both are the same; %S in
# arguments is the system
both() {
	local what=$1 program=$2 wanted=0 got=0
	shift 2
	"$helpers/tools/$program" "${@//%S/linux}" >"$work/linux.out" 2>"$work/linux.err" || wanted=$?
	"$bin/tools/$program" "${@//%S/windows}" >"$work/windows.out" 2>"$work/windows.err" || got=$?
	[ $got -eq $wanted ] || fail "$what: exit status $got, $wanted on Linux: $(head -2 "$work/windows.err")"
	sed -i 's/linux\(\.[a-z]\)/windows\1/g' "$work/linux.err"
	same "$what: output" "$work/linux.out" "$work/windows.out"
	same "$what: messages" "$work/linux.err" "$work/windows.err"
	runs=$((runs + 1))
}

runs=0 turn=0
for trace in "$PERFTAB_SOURCE"/sample-traces/{etw,perf,perflib}/*.{etl,data,plb,blob,txt}; do
	[ -e "$trace" ] || continue
	name=${trace##*/}
	cd "${trace%/*}" || exit 1
	if [ "$1" = text ]; then
		both "$name --json" perftab-analyze --json --metrics "$name"
		# Wine starts in 0.2 s: what these print is in JSON as well, so each has every third sample.
		case $((turn++ % 3)) in
		0) both "$name" perftab-analyze "$name" ;;
		1) both "$name --csv" perftab-analyze --csv --by thread "$name" ;;
		2) both "$name --list" perftab-convert --list --json "$name" ;;
		esac
		continue
	fi
	both "$name to SQLite" perftab-convert "$name" -o "$work/%S.db"
	[ ! -e "$work/linux.db" ] || same "$name: database" "$work/linux.db" "$work/windows.db"
	both "$name to CSV" perftab-convert --to csv "$name" -o "$work/%S.csv"
	if [ -e "$work/linux.csv" ]; then
		diff -r "$work/linux.csv" "$work/windows.csv" >"$work/difference" ||
			fail "$name: tables: $(head -3 "$work/difference")"
	fi
	rm -rf "$work"/linux.{db,csv} "$work"/windows.{db,csv}
done
[ $runs -ge 60 ] || fail "only $runs runs"
finish
