/* query_retry.c - repeats calls with a larger buffer; see query_retry.h. */
#include "capture/perflib/query_retry.h"

#include <stdlib.h>

#define FIRST_BYTES 4096

struct call {
	enum { ENUMERATE, REGISTRATION, INSTANCES, INFO, DATA } kind;
	const uint8_t *guid;
	uint32_t request, argument, query;
};

static uint32_t call_once(struct query_retry *retry, const struct call *call)
{
	const struct source_ops *ops = retry->source->ops;
	void *state = retry->source->state;
	struct source_buffer *buffer = &retry->buffer;

	switch (call->kind) {
	case ENUMERATE:
		return ops->enumerate(state, buffer);
	case REGISTRATION:
		return ops->registration(state, call->guid, call->request, call->argument,
					 buffer);
	case INSTANCES:
		return ops->instances(state, call->guid, buffer);
	case INFO:
		return ops->query_info(state, call->query, buffer);
	case DATA:
		break;
	}
	return ops->query_data(state, call->query, buffer);
}

/* An eighth more than required: instances may appear between two calls. */
static bool grow(struct query_retry *retry, uint32_t wanted)
{
	uint32_t room = wanted < RETRY_BYTES_MAX - wanted / 8 ? wanted + wanted / 8
							      : RETRY_BYTES_MAX;

	/* Zeroed: a source that fills less than it reports must not expose old bytes. */
	free(retry->buffer.bytes);
	retry->buffer.bytes = calloc(1, room);
	retry->buffer.room = retry->buffer.bytes ? room : 0;
	if (!retry->buffer.bytes)
		retry->trouble = RETRY_NOMEM;
	return retry->buffer.bytes != NULL;
}

/* Grows the buffer; false, with the reason in retry->trouble: do not retry. */
static bool can_grow(struct query_retry *retry, int tries)
{
	if (retry->wants <= retry->buffer.room)
		retry->trouble = RETRY_SHRINKS;
	else if (retry->wants > RETRY_BYTES_MAX)
		retry->trouble = RETRY_LIMIT;
	else if (tries == RETRY_TRIES_MAX)
		retry->trouble = RETRY_ENDLESS;
	else
		return grow(retry, retry->wants);
	return false;
}

static uint32_t call_with_room(struct query_retry *retry, const struct call *call)
{
	const struct source_ops *ops = retry->source->ops;
	void *state = retry->source->state;
	uint32_t code;

	retry->trouble = RETRY_OK;
	retry->size = 0;
	retry->wants = 0;
	if (!retry->buffer.bytes && !grow(retry, FIRST_BYTES))
		return CODE_NOT_ENOUGH_MEMORY;
	for (int tries = 1;; tries++) {
		retry->buffer.size = 0;
		retry->ticks_before = call->kind == DATA ? ops->ticks(state) : 0;
		code = call_once(retry, call);
		retry->ticks_after = call->kind == DATA ? ops->ticks(state) : 0;
		retry->wants = retry->buffer.size;
		if (code != CODE_NOT_ENOUGH_MEMORY || !can_grow(retry, tries))
			break;
	}
	/*
	 * A size beyond the buffer is recorded as reported; the reader of the bundle
	 * reports it.  The answer is what fits.
	 */
	if (code == CODE_DONE)
		retry->size = retry->wants < retry->buffer.room ? retry->wants
								: retry->buffer.room;
	return code;
}

uint32_t query_retry_enumerate(struct query_retry *retry)
{
	return call_with_room(retry, &(struct call){ .kind = ENUMERATE });
}

uint32_t query_retry_registration(struct query_retry *retry, const uint8_t *guid,
				  uint32_t request, uint32_t argument)
{
	return call_with_room(retry, &(struct call){ .kind = REGISTRATION,
						     .guid = guid,
						     .request = request,
						     .argument = argument });
}

uint32_t query_retry_instances(struct query_retry *retry, const uint8_t *guid)
{
	return call_with_room(retry, &(struct call){ .kind = INSTANCES, .guid = guid });
}

uint32_t query_retry_info(struct query_retry *retry, uint32_t query)
{
	return call_with_room(retry, &(struct call){ .kind = INFO, .query = query });
}

uint32_t query_retry_data(struct query_retry *retry, uint32_t query)
{
	return call_with_room(retry, &(struct call){ .kind = DATA, .query = query });
}

void query_retry_release(struct query_retry *retry)
{
	free(retry->buffer.bytes);
	retry->buffer = (struct source_buffer){ 0 };
}

const char *query_retry_trouble_text(const struct query_retry *retry)
{
	static const char *const texts[] = {
		[RETRY_OK] = "",
		[RETRY_SHRINKS] =
			"it requires a larger buffer but reports no larger size",
		[RETRY_LIMIT] = "it requires a buffer of more than 32 MiB",
		[RETRY_ENDLESS] = "it required a larger buffer 16 times",
		[RETRY_NOMEM] = "out of memory",
	};

	return texts[retry->trouble];
}
