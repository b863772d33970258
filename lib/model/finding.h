/*
 * finding.h - what a user must know about a trace, counted by kind.
 *
 * Readers and attribution add, the end of the trace turns each kind seen into one row of
 * the table `finding`.
 */
#ifndef PERFTAB_FINDING_H
#define PERFTAB_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/record.h"

enum finding_kind {
#define FINDING(enumerator, severity, words) FINDING_##enumerator,
#include "model/findings.def"
#undef FINDING
	FINDING_KINDS
};

/* Gaps that get a row each; further ones are only counted. */
#define FINDING_GAPS_MAX 1024

/* Bytes of the input that could not be used. */
struct finding_gap {
	enum finding_kind kind;
	uint64_t from, to; /* the range [from, to) */
	char text[168];	   /* what is wrong with it */
};

struct findings {
	struct finding_gap *gaps;
	size_t gap_count, gap_room;
	struct { /* all but the gaps with rows */
		int64_t count;
		uint64_t first_offset; /* or ERROR_NO_OFFSET */
		char text[200];	       /* of the first one; "" for the kind's own words */
	} of[FINDING_KINDS];
};

/* Counts `count` of them; offset ERROR_NO_OFFSET when they have no place. */
void finding_add(struct findings *findings, enum finding_kind kind, uint64_t offset,
		 int64_t count);
/* The same with a text of its own; the first text of a kind is kept. */
void finding_report(struct findings *findings, enum finding_kind kind, uint64_t offset,
		    const char *format, ...) PRINTF_LIKE(4, 5);

/* The same for a range of bytes, each of which becomes a row of its own. */
void finding_gap(struct findings *findings, enum finding_kind kind, uint64_t from,
		 uint64_t to, const char *format, ...) PRINTF_LIKE(5, 6);

/* Whether there is one of this kind, a gap or not. */
bool finding_any(const struct findings *findings, enum finding_kind kind);
/* Whether the input was damaged, partial or skipped in part. */
bool findings_damaged(const struct findings *findings);

/* Rows are numbered 0 .. findings_rows() - 1; some numbers have no row. */
static inline size_t findings_rows(const struct findings *findings)
{
	return FINDING_KINDS + findings->gap_count;
}
/* Fills in a row; false when that number has none. */
bool finding_row(const struct findings *findings, size_t number, struct finding_row *row);

void findings_release(struct findings *findings);

#endif
