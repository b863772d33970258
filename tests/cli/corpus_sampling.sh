#!/bin/bash
# corpus_sampling.sh: recordings that sample.  Numbers of samples, sums of periods, interned
# call chains.  corpus_records.sh compares each sample with perf.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
delivered_programs # corpus_files.sh
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
	holds "$1: chains that are there twice, that no sample has, of another depth" "$db" "0 0 0" "$(<"$PERFTAB_SOURCE/tests/corpus/chains.sql")"
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
finish
