#!/bin/bash
# capture_cgroup.sh [v1]: recordings know the control group of each switch, both ways, and --cgroup
# counts only while tasks of one run; v1: in a hierarchy of cgroup v1, which this test mounts where
# only it sees it.  While it is there, perf knows no groups of v2.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
# Where perf_event is: in a hierarchy of cgroup v1 that is not mounted here, or one that is?
hierarchy_of_v1() { [ "$(awk '$1 == "perf_event" { print $2 }' /proc/cgroups)" -gt 0 ]; }
is_mounted() { awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { found = 1 } END { exit !found }' /proc/self/mounts; }
way=${1:-}
if [ -z "$way" ] && ! is_mounted; then # what another left goes in time, or stays
	for ((i = 0; i < 50; i++)); do
		hierarchy_of_v1 || break
		sleep 0.1
	done
	! hierarchy_of_v1 || way=v1
fi
if [ "$way" = v1 ] && [ -z "${CGROUP_V1:-}" ]; then
	grep -q '^perf_event' /proc/cgroups && unshare -m true 2>/dev/null || skip "no perf_event controller or no mount namespace here"
	rm -rf "$work"
	CGROUP_V1=1 exec unshare -m bash "$0"
fi
cd "$work" || exit 1
if [ -n "${CGROUP_V1:-}" ]; then
	mkdir v1 && mount -t cgroup -o perf_event none v1 2>err || skip "cannot mount cgroup v1 with perf_event: $(cat err)"
fi

# perf's hierarchy: of cgroup v1 the one with its controller, else v2.
mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/self/mounts)
[ -n "$mount" ] || mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ -n "$mount" ] || skip "no hierarchy of control groups that perf knows is mounted here"
name=perftab-test.$$
mkdir -p "$mount/$name/one" "$mount/$name/two" 2>/dev/null || skip "no control group can be made below $mount"
# A hierarchy whose groups are not freed yet outlives its mount, and would keep perf from v2.
leave() {
	local i
	rmdir "$mount/$name/one" "$mount/$name/two" "$mount/$name"
	if [ -d "$work/v1" ]; then
		for ((i = 0; i < 300; i++)); do
			[ "$(awk '$1 == "perf_event" { print $3 }' /proc/cgroups)" -gt 1 ] || break
			sleep 0.1
		done
		umount "$work/v1"
	fi
	rm -rf "$work"
}
trap leave EXIT
cat >load <<LOAD
(echo \$BASHPID >"$mount/$name/one/cgroup.procs" && exec self_count -n in-one 60 900) >one.own &
(echo \$BASHPID >"$mount/$name/two/cgroup.procs" && exec self_count -n in-two 30 300) >two.own &
wait
LOAD
bash load
[ -s one.own ] && [ -s two.own ] || skip "no process can be moved to a control group below $mount"

reports 1 "no such group" "there is no control group '$name/none' below $mount" perftab-capture perf --cgroup "$name/none" -d 0.1 -o none.data
reports 1 "an empty name" "'' is not a path below $mount" perftab-capture perf --cgroup "" -d 0.1 -o none.data
reports 1 "not below" "'../x' is not a path below $mount" perftab-capture perf --cgroup ../x -d 0.1 -o none.data
reports 2 "with interrupts" "--interrupts and --cgroup exclude one another" perftab-capture perf --interrupts --cgroup "$name" -d 0.1 -o none.data
[ ! -e none.data ] || fail "what is refused leaves a trace"

# counted WHO: page faults that it counted itself
counted() { awk '$2 == "page-faults" { print $3 }' "$1.own"; }
# faults FILE CGROUP: those of its line by control group, with what is not proven; -: no line
faults() {
	perftab-analyze --by cgroup --csv --unproven switched-out "$1" 2>/dev/null | awk -F, -v group="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "page-faults") at = i }
		$1 == group { found = $at } END { print found == "" ? "-" : found }'
}

ways=perf
! perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err || ways="perf bpf"
[ "$ways" != perf ] || printf 'BPF is not tested: %s\n' "$(cat err)"
for way in $ways; do
	records "$way" groups.data --via "$way" -e task-clock,page-faults -- bash load
	whole "$way" groups.data
	if [ "$(sql groups.data.db "SELECT count(*) FROM cgroup")" -eq 0 ]; then
		echo "$way: skipped: this kernel has no PERF_SAMPLE_CGROUP (CONFIG_CGROUP_PERF)"
		continue
	fi
	for who in one two; do
		got=$(faults groups.data "/$name/$who")
		# And what start and exit cost within the group.
		[ "$got" != - ] && [ "$got" -ge "$(counted $who)" ] && [ "$got" -le $(($(counted $who) + 400)) ] ||
			fail "$way: /$name/$who: $got page faults in the bill, its process counted $(counted $who)"
	done
	[ "$(faults groups.data /)" != - ] || fail "$way: the root group has no line"
	holds "$way: the groups that there were" groups.data.db 3 "SELECT count(DISTINCT path) FROM cgroup WHERE path LIKE '/$name%'"
	two_roads groups.data "groups-$way" few
	alike "$way" groups.data groups.data.db --by cgroup --csv
done

# bill WAY GROUP NAME...: only that group, all of it, and nothing else.
bill() {
	local way=$1 group=$2 who
	shift 2
	records "$way --cgroup $group" one.data --via "$way" --cgroup "$group" -e task-clock,page-faults -- bash load
	whole "$way --cgroup $group" one.data
	perftab-analyze --csv one.data 2>/dev/null >bill
	for who; do
		awk -F, -v name="in-$who" -v names="$(printf ' in-%s ' "$@")" -v own="$(counted "$who")" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$1 == name { one += $at["page-faults"]; ns = $at["on_cpu_ns"]; clock = $at["task-clock"]; next }
			$1 == "(unattributed)" { open += $at["task-clock"]; next }
			!index(names, " " $1 " ") { other += $at["page-faults"] + $at["task-clock"] }
			# What the shell of it did before its exec has its last name too.
			# What it did after its last switch is read when another thread is there: microseconds.
			END { exit !(other == 0 && open <= clock / 1000 && one >= own && one <= own + 400 && ns > 20000000 && (ns - clock) ^ 2 < (clock / 50) ^ 2) }' bill ||
			fail "$way --cgroup $group: $who counted $(counted "$who") page faults: $(cat bill)"
	done
	holds "$way --cgroup $group: scope" one.data.db "cgroup" "SELECT group_concat(DISTINCT scope) FROM counter_group"
	holds "$way --cgroup $group: path" one.data.db "/${group#"$mount/"}" "SELECT value FROM header_fact WHERE key = 'CGROUP'"
	# When the programs are armed, nothing of it runs.
	[ "$way" = perf ] || holds "$way --cgroup $group: first reads are of no thread" one.data.db "$(getconf _NPROCESSORS_ONLN) 0" \
		"SELECT count(*) || ' ' || count(thread_id) FROM group_read WHERE read_id IN (SELECT min(read_id) FROM group_read GROUP BY cpu)"
	holds "$way --cgroup $group: only switches out of it" one.data.db 0 "SELECT count(*) FROM context_switch AS s
		JOIN thread AS t ON t.thread_id = s.prev_thread_id WHERE t.name NOT LIKE 'in-%' AND t.name <> 'bash'"
}

for way in $ways; do
	for group in "$name/one" "$mount/$name/one"; do
		bill "$way" "$group" one
	done
	two_roads one.data "one-$way" few window
	# Those below it, too.
	bill "$way" "$name" one two
done

# Both ways at once see the same switches and count the same, to what the ends of the recordings differ in.
if [ "$ways" != perf ]; then
	# WAY: switches and page faults of the group's lines.  A read that falls due while they run is not
	# proven where other threads came in between; both ways name the thread that it found.
	holds_group() {
		perftab-analyze --csv --unproven switched-out "both-$1.data" 2>/dev/null | awk -F, '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$1 ~ /^in-/ { print $1, $at["switches"], $at["page-faults"] }' | sort
	}
	perftab-capture perf -q --via perf --cgroup "$name" -e task-clock,page-faults -o both-perf.data 2>err &
	first=$!
	perftab-capture perf -q --via bpf --cgroup "$name" -e task-clock,page-faults -o both-bpf.data 2>err.bpf &
	second=$!
	sleep 2
	bash load
	sleep 0.2
	kill -INT $first $second
	wait $first $second
	holds_group perf >both-perf
	holds_group bpf >both-bpf
	[ -s both-bpf ] || fail "both at once: no line of the group: $(cat err err.bpf)"
	same "both at once: the same switches and page faults" both-perf both-bpf
fi
finish
