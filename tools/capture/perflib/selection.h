/*
 * selection.h - what is to be captured, as the user names it, becomes the identifiers
 * that PerfAddCounters takes.
 *
 *   COUNTERSET[(INSTANCES)][\COUNTERS]
 *
 * COUNTERSET is a name, a GUID in braces, or a pattern of names; INSTANCES is a name or
 * pattern, which the source judges, or #ID; COUNTERS is a name or pattern, or #ID.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_SELECTION_H
#define PERFTAB_CAPTURE_PERFLIB_SELECTION_H

#include "capture/perflib/counterset.h"

#define SELECTION_IDENTIFIERS_MAX 65536
#define SELECTION_BYTES_MAX ((size_t)16 << 20)

struct selection {
	struct countersets *all;  /* borrowed */
	struct counterset **sets; /* each once, in the order of being named */
	size_t set_count, set_room;
	uint8_t *identifiers; /* PERF_COUNTER_IDENTIFIER blocks */
	size_t size, room;
	size_t count;
};

void selection_init(struct selection *selection, struct countersets *all);
/* What is not there, or cannot be read, is said in *error. */
MUST_CHECK enum status selection_add(struct selection *selection, const char *words,
				     struct error *error);
void selection_release(struct selection *selection);

#endif
