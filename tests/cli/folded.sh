#!/bin/bash
# folded.sh: --to folded and --to speedscope of the sample traces: stacks add up to what the
# bill and the estimates say, whatever is weighed.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/perf

# total COLUMN FILE: of the bill, as CSV names it; lines of processes in brackets too
total() {
	perftab-analyze --csv "$2" 2>/dev/null |
		awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { n += $at } END { printf "%d", n }'
}
# adds_up FILE COUNTER
adds_up() {
	perftab-convert --to folded --counter "$2" -o folded -f "$1" 2>/dev/null
	case $? in 0 | 3) ;; *) fail "${1##*/}: $2" ;; esac
	[ "$(awk '{ n += $NF } END { printf "%d", n }' folded)" = "$(total "$2" "$1")" ] ||
		fail "${1##*/}: stacks weighed by $2 come to $(awk '{ n += $NF } END { printf "%d", n }' folded), the bill to $(total "$2" "$1")"
	! grep -qvE '^[^ ]+ [0-9]+$' folded || fail "${1##*/}: a line that is not a stack and a number"
	LC_ALL=C sort -c <(sed 's/ [0-9]*$//' folded) || fail "${1##*/}: not in order"
	folds "${1##*/}" "$1" "$2"
}

adds_up "$samples/good-plain-sampling.data" cpu-clock
cp folded named
perftab-convert --to folded -o - "$samples/good-plain-sampling.data" >default 2>/dev/null
same "the heaviest event is the default" named default
sed 's/;.*//' folded | sort -u >got
echo sum-unsorted >wanted
same "processes" wanted got
for counter in task-clock page-faults msr/tsc/; do
	adds_up "$samples/good-switch-group.data" $counter
done
adds_up "$samples/good-lossy.data" page-faults
for counter in task-clock page-faults; do
	adds_up "$samples/good-threads.data" $counter
done
# Many processes and threads, of which some have one name, and names with what ends a frame.
make_page_trace --cpus 4 --switches 5000 --processes 60 --names <(printf '%s\n' 'a b' 'a;b' 'a\b' twice twice) >names.data
adds_up names.data cycles:HG

# A counter that went down: a warning says by how much; with that the stacks come to the bill.
etl=$PERFTAB_SOURCE/sample-traces/etw/good-everything.etl
status 0 "a counter that went down" perftab-convert --to folded --counter 'Retired µops' -f -o folded "$etl"
fall=$(sed -n 's/.*: Retired µops went down, by \([0-9]*\): that is left out$/\1/p' "$work/err")
perftab-convert "$etl" -o fell.db
holds "a counter that went down" fell.db "$(($(awk '{ n += $NF } END { printf "%.0f", n }' folded) - fall))" 'SELECT sum("Retired µops") FROM process_bill'

# The time that was charged is that of the bill, though several groups saw it.
for trace in "$samples"/good-{switch-group,threads}.data ${PERFTAB_CORPUS:+"$PERFTAB_CORPUS/lab/arm64-smp1.hw_mux.data"}; do
	status 0 "${trace##*/}: on_cpu_ns" perftab-convert --to folded --counter on_cpu_ns -f -o folded "$trace"
	awk '{ n += $NF } END { printf "%d\n", n }' folded >got
	perftab-analyze --csv "$trace" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "on_cpu_ns") at = i; next }
		$1 !~ /^"?\((with idle|unattributed)\)/ { n += $at } END { printf "%d\n", n }' >wanted
	same "${trace##*/}: on_cpu_ns" wanted got
done

for to in folded speedscope perfetto clickhouse; do
	[ -w /dev/full ] || continue
	perftab-convert --to $to -o - "$samples/good-switch-group.data" >/dev/full 2>"$work/err" && fail "--to $to, a full disk"
	says "--to $to, a full disk" "cannot write to standard output: "
done

# In JSON the same.
status 0 "speedscope" perftab-convert --to speedscope -o made.json "$samples/good-plain-sampling.data"
holds "speedscope" :memory: "$(total cpu-clock "$samples/good-plain-sampling.data")|sampled|nanoseconds" \
	"SELECT (SELECT sum(value) FROM json_each(d, '\$.profiles[0].weights')), json_extract(d, '\$.profiles[0].type'), json_extract(d, '\$.profiles[0].unit') FROM (SELECT readfile('made.json') AS d)"
holds "a frame for each name" :memory: 1 \
	"SELECT count(*) = count(DISTINCT value) FROM (SELECT readfile('made.json') AS d), json_each(d, '\$.shared.frames')"

reports 1 "no such counter" "no counter 'cycles'" perftab-convert --to folded --counter cycles -o x "$samples/good-plain-sampling.data"
[ ! -e x ] || fail "there is an output all the same"
for trace in threads plain-sampling; do perftab-convert --to folded -o - "$samples/good-$trace.data"; done >wanted
perftab-convert --to folded -f -o got "$samples"/good-{threads,plain-sampling}.data || fail "two traces"
same "two traces" wanted got
reports 2 "one trace" "--to speedscope writes a single trace" perftab-convert --to speedscope -o x "$samples/good-plain-sampling.data" "$samples/good-plain-sampling.data"
mistakes perftab-convert <<-END
	--counter cycles -o $work/x $samples/good-plain-sampling.data|--counter goes with --to folded or speedscope
END
finish
