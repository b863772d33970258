#!/bin/bash
# capture_namespace.sh: in a PID namespace the bill names the right processes.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
unshare -p -f --mount-proc true 2>/dev/null || skip "no PID namespace can be made"
cd "$work" || exit 1
cat >load <<'LOAD'
self_count -n inner 30 1000 & self_count -n other 20 500 &
wait
LOAD
# A load outside as well, which has no number inside.
while :; do self_count -n outer 1 10 >/dev/null; done &
outer=$!
trap '[ -z "$outer" ] || kill $outer; rm -rf "$work"' EXIT

# billed WHAT FILE: inner and other have the page faults that they counted; else says so
billed() {
	whole "$1" "$2"
	sql "$2.db" "SELECT p.name, count(*), sum(charged + with_idle + unproven) FROM process_charge JOIN counter AS c USING (counter_id)
		JOIN process AS p USING (process_id) WHERE c.name = 'page-faults' AND p.name IN ('inner', 'other') GROUP BY 1" >bills
	awk '$2 == "page-faults" { own[$1] = $3 }
		NR != FNR { split($0, f, "|"); seen++; if (f[2] != 1 || f[3] < own[f[1]] || f[3] > own[f[1]] + 400) exit 1 }
		END { if (seen != 2) exit 1 }' own bills || { echo "counted $(grep faults own | tr '\n' ' '), charged $(tr '\n' ' ' <bills)"; return 1; }
}

# Now and then a switch is not sampled, and what was counted before it is not theirs for
# certain; but not three times running.
for attempt in 1 2 3; do
	status 0 "all CPUs" timeout 60 unshare -p -f --mount-proc perftab-capture perf -q -m 4M -a -o all.data -- bash load
	[ ! -s err ] || fail "all CPUs: talks: $(cat err)"
	cp out own
	billed "all CPUs" all.data >why && break
	[ $attempt -lt 3 ] || fail "all CPUs: $(cat why)"
done
holds "all CPUs: who is outside has no name" all.data.db 1 "SELECT count(*) > 0 FROM process WHERE name = 'outer'"
kill $outer
wait $outer 2>/dev/null
outer=

# A process that is followed, as without rights; it waits until it is.
status 0 "a process" timeout 60 unshare -p -f --mount-proc bash -c 'bash -c "kill -STOP \$\$; . ./load" & pid=$!
	until grep -q "^State:.T" /proc/$pid/status; do sleep 0.01; done
	perftab-capture perf -q -m 4M -p $pid -o one.data &
	recorder=$!
	while [ ! -s one.data ]; do sleep 0.01; done
	sleep 0.3 # it is armed by now
	kill -CONT $pid; wait $recorder'
[ ! -s err ] || fail "a process: talks: $(cat err)"
cp out own
billed "a process" one.data >why || fail "a process: $(cat why)"
finish
