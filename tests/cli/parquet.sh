#!/bin/bash
# parquet.sh: --to parquet.  The files, read without lib/, have the rows of the
# database: every table, the switches with their names, the sums of the bill, and in their
# footers what the database says of the trace.  With scripts/install-packages engines DuckDB
# and hyparquet read the same rows, with scripts/parquet-engines --chdb chDB does.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/fleet/engines.sh" || exit 1
cd "$work" || exit 1
perf=$PERFTAB_SOURCE/sample-traces/perf

# list WORD...: with commas between them
list() {
	local IFS=,
	echo "$*"
}

# rows_equal WHAT: every table of the database, and wide rows of switches, with names and the time of day; switches
# of groups with fewer counters have files of their own.  Their time of day as text is not compared.
rows_equal() {
	local file header table wall cell
	local -a columns
	wall=$(sql made.db 'SELECT wall_offset_ns FROM trace')
	find tree -name '*.parquet' ! -path 'tree/bill*' | xargs read_parquet --names >file || fail "$1: not Parquet"
	awk '/^# tree\// { name = $2; getline header; print name "|" header >"headers"; next }
		name ~ /^tree\/switch\// { sub(/[^|]*/, "") } { print name "|" $0 }' file | sort >got
	while IFS='|' read -r file header; do
		IFS='|' read -ra columns <<<"${header//\"/\"\"}"
		columns=("${columns[@]/#/\"}")
		columns=("${columns[@]/%/\"}")
		table=${file#tree/} table=${table%%/*}
		if [ "$table" = switch ]; then
			columns=("''" "${columns[@]:1}")
			columns=("${columns[@]/#\"ts_utc_ns\"/ts_ns + ${wall:-NULL}}")
			echo "SELECT '$file', $(list "${columns[@]}") FROM context_switch_named;"
		else
			# As read_parquet and awk print them.
			cell="replace(iif(typeof(&) = 'blob', lower(hex(&)), &), char(10), char(10) || '$file|')"
			echo "SELECT '$file', $(list "${columns[@]/*/$cell}") FROM \"$table\";"
		fi
	done <headers | sqlite3 -batch made.db | sort >wanted
	[ -s got ] || fail "$1: no rows"
	same "$1: rows" wanted got
}

# Of each counter the bill has all that was counted, and each second its part of each process.
bills_equal() {
	local table
	[ -e tree/bill ] || return 0
	for table in bill bill_by_second; do
		read_parquet tree/$table/*/*/*.parquet | sed 's/"/""/g; s/|/"|"/g; s/^/"/; s/$/"/' >$table.txt
	done
	sqlite3 -batch made.db <<-END || fail "$1: bills"
		ATTACH ':memory:' AS read;
		.import --schema read bill.txt bill
		.import --schema read bill_by_second.txt bill_by_second
		.output counted
		SELECT name, sum(last_value - first_value) FROM counter_base JOIN counter USING (counter_id)
			GROUP BY name HAVING sum(last_value - first_value) <> 0 ORDER BY 1;
		.output counted.bill
		SELECT counter, sum(value) FROM read.bill WHERE counter <> 'on_cpu_ns' GROUP BY counter HAVING sum(value) <> 0 ORDER BY 1;
		.output counted.bill_by_second
		SELECT counter, sum(value) FROM read.bill_by_second WHERE counter <> 'on_cpu_ns' GROUP BY counter HAVING sum(value) <> 0 ORDER BY 1;
		.output charged.bill
		SELECT process, pid, counter, status, sum(value) FROM read.bill GROUP BY 1, 2, 3, 4 HAVING sum(value) <> 0 ORDER BY 1, 2, 3, 4;
		.output charged.bill_by_second
		SELECT process, pid, counter, status, sum(value) FROM read.bill_by_second GROUP BY 1, 2, 3, 4 HAVING sum(value) <> 0
			ORDER BY 1, 2, 3, 4;
		.output ran
		SELECT process, '' || pid, sum(on_cpu_ns) FROM process_bill WHERE pid <> 0 GROUP BY 1, 2 HAVING sum(on_cpu_ns) > 0 ORDER BY 1, 2;
		.output ran.bill
		SELECT process, pid, sum(value) FROM read.bill WHERE counter = 'on_cpu_ns' AND pid <> '' GROUP BY 1, 2 ORDER BY 1, 2;
	END
	for table in bill bill_by_second; do same "$1: sums of $table" counted counted.$table; done
	same "$1: bill by second" charged.bill charged.bill_by_second
	same "$1: time in the bill" ran ran.bill
}

# The footers have what the database says of the trace, with its units and findings.
keys_equal() {
	local file text
	local -a files
	sql made.db "SELECT 'perftab.schema_version=' || user_version FROM pragma_user_version;
		SELECT 'perftab.' || e.key || '=' || e.value FROM (SELECT json_object('path', path, 'format', format, 'status', status, 'host', host,
			'clock', clock, 'wall_offset_ns', wall_offset_ns) AS facts FROM trace), json_each(facts) AS e WHERE e.value IS NOT NULL;
		SELECT 'perftab.units=' || group_concat(name || '=' || unit, char(10)) || char(10) FROM counter WHERE unit IS NOT NULL HAVING count(*);
		SELECT 'perftab.findings=' || group_concat(kind || '=' || count, char(10)) || char(10) FROM finding HAVING count(*)" >wanted
	mapfile -t files < <(find tree/trace tree/switch tree/bill -name '*.parquet' 2>err)
	read_parquet --keys "${files[@]}" >got || fail "$1: keys"
	IFS= read -rd '' text <wanted
	for file in "${files[@]}"; do printf '%s' "$text"; done >wanted.all
	same "$1: keys of ${files[*]}" wanted.all got
}

# adds_up FILE [ENCODINGS]: all of it
adds_up() {
	local got=0 name=${1##*/} encoding
	perftab-convert -f "$1" -o made.db 2>/dev/null || got=$?
	[ "$got" -eq 0 ] || [ "$got" -eq 3 ] || return 0
	for encoding in ${2:-delta}; do
		rm -rf tree
		status "$got" "$name" perftab-convert --to parquet --all-tables --parquet-encoding "$encoding" -o tree "$1"
		rows_equal "$name, $encoding"
		bills_equal "$name, $encoding"
		keys_equal "$name, $encoding"
	done
}

adds_up "$perf/good-perftab.data" "delta plain"
[ "$(grep -cE '^perftab.(schema_version|wall_offset_ns|units|findings)=|^with_idle=' wanted)" -eq 5 ] || fail "few keys: $(cat wanted)"
for file in "$perf"/good-lossy.data "$perf"/good-plain-sampling.data \
	"$PERFTAB_SOURCE"/sample-traces/etw/good-everything.etl "$PERFTAB_SOURCE"/sample-traces/perflib/good-types.plb; do
	adds_up "$file"
done
for scenario in everything reuse; do
	make_trace "$scenario" . >/dev/null 2>&1 || fail "make_trace $scenario"
done
for file in *.data; do
	adds_up "$file"
done

# A fleet: each trace has its place, and a tree is replaced as a whole.
status 0 "two traces" perftab-convert --to parquet -o fleet "$perf"/good-perftab.data "$perf"/good-times.data
(cd fleet && find . -name '*.parquet' | sort | sed 's/-[0-9a-f]*\.parquet$//') | reads "places" \
	'./bill/host=lab/date=2026-11-21/good-perftab.data' \
	'./bill/host=lab/date=__HIVE_DEFAULT_PARTITION__/good-times.data' \
	'./bill_by_second/host=lab/date=2026-11-21/good-perftab.data' \
	'./bill_by_second/host=lab/date=__HIVE_DEFAULT_PARTITION__/good-times.data' \
	'./switch/counters=sched%3Asched_switch,task-clock,page-faults,msr%2Ftsc%2F/host=lab/date=2026-11-21/good-perftab.data' \
	'./switch/counters=sched%3Asched_switch,task-clock,page-faults,msr%2Ftsc%2F/host=lab/date=__HIVE_DEFAULT_PARTITION__/good-times.data'
reports 1 "a tree that exists" "exists already (--force replaces it)" \
	perftab-convert --to parquet -o fleet "$perf"/good-perftab.data
status 0 "a tree replaced" perftab-convert --force --mode 640 --to parquet -o fleet "$perf"/good-times.data
[ "$(find fleet -name '*.parquet' | wc -l)" -eq 3 ] || fail "a tree replaced: $(find fleet -name '*.parquet')"
under_wine || [ -z "$(find fleet -type f ! -perm 640)$(find fleet -type d ! -perm 750)" ] || fail "modes: $(find fleet -printf '%m %p ')"
touch fleet/bill/host=lab/mine
reports 1 "a tree with a foreign file" "contains other files than tables" \
	perftab-convert --force --to parquet -o fleet "$perf"/good-times.data
[ -e fleet/bill/host=lab/mine ] || fail "the foreign file is gone"
[ -z "$(find . -name '*.partial')" ] || fail "left over: $(find . -name '*.partial')"

# --- readers of others ---

# reads_same READER FILE: the rows of read_parquet, in `wanted`
reads_same() {
	local blobs table=${2#tree/}
	case $1 in
	chdb)
		mapfile -t blobs < <(sql made.db "SELECT name FROM pragma_table_info('${table%%/*}') WHERE type = 'BLOB'")
		node "$PERFTAB_SOURCE/tests/fleet/chdb.cjs" "$engines/chdb" --file "$2" "${blobs[@]}"
		;;
	*) node "$PERFTAB_SOURCE/tests/parquet/$1.mjs" "$engines" "$2" ;;
	esac | sort >got || fail "$1: $2"
	if [ "$1" = duckdb ]; then # which has microseconds only
		sed -E 's/(\|17[0-9]{14})[0-9]{3}\|/\1000|/g' wanted >micro
		sed -i -E 's/(\|17[0-9]{14})[0-9]{3}\|/\1000|/g' got
		same "duckdb: $2" micro got
	else
		same "$1: $2" wanted got
	fi
	compared=$((compared + 1))
}

# readers_agree ENCODING TABLE...: about the files of these tables, or of all
readers_agree() {
	local file reader table some=()
	for table in "${@:2}"; do
		some+=(-o -path "tree/$table/*")
	done
	rm -rf tree
	perftab-convert --to parquet --all-tables --parquet-encoding "$1" -o tree "$perf"/good-perftab.data 2>/dev/null
	while IFS= read -r file; do
		read_parquet "$file" | tail -n +2 | sort >wanted
		[ -s wanted ] || fail "$file has no rows"
		for reader in "${readers[@]}"; do
			reads_same "$reader" "$file"
		done
	done < <(find tree -name '*.parquet' \( -false "${some[@]}" \) | sort)
}

perftab-convert -f "$perf/good-perftab.data" -o made.db 2>/dev/null
readers=() compared=0
has_hyparquet && readers+=(hyparquet) || lacks "hyparquet is not installed ($engines)"
has_duckdb && readers+=(duckdb) || lacks "DuckDB is not installed ($engines)"
has_chdb && readers+=(chdb) || echo "chDB is not installed ($engines)"
# Each file is a process of node: all of them only where PARQUET_ENGINES asks for it.
if [ -n "${PARQUET_ENGINES:-}" ]; then
	readers_agree delta '*'
	readers_agree plain '*'
else
	readers_agree delta bill bill_by_second switch trace mmap
	readers_agree plain bill switch mmap
fi
# Random columns of all widths, with and without NULLs: several row groups, two that are full, one row, none.
while read -r seed rows encoding <&3; do
	file=random-$rows$encoding.parquet
	random_parquet "$file" "$seed" "$rows" $encoding >made.txt || fail "random_parquet $seed $rows $encoding"
	read_parquet "$file" >got
	same "random columns: $file" made.txt got
	tail -n +2 made.txt | sort >wanted
	[ "$(wc -l <wanted)" -eq "$rows" ] || fail "random columns: $(wc -l <wanted) of $rows rows"
	for reader in "${readers[@]}"; do
		reads_same "$reader" "$file"
	done
done 3<<END
1 1201
2 1201 plain
3 600
4 600 plain
5 1
6 0
7 0 plain
END
[ "$compared" -ge $((12 * ${#readers[@]})) ] || fail "$compared files were read"
echo "$compared times the rows of ${readers[*]:-no other reader} are those of read_parquet"
finish
