#!/bin/bash
# etw_capture.sh: the names given to perftab-capture.exe become the columns of the bill.  There is
# no Windows to record on, so the trace is generated, with the counters that the program requests
# from the mock.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
PATH=$PERFTAB_BIN/tests/mock_windows:$PATH
cd "$work" || exit 1

# The manual lists every option that the help lists.
mock_windows "" etw --help >help
for option in $(grep -oE -- '^  (-.|  ),? ? ?--[a-z-]+' help | grep -oE -- '--[a-z-]+'); do
	sed -n '/^.Sh WINDOWS/,/^.Sh EXIT/p' "$PERFTAB_SOURCE/docs/man/perftab-capture.1" >section
	case $option in --help | --version) continue ;; esac
	grep -q -- "Fl -${option#--}" section || fail "perftab-capture(1) does not mention etw $option"
done
[ "$(wc -l <help)" -ge 20 ] || fail "etw --help: $(cat help)"

# Plans of make_etw with 1, 2, 3 and 7 counters; their names, in the order of the plan.
while read -r plan names; do
	typed=$(tr '[:upper:]' '[:lower:]' <<<"$names")
	mock_windows "" etw -e "$typed" -d 1 >log 2>said
	grep -q ' exit status 0$' log || fail "$plan: $(cat said)"

	# What the session was asked to count, as numbers; the list says their names.
	sed -n 's/^TraceSetInformation .* class 9,.*: //p' log | tr ' ' '\n' >ids
	mock_windows quiet list profile-sources | awk 'NR > 1 && NF == 4 { print $2, $1 }' >sources
	awk 'NR == FNR { name[$1] = $2; next } { print name[$1] }' sources ids | paste -sd, >asked
	[ "$(cat asked)" = "$names" ] || fail "$plan: '$typed' became '$(cat asked)'"
	grep -q "perftab.etl: $names on 8 CPUs" said || fail "$plan: said: $(cat said)"

	# A trace of that session, and its bill.
	make_etw "$plan" "$work/traces"
	perftab-convert "traces/$plan.etl" -o "$plan.db" || fail "$plan: not converted"
	perftab-analyze --csv "$plan.db" | head -1 | sed 's/^process,pid,threads,switches,on_cpu_ns,//' >columns
	same "$plan: columns of the bill" asked columns
	perftab-analyze --check "$plan.db" >out || fail "$plan: the books do not balance"
	sorted "traces/$plan.etl.process.csv" >wanted
	perftab-analyze --csv "$plan.db" >bill
	sorted bill | grep -v '^(with idle),' >got
	same "$plan: the bill" wanted got
done <<'END'
counters_1 BranchInstructions
basic BranchInstructions,BranchMispredictions
counters_3 BranchInstructions,BranchMispredictions,InstructionRetired
counters_7 BranchInstructions,BranchMispredictions,InstructionRetired,TotalCycles,LLCReference,LLCMisses,UnhaltedCoreCycles
END
finish
