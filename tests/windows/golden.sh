#!/bin/bash
# golden.sh: perftab-capture.exe's decisions on a played Windows, case by case, and one failure
# at each of its calls.   golden.sh --update: make the expectations anew
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
here=$PERFTAB_SOURCE/tests/windows
PATH=$PERFTAB_BIN/tests/windows:$PATH

sed 's/^ *//; s/ *$//' "$here/cases.txt" | grep -v -e '^#' -e '^$' >"$work/cases"
while IFS='|' read -r name script arguments; do
	name=${name%% *}
	read -ra words <<<"$arguments"
	play_windows "$script" "${words[@]}" >"$work/$name.txt" 2>&1 ||
		fail "$name: the test program: exit status $?"
done <"$work/cases"

# Whatever call fails, with whatever number: nothing is left, and it is told.
# Not counted as left: a session that cannot be stopped, which no number here makes.
: >"$work/sweep.txt"
calls=$(play_windows 'quiet; command 0 1500' etw -e TotalCycles -- build.exe 2>&1 | sed -n 's/^calls \([0-9]*\),.*/\1/p')
for ((call = 1; call <= calls; call++)); do
	for number in 5 87 1450 4711; do
		play_windows "quiet; command 0 1500; fail any $call $number" etw -e TotalCycles -- build.exe \
			>"$work/out" 2>&1 || fail "call $call fails with $number: the test program"
		grep -q '^left: 0 sessions, 0 handles, 0 processes, 0 privileges, 0 faults;' "$work/out" ||
			fail "call $call fails with $number: $(grep '^left' "$work/out")"
		printf 'call %d fails with %d:\n' "$call" "$number" >>"$work/sweep.txt"
		sed 's/^/  /' "$work/out" >>"$work/sweep.txt"
	done
done
[ "${calls:-0}" -ge 15 ] || fail "the sweep has $calls calls"
printf 'sweep\n' >>"$work/cases"

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
