/*
 * verdicts.h - which counters of a trace can be trusted: proven, plausible, contradicted.
 *
 * Three witnesses: known work, which perftab-capture ran through the same groups before
 * the recording; each charged interval, where two counters or a counter and a clock must
 * agree (intervals.c); and the kernel's own books of the recording.  Verdicts are of the
 * whole trace, whatever window is reported.
 */
#ifndef PERFTAB_VERDICTS_H
#define PERFTAB_VERDICTS_H

#include "base/arena.h"
#include "base/error.h"
#include "counters/role.h"
#include "model/finding.h"
#include "model/run_sums.h"

#define VERDICT_COUNTERS_MAX 65536 /* counters of a trace that get one */
#define VERDICT_BOOKS_MAX 16	   /* kinds of kernel books */

struct verdict_counter {
	bool is_known;	 /* there is such a counter */
	bool is_proven;	 /* by known work on a CPU */
	bool is_tested;	 /* by anything */
	bool is_partial; /* a check left room for doubt */
	bool is_refused; /* the group that it leads was not tested on some CPU */
	struct str name;
	bool is_contradicted;
	struct role_found found;
	int64_t group_id, slot;
	int64_t bad_intervals; /* that break the rule named in `rule` */
	const char *rule;
	char reason[240]; /* by what, for the first contradiction */
};

/* The sum of a counter of a group on a CPU, of intervals charged to threads. */
struct verdict_sum {
	int64_t on_cpu_ns, count;
};

/* A counter of instructions or cycles, and its partner of the same kind of core. */
struct verdict_rule {
	size_t slot;
	size_t cycles_slot;	  /* of cycles to compare with; SIZE_MAX: none */
	struct verdict_sum *sums; /* by CPU */
	size_t sum_count;
	bool is_cycles;
	bool is_summed; /* counts all of a CPU, in user and kernel mode */
	bool was_used;
	size_t counter, cycles_counter;
};

struct verdict_group {
	int64_t group_id;
	size_t slots;
	bool per_task, is_ready;
	struct verdict_rule *rules;
	size_t rule_count;
};

/* All zero: nothing is known yet. */
struct verdicts {
	struct arena arena;
	bool has_rules; /* false: no interval is checked */
	int64_t first_counter_id, first_group_id;
	struct verdict_counter *counters; /* by counter_id - first_counter_id */
	size_t counter_count;		  /* room; see verdict_counter.is_known */
	struct verdict_group *groups;
	size_t group_count, group_room;
	int64_t *max_khz; /* by CPU, 0: not known */
	size_t khz_count;
	uint64_t khz_version; /* number of changes of max_khz */
	bool is_partial;      /* some CPU was not tested at all */
	int64_t held;	      /* CPUs on which others hold counters */
	struct audit_check_row books[VERDICT_BOOKS_MAX];
	size_t book_count;
	int64_t irqs, softirqs; /* recorded ones */
	bool out_of_memory;
};

/* The ids of its first counter and group. */
void verdicts_begin(struct verdicts *verdicts, int64_t first_counter_id,
		    int64_t first_group_id);
void verdicts_end(struct verdicts *verdicts);

void verdicts_group(struct verdicts *verdicts, const struct counter_group_row *row);
void verdicts_counter(struct verdicts *verdicts, const struct counter_row *row);
/*
 * A check of the recorder, counter_id that of the output.  True: one of the kernel's
 * books, which is reported at the end, with what was recorded.
 */
bool verdicts_check(struct verdicts *verdicts, const struct audit_check_row *row,
		    uint64_t offset, struct findings *findings);
/* An interrupt of that kind ended. */
void verdicts_interrupt(struct verdicts *verdicts, struct str kind);

/* intervals.c, for verdicts_interval() and interval_sums.c. */
bool verdict_is_above(int64_t instructions, int64_t cycles);
double verdict_cycles_max(int64_t time_ns, int64_t khz);
void verdict_add_sum(struct verdicts *verdicts, struct verdict_rule *rule, int64_t cpu,
		     int64_t on_cpu_ns, int64_t count);
void verdicts_judge(struct verdicts *verdicts, const struct context_switch_row *row,
		    const int64_t *deltas, size_t slots, bool is_idle);
void verdicts_judge_run(struct verdicts *verdicts, const struct run *run,
			int64_t group_id, size_t from, size_t to);

/* Judges an interval that a switch or a read ended, with its deltas. */
static inline void verdicts_interval(struct verdicts *verdicts,
				     const struct context_switch_row *row,
				     const int64_t *deltas, size_t slots, bool is_idle)
{
	if (verdicts->has_rules && row->status == CHARGE_CHARGED)
		verdicts_judge(verdicts, row, deltas, slots, is_idle);
}

/* Judges the charged intervals of a run at places [from, to). */
static inline void verdicts_run(struct verdicts *verdicts, const struct run *run,
				int64_t group_id, size_t from, size_t to)
{
	if (verdicts->has_rules)
		verdicts_judge_run(verdicts, run, group_id, from, to);
}

/*
 * interval_sums.c: the same of many at once.  What must hold for each: limits.version is
 * 0 where no interval is looked at, or it is not known yet what for.
 */
struct run_limits verdicts_limits(const struct verdicts *verdicts, int64_t group_id,
				  size_t slots);
/* Clears is_next of switches of a run that exceed the limits.  For any thread. */
void verdicts_limit_run(const struct run_limits *limits, struct run *run);
/* Adds the sums of intervals within the limits on a CPU; only all_ns includes idle's. */
void verdicts_add_sums(struct verdicts *verdicts, int64_t group_id, int64_t cpu,
		       int64_t all_ns, int64_t on_cpu_ns, const int64_t *counts);

/* intervals.c: what the sums of all intervals show, before the report. */
void verdicts_sum_up(struct verdicts *verdicts);

/*
 * Emits the books and a row for each counter, and adds findings; switches: how many were
 * recorded.
 */
MUST_CHECK enum status verdicts_report(struct verdicts *verdicts, int64_t trace_id,
				       int64_t switches, struct findings *findings,
				       enum status (*put)(void *context,
							  enum record_kind kind,
							  const void *row),
				       void *context);

/* The counter is contradicted; the first reason is kept. */
void verdict_contradict(struct verdict_counter *counter, const char *format, ...)
	PRINTF_LIKE(2, 3);

#endif
