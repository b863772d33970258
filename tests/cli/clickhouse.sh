#!/bin/bash
# clickhouse.sh: --to clickhouse without ClickHouse: streams of the Native format, decoded by
# tests/fleet/native.py, have the rows of the Parquet tree; --create prints the tables.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
samples=$PERFTAB_SOURCE/sample-traces
command -v python3 >/dev/null || skip "no python3"

native() { python3 "$PERFTAB_SOURCE/tests/fleet/native.py"; }

# as_parquet TABLE FILE...: rows of a stream and of a tree; host and day are folders there
as_parquet() {
	local table=$1 got=0 file part host day
	shift
	rm -rf tree
	perftab-convert --to parquet -o tree "$@" 2>/dev/null || got=$?
	status "$got" "$table of $*" perftab-convert --to clickhouse --table "$table" "$@"
	native <out | tail -n +2 | grep -v '^host|date|' | sort >got
	find tree/"$table" -name '*.parquet' 2>/dev/null | while read -r file; do
		part=${file#*/host=}
		host=${part%%/*} day=${part#*/date=}
		day=${day%%/*}
		[ "$host" != __HIVE_DEFAULT_PARTITION__ ] || host=
		[ "$day" = __HIVE_DEFAULT_PARTITION__ ] && day=0 || day=$(($(date -ud "$day" +%s) / 86400))
		read_parquet "$file" | tail -n +2 | sed "s/^/$host|$day|/"
	done | sort >wanted
	same "$table of $*" wanted got
}

for name in everything software_mux names; do
	make_trace "$name" . >/dev/null || fail "make_trace $name"
done
for table in bill bill_by_second switch; do
	as_parquet "$table" "$samples"/perf/good-perftab.data "$samples"/perf/good-context-switches.data
	[ "$(wc -l <got)" -gt 100 ] || fail "$table: $(wc -l <got) rows"
	as_parquet "$table" "$samples"/etw/good-everything.etl everything.data software_mux.data names.data
	as_parquet "$table" "$samples"/perf/good-plain-sampling.data
done

# Blocks end at 65,536 rows; a file has what standard output has.
make_trace --switches 70000 basic . >/dev/null || fail "make_trace basic"
as_parquet switch basic.data
status 0 "to a file" perftab-convert --to clickhouse --table switch -o switch.native basic.data
native <switch.native | tail -n +2 | sort >got
same "a file" wanted got
reports 1 "a file that exists" "exists already" perftab-convert --to clickhouse -o switch.native basic.data

# The bill is what the stream has by default; hosts and times may be said.
perftab-convert --to clickhouse --host basic.data=web-1 --wall basic.data=2026-11-22T10:00:00Z basic.data | native >bill.txt || fail "the default"
head -1 bill.txt | reads "columns of the bill" 'host|date|trace|first_utc_ns|comm|process|pid|counter|unit|value|status'
[ "$(sed 1d bill.txt | cut -d '|' -f 1,2,4 | sort -u)" = 'web-1|20779|1795341600000000000' ] || fail "host and day: $(sed -n 2p bill.txt)"

# What interrupts cost, of each process and in time, adds up to their line of the bill.
make_interrupts . 3 1000 || fail "make_interrupts"
traced=(--events "sched:sched_switch,irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,irq:softirq_exit,cycles" --tracefs .)
perftab-analyze --csv "${traced[@]}" interrupts.data 2>err | awk -F, '$1 == "(interrupts)" { print $5, $NF; n++ } END { exit n != 1 }' >wanted ||
	fail "interrupts: no line: $(head -1 err)"
for table in bill bill_by_second; do
	perftab-convert --to clickhouse --table $table "${traced[@]}" interrupts.data 2>err | native | awk -F'|' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["status"] == "interrupts" { n[$at["counter"]] += $at["value"] }
		END { printf "%.0f %.0f\n", n["on_cpu_ns"], n["cycles"] }' >got
	same "interrupts: $table" wanted got
done

# Statements.
status 0 "--create" perftab-convert --to clickhouse --create
grep -c '^CREATE TABLE IF NOT EXISTS' out | reads "statements" 6
grep -F 'ENGINE = Distributed(`fleet`, currentDatabase(), bill, cityHash64(host));' out >/dev/null || fail "no cluster: $(cat out)"
status 0 "--create of a cluster and traces" perftab-convert --to clickhouse --create=prod "$samples"/perf/good-perftab.data "$samples"/perf/good-context-switches.data
grep -oE '^.`(msr.*|context-switches|page-faults)`.*' out | sort | reads "counters" $'\t`context-switches` Nullable(Int64)' \
	$'\t`msr/tsc/` Nullable(Int64),' $'\t`page-faults` Nullable(Int64),'
grep -q 'Distributed(`prod`, ' out || fail "another cluster: $(tail -1 out)"
[ ! -e prod ] || fail "a file called prod"

# The reader went, and the disk is full.
if [ -w /dev/full ]; then
	got=0
	perftab-convert --to clickhouse basic.data >/dev/full 2>err || got=$?
	[ $got -eq 1 ] || fail "a full disk: exit status $got"
	grep -q 'No space left' err || fail "a full disk: $(cat err)"
fi
mistakes perftab-convert <<'END'
--to csv --table bill -o x basic.data|--table goes with --to clickhouse
--create -o x basic.data|--create goes with --to clickhouse
--to clickhouse --create --table bill|--create is of all tables: no --table
--to clickhouse --table bills basic.data|did you mean 'bill'
--to clickhouse|no input given
END
finish
