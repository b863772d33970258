#!/bin/bash
# corpus_etw.sh: .etl files by others: every byte is walked, every kind of event is
# counted as INDEX.tsv says, and every payload that is known is read to its last byte.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
etw=$PERFTAB_CORPUS/etw
[ -e "$etw/INDEX.tsv" ] || skip "no $etw/INDEX.tsv"

# Counts of INDEX.tsv are of the kinds named here.
cat >"$work/is.sql" <<'SQL'
CREATE TEMP VIEW kernel AS SELECT * FROM etw_event_count WHERE provider NOT LIKE '{%';
SELECT path, 'bytes', bytes FROM trace;
SELECT path, 'cpus_in_header', cpu_count FROM trace;
SELECT path, 'clock', clock FROM trace;
SELECT path, 'os_build', replace(os_release, rtrim(os_release, '0123456789'), '') FROM trace;
SELECT path, 'header_types', (SELECT group_concat(header || ':' || n)
	FROM (SELECT header, sum(events) AS n FROM etw_event_count GROUP BY header ORDER BY header)) FROM trace;
SELECT path, 'events', (SELECT coalesce(sum(events), 0) FROM etw_event_count) FROM trace;
SELECT path, 'process_ev', (SELECT coalesce(sum(events), 0) FROM kernel
	WHERE name IN ('Process/Start', 'Process/End', 'Process/DCStart', 'Process/DCEnd', 'Process/Defunct')) FROM trace;
SELECT path, 'thread_ev', (SELECT coalesce(sum(events), 0) FROM kernel
	WHERE name IN ('Thread/Start', 'Thread/End', 'Thread/DCStart', 'Thread/DCEnd')) FROM trace;
SELECT path, 'image_ev', (SELECT coalesce(sum(events), 0) FROM kernel
	WHERE name LIKE 'Image/%' AND name NOT IN ('Image/KernelBase', 'Image/HypercallPage', 'Image/Relocation')) FROM trace;
SELECT path, 'sampled_profile', (SELECT coalesce(sum(events), 0) FROM kernel WHERE name = 'PerfInfo/SampledProfile') FROM trace;
SELECT path, 'stackwalk', (SELECT coalesce(sum(events), 0) FROM etw_event_count WHERE provider = '18' AND opcode BETWEEN 32 AND 37) FROM trace;
SELECT path, 'CSwitch', (SELECT coalesce(sum(events), 0) FROM etw_event_count WHERE name = 'Thread/CSwitch') FROM trace;
SELECT path, name, value FROM trace, (SELECT 'pointer_size' AS name, 'POINTER_BYTES' AS key UNION SELECT 'perf_freq', 'PERF_FREQUENCY'
	UNION SELECT 'log_file_mode', 'LOG_FILE_MODE' UNION SELECT 'buffers', 'BUFFERS_WRITTEN'
	UNION SELECT 'events_lost', 'EVENTS_LOST' UNION SELECT 'buffers_lost', 'BUFFERS_LOST') LEFT JOIN header_fact USING (key);
-- Nothing skipped, nothing left over, nothing unknown: nothing to tell at all.
SELECT path, 'findings', (SELECT count(*) FROM finding) FROM trace;
SELECT path, 'status', status FROM trace;
SQL
columns=bytes,cpus_in_header,clock,os_build,events,header_types,process_ev,thread_ev,image_ev,sampled_profile,stackwalk,CSwitch
columns+=,pointer_size,perf_freq,log_file_mode,buffers,events_lost,buffers_lost

for trace in "$etw"/*.etl; do printf '%s\t%s\n' "$trace" "${trace##*/}"; done >"$work/traces"
[ "$(wc -l <"$work/traces")" -eq "$(($(wc -l <"$etw/INDEX.tsv") - 1))" ] || fail "$(wc -l <"$work/traces") files, INDEX.tsv has others"
convert_each <"$work/traces"
sound_each <"$work/traces"
while IFS=$'\t' read -r trace name; do printf '%s\tperftab-analyze\t--by\tthread\t--csv\t%s\n' "$name.analyze" "$trace"; done \
	<"$work/traces" | run_lines "$work/converted"
cat "$work"/converted/*.exit | grep -vqx 0 && fail "exit statuses other than 0: $(grep -Lx 0 "$work"/converted/*.exit | head -3)"
while IFS=$'\t' read -r trace name; do printf '%s\n' ".open '$work/$name.db'" ".read '$work/is.sql'"; done <"$work/traces" |
	sqlite3 -batch -separator $'\t' 2>"$work/err" | sed 's/^[^	]*\///' | sort >"$work/got"
[ ! -s "$work/err" ] || fail "databases: $(head -3 "$work/err")"
awk -F'\t' -v OFS='\t' -v columns="$columns" '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(columns, column, ","); next }
	{
		for (i = 1; i <= n; i++) print $1, column[i], $at[column[i]]
		print $1, "findings", 0
		print $1, "status", "complete"
	}' "$etw/INDEX.tsv" | sort >"$work/wanted"
same "INDEX.tsv ('<') and what the databases say ('>')" "$work/wanted" "$work/got"

# Disk and network events, which are only counted; no other program counted these.
holds "names" "$work/net.4.5.2.x64.etl.db" 'DiskIo 2462,TcpIp 490,UdpIp 36' \
	"SELECT group_concat(kind || ' ' || n) FROM (SELECT substr(name, 1, instr(name, '/') - 1) AS kind, sum(events) AS n
		FROM etw_event_count WHERE kind IN ('DiskIo', 'TcpIp', 'UdpIp') GROUP BY kind ORDER BY kind)"
# The recorder notes the interval of the timer after 64 samples, which have it all the same.
holds "samples without a period" "$work/net.4.5.2.x64.etl.db" '10000|79528' 'SELECT period, count(*) FROM sample GROUP BY period'
finish
