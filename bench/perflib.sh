# perflib.sh - the part of bench/run about snapshots of counters: capturing processors and
# processes against pidstat, converting bundles against plainly reading the bytes.  Sourced.

processes=${PROCESSES:-200}
capture_seconds=10

# There are at least so many processes.
perflib_crowd() {
	local there
	there=$(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)
	crowd=()
	for ((i = there; i < processes; i++)); do
		sleep 3600 &
		crowd+=($!)
	done
	sleep 1 # until each is sleep
}

perflib_round() { # SMALL.plb PROCESSES.plb
	best capture perftab-capture perflib -q -c 'Linux Processor' -c 'Linux Process' -n $((capture_seconds + 1)) -o "$out/now.plb"
	best capture-all perftab-capture perflib -q -n $((capture_seconds + 1)) -o "$out/now.plb"
	best pidstat pidstat 1 $capture_seconds
	best small-plain-read dd if="$1" of=/dev/null bs=256k
	best small-no-indexes perftab-convert --no-indexes --no-verify "$1" -o "$out/db"
	best small-convert perftab-convert --no-verify "$1" -o "$out/db"
	best many-plain-read dd if="$2" of=/dev/null bs=256k
	best many-no-indexes perftab-convert --no-indexes --no-verify "$2" -o "$out/db"
	best many-convert perftab-convert --no-verify "$2" -o "$out/db"
}

perflib_report() { # SMALL.plb PROCESSES.plb
	local name wall cpu mib least own
	own=$(cut -d' ' -f2 "$out/best.pidstat")
	printf 'Capture: %d processes, once a second, %d times\n' "$(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)" "$capture_seconds"
	printf '%-20s %16s %9s %12s\n' '' 'cpu ms/snapshot' 'peak MiB' 'x pidstat'
	for name in pidstat capture capture-all; do
		read -r _ cpu mib <"$out/best.$name"
		awk -v n="$name" -v c="$cpu" -v m="$mib" -v o="$own" -v s=$((capture_seconds + 1)) 'BEGIN {
			printf "%-20s %16.2f %9.1f %12.2f\n", n, c / s * 1000, m, c / o }'
	done
	printf 'Conversion: %d MB of 10,000 snapshots without processes, %d MB of 1,000 with them\n' \
		"$(($(stat -c %s "$1") / 1000000))" "$(($(stat -c %s "$2") / 1000000))"
	printf '%-20s %9s %9s %9s %14s\n' '' wall\ s cpu\ s peak\ MiB 'x plain read'
	for name in small-plain-read small-no-indexes small-convert many-plain-read many-no-indexes many-convert; do
		read -r wall cpu mib <"$out/best.$name"
		least=$(cut -d' ' -f1 "$out/best.${name%%-*}-plain-read")
		awk -v n="$name" -v w="$wall" -v c="$cpu" -v m="$mib" -v l="$least" 'BEGIN {
			printf "%-20s %9.3f %9.3f %9.1f %14.1f\n", n, w, c, m, w / l }'
	done
	rm -f "$out"/best.* "$out"/all.*
}

perflib_bench() {
	perflib_crowd
	perftab-capture perflib -q -c 'Linux Processor' -c 'Linux System' -c 'Linux Memory' -c 'Linux Disk' \
		-c 'Linux Network' -i 0.0002 -n 10000 -o "$out/small.plb" 2>/dev/null
	perftab-capture perflib -q -c 'Linux Processor' -c 'Linux Process' -i 0.002 -n 1000 -o "$out/many.plb" 2>/dev/null
	for ((i = 0; i < rounds; i++)); do perflib_round "$out/small.plb" "$out/many.plb"; done
	perflib_report "$out/small.plb" "$out/many.plb"
	kill "${crowd[@]}" 2>/dev/null || true
}
