#!/bin/bash
# sandbox.sh: a reader, or a library, that a trace makes open files, sockets or programs can do so
# without the sandbox only; and what conversions need is left.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
mkdir made elsewhere
echo mine >elsewhere/file
echo 'PLANTED code' >trace
planted-convert --list -v trace 2>&1 | grep -E 'sandbox: ' && skip "this kernel has no whole sandbox"
# Where the host itself refuses io_uring there is nothing to see.
echo 'PLANTED ring' >trace
acts="read:/etc/passwd write:$work/elsewhere/new write:$work/elsewhere/file folder:/etc remove:$work/elsewhere/file
	socket program:/bin/true fork signal code"
planted-convert --no-sandbox --list trace 2>&1 | grep -q succeeded && acts="$acts ring"

page=('planted-analyze --html made/page.html')
sample=$PERFTAB_SOURCE/sample-traces/perf/good-threads.data
perftab-analyze --html old.html "$sample" >talk 2>&1 || page=() # built without pages

# tries WHAT ANSWER COMMAND...: the planted reader's act comes to that
tries() {
	local what=$1 answer=$2
	shift 2
	"$@" >talk 2>&1
	grep -qE -- "$answer" talk || fail "$what: $*: expected '$answer', got: $(head -2 talk)"
}

for act in $acts; do
	case $act in
	*:*) echo "PLANTED ${act%%:*} ${act#*:}" >trace ;;
	*) echo "PLANTED $act" >trace ;;
	esac
	for command in 'planted-convert -o made/t.db' 'planted-convert --to csv -o made/t' 'planted-convert --anonymize -o made/t.db' \
		'planted-convert --to parquet -o made/p' 'planted-convert --list' 'planted-convert --to null' planted-analyze \
		'planted-analyze --json' "${page[@]}" 'planted-analyze --sql SELECT(1)FROM(thread)'; do
		# shellcheck disable=SC2086
		tries "$act" ': (Permission denied|Operation not permitted|Function not implemented)$' $command trace
	done
	[ "$(cat elsewhere/file)" = mine ] && [ ! -e elsewhere/new ] || fail "$act: outside the sandbox something changed"
	# The same without: so the test can fail.
	case $act in program:*) continue ;; esac # does not come back
	for command in 'planted-convert --list' planted-analyze 'planted-analyze --sql SELECT(1)FROM(thread)'; do
		# shellcheck disable=SC2086
		tries "$act" succeeded $command --no-sandbox trace
		echo mine >elsewhere/file
		rm -f elsewhere/new
	done
done
echo 'PLANTED program /bin/echo' >trace
planted-convert --no-sandbox --list trace >talk 2>&1 || fail "program, without the sandbox: $(cat talk)"

# --- the same in a library ---

gzip -c "$sample" >packed.gz
perftab-convert packed.gz --to csv -o wanted || fail "no tables to compare with"

# library WHAT ANSWER COMMAND...: inflate() is the planted one, and still decodes
library() {
	local what=$1 answer=$2
	shift 2
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" PLANTED=$what \
		LD_PRELOAD=$PERFTAB_BIN/tests/sandbox/planted.so "$@" >out 2>talk || fail "library: $what: $*: exit status $?"
	grep -qxE -- "planted: ${what%% *}: $answer" talk || fail "library: $what: $*: expected '$answer', got: $(head -2 talk)"
}

if ldd "$(command -v perftab-convert)" 2>talk | grep -q libz; then
	for act in "read /etc/passwd" "write $work/elsewhere/new" "write $work/elsewhere/file" "folder /etc" \
		"remove $work/elsewhere/file" socket "program /bin/true" fork signal code; do
		rm -rf made/t
		library "$act" '(Permission denied|Operation not permitted)' perftab-convert --to csv -o made/t packed.gz
		diff -r wanted made/t >diff || fail "library: $act: other tables: $(head -2 diff)"
		library "$act" '(Permission denied|Operation not permitted)' perftab-analyze packed.gz
		[ "$(cat elsewhere/file)" = mine ] && [ ! -e elsewhere/new ] || fail "library: $act: something changed"
		# The same without: so the test can fail.
		case $act in program*) continue ;; esac # does not come back
		library "$act" succeeded perftab-analyze --no-sandbox packed.gz
		echo mine >elsewhere/file
		rm -f elsewhere/new
	done
else
	echo "zlib is part of the programs: no library was planted"
fi

# What is needed works: inputs and outputs elsewhere, folders, pipes, links, temporaries.
cp "$sample" in.data
ln -s in.data link.data
mkdir deep
status 0 "a link, an output elsewhere" perftab-convert link.data -o deep/o.db
status 0 "over it" perftab-convert -f "$work/link.data" -o "$work/deep/o.db"
status 0 "tables over tables" perftab-convert in.data --to csv -o deep/t
status 0 "tables over tables" perftab-convert -f in.data --to csv -o deep/t/
status 0 "through /dev/stdin" perftab-analyze /dev/stdin <in.data
status 0 "standard input" perftab-convert - -o deep/i.db <in.data
status 0 "several inputs" perftab-convert in.data "$sample" -o deep/two.db
# What a daemon starts may have no standard files: SQLite refuses their numbers for its own.  Use of them fails.
for closed in 0 1 2; do
	status 0 "descriptor $closed closed" bash -c 'eval "exec $1>&-"; exec perftab-convert -f -o deep/two.db in.data' - $closed
done
status 0 "--sql, no standard input" perftab-analyze --sql 'SELECT count(*) > 0 AS n FROM thread' in.data <&-
same "--sql, no standard input" <(printf 'n\n1\n') "$work/out"
reports 1 "no standard output" "cannot write to standard output: Bad file descriptor" bash -c 'exec perftab-analyze in.data >&-'
reports 1 "no standard input" "standard input: cannot read at 0x0: Bad file descriptor" bash -c 'exec perftab-analyze - <&-'
status 0 "a database, sorted in a file" env TMPDIR="$work" perftab-analyze --sql \
	"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 300000) SELECT x, hex(zeroblob(50)) AS pad FROM c ORDER BY pad, x DESC" deep/o.db
[ "$(wc -l <"$work/out")" -eq 300001 ] || fail "a database, sorted in a file: $(wc -l <"$work/out") lines"
make_trace --switches 60000 everything "$work" || fail "make_trace"
status 0 "indexes, sorted in a file" perftab-convert --loader sql --memory 16 everything.data -o deep/e.db
status 0 "indexes, sorted in runs" perftab-convert --memory 16 everything.data -o deep/r.db
[ "$(ls -A deep)" = "$(printf '%s\n' e.db i.db o.db r.db t two.db)" ] || fail "left over: $(ls -A deep)"
finish
