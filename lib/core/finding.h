/*
 * finding.h - what must be told about a trace, counted by kind.
 *
 * Readers and attribution add, the end of the trace turns each kind seen into one row of
 * the table `finding`.
 */
#ifndef PERFTAB_FINDING_H
#define PERFTAB_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record.h"

enum finding_kind {
#define FINDING(enumerator, severity, words) FINDING_##enumerator,
#include "core/findings.def"
#undef FINDING
	FINDING_KINDS
};

struct findings {
	struct {
		int64_t count;
		uint64_t first_offset; /* or ERROR_NO_OFFSET */
		char text[200];	       /* of the first one; "" for the kind's own words */
	} of[FINDING_KINDS];
};

/* Counts `count` of them; offset ERROR_NO_OFFSET when they have no place. */
void finding_add(struct findings *findings, enum finding_kind kind, uint64_t offset,
		 int64_t count);
/* The same for one that has something of its own to say; the first one is kept. */
void finding_say(struct findings *findings, enum finding_kind kind, uint64_t offset,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Something was damaged, partial or skipped. */
bool findings_damaged(const struct findings *findings);

/* Fills a row for `kind`; false when nothing of that kind was found. */
bool finding_row(const struct findings *findings, enum finding_kind kind,
		 struct finding_row *row);

#endif
