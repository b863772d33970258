/* ask.c - repeats a call with a larger buffer, within limits. */
#include "ask.h"

#include <stdlib.h>

#define FIRST_BYTES 4096

struct call {
	enum { ENUMERATE, REGISTRATION, INSTANCES, INFO, DATA } kind;
	const uint8_t *guid;
	uint32_t request, argument, query;
};

static uint32_t make(struct ask *ask, const struct call *call)
{
	const struct source_ops *ops = ask->source->ops;
	void *state = ask->source->state;
	struct source_buffer *buffer = &ask->buffer;

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

/* Room for what is wanted and an eighth more: instances come while we ask. */
static bool grow(struct ask *ask, uint32_t wanted)
{
	uint32_t room =
		wanted < ASK_BYTES_MAX - wanted / 8 ? wanted + wanted / 8 : ASK_BYTES_MAX;

	/* Zeros: of a source that fills less than it says nothing else is to be seen. */
	free(ask->buffer.bytes);
	ask->buffer.bytes = calloc(1, room);
	ask->buffer.room = ask->buffer.bytes ? room : 0;
	if (!ask->buffer.bytes)
		ask->trouble = ASK_NOMEM;
	return ask->buffer.bytes != NULL;
}

/* Whether it is worth to ask again. */
static bool can_grow(struct ask *ask, int tries)
{
	if (ask->wants <= ask->buffer.room)
		ask->trouble = ASK_SHRINKS;
	else if (ask->wants > ASK_BYTES_MAX)
		ask->trouble = ASK_LIMIT;
	else if (tries == ASK_TRIES_MAX)
		ask->trouble = ASK_ENDLESS;
	else
		return grow(ask, ask->wants);
	return false;
}

static uint32_t ask_call(struct ask *ask, const struct call *call)
{
	const struct source_ops *ops = ask->source->ops;
	void *state = ask->source->state;
	uint32_t code;

	ask->trouble = ASK_FINE;
	ask->size = 0;
	ask->wants = 0;
	if (!ask->buffer.bytes && !grow(ask, FIRST_BYTES))
		return CODE_NOT_ENOUGH_MEMORY;
	for (int tries = 1;; tries++) {
		ask->buffer.size = 0;
		ask->ticks_before = call->kind == DATA ? ops->ticks(state) : 0;
		code = make(ask, call);
		ask->ticks_after = call->kind == DATA ? ops->ticks(state) : 0;
		ask->wants = ask->buffer.size;
		if (code != CODE_NOT_ENOUGH_MEMORY || !can_grow(ask, tries))
			break;
	}
	/* One that says it filled more than there was room for is for the reader to
	 * tell; what there is is kept. */
	if (code == CODE_DONE)
		ask->size = ask->wants < ask->buffer.room ? ask->wants : ask->buffer.room;
	return code;
}

uint32_t ask_enumerate(struct ask *ask)
{
	return ask_call(ask, &(struct call){ .kind = ENUMERATE });
}

uint32_t ask_registration(struct ask *ask, const uint8_t *guid, uint32_t request,
			  uint32_t argument)
{
	return ask_call(ask, &(struct call){ .kind = REGISTRATION,
					     .guid = guid,
					     .request = request,
					     .argument = argument });
}

uint32_t ask_instances(struct ask *ask, const uint8_t *guid)
{
	return ask_call(ask, &(struct call){ .kind = INSTANCES, .guid = guid });
}

uint32_t ask_info(struct ask *ask, uint32_t query)
{
	return ask_call(ask, &(struct call){ .kind = INFO, .query = query });
}

uint32_t ask_data(struct ask *ask, uint32_t query)
{
	return ask_call(ask, &(struct call){ .kind = DATA, .query = query });
}

void ask_release(struct ask *ask)
{
	free(ask->buffer.bytes);
	ask->buffer = (struct source_buffer){ 0 };
}

const char *ask_trouble_text(const struct ask *ask)
{
	static const char *const texts[] = {
		[ASK_FINE] = "",
		[ASK_SHRINKS] = "it asks again for no larger buffer than it was given",
		[ASK_LIMIT] = "it asks for a buffer of more than 32 MiB",
		[ASK_ENDLESS] = "it asked 16 times for a larger buffer",
		[ASK_NOMEM] = "out of memory",
	};

	return texts[ask->trouble];
}
