#!/bin/bash
# corpus_sampling.sh: recordings that sample.  Numbers of samples, sums of periods, interned
# call chains; with perf 6.1, every sample of every file that it reads, field by field.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # corpus.sh
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
lab=$PERFTAB_CORPUS/lab
db=$work/db

convert() { rm -f "$db"; perftab-convert "$1" -o "$db" 2>"$work/err" || [ $? -eq 3 ] || fail "${1#"$PERFTAB_CORPUS"/}: $(head -1 "$work/err")"; }

# sampled NAME EVENT SUM: as many samples of EVENT as INDEX.tsv says, with periods that add up to SUM
sampled() {
	local samples
	samples=$(tr -d '\r' <"$lab/INDEX.tsv" | awk -F'\t' -v f="$1.data" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "samples") c = i; next }
		$1 == f { print $c }')
	convert "$lab/$1.data"
	holds "$1: samples and sum" "$db" "$2 $samples $3" "SELECT event || ' ' || count(*) || ' ' || sum(s.period)
		FROM sample s JOIN counter USING (counter_id) GROUP BY event"
	holds "$1: sample_summary" "$db" "$samples $3" "SELECT sum(samples) || ' ' || sum(events) FROM sample_summary"
	holds "$1: sample_cpu_summary" "$db" "$samples $3" "SELECT sum(samples) || ' ' || sum(events) FROM sample_cpu_summary"
}

# near NAME FACTOR PERIOD: each task's events are FACTOR times its instructions, give or take PERIOD and 3 %
near() {
	local name tid loop
	while IFS=$'\t' read -r name tid _ loop; do
		holds "$1: events of $name near $((loop * $2))" "$db" "$name yes" "SELECT t.name || ' ' || iif(abs(sum(events) - $((loop * $2)))
			<= $3 + $((loop * $2)) * 0.03, 'yes', sum(events)) FROM sample_summary JOIN thread t USING (thread_id) WHERE tid = $tid"
	done <"$lab/$1.truth"
}

# chains NAME: each distinct chain is there once, is used, and is as deep as it says
chains() {
	holds "$1: chains that are there twice, that no sample has, of another depth" "$db" "0 0 0" "SELECT
		(SELECT count(*) - count(DISTINCT frames) FROM callchain) || ' ' ||
		(SELECT count(*) FROM callchain WHERE callchain_id NOT IN (SELECT callchain_id FROM sample)) || ' ' ||
		(SELECT count(*) FROM callchain WHERE depth <> json_array_length(frames))"
}

if [ -d "$lab" ]; then
	sampled arm64-smp1.hw_freq cycles 642034849
	near arm64-smp1.hw_freq 2 2000000
	holds "hw_freq: no chains" "$db" "0 0" "SELECT (SELECT count(*) FROM callchain) || ' ' || count(callchain_id) FROM sample"
	sampled s390x.sw_freq cpu-clock 1292000000
	near s390x.sw_freq 2 2000000
	sampled arm64-smp1.hw_sample_insn instructions 5100000
	sampled arm64-smp1.hw_sample_insn_u instructions:u 101000000
	sampled arm64-smp1.hw_leader_cycles cycles 210500000
	holds "hw_leader_cycles: values read along" "$db" "1|421|210500722 2|421|100029190 3|421|5221171" \
		"SELECT group_concat(line, ' ') FROM (SELECT counter_id || '|' || count(*) || '|' || max(value) AS line
		FROM sample_value GROUP BY counter_id)"
	sampled arm64-smp1.hw_sample_cycles_g cycles 199000000
	near arm64-smp1.hw_sample_cycles_g 2 1000000
	holds "hw_sample_cycles_g: samples with a chain, and chains" "$db" "199 3" \
		"SELECT count(callchain_id) || ' ' || (SELECT count(*) FROM callchain) FROM sample"
	chains hw_sample_cycles_g
	# lr, the register 30 that arm64 records for call chains
	holds "hw_sample_cycles_g: registers" "$db" "user 30 199" "SELECT at || ' ' || number || ' ' || count(*) FROM sample_register GROUP BY at, number"
else
	fail "no $lab"
fi

# The rest needs perf.
finish_without() { printf 'not compared with perf: %s\n' "$1"; finish; }
version=$(perf --version 2>/dev/null) || finish_without "it is not installed"
[[ $version = "perf version 6.1."* ]] || finish_without "this is $version, INDEX.tsv is of 6.1"
export HOME=$work PERF_CONFIG=/dev/null

# perf report -D to: cpu, time, mode, tid, ip, period, addr, call chain, branches
cat >"$work/dump.awk" <<'AWK'
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
cat >"$work/dump.sql" <<'SQL'
SELECT coalesce(cpu, '-'), coalesce(ts_ns, '-'), mode, coalesce(tid, -1), printf('%x', ip), s.period, printf('%x', addr),
	coalesce(frames, '-'), coalesce((SELECT group_concat(branch, '') FROM
		(SELECT printf(' %x>%x', from_ip, to_ip) AS branch FROM sample_branch b WHERE b.sample_id = s.sample_id ORDER BY position)), '-')
FROM sample s LEFT JOIN thread USING (thread_id) LEFT JOIN callchain USING (callchain_id);
SQL

{
	tr -d '\r' <"$PERFTAB_CORPUS/perf/INDEX.tsv" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["perf61_script"] == "ok" && $at["records"] ~ /SAMPLE=/ { print "perf/" $1 }'
	tr -d '\r' <"$lab/INDEX.tsv" | awk -F'\t' '$1 ~ /sample|freq/ && /header ok/ { print "lab/" $1 }'
} >"$work/files"
[ "$(wc -l <"$work/files")" -ge 60 ] || fail "only $(wc -l <"$work/files") files to compare"
awk -v folder="$PERFTAB_CORPUS" '{ print folder "/" $0 "\t" NR }' "$work/files" | convert_each
grep -Lx '[03]' "$work"/converted/*.exit >"$work/ended"
[ ! -s "$work/ended" ] || fail "exit statuses other than 0 and 3: $(head -3 "$work/ended")"
compared=0 n=0
while read -r file; do
	n=$((n + 1))
	db=$work/$n.db
	perf report -f -D -i "$PERFTAB_CORPUS/$file" 2>/dev/null </dev/null | grep -av "^\.  " | awk -f "$work/dump.awk" | sort >"$work/wanted"
	sqlite3 -batch -separator $'\t' "$db" <"$work/dump.sql" 2>&1 | sort >"$work/got"
	same "$file: samples as perf report -D has them ('<') and as the table has them ('>')" "$work/wanted" "$work/got"
	chains "$file"
	compared=$((compared + $(wc -l <"$work/wanted")))
done <"$work/files"
[ "$compared" -ge 90000 ] || fail "only $compared samples compared"
finish
