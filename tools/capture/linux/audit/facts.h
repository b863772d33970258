/*
 * facts.h - what the recorder itself knows of a recording, as records of the trace.
 *
 * Lines of fields with tabs between them: what, CPU, event, least, most, found, verdict,
 * note; "-" is not known.  docs/formats/perf-data.md has the values.  The records are of
 * a type that perf skips without a word, in files and pipes alike.
 */
#ifndef PERFTAB_AUDIT_FACTS_H
#define PERFTAB_AUDIT_FACTS_H

#include "base/bytes.h"

#define FACT_NONE INT64_MIN

struct fact {
	const char *what;
	int64_t cpu, event, least, most, found;
	const char *verdict, *note; /* or NULL */
};

/* A fact of which nothing but `what` is known. */
struct fact fact_of(const char *what);
/* Appends a line; tabs and line ends in the note become blanks. */
void fact_write(struct bytes *lines, const struct fact *fact);
/* The lines as records; nothing if there are none. */
void facts_write(struct bytes *to, const struct bytes *lines);

#endif
