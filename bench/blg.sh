# blg.sh - the part of bench/run about performance logs: a .blg against plainly reading the
# bytes.  Sourced.

blg_samples=${BLG_SAMPLES:-10000}

blg_bench() {
	local log=$tmp/perftab-bench-$blg_samples.blg name wall cpu mib least
	[ -e "$log" ] || build/release/tests/make_winperf --log "$blg_samples" "$log"
	for ((i = 0; i < rounds; i++)); do
		best blg-plain-read dd if="$log" of=/dev/null bs=256k
		best blg-read perftab-convert -t null "$log"
		best blg-convert perftab-convert --no-verify "$log" -o "$out/db"
	done
	printf '.blg: %d samples of 80 instances and 28 counters, %d MB\n' "$blg_samples" "$(($(stat -c %s "$log") / 1000000))"
	printf '%-20s %9s %9s %9s %14s %14s\n' '' wall\ s cpu\ s peak\ MiB 'M values/s' 'x plain-read'
	least=$(cut -d' ' -f1 "$out/best.blg-plain-read")
	for name in blg-plain-read blg-read blg-convert; do
		read -r wall cpu mib <"$out/best.$name"
		awk -v n="$name" -v w="$wall" -v c="$cpu" -v m="$mib" -v s="$blg_samples" -v l="$least" 'BEGIN {
			printf "%-20s %9.3f %9.3f %9.1f %14.2f %14.1f\n", n, w, c, m, s * 80 * 28 / w / 1e6, w / l }'
	done
	rm -f "$out"/best.* "$out"/all.*
}
