/*
 * test_runs.c - lib/pipeline/runs.h, lib/attribution/chain_run.c and ledger_run.c: what a
 * run comes to is what its switches come to as records, condition by condition.
 */
#include "pipeline/runs.h"

#include <stdlib.h>
#include <string.h>

#include "run_steps.h"

/* --- rows of both --- */

static size_t in_runs; /* switches that were judged in one loop */

/* The rows of the trace, which must be the same on both roads. */
static const char *rows_of_both(struct trace *trace)
{
	struct unit_notes rows;
	struct trace runs;

	trace_end(trace);
	runs = run_steps_in_runs(trace);
	rows = trace_rows_of_both(trace, &runs, &in_runs);
	return unit_notes_of(&rows, "context_switch");
}

/* --- one condition each --- */

#include "run_scripts.def"

/* The status of the next row, after `from`. */
static const char *check_status(const char *from, const struct step *step)
{
	const char *line = strstr(from, " status=");

	ROW_TRUE(step, line);
	ROW_TEXT(step, charge_status_words[atoi(line + 8)].words,
		 charge_status_words[step->status].words);
	return line + 8;
}

/* False: another number of switches were judged in one loop. */
static bool run_script(const struct script *script)
{
	struct machine machine = { .ts_ns = 1000, .values = { { 5, 1000, 1000 } } };
	struct trace trace = { NULL, 0, 0 };
	const char *rows;

	run_steps_begin(&trace, 1 + script->groups);
	run_steps_add_all(&trace, &machine, known, COUNT(known));
	run_steps_add_all(&trace, &machine, script->steps, STEPS);
	run_steps_add_all(&trace, &machine, later, COUNT(later));
	rows = rows_of_both(&trace);
	for (size_t i = 0; i < COUNT(known); i++)
		rows = check_status(rows, &known[i]);
	for (size_t i = 0; i < STEPS && script->steps[i].what != DONE; i++)
		if (script->steps[i].what == OUT && !script->steps[i].is_read)
			rows = check_status(rows, &script->steps[i]);
	if (in_runs == script->in_runs)
		return true;
	print_error("%s: %zu in runs, expected %zu\n", script->name, in_runs,
		    script->in_runs);
	return false;
}

UNIT_TEST(scripts)
{
	bool all = true;

	for (size_t i = 0; i < COUNT(scripts); i++)
		all &= run_script(&scripts[i]);
	assert_true(all);
}

/* --- all of them together --- */

UNIT_TEST(wild)
{
	size_t judged = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct machine machine = { .ts_ns = 1000, .values = { { 5, 10, 90 } } };
		struct trace trace = { NULL, 0, 0 };

		run_steps_begin(&trace, 1);
		run_steps_add_wild(&trace, &machine, seed, 1000);
		(void)rows_of_both(&trace);
		judged += in_runs;
	}
	assert_in_range(judged, 5000, 15000); /* of 20 000 */
}

/* --- traces and books that want each switch --- */

static bool on_interval(void *context, const struct record *record, bool in_interrupt)
{
	(void)context, (void)record, (void)in_interrupt;
	return true;
}

UNIT_TEST(wanted)
{
	static const bool cpus[1];
	static const struct {
		int line;
		bool no_runs, emits_rows, is_live, has_cpus, has_hook, is_wanted;
		int64_t from_ns, to_ns;
	} rows[] = {
		{ ROW, .is_wanted = true },  { ROW, .no_runs = true },
		{ ROW, .emits_rows = true }, { ROW, .is_live = true },
		{ ROW, .has_cpus = true },   { ROW, .has_hook = true },
		{ ROW, .from_ns = 1 },	     { ROW, .to_ns = -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pipeline_hooks hooks = { .interval = rows[i].has_hook
									  ? on_interval
									  : NULL };
		struct unit_play play = { .count = 0 };
		struct reader reader = unit_replay(&play);
		struct reader_ops ops = *reader.ops;
		struct pipeline pipeline;

		ops.emits_rows = rows[i].emits_rows;
		reader.ops = &ops;
		reader.options.no_runs = rows[i].no_runs;
		pipeline_init(&pipeline, NULL, 0);
		pipeline.is_live = rows[i].is_live;
		if (rows[i].has_cpus)
			pipeline.cpus = cpus;
		if (rows[i].from_ns)
			pipeline.from_ns = rows[i].from_ns;
		if (rows[i].to_ns)
			pipeline.to_ns = rows[i].to_ns;
		assert_int_equal(pipeline_run(&pipeline, &reader, &hooks), ST_OK);
		ROW_INT(&rows[i], reader.wants_runs, rows[i].is_wanted);
		pipeline_release(&pipeline);
	}
}
