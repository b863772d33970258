/* replay.c - answers calls from a bundle; see replay.h. */
#include "capture/perflib/replay.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/input.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "capture/perflib/query_retry.h"

#define REPLAY_BYTES_MAX ((size_t)256 << 20)
#define READ_STEP ((size_t)1 << 20)

struct answer {
	enum plb_type type;
	const uint8_t *payload;
	uint32_t size;
};

struct replay {
	uint8_t *bytes;
	size_t size;
	struct answer *answers;
	size_t count, room;
	const struct answer **sorted;  /* by type and key, then in file order */
	char *key, *value;	       /* of the fact returned last */
	size_t next;		       /* first index that can be the next snapshot */
	const struct answer *returned; /* snapshot whose end time was not queried yet */
};

/* --- records --- */

/* Puts the file name before the error text. */
static enum status name_file(const char *path, struct error *error)
{
	struct error of_input = *error;
	char shown[200];

	text_shown(shown, sizeof(shown), str_of(path), 120);
	*error =
		(struct error){ .status = ST_OK }; /* error_set() keeps the first error */
	return error_set(error, of_input.status, of_input.offset, "%s: %s", shown,
			 of_input.text);
}

static enum status read_all(struct replay *replay, const char *path, struct error *error)
{
	struct input input;
	enum status status = input_open(&input, path, error);
	size_t room = 0, there;

	if (status != ST_OK)
		return name_file(path, error);
	while ((there = input_peek_some(&input, READ_STEP)) > 0) {
		if (replay->size + there > REPLAY_BYTES_MAX) {
			status = error_set(
				error, ST_LIMIT, ERROR_NO_OFFSET,
				"the bundle is too large to replay: expected at most %zu bytes",
				REPLAY_BYTES_MAX);
			break;
		}
		if (!ARRAY_GROW(replay->bytes, room, replay->size + there)) {
			status = error_nomem(error);
			break;
		}
		memcpy(replay->bytes + replay->size, input.pos, there);
		input_consume(&input, there);
		replay->size += there;
	}
	input_close(&input);
	return error->status < ST_OK ? error->status : status;
}

static bool add_answer(struct replay *replay, const struct answer *answer)
{
	if (!ARRAY_GROW(replay->answers, replay->room, replay->count))
		return false;
	replay->answers[replay->count++] = *answer;
	return true;
}

/* Size of the fields before the answer in each payload. */
static uint32_t head_bytes(unsigned int type)
{
	static const uint32_t bytes[] = {
		[PLB_FACT] = PLB_FACT_HEAD_BYTES,
		[PLB_CLOCK] = PLB_CLOCK_BYTES,
		[PLB_REGISTRATION] = PLB_REGISTRATION_HEAD_BYTES,
		[PLB_ADD] = PLB_ADD_HEAD_BYTES,
		[PLB_INFO] = PLB_INFO_HEAD_BYTES,
		[PLB_DATA] = PLB_DATA_HEAD_BYTES,
		[PLB_END] = PLB_END_BYTES,
		[PLB_INSTANCES] = PLB_INSTANCES_HEAD_BYTES,
	};

	return type < ARRAY_COUNT(bytes) ? bytes[type] : 0;
}

/* Size of the key at the start of each payload. */
static size_t key_bytes(enum plb_type type)
{
	static const size_t bytes[] = {
		[PLB_REGISTRATION] = PLB_GUID_BYTES + 8,
		[PLB_ADD] = 4,
		[PLB_INFO] = 4,
		[PLB_INSTANCES] = PLB_GUID_BYTES,
	};

	return bytes[type];
}

static int compare_key(const struct answer *answer, enum plb_type type, const void *key)
{
	size_t size = key_bytes(type);

	if (answer->type != type)
		return answer->type < type ? -1 : 1;
	return size ? memcmp(answer->payload, key, size) : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct answer *left = *(const struct answer *const *)a;
	const struct answer *right = *(const struct answer *const *)b;
	int order = compare_key(left, right->type, right->payload);

	return order ? order : (left > right) - (left < right);
}

static bool sort_answers(struct replay *replay)
{
	replay->sorted = malloc((replay->count + 1) * sizeof(struct answer *));
	if (!replay->sorted)
		return false;
	for (size_t i = 0; i < replay->count; i++)
		replay->sorted[i] = &replay->answers[i];
	qsort(replay->sorted, replay->count, sizeof(struct answer *), by_key);
	return true;
}

/* Collects whole records, up to the first invalid one. */
static enum status find_answers(struct replay *replay, const char *path,
				struct error *error)
{
	char shown[200];

	struct cursor c = cursor_over(replay->bytes, replay->size, 0, false);
	const uint8_t *magic = cursor_bytes(&c, PLB_MAGIC_BYTES);
	unsigned int version = cursor_u16(&c), first = cursor_u16(&c);

	text_shown(shown, sizeof(shown), str_of(path), 120);
	if (c.overrun || !magic || memcmp(magic, PLB_MAGIC, PLB_MAGIC_BYTES) != 0)
		return error_set(error, ST_UNSUPPORTED, 0, "%s is not a PerfLib bundle",
				 shown);
	if (version != PLB_VERSION || first < PLB_HEADER_BYTES)
		return error_set(error, ST_UNSUPPORTED, PLB_MAGIC_BYTES,
				 "%s is a PerfLib bundle of version %u, expected %d",
				 shown, version, PLB_VERSION);
	cursor_skip(&c, first - (PLB_MAGIC_BYTES + 4u));
	while (cursor_left(&c) >= PLB_RECORD_HEADER_BYTES) {
		const uint8_t *head = cursor_bytes(&c, PLB_RECORD_HEADER_BYTES);
		unsigned int type = le_u16(head + PLB_RECORD_TYPE_AT);
		struct answer answer = {
			.type = (enum plb_type)type,
			.size = le_u32(head + PLB_RECORD_LENGTH_AT),
		};
		size_t padding = (8 - answer.size % 8) % 8;

		answer.payload = cursor_bytes(&c, answer.size);
		if (!answer.payload ||
		    memcmp(head, PLB_RECORD_MAGIC, PLB_RECORD_MAGIC_BYTES) != 0 ||
		    le_u32(head + PLB_RECORD_PAYLOAD_CRC_AT) !=
			    crc32c(0, answer.payload, answer.size))
			break;
		cursor_skip(&c, padding);
		if (answer.size < head_bytes(type) || head_bytes(type) == 0)
			continue;
		if (!add_answer(replay, &answer))
			return error_nomem(error);
	}
	return sort_answers(replay) ? ST_OK : error_nomem(error);
}

/* --- answers --- */

static uint32_t copy_answer(const struct answer *answer, uint32_t code,
			    struct source_buffer *buffer)
{
	uint32_t head = head_bytes(answer->type);
	uint32_t filled =
		source_fill(buffer, answer->payload + head, answer->size - head);

	return filled == CODE_DONE ? code : filled;
}

/* Index of the first match in replay->sorted, or where it would be. */
static size_t find_place(const struct replay *replay, enum plb_type type, const void *key)
{
	size_t from = 0, to = replay->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_key(replay->sorted[middle], type, key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static const struct answer *find(const struct replay *replay, enum plb_type type,
				 const void *key)
{
	size_t at = find_place(replay, type, key);

	return at < replay->count && compare_key(replay->sorted[at], type, key) == 0
		       ? replay->sorted[at]
		       : NULL;
}

static uint32_t replay_enumerate(void *state, struct source_buffer *buffer)
{
	const struct replay *replay = state;
	const uint8_t *last = NULL;
	size_t size = 0;

	for (size_t i = 0; i < replay->count; i++) {
		const uint8_t *guid = replay->answers[i].payload;

		if (replay->answers[i].type != PLB_REGISTRATION ||
		    (last && memcmp(guid, last, PLB_GUID_BYTES) == 0))
			continue;
		last = guid; /* the records of a counterset are adjacent */
		if (buffer->room >= size + PLB_GUID_BYTES)
			memcpy(buffer->bytes + size, guid, PLB_GUID_BYTES);
		size += PLB_GUID_BYTES;
	}
	buffer->size = (uint32_t)size;
	return size > buffer->room ? CODE_NOT_ENOUGH_MEMORY : CODE_DONE;
}

static uint32_t replay_registration(void *state, const uint8_t *guid, uint32_t request,
				    uint32_t argument, struct source_buffer *buffer)
{
	uint8_t start[PLB_GUID_BYTES + 8];
	const struct answer *answer;

	memcpy(start, guid, PLB_GUID_BYTES);
	le_write_u32(start + 16, request);
	le_write_u32(start + 20, argument);
	answer = find(state, PLB_REGISTRATION, start);
	if (!answer)
		return CODE_NOT_FOUND;
	return copy_answer(answer, le_u32(answer->payload + 24), buffer);
}

static uint32_t replay_instances(void *state, const uint8_t *guid,
				 struct source_buffer *buffer)
{
	const struct answer *answer = find(state, PLB_INSTANCES, guid);

	if (!answer)
		return CODE_NOT_FOUND;
	return copy_answer(answer, le_u32(answer->payload + 16), buffer);
}

static uint32_t replay_open_query(void *state, uint32_t *query)
{
	const struct replay *replay = state;

	*query = 0;
	for (size_t i = 0; i < replay->count; i++)
		if (replay->answers[i].type == PLB_ADD) {
			*query = le_u32(replay->answers[i].payload);
			return CODE_DONE;
		}
	return CODE_NOT_FOUND;
}

/* The same identifiers, except for the status, which is an answer. */
static bool is_same(const uint8_t *identifiers, const uint8_t *recorded, uint32_t size)
{
	struct cursor c = cursor_over(identifiers, size, 0, false);
	size_t at = 0;

	while (cursor_left(&c) >= SOURCE_IDENTIFIER_BYTES) {
		uint32_t length = le_u32(c.pos + 20);

		if (length < SOURCE_IDENTIFIER_BYTES || length > cursor_left(&c) ||
		    memcmp(c.pos, recorded + at, 16) != 0 ||
		    memcmp(c.pos + 20, recorded + at + 20, length - 20) != 0)
			return false;
		cursor_skip(&c, length);
		at += length;
	}
	return cursor_left(&c) == 0;
}

static uint32_t replay_add(void *state, uint32_t query, uint8_t *identifiers,
			   uint32_t size)
{
	uint8_t start[4];
	const struct answer *answer;

	le_write_u32(start, query);
	answer = find(state, PLB_ADD, start);
	if (!answer || answer->size - PLB_ADD_HEAD_BYTES != size ||
	    !is_same(identifiers, answer->payload + PLB_ADD_HEAD_BYTES, size))
		return CODE_INVALID_PARAMETER;
	memcpy(identifiers, answer->payload + PLB_ADD_HEAD_BYTES, size);
	return le_u32(answer->payload + 4);
}

static uint32_t replay_info(void *state, uint32_t query, struct source_buffer *buffer)
{
	uint8_t start[4];
	const struct answer *answer;

	le_write_u32(start, query);
	answer = find(state, PLB_INFO, start);
	if (!answer)
		return CODE_NOT_FOUND;
	return copy_answer(answer, le_u32(answer->payload + 4), buffer);
}

static const struct answer *next_data(struct replay *replay)
{
	while (replay->next < replay->count) {
		if (replay->answers[replay->next].type == PLB_DATA)
			return &replay->answers[replay->next];
		replay->next++;
	}
	return NULL;
}

static uint32_t replay_data(void *state, uint32_t query, struct source_buffer *buffer)
{
	struct replay *replay = state;
	const struct answer *answer = next_data(replay);
	uint32_t code;

	if (!answer || le_u32(answer->payload) != query)
		return CODE_NO_MORE_ITEMS;
	code = copy_answer(answer, le_u32(answer->payload + 4), buffer);
	if (code == CODE_NOT_ENOUGH_MEMORY && buffer->size > buffer->room)
		return code; /* this buffer is too small, not that of the recorded call */
	buffer->size = le_u32(answer->payload + 8);
	replay->returned = answer;
	/*
	 * A recorded call that required a larger buffer is repeated for the same record.
	 */
	if (code != CODE_NOT_ENOUGH_MEMORY || buffer->size <= buffer->room ||
	    buffer->size > RETRY_BYTES_MAX)
		replay->next++;
	return code;
}

static uint32_t replay_close(void *state, uint32_t query)
{
	(void)state;
	(void)query;
	return CODE_DONE;
}

/* --- clock and facts --- */

static int64_t le_i64(const uint8_t *at)
{
	return (int64_t)((uint64_t)le_u32(at) | (uint64_t)le_u32(at + 4) << 32);
}

static void replay_clock(void *state, struct plb_clock *clock)
{
	const struct answer *answer = find(state, PLB_CLOCK, NULL);

	if (answer)
		*clock = (struct plb_clock){
			.ticks_before = le_i64(answer->payload),
			.ticks_after = le_i64(answer->payload + 8),
			.ticks_per_second = le_i64(answer->payload + 16),
			.wall_100ns = le_i64(answer->payload + 24),
			.minutes_west = (int32_t)le_u32(answer->payload + 32),
		};
}

/* Called before and after a call. */
static int64_t replay_ticks(void *state)
{
	struct replay *replay = state;
	const struct answer *answer =
		replay->returned ? replay->returned : next_data(replay);
	int64_t ticks = 0;

	if (answer)
		ticks = le_i64(answer->payload + (replay->returned ? 24 : 16));
	replay->returned = NULL;
	return ticks;
}

static char *copy_text(const uint8_t *text, size_t size)
{
	char *made = malloc(size + 1);

	if (made) {
		memcpy(made, text, size);
		made[size] = '\0';
	}
	return made;
}

static bool replay_fact(void *state, size_t number, const char **key, const char **value)
{
	struct replay *replay = state;
	size_t first = find_place(replay, PLB_FACT, NULL);
	const struct answer *answer =
		number < replay->count - first ? replay->sorted[first + number] : NULL;
	uint32_t length;

	if (!answer || answer->type != PLB_FACT)
		return false;
	length = le_u32(answer->payload);
	if (length > answer->size - PLB_FACT_HEAD_BYTES)
		return false;
	free(replay->key);
	free(replay->value);
	replay->key = copy_text(answer->payload + PLB_FACT_HEAD_BYTES, length);
	replay->value = copy_text(answer->payload + PLB_FACT_HEAD_BYTES + length,
				  answer->size - PLB_FACT_HEAD_BYTES - length);
	*key = replay->key;
	*value = replay->value;
	return replay->key && replay->value;
}

static void replay_release(void *state)
{
	struct replay *replay = state;

	free(replay->bytes);
	free(replay->answers);
	free(replay->sorted);
	free(replay->key);
	free(replay->value);
	free(replay);
}

static const struct source_ops replay_ops = {
	.name = "replay",
	.is_recorded = true,
	.enumerate = replay_enumerate,
	.registration = replay_registration,
	.instances = replay_instances,
	.open = replay_open_query,
	.add = replay_add,
	.query_info = replay_info,
	.query_data = replay_data,
	.close = replay_close,
	.clock = replay_clock,
	.ticks = replay_ticks,
	.fact = replay_fact,
	.release = replay_release,
};

enum status replay_open(struct source *source, const char *path, struct error *error)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	enum status status;

	if (!replay)
		return error_nomem(error);
	*source = (struct source){ &replay_ops, replay };
	status = read_all(replay, path, error);
	return status == ST_OK ? find_answers(replay, path, error) : status;
}
