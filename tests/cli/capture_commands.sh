#!/bin/bash
# capture_commands.sh: command lines of processes, of those there are and of new ones, are in
# the trace; perf reads it as before, --by tree shows them, --anonymize removes them.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
can_record
delivered_readers
cd "$work" || exit 1
cp "$(command -v self_count)" secret-tool
./secret-tool -n earlier 20000 7 >/dev/null &
earlier=$!
trap 'kill $earlier 2>/dev/null; rm -rf "$work"' EXIT
while ! grep -q earlier /proc/$earlier/comm; do sleep 0.01; done
cat >load <<'LOAD'
./secret-tool -n later 700 19 >/dev/null
LOAD

ways=perf
! perftab-capture perf -q --via bpf -C 0 -d 0.05 -o first.data 2>err || ways="perf bpf"
[ "$ways" != perf ] || printf 'BPF is not tested: %s\n' "$(cat err)"
for way in $ways; do
	records "$way" trace.data --via "$way" -e task-clock,page-faults -- bash load
	whole "$way" trace.data
	holds "$way: a process that was there" trace.data.db "./secret-tool -n earlier 20000 7" "SELECT command FROM process WHERE pid = $earlier"
	holds "$way: a new process" trace.data.db "./secret-tool -n later 700 19" "SELECT command FROM process WHERE name = 'later'"
	holds "$way: a thread of the kernel" trace.data.db "" "SELECT command FROM process WHERE pid = 2"
	perftab-analyze --by tree --csv trace.data >tree.csv 2>/dev/null
	grep -q '^later,.*,\./secret-tool -n later 700 19,' tree.csv || fail "$way: --by tree: $(grep ^later tree.csv)"
	alike "$way" trace.data trace.data.db --by tree --json
	if command -v perf >/dev/null; then
		perf script -i trace.data -F event >lines 2>perf.err </dev/null || fail "$way: perf script: $(head -1 perf.err)"
		[ ! -s perf.err ] || fail "$way: perf script says $(head -1 perf.err)"
		[ "$(grep -c sched_switch lines)" = "$(sql trace.data.db 'SELECT count(*) FROM context_switch')" ] || fail "$way: perf sees other switches"
	fi
	status 0 "$way: --anonymize" perftab-convert -f --anonymize trace.data -o hidden.db
	! sqlite3 hidden.db .dump | grep -q 'secret-tool -n\|later 700' || fail "$way: --anonymize leaves a command line"
	holds "$way: --anonymize" hidden.db 1 "SELECT count(DISTINCT command) FROM process WHERE name = 'later' AND command LIKE 'command%'"
	rm -f hidden.db
done

# Programs that have ended before /proc can be read: BPF programs read their words as they begin.
cp "$(type -P true)" brief-tool
cat >brief <<'BRIEF'
for i in $(seq 1 100); do ./brief-tool -n $i word; done
BRIEF
if [ "$ways" != perf ]; then
	records "brief programs" brief.data --via bpf -e task-clock -- bash brief
	whole "brief programs" brief.data
	holds "brief programs" brief.data.db "100|100|./brief-tool -n 100 word" "SELECT count(*), count(DISTINCT command),
		max(command) FILTER (WHERE command LIKE '%100 word') FROM process WHERE name = 'brief-tool' AND command LIKE './brief-tool -n % word'"
	# Longer ones are cut, not lost.
	long=$(printf '%05000d' 7)
	records "a long command line" long.data --via bpf -e task-clock -- bash -c "./brief-tool $long; true"
	whole "a long command line" long.data
	holds "a long command line" long.data.db 1 "SELECT count(*) FROM process WHERE name = 'brief-tool' AND length(command) BETWEEN 4000 AND 4096"
fi

# -p, and a stream.
records "-p" one.data -p "$earlier" -e task-clock -d 0.1
whole "-p" one.data
holds "-p" one.data.db "./secret-tool -n earlier 20000 7" "SELECT command FROM process WHERE pid = $earlier"
perftab-capture perf -q -o - -- bash load 2>err | perftab-convert -f - -o pipe.db 2>/dev/null || fail "a stream: $(cat err)"
holds "a stream" pipe.db "./secret-tool -n later 700 19" "SELECT command FROM process WHERE name = 'later'"
finish
