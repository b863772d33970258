#!/bin/bash
# etw_generated.sh FORM...: ETW traces whose totals are known beforehand (make_etw), every
# plan in each form, as .etl and as xperf's text: the bills, and that trace and database say
# the same.
#   etw_generated.sh --known FORM...: those are all the forms there are
#   etw_generated.sh --long SWITCHES PLAN FORM...: of one plan, with so many switches
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1

if [ "${1:-}" = --known ]; then
	shift
	make_etw --forms | sort >"$work/known"
	printf '%s\n' "$@" | sort >"$work/tested"
	same "make_etw --forms and tests/CMakeLists.txt" "$work/known" "$work/tested"
	finish
fi

plan=all
switches=()
if [ "${1:-}" = --long ]; then
	switches=(--switches "$2")
	plan=$3
	shift 3
fi

# plans FILE: what perftab-analyze prints of it; cuts of the same sums go to another list
plans() {
	local kind options list wanted=0
	[ "${1%.*}" != truncated ] || wanted=3
	while IFS='|' read -r kind options; do
		# The sums of the threads, in any form.
		[ "$form" = raw ] || [ "$kind" != process ] || continue
		case $kind:$1 in check:batched.* | check:counters_0.*) continue ;; esac
		list=$work/plans
		case $kind in thread-unproven | process) list=$work/cuts ;; esac
		printf '%s\t%d\t%s\t%s\t%s\n' "$form $1: $kind" $wanted "$work/$1.$kind.csv" "$work/$1" "$options" >>"$list"
	done <<-END
		thread|--by thread --csv --with-idle thread
		thread-unproven|--by thread --csv --unproven switched-out
		process|--by process --csv --with-idle thread
		check|--check --csv
	END
}

# roads FILE: in what forms trace and database are compared
roads() {
	local forms=few
	case $1 in basic.* | everything.*) forms=every ;; esac
	printf '%s\t%s\t%s window\n' "$work/$1" "$1" $forms
}

# One stream for all CPUs: time is known, no thread is charged.
check_single_stream() {
	status 0 "$1" perftab-analyze "$work/$1.etl"
	grep -q 'all CPUs were recorded into one stream' "$work/out" || fail "$form $1: not reported"
	perftab-convert "$work/$1.etl" -o "$work/$1.db" 2>/dev/null
	holds "$form $1: a thread is charged" "$work/$1.db" 0 'SELECT count(*) FROM context_switch'
	holds "$form $1: no switches" "$work/$1.db" 1 'SELECT count(*) > 0 FROM switch_record'
	sound "$1"
}

# Events that are only counted have their names.
check_names() { # NAME
	holds "$1: names" "$work/$1.db" 'DiskIo/Read DiskIo/Write PerfInfo/TimerExpiration PerfInfo/TimerSetOneShot TcpIp/Send UdpIp/Receive' \
		"SELECT group_concat(name, ' ') FROM (SELECT name FROM etw_event_count WHERE events > 0 AND kept IS NULL AND
			(name LIKE 'DiskIo/%' OR name LIKE 'PerfInfo/Timer%' OR name LIKE '%Ip/%') ORDER BY name)"
}

# Name and interval of a source that are noted at the end are those of all its samples.
check_late_notes() { # NAME
	[ -e "$work/$1.etl.db" ] || perftab-convert "$work/$1.etl" -o "$work/$1.etl.db"
	holds "$1: sources" "$work/$1.etl.db" $'BranchInstructions|1\nTimer|1' \
		'SELECT c.name, min(s.period IS NOT NULL) FROM sample AS s JOIN counter AS c USING (counter_id) GROUP BY c.name ORDER BY c.name'
}

for form in "$@"; do
	rm -rf "${work:?}"/*
	[ "$form" = raw ] || delivered_programs
	make_etw --form "$form" "${switches[@]}" "$plan" "$work" || fail "make_etw --form $form"
	for trace in "$work"/*.etl "$work"/*.txt; do
		[ -e "$trace" ] || continue
		file=${trace##*/}
		case $file in
		single_stream.etl)
			check_single_stream single_stream
			continue
			;;
		batched.* | counters_0.*) reports 1 "$form $file: check" "nothing to check" perftab-analyze --check "$trace" ;;
		esac
		plans "$file"
		roads "$file" >>"$work/roads-wanted"
	done
	planned_each <"$work/plans"
	(delivered_programs && planned_each <"$work/cuts")
	if [ "$form" = raw ]; then
		roads_each <"$work/roads-wanted"
		[ ! -e "$work/counted.etl" ] || check_names counted.etl
		[ ! -e "$work/samples_noted_late.etl" ] || check_late_notes samples_noted_late
	fi
done
finish
