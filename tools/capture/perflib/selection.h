/*
 * selection.h - turns the user's requests into the counter identifiers for
 * PerfAddCounters.
 *
 *   COUNTERSET[(INSTANCES)][\COUNTERS]
 *
 * COUNTERSET is a name, a GUID in braces, or a pattern of names; INSTANCES is a name or
 * pattern, resolved by the source, or #ID; COUNTERS is a name or pattern, or #ID.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_SELECTION_H
#define PERFTAB_CAPTURE_PERFLIB_SELECTION_H

#include "capture/perflib/counterset.h"

#define SELECTION_IDENTIFIERS_MAX 65536
#define SELECTION_BYTES_MAX ((size_t)16 << 20)

struct selection {
	struct countersets *all;  /* borrowed */
	struct counterset **sets; /* each once, in order of request */
	size_t set_count, set_room;
	uint8_t *identifiers; /* PERF_COUNTER_IDENTIFIER blocks */
	size_t size, room;
	size_t count;
	bool is_malformed; /* the syntax of the last request is invalid */
};

void selection_init(struct selection *selection, struct countersets *all);
/* ST_UNSUPPORTED, with a message: unknown names or an invalid request. */
MUST_CHECK enum status selection_add(struct selection *selection, const char *words,
				     struct error *error);
void selection_release(struct selection *selection);

#endif
