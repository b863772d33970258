#!/bin/bash
# capture_perf.sh: perf reads what perftab-capture records, without a warning, and sees the
# same samples with the same values.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
command -v perf >/dev/null || skip "perf is not installed"
export HOME=$work PERF_CONFIG=/dev/null
cd "$work" || exit 1
cat >load <<'LOAD'
self_count 20 500 >/dev/null &
for i in 1 2 3 4 5 6 7 8; do sleep 0.01; /bin/true; done
wait
LOAD

# silent WHAT COMMAND...: it succeeds, prints something, and warns of nothing
silent() {
	local what=$1
	shift
	"$@" >out 2>err </dev/null || fail "$what: exit status $?: $(head -1 err)"
	# Of every file that has no call chains, perf's own too.
	grep -v '^Samples do not have callchains\.$' err >warnings
	[ ! -s warnings ] || fail "$what: warns: $(head -2 warnings)"
	[ -s out ] || fail "$what: prints nothing"
}

# Each switch: CPU, time, counter and what it rose by since the one before it on this CPU,
# whatever was read in between; the first one since zero, as perf has it.
cat >rises.sql <<'SQL'
SELECT cpu || ' ' || printf('%d.%09d', ts_ns / 1000000000, ts_ns % 1000000000) || ' ' || name || ' ' || rise
	FROM (SELECT v.*, s.status, v.value - lag(v.value, 1, 0) OVER (PARTITION BY v.name, v.cpu ORDER BY switch_id) AS rise
		FROM switch_values AS v JOIN context_switch AS s USING (switch_id))
	WHERE rise <> 0 AND status <> 0 ORDER BY 1;
SQL

# seen_by_perf NAME OPTIONS...: a recording of the load, through all that perf has for it
seen_by_perf() {
	local name=$1 counters
	shift
	case $name in
	pipe*)
		timeout 60 perftab-capture perf -q -m 4M -o - "$@" -- bash load >"$name.data" 2>err || fail "$name: exit status $?: $(cat err)"
		[ ! -s err ] || fail "$name: talks on stderr: $(head -1 err)"
		;;
	*) records "$name" "$name.data" "$@" -- bash load ;;
	esac
	whole "$name" "$name.data"
	ln -f "$name.data.db" "$name.db"
	counters=$(sql "$name.db" "SELECT group_concat(name) FROM (SELECT name FROM counter WHERE group_id = 1 ORDER BY slot)")

	case $name in
	pipe*) ;; # perf shows only what is in a file's header
	*)
		silent "$name: perf report --header-only" perf report --header-only -i "$name.data"
		grep -qF "cmdline : " out && grep -qF "group: {$counters}" out && grep -q "^# hostname : $(uname -n)$" out ||
			fail "$name: header: $(grep -E 'cmdline|group|hostname' out)"
		;;
	esac
	silent "$name: perf report" perf report --stdio -i "$name.data"
	grep -qF "${counters//,/, }" out || fail "$name: perf report shows another group than $counters"
	silent "$name: perf script" perf script -i "$name.data"
	case $name:$counters in
	pipe*) ;; # perf sched timehist looks for events before it reads any, its own pipes included
	*:sched:*)
		silent "$name: perf sched timehist" perf sched timehist -i "$name.data"
		[ "$(grep -c 'self_count' out)" -ge 1 ] || fail "$name: perf sched timehist: no self_count"
		;;
	esac
	as_perf "$name"

	# Line by line, but for the first of each CPU and counter, which perf counts from zero.
	sql "$name.db" "SELECT cpu || ' ' || ts_ns FROM context_switch WHERE status = 0" |
		awk '{ printf "%d %d.%09d\n", $1, substr($2, 1, length($2) - 9), substr($2, length($2) - 8) + 0 }' >firsts
	perf script --ns -F cpu,time,event,period -i "$name.data" 2>perf.err </dev/null |
		awk 'FILENAME == "firsts" { first[$1, $2] = 1; next }
			{ gsub(/[][]/, "", $1); sub(/:$/, "", $2); sub(/:$/, "", $4)
			  if (!(($1 + 0, $2) in first)) print $1 + 0, $2, $4, $3 }' firsts - | sort >wanted
	sql "$name.db" "$(cat rises.sql)" | sort >got
	[ "$(wc -l <wanted)" -ge 40 ] || fail "$name: perf script shows $(wc -l <wanted) values: $(head -1 perf.err)"
	same "$name: not the values that perf script shows" wanted got
}

seen_by_perf plain
# SWITCH records stand only where a switch was not sampled: then nearly none are left.
[ ! -d /sys/kernel/tracing/events/sched ] ||
	holds "plain: SWITCH records that repeat samples" plain.db 1 "SELECT 2 * total(records) FILTER (WHERE type IN (14, 15)) < total(records) FILTER (WHERE type = 9) FROM record_count"
if perf version --build-options 2>/dev/null | grep -qi 'zstd: *\[ *on'; then
	seen_by_perf packed --compress
fi
seen_by_perf pipe
seen_by_perf chosen -e page-faults,task-clock:u,minor-faults
if [ -d /sys/kernel/tracing/events/sched ]; then
	seen_by_perf tracepoints -e sched:sched_wakeup,sched:sched_process_fork,page-faults
fi

# BPF programs name threads that end, and their process, where perf has no number left.
if perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err; then
	records "threads" threads.data --via bpf -- burst -t 20 strand
	perf script -F comm,pid,tid -i threads.data 2>perf.err </dev/null | awk '$1 == "strand" { print $2 }' | sort -u >ids
	[ "$(wc -l <ids)" -eq 20 ] || fail "threads: perf script shows $(wc -l <ids) of 20: $(head -1 perf.err)"
	[ "$(cut -d/ -f1 ids | sort -u | wc -l)" -eq 1 ] || fail "threads: they are not of one process: $(tr '\n' ' ' <ids)"
else
	printf 'BPF is not tested: %s\n' "$(cat err)"
fi

# With a followed command, as users without rights have it.  It starts nothing: a child that has
# not ended is a message.
mkfifo never
(exec 3<>never; while :; do read -rt 0.01 -u 3; done) &
busy=$!
records "one process" one.data -p $busy -d 0.2
kill $busy
whole "one process" one.data
silent "one process: perf report --header-only" perf report --header-only -i one.data
silent "one process: perf script" perf script -i one.data --show-task-events
finish
