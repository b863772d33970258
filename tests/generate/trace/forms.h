/*
 * The forms one trace can be written in: same records, other container.  A form is data;
 * the writer asks it for its traits.
 */
#ifndef PERF_FORMS_H
#define PERF_FORMS_H

#include "trace/scenario.h"

enum form_trait {
	FORM_BIG_ENDIAN = 1 << 0,
	FORM_PIPE = 1 << 1,
	FORM_COMPRESSED = 1 << 2,  /* rings packed in COMPRESSED records */
	FORM_COMPRESSED2 = 1 << 3, /* the same in COMPRESSED2 records */
	FORM_SIZE_WRAP = 1 << 4,   /* some of them too large for header.size */
	FORM_DIRECTORY = 1 << 5,   /* one file of records for each CPU */
	FORM_UNFINISHED = 1 << 6,  /* the recorder was killed */
	FORM_ATTRS_LAST = 1 << 7,  /* ids and attrs after data and features */
	FORM_OLD_MAGIC = 1 << 8,
	FORM_BIG_ATTR = 1 << 9,	 /* attrs of a kernel newer than any reader */
	FORM_BACKWARD = 1 << 10, /* rings written newest record first */
};

struct form {
	const char *name;
	const char *help;
	uint32_t traits;
};

extern const struct form forms[];
extern const size_t form_count;

static inline bool form_has(const struct form *form, uint32_t traits)
{
	return (form->traits & traits) != 0;
}

/* False where the order of the scenario's records would be lost with the form. */
bool form_can_hold(const struct form *form, const struct scenario *scenario);

#endif
