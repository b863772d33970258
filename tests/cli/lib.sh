# lib.sh - what the shell tests share.  Sourced; the caller is run by ctest with
#   PERFTAB_BIN     folder of the programs
#   PERFTAB_SOURCE  the repository
#   PERFTAB_CORPUS  traces by others, or unset
set -u
export LC_ALL=C
# Programs that only make or read inputs are those of PERFTAB_RELEASE, a build without sanitizers, if there is one
# (.ci/run): they start faster.
helpers=${PERFTAB_RELEASE:-$PERFTAB_BIN}
shared=$helpers/lib # libperftab.so and perftab.so, which have no sanitizers
PATH=$helpers/tests:$helpers/tests/library:$helpers/bench:$PERFTAB_BIN/tests:$PERFTAB_BIN/tests/workloads:$PERFTAB_BIN/bench:$PATH
PATH=$PERFTAB_BIN/tools:$PERFTAB_BIN/tests/answers:$PERFTAB_BIN/tests/sandbox:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/perftab-test.XXXXXX")
trap 'rm -rf "$work"' EXIT

# In a file, so that subshells and pipelines count as well.
fail() { printf 'FAIL: %s\n' "$*" | tee -a "$work/.failed" >&2; }

skip() { # ctest takes 77 as "skipped"; what failed before is not
	[ ! -e "$work/.failed" ] || finish
	printf 'skipped: %s\n' "$*"
	exit 77
}

# Whether the programs are those for Windows; cli_skips.txt of tests/mock_windows lists each use.
under_wine() { [ -n "${PERFTAB_UNDER_WINE:-}" ]; }

# The programs do not look for leaks at their end and do not watch the ends of global tables, half of what a
# start costs: the tests of units, of fuzz targets and those of watched_starts do that for the same code.  What
# is freed stays unused for 64 KiB of further frees (a fifth of the pages that a conversion touches).
watched=${ASAN_OPTIONS:-}
export ASAN_OPTIONS=${watched:+$watched:}detect_leaks=0:report_globals=0:quarantine_size_mb=0:malloc_context_size=1
watched_starts() { export ASAN_OPTIONS=$watched; }

# delivered_programs: perftab's are those of PERFTAB_RELEASE, too.  For inputs that other tests give to those
# with sanitizers.
delivered_programs() {
	[ -z "${PERFTAB_RELEASE:-}" ] || under_wine || PATH=$PERFTAB_RELEASE/tools:$PERFTAB_RELEASE/tests/answers:$PATH
}

# delivered_readers: the same, but for perftab-capture: for tests of the recorder
delivered_readers() {
	[ -n "${PERFTAB_RELEASE:-}" ] || return 0
	mkdir "$work/readers"
	ln -s "$PERFTAB_RELEASE"/tools/perftab-{analyze,convert} "$PERFTAB_RELEASE/tests/answers/run_each" "$work/readers"
	PATH=$work/readers:$PATH
}

finish() {
	[ ! -e "$work/.failed" ] || { printf '%d failed\n' "$(grep -c ^FAIL: "$work/.failed")" >&2; exit 1; }
	exit 0
}

# same WHAT WANTED GOT: two files are the same
same() {
	alike_files "$2" "$3" || { fail "$1"; diff "$2" "$3" | head -10 >&2; }
}

# alike_files A B: the same; without a process where both are short texts
alike_files() {
	local a b
	if [ -f "$1" ] && [ -f "$2" ] && ! IFS= read -rd '' -n 65536 a <"$1" && ! IFS= read -rd '' -n 65536 b <"$2"; then
		[ "$a" = "$b" ]
	else
		cmp -s "$1" "$2"
	fi
}

# reads WHAT LINE...: standard input is these lines
reads() {
	cat >"$work/got"
	printf '%s\n' "${@:2}" >"$work/wanted"
	same "$1" "$work/wanted" "$work/got"
}

# short_text: prints a short standard input; sooner than cat would begin
short_text() {
	local text
	IFS= read -rd '' text
	printf '%s' "$text"
}

# A command starts in some milliseconds, so these look at what was printed without any.
# status WANTED WHAT COMMAND...: runs it, output to $work/out and $work/err
status() {
	local wanted=$1 what=$2 got=0
	shift 2
	"$@" >"$work/out" 2>"$work/err" || got=$?
	# What this system lacks, with -v.
	local -a lines
	mapfile lines <"$work/err"
	[[ ! ${lines[*]} =~ ': Landlock: '|': seccomp: '|': no sandbox: ' ]] ||
		sed -i '/: Landlock: \|: seccomp: \|: no sandbox: /d' "$work/err"
	[ "$got" -eq "$wanted" ] || fail "$what: exit status $got, expected $wanted: $(head -2 "$work/err")"
}

# says WHAT TEXT: the last status left exactly one line on stderr, with this in it
says() {
	local -a lines
	mapfile lines <"$work/err"
	[ ${#lines[@]} -eq 1 ] && [[ ${lines[0]} == *$'\n' ]] ||
		fail "$1: expected one line on stderr, got: $(cat "$work/err")"
	[[ ${lines[*]} == *"$2"* ]] || fail "$1: expected '$2' on stderr, got: $(cat "$work/err")"
}

# reports WANTED WHAT TEXT COMMAND...: status and says at once
reports() {
	local wanted=$1 what=$2 text=$3
	shift 3
	status "$wanted" "$what" "$@"
	says "$what" "$text"
}

# mistakes COMMAND...: of each line "arguments|text" on standard input: exit status 2, the text
# on stderr, nothing else
mistakes() {
	local words text
	while IFS='|' read -r words text; do
		# shellcheck disable=SC2086
		reports 2 "$* $words" "$text" "$@" $words
		[ ! -s "$work/out" ] || fail "$* $words: prints $(head -1 "$work/out")"
	done
}

# helps WHAT MANUAL COMMAND...: its --help has what it must, fits a terminal, and names no option
# that the manual lacks
helps() {
	local what=$1 man=$2 option
	shift 2
	status 0 "$what --help" "$@" --help
	grep -q "^usage: $what" "$work/out" || fail "$what --help: no usage line"
	grep -q '^Exit status: ' "$work/out" || fail "$what --help: no exit status"
	[ ! -s "$work/err" ] || fail "$what --help prints to stderr"
	awk 'length($0) > 100 { exit 1 }' "$work/out" || fail "$what --help: wider than 100 columns"
	sed -n '/^Examples:/,$p' "$work/out" | grep "^  ${1}" >"$work/examples"
	[ "$(wc -l <"$work/examples")" -ge 3 ] || fail "$what --help: fewer than three examples"
	for option in $(grep -oE -- '^  (-.|  ),? ? ?--[a-z-]+' "$work/out" | grep -oE -- '--[a-z-]+'); do
		grep -q -- "Fl -${option#--}" "$man" || fail "${man##*/} does not mention $what $option"
	done
	if command -v mandoc >/dev/null; then
		mandoc -Tlint -W warning "$man" >"$work/lint" || fail "${man##*/}: $(head -3 "$work/lint")"
	fi
}

# partial OUTPUT: there is one that is not complete
partial() { compgen -G "$1.????????????????.partial" >"$work/partial"; }

# sql DATABASE STATEMENT
sql() { sqlite3 -batch "$1" "$2"; }

# holds WHAT DATABASE WANTED STATEMENT: that is what the database answers
holds() {
	local answer
	ask_sqlite "$2" "$4"
	[ "$answer" = "$3" ] || fail "$1: got '${answer:0:300}', expected '$3'"
}

# ask_sqlite DATABASE STATEMENT: what it answers, to $answer; one sqlite3 for all that a shell asks.  It lets go of
# the database, which may be replaced.
ask_sqlite() {
	local rest=none path=$1
	[[ $path == [/:]* ]] || path=$PWD/$path # the folder may be another than that of sqlite3
	[ "${sqlite_asker-}" = "$BASHPID" ] || begin_sqlite
	trap '' PIPE
	printf ".open '%s'\n%s\n;\n.open ':memory:'\n.print '\x1e'\n" "$path" "$2" >&"$sqlite_in"
	trap - PIPE
	# One that ended, or has said more than an answer, is not asked again.
	IFS= read -rd $'\x1e' -t 120 answer <&"$sqlite_out" && IFS= read -r -t 10 rest <&"$sqlite_out" && [ -z "$rest" ] ||
		{ fail "sqlite3 has no answer to $2"; unset sqlite_asker; }
	answer=${answer%$'\n'}
}

begin_sqlite() {
	sqlite_asker=$BASHPID
	{ coproc sqlite { exec sqlite3 -batch 2>&1; }; } 2>/dev/null # a subshell may have one of its own
	disown "$sqlite_PID" # "wait" does not wait for it
	exec {sqlite_in}>&"${sqlite[1]}" {sqlite_out}<&"${sqlite[0]}"
	exec {sqlite[1]}>&- {sqlite[0]}<&-
}

# Header first, the rest sorted.
sorted() {
	local header
	{ ! IFS= read -r header || printf '%s\n' "$header"; sort; } <"$1"
}

# Quotes of cells that do not need them are a matter of taste.
plain_csv() { sed -E 's/"([^",]*)"/\1/g'; }

# books WHAT: all books of the last --check (in $work/out) balance, and there are some
books() {
	awk '/ of .* books balance/ { seen = 1; if ($1 != $3 || $1 == 0) exit 1 } END { exit !seen }' "$work/out" || fail "$1: $(tail -1 "$work/out")"
}

# balances STATUS WHAT TRACE: --check exits so, and the books balance
balances() {
	status "$1" "$2: check" perftab-analyze --check "$3"
	books "$2"
}

# What perf script prints a line for.  It splits a group read into a line for each member,
# with the rise since the group's last read on that CPU (at first since 0) as its period,
# and prints none for a rise of 0.  So the lines of a member add up to its last values.
samples_sql() {
	cat <<-'SQL'
	WITH value AS (
		SELECT v.counter_id, v.value - lag(v.value, 1, 0) OVER (PARTITION BY v.counter_id, s.cpu ORDER BY s.sample_id) AS rise
		FROM sample_value v JOIN sample s USING (sample_id)),
	-- perf knows no reads: what they found is in its next sample.
	part(counter_id, cpu, thread_id, at, read_id, delta) AS (
		SELECT c.counter_id, c.cpu, CASE g.scope WHEN 'task' THEN c.prev_thread_id END, c.switch_id, 0, c.delta
			FROM switch_counters c JOIN counter USING (counter_id) JOIN counter_group g USING (group_id)
		UNION ALL SELECT v.counter_id, r.cpu, CASE g.scope WHEN 'task' THEN r.thread_id END, r.after_switch_id, r.read_id, v.delta
			FROM group_read r JOIN group_read_value v USING (read_id) JOIN counter_group g USING (group_id)
		UNION ALL SELECT counter_id, cpu, thread_id, -1, 0, first_value FROM counter_base),
	total AS (
		SELECT *, sum(delta) OVER (PARTITION BY counter_id, cpu, thread_id ORDER BY at, read_id) AS total
			FROM part WHERE EXISTS (SELECT 1 FROM group_read)),
	rise AS (
		SELECT counter_id, total - lag(total, 1, 0) OVER (PARTITION BY counter_id, cpu, thread_id ORDER BY at) AS rise
			FROM total WHERE read_id = 0 AND at >= 0),
	line(counter_id, period) AS (
		SELECT counter_id, period FROM sample WHERE sample_id NOT IN (SELECT sample_id FROM sample_value)
		UNION ALL SELECT counter_id, rise FROM value WHERE rise <> 0
		UNION ALL SELECT counter_id, rise FROM rise WHERE rise <> 0
		UNION ALL SELECT counter_id, first_value FROM counter_base WHERE first_value <> 0 AND NOT EXISTS (SELECT 1 FROM group_read)
		UNION ALL SELECT counter_id, delta FROM switch_counters WHERE delta <> 0 AND NOT EXISTS (SELECT 1 FROM group_read)
		UNION ALL SELECT counter_id, c.period FROM context_switch JOIN counter_group g USING (group_id)
			JOIN counter c ON c.name = g.leader WHERE g.counters = 0)
	SELECT event, count(*) || ' ' || coalesce(sum(line.period), 0) FROM line JOIN counter USING (counter_id) GROUP BY event ORDER BY 1;
	SQL
}

# as_perf NAME: in the current folder: events, their samples and sums of periods are those of perf script
as_perf() {
	perf script -f -F event,period -i "$1.data" 2>perf.err </dev/null | awk '{ sub(/:$/, "", $2); print $2 "\t" $1 }' >lines
	[ "$(wc -l <lines)" -ge 20 ] || fail "$1: perf script prints $(wc -l <lines) lines: $(head -1 perf.err)"
	sqlite3 -batch -separator $'\t' :memory: "CREATE TABLE line(event TEXT, period INTEGER)" ".import lines line" \
		"SELECT event, count(*) || ' ' || sum(period) FROM line GROUP BY event ORDER BY 1" >wanted
	sqlite3 -batch -separator $'\t' "$1.db" <<<"$(samples_sql)" >got
	same "$1: not what perf script counts" wanted got
}

# folds WHAT TRACE COUNTER [OPTIONS...]: folded stacks, added up by process and by process and thread, are what
# the bill or the estimates have; tasks of one name are one
folds() {
	local by what=$1 trace=$2 counter=$3
	shift 3
	perftab-convert --to folded --counter "$counter" -o - "$@" "$trace" >"$work/stacks" 2>/dev/null
	sed -E 's/^([^ ;]*)((;[^ ;]*)?)[^ ]* ([0-9]+)$/\1|\1\2|\4/; s/^(\([^|]*\))\|[^|]*/\1|\1/' "$work/stacks" >"$work/stacks.tasks"
	for by in process thread; do
		perftab-analyze --by $by --csv "$@" "$trace" >"$work/tasks.csv" 2>/dev/null
		sqlite3 -batch :memory: ".import --csv $work/tasks.csv task" ".mode list" \
			"CREATE TABLE stack(process TEXT, thread TEXT, weight INTEGER)" ".import $work/stacks.tasks stack" \
			".once $work/folds.got" "SELECT $by, sum(weight) FROM stack GROUP BY 1 ORDER BY 1" \
			".once $work/folds.wanted" "$(folds_sql $by "$counter")" 2>"$work/folds.err" || fail "$what: $counter by $by: $(head -1 "$work/folds.err")"
		[ -s "$work/folds.wanted" ] || fail "$what: no task has $counter"
		same "$what: $counter by $by" "$work/folds.wanted" "$work/folds.got"
	done
}

# folds_sql BY COUNTER: the same of a table task, with names as folded stacks have them
folds_sql() {
	local name
	name() { echo "replace(replace(replace(iif($1 = '', ':' || $2, $1), '\\', '\\x5c'), ' ', '\\x20'), ';', '\\x3b')"; }
	name=$(name process pid)
	[ "$1" = process ] || name="$name || iif(process LIKE '(%)', '', ';' || $(name thread tid))"
	echo "SELECT $name AS name, sum(CAST(\"$2\" AS INTEGER)) AS weight FROM task GROUP BY 1 HAVING weight > 0 ORDER BY 1"
}

# --- perftab-capture ---

. "$PERFTAB_SOURCE/tests/cli/lib_roads.sh" || exit 1

# can_record: skips unless all of a CPU may be counted here, whatever the recorder says.
can_record() {
	command -v perftab-capture >/dev/null || skip "perftab-capture is not built here"
	self_count -t >"$work/out" || skip "this machine does not allow recording: $(cat "$work/out")"
	[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
}

# records WHAT FILE OPTIONS...: to FILE, with room for bursts, and without a word
records() {
	local what=$1 file=$2
	shift 2
	status 0 "$what" timeout 60 perftab-capture perf -q -m "${ring:-4M}" -o "$file" "$@"
	[ ! -s "$work/err" ] || fail "$what: talks on stderr: $(head -2 "$work/err")"
}

# whole WHAT FILE: the books of a recording balance, and nothing is missing
whole() {
	balances 0 "$1" "$2"
	rm -f "$2.db"
	status 0 "$1: convert" perftab-convert "$2" -o "$2.db"
	holds "$1" "$2.db" complete 'SELECT status FROM trace'
}

# --- PerfLib ---

# made_each: of each line "TRACE<tab>NAME" of what a generator made, $work/NAME.db has exactly the findings of
# $work/NAME.planned (kind|count|first offset) and the values of $work/NAME.values
made_each() {
	local each=$work/made trace name damaged code strict
	rm -rf "$each"
	mkdir "$each"
	cat >"$each/list"
	convert_each <"$each/list"
	sound_each <"$each/list"
	while IFS=$'\t' read -r trace name; do
		printf '%s\tperftab-convert\t--strict\t-t\tnull\t%s\n' "$name" "$trace"
	done <"$each/list" | run_lines "$each"
	while IFS=$'\t' read -r trace name; do
		cat <<-SQL
			.open $work/$name.db
			.output $each/$name.values
			SELECT r.snapshot, i.block, coalesce(i.name, ''), i.ordinal, r.counter, r.bytes, r.value
				FROM perflib_raw AS r JOIN perflib_instance AS i USING (trace_id, instance) ORDER BY r.rowid;
			.output
			SELECT 'finding', '$name', kind, sum(count), min(first_offset) FROM finding GROUP BY kind;
			SELECT 'damaged', '$name', count(*) > 0 FROM finding WHERE severity = 'damage';
		SQL
	done <"$each/list" | sqlite3 -batch >"$each/said" || fail "what was made"
	sed -n 's/^finding|//p' "$each/said" | sort >"$work/got"
	sed -n 's/^damaged|//p' "$each/said" >"$each/damaged"
	(cd "$work" && awk '{ name = FILENAME; sub(/\.planned$/, "", name); print name "|" $0 }' ./*.planned) | sed 's/^\.\///' | sort >"$work/wanted"
	same "other findings" "$work/wanted" "$work/got"
	# The exit status reports damage, and only that.
	while IFS='|' read -r name damaged; do
		same "$name: other values" "$work/$name.values" "$each/$name.values"
		read -r code <"$work/converted/$name.exit"
		read -r strict <"$each/$name.exit"
		[ "$code $strict" = "$((damaged * 3)) $damaged" ] || fail "$name: exit statuses $code, $strict with --strict"
	done <"$each/damaged"
	[ "$(wc -l <"$each/damaged")" -eq "$(wc -l <"$each/list")" ] || fail "not all was compared"
}

# perflib_values DATABASE SNAPSHOT: "counterset counter instance value" of the interval that
# ends with that snapshot, separated by tabs.
perflib_values() {
	sqlite3 -batch -separator $'\t' "$1" \
		"SELECT counterset_name, counter_name, coalesce(instance_name, ''), value FROM perflib_value WHERE to_snapshot = $2 AND value IS NOT NULL"
}

# near WHAT WANTED GOT: each "counter instance value" of WANTED is in GOT, to nine digits
near() {
	awk -F'\t' -v what="$1" 'NR == FNR { got[$1 "\t" $2] = $3; next }
		{ key = $1 "\t" $2; apart = got[key] - $3; least = $3 < 0 ? -$3 : $3; if (apart < 0) apart = -apart; seen++ }
		!(key in got) || apart > 1e-7 + 2e-9 * least { printf "%s: %s is %s, expected %s\n", what, key, got[key], $3; bad = 1 }
		END { exit bad || !seen }' "$3" "$2" >"$work/near" || fail "$(head -5 "$work/near")"
}

# broken FILE: its links whose target is not there
broken() {
	local link folder=${1%/*}
	grep -oE '\]\([^)]+\)|(src|srcset)="[^"]+"' "$1" | sed -E 's/^\]\(//; s/\)$//; s/^[a-z]+="//; s/"$//; s/#.*//' |
		grep -vE '^(https?:.*)?$' | while read -r link; do
		[ -f "$folder/$link" ] || printf '%s ' "$link"
	done
}
