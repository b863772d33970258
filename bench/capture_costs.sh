# capture_costs.sh - what a switch and an edge of an interrupt cost the CPU they are on, by each
# recorder; sourced by bench/capture.
#
# The workload runs on the last CPU, the recorder on the others: CPU time of the workload with the
# recorder, less that without, by the switches or edges in the trace.  All in turns, the least of
# ROUNDS (default 5) each, because noise only ever adds.  The same group everywhere.
rounds=${1-5}
last=$(($(getconf _NPROCESSORS_ONLN) - 1))
on_last=(taskset -c "$last")
elsewhere=(taskset -c "0-$((last > 0 ? last - 1 : 0))")
pipes=(perf bench -f simple sched pipe -l 100000)
edges=(packets 150000)

# took WORDS...: CPU seconds of a workload
took() {
	measure "${on_last[@]}" "$@" 3>took >/dev/null 2>&1
	awk '{ print $2 }' took
}

# with NAME WORKLOAD RECORDER...: a line "NAME CPU-seconds" in `all`, the trace in NAME.data
with() {
	local name=$1 workload=$2 pid
	local -n load=$workload
	shift 2
	rm -f "$name.data" ready go
	mkfifo go
	# shellcheck disable=SC2016 # expanded by the sh that the recorder starts
	"${elsewhere[@]}" "$@" -o "$name.data" -- sh -c 'touch ready; read line <go' 2>"$name.said" &
	pid=$!
	while [ ! -e ready ]; do kill -0 $pid || exit 1; sleep 0.05; done
	echo "$name $(took "${load[@]}")" | tee -a all >&2
	echo >go
	wait $pid
	rm -f go
}

# events NAME: switches of the workload, or edges of interrupts, on its CPU
switches() { perftab-analyze --by cpu --csv "$1.data" 2>/dev/null | awk -F, -v cpu="$last" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == cpu { print $at["switches"] }'; }
edges_of() {
	rm -f edges.db
	perftab-convert -f "$1.data" -o edges.db 2>/dev/null
	sqlite3 edges.db "SELECT sum(b.last_value - b.first_value) FROM counter_base AS b JOIN counter AS c USING (counter_id)
		WHERE b.cpu = $last AND (c.name LIKE 'irq%entry' OR c.name LIKE 'irq%exit')"
}

ours_cost=(perftab-capture perf -a -e "$counters" --via)
for ((i = 0; i < rounds; i++)); do
	echo "alone-pipe $(took "${pipes[@]}")" | tee -a all >&2
	with perf-pipe pipes "${perf[@]}" -m 4M
	with ours-pipe pipes "${ours_cost[@]}" perf
	with bpf-pipe pipes "${ours_cost[@]}" bpf
	echo "alone-edges $(took "${edges[@]}")" | tee -a all >&2
	with ours-edges edges "${ours_cost[@]}" perf --interrupts -m 32M
	with bpf-edges edges "${ours_cost[@]}" bpf --interrupts -m 32M
done
for name in perf-pipe ours-pipe bpf-pipe; do echo "count $name $(switches $name)"; done >>all
for name in ours-edges bpf-edges; do echo "count $name $(edges_of $name)"; done >>all
awk '
$1 == "count" { count[$2] = $3; next }
!($1 in least) || $2 < least[$1] { least[$1] = $2 }
function cost(name, alone) { return count[name] ? (least[name] - least[alone]) / count[name] * 1e6 : 0 }
function line(what, name, alone, base) {
	printf "%-44s %8.3f us %10d", what, cost(name, alone), count[name]
	if (base) printf "   %.2f times", cost(name, alone) / cost(base, alone)
	print ""
}
END {
	line("a switch, perf record", "perf-pipe", "alone-pipe")
	line("a switch, perftab-capture --via perf", "ours-pipe", "alone-pipe", "perf-pipe")
	line("a switch, perftab-capture --via bpf", "bpf-pipe", "alone-pipe", "perf-pipe")
	line("an edge of an interrupt, --via perf", "ours-edges", "alone-edges")
	line("an edge of an interrupt, --via bpf", "bpf-edges", "alone-edges", "ours-edges")
}' all
sed -n 's/.*and each read/measured by the recorder:/p' ours-pipe.said bpf-pipe.said
