/*
 * double_perflib.c - PerfLib's functions, as far as a consumer sees them.
 *
 * What they answer is in a bundle; the sizes they tell are those a script wants:
 *
 *   short    it needs more than there is room for, though it does not
 *   growing  it needs 8 bytes more, whatever room there is
 *   huge     it needs 3 GiB
 *   shrinks  it needs half of what there is room for
 *   lies     it has filled more than there is room for
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/text.h"
#include "replay.h"
#include "windows_double.h"
#include "windows_numbers.h"

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
	uint32_t recorded;    /* the bundle's number of its query */
	bool is_open;
	uint8_t identifiers[IDENTIFIERS_MAX];
	uint32_t size;
} played;

uint32_t double_size_fault(const char *word)
{
	static const char *const words[] = { "short", "growing", "huge", "shrinks",
					     "lies" };

	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return SIZE_SHORT + i;
	return 0;
}

/* Lives as long as the program. */
static const struct source *inner(void)
{
	struct error error = { .status = ST_OK };

	if (played.source.ops)
		return &played.source;
	if (replay_open(&played.source, windows_double.bundle, &error) != ST_OK) {
		fprintf(stderr, "play_windows: %s\n", error.text);
		exit(99);
	}
	if (played.source.ops->open(played.source.state, &played.recorded) != CODE_DONE)
		played.recorded = 0;
	return &played.source;
}

void double_perflib_release(void)
{
	if (played.source.ops)
		played.source.ops->release(played.source.state);
}

/* The GUID that the bundle has for one of ours. */
static const uint8_t *recorded_guid(const void *guid)
{
	static const uint8_t processors[16] = { 0x1a, 0x72, 0xfc, 0xb4, 0x78, 0x03,
						0x6f, 0x47, 0x89, 0xba, 0xa5, 0xa7,
						0x9f, 0x81, 0x0b, 0x36 };
	static uint8_t first[16];
	struct source_buffer buffer = { .bytes = first, .room = sizeof(first) };

	if (!windows_double.processors || memcmp(guid, processors, 16) != 0)
		return guid;
	(void)inner()->ops->enumerate(inner()->state, &buffer);
	return first;
}

/* --- sizes --- */

/* True: the script has an answer, *number, whatever the bundle has. */
static bool is_answered(uint32_t *number, struct source_buffer *buffer)
{
	uint32_t wanted = *number;

	if (!buffer->bytes && buffer->room) {
		*number = double_fault("room without a buffer");
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

static uint32_t told(uint32_t number, const struct source_buffer *buffer, uint32_t *size)
{
	*size = buffer->size;
	double_log(" of %u = %u, %u bytes\n", buffer->room, number, buffer->size);
	return number;
}

/* --- what there is --- */

static void log_guid(const char *function, const struct win_guid *set)
{
	char text[TEXT_GUID_BYTES];
	uint8_t bytes[16];

	memcpy(bytes, set, sizeof(bytes));
	text_guid(text, bytes);
	double_log("%s %s", function, text);
}

/* Counts GUIDs where the others count bytes. */
static uint32_t enumerate(struct win_guid *sets, uint32_t room, uint32_t *count)
{
	struct source_buffer buffer = { .bytes = (void *)sets, .room = 16 * room };
	uint32_t number = double_enter("PerfEnumerateCounterSet");

	if (!is_answered(&number, &buffer))
		number = inner()->ops->enumerate(inner()->state, &buffer);
	*count = (buffer.size + 15) / 16;
	double_log("PerfEnumerateCounterSet of %u = %u, %u\n", room, number, *count);
	return number;
}

static uint32_t registration(const struct win_guid *set, uint32_t request,
			     uint32_t argument, void *bytes, uint32_t room,
			     uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = double_enter("PerfQueryCounterSetRegistrationInfo");

	log_guid("PerfQueryCounterSetRegistrationInfo", set);
	double_log(" %u %u", request, argument);
	if (!is_answered(&number, &buffer))
		number = inner()->ops->registration(inner()->state, recorded_guid(set),
						    request, argument, &buffer);
	return told(number, &buffer, size);
}

static uint32_t instances(const struct win_guid *set, void *bytes, uint32_t room,
			  uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = double_enter("PerfEnumerateCounterSetInstances");

	log_guid("PerfEnumerateCounterSetInstances", set);
	if (!is_answered(&number, &buffer))
		number = inner()->ops->instances(inner()->state, recorded_guid(set),
						 &buffer);
	return told(number, &buffer, size);
}

/* --- a query --- */

/* Calls without a buffer to fill have no sizes to get wrong. */
static uint32_t enter(const char *function)
{
	uint32_t number = double_enter(function);

	return number >= SIZE_SHORT ? WIN_OK : number;
}

static uint32_t open_query(uint64_t *query)
{
	uint32_t number = enter("PerfOpenQueryHandle");

	if (number == WIN_OK && played.is_open)
		number = double_fault("a second query");
	double_log("PerfOpenQueryHandle = %u\n", number);
	if (number != WIN_OK)
		return number;
	*query = QUERY;
	played.is_open = true;
	windows_double.handles++;
	return WIN_OK;
}

static bool is_ours(uint64_t query)
{
	return played.is_open && query == QUERY;
}

static bool is_there(const uint8_t *guid)
{
	struct source_buffer buffer = { .size = 0 };
	const struct source *source = inner();

	return source->ops->registration(source->state, recorded_guid(guid),
					 PLB_COUNTERSET_STRUCT, 0,
					 &buffer) == CODE_NOT_ENOUGH_MEMORY;
}

/* The status of each; false: the blocks do not cover what they should. */
static bool judge(uint8_t *identifiers, uint32_t size)
{
	const struct windows_double *d = &windows_double;
	uint32_t at = 0, length;

	for (uint32_t i = 1; size - at >= SOURCE_IDENTIFIER_BYTES; i++, at += length) {
		uint32_t status =
			is_there(identifiers + at) ? CODE_DONE : CODE_SET_NOT_FOUND;

		length = le_u32(identifiers + at + 20);
		if (length < SOURCE_IDENTIFIER_BYTES || length % 8 || length > size - at)
			return false;
		le_put_u32(identifiers + at + 16,
			   i == d->refused_identifier ? d->refused_code : status);
	}
	return at == size;
}

static uint32_t add(uint64_t query, void *identifiers, uint32_t size)
{
	uint32_t number = enter("PerfAddCounters");

	if (!is_ours(query) || size > IDENTIFIERS_MAX)
		return double_fault("the query");
	double_log("PerfAddCounters, %u bytes = %u\n", size, number);
	double_log_bytes(identifiers, size);
	if (number != WIN_OK)
		return number;
	if (!judge(identifiers, size))
		return double_fault("identifiers");
	memcpy(played.identifiers, identifiers, size);
	played.size = size;
	return WIN_OK;
}

/* In the order of being added, as the bundle's blocks are. */
static uint32_t query_info(uint64_t query, void *bytes, uint32_t room, uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = double_enter("PerfQueryCounterInfo");

	if (!is_ours(query))
		return double_fault("the query");
	double_log("PerfQueryCounterInfo");
	if (!is_answered(&number, &buffer))
		number = source_fill(&buffer, played.identifiers, played.size);
	return told(number, &buffer, size);
}

static uint32_t query_data(uint64_t query, void *bytes, uint32_t room, uint32_t *size)
{
	struct source_buffer buffer = { .bytes = bytes, .room = room };
	uint32_t number = double_enter("PerfQueryCounterData");

	if (!is_ours(query))
		return double_fault("the query");
	double_log("PerfQueryCounterData");
	if (!is_answered(&number, &buffer))
		number = inner()->ops->query_data(inner()->state, played.recorded,
						  &buffer);
	return told(number, &buffer, size);
}

static uint32_t close_query(uint64_t query)
{
	uint32_t number = enter("PerfCloseQueryHandle");

	if (!is_ours(query))
		return double_fault("the query");
	double_log("PerfCloseQueryHandle = %u\n", number);
	played.is_open = false; /* whatever it says */
	windows_double.handles--;
	return number;
}

void double_perflib(struct perflib_api *api)
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
#define TAKE_AWAY(member, name)        \
	if (double_is_missing(name)) { \
		api->member = NULL;    \
	}
	PERFLIB_FUNCTIONS(TAKE_AWAY)
#undef TAKE_AWAY
}
