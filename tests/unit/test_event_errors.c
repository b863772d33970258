/* test_event_errors.c - tools/capture/linux/events/event.h: what is refused, and how it
 * is said.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "event_words.h"
#include "unit.h"

static const struct {
	int line;
	const char *names;
	uint64_t offset;
	const char *message;
} refused[] = {
	/* the grammar */
	{ ROW, "", 0, "no event is named" },
	{ ROW, " \t", 0, "no event is named" },
	{ ROW, ",", 0, "an event name is missing at character 1" },
	{ ROW, "cs,", 3, "an event name is missing at character 4" },
	{ ROW, "cs,,cs", 3, "an event name is missing at character 4" },
	{ ROW, "{}", 1, "an event name is missing at character 2" },
	{ ROW, "{cs,}", 4, "an event name is missing at character 5" },
	{ ROW, "{cs", 0, "no '}' for the '{' at character 1" },
	{ ROW, "cs,{cs,cs", 3, "no '}' for the '{' at character 4" },
	{ ROW, "cs}", 2, "no '{' for the '}' at character 3" },
	{ ROW, "{cs}}", 4, "no '{' for the '}' at character 5" },
	{ ROW, "{cs,{cs}}", 4, "'{' within a group at character 5" },
	{ ROW, "cs{cs}", 2, "unexpected '{' at character 3" },
	{ ROW, "{cs}cs", 4, "expected ',' at character 5" },
	{ ROW, "{cs}:", 5,
	  "'' behind a group are not modifiers, which are u k h G H I p P S D e" },
	{ ROW, "{cs}:ux", 5,
	  "'ux' behind a group are not modifiers, which are u k h G H I p P S D e" },
	{ ROW, "cs,cpu/event=1", 6, "no second '/' behind the one at character 7" },
	{ ROW, "cpu/name='a/", 3, "no second '/' behind the one at character 4" },

	/* names */
	{ ROW, "cyclse", 0, "no event 'cyclse' here; did you mean 'cycles'?" },
	{ ROW, "cs,CYCLES", 3, "no event 'CYCLES' here; did you mean 'cycles'?" },
	{ ROW, "mem-load", 0, "no event 'mem-load' here; did you mean 'mem-loads'?" },
	{ ROW, "branch-mises", 0,
	  "no event 'branch-mises' here; did you mean 'branch-misses'?" },
	{ ROW, "page-fault", 0,
	  "no event 'page-fault' here; did you mean 'page-faults'?" },
	{ ROW, "xTLB-loads", 0,
	  "no event 'xTLB-loads' here; did you mean 'dTLB-loads' or 'iTLB-loads'?" },
	{ ROW, "minor-fault", 0,
	  "no event 'minor-fault' here; did you mean 'minor-faults'?" },
	{ ROW, "quite-something-else", 0, "no event 'quite-something-else' here" },
	{ ROW, "cycles u", 0, "no event 'cycles u' here; did you mean 'cycles'?" },
	{ ROW, "\x1b[31mred", 0, "no event '\\x1b[31mred' here" },
	{ ROW, "duration_time", 0,
	  "'duration_time' is what perf measures itself, the kernel has no such event" },
	{ ROW, "read", 0, "no event 'read' here" },
	{ ROW, "r", 0, "no event 'r' here" },
	{ ROW, "r11111111111111111", 0, "no event 'r11111111111111111' here" },
	{ ROW, "L1-icache-store", 0, "there is no cache event 'L1-icache-store'" },
	{ ROW, "iTLB-prefetches", 0, "there is no cache event 'iTLB-prefetches'" },
	{ ROW, "branch-stores", 0, "there is no cache event 'branch-stores'" },
	{ ROW, "L1-dcache-load-load", 0,
	  "no event 'L1-dcache-load-load' here; did you mean 'L1-dcache-loads'?" },
	{ ROW, "LLC-", 0, "no event 'LLC-' here" },
	{ ROW, "LLC-loads-", 0, "no event 'LLC-loads-' here; did you mean 'LLC-loads'?" },
	{ ROW, "energy-pkg.unit", 0, "no event 'energy-pkg.unit' here" },

	/* modifiers */
	{ ROW, "cycles:x", 0,
	  "'x' behind 'cycles' are not modifiers, which are u k h G H I p P S D e" },
	{ ROW, "cs,cycles:", 3,
	  "'' behind 'cycles' are not modifiers, which are u k h G H I p P S D e" },
	{ ROW, "cycles:pppp", 0, "more than 3 of modifier 'p'" },
	{ ROW, "{cycles:pp}:pp", 12, "more than 3 of modifier 'p'" },
	{ ROW, "cycles:W", 0,
	  "modifier 'W' (weak group) is not supported: a group is counted as a whole or "
	  "not at all" },
	{ ROW, "cycles:R", 0, "modifier 'R' (retirement latency) is not supported" },
	{ ROW, "cycles:b", 0, "modifier 'b' (count with BPF) is not supported" },
	{ ROW, "cpu/event=1/z", 0,
	  "'z' behind 'cpu/event=1/' are not modifiers, which are u k h G H I p P S D "
	  "e" },
	{ ROW, "cpu/event=1/:", 0,
	  "':' behind 'cpu/event=1/' are not modifiers, which are u k h G H I p P S D "
	  "e" },
	{ ROW, "msr/tsc/u/", 9, "no second '/' behind the one at character 10" },

	/* PMUs and terms */
	{ ROW, "gpu/event=1/", 0,
	  "no PMU 'gpu' here; there are software, tracepoint, cpu, breakpoint, msr, "
	  "power, uncore_imc_0, uncore_imc_1, uncore_imc_10, uncore_cbox_1, ..." },
	{ ROW, "/event=1/", 0,
	  "no PMU '' here; there are software, tracepoint, cpu, breakpoint, msr, power, "
	  "uncore_imc_0, uncore_imc_1, uncore_imc_10, uncore_cbox_1, ..." },
	{ ROW, "cpu/umask=0x1ff/", 0,
	  "value 0x1ff does not fit umask, which has 8 bits" },
	{ ROW, "cpu/edge=2/", 0, "value 0x2 does not fit edge, which has 1 bit" },
	{ ROW, "cpu/umask=-1/", 0,
	  "value '-1' of term 'umask' is not a number of at most 64 bits" },
	{ ROW, "cpu/config=0x10000000000000000/", 0,
	  "value '0x10000000000000000' of term 'config' is not a number of at most 64 "
	  "bits" },
	{ ROW, "cpu/event=/", 0, "term 'event' has no value" },
	{ ROW, "cpu/=1/", 0, "a term is missing between the slashes" },
	{ ROW, "cpu/event=1,/", 0, "a term is missing between the slashes" },
	{ ROW, "cpu/config9=1/", 0,
	  "config9 is newer than the kernel headers of this build" },
	{ ROW, "cpu/far_away=1/", 0,
	  "config9 is newer than the kernel headers of this build" },
	{ ROW, "cpu/mem-laods/", 0,
	  "PMU 'cpu' has no event or term 'mem-laods'; did you mean 'mem-loads'?" },
	{ ROW, "cpu/evetn=1/", 0,
	  "PMU 'cpu' has no event or term 'evetn'; did you mean 'event'?" },
	{ ROW, "cpu/mem-loads=1/", 0,
	  "PMU 'cpu' has no event or term 'mem-loads'; did you mean 'mem-loads'?" },
	{ ROW, "msr/cycles/", 0, "PMU 'msr' has no event or term 'cycles'" },
	{ ROW, "cpu/period=100/", 0,
	  "term 'period': counts are read at context switches, there is no period" },
	{ ROW, "cpu/event=1,freq=100/", 0,
	  "term 'freq': counts are read at context switches, there is no frequency" },
	{ ROW, "cpu/event=1,percore/", 0,
	  "term 'percore': counts are of CPUs and threads, not of cores" },
	{ ROW, "cpu/scaled.scale/", 0, "PMU 'cpu' has no event or term 'scaled.scale'" },
	{ ROW, "cpu/asked/", 0, "event 'asked' needs the term 'umask='" },
	{ ROW, "cpu/name=/", 0, "term 'name' has no value" },
	{ ROW, "cpu/name=''/", 0, "term 'name' has no value" },
	{ ROW, "cpu/broken/", 0,
	  "event 'broken' of PMU 'cpu' has the term 'nothing', which is not in its "
	  "format" },
	{ ROW, "cpu/scaled/", 0,
	  "the scale of 'scaled' is 'much', not a number above 0" },
	{ ROW, "imc/nothing_like_it/", 0,
	  "PMU 'uncore_imc_0' has no event or term 'nothing_like_it'" },

	/* names are parts of paths, no paths */
	{ ROW, "../cpu/event=1/", 14, "no second '/' behind the one at character 15" },
	{ ROW, "cpu/../", 0, "PMU 'cpu' has no event or term '..'" },
	{ ROW, "cpu/'../type'/", 0, "PMU 'cpu' has no event or term ''../type''" },
	{ ROW, "cpu/'../type'=1/", 0, "PMU 'cpu' has no event or term ''../type''" },
	{ ROW, "..:id", 0, "no event '..:id', and no tracepoints '..:'" },
	{ ROW, "sched:..", 0, "no tracepoint '..' in system 'sched'" },
	{ ROW, ".", 0, "no event '.' here" },

	/* tracepoints */
	{ ROW, "sched:sched_swich", 0,
	  "no tracepoint 'sched_swich' in system 'sched'; did you mean 'sched_switch'?" },
	{ ROW, "shced:sched_switch", 0,
	  "no event 'shced:sched_switch', and no tracepoints 'shced:'; did you mean "
	  "'sched'?" },
	{ ROW, "sched:x*", 0, "no tracepoint 'x*' in system 'sched'" },
	{ ROW, "broken:no_id", 0,
	  "no tracepoint 'no_id' in system 'broken'; did you mean 'no_id'?" },
	{ ROW, "broken:no_number", 0,
	  "the id of tracepoint 'broken:no_number' is 'many', not a number" },

	/* breakpoints */
	{ ROW, "mem:", 0, "breakpoint address '' is not a number" },
	{ ROW, "mem:main", 0, "breakpoint address 'main' is not a number" },
	{ ROW, "mem:0x10/9", 0, "breakpoint length '9' is not one of 1 to 8" },
	{ ROW, "mem:0x10/", 0, "breakpoint length '' is not one of 1 to 8" },
	{ ROW, "mem:0x10:rr", 0,
	  "'rr' behind a breakpoint is neither r, w, x nor a modifier" },
	{ ROW, "mem:0x10:r:z", 0,
	  "'z' behind a breakpoint is neither r, w, x nor a modifier" },
};

UNIT_GROUP(event_machine_intel, NULL);

UNIT_TEST(messages)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct error error;

		ROW_TEXT(&refused[i],
			 event_outcome(&event_machine, refused[i].names, &error),
			 refused[i].message);
		ROW_INT(&refused[i], error.offset, refused[i].offset);
		ROW_INT(&refused[i], error.status < ST_OK, true);
	}
}

/* The message about names that are refused. */
static const char *failure(const struct event_sources *sources, const char *names)
{
	static struct error error;

	event_outcome(sources, names, &error);
	assert_true(error.status < ST_OK);
	return error.text;
}

/* Said once, and not as if the name were wrong. */
UNIT_TEST(unreadable_tracefs)
{
	struct event_sources other = event_machine;
	char text[512];

	other.tracefs = NULL;
	assert_string_equal(
		failure(&other, "sched:sched_switch"),
		"tracepoint 'sched:sched_switch' cannot be looked up: there is "
		"no tracefs that this user can read");
	other.tracefs = unit_path("no-tracefs");
	snprintf(text, sizeof(text),
		 "tracepoint 'sched:sched_switch' cannot be looked up: '%s/events' "
		 "cannot be read: No such file or directory",
		 other.tracefs);
	assert_string_equal(failure(&other, "sched:sched_switch"), text);
}

UNIT_TEST(no_sysfs)
{
	struct event_sources other = event_machine;
	char text[512];

	other.sysfs = unit_path("no-sysfs");
	snprintf(text, sizeof(text), "no PMU 'cpu' here: there are none in '%s'",
		 other.sysfs);
	assert_string_equal(failure(&other, "cpu/event=1/"), text);
	assert_string_equal(failure(&other, "mem-loads"), "no event 'mem-loads' here");
}

/* A long text of one piece, `count` times. */
static char *repeat(const char *piece, size_t count)
{
	size_t length = strlen(piece);
	char *text = malloc(length * count + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, piece, length);
	text[length * count] = '\0';
	return text;
}

UNIT_TEST(limits)
{
	static const struct {
		int line;
		const char *piece;
		size_t count;
		const char *message;
	} rows[] = {
		{ ROW, "cs,", 30000,
		  "the event names have 90000 bytes, more than 65536" },
		{ ROW, "cs,", 5000, "more than 4096 events" },
		{ ROW, "x", 2000,
		  "event name 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx~' has 2000 "
		  "bytes, more than 1024" },
		{ ROW, "/", 60000,
		  "event name '///////////////////////////////////////////////~' has 60000 "
		  "bytes, more than 1024" },
		{ ROW, "a:", 500, NULL },
		{ ROW, "{", 65000, "'{' within a group at character 2" },
	};
	char *terms = repeat("edge,", 65), name[512];

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = repeat(rows[i].piece, rows[i].count);
		const char *message = failure(&event_machine, text);

		if (rows[i].message)
			ROW_TEXT(&rows[i], message, rows[i].message);
		free(text);
	}
	snprintf(name, sizeof(name), "cpu/%s/", terms);
	assert_string_equal(failure(&event_machine, name), "more than 64 terms");
	free(terms);
}

UNIT_TEST(expansion_limit)
{
	for (int i = 0; i <= EVENT_EXPANSION_MAX; i++) {
		char path[64];

		snprintf(path, sizeof(path), "tracefs/events/many/event_%d/id", i);
		event_machine_file(path, "1\n");
	}
	assert_string_equal(failure(&event_machine, "many:*"),
			    "'many:*' stands for more than 1024 tracepoints");
	assert_string_equal(failure(&event_machine, "m*:event_*"),
			    "'many:event_*' stands for more than 1024 tracepoints");
}
