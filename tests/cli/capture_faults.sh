#!/bin/bash
# capture_faults.sh perf|bpf: a recording that is killed, interrupted, or has nowhere to write; more
# processes than can be followed; CPUs that are not there.  What was written is usable,
# the bill balances, and what was lost is said.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1
way=$1
recorder=(perftab-capture perf -q --via "$way")
"${recorder[@]}" -C 0 -d 0.05 -o first.data 2>err || skip "cannot record by $way here: $(cat err)"
# Job control, so that children do not ignore SIGINT.
set -m

# usable WHAT FILE STATUS: it balances, has switches of every CPU, and perf reads it too
usable() {
	local what=$1 file=$2 wanted=$3
	balances "$wanted" "$what" "$file"
	rm -f "$file.db"
	status "$wanted" "$what: convert" perftab-convert "$file" -o "$file.db"
	holds "$what: not every CPU has switches" "$file.db" "$(getconf _NPROCESSORS_ONLN)" 'SELECT count(DISTINCT cpu) FROM context_switch'
	command -v perf >/dev/null || return
	perf script -i "$file" -F event >lines 2>perf.err </dev/null || fail "$what: perf script: $(head -1 perf.err)"
	[ "$(grep -c -E 'sched_switch|context-switches' lines)" = "$(sql "$file.db" 'SELECT count(*) FROM context_switch')" ] ||
		fail "$what: perf script shows $(grep -c -E 'sched_switch|context-switches' lines) switches, not $(sql "$file.db" 'SELECT count(*) FROM context_switch')"
}

# armed FILE: waits until it is recorded to
armed() {
	has_grown "$1" 5000
	sleep 0.3
}

# has_grown FILE BYTES: waits until it has
has_grown() {
	local tries=0
	while [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -lt "$2" ] && [ $tries -lt 1000 ]; do tries=$((tries + 1)); sleep 0.01; done
	[ $tries -lt 1000 ] || fail "$1 does not grow to $2 bytes: $(cat "$work/err")"
}

# Killed without a warning.
"${recorder[@]}" -m 64K -d 60 -o killed.data 2>err &
armed killed.data
burst 2000 killed
has_grown killed.data 200000
kill -9 $!
wait $! 2>/dev/null
[ ! -s err ] || fail "kill -9: talks: $(cat err)"
usable "kill -9" killed.data 3
sql killed.data.db "SELECT recorder FROM trace" | grep -q unfinished || fail "kill -9: who says that it is unfinished?"
holds "kill -9: hardly a process" killed.data.db 1 "SELECT count(*) > 100 FROM process WHERE name = 'killed'"
# The next recording keeps it.
records "after kill -9" killed.data --via "$way" -- true
[ -s killed.data.old ] || fail "after kill -9: the old file is gone"

# Interrupted: the file is finished, and the command ended.  -d in case it does not help.
for signal in INT TERM; do
	rm -f int.data
	"${recorder[@]}" -d 60 -o int.data 2>err &
	armed int.data
	burst 50 int-$signal
	kill -$signal $!
	wait $!
	got=$?
	[ $got -eq 0 ] || fail "SIG$signal: exit status $got: $(cat err)"
	[ ! -s err ] || fail "SIG$signal: talks: $(cat err)"
	usable "SIG$signal" int.data 0
	holds "SIG$signal: not all that was recorded is there" int.data.db 50 "SELECT count(*) FROM process WHERE name = 'int-$signal'"
	sql int.data.db "SELECT recorder FROM trace" | grep -q unfinished && fail "SIG$signal: unfinished"
done
rm -f int.data running
"${recorder[@]}" -d 60 -o int.data -- sh -c 'echo $$ >running; exec sleep 60' 2>err &
has_grown running 2
sleep 0.3
kill -TERM $!
wait $!
got=$?
[ $got -eq 143 ] || fail "SIGTERM with a command: exit status $got, expected 143: $(cat err)"
kill -0 "$(cat running)" 2>/dev/null && { kill "$(cat running)"; fail "SIGTERM: the command still runs"; }
usable "SIGTERM with a command" int.data 0

# A reader that has enough: no word of it, and no end to wait for.
timeout 60 "${recorder[@]}" -m 64K -d 600 -o - 2>err | head -c 400000 >pipe.data &
load=$!
for ((i = 0; i < 300; i++)); do
	kill -0 $load 2>/dev/null || break
	burst 100
done
kill -0 $load 2>/dev/null && fail "closed pipe: it goes on"
wait $load
[ ! -s err ] || fail "closed pipe: talks: $(cat err)"
balances 3 "closed pipe" pipe.data

# A disk that fills up.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=400k none small 2>/dev/null; then
	trap 'umount "$work/small"; rm -rf "$work"' EXIT
	for disk in 400k 1m "400k -z"; do
		size=${disk% -z}
		mount -o remount,size=$size small
		rm -f small/*
		# shellcheck disable=SC2086
		status 1 "disk of $disk" timeout 60 "${recorder[@]}" ${disk#"$size"} -m 64K -d 60 -o small/full.data -- bash -c 'while burst 50; do :; done'
		sed -i '/ records were lost, the rings were full/d' "$work/err" # a busy machine
		says "disk of $disk" "small/full.data: cannot write after"
		says "disk of $disk" "No space left on device; the file can be read, and has "
		said=$(sed -n 's/.* and has \([0-9,]*\) of [0-9,]* switches recorded, in [0-9.]* MB$/\1/p' "$work/err" | tr -d ,)
		mv small/full.data full.data
		usable "disk of $disk" full.data 3
		# All but the last page, or the last compressed record; and what the message says of it.
		least=$(($(numfmt --from=iec "${size^^}") - 8192 - (${#disk} > 4) * 57344))
		[ "$(stat -c %s full.data)" -gt $least ] || fail "disk of $disk: only $(stat -c %s full.data) bytes were kept"
		holds "disk of $disk: switches" full.data.db "$said" 'SELECT count(*) FROM context_switch'
	done
	rm -f small/*
	timeout 60 perftab-capture perf --via "$way" -m 64K -d 60 -o small/full.data -- bash -c 'while burst 50; do :; done' 2>err
	grep -q 'switches recorded, not all written, in ' err || fail "a full disk: $(cat err)"
	rm -f small/*
	# Not even the beginning fits.
	mount -o remount,size=4k small
	reports 1 "disk of 4k" "No space left on device" "${recorder[@]}" -o small/full.data -- true
fi

# More processes than there are in an ordinary minute.
started=$(date +%s)
timeout 100 "${recorder[@]}" -o burst.data -- burst 10000 ten-thousand 2>err || fail "10 000 processes: exit status $?: $(cat err)"
[ $(($(date +%s) - started)) -le 10 ] || echo "10 000 processes took $(($(date +%s) - started)) s: the machine is slow"
usable "10 000 processes" burst.data 0
said=$(sed -n 's/.*: \([0-9,]*\) records were lost.*/\1/p' err | tr -d ,)
[ -s err ] && [ -z "$said" ] && fail "10 000 processes: $(cat err)"
lost=$(sql burst.data.db "SELECT coalesce(max(sum(events), 0), 0) FROM lost")
if [ -n "$said" ] || [ "$lost" -gt 0 ]; then
	[ -n "$said" ] && [ "$lost" -gt 0 ] || fail "10 000 processes: the recorder says that '$said' were lost, the file $lost"
	echo "10 000 processes: $said records were lost, and said to be"
else
	[ "$(sql burst.data.db "SELECT count(*) FROM process WHERE name = 'ten-thousand'")" = 10000 ] ||
		fail "10 000 processes: there are $(sql burst.data.db "SELECT count(*) FROM process WHERE name = 'ten-thousand'"), and nothing was lost"
fi
# overflows WHAT FILE COMMAND...: records COMMAND into rings that are much too small, stopped meanwhile, so that
# they overflow however quick the recorder is; then it goes on
overflows() {
	"${recorder[@]}" -m 1 -d 60 -o "$2" 2>err &
	armed "$2"
	kill -STOP $!
	"${@:3}"
	kill -CONT $!
	burst 50
	kill -INT $!
	wait $! || fail "$1: exit status $?: $(cat err)"
	grep -q 'records were lost, the rings were full: raise -m (now 4 KiB a CPU)' err || fail "$1: says nothing of loss: $(cat err)"
	usable "$1" "$2" 0
}

overflows "small ring" lossy.data burst 3000
holds "small ring: the file says nothing of loss" lossy.data.db 1 "SELECT sum(events) > 0 FROM lost"
[ "$(sql lossy.data.db "SELECT count(*) FROM context_switch WHERE status = 3")" -gt 0 ] || fail "small ring: all is said to be proven"

# The same by switches alone: the file says where they were lost, not only at its end that they were.
overflows "flood of switches" flood.data taskset -c 0 bash -c 'yes | head -c 20000000 >/dev/null'
holds "flood of switches: losses are all at the end" flood.data.db 1 "SELECT count(*) > 0 FROM lost WHERE ts_ns < (SELECT max(ts_ns) FROM context_switch)"

# CPUs that are offline: simulated in a mount namespace; and, where it is asked for because
# others notice it too, real.
last=$(($(getconf _NPROCESSORS_CONF) - 1))
echo 0 >online
if [ "$last" -gt 0 ] && unshare -m true 2>/dev/null; then
	status 0 "offline, simulated" unshare -m sh -c "mount --bind online /sys/devices/system/cpu/online &&
		exec ${recorder[*]} -C 0,$last -o offline.data -- taskset -c 0 sleep 0.2"
	says "offline, simulated" "CPU $last is offline: not recorded"
	whole "offline, simulated" offline.data
	holds "offline, simulated: other CPUs than 0" offline.data.db 0 "SELECT group_concat(DISTINCT cpu) FROM context_switch"
	status 1 "all offline, simulated" unshare -m sh -c "mount --bind online /sys/devices/system/cpu/online &&
		exec ${recorder[*]} -C $last -d 0.2 -o offline.data"
	grep -q 'none of these CPUs is online' "$work/err" || fail "all offline, simulated: $(cat "$work/err")"
fi
switch=/sys/devices/system/cpu/cpu$last/online
if [ -z "${PERFTAB_HOTPLUG:-}" ]; then
	echo "skipped: an offline CPU, because PERFTAB_HOTPLUG is not set"
elif [ "$last" -eq 0 ] || ! echo 0 >"$switch" 2>/dev/null; then
	echo "skipped: an offline CPU, because CPU $last cannot be taken offline"
else
	trap 'echo 1 >"$switch"; mountpoint -q "$work/small" && umount "$work/small"; rm -rf "$work"' EXIT
	reports 0 "offline" "CPU $last is offline: not recorded" "${recorder[@]}" -C "0,$last" -d 0.2 -o offline.data
	whole "offline" offline.data
	status 0 "offline, all others" "${recorder[@]}" -a -d 0.2 -o offline.data
	whole "offline, all others" offline.data
	echo 1 >"$switch"
	# One that goes away, and one that comes, while it is recorded.
	"${recorder[@]}" -a -d 60 -o going.data 2>err &
	armed going.data
	echo 0 >"$switch"
	burst 100
	sleep 1
	echo 1 >"$switch"
	burst 100
	sleep 0.5
	kill -INT $!
	wait $! || fail "a CPU that goes: exit status $?: $(cat err)"
	grep -q "CPU $last went offline, and its counters with it" err || fail "a CPU that goes: $(cat err)"
	balances 0 "a CPU that goes" going.data
	status 0 "a CPU that goes" perftab-convert going.data -o going.db
	holds "what the trace says" going.db 1 "SELECT text LIKE 'CPU $last went offline after%' FROM finding
		WHERE kind = 'cpu_offline'"
	# Nothing of it lasts from then to its return.
	holds "intervals of a CPU that is offline" going.db 0 "SELECT count(*) FROM context_switch
		WHERE cpu = $last AND on_cpu_ns > 900000000 AND ts_ns > (SELECT min(ts_ns) + 900000000 FROM context_switch)"
fi
finish
