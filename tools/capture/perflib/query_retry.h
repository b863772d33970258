/*
 * query_retry.h - a call that needs a larger buffer is made again with one.
 *
 * Rule V4 of docs/formats/perflib-bundle.md: what is asked for must be more than what
 * there was, at most a named maximum, and not for ever.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_QUERY_RETRY_H
#define PERFTAB_CAPTURE_PERFLIB_QUERY_RETRY_H

#include "base/error.h"
#include "capture/perflib/source.h"

/* The reader of bundles takes no more (PERFLIB_ANSWER_BYTES_MAX). */
#define RETRY_BYTES_MAX ((uint32_t)32 << 20)
#define RETRY_TRIES_MAX 16

/* One buffer for all calls; it keeps the size it once had. */
struct query_retry {
	struct source *source;
	struct source_buffer buffer;
	uint32_t size;	/* of the last answer that is in the buffer, 0: it failed */
	uint32_t wants; /* what the last call says it filled, or would need */
	int64_t ticks_before, ticks_after; /* of the last try */
	enum {
		RETRY_OK,
		RETRY_SHRINKS, /* it wants no more than what it had */
		RETRY_LIMIT,   /* it wants more than RETRY_BYTES_MAX */
		RETRY_ENDLESS, /* RETRY_TRIES_MAX times */
		RETRY_NOMEM,
	} trouble;
};

/* All return the code of the last try; the answer is in the buffer. */
uint32_t query_retry_enumerate(struct query_retry *retry);
uint32_t query_retry_registration(struct query_retry *retry, const uint8_t *guid,
				  uint32_t request, uint32_t argument);
uint32_t query_retry_instances(struct query_retry *retry, const uint8_t *guid);
uint32_t query_retry_info(struct query_retry *retry, uint32_t query);
uint32_t query_retry_data(struct query_retry *retry, uint32_t query);
void query_retry_release(struct query_retry *retry);

/* Why the last call came to nothing; "" when its code says all. */
const char *query_retry_trouble_text(const struct query_retry *retry);

#endif
