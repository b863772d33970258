#!/bin/bash
# library.sh: libperftab as a program uses it: what it exports, header, example, pkg-config, and
# that no trace ends the program.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
library=$shared/libperftab.so
[ -e "$library" ] || fail "no $library"
header=$PERFTAB_SOURCE/include/perftab/perftab.h
samples=("$PERFTAB_SOURCE"/sample-traces/*/{good,bad}-*)
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no C compiler"

# --- the header, alone, in C11 and C++17 ---

printf '#include <perftab/perftab.h>\nstruct perftab_options options = PERFTAB_OPTIONS;\n' >"$work/alone.c"
cp "$work/alone.c" "$work/alone.cpp"
warnings=(-Wall -Wextra -Wpedantic -Werror "-I$PERFTAB_SOURCE/include" -c -o "$work/alone.o")
status 0 "the header in C11" "$cc" -std=c11 -Wstrict-prototypes "${warnings[@]}" "$work/alone.c"
if command -v g++ >/dev/null; then
	status 0 "the header in C++17" g++ -std=c++17 "${warnings[@]}" "$work/alone.cpp"
fi
[ "$(wc -l <"$header")" -le 220 ] || fail "the header has $(wc -l <"$header") lines"

# --- symbols: those of the header and no others; nothing that a library must not call ---

nm -D --defined-only "$library" | awk '$2 ~ /[TDBRWV]/ { sub(/@.*/, "", $3); print $3 }' | sort >"$work/got"
grep -oE '^(PERFTAB_API|				    ).*\<perftab_[a-z_]+\(' "$header" | grep -oE 'perftab_[a-z_]+\($' | tr -d '(' | sort >"$work/wanted"
[ "$(wc -l <"$work/wanted")" -ge 19 ] || fail "few functions in the header"
same "exported symbols" "$work/wanted" "$work/got"
[ "$(grep -vc '^perftab_' "$work/got")" -eq 0 ] || fail "exports $(grep -v '^perftab_' "$work/got" | head -1)"
readelf -rW "$library" | awk 'NF >= 5 { sub(/@.*/, "", $5); print $5 }' | sort -u >"$work/used"
grep -q pthread_create "$work/used" || fail "readelf lists no calls"
for name in exit _exit quick_exit abort raise kill signal sigaction stdout stderr printf puts putchar setlocale setenv \
	putenv umask chdir fork execve sqlite3_config sqlite3_shutdown; do
	! grep -qx "$name" "$work/used" || fail "the library uses $name"
done

# --- the example, as docs/library.md says ---

# A prefix that is relative, and has a blank.
cd "$work" || exit 1
status 0 "install" cmake --install "$helpers" --prefix "in stalled"
cd - >/dev/null || exit 1
pc=$(find "$work/in stalled" -name perftab.pc)
[ -n "$pc" ] || fail "no perftab.pc"
grep -qx "prefix=$work/in stalled" "$pc" || fail "perftab.pc has another prefix: $(cat "$pc")"
if command -v pkg-config >/dev/null; then
	mapfile -t flags < <(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs perftab | xargs -n1)
else
	flags=("-I$work/in stalled/include" "-L$(dirname "$(dirname "$pc")")" -lperftab)
fi
status 0 "the example compiles" "$cc" -std=c11 -Wall -Wextra -Werror "$PERFTAB_SOURCE/docs/examples/library.c" "${flags[@]}" -o "$work/example"
export LD_LIBRARY_PATH=$shared
trace=$PERFTAB_SOURCE/sample-traces/perf/good-switch-group.data
status 0 "the example" "$work/example" "$trace"
cp "$work/out" "$work/example.out"
perftab-analyze --by comm --csv "$trace" | awk -F, 'NR > 1 { print $1, $5 }' | head -5 >"$work/wanted"
head -5 "$work/example.out" | awk '{ $NF = ""; print }' | sed 's/ *$//' | awk '{ n = $NF; $NF = ""; sub(/ $/, ""); print $0, n }' >"$work/got"
same "the example's bill" "$work/wanted" "$work/got"
status 0 "convert" perftab-convert "$trace" -o "$work/example.db"
sql "$work/example.db" "SELECT text FROM finding ORDER BY rowid" >"$work/wanted"
tail -n +6 "$work/example.out" >"$work/got"
same "the example's findings" "$work/wanted" "$work/got"
reports 1 "the example, no file" "cannot open: No such file" "$work/example" "$work/nowhere"

# The manual's: what is between its lines of display.
{
	printf '#include <perftab/perftab.h>\n#include <stdio.h>\nint main(void)\n{\nlong long sum = 0;\n'
	sed -n '/^\.Sh EXAMPLES/,$ { /^\.Bd/,/^\.Ed/ { /^\.[BE]d/d; s/\\\\/\\/g; p } }' "$PERFTAB_SOURCE/docs/man/perftab.3"
	printf 'printf("%%lld\\n", sum);\nreturn 0;\n}\n'
} >"$work/manual.c"
grep -q 'perftab_close(trace);' "$work/manual.c" || fail "no example in the manual: $(cat "$work/manual.c")"
status 0 "the manual's example compiles" "$cc" -std=c11 -Wall -Wextra -Werror "$work/manual.c" "${flags[@]}" -o "$work/manual"
mkdir "$work/manual.dir" && cp "$trace" "$work/manual.dir/perf.data"
(cd "$work/manual.dir" && "$work/manual") >"$work/got" 2>&1
sql "$work/example.db" "SELECT sum(delta_0) FROM context_switch" >"$work/wanted"
same "the manual's example" "$work/wanted" "$work/got"

# --- every format: the rows of the converted tables ---

mkdir "$work/formats"
made() { "$@" >/dev/null 2>&1 || fail "$*"; }
for form in pipe zstd zstd2 pipe-zstd dir; do
	made make_trace --form $form basic "$work/formats"
	mv "$work/formats/basic.data" "$work/formats/$form.data"
done
for form in raw mixed win7; do
	made make_etw --form $form everything "$work/formats"
	for file in "$work"/formats/everything.{etl,txt}; do
		[ ! -e "$file" ] || mv "$file" "$work/formats/$form.${file##*.}"
	done
done
made make_winperf "$work/formats"
printf '%s\r\n' '"(PDH-CSV 4.0) (UTC)(0)","\\BOX\System\Threads"' '"08/14/2007 15:40:38.659","812"' >"$work/formats/typeperf.csv"
compared=0
for file in "$PERFTAB_SOURCE"/sample-traces/*/good-* "$work"/formats/{*.data,*.etl,*.txt,good*.blg,good*.v1,typeperf.csv}; do
	case $file in *.thread.csv | *.sha256) continue ;; esac
	printf '%s\t%s\n' "$file" "format.$((++compared))"
done >"$work/compared"
convert_each <"$work/compared"
while IFS=$'\t' read -r file name; do
	status 0 "$file" library_rows "$file"
	sed "s|^|$name |" "$work/out" >>"$work/rows.library"
	printf '%s\n' ".open '$work/$name.db'" ".output '$work/count.sql'" \
		"SELECT group_concat('SELECT ''$name '' || ' || quote(name) || ', count(*) FROM \"' || name || '\" HAVING count(*) > 0', ' UNION ALL ') || ';'
		FROM sqlite_schema WHERE type = 'table' AND name <> 'charge_status';" \
		".output '$work/counted.$name'" ".read '$work/count.sql'"
done <"$work/compared" | sqlite3 -batch || fail "rows of the databases"
sort "$work/rows.library" >"$work/got"
cat "$work"/counted.* | sort >"$work/wanted"
same "rows of $(cut -f1 "$work/compared" | tr '\n' ' ')" "$work/wanted" "$work/got"
[ "$(wc -l <"$work/compared")" -ge 35 ] || fail "only $(wc -l <"$work/compared") files were compared"

# A callback is asked for little where the trace needs no end.
made make_trace --switches 150000 --form pipe basic "$work/formats"
status 0 "the first switch" library_rows --first "$work/formats/basic.data"
[ "$(cat "$work/out")" -le 6000000 ] || fail "the first switch needs $(cat "$work/out") bytes of $(stat -c %s "$work/formats/basic.data")"

# --- no trace ends the host, and two threads give what one gives ---

status 0 "samples" library_host "${samples[@]}"
cp "$work/out" "$work/one"
[ "$(grep -c ' 2 [1-9]' "$work/one")" -gt 20 ] || fail "few samples have rows: $(grep -c ' 2 [1-9]' "$work/one")"
status 0 "samples in threads" library_host --threads "${samples[@]}"
same "samples in threads" "$work/one" "$work/out"
status 0 "samples without a sandbox" library_host --plain "${samples[@]}"
same "samples without a sandbox" "$work/one" "$work/out"
# Each sample with damage at some places, and the seeds of the fuzz targets.
mkdir "$work/damaged"
for sample in "${samples[@]}"; do
	[ -f "$sample" ] || continue
	size=$(stat -c %s "$sample")
	[ "$size" -lt 2000000 ] || continue
	damaged=("$work/damaged/"{1,2,3}"-${sample##*/}")
	tee "${damaged[@]}" <"$sample" >/dev/null
	for i in 1 2 3; do
		printf '\377\377\377\377\177' | dd of="${damaged[i - 1]}" bs=1 seek=$((size * i / 4)) conv=notrunc status=none
	done
done
while IFS= read -r list; do
	# shellcheck disable=SC2086 # names without blanks
	status 0 "damaged traces" timeout 120 library_host $list
	[ ! -s "$work/err" ] || fail "damaged traces: prints $(head -2 "$work/err")"
done < <(find "$work/damaged" "$PERFTAB_SOURCE"/tests/fuzz/seeds* -type f | sort | xargs -n 200)

# --- a host whose numbers have a comma ---

if localedef --no-archive -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
	printf '%s\r\n' '"(PDH-CSV 4.0) (UTC)(0)","\\BOX\System\Threads"' '"08/14/2007 15:40:38.659","812.5"' >"$work/formats/point.csv"
	status 0 "numbers with a point" library_host "$work/formats/point.csv"
	cp "$work/out" "$work/one"
	comma=(env "LOCPATH=$work" LC_ALL=de_DE.UTF-8)
	"${comma[@]}" locale decimal_point | reads "de_DE has a comma" ,
	status 0 "a host with a comma" "${comma[@]}" library_host "$work/formats/point.csv"
	same "a host with a comma" "$work/one" "$work/out"
else
	echo "no sources of locales (package locales): no host whose numbers have a comma"
fi

# --- memory ---

if command -v valgrind >/dev/null; then
	memcheck=(timeout 300 valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect --error-exitcode=9)
	some=("$trace" "$PERFTAB_SOURCE"/sample-traces/{etw/good-basic.etl,etw/good-basic-text.txt,perflib/good-live.plb}
		"$work"/formats/{zstd2.data,mixed.etl,good-log.blg,typeperf.csv})
	status 0 "memcheck" "${memcheck[@]}" "$helpers/tests/library/library_host" --plain --threads "$PERFTAB_SOURCE"/sample-traces/*/bad-* "${some[@]}"
	make_trace --form pipe basic "$work" >/dev/null || fail "make_trace basic"
	status 0 "memcheck, a callback" "${memcheck[@]}" "$helpers/tests/library/library_rows" --first "$work/basic.data"
	# Each handle in a thread has threads of its own.
	known=("--suppressions=$PERFTAB_SOURCE/tests/library/helgrind.supp")
	[ "$helpers" = "$PERFTAB_BIN" ] || known+=("--suppressions=$PERFTAB_SOURCE/tests/library/helgrind-release.supp")
	status 0 "helgrind" timeout 300 valgrind -q --tool=helgrind --error-exitcode=9 "${known[@]}" \
		"$helpers/tests/library/library_host" --plain --threads "${some[@]}" "$trace"
else
	echo "valgrind is not installed: the library's memory and threads are not checked"
fi
finish
