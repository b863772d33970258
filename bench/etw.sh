# etw.sh - the part of bench/run about ETW: .etl against plainly reading the bytes, xperf's
# text against awk merely splitting it.  Sourced; both are of one plan of make_etw.

etw_switches=${ETW_SWITCHES:-3000000}

etw_round() { # TRACE.etl TRACE.txt
	local i
	sync # what was written before would be written out now
	for i in 1 2 3 4 5; do # so short that noise hits all of one
		best etl-plain-read dd if="$1" of=/dev/null bs=256k
		best etl-analyze perftab-analyze --csv "$1"
	done
	best etl-convert perftab-convert --no-verify "$1" -o "$out/db"
	best text-awk-split awk -F, '{ fields += NF } END { print fields }' "$2"
	best text-analyze perftab-analyze --csv "$2"
	best text-convert perftab-convert --no-verify "$2" -o "$out/db"
}

etw_report() { # TRACE.etl TRACE.txt
	local name wall cpu mib bytes least
	printf 'ETW: %d switches: .etl %d MB, text %d MB\n' "$etw_switches" \
		"$(($(stat -c %s "$1") / 1000000))" "$(($(stat -c %s "$2") / 1000000))"
	printf '%-20s %9s %9s %9s %9s %14s %14s\n' '' wall\ s cpu\ s peak\ MiB MB/s 'M switches/s' 'x least'
	for name in etl-plain-read etl-analyze etl-convert text-awk-split text-analyze text-convert; do
		read -r wall cpu mib <"$out/best.$name"
		bytes=$(stat -c %s "$1")
		least=$(cut -d' ' -f1 "$out/best.etl-plain-read")
		if [ "${name%%-*}" = text ]; then
			bytes=$(stat -c %s "$2")
			least=$(cut -d' ' -f1 "$out/best.text-awk-split")
		fi
		awk -v n="$name" -v w="$wall" -v c="$cpu" -v m="$mib" -v b="$bytes" -v s="$etw_switches" -v l="$least" 'BEGIN {
			printf "%-20s %9.3f %9.3f %9.1f %9.0f %14.2f %14.2f\n", n, w, c, m, b / w / 1e6, s / w / 1e6, w / l }'
	done
	awk -v e="$(cut -d' ' -f1 "$out/best.etl-analyze")" -v t="$(cut -d' ' -f1 "$out/best.text-analyze")" \
		'BEGIN { printf "A switch from .etl is billed %.1f times as fast as one from text.\n", t / e }'
	rm -f "$out"/best.* "$out"/all.*
}

etw_bench() {
	local dir=$tmp/perftab-bench-etw-$etw_switches
	if [ ! -e "$dir/steady.txt" ]; then
		mkdir -p "$dir"
		build/release/tests/make_etw --switches "$etw_switches" steady "$dir"
	fi
	read_again "$dir/steady.etl"
	read_again "$dir/steady.txt"
	for ((i = 0; i < rounds; i++)); do etw_round "$dir/steady.etl" "$dir/steady.txt"; done
	etw_report "$dir/steady.etl" "$dir/steady.txt"
}
