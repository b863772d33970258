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

/* Counts the intervals of each status; FINDING_KINDS: none does. */
extern const enum finding_kind finding_of_status[CHARGE_STATUSES];

/* The column finding.kind; valid as long as the thread. */
struct str finding_kind_name(enum finding_kind kind);

/* Maximum of gaps with a row each; further ones are only counted. */
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
	struct { /* by kind, without the gaps that have rows */
		int64_t count;
		uint64_t first_offset; /* or ERROR_NO_OFFSET */
		char text[256];	       /* of the first one; "": the words of the kind */
	} of[FINDING_KINDS];
};

/* Adds `count` findings of a kind; offset ERROR_NO_OFFSET: they have no place. */
void finding_add(struct findings *findings, enum finding_kind kind, uint64_t offset,
		 int64_t count);
/* Adds one finding with a text; the first text of a kind is kept. */
void finding_report(struct findings *findings, enum finding_kind kind, uint64_t offset,
		    const char *format, ...) PRINTF_LIKE(4, 5);
/* Replaces the text of a kind, which says something about all of its findings. */
void finding_set_text(struct findings *findings, enum finding_kind kind,
		      const char *text);

/* Adds one for a range of bytes; each range becomes a row. */
void finding_gap(struct findings *findings, enum finding_kind kind, uint64_t from,
		 uint64_t to, const char *format, ...) PRINTF_LIKE(5, 6);

/* Returns whether there is a finding or gap of this kind. */
bool finding_any(const struct findings *findings, enum finding_kind kind);
/* Returns whether the input was damaged, partial or skipped in part. */
bool findings_damaged(const struct findings *findings);
/* Returns trace.status: complete, recovered, or partial: something is missing. */
struct str findings_completeness(const struct findings *findings);

/* Rows are numbered 0 .. findings_rows() - 1; some numbers have no row. */
static inline size_t findings_rows(const struct findings *findings)
{
	return FINDING_KINDS + findings->gap_count;
}
/* Fills in the row of a number; false: the number has none. */
bool finding_row(const struct findings *findings, size_t number, struct finding_row *row);

void findings_release(struct findings *findings);

#endif
