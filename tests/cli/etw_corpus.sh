#!/bin/bash
# etw_corpus.sh: .etl files by others: every byte is walked, every kind of event is
# counted as INDEX.tsv says, and every payload that is known is read to its last byte.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
[ -n "${PERFTAB_CORPUS:-}" ] || skip "PERFTAB_CORPUS is not set"
etw=$PERFTAB_CORPUS/etw
[ -e "$etw/INDEX.tsv" ] || skip "no $etw/INDEX.tsv"

column() { # NAME FILE: a cell of INDEX.tsv
	awk -F'\t' -v name="$1" -v file="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$1 == file { print $at }' "$etw/INDEX.tsv"
}

# Counts of INDEX.tsv are of the kinds named here.
counted() { # WHERE
	sql "$work/x.db" "SELECT coalesce(sum(events), 0) FROM etw_event_count WHERE $1"
}

is() { # FILE COLUMN GOT
	local wanted
	wanted=$(column "$2" "$1")
	[ "$wanted" = "$3" ] || fail "$1: $2: $3, expected $wanted"
}

files=0
for trace in "$etw"/*.etl; do
	name=$(basename "$trace")
	rm -f "$work/x.db"
	status 0 "$name" perftab-convert "$trace" -o "$work/x.db"
	files=$((files + 1))
	# Nothing skipped, nothing left over, nothing unknown: nothing to tell at all.
	holds "$name" "$work/x.db" 0 'SELECT count(*) FROM finding'
	holds "$name: not complete" "$work/x.db" complete 'SELECT status FROM trace'
	is "$name" bytes "$(sql "$work/x.db" 'SELECT bytes FROM trace')"
	is "$name" events "$(counted 1)"
	is "$name" header_types "$(sql "$work/x.db" "SELECT group_concat(header || ':' || n) FROM
		(SELECT header, sum(events) AS n FROM etw_event_count GROUP BY header ORDER BY header)")"
	kernel="provider NOT LIKE '{%'"
	is "$name" process_ev "$(counted "$kernel AND name IN ('Process/Start','Process/End','Process/DCStart','Process/DCEnd','Process/Defunct')")"
	is "$name" thread_ev "$(counted "$kernel AND name IN ('Thread/Start','Thread/End','Thread/DCStart','Thread/DCEnd')")"
	is "$name" image_ev "$(counted "$kernel AND name LIKE 'Image/%' AND name NOT IN ('Image/KernelBase', 'Image/HypercallPage', 'Image/Relocation')")"
	is "$name" sampled_profile "$(counted "$kernel AND name = 'PerfInfo/SampledProfile'")"
	is "$name" stackwalk "$(counted "provider = '18' AND opcode BETWEEN 32 AND 37")"
	is "$name" CSwitch "$(counted "name = 'Thread/CSwitch'")"
	is "$name" cpus_in_header "$(sql "$work/x.db" 'SELECT cpu_count FROM trace')"
	is "$name" clock "$(sql "$work/x.db" 'SELECT clock FROM trace')"
	is "$name" os_build "$(sql "$work/x.db" "SELECT replace(os_release, rtrim(os_release, '0123456789'), '') FROM trace")"
	for fact in pointer_size:POINTER_BYTES perf_freq:PERF_FREQUENCY log_file_mode:LOG_FILE_MODE \
		buffers:BUFFERS_WRITTEN events_lost:EVENTS_LOST buffers_lost:BUFFERS_LOST; do
		is "$name" "${fact%:*}" "$(sql "$work/x.db" "SELECT value FROM header_fact WHERE key = '${fact#*:}'")"
	done
	# Disk and network events, which are only counted; no other program counted these.
	[ "$name" != net.4.5.2.x64.etl ] || holds "$name: names" "$work/x.db" 'DiskIo 2462,TcpIp 490,UdpIp 36' \
		"SELECT group_concat(kind || ' ' || n) FROM (SELECT substr(name, 1, instr(name, '/') - 1) AS kind, sum(events) AS n
			FROM etw_event_count WHERE kind IN ('DiskIo', 'TcpIp', 'UdpIp') GROUP BY kind ORDER BY kind)"
	sound x
	status 0 "$name: analyze" perftab-analyze --by thread --csv "$trace"
done
[ "$files" -eq "$(($(wc -l <"$etw/INDEX.tsv") - 1))" ] || fail "$files files, INDEX.tsv has others"
finish
