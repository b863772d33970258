#!/bin/bash
# anonymize.sh: with --anonymize nothing that the plain conversion has of hosts, command
# lines and paths is left, numbers are the same, and equal texts stay equal; so for every
# sample, and for traces by others if they are there.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
doc=$PERFTAB_SOURCE/docs/anonymize.md

# The parts of paths that the document lets stay are those of the program.
awk '/^```/ { inside = !inside; plain = inside && $0 == "```"; next } plain' "$doc" | grep -oE '"[^"]+"|[^ ]+' | tr -d '"' | sort >"$work/public"
sed -n '/public_parts\[\] = {/,/^};/p' "$PERFTAB_SOURCE/lib/pipeline/anonymous_path.c" | tail -n +2 |
	grep -oE '"[^"]+"' | tr -d '"' | sort >"$work/public.c"
same "docs/anonymize.md does not list what stays" "$work/public" "$work/public.c"

# secrets: of each line "TRACE<tab>NAME" what the plain database has and the other must not, to $work/NAME/private;
# prints "NAME: PART" for each part of a path that is left
secrets() {
	awk -F'\t' -v work="$work" '
		function is_map(cell) { return cell ~ /^\[[A-Za-z0-9_.-]+\](_s?text)?$/ } # [vdso], [kernel.kallsyms]_text
		function parts_of(cell) { sub(/ \(deleted\)$/, "", cell); return split(cell, part, /[\/\\]/) }
		function stays(text) { return text == "" || tolower(text) in public || text ~ /^(HarddiskVolume[0-9]+|[A-Za-z]:)$/ }
		function is_token(text) { return text ~ /^(p|user|host)[0-9]+(\..*)?$/ }
		function add_private(cell, i, n) {
			if (length(cell) <= 3 || is_map(cell) || cell in names || cell in seen ||
			    cell ~ /^S-1-(0-0|1-0|5-(18|19|20))$/) return
			n = parts_of(cell)
			for (i = 1; i <= n; i++)
				if (!stays(part[i])) { seen[cell]; print cell >(of "/private"); return }
		}
		BEGIN { while ((getline line <(work "/public")) > 0) public[tolower(line)] }
		{
			of = work "/" $2
			split("", names); split("", seen); split("", was)
			while ((getline line <(of "/names")) > 0) names[line]
			printf "" >(of "/private")
			while ((getline line <(of "/cells")) > 0) {
				add_private(line)
				for (i = is_map(line) ? 0 : parts_of(line); i > 0; i--) was[part[i]]
			}
			while ((getline line <(of "/facts")) > 0) add_private(line)
			while ((getline line <(of "/cells.anonymous")) > 0)
				for (i = is_map(line) ? 0 : parts_of(line); i > 0; i--)
					if (part[i] in was && !stays(part[i]) && !is_token(part[i])) print $2 ": " part[i]
			close(of "/names"); close(of "/private"); close(of "/cells"); close(of "/facts"); close(of "/cells.anonymous")
		}'
}

paths="trace.path mmap.filename build_id.filename cgroup.path etw_image.filename"
facts="trace.host trace.command process.command build_id.build_id mmap.build_id etw_process.sid etw_process.command
	etw_process.package etw_process.application_id"

# selects TABLE.COLUMN...: statements for their values
# shellcheck disable=SC2046 # words
selects() { printf 'SELECT DISTINCT %s FROM %s;\n' $(printf '%s\n' "$@" | sed -E 's/(.*)\.(.*)/\2 \1/'); }

# For the shell of SQLite, once for all traces; the file "numbers.sql" is made for each: all integers of all tables.
# shellcheck disable=SC2086 # words
{
	selects $paths >"$work/paths.sql"
	selects $facts >"$work/facts.sql"
	echo "SELECT value FROM header_fact WHERE key IN ('HOSTNAME', 'CMDLINE');" >>"$work/facts.sql"
}
cat >"$work/list-numbers.sql" <<-SQL
	SELECT 'SELECT ' || quote(t.name) || ', ' || (SELECT group_concat('"' || c.name || '"', ', ')
		FROM pragma_table_info(t.name) AS c WHERE c.type = 'INTEGER') || ' FROM "' || t.name || '" ORDER BY rowid;'
		FROM sqlite_schema AS t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%';
SQL

# both_each: of each line "TRACE<tab>NAME" makes $work/NAME.plain.db and $work/NAME.db, and what they hold below
# $work/NAME; $work/made has the lines of those that are traces
both_each() {
	local trace name plain anonymous
	mkdir -p "$work/converted"
	cat >"$work/given"
	while IFS=$'\t' read -r trace name; do
		printf '%s\tperftab-convert\t%s\t-o\t%s\n' "$name.plain" "$trace" "$work/$name.plain.db"
	done <"$work/given" | (delivered_programs && run_lines "$work/converted")
	while IFS=$'\t' read -r trace name; do
		printf '%s\tperftab-convert\t--anonymize\t%s\t-o\t%s\n' "$name" "$trace" "$work/$name.db"
	done <"$work/given" | run_lines "$work/converted"
	while IFS=$'\t' read -r trace name; do
		read -r plain <"$work/converted/$name.plain.exit"
		read -r anonymous <"$work/converted/$name.exit"
		[ "$plain" = "$anonymous" ] || fail "$name: exit status $anonymous, plain is $plain: $(head -2 "$work/converted/$name.err")"
		[ "$plain" = 1 ] || printf '%s\t%s\n' "$trace" "$name"
	done <"$work/given" >"$work/made"
	cut -f2 "$work/made" | (cd "$work" && xargs -r mkdir)
	# Names of processes stay, also where they are the whole command line.
	while IFS=$'\t' read -r trace name; do
		short_text <<-SQL
			.open $work/$name.plain.db
			.output $work/$name/cells
			.read $work/paths.sql
			.output $work/$name/facts
			.read $work/facts.sql
			.output $work/$name/names
			SELECT name FROM (SELECT name FROM process UNION SELECT name FROM thread) WHERE name <> '';
			.output $work/numbers.sql
			.read $work/list-numbers.sql
			.output $work/$name/numbers.plain
			.read $work/numbers.sql
			.open $work/$name.db
			.output $work/$name/cells.anonymous
			.read $work/paths.sql
			.output $work/$name/dump
			.dump
			.output $work/numbers.sql
			.read $work/list-numbers.sql
			.output $work/$name/numbers.anonymous
			.read $work/numbers.sql
			.output $work/$name/sound
			PRAGMA integrity_check;
			PRAGMA foreign_key_check;
			SELECT 'a finding without words: ' || kind FROM finding WHERE text = '';
		SQL
	done <"$work/made" | sqlite3 -batch 2>"$work/err"
	# A table may be missing.
	grep -v 'no such table' "$work/err" >"$work/ask.err" && fail "what databases hold: $(head -2 "$work/ask.err")"
	secrets <"$work/made" | sort -u >"$work/left"
	[ ! -s "$work/left" ] || fail "parts of paths are left: $(head -3 "$work/left" | tr '\n' ' ')"
	while IFS=$'\t' read -r trace name; do hidden "$name"; done <"$work/made"
}

# hidden NAME: no secret is in the other database, and all numbers are
hidden() {
	local of=$work/$1 name=$1
	# And in what lies unused in its pages.
	[ ! -s "$of/private" ] || ! grep -ahoF -f "$of/private" "$of/dump" "$work/$name.db" >"$work/left" ||
		fail "$name: left: $(sort -u "$work/left" | head -3 | tr '\n' ' ')"
	[ "$(<"$of/sound")" = ok ] || fail "$name: $(head -3 "$of/sound")"
	same "$name: numbers differ" "$of/numbers.plain" "$of/numbers.anonymous"
	[ -s "$of/numbers.plain" ] || fail "$name: no numbers"
}

for trace in "$PERFTAB_SOURCE"/sample-traces/*/*.{data,etl,txt}; do
	[ ! -e "$trace" ] || printf '%s\t%s\n' "$trace" "${trace##*/}"
done >"$work/samples"
both_each <"$work/samples"
cmp -s "$work/samples" "$work/made" || fail "not converted: $(comm -23 <(sort "$work/samples") <(sort "$work/made"))"
while IFS=$'\t' read -r trace name; do
	[ -s "$work/$name/private" ] || fail "$name: holds nothing to hide"
	for form in --csv "--csv --by thread" "--csv --by cpu" "--check --csv"; do
		# A thread called "main, loop": it may be a title.
		case $name:$form in good-dump.txt:*thread) ;; *) printf '%s\t%s\t%s\t%s\n' "$name" "$work/$name.plain.db" "$work/$name.db" "$form" ;; esac
	done
done <"$work/samples" | alike_each
# By the other loader, and as CSV.
while IFS=$'\t' read -r trace name; do
	printf '%s\tperftab-convert\t--anonymize\t--loader\tsql\t%s\t-o\t%s\n' "$name.sql" "$trace" "$work/$name.sql.db"
done <"$work/samples" | run_lines "$work/converted"
while IFS=$'\t' read -r trace name; do
	printf '%s\n' ".open $work/$name.db" ".output /dev/null" "SELECT * FROM context_switch_named; SELECT * FROM process_bill;" \
		"SELECT * FROM finding_sorted;" ".open $work/$name.sql.db" ".output $work/$name/inserted" .dump
done <"$work/samples" | sqlite3 -batch 2>"$work/err"
[ ! -s "$work/err" ] || fail "a view fails: $(head -3 "$work/err")"
while IFS=$'\t' read -r trace name; do
	printf '%s: loaders differ\t%s\t%s\n' "$name" "$work/$name/dump" "$work/$name/inserted"
done <"$work/samples" | rows_each
tables_each --anonymize <"$work/samples"

# Several inputs: what was the same is the same, what was not is not.
set -- "$PERFTAB_SOURCE"/sample-traces/perf/good-{threads,switch-group,plain-sampling}.data
status 0 "three, plain" perftab-convert "$@" -o "$work/three.plain.db"
status 0 "three" perftab-convert --anonymize "$@" -o "$work/three.db"
sound three
holds "three: hosts" "$work/three.db" "1 3" "SELECT count(DISTINCT host) || ' ' || count(host) FROM trace"
for cell in mmap.filename mmap.build_id build_id.filename build_id.build_id trace.path trace.command comm.name header_fact.key; do
	holds "three: $cell is not one to one" "$work/three.db" 1 "ATTACH '$work/three.plain.db' AS plain;
		SELECT count(DISTINCT was) = count(DISTINCT became) AND count(DISTINCT was) = count(DISTINCT was || x'00' || became)
		FROM (SELECT p.${cell#*.} AS was, a.${cell#*.} AS became FROM plain.${cell%.*} AS p JOIN main.${cell%.*} AS a ON a.rowid = p.rowid)"
done

# Names: none is left, and the bill adds up by name.
status 0 "names" perftab-convert --anonymize-names "$@" -o "$work/names.db"
sound names
holds "names: some are left" "$work/names.db" '' "SELECT name FROM (SELECT name FROM thread UNION SELECT name FROM process UNION SELECT name FROM comm)
	WHERE name NOT GLOB 'process[0-9]*' AND name NOT GLOB 'swapper*'"
bill="SELECT count(*), sum(switches), sum(on_cpu_ns) FROM process_bill WHERE process NOT LIKE '(%' GROUP BY process ORDER BY 1, 2, 3"
sql "$work/three.db" "$bill" >"$work/by-name"
sql "$work/names.db" "$bill" >"$work/by-token"
same "names: the bill does not add up by name" "$work/by-name" "$work/by-token"
[ "$(wc -l <"$work/by-name")" -gt 5 ] || fail "names: no bill"

# The name of a user hides the process of that name, also where the path comes later; from a pipe
# that is refused.
make_trace names "$work" || fail "make_trace names"
status 0 "nasty names" perftab-convert --anonymize "$work/names.data" -o "$work/nasty.db"
sound nasty
mkdir -p "$work/home/sleep" && cp "$1" "$work/home/sleep/x.data"
status 0 "a user" perftab-convert --anonymize "$work/home/sleep/x.data" -o "$work/user.db"
holds "the user's name is left" "$work/user.db" 0 "SELECT count(*) FROM comm WHERE name = 'sleep'"
[ "$(sql "$work/user.db" "SELECT count(*) FROM comm WHERE name GLOB 'process[0-9]*'")" -gt 0 ] || fail "the user's name has no token"
grep -q 'home/user1/' <<<"$(sql "$work/user.db" 'SELECT path FROM trace')" || fail "the user has no token"
status 0 "standard input" perftab-convert --anonymize - -o "$work/stdin.db" <"$1"
holds "standard input" "$work/stdin.db" '-|host1' 'SELECT path, host FROM trace'

mkdir "$work/pipe" "$work/dir"
make_trace --form pipe basic "$work/pipe" || fail "make_trace --form pipe"
make_trace --form dir basic "$work/dir" || fail "make_trace --form dir"
status 0 "a pipe" perftab-convert --anonymize - -o "$work/pipe.db" < <(cat "$work/pipe/basic.data")
status 0 "a directory" perftab-convert --anonymize "$work/dir/basic.data" -o "$work/dir.db"
for form in pipe dir; do
	holds "$form: host and command" "$work/$form.db" 'host1|command1' 'SELECT host, command FROM trace'
done

# A list of what stays: nothing of the machine or its users, and every name.
status 0 "--list --anonymize" perftab-convert --list --anonymize "$1"
grep -q '^host  *host1$' "$work/out" || fail "--list --anonymize: $(grep '^host' "$work/out")"
grep -q '^command  *command1$' "$work/out" || fail "--list --anonymize: $(grep '^command' "$work/out")"
status 0 "--list --anonymize --json" perftab-convert --list --anonymize --json "$1"
perftab-convert -f --anonymize "$1" -o "$work/kept.db"
holds "--list --anonymize: other names than in the database" "$work/kept.db" '' "WITH kept AS
	(SELECT value AS name FROM json_each(readfile('$work/out'), '\$.inputs[0].kept_names'))
	SELECT group_concat(name) FROM (SELECT name FROM process UNION SELECT name FROM thread UNION SELECT name FROM comm)
	WHERE name NOT IN kept AND name NOT GLOB 'process[0-9]*' AND name NOT GLOB 'swapper*' AND name <> ''"
[ "$(sql :memory: "SELECT json_array_length(readfile('$work/out'), '\$.inputs[0].kept_names')")" -gt 5 ] || fail "--list --anonymize: no names"
status 0 "--list --anonymize-names" perftab-convert --list --anonymize-names "$1"
grep -q '^Names of processes and threads that stay: 0$' "$work/out" || fail "--list --anonymize-names: names stay"
reports 1 "no such input" none perftab-convert --anonymize "$work/none" -o "$work/x.db"
[ ! -e "$work/x.db" ] || fail "no such input: an output is left"

# Traces by others, of other machines than ours.
delivered_programs
if [ -n "${PERFTAB_CORPUS:-}" ]; then
	n=0
	while read -r trace; do
		printf '%s\tcorpus%d\n' "$trace" $((n++))
	done < <(find -H "$PERFTAB_CORPUS" -path "$PERFTAB_CORPUS/lab" -prune -o -type f -size -600k \( -name '*.data' -o -name '*.perf' -o -name '*perf.data*' -o -name '*.etl' \) -print | sort) |
		both_each
	[ "$(wc -l <"$work/made")" -ge 50 ] || fail "only $(wc -l <"$work/made") traces of others were compared"
fi
finish
