/*
 * query_retry.h - calls a source, and repeats the call when it needs a larger buffer.
 *
 * Rule V4 of docs/formats/perflib-bundle.md: the required size must be larger than the
 * last one and at most RETRY_BYTES_MAX, and the number of tries is limited.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_QUERY_RETRY_H
#define PERFTAB_CAPTURE_PERFLIB_QUERY_RETRY_H

#include "base/error.h"
#include "capture/perflib/source.h"

/* The limit of the bundle reader too (PERFLIB_ANSWER_BYTES_MAX). */
#define RETRY_BYTES_MAX ((uint32_t)32 << 20)
#define RETRY_TRIES_MAX 16

/* One buffer for all calls; it never shrinks. */
struct query_retry {
	struct source *source;
	struct source_buffer buffer;
	uint32_t size;	/* of the answer in the buffer; 0: the call failed */
	uint32_t wants; /* size that the last call reported as filled or required */
	int64_t ticks_before, ticks_after; /* of the last try */
	enum {
		RETRY_OK,
		RETRY_SHRINKS, /* it requires no more than it had */
		RETRY_LIMIT,   /* it requires more than RETRY_BYTES_MAX */
		RETRY_ENDLESS, /* it required more, RETRY_TRIES_MAX times */
		RETRY_NOMEM,
	} trouble;
};

/* All return the code of the last try and leave the answer in the buffer. */
uint32_t query_retry_enumerate(struct query_retry *retry);
uint32_t query_retry_registration(struct query_retry *retry, const uint8_t *guid,
				  uint32_t request, uint32_t argument);
uint32_t query_retry_instances(struct query_retry *retry, const uint8_t *guid);
uint32_t query_retry_info(struct query_retry *retry, uint32_t query);
uint32_t query_retry_data(struct query_retry *retry, uint32_t query);
void query_retry_release(struct query_retry *retry);

/* Why the last call was not repeated; "" if it needed no larger buffer. */
const char *query_retry_trouble_text(const struct query_retry *retry);

#endif
