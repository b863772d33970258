#!/bin/bash
# fleet.sh WHAT: the recipes of docs/fleet.md, on generated traces with different counters.
#   sums      sums per process are equal in SQLite, DuckDB, chDB and two servers of ClickHouse
#   recipes   queries, programs and metadata of the document give what they should
# Engines that are missing (scripts/install-packages engines) are said, or fail it where they are required.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
. "$PERFTAB_SOURCE/tests/fleet/engines.sh" || exit 1
trap 'stop_servers; rm -rf "$work"' EXIT
cd "$work" || exit 1
doc=$PERFTAB_SOURCE/docs/fleet.md
asked=0

# Three hosts, two sets of counters, two days.
inputs=()
machines=()
add() { # NAME SCENARIO SEED HOST UTC
	make_trace --seed "$3" --switches 3000 "$2" . >/dev/null || fail "make_trace $2"
	mv "$2.data" "$1.data"
	inputs+=("$1.data")
	machines+=(--host "$1.data=$4" --wall "$1.data=$5")
}
add web-1 basic 1 web-1 2026-11-22T10:00:00Z
add web-1b basic 2 web-1 2026-11-23T10:00:00Z
add web-2 basic 3 web-2 2026-11-22T10:00:00.5Z
add phone two_counters 4 pixel-7 2026-11-22T10:00:01Z
status 0 "a database" perftab-convert "${machines[@]}" "${inputs[@]}" -o all.db
status 0 "a tree" perftab-convert --to parquet "${machines[@]}" "${inputs[@]}" -o fleet
status 0 "CSV" perftab-convert --to csv "${machines[@]}" "${inputs[@]}" -o tables

# load_servers: two, with all tables; false: there are none
load_servers() {
	local node table
	has_clickhouse || {
		lacks "ClickHouse is not installed: no cluster"
		return 1
	}
	start_servers "$work/servers" || {
		lacks "ClickHouse does not start here: $(cat "$work"/servers/3-0/errors "$work"/servers/3-0/out 2>/dev/null | tail -1)"
		return 1
	}
	for node in 0 1; do
		perftab-convert --to clickhouse --create "${machines[@]}" "${inputs[@]}" | clickhouse $node --multiquery || fail "--create on node $node"
	done
	for table in bill bill_by_second switch; do
		perftab-convert --to clickhouse --table $table "${machines[@]}" "${inputs[@]}" |
			clickhouse 1 --query "INSERT INTO ${table}_all FORMAT Native" || fail "a stream of $table"
	done
	for node in 0 1; do
		clickhouse $node --query 'SELECT count() > 0 FROM switch' >count
		reads "node $node has a part" 1 <count
	done
}

# --- sums ---

# agrees ENGINE WHAT SQL: the rows wanted
agrees() {
	"$1" "$3" | sort >got || fail "$1: $2"
	same "$1: $2" wanted got
	asked=$((asked + 1))
}

sums() {
	local tree
	has_duckdb || lacks "DuckDB is not installed ($engines)"
	has_chdb || echo "chDB is not installed ($engines)"
	load_servers && with_servers=true || with_servers=false
	for counter in cycles on_cpu_ns; do
		sql all.db "SELECT t.host, s.process, sum(s.$counter) FROM context_switch_named AS s JOIN trace AS t USING (trace_id)
			WHERE s.status = 'charged' AND s.pid <> 0 GROUP BY 1, 2" | sort >wanted
		[ "$(wc -l <wanted)" -gt 10 ] || fail "$counter: $(cat wanted)"
		query="SELECT host, process, sum($counter) FROM SWITCH WHERE status = 'charged' AND pid <> 0 GROUP BY host, process"
		if has_duckdb; then
			tree="read_parquet('fleet/switch/**/*.parquet', hive_partitioning = true, union_by_name = true)"
			agrees duckdb_rows "$counter of switches" "${query/SWITCH/$tree}"
		fi
		if has_chdb; then
			tree="file('fleet/switch/**/*.parquet', Parquet)"
			agrees chdb_rows "$counter of switches" "${query/SWITCH/$tree} SETTINGS use_hive_partitioning = 1, schema_inference_mode = 'union'"
		fi
		$with_servers && agrees clickhouse_rows "$counter of switches" "${query/SWITCH/switch_all}"
	done
	sql all.db "SELECT t.host, p.name, c.name, sum(x.charged) FROM process_charge AS x JOIN counter AS c USING (counter_id)
		JOIN process AS p USING (process_id) JOIN trace AS t ON t.trace_id = c.trace_id
		WHERE p.pid <> 0 GROUP BY 1, 2, 3 HAVING sum(x.charged) <> 0" | sort >wanted
	for table in bill bill_by_second; do
		query="SELECT host, process, counter, sum(value) FROM BILL WHERE status = 'charged' AND pid > 0 AND counter <> 'on_cpu_ns'
			GROUP BY host, process, counter HAVING sum(value) <> 0"
		has_duckdb && agrees duckdb_rows "$table" "${query/BILL/read_parquet(\'fleet/$table/**/*.parquet\', hive_partitioning = true)}"
		has_chdb && agrees chdb_rows "$table" "${query/BILL/file(\'fleet/$table/**/*.parquet\', Parquet)} SETTINGS use_hive_partitioning = 1"
		$with_servers && agrees clickhouse_rows "$table" "${query/BILL/${table}_all}"
	done
	[ "$asked" -gt 0 ] || skip "no engine is installed (scripts/install-packages engines)"
	echo "$asked answers of engines are SQLite's"
}

# --- recipes ---

# blocks LANGUAGE FIRST: the blocks of the document that begin with this line, as block.1 ...
blocks() {
	rm -f block.*
	awk -v language="$1" -v first="$2" '
		/^```/ { inside = $0 == "```" language; head = inside; if (file) close(file); file = ""; next }
		head { head = 0; if ($0 == first || first == "") { file = "block." ++n; if (first != "") next } }
		file { print > file }' "$doc"
	[ -e block.1 ] || fail "$doc: no block of $1 that begins with $2"
}

# answers ENGINE HEADING: each query of that heading has rows; the last ones are in `got`
answers() {
	local block query
	blocks sql "-- $2"
	for block in block.*; do
		query=$(sed 's/\$__from/0/g; s/\$__to/4102444800000/g' "$block")
		"$1" "$query" >got 2>err || fail "$2: $query: $(head -3 err)"
		[ -s got ] || fail "$2: no rows: $query"
		asked=$((asked + 1))
	done
}

sqlite_rows() { sql all.db "$1"; }

# written PATTERN: the command lines of the document that match, in their order, as they are there
written() {
	awk '/^```/ { fenced = !fenced } fenced { next }
		/^    perftab-/ || more { sub(/^    /, ""); more = /\\$/ || /\|$/; printf "%s%s", $0, more ? "\n" : "\0"; next }' "$doc" | grep -zE "$1"
}

# Commands run as they are written, in a folder with the traces that they name.
commands() {
	local command count=0
	mkdir -p written && cp phone.data "$PERFTAB_SOURCE"/sample-traces/{perf/good-perftab.data,etw/good-everything.etl} written
	mv written/good-perftab.data written/web.data
	mv written/good-everything.etl written/pc.etl
	while IFS= read -rd '' command; do
		(cd written && PATH=$work/clients:$PATH bash -o pipefail -c "$command") >out 2>err || fail "$command: $(head -2 err)"
		[ ! -s err ] || fail "$command: $(head -2 err)"
		count=$((count + 1))
	done < <(written "$1")
	[ "$count" -eq "$2" ] || fail "$count commands with '$1' in $doc, expected $2"
	asked=$((asked + count))
}

# Of a client that knows no other server than the default.
clickhouse_commands() {
	mkdir -p clients
	printf '#!/bin/sh\nexec %s --host 127.0.0.1 --port %d --database written "$@"\n' "$(command -v clickhouse-client)" "$port" >clients/clickhouse-client
	chmod +x clients/clickhouse-client
	clickhouse 0 --query 'CREATE DATABASE written'
	commands clickhouse-client 3
	for table in bill switch; do
		clickhouse 0 --query "SELECT count() > 0 FROM written.$table" | reads "$table of the commands" 1
	done
}

# A union of traces with different counters, by three engines.
unions() {
	sql all.db "SELECT t.host, count(*), sum(s.cycles), sum(s.instructions) FROM context_switch_named AS s JOIN trace AS t USING (trace_id)
		WHERE s.status = 'charged' AND s.pid IS NOT 0 GROUP BY 1 ORDER BY 1" >wanted
	grep -q '^pixel-7|[0-9]*|[0-9]*|$' wanted || fail "the phone has no counter less: $(cat wanted)"
	union() { "$1" "$2" "$3 union" && same "$3: the union" wanted got; }
	has_duckdb && union answers duckdb_rows DuckDB
	has_chdb && union answers chdb_rows chDB
	$with_servers && union answers clickhouse_rows ClickHouse
}

# python WHAT PROGRAM: prints the bill as SQLite has it; a python without the module is said
python_recipe() { # HEADING MODULE WANTED
	local python
	blocks python "# $1"
	for python in /usr/bin/python3 python3; do
		if command -v $python >/dev/null && $python -c "import $2" 2>/dev/null; then
			LD_LIBRARY_PATH=$shared $python block.1 2>err | sort >got || fail "python: $1"
			[ ! -s err ] || fail "python: $1: $(tail -1 err)"
			sort -o "$3" "$3"
			same "python: $1" "$3" got
			asked=$((asked + 1))
			return
		fi
	done
	echo "Python with $2 is not installed: no recipe for it"
}

python_recipes() {
	sql all.db "SELECT t.host, b.process, sum(b.cycles) FROM process_bill AS b JOIN trace AS t USING (trace_id) WHERE b.pid IS NOT NULL GROUP BY 1, 2" >by_host
	python_recipe sqlite3 sqlite3 by_host
	sql all.db "SELECT t.host, s.process, sum(s.cycles), coalesce(sum(s.instructions) || '.0', ''), coalesce(sum(s.instructions) * 1.0 / sum(s.cycles), '')
		FROM context_switch_named AS s JOIN trace AS t USING (trace_id) WHERE s.status = 'charged' AND s.pid <> 0 GROUP BY 1, 2" |
		cut -d '|' -f 1-4 >frame
	sed -i 's/$/|/' frame
	pandas_rows() { cut -d '|' -f 1-4 | sed 's/$/|/'; }
	blocks python "# pandas"
	sed -i '$s/.*/print(sums.to_csv(sep="|", header=False, columns=["cycles", "instructions"]), end="")/' block.1
	if /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
		/usr/bin/python3 block.1 2>err | pandas_rows | sort >got || fail "pandas: $(tail -1 err)"
		sort -o frame frame
		same "python: pandas" frame got
		asked=$((asked + 1))
	else
		lacks "Debian's python3-pandas is not installed: no recipe for it"
	fi
	perftab-analyze --by process --csv web-1.data | awk -F , -v OFS='|' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") c = i; next } { print $1, $c }' >by_process
	if [ -e "$shared/libperftab.so.0" ]; then
		python_recipe ctypes ctypes by_process
	else
		echo "the library is not built: no recipe for it"
	fi
}

metadata_queries() {
	blocks json ''
	sql :memory: "SELECT replace(json_extract(value, '\$.sql'), ':from_ns', '1795341600000000000') FROM json_each(readfile('block.1'), '\$.databases.all.queries')" >queries
}

# The tables of the metadata exist, its queries run.
datasette() {
	local query
	blocks json ''
	sql :memory: "SELECT json_valid(readfile('block.1'))" | reads "metadata.json" 1
	for query in $(sql :memory: "SELECT key FROM json_each(readfile('block.1'), '\$.databases.all.tables')"); do
		sql all.db "SELECT * FROM \"$query\" LIMIT 1" >got || fail "metadata.json: no $query"
	done
	metadata_queries
	[ "$(wc -l <queries)" -eq 2 ] || fail "metadata.json: $(cat queries)"
	while IFS= read -r query; do
		sql all.db "$query" >got || fail "metadata.json: $query"
		[ -s got ] || fail "metadata.json: no rows: $query"
	done <queries
	sql all.db "$(head -1 queries)" | awk -F '|' -v OFS='|' '$2 == "cycles" { print $1, $3, $4 }' | sort >got
	sql all.db "SELECT t.host, b.process, sum(b.cycles) FROM process_bill AS b JOIN trace AS t USING (trace_id) WHERE b.pid IS NOT NULL GROUP BY 1, 2" | sort >wanted
	same "metadata.json: what programs cost" wanted got
}

# adds_up WHAT EXPRESSION WANTED: the sum of what awk makes of the rows of `got`
adds_up() {
	awk -F '|' "{ sum += $2 } END { printf \"%.0f\\n\", sum }" got | reads "a trace of ETW: $1" "$3"
	asked=$((asked + 1))
}

# Queries that leave out idle, of a trace where the pid of processes is not known, add up to the bill.
without_pids() {
	local cycles on_cpu
	mkdir etw && cd etw || return
	sed 's/\bcycles\b/TotalCycles/g; s/\binstructions\b/LLCReference/g' "$doc" >doc.md
	local doc=doc.md
	status 0 "a database" perftab-convert ../written/pc.etl -o all.db
	status 0 "a tree" perftab-convert --to parquet ../written/pc.etl -o fleet
	status 0 "CSV" perftab-convert --to csv ../written/pc.etl -o tables
	sql all.db "SELECT sum(pid IS NULL) > 0, sum(TotalCycles), sum(on_cpu_ns) FROM process_bill WHERE process NOT LIKE '(%)' OR process = '(unknown)'" >bill
	IFS='|' read -r _ cycles on_cpu <bill
	grep -q '^1|' bill || fail "a trace of ETW: all pids are known"
	answers sqlite_rows SQLite
	adds_up "SQLite" '$3 * 1e9' "$on_cpu"
	if has_duckdb; then
		answers duckdb_rows "DuckDB union"
		adds_up "DuckDB" '$3' "$cycles"
		blocks sql "-- DuckDB"
		duckdb_rows "$(cat "$(grep -l process_bill block.*)")" >got || fail "DuckDB: CSV"
		adds_up "DuckDB, CSV" '$2' "$cycles"
	fi
	if has_chdb; then
		answers chdb_rows "chDB union"
		adds_up "chDB" '$3' "$cycles"
	fi
	if $with_servers; then
		clickhouse 0 --query 'CREATE DATABASE etw'
		perftab-convert --to clickhouse --create ../written/pc.etl | clickhouse 0 --database etw --multiquery || fail "--create"
		perftab-convert --to clickhouse --table switch ../written/pc.etl | clickhouse 0 --database etw --query 'INSERT INTO switch FORMAT Native' || fail "a stream"
		sed -i 's/\bswitch_all\b/etw.switch/' doc.md # the other server has no such database
		answers clickhouse_rows "ClickHouse union"
		adds_up "ClickHouse" '$3' "$cycles"
	fi
	for module in sqlite3 pandas; do
		/usr/bin/python3 -c "import $module" 2>/dev/null || continue
		blocks python "# $module"
		/usr/bin/python3 block.1 >got || fail "python: $module"
		adds_up "Python, $module" '$3' "$cycles"
	done
	metadata_queries
	sql all.db "$(sed -n 1p queries)" >got
	adds_up "metadata.json, bill_by_host" '($2 == "TotalCycles") * $4' "$cycles"
	cd ..
}

recipes() {
	with_servers=false
	commands '^perftab-convert .*-o ' 2
	holds "three machines" written/all.db '3|0' 'SELECT count(DISTINCT host), (SELECT count(*) FROM finding WHERE kind = '"'no_wall'"') FROM switch_utc'
	answers sqlite_rows SQLite
	datasette
	python_recipes
	if has_duckdb; then answers duckdb_rows DuckDB; else lacks "DuckDB is not installed ($engines)"; fi
	if has_chdb; then answers chdb_rows chDB; else echo "chDB is not installed ($engines)"; fi
	if load_servers; then
		with_servers=true
		answers clickhouse_rows ClickHouse
		clickhouse_commands
	fi
	unions
	without_pids
	echo "$asked recipes"
}

case ${1:-} in
sums) sums ;;
recipes) recipes ;;
*) fail "usage: fleet.sh sums|recipes" ;;
esac
finish
