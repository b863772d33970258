#!/bin/bash
# sqlite_builds.sh: other builds of SQLite read and change bulk-loaded databases: Debian's sqlite3
# shell, Python's sqlite3, and the newest one that npm ships.
#   sqlite_builds.sh shell | python | node
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
make_trace --switches 20000 everything . || fail "make_trace"
perftab-convert everything.data -o loaded.db 2>/dev/null
perftab-convert --loader sql everything.data -o inserted.db 2>/dev/null
cat >questions.sql <<'END'
SELECT count(*), sum(switch_id), sum(ts_ns), sum(cpu), sum(on_cpu_ns), sum(delta_0) FROM context_switch
SELECT count(*), min(ts_ns), max(ts_ns) FROM context_switch INDEXED BY context_switch_by_time WHERE ts_ns > 0
SELECT prev_thread_id, count(*) FROM context_switch INDEXED BY context_switch_by_thread WHERE prev_thread_id > 3 GROUP BY 1 ORDER BY 1
SELECT process, switches FROM process_bill ORDER BY 1, 2
PRAGMA integrity_check
END
cat >changes.sql <<'END'
DELETE FROM context_switch WHERE switch_id % 3 = 0
UPDATE context_switch SET ts_ns = ts_ns + 1, cpu = 0 WHERE switch_id % 5 = 0
INSERT INTO context_switch (ts_ns, cpu, prev_thread_id) SELECT ts_ns, 7, prev_thread_id FROM context_switch
VACUUM
REINDEX
PRAGMA integrity_check
END

# asked HOW: ask() answers the statements of a file on a database; both databases answer alike.
asked() {
	for database in loaded inserted; do
		ask $database.db questions.sql >$database.1 2>&1
		ask $database.db changes.sql >$database.2 2>&1
		ask $database.db questions.sql >$database.3 2>&1
	done
	for part in 1 2 3; do
		same "$1: part $part" inserted.$part loaded.$part
		grep -qx ok loaded.$part || fail "$1: part $part: $(tail -1 loaded.$part)"
	done
	[ "$(wc -l <loaded.1)" -gt 10 ] || fail "$1: few answers: $(head -3 loaded.1)"
	cmp -s loaded.1 loaded.3 && fail "$1: nothing was changed"
}

case $1 in
shell)
	ask() { sed 's/$/;/' "$2" | sqlite3 -batch "$1"; }
	asked "sqlite3 $(sqlite3 --version | cut -d' ' -f1)"
	;;
python)
	python3 -c 'import sqlite3' 2>/dev/null || skip "no Python with sqlite3"
	ask() {
		python3 -c 'if True:
			import sqlite3, sys
			db = sqlite3.connect(sys.argv[1], isolation_level=None)
			for line in open(sys.argv[2]):
				for row in db.execute(line): print(*row, sep="|")' "$@"
	}
	asked "Python's SQLite"
	;;
node)
	# Where `npm install better-sqlite3` put it: NODE_PATH, or PERFTAB_NODE_MODULES.
	export NODE_PATH=${PERFTAB_NODE_MODULES:-${NODE_PATH-}}
	node -e 'require("better-sqlite3")(":memory:")' 2>/dev/null ||
		skip "no better-sqlite3: npm install it, and set PERFTAB_NODE_MODULES to its node_modules"
	ask() {
		node -e '
			const db = require("better-sqlite3")(process.argv[1]);
			for (const line of require("fs").readFileSync(process.argv[2], "utf8").trim().split("\n")) {
				const statement = db.prepare(line).safeIntegers();
				if (!statement.reader) { statement.run(); continue; }
				for (const row of statement.raw().all()) console.log(row.join("|"));
			}' "$@"
	}
	echo "better-sqlite3 with SQLite $(node -p 'require("better-sqlite3")(":memory:").prepare("SELECT sqlite_version()").pluck().get()')"
	asked "better-sqlite3"
	;;
esac
finish
