/*
 * collect.h - collects what a page shows over time, while a trace is read once.
 *
 * It collects the threads on each CPU (lanes), the counts of each group for each thread
 * (books), and single switches as far as they fit (switches.h).  The sums of a book are
 * those of the bill: an interval between two switches is in the bucket in which it ends.
 */
#ifndef PERFTAB_HTML_COLLECT_H
#define PERFTAB_HTML_COLLECT_H

#include "model/run.h"
#include "output/html/keys.h"
#include "output/html/switches.h"
#include "report/bill.h"

#define PERIOD_BOOKS_MAX 8
#define PERIOD_BOOK_COUNTERS_MAX 14
#define LANES_MAX 1024

/* Values of an entry before its counters. */
enum { PERIOD_BOOK_SWITCHES, PERIOD_BOOK_NS, PERIOD_BOOK_COUNTERS };

/* A group; a sampled event: samples and events; or time between SWITCH records. */
struct period_book {
	enum period_book_kind {
		PERIOD_BOOK_OF_GROUP,
		PERIOD_BOOK_OF_EVENT,
		PERIOD_BOOK_OF_TIME
	} kind;
	int64_t id;	 /* of the group or counter */
	size_t counters; /* of the group */
	struct sums sums;
};

struct lane_cpu {
	int64_t last_ns;
	bool has_lane;
	struct lane_cpu *next;
};

/* Lanes from one source: intervals between counter reads, or SWITCH records. */
struct lanes {
	struct sums sums;   /* many short buckets, with the heaviest threads */
	struct sums coarse; /* few long ones, with more threads */
	struct map cpus;
	struct lane_cpu *all, *recent;
	int64_t recent_cpu;
	size_t count;
	bool are_too_many;
};

struct collect {
	struct bill_rule rule;
	int64_t from_ns, to_ns; /* the window of the totals */
	struct sums_budget lane_budget, coarse_budget, book_budget;
	struct lanes intervals, records;
	struct period_book books[PERIOD_BOOKS_MAX];
	size_t book_count;
	bool books_are_too_many;
	struct switches switches;
	int64_t last_ns; /* of a row that had a time */
};

void collect_begin(struct collect *collect, const struct bill_rule *rule, int64_t from_ns,
		   int64_t to_ns);
void collect_end(struct collect *collect);

/* As the hooks of a pipeline; false: out of memory. */
bool collect_interval(struct collect *collect, const struct record *record,
		      bool in_interrupt);
bool collect_run(struct collect *collect, const struct run_rows *rows);
bool collect_sample(struct collect *collect, const struct sample_row *row);
bool collect_on_cpu(struct collect *collect, const struct switch_record_row *row);

/* Returns the lanes of intervals, or of SWITCH records if there are none. */
struct lanes *collect_lanes(struct collect *collect);
/* Frees the lanes, as collect_end() does. */
void collect_end_lanes(struct collect *collect);
/* NULL: there is none. */
struct period_book *collect_book(struct collect *collect, enum period_book_kind kind,
				 int64_t id);
/*
 * The place of a book in the page, by kind and id: rows of a database come in another
 * order than those of its trace.
 */
size_t collect_rank(const struct collect *collect, size_t book);

#endif
