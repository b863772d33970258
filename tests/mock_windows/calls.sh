#!/bin/bash
# calls.sh: the calls of perftab-capture.exe to a mock of Windows: case by case, then with a
# failure at each call.
#   calls.sh --update     writes the expected logs anew
#   calls.sh --show CASE  prints the expected log of a case, whole
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
here=$PERFTAB_SOURCE/tests/mock_windows
PATH=$PERFTAB_BIN/tests/mock_windows:$PATH
cd "$work" || exit 1

# The expected logs of these cases are whole.  Other logs have "as CASE FIRST-LAST" for three or
# more lines that are the same in the log of that case.
bases='one-counter perflib-server perflib'

# expanded NAME: the expected log, whole
expanded() {
	awk -v folder="$here/expected/" '/^as [a-z-]+ [0-9]+-[0-9]+$/ {
			file = folder $2 ".txt"
			split($3, range, "-")
			for (i = 1; (getline line <file) > 0; i++)
				if (i >= range[1] + 0 && i <= range[2] + 0) print line
			close(file)
			next
		} { print }' "$here/expected/$1.txt"
}

# contracted BASE NAME: the log, with the longest common parts as references to BASE
contracted() {
	awk -v name="$1" 'NR == FNR { base[++bases] = $0; next } { line[++lines] = $0 }
		END {
			for (i = 1; i <= lines; i += best ? best : 1) {
				best = 0
				for (j = 1; j <= bases; j++) {
					for (k = 0; i + k <= lines && j + k <= bases && line[i + k] == base[j + k];) k++
					if (k > best && k >= 3) { best = k; at = j }
				}
				print best ? "as " name " " at "-" at + best - 1 : line[i]
			}
		}' "$1.txt" "$2.txt"
}

# shortest NAME: the log, in its shortest form
shortest() {
	local base
	cp "$1.txt" shortest
	[[ " $bases " == *" $1 "* ]] || for base in $bases; do
		contracted "$base" "$1" >shorter
		[ "$(wc -l <shorter)" -ge "$(wc -l <shortest)" ] || cp shorter shortest
	done
	cat shortest
}

if [ "${1:-}" = --show ]; then
	expanded "$2"
	finish
fi

# --- the cases ---
"$PERFTAB_BIN/tests/plb_script" <"$here/two-sets.script" >two-sets.plb || fail "two-sets.plb"
cp "$PERFTAB_SOURCE/sample-traces/etw/good-demo.etl" demo.etl
head -c 9000 demo.etl >cut.etl
make_etw_cases . || fail make_etw_cases
printf "no trace" >none.etl
# live SCRIPT ARGUMENT...: perftab-analyze of Windows, with its exit status
live() {
	PERFTAB_MOCK=$1 mock_live "${@:2}" 2>&1
	printf 'exit status %d\n' $?
}
sed 's/^ *//; s/ *$//' "$here/cases.txt" | grep -v -e '^#' -e '^$' >cases
while IFS='|' read -r name script arguments; do
	name=${name%% *}
	read -ra words <<<"$arguments"
	if [ "${words[0]}" = analyze ]; then
		live "$script" "${words[@]:1}" >"$name.txt"
		compgen -G 'C:*' >left && fail "$name: the trace is left"
		continue
	fi
	printf '%s.txt\t%s' "$name" "$script" >>lines
	printf '\t%s' "${words[@]}" >>lines
	echo >>lines
done <cases
mock_windows --each <lines || fail "the cases: the test program"
while IFS='|' read -r name _; do
	name=${name%% *}
	[ ! -e "st-$name.txt" ] || sed 's/^perftab-capture [0-9.]*$/perftab-capture VERSION/' "st-$name.txt" >>"$name.txt"
	echo "$name.txt"
done <cases | xargs sed -i '/scheduled snapshots were skipped/d' # which depends on the machine

# nothing_left NAME FILE: the program released everything and kept the rules of Windows
nothing_left() {
	local text
	IFS= read -rd '' text <"$2"
	[[ $'\n'$text == *$'\nleft: 0 sessions, 0 handles, 0 processes, 0 privileges, 0 faults;'* ]] || fail "$1: $(grep '^left' "$2")"
}

# indented FILE [short]: its lines, to $text; or only messages and the exit status
indented() {
	local -a lines
	local i
	mapfile -t lines <"$1"
	[ $# -eq 1 ] || for i in "${!lines[@]}"; do
		case ${lines[i]} in
		perftab*) ;;
		calls\ *) lines[i]=${lines[i]#*, } ;;
		*) unset 'lines[i]' ;;
		esac
	done
	printf -v text '  %s\n' "${lines[@]}"
	text=${text%$'\n'}
}

# A command that is longer than Windows accepts.
mock_windows "command 0 500" etw -e TotalCycles -- build.exe "$(head -c 33000 /dev/zero | tr '\0' x)" >long.txt 2>&1 ||
	fail "a long command: the test program"
nothing_left "a long command" long.txt
grep -q '^perftab-capture: the command is too long: Windows accepts at most 32766 characters$' long.txt &&
	grep -q 'exit status 1$' long.txt || fail "a long command: $(cat long.txt)"
# The text of --selftest on a full disk.
ln -s /dev/full st-full.txt
mock_windows "bundle two-sets.plb" --selftest -o st-full >full.txt 2>&1 || fail "--selftest on a full disk: the test program"
nothing_left "--selftest on a full disk" full.txt
grep -q '^perftab-capture: cannot write st-full.txt completely$' full.txt || fail "--selftest on a full disk: $(cat full.txt)"
rm -f st-full.*

# --- a failure at each call ---

# outcome [CALL NUMBER TEXT]: prints the failures of a call that have the same text together;
# NUMBER stands for the number in it.  Without arguments: prints the last ones.
outcome() {
	local call=${1-} number=${2-} text=${3-}
	text=${text//error $number)/error NUMBER)}
	if [ "$call" = "${outcome_call-}" ] && [ "$text" = "$outcome_text" ]; then
		outcome_numbers+=", $number"
		return
	fi
	[ -z "${outcome_call-}" ] || printf 'call %d fails with %s:\n%s\n' "$outcome_call" "$outcome_numbers" "$outcome_text"
	outcome_call=$call outcome_numbers=$number outcome_text=$text
}

# sweep LEAST SHORT NUMBERS SCRIPT ARGUMENT...: each call fails with each number, as outcomes; "%" in an argument
# stands for both
sweep() {
	local least=$1 short=$2 numbers=$3 script=$4 calls call number
	shift 4
	calls=$(mock_windows "$script" "${@//%/none}" 2>&1 | sed -n 's/^calls \([0-9]*\),.*/\1/p')
	[ "${calls:-0}" -ge "$least" ] || fail "a sweep has $calls calls: $*"
	rm -rf none.plb swept
	mkdir swept
	for ((call = 1; call <= calls; call++)); do
		for number in $numbers; do
			printf '%s\t%s; fail any %d %s' "swept/$call-$number" "$script" "$call" "$number"
			printf '\t%s' "${@//%/swept/$call-$number}"
			echo
		done
	done >lines
	mock_windows --each <lines || fail "a sweep: the test program: $*"
	for ((call = 1; call <= calls; call++)); do
		for number in $numbers; do
			nothing_left "call $call fails with $number: $*" "swept/$call-$number"
			indented "swept/$call-$number" $short
			outcome "$call" "$number" "${text//"swept/$call-$number"/sweep}"
		done
	done
	outcome
}

# Nothing is left, and there is a message.  A session that cannot be stopped would be left, but
# no number here causes that.
sweep 15 '' '5 87 1450 4711' 'quiet; command 0 1500' etw -e TotalCycles -- build.exe >sweep.txt
echo sweep >>cases

# --live: neither a session nor a trace is left.
calls=$(live 'quiet; command 0 1500; trace demo.etl' --live -e TotalCycles -- build.exe | sed -n 's/^calls \([0-9]*\)$/\1/p')
for ((call = 1; call <= calls; call++)); do
	live "quiet; command 0 1500; trace demo.etl; fail any $call 1450" --live --csv -e TotalCycles -- build.exe >out
	nothing_left "--live: call $call fails" out
	if compgen -G 'C:*' >left; then
		grep -q 'cannot remove the temporary trace C:' out || fail "--live: call $call fails: the trace is left"
		rm -f C:*
	fi
	indented out
	outcome "$call" 1450 "$text"
done >sweep-live.txt
outcome >>sweep-live.txt
[ "${calls:-0}" -ge 15 ] || fail "the sweep of --live has $calls calls"
echo sweep-live >>cases

# PerfLib: the same, and the converter reads the bundle.
sweep 40 short '5 8 87 4200 huge lies' 'bundle two-sets.plb; quiet' \
	perflib -q -c disk -c server -n 1 -o %.plb >sweep-perflib.txt
for bundle in swept/*.plb; do
	printf '%s\tperftab-convert\t--to\tnull\t%s\n' "${bundle##*/}" "$bundle"
done >lines
run_lines swept <lines
cat swept/*.exit | grep -vx '[03]' >out && fail "bundles that were cut short: exit status $(grep -Lx '[03]' swept/*.exit | head -3)"
echo sweep-perflib >>cases

# --- the comparison ---
cut -d' ' -f1 cases | sort >known
if [ "${1:-}" = --update ]; then
	rm -f "$here"/expected/*
	while read -r name; do shortest "$name" >"$here/expected/$name.txt"; done <known
	finish
fi
(cd "$here/expected" && ls ./*.txt) | sed 's/^..//; s/\.txt$//' | sort >kept
same "cases.txt and expected" known kept
while read -r name; do
	expanded "$name" >wanted
	same "$name" wanted "$name.txt"
	case $name in sweep* | stop-never | live-multiplex | live-pid-of-*) ;; *) nothing_left "$name" "$name.txt" ;; esac
done <known
finish
