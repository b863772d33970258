/* verdicts.c - collects checks and facts of a trace, and reports a verdict a counter. */
#include "audit/verdicts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "model/own_facts.h"

/* The books are read beside the recording, so they may differ by this much. */
#define BOOK_SLACK 50
#define BOOK_SLACK_PART 200

void verdicts_begin(struct verdicts *v, int64_t first_counter_id, int64_t first_group_id)
{
	*v = (struct verdicts){ .first_counter_id = first_counter_id,
				.first_group_id = first_group_id };
}

void verdicts_end(struct verdicts *v)
{
	free(v->counters);
	free(v->groups);
	free(v->max_khz);
	arena_release(&v->arena);
	verdicts_begin(v, 0, 0);
}

/* --- counters --- */

/* The counter, added if it is new; NULL: out of memory, or too many. */
static struct verdict_counter *intern_counter(struct verdicts *v, int64_t counter_id)
{
	uint64_t at = (uint64_t)counter_id - (uint64_t)v->first_counter_id;

	if (at >= VERDICT_COUNTERS_MAX)
		return NULL;
	if (!ARRAY_GROW_ZEROED(v->counters, v->counter_count, (size_t)at)) {
		v->out_of_memory = true;
		return NULL;
	}
	return &v->counters[at];
}

void verdicts_group(struct verdicts *v, const struct counter_group_row *row)
{
	uint64_t at = (uint64_t)row->group_id - (uint64_t)v->first_group_id;
	struct verdict_group *group;

	if (at != v->group_count || row->counters < 0 ||
	    row->counters > GROUP_COUNTERS_MAX)
		return; /* groups come in order of their ids */
	if (!ARRAY_GROW_ZEROED(v->groups, v->group_room, v->group_count)) {
		v->out_of_memory = true;
		return;
	}
	group = &v->groups[v->group_count++];
	group->group_id = row->group_id;
	group->slots = (size_t)row->counters;
	group->per_task = str_equal(row->scope, STR("task"));
}

void verdicts_counter(struct verdicts *v, const struct counter_row *row)
{
	struct verdict_counter *counter = intern_counter(v, row->counter_id);
	const struct role_counter described = {
		.event = arena_str(&v->arena, row->event.ptr ? row->event : row->name),
		.type = row->type,
		.config = row->config,
	};
	uint64_t at = (uint64_t)row->group_id - (uint64_t)v->first_group_id;
	size_t slots = at < v->group_count ? v->groups[at].slots : 0;

	if (!counter || !described.event.ptr)
		return;
	counter->is_known = true;
	counter->name = described.event;
	counter->group_id = row->group_id;
	counter->slot = row->slot;
	/* Without the machine, raw numbers mean nothing. */
	counter->found = role_find(&described, STR(""), STR(""));
	if (row->slot < 0 || (uint64_t)row->slot >= slots)
		counter->group_id = INT_NONE; /* not read at switches */
	else
		v->has_rules |= counter->found.role == ROLE_INSTRUCTIONS ||
				counter->found.role == ROLE_CYCLES;
}

/* --- checks of the recorder --- */

static void keep_khz(struct verdicts *v, const struct audit_check_row *row)
{
	if (row->cpu < 0 || row->cpu >= CPU_MAX || row->found <= 0)
		return;
	if (ARRAY_GROW_ZEROED(v->max_khz, v->khz_count, (size_t)row->cpu))
		v->max_khz[row->cpu] = row->found;
	else
		v->out_of_memory = true;
	v->khz_version++;
}

static void print_number(char *to, size_t size, int64_t number)
{
	if (number == INT_NONE)
		text_print(to, size, "any number");
	else
		text_grouped(to, size, number);
}

static void check_counter(struct verdicts *v, const struct audit_check_row *row)
{
	struct verdict_counter *counter = intern_counter(v, row->counter_id);
	char found[40], least[40], most[40], note[120];

	if (!counter)
		return;
	counter->is_tested = true;
	counter->is_proven |= str_equal(row->verdict, STR("proven"));
	counter->is_partial |= str_equal(row->verdict, STR("plausible"));
	if (!str_equal(row->verdict, STR("contradicted")))
		return;
	print_number(found, sizeof(found), row->found);
	print_number(least, sizeof(least), row->least);
	print_number(most, sizeof(most), row->most);
	text_shown(note, sizeof(note), row->note, 60);
	verdict_contradict(counter,
			   "known work on CPU %lld: %s, %s where %s to %s are right",
			   (long long)row->cpu, note, found, least, most);
}

/* Notes an untested group, by its leader, or a CPU; its counters may come later. */
static void note_untested(struct verdicts *v, const struct audit_check_row *row)
{
	struct verdict_counter *leader =
		row->counter_id == INT_NONE ? NULL : intern_counter(v, row->counter_id);

	if (leader)
		leader->is_refused = true;
	else
		v->is_partial = true;
}

static bool is_partial(const struct verdicts *v, const struct verdict_counter *counter)
{
	bool partial = v->is_partial || counter->is_partial;

	for (size_t i = 0; i < v->counter_count && !partial; i++)
		partial = v->counters[i].is_refused &&
			  v->counters[i].group_id == counter->group_id;
	return partial;
}

static void report_held(struct verdicts *v, const struct audit_check_row *row,
			uint64_t offset, struct findings *findings)
{
	char note[140];

	text_shown(note, sizeof(note), row->note, 100);
	finding_report(findings, FINDING_HELD_COUNTERS, offset,
		       "CPU %lld: %lld of %lld counters of the PMU were free: %s",
		       (long long)row->cpu,
		       (long long)(row->found == INT_NONE ? 0 : row->found),
		       (long long)row->most, note);
	v->held++;
}

/* False: there are too many. */
static bool keep_book(struct verdicts *v, const struct audit_check_row *row)
{
	if (v->book_count >= VERDICT_BOOKS_MAX)
		return false;
	v->books[v->book_count] = *row;
	v->books[v->book_count].what = arena_str(&v->arena, row->what);
	v->books[v->book_count++].note = STR_NONE;
	return true;
}

bool verdicts_check(struct verdicts *v, const struct audit_check_row *row,
		    uint64_t offset, struct findings *findings)
{
	switch (own_fact_find(row->what)) {
	case FACT_SWITCHES:
	case FACT_INTERRUPTS:
	case FACT_SOFTIRQS:
	case FACT_TICKS:
		return keep_book(v, row);
	case FACT_MAX_KHZ:
		keep_khz(v, row);
		return false;
	case FACT_UNTESTED:
		note_untested(v, row);
		return false;
	case FACT_HELD:
		report_held(v, row, offset, findings);
		return false;
	case FACT_PLACED:
		if (row->found < row->most) {
			report_held(v, row, offset, findings);
			return false;
		}
		break;
	default:
		break;
	}
	if (row->counter_id != INT_NONE && row->verdict.ptr)
		check_counter(v, row);
	return false;
}

void verdicts_interrupt(struct verdicts *v, struct str kind)
{
	v->irqs += str_equal(kind, STR("irq"));
	v->softirqs += str_equal(kind, STR("softirq"));
}

/* --- the report --- */

/* Returns how many of these were recorded; INT_NONE: they were not requested. */
static int64_t recorded(const struct verdicts *v, const struct audit_check_row *book,
			int64_t switches)
{
	switch (own_fact_find(book->what)) {
	case FACT_SWITCHES:
		return switches;
	case FACT_INTERRUPTS:
		return v->irqs ? v->irqs : INT_NONE;
	case FACT_SOFTIRQS:
		return v->softirqs ? v->softirqs : INT_NONE;
	default:
		return INT_NONE;
	}
}

static void judge_book(struct audit_check_row *book, struct findings *findings)
{
	int64_t slack, less;
	char kernel[40], found[40];

	if (book->found == INT_NONE || book->least == INT_NONE)
		return;
	slack = book->least / BOOK_SLACK_PART;
	slack = slack > BOOK_SLACK ? slack : BOOK_SLACK;
	less = book->least - book->found;
	book->verdict = less > slack ? STR("contradicted") : STR("plausible");
	if (less <= slack)
		return;
	text_grouped(kernel, sizeof(kernel), book->least);
	text_grouped(found, sizeof(found), book->found);
	finding_report(findings, FINDING_KERNEL_BOOKS, ERROR_NO_OFFSET,
		       "%.*s: the kernel counted %s, the recording has %s",
		       (int)book->what.len, book->what.ptr, kernel, found);
}

static struct counter_audit_row verdict_of(const struct verdicts *v,
					   const struct verdict_counter *counter,
					   int64_t counter_id)
{
	bool is_whole;

	struct counter_audit_row row = { .counter_id = counter_id,
					 .verdict = STR("plausible"),
					 .reason = STR_NONE };

	if (counter->is_contradicted) {
		row.verdict = STR("contradicted");
		row.reason = str_of(counter->reason);
	} else if (counter->is_proven) {
		is_whole = !is_partial(v, counter);
		row.verdict = is_whole ? STR("proven") : STR("plausible");
		row.reason = is_whole ? STR("known work on each CPU")
				      : STR("known work, not on all CPUs");
	} else if (counter->is_tested) {
		row.reason = STR("nothing that was tested is against it");
	}
	return row;
}

static enum status report_counters(const struct verdicts *v, struct findings *findings,
				   enum status (*put)(void *context,
						      enum record_kind kind,
						      const void *row),
				   void *context)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < v->counter_count && status == ST_OK; i++) {
		const struct verdict_counter *counter = &v->counters[i];
		const struct counter_audit_row row =
			verdict_of(v, counter, v->first_counter_id + (int64_t)i);
		char name[100];

		if (!counter->is_known)
			continue;
		text_shown(name, sizeof(name), counter->name, 30);
		if (counter->is_contradicted)
			finding_report(findings, FINDING_CONTRADICTED, ERROR_NO_OFFSET,
				       "%s is contradicted by %s", name, counter->reason);
		status = put(context, RECORD_counter_audit, &row);
	}
	return status;
}

enum status verdicts_report(struct verdicts *v, int64_t trace_id, int64_t switches,
			    struct findings *findings,
			    enum status (*put)(void *context, enum record_kind kind,
					       const void *row),
			    void *context)
{
	enum status status = v->out_of_memory ? ST_NOMEM : ST_OK;

	verdicts_sum_up(v);
	for (size_t i = 0; i < v->book_count && status == ST_OK; i++) {
		struct audit_check_row row = v->books[i];

		row.trace_id = trace_id;
		row.found = recorded(v, &row, switches);
		judge_book(&row, findings);
		status = put(context, RECORD_audit_check, &row);
	}
	return status == ST_OK ? report_counters(v, findings, put, context) : status;
}
