#!/bin/bash
# symbols.sh: names of functions of a program that is built and recorded here, by a software
# event.  They are those of perf script; a file with another build id, or outside the root,
# gives none; a damaged one costs its names alone.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
cd "$work" || exit 1
command -v perf >/dev/null || skip "perf is not installed"
command -v gcc >/dev/null || skip "gcc is not installed"

cat >prog.c <<'END'
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) void add(int n) { for (int i = 0; i < n; i++) sink += i * 3; }
__attribute__((noinline)) void flip(int n) { for (int i = 0; i < n; i++) sink ^= i * 7; }
__attribute__((noinline)) static void shift(int n) { for (int i = 0; i < n; i++) sink += sink >> 3; }
__attribute__((noinline)) void all(int n) { add(n); flip(n); shift(n); }
int main(void) { for (int i = 0; i < 60; i++) all(1000000); return 0; }
END
build() { gcc -O1 -fno-omit-frame-pointer -Wl,--build-id="$2" -o "$1" prog.c; }
build prog 0x0102030405060708090a0b0c0d0e0f1011121314 || skip "gcc cannot link a program"
perf record -q -e cpu-clock:u -c 250000 -g -o prog.data ./prog >/dev/null 2>&1 || skip "perf record is refused here"

status 0 "no files" perftab-convert prog.data -o none.db
holds "no files: modules alone" none.db "1|0" "SELECT count(*) = count(module), count(symbol) FROM sample_named"
if ! perftab-convert --symbols -f -t null prog.data 2>err && grep -q 'without libelf' err; then
	skip "this build has no libelf"
fi
status 0 "files" perftab-convert prog.data --symbols -o made.db
holds "a build id" made.db "0102030405060708090a0b0c0d0e0f1011121314|file" "SELECT build_id, symbols FROM module WHERE name = 'prog'"
holds "sound" made.db "ok" "PRAGMA integrity_check"

# 95 of 100 addresses of the program have the name that perf gives them.
perf script -i prog.data -G -F ip,sym 2>/dev/null | awk '{ print $1, $2 }' | grep -E ' (add|flip|shift|all|main)$' | sort >wanted
sql made.db "SELECT printf('%x', ip) || ' ' || symbol FROM sample_named WHERE symbol IS NOT NULL ORDER BY 1" | sort >got
count=$(wc -l <wanted)
right=$(comm -12 wanted got | wc -l)
[ "$count" -gt 50 ] || fail "only $count samples of the program"
[ "$((right * 100))" -ge "$((count * 95))" ] || fail "$right of $count addresses have the name of perf script"

# Frames of call chains have names too.
holds "callers" made.db 1 "SELECT count(*) > 0 FROM frame_symbol WHERE symbol = 'main'"

# Reports: from the trace and from its database the same; sums are those of the processes.
for by in symbol module; do
	for form in --csv --json; do
		perftab-analyze --by $by $form prog.data >trace.out 2>/dev/null
		perftab-analyze --by $by $form none.db >database.out 2>/dev/null
		same "--by $by $form" trace.out database.out
	done
done
[ "$(perftab-analyze --by symbol --csv made.db | awk -F, 'NR > 1 { n += $NF } END { print n }')" = \
	"$(perftab-analyze --csv made.db | awk -F, 'NR > 1 { n += $NF } END { print n }')" ] || fail "--by symbol: not all samples"
perftab-analyze --by symbol --csv made.db | grep -q 'prog,add,' || fail "--by symbol: no add"
# Without names it says how to get them.
way='^No function has a name here: perftab-convert --symbols finds names in files on this$'
perftab-analyze --by symbol "$PERFTAB_SOURCE/sample-traces/perf/good-plain-sampling.data" | grep -q "$way" || fail "--by symbol: no way to names"
for none in "--by symbol made.db" "--by module prog.data"; do
	# shellcheck disable=SC2086 # words
	! perftab-analyze $none | grep -q "$way" || fail "$none: there are names"
done

# Below a root: a copy of the tree, never what is outside.
here=$(pwd -P)
mkdir -p "root$here" empty
status 0 "an empty root" perftab-convert prog.data --symbols=empty -f -o other.db
holds "an empty root" other.db "no file|0" "SELECT m.symbols, count(symbol) FROM module AS m LEFT JOIN frame_symbol AS f USING (module_id) WHERE m.name = 'prog'"
cp prog "root$here/prog"
status 0 "a root" perftab-convert prog.data --symbols=root -f -o other.db
holds "a root" other.db file "SELECT symbols FROM module WHERE name = 'prog'"
ln -sf "$here/prog" outside
ln -sf "../../../../../../../../../..$here/prog" "root$here/prog.link"
mv "root$here/prog" "root$here/kept"
ln -s "../../../../../../../../../../../..$here/outside" "root$here/prog"
status 0 "a link out of the root" perftab-convert prog.data --symbols=root -f -o other.db
holds "a link out of the root" other.db 0 "SELECT count(symbol) FROM frame_symbol AS f JOIN module AS m USING (module_id) WHERE m.name = 'prog'"
rm "root$here/prog"
ln -s kept "root$here/prog"
status 0 "a link within the root" perftab-convert prog.data --symbols=root -f -o other.db
holds "a link within the root" other.db file "SELECT symbols FROM module WHERE name = 'prog'"
rm "root$here/prog"
reports 1 "no root" "--symbols=nowhere: No such file" perftab-convert prog.data --symbols=nowhere -f -o other.db
mistakes perftab-convert <<-END
	--list --symbols prog.data|--list names no functions
END

# Another build id: no names.
build "root$here/prog" 0xffff030405060708090a0b0c0d0e0f1011121314
status 0 "another build id" perftab-convert prog.data --symbols=root -f -o other.db
holds "another build id" other.db "other build id|0" "SELECT m.symbols, count(symbol) FROM module AS m JOIN frame_symbol AS f USING (module_id) WHERE m.name = 'prog'"

# Damaged files of the right name: the bill stays, names may go, and it ends soon.
sums=$(sql none.db "SELECT count(*), sum(period), count(module) FROM sample_named")
damaged() { # WHAT
	status 0 "$1" timeout 60 perftab-convert prog.data --symbols=root -f -o other.db
	[ "$(wc -l <err)" -le 1 ] || fail "$1: more than a line: $(cat err)"
	holds "$1: samples" other.db "$sums" "SELECT count(*), sum(period), count(module) FROM sample_named"
}
for size in 0 1 63 64 200 1000 4096 9000; do
	head -c "$size" prog >"root$here/prog"
	damaged "cut to $size bytes"
done
holds "cut" other.db 0 "SELECT count(symbol) FROM frame_symbol AS f JOIN module AS m USING (module_id) WHERE m.name = 'prog' AND m.symbols <> 'file'"
patch() { # OFFSET BYTES
	cp prog "root$here/prog"
	printf '%b' "$2" | dd of="root$here/prog" bs=1 seek=$(($1)) conv=notrunc status=none
}
patch 0x3c '\xff\xff' && damaged "65,535 sections"
patch 0x38 '\xff\xff' && damaged "65,535 program headers"
patch 0x28 '\xf0\xff\xff\xff\xff\xff\xff\x7f' && damaged "sections far away"
patch 0x3e '\xff\xff' && damaged "names of sections nowhere"
sections=$(od -An -tu8 -j 40 -N 8 prog | tr -d ' ')
for i in 5 10 20 25 28; do # sizes and entry sizes
	patch "$((sections + 64 * i + 32))" '\xff\xff\xff\xff\xff\xff\xff\x7f' && damaged "a section of 2^63 bytes"
	patch "$((sections + 64 * i + 40))" "\\x$(printf %02x $i)" && damaged "a section that refers to itself"
done
rm "root$here/prog"
mkfifo "root$here/prog"
damaged "a pipe"
rm "root$here/prog"
head -c 100000 /dev/urandom >"root$here/prog"
damaged "noise"
holds "noise: a finding" other.db 1 "SELECT count(*) FROM finding WHERE kind = 'symbol_file'"

# To share it: no name of the user's code stays.
status 0 "anonymized" perftab-convert prog.data --symbols --anonymize -f -o other.db
holds "anonymized" other.db "0|1" "SELECT sum(symbol IN ('add', 'flip', 'shift', 'main')), count(symbol) > 0 FROM frame_symbol"

# Folded stacks add up to the bill, with names and without; a hostile name ends no frame and no line.
name=$(printf 'a;b c\nd\\')
cp prog "./$name"
perf record -q -e cpu-clock:u -c 1000000 -g -o hostile.data "./$name" >/dev/null 2>&1
for file in prog hostile; do
	perftab-convert $file.data --symbols --to folded -o - >folded 2>err || fail "$file: folded: $(cat err)"
	[ "$(awk '{ n += $NF } END { printf "%d", n }' folded)" = "$(perftab-analyze --csv $file.data | awk -F, 'NR > 1 { n += $(NF - 1) } END { printf "%d", n }')" ] ||
		fail "$file: folded stacks and the bill differ"
	! grep -qvE '^[^ ]+ [0-9]+$' folded || fail "$file: a line that is not a stack and a number: $(grep -vE '^[^ ]+ [0-9]+$' folded | head -1)"
done
grep -q '^a\\x3bb\\x20c\\x0ad\\x5c;a\\x3bb\\x20c\\x0ad\\x5c;' folded || fail "the hostile name: $(head -1 folded)"
perftab-convert prog.data --symbols --to folded -o - | grep -q ';main;.*add [0-9]*$' || fail "no stack from main to add"
perftab-convert prog.data --symbols --to speedscope -o prog.json || fail "speedscope"
[ "$(sqlite3 :memory: "SELECT sum(value) FROM json_each(readfile('prog.json'), '\$.profiles[0].weights')")" = \
	"$(perftab-convert prog.data --to folded -o - | awk '{ n += $NF } END { printf "%d", n }')" ] || fail "speedscope and folded differ"

# Off the CPU, where switches have call chains; a kernel that drops samples in idle leaves SWITCH
# records to say when it ended.
if perf record -q -a --switch-events -e sched:sched_switch -c 1 -g -o off.data sh -c 'sleep 0.2; sleep 0.1' >/dev/null 2>&1; then
	perftab-convert off.data --to folded --counter off_cpu_ns -o - >folded 2>err || fail "off: $(cat err)"
	awk -F'[; ]' '/^sleep;/ { n += $NF } END { exit !(n > 250000000 && n < 10000000000) }' folded || fail "sleep was not off the CPU: $(grep ^sleep folded | head -3)"
fi
finish
