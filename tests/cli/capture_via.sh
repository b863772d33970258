#!/bin/bash
# capture_via.sh: both ways to see switches, by BPF programs and by samples of perf: the
# books of a CPU reach from the first moment to the last, and a thread that never leaves its
# CPU is charged what it used of it.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1

ways=perf
if perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err; then
	ways="perf bpf"
	[ "$(wc -l <err)" -eq 0 ] || fail "BPF: talks on stderr: $(cat err)"
else
	# One sentence that says why, and the same with auto, which records all the same.
	[ "$(wc -l <err)" -eq 1 ] && grep -q 'BPF' err || fail "BPF: expected one sentence, got: $(cat err)"
	[ ! -e first.data ] || fail "BPF: there is a trace all the same"
	status 0 "auto" perftab-capture perf -q -C 0 -d 0.05 -o first.data
	printf 'BPF is not tested: %s\n' "$(cat err)"
fi

# The last CPU, and a thread of a higher class than all others on it; for as long as this test
# runs it may have all of a second, not 95 % and the rest idle.
cpu=$(($(getconf _NPROCESSORS_ONLN) - 1))
spin=(taskset -c "$cpu")
throttle=/proc/sys/kernel/sched_rt_runtime_us
if [ -w "$throttle" ] && chrt -f 1 true 2>/dev/null; then
	trap 'echo '"$(cat "$throttle")"' >"$throttle"; rm -rf "$work"' EXIT
	echo -1 >"$throttle"
	spin=(chrt -f 1 taskset -c "$cpu")
fi

# column FILE CPU COUNTER COLUMN...: of --check --csv, added up
column() {
	awk -F, -v cpu="$2" -v counter="$3" -v names="${*:4}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == cpu && $2 == counter {
			for (i = split(names, n, " "); i > 0; i--) sum += $at[n[i]]
		}
		END { printf "%.0f\n", sum }' "$1"
}

# unshared FILE: check.csv is its check, and nearly all of the CPU's time is some thread's
unshared() {
	perftab-analyze --check --csv "$1" >check.csv 2>/dev/null
	rise=$(($(column check.csv "$cpu" task-clock last) - $(column check.csv "$cpu" task-clock first)))
	[ "$(column check.csv "$cpu" task-clock idle with_idle unattributed)" -le $((rise / 20)) ]
}

# covered WHAT FILE MS OPTION...: records; all of the CPU's time is in the books, none of it shared
# or unproven.  On some machines a thread leaves a CPU without a trace; then it is done again, twice.
covered() {
	local what=$1 file=$2 ms=$3 try
	shift 3
	for try in 1 2 3; do
		records "$what" "$file" "$@" -d "$(printf '%d.%d' $((ms / 1000)) $((ms % 1000 / 100)))"
		if unshared "$file"; then
			break
		elif [ "$try" = 3 ]; then
			fail "$what: not all of it is charged: $(cat check.csv)"
		fi
	done
	[ "$rise" -ge $((ms * 999000)) ] || fail "$what: $rise ns of $ms ms are in the books"
}

# near WHAT PROVEN ALL WANTED: within 1 %; what is not proven may be shared with others
near() {
	[ $(($3 * 100)) -ge $(($4 * 99)) ] && [ $(($2 * 100)) -le $(($4 * 101)) ] ||
		fail "$1: $2 proven, $3 in all, expected $4"
}

# spinner FILE: what the spinner was charged
spinner() {
	perftab-analyze --csv "$1" 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$2 == '"$pid"' { print $at["task-clock"] }'
}

"${spin[@]}" self_count -n spinner 600000 1 >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 50; i++)); do
	[ "$(cat /proc/$pid/comm)" != spinner ] || break
	sleep 0.02
done

for way in $ways; do
	for target in "-C $cpu" -a; do
		# shellcheck disable=SC2086
		covered "$way $target" hot.data 600 --via "$way" $target -e task-clock,page-faults
		whole "$way $target" hot.data
		# The rest of the CPU is what the kernel gave to others.
		rise=$(column check.csv "$cpu" task-clock charged)
		got=$(spinner hot.data)
		[ "${got:-0}" -ge $((rise * 80 / 100)) ] || fail "$way $target: the spinner has ${got:-nothing} of $rise ns"
		two_roads hot.data "hot-$way" few window
	done
	covered "$way, 2.5 s" long.data 2500 --via "$way" -a -e task-clock
	# A switch or a read at least once a second, and what a busy machine adds to that.
	perftab-convert long.data -o long.db 2>/dev/null
	gap=$(sql long.db "SELECT max(ts_ns - before) / 1000000 FROM (
		SELECT ts_ns, lag(ts_ns) OVER (ORDER BY ts_ns) AS before FROM (
			SELECT ts_ns FROM context_switch WHERE cpu = $cpu UNION ALL SELECT ts_ns FROM group_read WHERE cpu = $cpu))")
	[ "$gap" -le 2000 ] || fail "$way: nothing was read for $gap ms"
	rm -f long.db
done

# The clock of the process itself, read on either side, holds what -p counted in between.
ran() { awk '{ print $1 }' "/proc/$pid/schedstat"; }
before=$(ran)
records "-p" task.data -p "$pid" -e task-clock -d 0.6
after=$(ran)
whole "-p" task.data
got=$(spinner task.data)
[ "${got:-0}" -ge 450000000 ] && [ "$got" -le $((after - before)) ] ||
	fail "-p: ${got:-nothing} of at most $((after - before)) ns"

# Each interval of a live bill, the first as well.
timeout 20 perftab-analyze --live -i 0.2 -d 1 --csv 2>/dev/null >live.csv
awk -F, -v pid="$pid" '$5 == pid { n++; least = n == 1 || $8 < least ? $8 : least } END { exit !(n >= 4 && least > 100000000) }' live.csv ||
	fail "live: an interval misses the spinner: $(cat live.csv)"
kill "$pid"
wait "$pid" 2>/dev/null

# How a thread leaves the CPU: some end, and two in the kernel take it from each other, where that
# kernel lets them.
rm -f taken
for way in $ways; do
	records "$way, states" states.data --via "$way" -C "$cpu" -e task-clock -- taskset -c "$cpu" \
		bash -c 'for i in 1 2; do dd if=/dev/zero of=/dev/null bs=64M count=15 2>/dev/null & done; burst 20 ended; burst -t 20 strand; wait'
	whole "$way, states" states.data
	holds "$way: processes that end as if they slept" states.data.db 20 "SELECT count(*) FROM context_switch AS s
		JOIN thread AS t ON t.thread_id = s.prev_thread_id WHERE t.name = 'ended' AND s.prev_state IN (16, 32)"
	holds "$way: threads that end, of one process" states.data.db "20|20|1" "SELECT count(*), count(DISTINCT tid), count(DISTINCT process_id)
		FROM context_switch AS s JOIN thread AS t ON t.thread_id = s.prev_thread_id WHERE t.name = 'strand' AND s.prev_state IN (16, 32)"
	sql states.data.db "SELECT count(*) FROM context_switch AS s JOIN thread AS t ON t.thread_id = s.prev_thread_id
		WHERE t.name = 'dd' AND s.prev_state = 256" >>taken
done
awk 'NR == 1 { least = $1 >= 5 } least && $1 == 0 { exit 1 }' taken || fail "threads are not preempted: perf and BPF see $(tr '\n' ' ' <taken)"

# Nothing comes after the last read of a CPU, however busy it is.
busy=()
if [ "$ways" != perf ]; then
	for i in 1 2; do yes | cat >/dev/null & busy+=($!); done
	for i in 1 2 3; do
		ring=32M records "busy CPUs" busy.data --via bpf -a -e task-clock -d 0.2
		whole "busy CPUs" busy.data
		holds "busy CPUs: switches after the last read" busy.data.db 0 "SELECT count(*) FROM context_switch AS s
			WHERE ts_ns > (SELECT max(ts_ns) FROM group_read AS r WHERE r.cpu = s.cpu)"
	done
	kill "${busy[@]}"
	wait "${busy[@]}" 2>/dev/null
fi

# A command, all of it, against perf's own count of the same process.
if command -v perf >/dev/null && perf stat -e task-clock true 2>/dev/null; then
	for way in $ways; do
		records "$way, command" command.data --via "$way" -e task-clock -- \
			perf stat -x, -o stat -e task-clock "${spin[@]}" self_count -n spinner 600 1
		wanted=$(awk -F, '/task-clock/ { printf "%.0f\n", $1 * 1000000 }' stat)
		rm -f command.db
		perftab-convert command.data -o command.db 2>/dev/null
		# On some machines threads leave a CPU without a trace.
		read -r proven all < <(sql command.db "SELECT sum(charged) || ' ' || sum(charged + with_idle + unproven) FROM process_charge JOIN process USING (process_id)
			JOIN counter USING (counter_id) WHERE process.name = 'spinner' AND counter.name = 'task-clock'")
		near "$way, command" "${proven:-0}" "${all:-0}" "$wanted"
	done
fi
finish
