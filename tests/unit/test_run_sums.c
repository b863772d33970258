/*
 * test_run_sums.c - lib/model/run_sums.h, lib/attribution/chain_sums.c and ledger_run.c:
 * what sums of switches come to is what the switches come to as records.
 */
#include "model/run_sums.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/runs.h"
#include "run_steps.h"

/* --- a reader that gives sums, and runs where they are refused --- */

struct sums_play {
	const struct trace *trace; /* in runs */
	size_t at;		   /* in the trace */
	struct run *left;	   /* of the run there; NULL: it was not begun */
	struct run_summed summed;
	struct run_sums sums;
	struct run_limits limits;
	size_t most;  /* switches of sums */
	size_t begun; /* switches of the sums that were given; 0: none were */
	size_t accepted, refused;
};

/* Switches [from, from + count) of a run as a run; place 0 is the one before. */
static struct run *part_of(const struct run *run, size_t from, size_t count)
{
	struct run *part = unit_alloc(sizeof(*part));
	size_t slots = run->common.count;

	*part = *run;
	part->count = count;
	part->first = run->first + (from - 1) * run->bytes;
	for (size_t at = 0; at <= count; at++) {
		size_t of = from + at - 1;

		part->ts_ns[at] = run->ts_ns[of];
		part->prev_tid[at] = run->prev_tid[of];
		part->next_tid[at] = run->next_tid[of];
		part->prev_state[at] = run->prev_state[of];
		part->sample[at] = run->sample[of];
		part->enabled_ns[at] = run->enabled_ns[of];
		part->running_ns[at] = run->running_ns[of];
		part->leader_lost[at] = run->leader_lost[of];
		part->detail_id[at] = run->detail_id[of];
		part->offsets[at] = run->offsets[of];
		memcpy(part->values + at * slots, run->values + of * slots,
		       slots * sizeof(run->values[0]));
	}
	return part;
}

/* The last two of them, and the one before the first. */
static struct run *ends_of(const struct run *run, size_t count)
{
	struct run *ends = part_of(run, count - 1, 2);

	ends->ts_ns[0] = run->ts_ns[0];
	ends->next_tid[0] = run->next_tid[0];
	ends->enabled_ns[0] = run->enabled_ns[0];
	ends->running_ns[0] = run->running_ns[0];
	ends->leader_lost[0] = run->leader_lost[0];
	memcpy(ends->values, run->values, run->common.count * sizeof(run->values[0]));
	return ends;
}

static size_t sum_up(struct sums_play *play)
{
	static uint8_t places[RUN_SUMS_PLACES];
	static struct thread_sums threads[RUN_SUMS_THREADS_MAX];
	static int64_t counts[RUN_SUMS_THREADS_MAX * RUN_SUMS_COUNTERS_MAX];

	size_t count = play->left->count < play->most ? play->left->count : play->most;

	memset(places, 0, sizeof(places));
	play->sums =
		(struct run_sums){ .slots = play->left->common.count,
				   .limits = play->limits.version ? &play->limits : NULL,
				   .has_comms = true,
				   .threads = threads,
				   .counts = counts,
				   .places = places };
	return runs_sum(&play->sums, part_of(play->left, 1, count));
}

static void give_run(struct sums_play *play, struct record *record, size_t count)
{
	record->kind = RECORD_RUN;
	record->run = part_of(play->left, 1, count);
	play->left = part_of(play->left, 1 + count, play->left->count - count);
}

/* What of the run at hand was given as sums is over, or comes again as a run. */
static bool settle(struct sums_play *play, struct record *record)
{
	size_t count = play->begun;

	play->begun = 0;
	if (!count)
		return false;
	if (play->summed.is_refused) {
		play->refused += count;
		if (play->summed.limits.version)
			play->limits = play->summed.limits;
		give_run(play, record, count);
		return true;
	}
	play->accepted += count;
	play->left = part_of(play->left, 1 + count, play->left->count - count);
	return false;
}

static enum status next(struct reader *reader, struct record *record)
{
	struct sums_play *play = *(struct sums_play **)reader->state;
	size_t count;

	if (settle(play, record))
		return ST_OK;
	if (play->left && play->left->count == 0) {
		play->left = NULL;
		play->at++;
	}
	if (play->at == play->trace->count)
		return ST_END;
	*record = play->trace->records[play->at];
	if (record->kind != RECORD_RUN) {
		play->at++;
		return ST_OK;
	}
	if (!play->left) {
		play->left = record->run;
		give_run(play, record, 1);
		return ST_OK;
	}
	count = sum_up(play);
	if (count < 2) {
		give_run(play, record, 1);
		return ST_OK;
	}
	play->summed.sums = &play->sums;
	play->summed.ends = ends_of(play->left, count);
	play->summed.is_refused = false;
	play->begun = count;
	record->kind = RECORD_RUN_SUMS;
	record->summed = &play->summed;
	return ST_OK;
}

/* --- totals of both --- */

static struct unit_notes totals_of(const struct trace *trace, struct sums_play *sums)
{
	static const struct reader_ops ops = { .name = "sums", .next = next };
	static const struct pipeline_hooks no_hooks;
	static struct sink_ops totals;
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	struct unit_play play = { trace->records, trace->count, 0, ST_OK };
	struct reader reader = unit_replay(&play);
	struct pipeline pipeline;

	totals = *sink.ops;
	totals.totals_only = true;
	sink.ops = &totals;
	if (sums) {
		reader.ops = &ops;
		reader.state = &sums;
	}
	pipeline_init(&pipeline, &sink, 1);
	assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&pipeline);
	return notes;
}

/* The totals of records and of sums are the same; the sums, of how many switches. */
static struct sums_play compare(struct trace *trace, size_t most, const char *name)
{
	struct sums_play play = { .most = most };
	struct unit_notes records, sums;
	struct trace runs;

	trace_end(trace);
	runs = run_steps_in_runs(trace);
	play.trace = &runs;
	records = totals_of(trace, NULL);
	sums = totals_of(&runs, &play);
	if (strcmp(unit_notes_text(&sums), unit_notes_text(&records)) != 0)
		print_error("%s:\n", name);
	assert_string_equal(unit_notes_text(&sums), unit_notes_text(&records));
	return play;
}

/* --- one condition each, and all together --- */

#include "run_scripts.def"

UNIT_TEST(sum_scripts)
{
	size_t accepted = 0, refused = 0;

	for (size_t i = 0; i < COUNT(scripts); i++) {
		struct machine machine = { .ts_ns = 1000,
					   .values = { { 5, 1000, 1000 } } };
		struct trace trace = { NULL, 0, 0 };
		struct sums_play play;

		run_steps_begin(&trace, 1 + scripts[i].groups);
		run_steps_add_all(&trace, &machine, known, COUNT(known));
		/* Now the threads have processes, which sums must not make. */
		run_steps_add_all(&trace, &machine, scripts[i].steps, STEPS);
		run_steps_add_all(&trace, &machine, later, COUNT(later));
		run_steps_add_all(&trace, &machine, later, COUNT(later));
		play = compare(&trace, 3, scripts[i].name);
		accepted += play.accepted;
		refused += play.refused;
	}
	print_message("%zu switches in sums, %zu refused\n", accepted, refused);
	assert_true(accepted > 2 * COUNT(scripts));
	assert_true(refused > 2 * COUNT(scripts));
}

UNIT_TEST(sum_wild)
{
	size_t accepted = 0, refused = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct machine machine = { .ts_ns = 1000, .values = { { 5, 10, 90 } } };
		struct trace trace = { NULL, 0, 0 };
		struct sums_play play;

		run_steps_begin(&trace, 1);
		run_steps_add_wild(&trace, &machine, seed, 600);
		play = compare(&trace, seed % 20 + 2, "wild");
		accepted += play.accepted;
		refused += play.refused;
	}
	print_message("%zu switches in sums, %zu refused\n", accepted, refused);
	assert_in_range(accepted, 700, 5000); /* of 6 000 */
	assert_in_range(refused, 100, 5000);
}

/* --- what only some sums show --- */

static const struct step warm[] = {
	SWITCH(1, 2, CHARGED),
	SWITCH(2, 1, CHARGED),
};

/* So long that the rules of the audit are known, and two threads. */
static struct trace begin_warm(struct machine *machine)
{
	struct trace trace = { NULL, 0, 0 };

	*machine = (struct machine){ .ts_ns = 1000, .values = { { 5, 1000, 1000 } } };
	run_steps_begin(&trace, 1);
	run_steps_add_all(&trace, machine, known, COUNT(known));
	for (int i = 0; i < 9; i++)
		run_steps_add_all(&trace, machine, warm, COUNT(warm));
	return trace;
}

/* Leaves often without a switch: it was there all the same, as its sums show. */
UNIT_TEST(sum_leaving)
{
	static const struct step fork = EVENT(FORKED, 9);
	static const struct step unseen[] = { SWITCH(1, 9, CHARGED),
					      SWITCH(2, 1, CHAIN) };
	static const struct step seen[] = { SWITCH(1, 9, CHARGED),
					    SWITCH(9, 1, CHARGED) };
	struct machine machine;
	struct trace trace = begin_warm(&machine);
	struct sums_play play;

	run_steps_add(&trace, &machine, &fork);
	for (int i = 0; i < 30; i++)
		run_steps_add_all(&trace, &machine, unseen, COUNT(unseen));
	for (int i = 0; i < 10; i++)
		run_steps_add_all(&trace, &machine, seen, COUNT(seen));
	play = compare(&trace, 3, "leaving");
	assert_true(play.accepted > 10);
}

/* The last name counts, also of a thread that sums would give its first one. */
UNIT_TEST(sum_names)
{
	static const char *const names[] = {
		"one", "two", "three", "four", "five", "six"
	};
	struct machine machine;
	struct trace trace = begin_warm(&machine);
	struct sums_play play;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct step named = warm[0];

		named.comm = names[i];
		run_steps_add(&trace, &machine, &named);
		run_steps_add(&trace, &machine, &warm[1]);
	}
	play = compare(&trace, 6, "names");
	assert_true(play.accepted > 10);
}
