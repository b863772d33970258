# engines.sh - engines of others that read a fleet; sourced after tests/cli/lib.sh.  PARQUET_ENGINES is
# the folder of scripts/parquet-engines, by default where scripts/install-packages engines puts it.
# With PERFTAB_REQUIRE_ENGINES set, as in CI, what that installs must be there: all but chDB.
engines=${PARQUET_ENGINES:-${XDG_CACHE_HOME:-$HOME/.cache}/perftab/engines}
servers=()
# A server ends with this shell, even where no trap can run.
alone=()
! command -v setpriv >/dev/null || alone=(setpriv --pdeathsig TERM)

# lacks WHAT: an engine is missing: a sentence, or a failure
lacks() {
	if [ -n "${PERFTAB_REQUIRE_ENGINES:-}" ]; then
		fail "$* (scripts/install-packages engines)"
	else
		echo "$*"
	fi
}

has_duckdb() { command -v node >/dev/null && [ -d "$engines/node_modules/@duckdb" ]; }
has_hyparquet() { command -v node >/dev/null && [ -d "$engines/node_modules/hyparquet" ]; }
has_chdb() { command -v node >/dev/null && [ -d "$engines/chdb/node_modules/chdb" ]; }
has_clickhouse() { command -v clickhouse-server >/dev/null && command -v clickhouse-client >/dev/null; }

# Rows of a query: cells separated by |, NULL empty.
duckdb_rows() { node "$PERFTAB_SOURCE/tests/parquet/duckdb.mjs" "$engines" --query "$1"; }
chdb_rows() { node "$PERFTAB_SOURCE/tests/fleet/chdb.cjs" "$engines/chdb" "$1"; }
clickhouse_rows() { clickhouse 0 --query "$1" | sed 's/\\N//g; s/\t/|/g'; }

# clickhouse NODE ARGUMENT...: the client of a server
clickhouse() { clickhouse-client --host 127.0.0.1 --port $((port + $1)) "${@:2}"; }

# The configuration of docs/fleet.md, for a server in the folder $1 with the port $2.
write_node() {
	mkdir -p "$1"
	sed -n '/^    <yandex>/,/^    <\/yandex>/s/^    //p' "$PERFTAB_SOURCE/docs/fleet.md" |
		sed "s|/srv/fleet/|$1/|g; s|<tcp_port>9000|<tcp_port>$2|; s|<host>web-1</host><port>9000|<host>127.0.0.1</host><port>$port|
			s|<host>web-2</host><port>9000|<host>127.0.0.1</host><port>$((port + 1))|" >"$1/node.xml"
}

# start_servers FOLDER: two of a cluster; false: they do not run.  The caller's trap stops them.
start_servers() {
	local try node
	for try in 1 2 3; do
		port=$((20000 + (RANDOM * 3 + try) % 12000))
		for node in 0 1; do
			write_node "$1/$try-$node" $((port + node))
			"${alone[@]}" clickhouse-server --config-file="$1/$try-$node/node.xml" >"$1/$try-$node/out" 2>&1 &
			servers+=($!)
		done
		if wait_for 0 && wait_for 1; then
			return 0
		fi
		stop_servers
	done
	return 1
}

# wait_for NODE: until it answers, 10 s at most
wait_for() {
	local i
	for ((i = 0; i < 100; i++)); do
		timeout 5 clickhouse-client --host 127.0.0.1 --port $((port + $1)) --query 'SELECT 1' >/dev/null 2>&1 && return
		kill -0 "${servers[$1]}" 2>/dev/null || return
		read -rt 0.1 <> <(:)
	done
	return 1
}

stop_servers() {
	local server
	for server in "${servers[@]}"; do
		kill "$server" 2>/dev/null
	done
	for server in "${servers[@]}"; do
		wait "$server" 2>/dev/null
	done
	servers=()
}
