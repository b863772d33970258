#!/bin/bash
# corpus_records.sh: names, births, deaths, maps, symbols and losses are those that perf 6.1
# dumps (perf report -D), for every file that it reads, field by field; so is every sample.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # corpus_files.sh
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
version=$(perf --version 2>/dev/null) || skip "perf is not installed"
[[ $version = "perf version 6.1."* ]] || skip "this is $version, INDEX.tsv is of 6.1"
export HOME=$work PERF_CONFIG=/dev/null

# FORK and EXIT carry a time of their own, some 100 ns from that of their trailer: perf prints
# this one, the tables have the other.  A parent 0 is idle, which is one thread on each CPU.
cat >"$work/records.awk" <<'AWK'
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
cat >"$work/records.sql" <<'SQL'
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

cat >"$work/samples.awk" <<'AWK'
function flush() { if (have) print head "\t" (length(chain) < 2 ? "-" : chain "]") "\t" (branches == "" ? "-" : branches) }
function hex(digits) { sub(/^0+/, "", digits); return digits == "" ? "0" : digits }
/ PERF_RECORD_SAMPLE\(IP/ {
	flush()
	have = 1
	chain = branches = part = ""
	match($0, /0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_SAMPLE/)
	n = split(substr($0, 1, RSTART - 1), before, " ")
	match($0, /SAMPLE\(IP, 0x[0-9a-f]+\): /)
	# the last digit, without its highest bit
	mode = index("0123456789abcdef", substr($0, RSTART + RLENGTH - 4, 1)) - 1
	split(substr($0, RSTART + RLENGTH), f, " ")
	split(f[1], ids, /[\/:]/)
	if (ids[2] == 0 && ids[1] != 0) # a dying thread, not idle
		ids[2] = -1
	head = (n == 2 && before[1] < 4294967295 ? before[1] : "-") "\t" (n ? before[n] : "-") "\t" mode % 8 "\t" ids[2] "\t" hex(substr(f[2], 3)) "\t" f[4] "\t" hex(substr(f[6], 3))
	next
}
/^\.\.\. .*chain: nr:/ { part = "chain"; chain = "["; next }
/^\.\.\. branch stack: nr:/ { part = "branches"; next }
/^\.\.\.\.\. *[0-9]+: / && part == "chain" {
	ip = $NF
	if (ip ~ /^ffffffffffff/) {
		if (ip == "fffffffffffffe00") ip = "user"
		else if (ip == "ffffffffffffff80") ip = "kernel"
		else if (ip == "ffffffffffffffe0") ip = "hypervisor"
		else ip = "0x" hex(ip)
	} else ip = "0x" hex(ip)
	chain = chain (chain == "[" ? "" : ",") "\"" ip "\""
	next
}
/^\.\.\.\.\. *[0-9]+: / && part == "branches" { sub(/^\.\.\.\.\. *[0-9]+: /, ""); branches = branches " " hex($1) ">" hex($3); next }
{ part = "" }
END { flush() }
AWK
cat >"$work/samples.sql" <<'SQL'
SELECT coalesce(cpu, '-'), coalesce(ts_ns, '-'), mode, coalesce(tid, -1), printf('%x', ip), s.period, printf('%x', addr),
	coalesce(frames, '-'), coalesce((SELECT group_concat(branch, '') FROM
		(SELECT printf(' %x>%x', from_ip, to_ip) AS branch FROM sample_branch b WHERE b.sample_id = s.sample_id ORDER BY position)), '-')
FROM sample s LEFT JOIN thread USING (thread_id) LEFT JOIN callchain USING (callchain_id);
SQL

# "FILE<tab>records samples", or one of both; without what fuzzers made for records, which perf may dump otherwise
{
	tr -d '\r' <"$PERFTAB_CORPUS/perf/INDEX.tsv" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["perf61_script"] == "ok" {
			print "perf/" $1 "\t" ($1 ~ /__corpus__/ ? "" : "records ") ($at["records"] ~ /SAMPLE=/ ? "samples" : "") }'
	tr -d '\r' <"$PERFTAB_CORPUS/lab/INDEX.tsv" | awk -F'\t' '/header ok/ {
		print "lab/" $1 "\t" ($1 ~ /stat/ ? "" : "records ") ($1 ~ /sample|freq/ ? "samples" : "") }'
} | awk -F'\t' '$2 != ""' >"$work/files"
[ "$(grep -c records "$work/files")" -ge 90 ] || fail "only $(grep -c records "$work/files") files have records to compare"
[ "$(grep -c samples "$work/files")" -ge 60 ] || fail "only $(grep -c samples "$work/files") files have samples to compare"
awk -F'\t' -v folder="$PERFTAB_CORPUS" '{ print folder "/" $1 "\t" NR }' "$work/files" | convert_each
cat "$work"/converted/*.exit | grep -vqx '[03]' && fail "exit statuses other than 0 and 3: $(grep -Lx '[03]' "$work"/converted/*.exit | head -3)"

mkdir "$work/wanted" "$work/got"
n=0
while IFS=$'\t' read -r file what; do
	n=$((n + 1))
	# Without decoding hardware trace data, which would make up samples.
	perf report -f -D --no-itrace -i "$PERFTAB_CORPUS/$file" >"$work/dump" 2>/dev/null </dev/null
	echo ".open '$work/$n.db'"
	if [[ $what = *records* ]]; then
		grep -a "\]: PERF_RECORD_[^S]\|\]: PERF_RECORD_SW" "$work/dump" | awk -f "$work/records.awk" >"$work/wanted/$n.records"
		printf '%s\n' ".output '$work/got/$n.records'" ".read '$work/records.sql'"
	fi
	if [[ $what = *samples* ]]; then
		grep -av "^\.  " "$work/dump" | awk -f "$work/samples.awk" >"$work/wanted/$n.samples"
		printf '%s\n' ".output '$work/got/$n.samples'" ".read '$work/samples.sql'" ".output '$work/chains.$n'" \
			"SELECT '$file';" ".read '$PERFTAB_SOURCE/tests/corpus/chains.sql'"
	fi
done <"$work/files" >"$work/ask.sql"
sqlite3 -batch -separator $'\t' <"$work/ask.sql" 2>"$work/err" && [ ! -s "$work/err" ] || fail "databases: $(head -3 "$work/err")"

cat "$work"/chains.* | paste - - | grep -v '	0 0 0$' >"$work/twice" && fail "chains that are there twice, that no sample has, of another depth: $(head -3 "$work/twice")"

# perf 6.1 does not swap prot and flags of MMAP2, and prints ---p for all.
for n in $(grep -n '^lab/s390x.*records' "$work/files" | cut -d: -f1); do
	grep -q -e "---p.*busybox" "$work/wanted/$n.records" || fail "$n: perf swaps MMAP2 now"
	grep -q "r-xp 00:02 6 0.*/bin/busybox" "$work/got/$n.records" || fail "$n: prot and flags of MMAP2"
	sed -i -E "s/\t[-rwxsp]{4} /\t/" "$work/wanted/$n.records" "$work/got/$n.records"
done

# together FOLDER: the rows of all files, sorted, with the name of the trace
together() {
	(cd "$work/$1" && awk -F'\t' 'NR == FNR { name[NR] = $1; next } { n = FILENAME; sub(/.*\//, "", n); sub(/\./, " ", n); split(n, part, " ")
		print name[part[1]] "\t" part[2] "\t" $0 }' "$work/files" ./*) | sort
}
together wanted >"$work/all.wanted"
together got >"$work/all.got"
same "what perf report -D has ('<') and what the tables have ('>')" "$work/all.wanted" "$work/all.got"
[ "$(cut -f2 "$work/all.wanted" | grep -c records)" -ge 80000 ] || fail "few records compared"
[ "$(cut -f2 "$work/all.wanted" | grep -c samples)" -ge 90000 ] || fail "few samples compared"
finish
