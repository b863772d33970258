#!/bin/bash
# machines.sh: traces of several machines in one output: --host, --wall, --shift, the view
# switch_utc, the finding no_wall, the drift of clocks between the ends of a recording.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
samples=$PERFTAB_SOURCE/sample-traces
cp "$samples"/perf/good-perftab.data server.data
cp "$samples"/perf/good-times.data phone=1.data
cp "$samples"/etw/good-everything.etl desktop.etl
inputs=(server.data phone=1.data desktop.etl)

# One database: each trace keeps what it says, or has what was said.
status 0 "three machines" perftab-convert "${inputs[@]}" -o plain.db
holds "without options" plain.db 'server.data|lab|1
phone=1.data|lab|0
desktop.etl|TESTBENCH-7|1' "SELECT path, host, wall_offset_ns IS NOT NULL FROM trace"
holds "no time of day is a finding of that trace" plain.db '2|info|1' "SELECT trace_id, severity, count FROM finding WHERE kind = 'no_wall'"
status 0 "hosts and times" perftab-convert "${inputs[@]}" -o merged.db --host phone=1.data=phone --host server.data=web-1 \
	--wall phone=1.data=2026-11-21T21:14:49.05Z --shift web-1=+1.5s --shift phone=-250ms
holds "named" merged.db 'web-1
phone
TESTBENCH-7' "SELECT host FROM trace"
holds "--wall is the first moment" merged.db '2026-11-21 21:14:48|800000000' \
	"SELECT datetime((first_ns + wall_offset_ns) / 1000000000, 'unixepoch'), (first_ns + wall_offset_ns) % 1000000000 FROM trace WHERE host = 'phone'"
offset=$(sql plain.db "SELECT wall_offset_ns FROM trace WHERE trace_id = 1")
holds "--shift" merged.db 1500000000 "SELECT wall_offset_ns - $offset FROM trace WHERE host = 'web-1'"
holds "every trace has its time" merged.db 0 "SELECT count(*) FROM finding WHERE kind = 'no_wall'"
status 0 "one alone" perftab-convert phone=1.data -o alone.db
holds "alone it is complete" alone.db 0 "SELECT count(*) FROM finding WHERE kind = 'no_wall'"

# All switches on one clock, in the order of the machines.
holds "switch_utc has every switch" merged.db 1 "SELECT (SELECT count(*) FROM switch_utc) = (SELECT count(*) FROM context_switch)"
holds "switch_utc is UTC" merged.db 0 "SELECT count(*) FROM switch_utc AS u JOIN trace AS t USING (trace_id) WHERE u.ts_utc_ns IS NOT u.ts_ns + t.wall_offset_ns"
holds "order of machines" merged.db 'TESTBENCH-7
phone
web-1' "SELECT host FROM switch_utc GROUP BY trace_id ORDER BY min(ts_utc_ns)"
holds "names as elsewhere" merged.db 0 "SELECT count(*) FROM switch_utc AS u JOIN context_switch_named AS n USING (switch_id)
	WHERE (u.process, u.pid, u.tid, u.next_tid, u.status, u.on_cpu_ns) IS NOT (n.process, n.pid, n.tid, n.next_tid, n.status, n.on_cpu_ns)"

# One Parquet tree.
status 0 "a tree" perftab-convert --to parquet "${inputs[@]}" -o tree --host phone=1.data=phone --wall phone=1.data=2026-11-20T23:59:59Z
find tree/bill -name '*.parquet' | sort | sed 's/-[0-9a-f]*\.parquet$//' | reads "folders by machine and day" \
	tree/bill/host=TESTBENCH-7/date=2021-06-07/desktop.etl tree/bill/host=lab/date=2026-11-21/server.data \
	tree/bill/host=phone/date=2026-11-20/phone%3D1.data
status 0 "a tree of two" perftab-convert --to parquet --all-tables phone=1.data desktop.etl -o unknown
read_parquet unknown/finding/host=lab/*/*.parquet | grep -q '|no_wall|' || fail "Parquet: no finding no_wall"

# Names of hosts are anonymised wherever they come from.
status 0 "anonymised" perftab-convert --anonymize phone=1.data -o anonymous.db --host phone=1.data=secret-phone
holds "no host" anonymous.db 0 "SELECT count(*) FROM trace WHERE host LIKE '%phone%'"

# Drift: what our recorder notes at the end moves the later half, the view and Parquet alike.
make_clock() { # FROM TO DRIFT: a line "clock" instead of the last fact
	python3 - "$@" <<-'END'
	import struct, sys
	data = bytearray(open(sys.argv[1], 'rb').read())
	begin, size = struct.unpack_from('<QQ', data, 40)
	wall, clock = int(sys.argv[4]) + int(sys.argv[3]) + 10**9, 10**9
	line = b'clock\t-\t-\t%d\t%d\t-\t-\t-\n\0' % (wall, clock)
	line += bytes(-len(line) % 8)
	record = struct.pack('<IHHQ', 65, 0, 16 + len(line), 0x7463662d62617470) + line
	end = begin + size
	data[end:end] = record
	struct.pack_into('<Q', data, 48, size + len(record))
	# The table of header features follows the data: each of its offsets beyond moves along.
	table, count = end + len(record), sum(bin(byte).count('1') for byte in data[72:104])
	for i in range(count):
	    offset, = struct.unpack_from('<Q', data, table + 16 * i)
	    if offset >= end:
	        struct.pack_into('<Q', data, table + 16 * i, offset + len(record))
	open(sys.argv[2], 'wb').write(data)
	END
}
if command -v python3 >/dev/null; then
	make_clock server.data drift.data 4000000 "$offset"
	status 0 "a drift" perftab-convert drift.data -o drift.db
	holds "the offset at the end" drift.db "$offset|4000000" "SELECT wall_offset_ns, wall_offset_end_ns - wall_offset_ns FROM trace"
	holds "drift is even" drift.db '0|1|1' "SELECT min(d), max(d) BETWEEN 3990000 AND 4000000, avg(d) BETWEEN 1000000 AND 3000000 FROM (
		SELECT ts_utc_ns - ts_ns - $offset AS d FROM switch_utc)"
	status 0 "a drift in Parquet" perftab-convert --to parquet drift.data -o drift
	read_parquet drift/switch/*/*/*/*.parquet | tail -n +2 | cut -d '|' -f 2,3 | sort >got
	sql drift.db "SELECT ts_ns, ts_utc_ns FROM switch_utc" | sort >wanted
	same "Parquet and switch_utc" wanted got
	make_clock server.data set.data 7200000000000 "$offset"
	status 0 "a clock that was set" perftab-convert set.data -o set.db
	holds "an hour is not a drift" set.db 0 "SELECT count(*) FROM switch_utc WHERE ts_utc_ns <> ts_ns + $offset"
fi

# A server, a phone and Windows by others, in one database and in one tree.
if [ -n "${PERFTAB_CORPUS:-}" ]; then
	phone=$(find "$PERFTAB_CORPUS/perf" -name '*perf_with_trace_offcpu.data' | head -1)
	desktop=$PERFTAB_CORPUS/etw/sawbuck_image_data_64_v1.etl
	found=0
	options=(--host "$phone=pixel" --wall "$phone=2026-11-22T10:00:00Z" --host "$desktop=desk" server.data "$phone" "$desktop")
	perftab-convert -o others.db "${options[@]}" 2>/dev/null || found=$?
	perftab-convert --to parquet --all-tables -o others "${options[@]}" 2>/dev/null || [ $? -eq $found ] || fail "the tree of others"
	holds "others" others.db 'lab|perf.data|1
pixel|perf.data|1
desk|etl|1' "SELECT host, format, wall_offset_ns IS NOT NULL FROM trace"
	find others/trace -name '*.parquet' | sed 's|others/trace/||; s|/date=.*||' | sort | reads "others in a tree" host=desk host=lab host=pixel
	holds "samples of the phone" others.db 1 "SELECT count(*) > 0 FROM sample_named AS s JOIN trace AS t USING (trace_id) WHERE t.host = 'pixel'"
fi

# Mistakes.
mistakes perftab-convert -o no.db <<'END'
--host other=x server.data|--host 'other=x' names no input, such as 'server.data='
--host server.data server.data|invalid --host 'server.data': expected FILE=NAME
--host server.data= server.data|invalid --host 'server.data=': no name
--wall server.data server.data|invalid --wall 'server.data': expected FILE=UTC
--wall server.data=now server.data|invalid time 'now': expected e.g. 2026-11-22T10:00:00.5Z
--wall server.data=2026-02-29T10:00:00Z server.data|invalid time '2026-02-29T10:00:00Z'
--wall server.data=1900-02-29T10:00:00Z server.data|invalid time '1900-02-29T10:00:00Z'
--wall server.data=2026-04-31T10:00:00Z server.data|invalid time '2026-04-31T10:00:00Z'
--wall server.data=0001-01-01T00:00:00Z server.data|invalid time '0001-01-01T00:00:00Z'
--wall server.data=+3s server.data|invalid time '+3s'
--shift web-1 server.data|invalid --shift 'web-1': expected HOST=DURATION
--shift web-1=soon server.data|invalid --shift 'web-1=soon'
--shift =1s server.data|invalid --shift '=1s'
--host server.data=a --host server.data=b server.data|--host is given twice for 'server.data'
--wall server.data=2026-11-22T10:00:00Z --wall server.data=2026-11-22T10:00:00Z server.data|--wall is given twice for 'server.data'
--shift lab=1s --shift lab=1s server.data|--shift is given twice for 'lab'
END
reports 0 "--shift of no host" "--shift 'web-9=1s' names the host of no trace" perftab-convert server.data -o nine.db --shift web-9=1s
finish
