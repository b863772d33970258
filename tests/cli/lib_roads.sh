# lib_roads.sh - a trace by several roads: perftab-analyze of it and of its database, and its tables as CSV, say the
# same.  Sourced by lib.sh.  What ends in _each does it for many traces, with few starts of processes.

# run_lines [--together] FOLDER: each line of standard input, as run_each has it
run_lines() {
	local folder=${*: -1} name
	local -a words
	if ! under_wine; then
		run_each "$@" || fail "run_each"
		return
	fi
	while IFS=$'\t' read -r -a words; do
		name=${words[0]}
		if [ $# -eq 1 ]; then
			"${words[@]:1}" >"$folder/$name.out" 2>"$folder/$name.err" </dev/null
		else
			"${words[@]:1}" >"$folder/$name.out" 2>&1 </dev/null
		fi
		echo $? >"$folder/$name.exit"
	done
}

# rows_each: of each line "WHAT<tab>WANTED<tab>GOT" two files of CSV have the same header and the same rows, in
# any order; a bill's line "(with idle)" is not planned
rows_each() {
	local what text
	awk -F'\t' '
		function says(text) { if (++said <= 10) print what "\t" text }
		{
			what = $1; said = 0; header = ""
			split("", wanted)
			while ((getline row <$2) > 0) { if (header == "") header = row; wanted[row]++ }
			first = header != ""
			if (!first) says("no header in " $2)
			while ((getline row <$3) > 0) {
				if (first && row != header) says("the header is " row ", expected " header)
				first = 0
				if (wanted[row] > 0) wanted[row]--
				else if (row !~ /^\(with idle\),/) says("not planned: " row)
			}
			for (row in wanted) if (wanted[row] > 0) says("missing: " row)
			close($2); close($3)
		}' >"$work/rows.differ"
	while IFS=$'\t' read -r what text; do fail "$what: $text"; done <"$work/rows.differ"
}

# same_rows WHAT WANTED GOT
same_rows() { printf '%s\t%s\t%s\n' "$@" | rows_each; }

# planned_each: of each line "WHAT<tab>EXIT<tab>WANTED<tab>TRACE<tab>OPTIONS" perftab-analyze ends so, says nothing
# else if that is 0, and prints the rows of the file WANTED
planned_each() {
	local each=$work/planned what code wanted trace options n=0 got
	rm -rf "$each"
	mkdir "$each"
	cat >"$each/list"
	while IFS=$'\t' read -r what code wanted trace options; do
		n=$((n + 1))
		printf '%d\tperftab-analyze\t%s\t%s\n' $n "${options// /$'\t'}" "$trace"
	done <"$each/list" | run_lines "$each"
	n=0
	while IFS=$'\t' read -r what code wanted trace options; do
		n=$((n + 1))
		read -r got <"$each/$n.exit"
		[ "$got" = "$code" ] || fail "$what: analyze $options: exit status $got, expected $code: $(head -2 "$each/$n.err")"
		[ "$code" != 0 ] || [ ! -s "$each/$n.err" ] || fail "$what: analyze $options: says $(head -2 "$each/$n.err")"
		printf '%s: analyze %s is not what was planned\t%s\t%s\n' "$what" "$options" "$wanted" "$each/$n.out"
	done <"$each/list" | rows_each
	[ -s "$each/list" ] || fail "nothing was planned"
}

# alike WHAT TRACE OTHER OPTIONS...: perftab-analyze prints the same of both, to $work/trace.out
alike() {
	local what=$1 trace=$2 db=$3
	shift 3
	perftab-analyze "$@" "$trace" >"$work/trace.out" 2>/dev/null
	perftab-analyze "$@" "$db" >"$work/db.out" 2>/dev/null
	same "$what: analyze $*: inputs differ" "$work/trace.out" "$work/db.out"
}

# alike_each: the same for each line "WHAT<tab>TRACE<tab>OTHER<tab>OPTIONS", and they end alike; something is printed,
# but for intervals of a trace that has no times.  What line N printed is in $work/alike/trace/N.out.
alike_each() {
	local each=$work/alike what trace other options empty n=0
	rm -rf "$each"
	mkdir -p "$each/trace" "$each/other"
	cat >"$each/list"
	while IFS=$'\t' read -r what trace other options; do
		n=$((n + 1))
		printf '%s/%d\tperftab-analyze\t%s\t%s\n' \
			trace $n "${options// /$'\t'}" "$trace" other $n "${options// /$'\t'}" "$other"
	done <"$each/list" | run_lines "$each"
	[ -s "$each/list" ] || fail "nothing to compare"
	for empty in $(find "$each/trace" -name '*.out' -size 0 -printf '%f\n'); do
		n=${empty%.out}
		IFS=$'\t' read -r what trace other options < <(sed -n "$n{p;q}" "$each/list")
		[[ $options == *--interval* && $(<"$each/trace/$n.err") == *'the trace has no times'* ]] ||
			fail "$what: analyze $options: nothing printed"
	done
	diff -rq -x '*.err' "$each/trace" "$each/other" >"$each/differ" && return
	n=0
	while IFS=$'\t' read -r what trace other options; do
		n=$((n + 1))
		same "$what: analyze $options: inputs differ" "$each/trace/$n.out" "$each/other/$n.out"
		same "$what: analyze $options: exit statuses" "$each/trace/$n.exit" "$each/other/$n.exit"
	done <"$each/list"
}

# forms_of every...|few...: options of perftab-analyze: every form, or those that together show all that is counted
forms_of() {
	local form options
	while read -r form options; do
		[[ $1 != few* ]] || [ "$form" = few ] || continue
		echo "$options"
	done <<-'OPTIONS'
		all --by process
		all --top 1
		few --top 3 --metrics
		all --by thread
		all --by cpu
		all --by process --csv --metrics
		few --by thread --csv --unproven switched-out
		all --by thread --csv --with-idle thread
		few --by cpu --csv
		all --by comm
		all --by comm --csv --metrics
		all --by tree
		few --by tree --csv
		all --by tree --json
		all --by process --csv --interval 13ms
		all --by cpu --csv --cpu 0,2-3
		few --json --metrics
		all --by thread --json --unproven switched-out --top 3
		all --check
		few --check --csv
	OPTIONS
}

# roads_each: of each line "TRACE<tab>NAME<tab>every|few [window] [tables]" the trace and its database, which is
# consistent, give the same bytes in these forms; within a window of time as well; CSV tables equal SQL tables.  By
# delivered programs: for traces that those with sanitizers read, too.
roads_each() (
	list=$work/roads n=0
	declare -A window
	cat >"$list"
	delivered_programs
	convert_each <"$list"
	sound_each <"$list"
	while IFS='|' read -r name from to; do window[$name]="--from $from --to $to"; done <"$work/windows"
	while IFS=$'\t' read -r trace name wanted; do
		mapfile -t forms < <(forms_of "${wanted:-every}")
		[[ " $wanted " != *' window '* ]] ||
			forms+=("--by thread --csv ${window[$name]-}" "--check ${window[$name]-}")
		for form in "${forms[@]}"; do printf '%s\t%s\t%s\t%s\n' "$name" "$trace" "$work/$name.db" "$form"; done
	done <"$list" | alike_each
	while IFS=$'\t' read -r name _ _ form; do
		n=$((n + 1))
		[[ $form != '--check --from'* ]] || echo "$work/alike/trace/$n.out"
	done <"$work/alike/list" | xargs -r grep -lw NO >"$work/unbalanced"
	[ ! -s "$work/unbalanced" ] || fail "a window does not balance: $(xargs -n 1 head -30 <"$work/unbalanced")"
	first_ones_each <"$list"
	grep ' tables$' "$list" >"$work/with-tables" && tables_each <"$work/with-tables"
	true
)

# convert_each: of each line "TRACE<tab>NAME" the database $work/NAME.db
convert_each() {
	local trace name each=$work/converted
	rm -rf "$each"
	mkdir "$each"
	while IFS=$'\t' read -r trace name _; do
		[ ! -e "$work/$name.db" ] || rm "$work/$name.db"
		printf '%s\tperftab-convert\t%s\t-o\t%s\n' "$name" "$trace" "$work/$name.db"
	done | run_lines "$each"
}

# sound_each: of each line "TRACE<tab>NAME" the database is consistent; its middle third goes to $work/windows,
# "NAME|first ns|last ns"
sound_each() {
	local name integrity broken from to
	local -a names
	mapfile -t names < <(cut -f2)
	for name in "${names[@]}"; do
		printf ".open '%s'\nSELECT '%s', (SELECT group_concat(integrity_check, '; ') FROM pragma_integrity_check),
			(SELECT count(*) FROM pragma_foreign_key_check),
			first_ns + (last_ns - first_ns) / 3, first_ns + (last_ns - first_ns) * 2 / 3 FROM trace;\n" "$work/$name.db" "$name"
	done | sqlite3 -batch >"$work/sound" 2>"$work/err"
	[ ! -s "$work/err" ] || fail "databases: $(head -3 "$work/err")"
	while IFS='|' read -r name integrity broken from to; do
		[ "$integrity $broken" = "ok 0" ] || fail "$name: integrity_check: $integrity; foreign_key_check: $broken rows"
		[ -z "$from" ] || echo "$name|$from|$to"
	done <"$work/sound" >"$work/windows"
	[ "$(wc -l <"$work/sound")" -ge "${#names[@]}" ] || fail "not all databases have a trace: ${names[*]}"
}

# sound NAME: one database, $work/NAME.db
sound() { printf 'none\t%s\n' "$1" | sound_each; }

# two_roads TRACE NAME [every|few [window] [tables]]: one trace
two_roads() { printf '%s\t%s\t%s\n' "$1" "$2" "${*:3}" | roads_each; }

# first_ones_each: of each line "TRACE<tab>NAME" a bill of the first processes alone is that of all with --sort, by
# threads; the column that it is sorted by is mostly that of the trace before.  Estimates by sample have a column of
# their own.
first_ones_each() {
	local each=$work/first trace name column=on_cpu_ns n=0
	local -a traces names sorted
	rm -rf "$each"
	mkdir "$each"
	[ ! -e "$work/first_column" ] || IFS= read -r column <"$work/first_column"
	while IFS=$'\t' read -r trace name _; do
		traces[++n]=$trace names[n]=$name
		printf '%s\tperftab-analyze\t--top\t2%s\t%s\n' "$n.top" '' "$trace" "$n.by.0" $'\t--sort\t'"$column" "$trace"
	done >"$each/lines"
	run_lines "$each" <"$each/lines"
	others >"$each/left"
	[ -s "$each/left" ] || return 0
	while read -r n; do
		printf '%s\tperftab-analyze\t--csv\t%s\n' "$n.all" "${traces[n]}"
	done <"$each/left" | run_lines "$each"
	mapfile -t sorted < <(header_cells "$each"/*.all.out)
	for column in "${!sorted[@]}"; do
		IFS=$'\t' read -r n name <<<"${sorted[column]}"
		printf '%s\tperftab-analyze\t--top\t2\t--sort\t%s\t%s\n' "$n.by.$((column + 1))" "$name" "${traces[n]}"
	done >"$each/lines"
	run_lines "$each" <"$each/lines"
	others >"$each/left"
	while read -r n; do fail "${names[n]}: --top 2 is not the bill with --sort"; done <"$each/left"
	[ -e "$each/column" ] || return 0
	read -r n <"$each/column"
	echo "${sorted[n - 1]#*$'\t'}" >"$work/first_column"
}

# others: numbers of traces whose first ones are those of no column; the last column that was found goes to a file
others() {
	grep -l '^Sampled' "$work"/first/*.top.out >"$work/first/estimates"
	find "$work/first" -name '*.top.out' ! -size 0 -o -name '*.by.*.out' | sort | xargs md5sum |
		awk -v folder="$work/first" '
			BEGIN { while ((getline path <(folder "/estimates")) > 0) skip[path] = 1 }
			{ split(substr($2, length(folder) + 2), part, ".") }
			part[2] == "top" { if (!($2 in skip)) first[part[1]] = $1; next }
			{ by[part[1], $1] = part[3] }
			END {
				for (n in first) {
					if (!((n, first[n]) in by)) print n
					else if (by[n, first[n]] > 0) print by[n, first[n]] >(folder "/column")
				}
			}'
}

# header_cells FILE...: "NUMBER<tab>CELL" for each of the first line of a file NUMBER.all.out
header_cells() {
	awk 'FNR == 1 {
			n = FILENAME; sub(/.*\//, "", n); sub(/\..*/, "", n)
			while (match($0, /^("([^"]|"")*"|[^,"]+)/)) {
				cell = substr($0, 1, RLENGTH); $0 = substr($0, RLENGTH + 2)
				if (gsub(/^"|"$/, "", cell)) gsub(/""/, "\"", cell)
				print n "\t" cell
			}
			nextfile
		}' "$@"
}

# tables_each [OPTION...]: of each line "TRACE<tab>NAME" the CSV tables of a conversion with these options, to
# $work/tables/csv/NAME.csv, equal those of the database row for row.  SQLite reads the CSV back, so that another program
# judges the quoting.
tables_each() {
	local each=$work/tables trace name table rows columns dir options=
	[ $# -eq 0 ] || printf -v options '\t%s' "$@"
	rm -rf "$each"
	mkdir -p "$each/converted" "$each/sql" "$each/csv" "$each/views"
	cat >"$each/list"
	while IFS=$'\t' read -r trace name _; do
		mkdir "$each/sql/$name.csv" "$each/views/$name.csv"
		printf '%s\tperftab-convert%s\t--to\tcsv\t-o\t%s\t%s\n' "$name" "$options" "$each/csv/$name.csv" "$trace"
	done <"$each/list" | run_lines "$each/converted"
	while IFS=$'\t' read -r trace name _; do columns_of "$name"; done <"$each/list" | sqlite3 -batch || fail "columns of tables"
	# shellcheck disable=SC2094 # names
	while IFS=$'\t' read -r trace name _; do
		dir=$each/csv/$name.csv
		printf '.open "%s"\n%s\n' "$work/$name.db" "ATTACH ':memory:' AS csv;"
		while IFS='|' read -r table rows columns; do
			if [ "$rows" -eq 0 ]; then
				[ ! -e "$dir/$table.csv" ] || fail "$name: $table.csv: there are no rows"
				continue
			fi
			[ -e "$dir/$table.csv" ] || { fail "$name: no $table.csv"; continue; }
			printf '%s\n' ".import --csv --schema csv \"$dir/$table.csv\" \"$table\"" ".mode list" ".headers off" \
				"SELECT '$name: $table: rows differ in number' WHERE (SELECT count(*) FROM csv.\"$table\") <> $rows;" \
				".mode csv" ".headers on" ".once \"$each/sql/$name.csv/$table.csv\"" "SELECT $columns FROM \"$table\";"
		done <"$each/$name.columns"
		# Those that are joined are the views of that name.
		for table in process_bill context_switch_named; do
			printf '%s\n' ".once $each/views/$name.csv/$table.csv" "SELECT * FROM $table;"
		done
	done <"$each/list" >"$each/ask.sql"
	sqlite3 -batch <"$each/ask.sql" >"$each/said" 2>&1
	[ ! -s "$each/said" ] || fail "tables: $(head -3 "$each/said")"
	# Quotes of cells that do not need them are a matter of taste.
	find "$each" -name '*.csv' -type f -exec sed -E -i 's/\r$//; s/"([^",]*)"/\1/g' {} +
	(cd "$each/sql" && find . -type f -exec md5sum {} + >"$each/sums" && cd "$each/csv" &&
		md5sum --quiet -c "$each/sums" >"$each/differ" 2>&1) || fail "CSV and SQL differ: $(head -5 "$each/differ")"
	while IFS=$'\t' read -r trace name _; do
		for table in process_bill context_switch_named; do
			if [ -s "$each/views/$name.csv/$table.csv" ]; then
				printf '%s\t%s\t%s\n' "$name: $table.csv is not the view" "$each"/{views,csv}/"$name.csv/$table.csv"
			else
				[ ! -e "$each/csv/$name.csv/$table.csv" ] || fail "$name: $table.csv: there are no rows"
			fi
		done
	done <"$each/list" | rows_each
}

# columns_of NAME: for the shell of SQLite: "table|rows|columns" of each table of $work/NAME.db to
# $work/tables/NAME.columns; blobs are hexadecimal in CSV
columns_of() {
	short_text <<-END
		.open "$work/$1.db"
		.once "$work/tables/ask.sql"
		SELECT group_concat('SELECT ' || quote(t.name) || ', count(*), ' ||
			quote((SELECT group_concat(CASE c.type WHEN 'BLOB'
				THEN 'lower(hex("' || c.name || '")) AS "' || c.name || '"'
				ELSE '"' || c.name || '"' END, ', ') FROM pragma_table_info(t.name) AS c)) ||
			' FROM "' || t.name || '"', ' UNION ALL ') || ';' FROM sqlite_schema AS t WHERE t.type = 'table';
		.once "$work/tables/$1.columns"
		.read "$work/tables/ask.sql"
	END
}

# tables TRACE NAME [OPTION...]: one trace
tables() { printf '%s\t%s\n' "$1" "$2" | tables_each "${@:3}"; }
