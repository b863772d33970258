#!/bin/bash
# perf_forms.sh: what perf here records in each of its forms is read, the books balance, and
# perf script, where it can read the recording, counts the same.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
PATH=$helpers/tests/damage:$PATH
command -v perf >/dev/null || skip "perf is not installed"
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
export HOME=$work PERF_CONFIG=/dev/null
cd "$work" || exit 1
cat >"$work/load" <<'LOAD'
for i in 1 2 3 4 5 6 7 8; do sleep 0.01; /bin/true; done &
i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
wait
LOAD
group='{sched:sched_switch,task-clock,page-faults}:S'
timeout 60 perf record -q -N -a -c 1 -e "$group" -m 1M -o file.data bash "$work/load" >out 2>&1 ||
	skip "this machine does not allow recording: $(tail -1 out)"
perf version --build-options 2>/dev/null | grep -qi 'zstd: *\[ *on' || skip "perf has no zstd"

# record NAME OPTIONS...: by a perf that is known to be allowed to
record() {
	local name=$1
	shift
	timeout 60 perf record -q -N -o "$name.data" "$@" bash "$work/load" >out 2>&1 || fail "$name: perf record $*: $(tail -1 out)"
}

# read_well NAME WANTED: all roads, to $work/NAME.db; WANTED is form, status and kind of packing of the trace
read_well() {
	local name=$1 got
	balances 0 "$name" "$name.data"
	[ ! -s err ] || fail "$name: talks on stderr: $(head -2 err)"
	if [ "$name" = file ]; then two_roads "$name.data" "$name"; else two_roads "$name.data" "$name" few; fi
	got=$(sql "$name.db" "SELECT form || ' ' || status || (SELECT CASE sum(type IN (81, 83)) WHEN 0 THEN '' ELSE ' packed' END
		FROM record_count) FROM trace")
	[ "$got" = "$2" ] || fail "$name: is said to be: $got; expected: $2"
	holds "$name: damage is found where none is" "$name.db" 0 "SELECT count(*) FROM finding WHERE severity = 'damage' OR end_offset IS NOT NULL"
}

# switches NAME: a bill of switches on every CPU
switches() {
	[ "$(sql "$1.db" 'SELECT count(*) FROM context_switch')" -ge 20 ] || fail "$1: hardly a switch"
	holds "$1: not all CPUs have switches" "$1.db" 1 "SELECT count(DISTINCT cpu) = (SELECT coalesce(cpu_count, $(getconf _NPROCESSORS_ONLN)) FROM trace) FROM context_switch"
	sql "$1.db" 'SELECT count(*) || "|" || count(*) FROM cpu_charge' >wanted
	sql "$1.db" 'SELECT count(*) || "|" || total(last_value - first_value = charged + interrupts + with_idle + idle + unattributed) FROM cpu_charge' |
		sed 's/\.0$//' >got
	same "$1: cpu_charge does not balance" wanted got
}

# A file, and a stream of another run: saved, and read as it comes.
read_well file 'file complete'
switches file
as_perf file
tables file.data file
timeout 60 perf record -q -N -a -c 1 -e "$group" -m 1M -o - bash "$work/load" 2>err | tee pipe.data |
	perftab-analyze --by thread --csv - >came 2>came.err
[ "${PIPESTATUS[*]}" = "0 0 0" ] || fail "stream: exit status ${PIPESTATUS[*]}: $(head -1 err came.err)"
[ ! -s came.err ] || fail "stream: talks on stderr: $(head -1 came.err)"
read_well pipe 'pipe complete'
switches pipe
as_perf pipe
perftab-analyze --by thread --csv pipe.data >saved
same "stream: not what the saved one gives" saved came
timeout 60 perf record -q -N -a -z -c 1 -e "$group" -m 1M -o - bash "$work/load" 2>err | tee pipe-zstd.data |
	perftab-analyze --check - >out 2>came.err
[ "${PIPESTATUS[*]}" = "0 0 0" ] || fail "packed stream: exit status ${PIPESTATUS[*]}: $(head -1 err came.err)"
books "packed stream"
read_well pipe-zstd 'pipe complete packed'
switches pipe-zstd

# Packed; a directory; a packed directory; rings that overwrite their oldest records.
record zstd -a -z -c 1 -e "$group" -m 1M
read_well zstd 'file complete packed'
switches zstd
as_perf zstd
record dir -a --threads -c 1 -e "$group" -m 1M
[ -d dir.data ] || fail "perf record --threads made no directory"
read_well dir 'directory complete'
switches dir
as_perf dir
tables dir.data dir
record dir-zstd -a --threads -z -c 1 -e "$group" -m 1M
read_well dir-zstd 'directory complete packed'
switches dir-zstd
as_perf dir-zstd
record overwrite -a --overwrite -c 1 -e "$group" -m 1M
read_well overwrite 'file complete'
switches overwrite
as_perf overwrite

# The directory by the file within; and without one of its files, whole or cut: the CPU
# that it was of has no bill, or a shorter one, and the others have theirs.
for form in 'by thread --csv' 'by cpu --csv' check; do
	# shellcheck disable=SC2086
	perftab-analyze --$form dir.data >wanted
	# shellcheck disable=SC2086
	status 0 "dir/data: --$form" perftab-analyze --$form dir.data/data
	same "dir.data/data: --$form is not that of dir.data" wanted out
done
per_cpu() { sql "$1" "SELECT cpu, count(*), sum(on_cpu_ns) FROM context_switch WHERE cpu <> 1 GROUP BY cpu ORDER BY cpu"; }
if [ -e dir.data/data.1 ]; then
	per_cpu dir.db >wanted
	for damage in missing cut; do
		rm -rf "$damage.data" "$damage.db"
		cp -r dir.data $damage.data
		case $damage in
		missing) rm missing.data/data.1 ;;
		cut) truncate -s $(($(wc -c <cut.data/data.1) / 2 + 3)) cut.data/data.1 ;;
		esac
		balances 3 "directory, data.1 $damage" $damage.data
		[ $damage = cut ] || says "directory, data.1 missing" data.1
		status 3 "directory, data.1 $damage: convert" perftab-convert $damage.data -o $damage.db
		sound $damage
		status 1 "directory, data.1 $damage: --strict" perftab-analyze --strict --check $damage.data
		per_cpu $damage.db >got
		same "directory, data.1 $damage: the other CPUs" wanted got
		holds "directory, data.1 $damage: findings" $damage.db 1 "SELECT count(*) FROM finding WHERE severity = 'damage'"
	done
	holds "directory, data.1 missing: no finding missing_file" missing.db missing_file "SELECT kind FROM finding WHERE severity = 'damage'"
	holds "directory, data.1 missing: who says what CPU 1 did?" missing.db 0 "SELECT count(*) FROM context_switch WHERE cpu = 1"
	holds "directory, data.1 cut: findings and status" cut.db "truncated|partial" "SELECT kind, (SELECT status FROM trace) FROM finding WHERE severity = 'damage'"
	got=$(sql cut.db "SELECT count(*) FROM context_switch WHERE cpu = 1")
	[ "$got" -gt 0 ] && [ "$got" -lt "$(sql dir.db "SELECT count(*) FROM context_switch WHERE cpu = 1")" ] ||
		fail "directory, data.1 cut: CPU 1 has $got switches"
	status 1 "directory without its file data" perftab-analyze missing.data/data.0
fi

# The recorder is killed: all records that it wrote are read; what it did not write the user may know.
perf record -q -N -a -c 1 -e "$group" -m 16 -o killed.data sleep 60 >out 2>&1 &
recorder=$!
for _ in $(seq 60); do
	bash "$work/load"
	[ "$(wc -c <killed.data)" -gt 200000 ] && break
done
kill -9 $recorder
wait $recorder 2>/dev/null
[ "$(od -An -t u8 -j 48 -N 8 killed.data | tr -d ' ')" = 0 ] || fail "killed: the recorder was finished"
balances 3 "killed" killed.data
two_roads killed.data killed
switches killed
damage list killed.data >list 2>err || fail "killed: $(cat err)"
holds "killed" killed.db "$(wc -l <list)" 'SELECT sum(records) FROM record_count'
[ "$(sql killed.db "SELECT status || (SELECT ' ' || group_concat(kind) FROM finding WHERE kind IN ('unfinished', 'assumed_format', 'nameless')) FROM trace")" = \
	"partial unfinished,assumed_format,nameless" ] || fail "killed: findings"
status 3 "killed: with names and formats" perftab-analyze --csv --by thread --events "$group" --tracefs /sys/kernel/tracing killed.data
[ "$(head -1 out)" = "process,pid,tid,thread,switches,on_cpu_ns,sched:sched_switch,task-clock,page-faults" ] ||
	fail "killed: with names and formats: $(head -1 out)"
tail -n +2 out | sort >got
perftab-analyze --csv --by thread killed.data 2>/dev/null | tail -n +2 | sort >wanted
same "killed: the names change the numbers" wanted got
[ "$(wc -l <got)" -ge 5 ] || fail "killed: only $(wc -l <got) threads"

# perf stat record.
timeout 60 perf stat record -a -A -e task-clock,page-faults -o stat.data bash "$work/load" >out 2>&1 || fail "perf stat record: $(tail -1 out)"
status 1 "stat: nothing to check" perftab-analyze --check stat.data
two_roads stat.data stat
perf script -f -i stat.data 2>perf.err </dev/null | awk '!/^CPU/ { print $7 "|" $1 "|" $2 "|" $3 "|" $4 "|" $5 }' | sort >wanted
sql stat.db "SELECT event, coalesce(cpu, -1), tid, value, enabled_ns, running_ns
	FROM stat JOIN counter USING (counter_id) JOIN thread_map ON position = thread" | sort >got
[ "$(wc -l <wanted)" -ge 2 ] || fail "stat: perf script prints $(wc -l <wanted) counts: $(head -1 perf.err)"
same "stat: not what perf script prints" wanted got

# Sampling with call chains and switch records; tracepoints, each with a table of its own.
record sampling -g --switch-events -e cpu-clock -F 999
status 1 "sampling: nothing to check" perftab-analyze --check sampling.data
two_roads sampling.data sampling every tables
as_perf sampling
perf script -f --show-switch-events -F event -i sampling.data 2>/dev/null </dev/null | awk '/PERF_RECORD_SWITCH/ { n++; out += / OUT/ } END { print n + 0 "|" out + 0 }' >wanted
sql sampling.db "SELECT count(*), total(is_out) FROM switch_record" | sed 's/\.0$//' >got
same "sampling: SWITCH records" wanted got
holds "sampling: most samples are without a call chain" sampling.db 1 'SELECT sum(callchain_id IS NOT NULL) * 2 > count(*) FROM sample'
record tracepoints -a -e 'sched:sched_switch,sched:sched_wakeup,sched:sched_process_*' -c 1
status 1 "tracepoints: nothing to check" perftab-analyze --check tracepoints.data
two_roads tracepoints.data tracepoints
as_perf tracepoints
for event in sched_switch sched_wakeup sched_process_fork sched_process_exit sched_process_exec; do
	perf script -f -F event -i tracepoints.data 2>/dev/null </dev/null | grep -cE "^ *sched:$event: *$" >wanted
	sql tracepoints.db "SELECT count(*) FROM sched_$event" >got 2>&1
	same "tracepoints: rows of sched_$event" wanted got
	[ "$(cat wanted)" -gt 0 ] || fail "tracepoints: no $event was recorded"
done
finish
