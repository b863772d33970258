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

static enum status count_run(struct sink *sink, const struct run_rows *rows)
{
	const struct run *run = rows->run;
	enum status status = ST_OK;

	for (size_t at = rows->from; at < rows->to && status == ST_OK; at++) {
		const struct context_switch_row row = run_rows_get(rows, at);

		status = sink->ops->put(
			sink, &(struct record){ .kind = RECORD_context_switch,
						.data = &row,
						.deltas = run->deltas + at * SLOTS,
						.values = (const int64_t *)run->values +
							  at * SLOTS,
						.slots = SLOTS });
	}
	in_runs += rows->to - rows->from;
	return status;
}

static struct unit_notes rows_of(const struct trace *trace)
{
	static struct sink_ops counting;
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);

	counting = *sink.ops;
	counting.put_run = count_run;
	sink.ops = &counting;
	in_runs = 0;
	assert_int_equal(trace_run(trace, &sink, 1), ST_OK);
	return notes;
}

/* The rows of the trace, which must be the same on both roads. */
static const char *rows_of_both(struct trace *trace)
{
	struct unit_notes records, runs;
	struct trace other;

	trace_end(trace);
	other = run_steps_in_runs(trace);
	records = rows_of(trace);
	assert_int_equal(in_runs, 0);
	runs = rows_of(&other);
	assert_string_equal(unit_notes_text(&runs), unit_notes_text(&records));
	return unit_notes_of(&records, "context_switch");
}

/* --- one condition each --- */

#include "run_scripts.def"

static void add_steps(struct trace *trace, struct machine *machine,
		      const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count && steps[i].what != DONE; i++)
		run_steps_add(trace, machine, &steps[i]);
}

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
	add_steps(&trace, &machine, known, COUNT(known));
	add_steps(&trace, &machine, script->steps, STEPS);
	add_steps(&trace, &machine, later, COUNT(later));
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
		bool no_runs, gives_rows, is_live, has_cpus, has_hook, is_wanted;
		int64_t from_ns, to_ns;
	} rows[] = {
		{ ROW, .is_wanted = true },  { ROW, .no_runs = true },
		{ ROW, .gives_rows = true }, { ROW, .is_live = true },
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

		ops.gives_rows = rows[i].gives_rows;
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
