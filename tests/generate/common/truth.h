/*
 * Truths about a trace, as CSV: who was charged what, and that each CPU's counts balance.
 * The ledgers of the generators decide the charges; these are their books.
 */
#ifndef GENERATE_TRUTH_H
#define GENERATE_TRUTH_H

#include "bytes.h"

enum { TRUTH_COUNTERS = 8 };

enum bill_rule {
	RULE_SEPARATE,	   /* unproven intervals go to (unattributed) */
	RULE_SWITCHED_OUT, /* every interval goes to the thread switched out */
	RULE_COUNT
};

enum charge_status {
	STATUS_CHARGED,
	STATUS_INTERRUPTS,
	STATUS_WITH_IDLE,
	STATUS_IDLE, /* charged, and the thread is the CPU's idle thread */
	STATUS_UNATTRIBUTED,
	STATUS_COUNT,
	STATUS_BASELINE /* first sample of a CPU: no interval */
};

struct bill {
	uint64_t switches;
	uint64_t on_cpu_ns;
	uint64_t counts[TRUTH_COUNTERS];
};

/* What the counters of one CPU did. */
struct book {
	uint64_t first[TRUTH_COUNTERS];
	uint64_t last[TRUTH_COUNTERS];
	uint64_t sums[STATUS_COUNT][TRUTH_COUNTERS];
};

/* Rows are written to `rows` and sorted into `out`; names of counters by `name`. */
struct truth {
	const void *context;
	const char *(*name)(const void *context, unsigned counter);
	const char *scenario;
	unsigned counter_count;
};

/* One more switch, of counts that rose by `deltas`. */
void bill_add(struct bill *bill, uint64_t on_cpu_ns, const uint64_t *deltas);
void bill_add_bill(struct bill *bill, const struct bill *more);

/* A field by RFC 4180: quoted only where a comma, a quote or a line end asks for it. */
void truth_field(struct byte_buf *out, const char *text);
/* The columns, those of the counters after them. */
void truth_heading(const struct truth *truth, const char *columns, struct byte_buf *out);
/* The last cells of a row. */
void truth_bill(const struct truth *truth, const struct bill *bill, struct byte_buf *out);
/* Appends the lines as LC_ALL=C sort orders them, and releases `rows`. */
void truth_sorted(struct byte_buf *rows, struct byte_buf *out);
void truth_check_heading(struct byte_buf *out);
/* The rows of a CPU; dies when its book does not balance. */
void truth_check(const struct truth *truth, const struct book *book, unsigned cpu,
		 struct byte_buf *out);

#endif
