/* fault_source.c - see fault_source.h. */
#include "fault_source.h"

#include "base/little_endian.h"

/* The fault of this call, if it is its turn. */
static enum fault_kind turn(struct fault_source *faults, enum fault_call call)
{
	unsigned int now = ++faults->made[call];

	if (++faults->all_made == faults->fail_nth)
		return FAULT_CODE;
	if (faults->call != call || now < faults->first)
		return FAULT_NONE;
	return faults->count && now >= faults->first + faults->count ? FAULT_NONE
								     : faults->kind;
}

/* True: *code is the answer, and the inner source is not asked. */
static bool fault(struct fault_source *faults, enum fault_call call,
		  struct source_buffer *buffer, uint32_t *code)
{
	enum fault_kind kind = turn(faults, call);

	if (buffer && buffer->room > faults->most_room)
		faults->most_room = buffer->room;
	*code = CODE_NOT_ENOUGH_MEMORY;
	switch (kind) {
	case FAULT_CODE:
		*code = faults->code;
		return true;
	case FAULT_SHORT:
		buffer->size = buffer->room + 4096;
		return true;
	case FAULT_GROWS:
		buffer->size = buffer->room + 8;
		return true;
	case FAULT_SHRINKS:
		buffer->size = buffer->room / 2;
		return true;
	case FAULT_HUGE:
		buffer->size = UINT32_C(3) << 30;
		return true;
	case FAULT_LIES:
		buffer->size = buffer->room + 1;
		*code = CODE_DONE;
		return true;
	case FAULT_NONE:
	case FAULT_STATUS:
		break;
	}
	return false;
}

#define INNER(state) (&((struct fault_source *)(state))->inner)

static uint32_t fault_enumerate(void *state, struct source_buffer *buffer)
{
	uint32_t code;

	if (fault(state, FAULT_ENUMERATE, buffer, &code))
		return code;
	return INNER(state)->ops->enumerate(INNER(state)->state, buffer);
}

static uint32_t fault_registration(void *state, const uint8_t *guid, uint32_t request,
				   uint32_t argument, struct source_buffer *buffer)
{
	uint32_t code;

	if (fault(state, FAULT_REGISTRATION, buffer, &code))
		return code;
	return INNER(state)->ops->registration(INNER(state)->state, guid, request,
					       argument, buffer);
}

static uint32_t fault_instances(void *state, const uint8_t *guid,
				struct source_buffer *buffer)
{
	uint32_t code;

	if (fault(state, FAULT_INSTANCES, buffer, &code))
		return code;
	return INNER(state)->ops->instances(INNER(state)->state, guid, buffer);
}

static uint32_t fault_open(void *state, uint32_t *query)
{
	uint32_t code;

	if (fault(state, FAULT_OPEN, NULL, &code))
		return code;
	return INNER(state)->ops->open(INNER(state)->state, query);
}

static uint32_t fault_add(void *state, uint32_t query, uint8_t *identifiers,
			  uint32_t size)
{
	struct fault_source *faults = state;
	uint32_t code;

	if (fault(state, FAULT_ADD, NULL, &code))
		return code;
	code = INNER(state)->ops->add(INNER(state)->state, query, identifiers, size);
	for (uint32_t at = 0; faults->kind == FAULT_STATUS && at < size;
	     at += le_u32(identifiers + at + 20))
		le_write_u32(identifiers + at + 16, faults->code);
	return code;
}

static uint32_t fault_info(void *state, uint32_t query, struct source_buffer *buffer)
{
	uint32_t code;

	if (fault(state, FAULT_INFO, buffer, &code))
		return code;
	return INNER(state)->ops->query_info(INNER(state)->state, query, buffer);
}

static uint32_t fault_data(void *state, uint32_t query, struct source_buffer *buffer)
{
	uint32_t code;

	if (fault(state, FAULT_DATA, buffer, &code))
		return code;
	return INNER(state)->ops->query_data(INNER(state)->state, query, buffer);
}

static uint32_t fault_close(void *state, uint32_t query)
{
	return INNER(state)->ops->close(INNER(state)->state, query);
}

static void fault_clock(void *state, struct plb_clock *clock)
{
	INNER(state)->ops->clock(INNER(state)->state, clock);
}

static int64_t fault_ticks(void *state)
{
	return INNER(state)->ops->ticks(INNER(state)->state);
}

static bool fault_fact(void *state, size_t number, const char **key, const char **value)
{
	return INNER(state)->ops->fact(INNER(state)->state, number, key, value);
}

static void fault_release(void *state)
{
	(void)state;
}

static const struct source_ops fault_ops = {
	.name = "faults",
	.is_recorded = true,
	.enumerate = fault_enumerate,
	.registration = fault_registration,
	.instances = fault_instances,
	.open = fault_open,
	.add = fault_add,
	.query_info = fault_info,
	.query_data = fault_data,
	.close = fault_close,
	.clock = fault_clock,
	.ticks = fault_ticks,
	.fact = fault_fact,
	.release = fault_release,
};

struct source fault_source_over(struct fault_source *faults)
{
	return (struct source){ &fault_ops, faults };
}
