#!/bin/bash
# times.sh: windows in every notation, and the bill of each interval.
. "$PERFTAB_SOURCE/tests/cli/lib.sh" || exit 1
samples=$PERFTAB_SOURCE/sample-traces/perf
trace=$samples/good-perftab.data
db=$work/trace.db
perftab-convert "$trace" -o "$db" || fail "convert"
first=$(sql "$db" 'SELECT first_ns FROM trace')
last=$(sql "$db" 'SELECT last_ns FROM trace')

# One window in each notation is the same bill.
from=$((first + 20000000)) to=$((first + 70500000))
utc() { # NS of the trace's clock
	sql "$db" "SELECT strftime('%Y-%m-%dT%H:%M:%S', ($1 + wall_offset_ns) / 1000000000, 'unixepoch') ||
		printf('.%09dZ', ($1 + wall_offset_ns) % 1000000000) FROM trace"
}
for input in "$trace" "$db"; do
	perftab-analyze --csv --from $from --to $to "$input" >"$work/clock" || fail "$input: a window of the clock"
	while read -r a b; do
		status 0 "--from $a --to $b" perftab-analyze --csv --from "$a" --to "$b" "$input"
		same "--from $a --to $b: not the window of the clock" "$work/clock" "$work/out"
	done <<-END
	+20ms +70.5ms
	+0.02s +0.0705s
	+20000us +70500us
	+20000000ns +70500000ns
	$(utc $from) $(utc $to)
	END
done
[ "$(wc -l <"$work/clock")" -gt 5 ] || fail "hardly a line in the window"

# A text that does not fit a page of the database, which SQLite then reads.
cp "$db" "$work/long.db"
sql "$work/long.db" "UPDATE process SET command = hex(zeroblob(200000)) WHERE process_id = (SELECT max(process_id) / 2 FROM process)"
for options in '--by tree' '--by thread --csv' '--csv --interval 20ms'; do # shellcheck disable=SC2086
	alike "a long command line" "$trace" "$work/long.db" $options
done

# A window that holds nothing says what there is; a time that is none says how one looks.
for option in '--from +1s' '--to +0' "--from $((last + 1))" '--from 2001-01-01T00:00:00Z --to 2001-01-01T00:00:01Z'; do
	# shellcheck disable=SC2086
	reports 2 "$option" "the trace reaches from $first to $last ns, which is +0s to +0.104s, from 2026-11-21T21:14:49" perftab-analyze $option "$trace"
done
reports 2 "an end before the start" "its end, --to +40ms, is not after its start, --from +50ms" perftab-analyze --from +50ms --to +40ms "$trace"
for option in '--from soon' '--from 3s' '--to +3x' '--to 2026-13-01T00:00:00Z' '--interval 0' '--interval fast'; do
	# shellcheck disable=SC2086
	reports 2 "$option" 'expected e.g.' perftab-analyze $option "$trace"
done
reports 1 "wall time of a trace without it" "give times as +3s from its start" perftab-analyze --from 2026-11-21T21:14:49Z "$samples/good-switch-group.data"
reports 1 "+1s of no file" "none.data: cannot open: No such file or directory" perftab-analyze --from +1s "$work/none.data"
reports 1 "+3s of a pipe" "nanoseconds of the trace's clock" perftab-analyze --from +10ms - <"$trace"
status 0 "the head" perftab-analyze --from +20ms "$trace"
grep -q '^window: +0.020000 s to +0.103859 s' "$work/out" || fail "the head does not say the window"
grep -q '^recorded 2026-11-21T21:14:49.031087Z on ' "$work/out" || fail "the head does not say when it was"

# The columns of a window without samples, or of some CPUs, are those of the trace, whatever is in it.
perftab-convert "$samples/good-plain-sampling.data" -o "$work/columns.db" || fail "convert"
events() { # OPTIONS...: names of sampled events in JSON
	perftab-analyze --json "$@" >"$work/json" &&
		sql :memory: "SELECT group_concat(value ->> 'name') FROM json_each(readfile('$work/json'), '\$.traces[0].sampling.events')"
}
events "$work/columns.db" | reads "events of a database" cpu-clock
for input in "$samples/good-plain-sampling.data" "$work/columns.db"; do
	for by in process thread cpu comm tree; do
		perftab-analyze --csv --by $by "$input" | head -1 >"$work/columns"
		for part in '--from +1ns --to +2ns' '--cpu 1' '--interval 1ms --from +1ns --to +2ns'; do # shellcheck disable=SC2086
			perftab-analyze --csv --by $by $part "$input" 2>"$work/err" | sed '1s/^from_ns,to_ns,from_utc,//; q' >"$work/out"
			same "$input --by $by $part: other columns than those of the trace" "$work/columns" "$work/out"
		done
	done
	events --from +1ns --to +2ns "$input" | reads "$input: events of a window" cpu-clock
	perftab-analyze --by symbol --from +1ns --to +2ns "$input" >"$work/out"
	grep -q '^total  *0  0' "$work/out" && ! grep -q 'has a name here' "$work/out" || fail "$input: symbols of a window without samples: $(cat "$work/out")"
done

# Findings are counted for the window; one that holds all has those of the trace.
make_trace everything "$work" || fail "make_trace"
perftab-convert "$work/everything.data" -o "$work/everything.db" 2>/dev/null
findings() { # FILE SCOPE: kinds and counts
	sql :memory: "SELECT json_extract(value, '\$.severity') || ' ' || substr(json_extract(value, '\$.text'), 1, 40) || ' ' || json_extract(value, '\$.count')
		FROM json_each(readfile('$1'), '\$.traces[0].findings') WHERE '$2' IN ('', json_extract(value, '\$.of')) ORDER BY 1"
}
perftab-analyze --json "$work/everything.data" >"$work/json" 2>/dev/null
findings "$work/json" '' >"$work/wanted"
perftab-analyze --json --from +0 "$work/everything.data" >"$work/json" 2>/dev/null
findings "$work/json" '' >"$work/got"
same "findings of a window that holds all" "$work/wanted" "$work/got"
length=$(sql "$work/everything.db" 'SELECT (last_ns - first_ns) / 3 FROM trace')
total=0
for part in 0 1 2; do
	to=$([ $part = 2 ] || echo "--to +$((length * (part + 1)))ns")
	# shellcheck disable=SC2086
	alike "findings of a window" "$work/everything.data" "$work/everything.db" --json --from +$((length * part))ns $to
	total=$((total + $(findings "$work/trace.out" window | awk '{ sum += $NF } END { print sum + 0 }')))
done
[ "$total" -eq "$(perftab-analyze --json --from +0 "$work/everything.data" 2>/dev/null >"$work/json"; findings "$work/json" window | awk '{ sum += $NF } END { print sum }')" ] ||
	fail "the findings of three windows are not those of the whole: $total"
perftab-analyze --from +0 "$work/everything.data" 2>/dev/null | grep -q '^Findings of the whole trace:' || fail "findings without times are not apart"

# Those of the ends of CPUs have the times of the whole trace: up to the last first values of
# the CPU's groups, and from the earliest last ones on.
ends() { # WORDS, of length(cpu, ns): the text of a finding
	echo "SELECT '$1 on ' || count(*) || ' CPU' || iif(count(*) > 1, 's, ' || ms(sum(ns)) || ' in total', '') || ': ' ||
		(SELECT group_concat('CPU ' || cpu || ' ' || ms(ns), ', ') FROM (SELECT * FROM length ORDER BY ns DESC, cpu LIMIT 3)) ||
		iif(count(*) > 3, ' and ' || (count(*) - 3) || ' more', '') FROM length" |
		sed -E "s/ms\((sum\(ns\)|ns)\)/printf('%,d.%03d ms', (\1 + 500) \/ 1000000, (\1 + 500) \/ 1000 % 1000)/g"
}
for input in "$work/everything.data" "$samples/good-switch-events.data" "$samples/../etw/good-basic.etl"; do
	perftab-convert -f "$input" -o "$work/ends.db" 2>/dev/null || fail "$input: convert"
	holds "$input: first_interval" "$work/ends.db" "$(sql "$work/ends.db" "WITH length(cpu, ns) AS
		(SELECT cpu, max(ts_ns) - (SELECT first_ns FROM trace) FROM context_switch WHERE status = 0 GROUP BY cpu)
		$(ends 'baselines, not charged: before the first switch')")" "SELECT text FROM finding WHERE kind = 'first_interval'"
	holds "$input: last_interval" "$work/ends.db" "$(sql "$work/ends.db" "WITH length(cpu, ns) AS
		(SELECT cpu, (SELECT last_ns FROM trace) - min(last_ns) FROM
			(SELECT cpu, max(ts_ns) AS last_ns FROM context_switch WHERE status <> 10 GROUP BY cpu, group_id) GROUP BY cpu)
		$(ends 'unknown counts: after the last switch')")" "SELECT text FROM finding WHERE kind = 'last_interval'"
	for of in "$input" "$work/ends.db"; do
		perftab-analyze "$of" 2>/dev/null | grep '^info: \(baselines\|unknown counts\)' >"$work/wanted"
		[ "$(wc -l <"$work/wanted")" = 2 ] || fail "$of: findings of both ends"
		perftab-analyze --from +5ms --to +6ms "$of" 2>/dev/null | sed '1,/^Findings of the whole trace/d' | grep '^info: \(baselines\|unknown counts\)' >"$work/got"
		same "$of: both ends in a window" "$work/wanted" "$work/got"
	done
done

# Intervals: the sum over all of them is the bill, in every cut, from the trace and the
# database alike.
sums() { # FIRST FILE: of each column from the one on
	awk -F, -v first="$1" 'NR > 1 { for (i = first; i <= NF; i++) sum[i] += $i } END { for (i = first; i in sum; i++) printf "%.0f ", sum[i]; print "" }' "$2"
}
while read -r cut column; do
	for rule in '' '--unproven switched-out' '--with-idle thread'; do
		# shellcheck disable=SC2086
		perftab-analyze --csv --by "$cut" $rule "$trace" | cut -d, -f1-11 >"$work/whole"
		for length in 7ms $([ -n "$rule" ] || echo 1ms 1s); do
			# shellcheck disable=SC2086
			alike "intervals" "$trace" "$db" --csv --by "$cut" $rule --interval $length
			cut -d, -f1-14 "$work/trace.out" >"$work/got"
			[ "$(sums $((column + 3)) "$work/got")" = "$(sums "$column" "$work/whole")" ] ||
				fail "$cut, $length $rule: the intervals are not the bill: $(sums $((column + 3)) "$work/got"), $(sums "$column" "$work/whole")"
		done
	done
done <<END
process 4
thread 5
cpu 2
comm 4
tree 6
END
[ "$(head -1 "$work/got" | cut -d, -f1-3)" = from_ns,to_ns,from_utc ] || fail "the first columns: $(head -1 "$work/got")"
# Each interval as if it were a window.
perftab-analyze --csv --interval 20ms "$trace" >"$work/series"
perftab-analyze --csv --from +20ms --to +40ms "$trace" | sort >"$work/wanted"
(head -1 "$work/series" && grep "^$((first + 20000000)),$((first + 40000000))," "$work/series") | cut -d, -f4- | sort >"$work/got"
same "an interval is not the window" "$work/wanted" "$work/got"
for form in --csv --json ''; do
	# shellcheck disable=SC2086
	alike "intervals of a window" "$trace" "$db" $form --by comm --interval 20ms --from +20ms --to +70ms
done
perftab-analyze --json --interval 20ms "$trace" >"$work/json"
holds "JSON: intervals" :memory: 6 "SELECT json_array_length(readfile('$work/json'), '\$.traces[0].intervals')"
perftab-analyze --interval 10ms "$trace" | grep -q '^sum-unsorted .*[▁▂▃▄▅▆▇█].*|$' || fail "text: no bars"
# Estimates likewise.
sampled=$samples/good-plain-sampling.data
perftab-convert "$sampled" -o "$work/sampled.db" || fail "convert"
for cut in process thread cpu comm tree; do
	perftab-analyze --csv --by $cut "$sampled" | rev | cut -d, -f1-2 | rev >"$work/whole"
	[ $cut = tree ] && perftab-analyze --csv --by $cut "$sampled" | cut -d, -f8-9 >"$work/whole"
	alike "intervals of samples" "$sampled" "$work/sampled.db" --csv --by $cut --interval 30ms
	cut -d, -f4- "$work/trace.out" | if [ $cut = tree ]; then cut -d, -f8-9; else rev | cut -d, -f1-2 | rev; fi >"$work/got"
	[ "$(sums 1 "$work/got")" = "$(sums 1 "$work/whole")" ] || fail "samples by $cut: the intervals are not the whole: $(sums 1 "$work/got"), $(sums 1 "$work/whole")"
done
for form in --json ''; do # shellcheck disable=SC2086
	alike "intervals of samples" "$sampled" "$work/sampled.db" $form --interval 30ms
done
grep -q '^sum-unsorted  ██████████.*|$' "$work/trace.out" || fail "samples: no bars"
# Values of PerfLib: a line for each interval, a column for each counter, as relog writes them.
disk=$PERFTAB_SOURCE/sample-traces/perflib/good-disk.plb
perftab-convert "$disk" -o "$work/disk.db" || fail "convert"
for form in --csv --json ''; do
	for length in 1ms 2s; do # shellcheck disable=SC2086
		alike "intervals of PerfLib" "$disk" "$work/disk.db" $form --interval $length
	done
done
perftab-analyze --csv --interval 1ms "$disk" >"$work/wide"
[ "$(head -1 "$work/wide" | cut -d, -f1-4)" = 'from_ns,to_ns,from_utc,\Disk(C:)\Queue Length' ] || fail "wide: $(head -1 "$work/wide")"
[ "$(wc -l <"$work/wide")" -eq $(($(sql "$work/disk.db" 'SELECT count(*) FROM perflib_snapshot') + 1)) ] || fail "wide: $(wc -l <"$work/wide") lines"
perftab-analyze --csv "$disk" | awk -F, 'NR > 1 && $12 != "" { print $3 "," $12 }' | sort >"$work/wanted"
awk -F, 'NR > 1 { for (i = 4; i <= NF; i++) if ($i != "") print $2 "," $i }' "$work/wide" | sort >"$work/got"
same "the wide table has other values" "$work/wanted" "$work/got"
perftab-analyze --csv "$disk" | head -1 | grep -q ',utc$' || fail "values have no wall-clock time"
reports 2 "too many intervals" "choose a longer --interval" perftab-analyze --interval 1ns "$trace"
finish
