#!/bin/bash
# perflib.sh: answers of the PerfLib mock reach the values of perftab-analyze unchanged, through
# perftab-capture of Windows.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
PATH=$PERFTAB_BIN/tests/mock_windows:$PATH
cd "$work" || exit 1

# captured BUNDLE NAME SNAPSHOTS: captures the answers of a bundle to NAME.plb and NAME.db
captured() {
	mock_windows "quiet; bundle $1" perflib -q -c '*' -n "$3" -i 0.02 -o "$2.plb" >"$work/out" 2>"$work/err" ||
		fail "$2: the test program"
	grep -q '^left: 0 sessions, 0 handles, 0 processes, 0 privileges, 0 faults;' out || fail "$2: $(cat out)"
	grep -q 'exit status 0$' out || fail "$2: $(cat out err)"
	status 0 "$2: convert" perftab-convert --strict "$2.plb" -o "$2.db"
	[ ! -s err ] || fail "$2: convert: $(cat err)"
}

# data BUNDLE DATABASE: prints the answers to PerfQueryCounterData, without the record headers
data() {
	local at bytes
	sql "$2" "SELECT record_offset, bytes FROM perflib_snapshot ORDER BY snapshot" |
		while IFS='|' read -r at bytes; do tail -c +$((at + 1)) "$1" | head -c "$bytes"; done
}

# --- generated answers, with known values ---
plb_script <"$PERFTAB_SOURCE/tests/mock_windows/two-sets.script" >two-sets.plb || fail "two-sets.plb"
captured two-sets.plb two 3
status 3 "two-sets.plb" perftab-convert two-sets.plb -o two-sets.db # the requests are not in it
data two-sets.plb two-sets.db >wanted
data two.plb two.db >got
[ "$(stat -c %s wanted)" -eq 888 ] || fail "two sets: $(stat -c %s wanted) bytes of answers"
same "two sets: the answers" wanted got

sql two.db "SELECT status, clock, host, os_release, arch, cpu_count, cpu_model, recorder LIKE 'perftab-capture %', command FROM trace" >got
printf '%s\n' "complete|QPC|MOCK|Windows 10.0.22631|x86_64|8|A processor|1|quiet; bundle two-sets.plb perflib -q -c * -n 3 -i 0.02 -o two.plb" >wanted
same "two sets: facts" wanted got

# Transfers/sec passes 2^32: (104 - 4294967200) mod 2^32 in a second are 200.
perftab-analyze two.plb 2>err | sed -n '/^Disk:/,/^$/p; /^Server:/,/^$/p' >got
cat >wanted <<'END'
Disk:
instance  counter          mean  min  max  last  unit  values
C:        Transfers/sec     130   60  200    60  /sec       2
C:        % Busy Time        45   15   75    15  %          2
C:        Queue Length        1    0    2     0             3
_Total    Transfers/sec      15   10   20    20  /sec       2
_Total    % Busy Time       2.5    0    5     5  %          2
_Total    Queue Length   0.3333    0    1     1             3

Server:
counter        mean  min  max  last  unit  values
Sessions      11.33    9   13     9             3
Requests/sec    125    0  250     0  /sec       2

END
same "two sets: values" wanted got

# --- answers of /proc: the tables of both are the same, except for times and offsets ---
cp "$PERFTAB_SOURCE/sample-traces/perflib/good-proc.plb" .
status 0 "good-proc" perftab-convert good-proc.plb -o good-proc.db
captured good-proc.plb proc "$(sql good-proc.db 'SELECT count(*) FROM perflib_snapshot')"
data good-proc.plb good-proc.db >wanted
data proc.plb proc.db >got
[ -s wanted ] || fail "good-proc: no answers"
same "good-proc: the answers" wanted got
for db in good-proc proc; do
	for table in counterset counter instance raw; do sql $db.db "SELECT '$table', * FROM perflib_$table"; done >$db.rows
	sql $db.db "SELECT counterset, request, argument, code, bytes FROM perflib_answer" >>$db.rows
	sql $db.db "SELECT call, counterset, status, counter, number, instance_name, block FROM perflib_identifier" >>$db.rows
	perftab-analyze $db.plb 2>err | sed '1,/^$/d' >$db.values
done
[ "$(wc -l <proc.rows)" -gt 500 ] || fail "good-proc: $(wc -l <proc.rows) rows"
same "good-proc: rows" good-proc.rows proc.rows
[ "$(wc -l <proc.values)" -gt 50 ] || fail "good-proc: $(wc -l <proc.values) lines of values"
same "good-proc: values" good-proc.values proc.values

# --- false sizes: the bundle has what fits the buffer, and the reader reports it ---
for call in PerfQueryCounterData PerfQueryCounterInfo PerfQueryCounterSetRegistrationInfo; do
	mock_windows "quiet; bundle two-sets.plb; fail $call 0 lies" perflib -q -c '{a3a2a1a0-a5a4-a7a6-a8a9-aaabacadaeaf}' \
		-n 1 -o lies.plb >out 2>&1 || fail "$call lies: the test program: $(cat out)"
	grep -q '^left: 0 sessions, 0 handles, 0 processes, 0 privileges, 0 faults;' out || fail "$call lies: $(cat out)"
	rm -f lies.db
	status 3 "$call lies: convert" perftab-convert lies.plb -o lies.db
	[ -n "$(sql lies.db "SELECT kind FROM finding WHERE kind LIKE 'perflib_v%'")" ] || fail "$call lies: $(sql lies.db 'SELECT * FROM finding')"
done
finish
