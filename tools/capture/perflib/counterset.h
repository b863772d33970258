/*
 * counterset.h - what a source says there is: countersets by name, and their counters.
 *
 * For finding what the user names, and for lists; the bundle gets the raw answers.
 */
#ifndef PERFTAB_COUNTERSET_H
#define PERFTAB_COUNTERSET_H

#include "ask.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"
#include "common/suggest.h"

#define COUNTERSETS_MAX 16384
#define COUNTERSET_COUNTERS_MAX 64000 /* PerfLib's own limit */

struct counterset_counter {
	uint32_t id, type;
	uint64_t attributes;
	int32_t scale;
	uint32_t partners[4]; /* base, time, frequency, multi; SOURCE_ANY: none */
	struct str name, english, help; /* ptr NULL: not known */
};

struct counterset {
	uint8_t guid[PLB_GUID_BYTES];
	struct str name, english, help, provider;
	uint32_t code; /* of asking for its structure; counterset_look() */
	uint32_t instance_type;
	struct counterset_counter *counters;
	size_t counter_count;
	struct counterset *next; /* of those that are in no list */
};

struct countersets {
	struct arena arena;
	struct ask *ask; /* borrowed */
	uint32_t code;	 /* of enumerating; then there are none */
	struct counterset *sets;
	size_t count;
	struct counterset *others; /* that were asked for by GUID */
	bool out_of_memory;
};

/* Enumerates them and asks for their names. */
MUST_CHECK enum status countersets_open(struct countersets *all, struct ask *ask,
					struct error *error);
void countersets_release(struct countersets *all);
/* One that was not enumerated, or that GUID among them; NULL: out of memory. */
struct counterset *countersets_by_guid(struct countersets *all, const uint8_t *guid);
/* Structure, names and helps of its counters; set->code says whether there are any. */
void counterset_look(struct countersets *all, struct counterset *set);
/* "; did you mean 'a' or 'b'?", of their names in both languages, or nothing. */
void countersets_near(const struct countersets *all, struct str name, char to[NEAR_TEXT]);
/* The name to show: the user's language, English, or the GUID. */
const char *counterset_name(const struct counterset *set, char to[TEXT_GUID_BYTES]);

struct counterset_counter *counterset_counter(const struct counterset *set, uint32_t id);

#endif
