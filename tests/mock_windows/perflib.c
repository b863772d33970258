/*
 * perflib.c - the mock of PerfLib's consumer functions.
 *
 * The answers come from a bundle; a script can make a call report a wrong size:
 *
 *   short    it requires more than there is room for, once
 *   growing  it requires 8 bytes more than there is room for
 *   huge     it requires 3 GiB
 *   shrinks  it requires half of what there is room for
 *   lies     it reports success and more bytes than there is room for
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/text.h"
#include "capture/perflib/replay.h"
#include "capture/windows/api/numbers.h"
#include "mock.h"

#define QUERY 0x5000u
#define IDENTIFIERS_MAX 8192

enum size_fault {
	SIZE_SHORT = 0xf0000001,
	SIZE_GROWING,
	SIZE_HUGE,
	SIZE_SHRINKS,
	SIZE_LIES,
};

static struct {
	struct source source; /* ops NULL: not opened yet */
	uint32_t recorded;    /* number of the query in the bundle */
	bool is_open;
	uint8_t identifiers[IDENTIFIERS_MAX];
	uint32_t size;
} consumer;

uint32_t mock_size_fault(const char *word)
{
	static const char *const words[] = { "short", "growing", "huge", "shrinks",
					     "lies" };

	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return SIZE_SHORT + i;
	return 0;
}

/* The bundle as a source; opened once. */
static const struct source *inner(void)
{
	struct error error = { .status = ST_OK };

	if (consumer.source.ops)
		return &consumer.source;
	if (replay_open(&consumer.source, mock.bundle, &error) != ST_OK) {
		fprintf(stderr, "mock_windows: %s\n", error.text);
		exit(99);
	}
	if (consumer.source.ops->open(consumer.source.state, &consumer.recorded) !=
	    CODE_DONE)
		consumer.recorded = 0;
	return &consumer.source;
}

void mock_perflib_release(void)
{
	if (consumer.source.ops)
		consumer.source.ops->release(consumer.source.state);
}

/* The GUID in the bundle for that of the program. */
static const uint8_t *recorded_guid(const void *guid)
{
	static const uint8_t processors[16] = { 0x1a, 0x72, 0xfc, 0xb4, 0x78, 0x03,
						0x6f, 0x47, 0x89, 0xba, 0xa5, 0xa7,
						0x9f, 0x81, 0x0b, 0x36 };
	static uint8_t first[16];
	struct source_buffer buffer = { .bytes = first, .room = sizeof(first) };

	if (!mock.processors || memcmp(guid, processors, 16) != 0)
		return guid;
	(void)inner()->ops->enumerate(inner()->state, &buffer);
	return first;
}

/* --- sizes --- */

/* True: the script demands an answer, *number; else the bundle answers. */
static bool is_answered(uint32_t *number, struct source_buffer *buffer)
{
	uint32_t wanted = *number;

	if (!buffer->bytes && buffer->room) {
		*number = mock_fault("room without a buffer");
		return true;
	}
	*number = WIN_NOT_ENOUGH_MEMORY;
	if (wanted == SIZE_SHORT)
		buffer->size = buffer->room + 4096;
	else if (wanted == SIZE_GROWING)
		buffer->size = buffer->room + 8;
	else if (wanted == SIZE_HUGE)
		buffer->size = 3u << 30;
	else if (wanted == SIZE_SHRINKS)
		buffer->size = buffer->room / 2;
	else if (wanted == SIZE_LIES)
		buffer->size = buffer->room + 4096;
	*number = wanted == SIZE_LIES ? WIN_OK : buffer->size ? *number : wanted;
	return *number != WIN_OK || buffer->size;
}

static uint32_t log_answer(uint32_t number, const struct source_buffer *buffer,
			   uint32_t *size)
{
	*size = buffer->size;
	mock_log(" of %u = %u, %u bytes\n", buffer->room, number, buffer->size);
	return number;
}

/* --- countersets --- */

static void log_guid(const char *function, const struct win_guid *set)
{
	char text[TEXT_GUID_BYTES];
	uint8_t bytes[16];

	memcpy(bytes, set, sizeof(bytes));
	text_guid(text, bytes);
	mock_log("%s %s", function, text);
}

/* Counts GUIDs, the others bytes. */
static uint32_t enumerate(struct win_guid *sets, uint32_t room, uint32_t *count)
{
	struct source_buffer buffer = { .bytes = (void *)sets, .room = 16 * room };
	uint32_t number = mock_enter("PerfEnumerateCounterSet");

	if (!is_answered(&number, &buffer))
		number = inner()->ops->enumerate(inner()->state, &buffer);
	*count = (buffer.size + 15) / 16;
	mock_log("PerfEnumerateCounterSet of %u = %u, %u\n", room, number, *count);
	return number;
}

static uint32_t registration(const struct win_guid *set, uint32_t request,
			     uint32_t argument, void *bytes, uint32_t room,
			     uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = mock_enter("PerfQueryCounterSetRegistrationInfo");

	log_guid("PerfQueryCounterSetRegistrationInfo", set);
	mock_log(" %u %u", request, argument);
	if (!is_answered(&number, &buffer))
		number = inner()->ops->registration(inner()->state, recorded_guid(set),
						    request, argument, &buffer);
	return log_answer(number, &buffer, size);
}

static uint32_t instances(const struct win_guid *set, void *bytes, uint32_t room,
			  uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = mock_enter("PerfEnumerateCounterSetInstances");

	log_guid("PerfEnumerateCounterSetInstances", set);
	if (!is_answered(&number, &buffer))
		number = inner()->ops->instances(inner()->state, recorded_guid(set),
						 &buffer);
	return log_answer(number, &buffer, size);
}

/* --- a query --- */

/* For calls without a buffer: faults of sizes do not apply. */
static uint32_t enter(const char *function)
{
	uint32_t number = mock_enter(function);

	return number >= SIZE_SHORT ? WIN_OK : number;
}

static uint32_t open_query(uint64_t *query)
{
	uint32_t number = enter("PerfOpenQueryHandle");

	if (number == WIN_OK && consumer.is_open)
		number = mock_fault("a second query");
	mock_log("PerfOpenQueryHandle = %u\n", number);
	if (number != WIN_OK)
		return number;
	*query = QUERY;
	consumer.is_open = true;
	mock.handles++;
	return WIN_OK;
}

static bool is_ours(uint64_t query)
{
	return consumer.is_open && query == QUERY;
}

static bool is_known(const uint8_t *guid)
{
	struct source_buffer buffer = { .size = 0 };
	const struct source *source = inner();

	return source->ops->registration(source->state, recorded_guid(guid),
					 PLB_COUNTERSET_STRUCT, 0,
					 &buffer) == CODE_NOT_ENOUGH_MEMORY;
}

/* Sets the status of each identifier; false: invalid sizes. */
static bool set_statuses(uint8_t *identifiers, uint32_t size)
{
	const struct mock *m = &mock;
	uint32_t at = 0, length;

	for (uint32_t i = 1; size - at >= SOURCE_IDENTIFIER_BYTES; i++, at += length) {
		uint32_t status =
			is_known(identifiers + at) ? CODE_DONE : CODE_SET_NOT_FOUND;

		length = le_u32(identifiers + at + 20);
		if (length < SOURCE_IDENTIFIER_BYTES || length % 8 || length > size - at)
			return false;
		le_write_u32(identifiers + at + 16,
			     i == m->refused_identifier ? m->refused_code : status);
	}
	return at == size;
}

static uint32_t add(uint64_t query, void *identifiers, uint32_t size)
{
	uint32_t number = enter("PerfAddCounters");

	if (!is_ours(query) || size > IDENTIFIERS_MAX)
		return mock_fault("the query");
	mock_log("PerfAddCounters, %u bytes = %u\n", size, number);
	mock_log_identifiers(identifiers, size);
	if (number != WIN_OK)
		return number;
	if (!set_statuses(identifiers, size))
		return mock_fault("identifiers");
	memcpy(consumer.identifiers, identifiers, size);
	consumer.size = size;
	return WIN_OK;
}

/* In the order added, like the blocks of the bundle. */
static uint32_t query_info(uint64_t query, void *bytes, uint32_t room, uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = mock_enter("PerfQueryCounterInfo");

	if (!is_ours(query))
		return mock_fault("the query");
	mock_log("PerfQueryCounterInfo");
	if (!is_answered(&number, &buffer))
		number = source_fill(&buffer, consumer.identifiers, consumer.size);
	return log_answer(number, &buffer, size);
}

static uint32_t query_data(uint64_t query, void *bytes, uint32_t room, uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = mock_enter("PerfQueryCounterData");

	if (!is_ours(query))
		return mock_fault("the query");
	mock_log("PerfQueryCounterData");
	if (!is_answered(&number, &buffer))
		number = inner()->ops->query_data(inner()->state, consumer.recorded,
						  &buffer);
	return log_answer(number, &buffer, size);
}

static uint32_t close_query(uint64_t query)
{
	uint32_t number = enter("PerfCloseQueryHandle");

	if (!is_ours(query))
		return mock_fault("the query");
	mock_log("PerfCloseQueryHandle = %u\n", number);
	consumer.is_open = false; /* even after an error */
	mock.handles--;
	return number;
}

void mock_perflib(struct perflib_api *api)
{
	*api = (struct perflib_api){
		.enumerate = enumerate,
		.instances = instances,
		.registration = registration,
		.open = open_query,
		.add = add,
		.query_info = query_info,
		.query_data = query_data,
		.close = close_query,
	};
#define REMOVE(member, name)         \
	if (mock_is_missing(name)) { \
		api->member = NULL;  \
	}
	PERFLIB_FUNCTIONS(REMOVE)
#undef REMOVE
}
