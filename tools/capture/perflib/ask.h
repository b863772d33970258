/*
 * ask.h - a call that needs a larger buffer is made again with one.
 *
 * Rule V4 of docs/formats/perflib-bundle.md: what is asked for must be more than what
 * there was, at most a named maximum, and not for ever.
 */
#ifndef PERFTAB_ASK_H
#define PERFTAB_ASK_H

#include "base/error.h"
#include "source.h"

/* The reader of bundles takes no more (PERFLIB_ANSWER_BYTES_MAX). */
#define ASK_BYTES_MAX ((uint32_t)32 << 20)
#define ASK_TRIES_MAX 16

/* One buffer for all calls; it keeps the size it once had. */
struct ask {
	struct source *source;
	struct source_buffer buffer;
	uint32_t size;	/* of the last answer that is in the buffer, 0: it failed */
	uint32_t wants; /* what the last call says it filled, or would need */
	int64_t ticks_before, ticks_after; /* of the last try */
	enum {
		ASK_FINE,
		ASK_SHRINKS, /* it wants no more than what it had */
		ASK_LIMIT,   /* it wants more than ASK_BYTES_MAX */
		ASK_ENDLESS, /* ASK_TRIES_MAX times */
		ASK_NOMEM,
	} trouble;
};

/* All return the code of the last try; the answer is in the buffer. */
uint32_t ask_enumerate(struct ask *ask);
uint32_t ask_registration(struct ask *ask, const uint8_t *guid, uint32_t request,
			  uint32_t argument);
uint32_t ask_instances(struct ask *ask, const uint8_t *guid);
uint32_t ask_info(struct ask *ask, uint32_t query);
uint32_t ask_data(struct ask *ask, uint32_t query);
void ask_release(struct ask *ask);

/* Why the last call came to nothing; "" when its code says all. */
const char *ask_trouble_text(const struct ask *ask);

#endif
