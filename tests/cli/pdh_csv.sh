#!/bin/bash
# pdh_csv.sh: PDH-CSV as typeperf, relog, perfmon and esxtop write it: paths, times, missing
# values, code pages, trailers; cut, damaged, from a pipe.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1

# findings DATABASE: kind, count, place
findings() { sql "$1" "SELECT kind, count, first_offset FROM finding ORDER BY kind"; }
# cooked DATABASE: the values, with their names
cooked() {
	sql "$1" "SELECT v.snapshot, s.machine, s.name, coalesce(i.name, '-'), c.name, v.value FROM perflib_cooked AS v
		JOIN perflib_instance AS i USING (trace_id, instance) JOIN perflib_counterset AS s USING (trace_id, counterset)
		JOIN perflib_counter AS c ON c.trace_id = v.trace_id AND c.counterset = s.counterset AND c.counter = v.counter ORDER BY v.rowid"
}

# relog: two-sample counters have no first value; names with commas, brackets and slashes
printf '%s\r\n' '"(PDH-CSV 4.0) (Eastern Daylight Time)(240)","\\BOX\Processor Information(0,_Total)\% Processor Time","\\BOX\Process(svc(1)/x#2)\IO \ sec","\\BOX\System\Threads","\\BOX\Processor Information(0,_Total)\Interrupts/sec"' \
	'"08/14/2007 15:40:38.659"," "," ","812"," "' \
	'"08/14/2007 15:41:38.658","12.500000000000001","1.5e-3","813","-0.25"' >relog.csv
status 0 relog perftab-convert relog.csv -o relog.db
cooked relog.db >got
cat >wanted <<-'END'
	1|BOX|System|-|Threads|812.0
	2|BOX|Processor Information|0,_Total|% Processor Time|12.5
	2|BOX|Process|svc(1)/x#2|IO \ sec|0.0015
	2|BOX|System|-|Threads|813.0
	2|BOX|Processor Information|0,_Total|Interrupts/sec|-0.25
END
same "relog: values" wanted got
[ -z "$(findings relog.db)" ] || fail "relog: $(findings relog.db)"
holds "relog: not every digit" relog.db 1 "SELECT value = 12.500000000000001 FROM perflib_cooked WHERE rowid = 2"
holds "relog: time" relog.db '1187106038659000000|2007-08-14T15:40:38.659|128315940386590000' "SELECT ts_ns, system_time, perf_time_100ns FROM perflib_snapshot WHERE snapshot = 1"
# The header says how far from UTC: 19:40:38.659
holds "relog: UTC" relog.db '2007-08-14 19:40:38' "SELECT strftime('%Y-%m-%d %H:%M:%S', (first_ns + wall_offset_ns) / 1000000000, 'unixepoch') FROM trace"
holds "relog: trace" relog.db 'pdh text|comma-separated|local time|BOX|complete' "SELECT format, form, clock, host, status FROM trace"
holds "relog: instances" relog.db 3 "SELECT count(*) FROM perflib_instance"
perftab-convert relog.csv --to csv -o tables || fail "csv"
sqlite3 -batch relog.db ".import --csv tables/perflib_cooked.csv cooked" \
	"SELECT count(*) FROM cooked AS c JOIN perflib_cooked AS v ON CAST(c.value AS REAL) = v.value AND c.snapshot + 0 = v.snapshot AND c.instance + 0 = v.instance AND c.counter + 0 = v.counter" >got-csv
[ "$(cat got-csv)" = 5 ] || fail "CSV and SQL differ: $(cat got-csv)"
perftab-convert -o piped.db - <relog.csv 2>err || fail "pipe: $(cat err)"
same "pipe" got <(cooked piped.db)

# typeperf: no zone, and what it says at its end; a comment as the last column
printf '"(PDH-CSV 4.0)","\\\\BOX\\Memory\\Bytes","a comment"\n"01/02/2026 03:04:05.006","7","see, here"\n\nExiting, please wait...                         \nThe command completed successfully.\n' >typeperf.csv
status 0 typeperf perftab-convert typeperf.csv -o typeperf.db
[ "$(cooked typeperf.db)" = '1|BOX|Memory|-|Bytes|7.0' ] || fail "typeperf: $(cooked typeperf.db)"
[ "$(findings typeperf.db)" = 'noise_line|2|92' ] || fail "typeperf: $(findings typeperf.db)"
holds "typeperf: an offset from nowhere" typeperf.db 1 "SELECT wall_offset_ns IS NULL FROM trace"

# A Russian system: the zone is cut, names are in Windows-1251, and nothing says so.
printf '"(PDH-CSV 4.0) (RTZ 2 (","\\\\BOX\\\317\340\354\377\362\374\\\304\356\361\362\363\357\355\356"\n"01/02/2026 03:04:05.006","1.5"\n' >cp1251.csv
status 0 cp1251 perftab-convert cp1251.csv -o cp1251.db
[ "$(cooked cp1251.db)" = '1|BOX|\xcf\xe0\xec\xff\xf2\xfc|-|\xc4\xee\xf1\xf2\xf3\xef\xed\xee|1.5' ] || fail "cp1251: $(cooked cp1251.db)"
[ "$(findings cp1251.db)" = 'pdh_csv_code_page|2|0' ] || fail "cp1251: $(findings cp1251.db)"
holds "cp1251: an offset" cp1251.db 1 "SELECT wall_offset_ns IS NULL FROM trace"

holds "cp1251: zone" cp1251.db 'RTZ 2' "SELECT value FROM header_fact WHERE key = 'TIME_ZONE'"

# The user says it.
status 0 "--code-page" perftab-convert --code-page 1251 cp1251.csv -o named.db
[ "$(cooked named.db)" = '1|BOX|Память|-|Доступно|1.5' ] || fail "--code-page: $(cooked named.db)"
[ -z "$(findings named.db)" ] || fail "--code-page: $(findings named.db)"
perftab-analyze --code-page 1251 --csv cp1251.csv >named.csv
grep -q 'Память' named.csv || fail "--code-page, analyze: $(cat named.csv)"
perftab-analyze --csv named.db | diff - named.csv >&2 || fail "--code-page: database and text differ"
status 0 "--code-page of another" perftab-convert --code-page 874 cp1251.csv -o other.db
cooked other.db | grep -q 'Память' && fail "--code-page 874: the same letters"
{ printf '\357\273\277'; cat cp1251.csv | iconv -f cp1251 -t utf-8; } >mark.csv
status 0 "a byte-order mark" perftab-convert --code-page 1251 mark.csv -o mark.db
same "a byte-order mark: not UTF-8" <(cooked named.db) <(cooked mark.db)
for tool in 'perftab-convert -o x.db' perftab-analyze; do
	# shellcheck disable=SC2086
	status 2 "an unknown code page" $tool --code-page 932 cp1251.csv
	grep -qF 'unsupported code page 932: expected 437,' "$work/err" || fail "an unknown code page: $(cat "$work/err")"
done

# A path without a machine, as a log of the machine itself may have.
printf '"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)","\\Memory\Available Bytes","\\Processor(_Total)\%% Idle Time"\n"01/02/2026 03:04:05.006","7","1.5"\n' >local.csv
status 0 "no machine" perftab-convert local.csv -o local.db
cooked local.db | reads "no machine" '1||Memory|-|Available Bytes|7.0' '1||Processor|_Total|% Idle Time|1.5'
holds "no machine: time and zone" local.db '2026-01-02 02:04:05|W. Europe Standard Time' \
	"SELECT strftime('%Y-%m-%d %H:%M:%S', (s.ts_ns + t.wall_offset_ns) / 1000000000, 'unixepoch'), f.value FROM perflib_snapshot AS s, trace AS t, header_fact AS f WHERE f.key = 'TIME_ZONE'"
perftab-convert --list local.csv | grep -qE '^began +2026-01-02 02:04:05 UTC$' || fail "no machine: list: $(perftab-convert --list local.csv)"

# esxtop: no fraction in the times, and lines longer than any buffer
awk 'BEGIN { printf "\"(PDH-CSV 4.0) (UTC)(0)\""
	for (i = 0; i < 90000; i++) printf ",\"\\\\esx\\Group Cpu(%d:a-rather-long-name-of-a-virtual-machine)\\Members\"", i
	for (n = 0; n < 2; n++) { printf "\n\"11/22/2026 01:02:0%d\"", n; for (i = 0; i < 90000; i++) printf ",\"%d\"", i }
	print "" }' >esxtop.csv
[ "$(stat -c %s esxtop.csv)" -gt 6000000 ] || fail "esxtop: too short to show anything"
status 0 esxtop perftab-convert esxtop.csv -o esxtop.db
holds "esxtop" esxtop.db '180000|90000|8099910000.0' "SELECT count(*), count(DISTINCT instance), sum(value) FROM perflib_cooked"
[ -z "$(findings esxtop.db)" ] || fail "esxtop: $(findings esxtop.db)"

# Tabs
printf '"(PDH-TSV 4.0) (UTC)(-60)"\t"\\\\BOX\\A(b\tc)\\D"\n"01/02/2026 03:04:05.006"\t"2"\n' >tabs.tsv
status 0 tabs perftab-convert tabs.tsv -o tabs.db
[ "$(cooked tabs.db)" = "1|BOX|A|b	c|D|2.0" ] || fail "tabs: $(cooked tabs.db)"
holds "tabs: trace" tabs.db '-3600000000000|tab-separated' "SELECT wall_offset_ns, form FROM trace"

# What is damaged costs itself.
cat >bad.csv <<-'END'
	"(PDH-CSV 4.0) (UTC)(0)","\\BOX\A\B","no path","\\BOX\A\C"
	"01/02/2026 03:04:05.006","1","2","3"
	"13/02/2026 03:04:06.006","4","5","6"
	"01/02/2026 03:04:07.006","7"
	"01/02/2026 03:04:08.006","8,5","","nan"
	"01/02/2026 03:04:09.006","9","","10"
END
status 3 damaged perftab-convert bad.csv -o bad.db
[ "$(cooked bad.db | cut -d'|' -f1,5,6 | tr '\n' ' ')" = '1|B|1.0 1|C|3.0 2|B|7.0 4|B|9.0 4|C|10.0 ' ] || fail "damaged: $(cooked bad.db)"
findings bad.db | reads "damaged: findings" 'pdh_csv_cell|2|165' 'pdh_csv_header|1|0' 'pdh_csv_line|2|97'
# One unread cell is damage, too: its value is missing.
printf '%s\n' '"(PDH-CSV 4.0) (UTC)(0)","\\BOX\A\B"' '"01/02/2026 03:04:05.006","12,5"' >comma.csv
status 3 "a decimal comma" perftab-convert comma.csv -o comma.db
holds "a decimal comma" comma.db 'recovered|0' 'SELECT status, (SELECT count(*) FROM perflib_cooked) FROM trace'
# A line that is cut off; a cell that does not end; nothing but a header; no column
head -c -40 relog.csv >cut.csv
status 3 cut perftab-convert cut.csv -o cut.db
[ "$(sql cut.db "SELECT status FROM trace")|$(sql cut.db "SELECT count(*) FROM perflib_cooked WHERE snapshot = 1")" = 'partial|1' ] || fail "cut: $(cooked cut.db)"
{ head -1 relog.csv; printf '"01/02/2026 03:04:05.006","'; head -c 300000 /dev/zero | tr '\0' x; printf '\n"01/02/2026 03:04:06.006","1","2","3","4"\n'; } >endless.csv
status 3 endless perftab-convert endless.csv -o endless.db
[ "$(findings endless.db | cut -d'|' -f1,2)|$(sql endless.db "SELECT count(*) FROM perflib_cooked")" = 'pdh_csv_line|1|4' ] || fail "endless: $(findings endless.db): $(sql endless.db "SELECT count(*) FROM perflib_cooked")"
head -1 relog.csv >header.csv
status 0 "only a header" perftab-convert header.csv -o header.db
printf '"(PDH-CSV 4.0) (UTC)(0)"\n' >none.csv
status 3 "no columns" perftab-convert none.csv -o none.db

# Of a column that is there twice the last value counts, and a zero below zero is none that a
# database has.
printf '%s\r\n' '"(PDH-CSV 4.0) (UTC)(0)","\\B\P(0)\X","\\B\P(0)\X","\\B\P(0)\Y"' \
	'"01/01/2020 00:00:01.000","1","2","-0"' '"01/01/2020 00:00:02.000","3"," ","-1e-999"' >twice.csv
status 0 "a column twice" perftab-convert twice.csv -o twice.db

# Values are printed as they are, of the text and of the database; the view has the same.
for form in relog:5 twice:4; do
	name=${form%:*}
	perftab-analyze --csv $name.csv >values
	perftab-analyze --csv $name.db >values.db
	same "$name: values of text and of database" values values.db
	sqlite3 -batch $name.db ".import --csv values shown" "WITH a AS (
		SELECT to_snapshot + 0, to_ts_ns + 0, instance + 0, counter_name, value + 0.0, status FROM perflib_value), b AS (
		SELECT snapshot_to + 0, ts_ns + 0, incarnation + 0, counter, value + 0.0, status FROM shown)
		SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM (SELECT * FROM a EXCEPT SELECT * FROM b)), (SELECT count(*) FROM (SELECT * FROM b EXCEPT SELECT * FROM a))" >got
	printf '%d|0|0\n' "${form#*:}" >wanted
	same "$name: values of the view" wanted got
done
[ "$(grep -c ,ok, values)" -gt 2 ] || fail "values: $(cat values)"
perftab-analyze relog.csv >text
grep -qE '^0,_Total +Interrupts/sec +-0.25 +-0.25 +-0.25 +-0.25 +1$' text || fail "values as text: $(cat text)"

# Countersets of two machines are apart: as text, as CSV and JSON, of the database and in its view; either form chooses.
printf '%s\r\n' '"(PDH-CSV 4.0) (UTC)(0)","\\WEB1\Processor(_Total)\% Busy","\\WEB2\Processor(_Total)\% Busy","\\WEB1\Memory\Free"' \
	'"11/22/2026 10:00:00.000","10","90","7"' '"11/22/2026 10:00:01.000","12","92","8"' >web.csv
status 0 "two machines" perftab-convert web.csv -o web.db
for input in web.csv web.db; do
	perftab-analyze "$input" | grep ':$' | reads "$input: text" '\\WEB1\Processor:' '\\WEB2\Processor:' '\\WEB1\Memory:'
	perftab-analyze --csv "$input" | cut -d, -f5,6,12 | sort | reads "$input: CSV" '\\WEB1\Memory,,7' '\\WEB1\Memory,,8' \
		'\\WEB1\Processor,_Total,10' '\\WEB1\Processor,_Total,12' '\\WEB2\Processor,_Total,90' '\\WEB2\Processor,_Total,92' counterset,instance,value
	perftab-analyze --json "$input" | grep -oE '"counterset": "[^"]*"' | sort -u | reads "$input: JSON" '"counterset": "\\\\WEB1\\Memory"' \
		'"counterset": "\\\\WEB1\\Processor"' '"counterset": "\\\\WEB2\\Processor"'
	perftab-analyze --csv --counterset '\\web2\*' "$input" | cut -d, -f5,12 | reads "$input: of one machine" counterset,value '\\WEB2\Processor,90' '\\WEB2\Processor,92'
	perftab-analyze --csv --counterset Processor "$input" | cut -d, -f12 | reads "$input: of both" value 10 90 12 92
	reports 1 "$input: a machine is not a name" "nothing matches --counterset '*WEB1*'" perftab-analyze --csv --counterset '*WEB1*' "$input"
	perftab-analyze --csv --interval 1s "$input" | head -1 |
		reads "$input: by interval" 'from_ns,to_ns,from_utc,\\WEB1\Processor(_Total)\% Busy,\\WEB2\Processor(_Total)\% Busy,\\WEB1\Memory\Free'
done
perftab-analyze --sql "SELECT machine, avg(value) FROM perflib_value WHERE counter_name = '% Busy' GROUP BY machine" web.db |
	reads "two machines: view" 'machine,avg(value)' WEB1,11 WEB2,91
# One machine has no need of its name, but it may be said.
perftab-analyze --csv --counterset '\\BOX\System' relog.csv | cut -d, -f5,12 | reads "one machine" counterset,value System,812 System,813

# No user's name stays.
status 0 anonymous perftab-convert --anonymize relog.csv -o anonymous.db
sqlite3 anonymous.db .dump | grep -qE 'BOX|svc|Eastern' && fail "anonymous: $(sqlite3 anonymous.db .dump | grep -E 'BOX|svc|Eastern')"
finish
