#!/bin/bash
# corpus_records.sh: names, births, deaths, maps, symbols and losses are those that perf 6.1
# dumps (perf report -D), for every file that it reads, field by field.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # corpus.sh
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
version=$(perf --version 2>/dev/null) || skip "perf is not installed"
[[ $version = "perf version 6.1."* ]] || skip "this is $version, INDEX.tsv is of 6.1"
export HOME=$work PERF_CONFIG=/dev/null

# FORK and EXIT carry a time of their own, some 100 ns from that of their trailer: perf prints
# this one, the tables have the other.  A parent 0 is idle, which is one thread on each CPU.
cat >"$work/dump.awk" <<'AWK'
function hex(digits) { sub(/^0x0*/, "", digits); return digits == "" ? "0" : digits }
function numbers(text, into,    n) { gsub(/[^-0-9]+/, " ", text); sub(/^ /, "", text); return split(text, into, " ") }
BEGIN { OFS = "\t" }
match($0, / 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_/) {
	n = split(substr($0, 1, RSTART), before, " ")
	time = n ? before[n] : 0
	if (time == "-1" || time == "18446744073709551615") time = "-"
	rest = substr($0, RSTART + RLENGTH)
	if (match(rest, /^COMM( exec)?: /)) {
		exec = rest ~ /^COMM exec/
		rest = substr(rest, RLENGTH + 1)
		match(rest, /:-?[0-9]+\/-?[0-9]+$/)
		numbers(substr(rest, RSTART), id)
		print "comm", time, id[2], substr(rest, 1, RSTART - 1), exec + 0
	} else if (rest ~ /^FORK\(/) {
		numbers(rest, id)
		print "fork", id[2], id[4] ? id[4] : "-"
	} else if (rest ~ /^EXIT\(/) {
		numbers(rest, id)
		print "exit", id[2]
	} else if (rest ~ /^MMAP2? /) {
		new = rest ~ /^MMAP2/
		match(rest, /-?[0-9]+\/-?[0-9]+: \[/)
		split(substr(rest, RSTART), id, "/")
		match(rest, /\[.*\]: /)
		split(substr(rest, RSTART + 1, RLENGTH - 4), f, /[ ()@]+/)
		tail = substr(rest, RSTART + RLENGTH)
		match(rest, /\]: /)
		tail = substr(rest, RSTART + 3)
		space = index(tail, " ")
		how = substr(tail, 1, space - 1)
		if (new && f[4] !~ /^</) how = how " " f[4] " " f[5] " " f[6]
		else if (new) how = how " " substr(f[4], 2, length(f[4]) - 2)
		print "mmap", time, id[1], hex(f[1]), hex(f[2]), hex(f[3]), how, substr(tail, space + 1)
	} else if (rest ~ /^KSYMBOL /) {
		n = split(rest, f, " ")
		print "ksymbol", time, hex("0x" f[3]), f[5], f[n]
	} else if (rest ~ /^BPF_EVENT /) {
		numbers(rest, id)
		print "bpf_event", time, id[1], id[2], id[3]
	} else if (rest ~ /^SWITCH OUT|^SWITCH IN|^SWITCH_CPU_WIDE/) {
		out = rest ~ /OUT/
		print "switch", time, out + 0, (rest ~ /preempt/) + 0, match(rest, /\/ *-?[0-9]+ *$/) ? substr(rest, RSTART + 1) + 0 : "-"
	} else if (rest ~ /^LOST: |^LOST_SAMPLES: /) {
		n = split(rest, f, ":")
		print "lost", time, f[n] + 0
	}
}
AWK
cat >"$work/dump.sql" <<'SQL'
SELECT 'comm', coalesce(ts_ns, '-'), tid, c.name, is_exec FROM comm c LEFT JOIN thread USING (thread_id);
SELECT 'fork', t.tid, coalesce(p.tid, '-') FROM fork f LEFT JOIN thread t USING (thread_id)
	LEFT JOIN thread p ON p.thread_id = parent_thread_id;
SELECT 'exit', tid FROM exit LEFT JOIN thread USING (thread_id);
SELECT 'mmap', coalesce(ts_ns, '-'), pid, printf('%x', addr), printf('%x', bytes), printf('%x', file_offset),
	CASE WHEN prot IS NULL THEN iif(is_data, 'r', 'x')
	ELSE iif(prot & 1, 'r', '-') || iif(prot & 2, 'w', '-') || iif(prot & 4, 'x', '-') || iif(flags & 1, 's', 'p') || ' ' ||
		coalesce(build_id, printf('%02x:%02x %d %d', major, minor, inode, inode_generation)) END, filename FROM mmap;
SELECT 'ksymbol', coalesce(ts_ns, '-'), printf('%x', addr), bytes, name FROM ksymbol;
SELECT 'bpf_event', coalesce(ts_ns, '-'), CASE kind WHEN 'load' THEN 1 WHEN 'unload' THEN 2 ELSE kind END, flags, program_id FROM bpf_event;
SELECT 'switch', coalesce(ts_ns, '-'), is_out, is_preempted, coalesce(other_tid, '-') FROM switch_record;
SELECT 'lost', coalesce(ts_ns, '-'), events FROM lost;
SQL

{
	tr -d '\r' <"$PERFTAB_CORPUS/perf/INDEX.tsv" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["perf61_script"] == "ok" && $1 !~ /__corpus__/ { print "perf/" $1 }'
	tr -d '\r' <"$PERFTAB_CORPUS/lab/INDEX.tsv" | awk -F'\t' '/header ok/ && $1 !~ /stat/ { print "lab/" $1 }'
} >"$work/files"
[ "$(wc -l <"$work/files")" -ge 90 ] || fail "only $(wc -l <"$work/files") files to compare"
awk -v folder="$PERFTAB_CORPUS" '{ print folder "/" $0 "\t" NR }' "$work/files" | convert_each
compared=0 n=0
while read -r file; do
	n=$((n + 1))
	perf report -f -D --no-itrace -i "$PERFTAB_CORPUS/$file" 2>/dev/null </dev/null |
		grep -a "\]: PERF_RECORD_[^S]\|\]: PERF_RECORD_SW" | awk -f "$work/dump.awk" | sort >"$work/wanted"
	sqlite3 -batch -separator $'\t' "$work/$n.db" <"$work/dump.sql" 2>&1 | sort >"$work/got"
	case $file in
	lab/s390x*) # perf 6.1 does not swap prot and flags of MMAP2, and prints ---p for all
		grep -q -e "---p.*busybox" "$work/wanted" || fail "$file: perf swaps MMAP2 now"
		grep -q "r-xp 00:02 6 0.*/bin/busybox" "$work/got" || fail "$file: prot and flags of MMAP2"
		sed -i -E "s/\t[-rwxsp]{4} /\t/" "$work/wanted" "$work/got"
		;;
	esac
	same "$file: records as perf report -D has them ('<') and as the tables have them ('>')" "$work/wanted" "$work/got"
	compared=$((compared + $(wc -l <"$work/wanted")))
done <"$work/files"
[ "$compared" -ge 80000 ] || fail "only $compared records compared"
finish
