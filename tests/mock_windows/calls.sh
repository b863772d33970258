#!/bin/bash
# calls.sh: perftab-capture.exe's decisions on a played Windows, case by case, and one failure
# at each of its calls.   calls.sh --update: make the expectations anew
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
here=$PERFTAB_SOURCE/tests/mock_windows
PATH=$PERFTAB_BIN/tests/mock_windows:$PATH
cd "$work" || exit 1
"$PERFTAB_BIN/tests/plb_script" <"$here/two-sets.script" >two-sets.plb || fail "two-sets.plb"

sed 's/^ *//; s/ *$//' "$here/cases.txt" | grep -v -e '^#' -e '^$' >"$work/cases"
while IFS='|' read -r name script arguments; do
	name=${name%% *}
	read -ra words <<<"$arguments"
	mock_windows "$script" "${words[@]}" >"$work/$name.txt" 2>&1 ||
		fail "$name: the test program: exit status $?"
	# How long a snapshot takes is this machine's.
	sed -i '/moments of the schedule were missed/d' "$work/$name.txt"
	[ ! -e "st-$name.txt" ] || sed 's/^perftab-capture [0-9.]*$/perftab-capture VERSION/' "st-$name.txt" >>"$work/$name.txt"
done <"$work/cases"

# left NAME FILE: nothing is, and no rule was broken
left() {
	grep -q '^left: 0 sessions, 0 handles, 0 processes, 0 privileges, 0 faults;' "$2" || fail "$1: $(grep '^left' "$2")"
}

# Whatever call fails, with whatever number: nothing is left, and it is told.
# Not counted as left: a session that cannot be stopped, which no number here makes.
: >"$work/sweep.txt"
calls=$(mock_windows 'quiet; command 0 1500' etw -e TotalCycles -- build.exe 2>&1 | sed -n 's/^calls \([0-9]*\),.*/\1/p')
for ((call = 1; call <= calls; call++)); do
	for number in 5 87 1450 4711; do
		mock_windows "quiet; command 0 1500; fail any $call $number" etw -e TotalCycles -- build.exe \
			>"$work/out" 2>&1 || fail "call $call fails with $number: the test program"
		left "call $call fails with $number" "$work/out"
		printf 'call %d fails with %d:\n' "$call" "$number" >>"$work/sweep.txt"
		sed 's/^/  /' "$work/out" >>"$work/sweep.txt"
	done
done
[ "${calls:-0}" -ge 15 ] || fail "the sweep has $calls calls"
printf 'sweep\n' >>"$work/cases"

# PerfLib: so too, and what was written is a bundle.
: >"$work/sweep-perflib.txt"
sweep() { mock_windows "bundle two-sets.plb; quiet; $1" perflib -q -c disk -c server -n 1 -o sweep.plb >"$work/out" 2>&1; }
sweep 'quiet' || fail "PerfLib: the test program"
calls=$(sed -n 's/^calls \([0-9]*\),.*/\1/p' "$work/out")
for ((call = 1; call <= calls; call++)); do
	for number in 5 8 87 4200 huge lies; do
		rm -f sweep.plb
		sweep "fail any $call $number" || fail "PerfLib call $call fails with $number: the test program"
		left "PerfLib call $call fails with $number" "$work/out"
		printf 'call %d fails with %s: %s\n' "$call" "$number" "$(sed -n 's/^calls .*, //p' "$work/out")" >>"$work/sweep-perflib.txt"
		sed -n 's/^perftab/  &/p' "$work/out" >>"$work/sweep-perflib.txt"
		[ -e sweep.plb ] || continue
		perftab-convert --to null sweep.plb >"$work/out" 2>&1
		case $? in 0 | 3) ;; *) fail "PerfLib call $call fails with $number: convert: $(cat "$work/out")" ;; esac
	done
done
[ "${calls:-0}" -ge 40 ] || fail "the sweep of PerfLib has $calls calls"
printf 'sweep-perflib\n' >>"$work/cases"

if [ "${1:-}" = --update ]; then
	rm -f "$here"/expected/*
	cut -d' ' -f1 "$work/cases" | while read -r name; do cp "$work/$name.txt" "$here/expected/"; done
	finish
fi
cut -d' ' -f1 "$work/cases" | sort >"$work/known"
(cd "$here/expected" && ls ./*.txt) | sed 's/^..//; s/\.txt$//' | sort >"$work/kept"
same "cases.txt and expected" "$work/known" "$work/kept"
while read -r name; do
	same "$name" "$here/expected/$name.txt" "$work/$name.txt"
	[ "$name" = stop-never ] || ! grep '^left' "$work/$name.txt" | grep -qv '^left: 0 sessions, 0 handles, 0 processes, 0 privileges, 0 faults' ||
		fail "$name: $(grep '^left' "$work/$name.txt")"
done <"$work/known"
finish
