#!/bin/bash
# html_names.sh: names that would do something if they were markup, in pages of perftab-analyze:
# of processes, threads, counters, functions, modules, hosts, files and instances.
. "$PERFTAB_SOURCE/tests/browser/lib.sh" || exit 1
needs_pages
needs_browser
cat >names <<'END'
</script><img src=x onerror="window.hostile=1">
<script>window.hostile=2</script>
"><svg onload=window.hostile=3>
'><body onload=window.hostile=4>
<iframe src="javascript:parent.hostile=5"></iframe>
javascript:window.hostile=6
{{constructor.constructor('window.hostile=7')()}}
${window.hostile=8}
`;window.hostile=9;`
";window.hostile=10;"
');window.hostile=11;('
</title><script>window.hostile=12</script>
</style><script>window.hostile=13</script>
<!--<script>window.hostile=14</script>
--><script>window.hostile=15</script>
<![CDATA[<script>window.hostile=16</script>]]>
<base href="https://example.com/">
<meta http-equiv="refresh" content="0;url=https://example.com/">
<link rel=stylesheet href=https://example.com/x.css>
<object data=https://example.com/x></object>
<embed src=https://example.com/x>
<form action=https://example.com/><button>
<input autofocus onfocus=window.hostile=17>
<details open ontoggle=window.hostile=18>
<math><mtext><script>window.hostile=19</script>
<a href="javascript:window.hostile=20">x</a>
<style>*{display:none}</style>
<p style="position:fixed;inset:0">
&lt;script&gt;window.hostile=21&lt;/script&gt;
&#60;script&#62;window.hostile=22&#60;/script&#62;
\u003cscript\u003ewindow.hostile=23
\x3cscript\x3ewindow.hostile=24
%3Cscript%3Ewindow.hostile=25
__proto__
constructor
toString
hasOwnProperty
{"$n":"1234567890123456789"}
1234567890123456789
=1+1
NaN
null
END
printf '\xe2\x80\xae%s\n\x1b]0;title\x07x\nA\xe2\x80\xa8B\n\xf0\x9f\x98\x80\n' 'drow' >>names
make_page_trace --cpus 2 --switches 4000 --processes 50 --names names >hostile.data
page hostile hostile.data

# named DATABASE STATEMENT: with a table name(at, name) of the names, from 1 on
named() {
	sql "$1" "CREATE TEMP TABLE name AS WITH RECURSIVE line(at, name, rest) AS (
			SELECT 0, NULL, CAST(readfile('names') AS TEXT) UNION ALL
			SELECT at + 1, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM line WHERE rest <> '')
		SELECT at, name FROM line WHERE at > 0;
		$2" >sql.out 2>&1 || fail "$1: $(head -1 sql.out)"
}
count=$(wc -l <names)

# Threads called otherwise than their processes.
perftab-convert hostile.data -o threads.db 2>/dev/null
named threads.db "UPDATE process SET name = 'process';
	UPDATE thread SET name = (SELECT name FROM name WHERE at = 1 + thread_id % $count)"
page threads threads.db --by thread

# Functions and modules of samples: one of each name.
perftab-convert "$samples/perf/good-plain-sampling.data" -o symbols.db 2>/dev/null
named symbols.db "CREATE TEMP TABLE one AS SELECT * FROM sample LIMIT 1;
	UPDATE one SET ip = NULL;
	INSERT INTO sample SELECT 1000 + at, ts_ns + at, cpu, thread_id, counter_id, period, mode, 4096 * at, addr, callchain_id, weight, data_src,
		hw_transaction, phys_addr, cgroup_id, data_page_bytes, code_page_bytes, stack_bytes, aux_bytes FROM one, name;
	INSERT INTO module SELECT 100 + at, 1, name, name, NULL, NULL FROM name;
	INSERT INTO frame_symbol SELECT 1, process_id, 4096 * at, NULL, NULL, 100 + at, name.name, 0, name.name, 0 FROM name, one JOIN thread USING (thread_id)"
page symbols symbols.db --by symbol
page modules symbols.db --by module

# Instances of PerfLib: one of each name.
{
	printf '%s\n' 'set 0xa0 2 Disk' 'counter 0xa0 1 0x00010000 - - - - Queue' 'register 0xa0' 'ask 0xa0 -' query
	for ticks in 1000000000 1010000000; do
		printf '%s\n' "snapshot $ticks $((134397325643640000 + ticks)) 10000000" 'block 6 1'
		for ((at = 1; at <= count; at++)); do
			printf '%s\n' "instance $at n$at" "value 4 $((at + ticks / 10000000))"
		done
	done
} >instances.script
plb_script <instances.script >instances.plb || fail "plb_script"
perftab-convert instances.plb -o instances.db 2>/dev/null
named instances.db "UPDATE perflib_instance SET name = (SELECT name FROM name WHERE at = perflib_instance.number);
	UPDATE perflib_counterset SET name = (SELECT name FROM name WHERE at = 1), english_name = (SELECT name FROM name WHERE at = 1);
	UPDATE perflib_counter SET name = (SELECT name FROM name WHERE at = 2), english_name = (SELECT name FROM name WHERE at = 2)"
page instances instances.db

# Programs that are compared, each with the same cost: small ones would be left out.
perftab-convert hostile.data -o programs.db 2>/dev/null
sql programs.db "UPDATE thread_charge SET charged = 1000"
cp programs.db again.db
perftab-analyze --diff --top 100 --html programs.html --counter cycles:HG programs.db again.db --with programs.db again.db 2>err ||
	fail "programs: $(head -1 err)"

# For each name a page where file, host, system, recorder, counter and finding are called so.
make_page_trace --cpus 1 --switches 50 --processes 3 >small.data
perftab-convert small.data -o small.db 2>/dev/null
at=0
while IFS= read -r name; do
	at=$((at + 1))
	case $name in */*) file=file-$at ;; *) file=$name ;; esac
	cp -- small.db "./$file"
	named "./$file" "CREATE TEMP TABLE one AS SELECT name FROM name WHERE at = $at;
		UPDATE trace SET path = one.name, host = one.name, os_release = one.name, arch = one.name, cpu_model = one.name, recorder = one.name, command = one.name FROM one;
		UPDATE counter SET name = one.name FROM one WHERE counter.name = 'cycles:HG';
		INSERT INTO finding SELECT 1, 'warning', 'unknown', 1, NULL, NULL, name FROM one"
	perftab-analyze --html "name-$at.html" "./$file" 2>err || fail "name $at, $name: $(head -1 err)"
done <names
browse hostile everywhere
finish
