/*
 * counterset.h - the countersets of a source, and their counters, by name.
 *
 * Used to resolve the names a user gives, and for lists; a bundle gets the raw answers.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_COUNTERSET_H
#define PERFTAB_CAPTURE_PERFLIB_COUNTERSET_H

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"
#include "capture/perflib/query_retry.h"
#include "common/suggest.h"

#define COUNTERSETS_MAX 16384
#define COUNTERSET_COUNTERS_MAX 64000 /* PerfLib's own limit */

struct counterset_counter {
	uint32_t id, type;
	uint64_t attributes;
	int32_t scale;
	uint32_t partners[4]; /* base, time, frequency, multi; SOURCE_ANY: none */
	struct str name, english, help; /* ptr NULL: unknown */
};

struct counterset {
	uint8_t guid[PLB_GUID_BYTES];
	struct str name, english, help, provider;
	uint32_t code; /* of the query for its structure; set by counterset_load() */
	uint32_t instance_type;
	struct counterset_counter *counters;
	size_t counter_count;
	struct counterset *next; /* of those that were not enumerated */
};

struct countersets {
	struct arena arena;
	struct query_retry *retry; /* borrowed */
	uint32_t code;		   /* of the enumeration; if it failed, count is 0 */
	struct counterset *sets;
	size_t count;
	struct counterset *others; /* requested by GUID, not enumerated */
	bool out_of_memory;
};

/* Enumerates the countersets and queries their names. */
MUST_CHECK enum status countersets_open(struct countersets *all,
					struct query_retry *retry, struct error *error);
void countersets_release(struct countersets *all);
/* Finds or adds the counterset with that GUID; NULL: out of memory. */
struct counterset *countersets_by_guid(struct countersets *all, const uint8_t *guid);
/* Queries its counters with names and helps; set->code is the result. */
void counterset_load(struct countersets *all, struct counterset *set);
/* "; did you mean 'a' or 'b'?", from the names in both languages, or "". */
void countersets_suggest(const struct countersets *all, struct str name,
			 char to[SUGGEST_TEXT]);
/* The name to display: in the user's language, in English, or the GUID. */
const char *counterset_name(const struct counterset *set, char to[TEXT_GUID_BYTES]);

struct counterset_counter *counterset_counter(const struct counterset *set, uint32_t id);

#endif
