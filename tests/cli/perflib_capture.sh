#!/bin/bash
# perflib_capture.sh: perftab-capture perflib of this machine: options, filters, ends of all
# kinds, and the list of countersets.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1

# converts WHAT FILE: to FILE.db, complete, without a finding that anything is wrong
converts() {
	rm -f "$2.db"
	status 0 "$1: convert" perftab-convert --strict "$2" -o "$2.db"
	holds "$1" "$2.db" complete 'SELECT status FROM trace'
	holds "$1" "$2.db" '' "SELECT kind FROM finding WHERE severity <> 'info'"
}

# --- all of this machine ---
before=${EPOCHREALTIME/[.,]/}
status 0 "live" perftab-capture perflib -n 3 -i 0.2 -o live.plb
after=${EPOCHREALTIME/[.,]/}
says "live" "live.plb: 3 snapshots of "
converts "live" live.plb
# The third is due 0.4 s after the first was; a machine that is busy only adds.
[ $((after - before)) -ge 400000 ] || fail "live: too quick: $((after - before)) us"
holds "live: times" live.plb.db 3 'SELECT count(DISTINCT ts_ns) FROM perflib_snapshot'
holds "live: processors" live.plb.db "$(grep -c '^cpu[0-9]' /proc/stat)" "SELECT count(*) FROM perflib_instance i JOIN perflib_counterset s USING (counterset)
	WHERE s.name = 'Linux Processor' AND i.name <> '_Total'"
[ "$(sql live.plb.db "SELECT count(*) FROM perflib_instance i JOIN perflib_counterset s USING (counterset)
	WHERE s.name = 'Linux Process' AND number = $$")" -ge 1 ] || fail "live: the test itself is not among the processes"
# The mean of the processors is their _Total, to what integers round off.
perflib_values live.plb.db 3 >values
awk -F'\t' '$1 == "Linux Processor" { if ($3 == "_Total") total[$2] = $4; else { sum[$2] += $4; count[$2]++ } }
	END { for (name in total) { seen++; apart = total[name] - sum[name] / count[name]; if (apart > 1e-3 || apart < -1e-3) { print name, total[name], sum[name] / count[name]; exit 1 } }
		exit !seen }' values >mean || fail "live: mean of processors: $(cat mean)"
# Raw numbers are between those that were read before and after.
counted() { awk '$1 == "ctxt" || $1 == "processes" { print $1, $2 }' /proc/stat; }
counted >before
perftab-capture perflib -q -n 1 -c 'Linux System' -o between.plb || fail "between"
counted >after
perftab-convert between.plb -o between.db || fail "between: convert"
sql between.db "SELECT CASE counter WHEN 1 THEN 'ctxt' ELSE 'processes' END || ' ' || value FROM perflib_raw WHERE counter IN (1, 4)" >now
cat before now after | awk '{ n[$1]++; value[$1, n[$1]] = $2 % 4294967296 }
	END { for (name in n) { seen++; for (i = 2; i <= 3; i++) if ((value[name, i] - value[name, i - 1] + 4294967296) % 4294967296 > 2147483648) exit 1 }
		exit seen != 2 }' || fail "between: $(cat before now after)"

# --- filters: the bundle has what was requested ---
{ exec -a perftab-filter sleep 60; } &
pid=$!
sleep 0.2
while IFS='|' read -r words wanted; do
	rm -f f.plb*
	status 0 "$words" perftab-capture perflib -q -n 1 -c "${words//PID/$pid}" -o f.plb
	converts "$words" f.plb
	got=$(sql f.plb.db "SELECT group_concat(x, ' ') FROM (SELECT DISTINCT coalesce(i.name, '') || '/' || r.counter AS x
		FROM perflib_raw r JOIN perflib_instance i USING (instance) ORDER BY 1)")
	[ "$got" = "$wanted" ] || fail "$words: got $got, expected $wanted"
done <<'END'
Linux Process(slee?)\Threads|sleep/9
linux process(#PID)\threads|sleep/9
Linux Process(#PID)\#9|sleep/9
Linux Processor(_Total)\% U*|_Total/2
\Linux Processor(_Tot*)\*wait*|_Total/7
Linux System\Context*|/1
Linux Memory\% Swap In Use|/8 /9
END
kill $pid
wait $pid 2>/dev/null

# --- invalid requests and files ---
while IFS='|' read -r words text; do
	reports 1 "$words" "$text" perftab-capture perflib -n 1 -c "$words" -o wrong.plb
	[ ! -e wrong.plb ] || fail "$words: makes a file"
done <<'END'
Linux Dissk|no counterset 'Linux Dissk'; did you mean 'Linux Disk'?
Linux Memory(x)|'Linux Memory' has no instances
Linux Disk\Disk Reds/sec|'Linux Disk' has no counter 'Disk Reds/sec'; did you mean 'Disk Reads/sec'?
END
reports 2 "half a request" "missing ')' after the instances" perftab-capture perflib -n 1 -c 'Linux Disk(' -o wrong.plb
status 1 "a GUID of nothing" perftab-capture perflib -q -n 1 -c '{00000000-920f-46fd-bc31-970089c8a526}' -o none.plb
grep -q 'no such counterset (error 4200)' err || fail "a GUID of nothing: $(cat err)"
status 3 "one of two" perftab-capture perflib -q -n 1 -c '{00000000-920f-46fd-bc31-970089c8a526}' -c 'Linux System' -o one.plb
converts "one of two" one.plb
holds "one of two" one.plb.db 4200,0 "SELECT group_concat(status) FROM perflib_identifier WHERE call = 'add'"
reports 1 "a full disk" "/dev/full: cannot write after" perftab-capture perflib -n 1 -o /dev/full
reports 1 "no folder" "cannot write nowhere/f.plb: No such file or directory" perftab-capture perflib -n 1 -o nowhere/f.plb
reports 1 "no bundle" "README.md is not a PerfLib bundle" perftab-capture perflib --replay "$PERFTAB_SOURCE/README.md" -o f.plb
head -c 1000 live.plb >cut.plb
status 1 "half a bundle" perftab-capture perflib -q --replay cut.plb -o f.plb

# --- files ---
cp one.plb first
perftab-capture perflib -q -n 1 -c 'Linux System' -o one.plb || fail "FILE.old"
same "FILE.old" first one.plb.old
timeout 60 perftab-capture perflib -n 2 -i 0.1 -c 'Linux System' -o - 2>err | perftab-convert - -o pipe.db
[ "${PIPESTATUS[*]}" = "0 0" ] || fail "a pipe: ${PIPESTATUS[*]}"
holds "a pipe" pipe.db 'complete|2' 'SELECT status, (SELECT count(*) FROM perflib_snapshot) FROM trace'
timeout 60 perftab-capture perflib -i 0.01 -o - 2>err | head -c 100 >/dev/null
[ "${PIPESTATUS[0]}" -eq 1 ] && [ ! -s err ] || fail "a closed pipe: ${PIPESTATUS[0]}: $(cat err)"

# --- Ctrl-C and SIGTERM end it well; SIGKILL leaves what was there ---
for signal in INT TERM KILL; do
	rm -f $signal.plb
	perftab-capture perflib -q -i 0.05 -c 'Linux Processor' -o $signal.plb 2>err &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ "$(stat -c %s $signal.plb 2>/dev/null || echo 0)" -gt 9000 ] && break
		sleep 0.05
	done
	kill -$signal $pid
	wait $pid 2>/dev/null
	code=$?
	if [ $signal = KILL ]; then
		status 3 "killed" perftab-convert KILL.plb -o KILL.plb.db
		holds "killed" KILL.plb.db partial 'SELECT status FROM trace'
		holds "killed" KILL.plb.db '' "SELECT kind FROM finding WHERE kind NOT IN ('unfinished', 'truncated')"
	else
		[ $code -eq 0 ] || fail "SIG$signal: exit status $code: $(cat err)"
		converts "SIG$signal" $signal.plb
	fi
	[ "$(sql $signal.plb.db 'SELECT count(*) FROM perflib_snapshot')" -ge 2 ] || fail "SIG$signal: $(sql $signal.plb.db 'SELECT count(*) FROM perflib_snapshot') snapshots"
done

# --- the list ---
status 0 "list countersets" perftab-capture list countersets
for set in Processor System Memory Process Disk Network; do
	grep -q "^Linux $set  *{[0-9a-f-]*}" out || fail "list countersets: no Linux $set"
done
status 0 "list countersets NAME" perftab-capture list countersets 'linux mem*'
[ "$(grep -c '^Linux' out)" -eq 1 ] && grep -q '#8 .*% Swap In Use .*RAW_FRACTION' out || fail "list countersets NAME: $(cat out)"
reports 1 "list of nothing" "no counterset matches 'Linux Disc'; did you mean 'Linux Disk'?" perftab-capture list countersets 'Linux Disc'
status 0 "list --json" perftab-capture list --json countersets
grep -q '"Idle, and no task waited for a disk"' out && grep -q '"Not in use"' out || fail "list --json: what counters mean"
holds "list --json: no schema_version 1" :memory: 1 "SELECT json_extract(readfile('out'), '\$.schema_version')"
sql :memory: "SELECT json_extract(c.value, '\$.id'), json_extract(c.value, '\$.type_name'), json_extract(c.value, '\$.base'), json_extract(c.value, '\$.is_partner')
	FROM json_each(json_extract(readfile('out'), '\$.countersets')) AS s, json_each(json_extract(s.value, '\$.counters')) AS c
	WHERE json_extract(s.value, '\$.name') = 'Linux Memory' AND json_extract(c.value, '\$.id') IN (8, 9)" | reads "list --json" '8|RAW_FRACTION|9|0' '9|RAW_BASE||1'
status 0 "list of a bundle" perftab-capture list --replay "$PERFTAB_SOURCE/sample-traces/perflib/good-types.plb" countersets '*'
grep -q '^Prozessor ' out || fail "list of a bundle: $(cat out)"
finish
