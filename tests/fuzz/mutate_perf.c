/*
 * mutate_perf.c - see mutate_perf.h.
 *
 * What is inserted or removed moves all that follows: the size of the data section and
 * the offsets of the features are set right, except in one of 16 mutations.
 */
#include "mutate_perf.h"

#include <string.h>
#include <zstd.h>

#include "formats/perf/layout.h"

#define RECORDS_MAX 512
#define UNPACKED_MAX ((size_t)256 << 10)
#define PIECE_BYTES_MAX ((size_t)60 << 10)
#define ATTRS_AT 24
#define FEATURES_AT 72
#define FEATURE_BITS 256

struct place {
	size_t at, size;
};

struct records {
	struct place of[RECORDS_MAX];
	size_t count;
};

/* --- records --- */

/* Those with a valid header, from `from` on. */
static void find_records(const struct mutant *m, size_t from, size_t to,
			 struct records *records)
{
	records->count = 0;
	while (records->count < RECORDS_MAX && from <= to &&
	       to - from >= PERF_RECORD_HEADER_BYTES) {
		size_t size = (size_t)mutant_get(m, from + 6, 2);

		if (size < PERF_RECORD_HEADER_BYTES || size > to - from)
			return;
		records->of[records->count++] = (struct place){ from, size };
		from += size;
	}
}

static uint64_t any_type(struct mutant *m)
{
	switch (mutant_choose(m, 8)) {
	case 0:
		return mutant_random(m) & 0xffff;
	case 1:
		return PERF_RECORD_SIMPLEPERF_FIRST + mutant_choose(m, 34);
	case 2:
	case 3:
		return PERF_RECORD_TOOL_FIRST + mutant_choose(m, 24);
	default:
		return mutant_choose(m, PERF_RECORD_KERNEL_LAST + 2);
	}
}

static void change_header(struct mutant *m, const struct place *record)
{
	switch (mutant_choose(m, 3)) {
	case 0:
		mutant_put(m, record->at, 4, any_type(m));
		break;
	case 1:
		mutant_put(m, record->at + 4, 2, mutant_random(m));
		break;
	default:
		mutant_put(m, record->at + 6, 2, mutant_number(m, record->size));
	}
}

/* More or fewer bytes at the end of a record, and its size right. */
static void resize_record(struct mutant *m, const struct place *record)
{
	static const uint8_t zeros[64];
	size_t step = (mutant_choose(m, 8) + 1) * 8;
	size_t body = record->size - PERF_RECORD_HEADER_BYTES;
	size_t end = record->at + record->size;

	if (mutant_choose(m, 2)) {
		if (mutant_replace(m, end, 0, zeros, step))
			mutant_put(m, record->at + 6, 2, record->size + step);
		return;
	}
	step = step < body ? step : body;
	(void)mutant_replace(m, end - step, step, NULL, 0);
	mutant_put(m, record->at + 6, 2, record->size - step);
}

/* --- records inside compressed ones --- */

static size_t pack(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
	static ZSTD_CCtx *context;
	size_t made;

	if (!context && !(context = ZSTD_createCCtx()))
		return 0;
	made = ZSTD_compressCCtx(context, to, room, from, size, 1);
	return ZSTD_isError(made) ? 0 : made;
}

/* Puts these bytes, compressed, in place of `old` bytes at `at`. */
static void put_packed(struct mutant *m, size_t at, size_t old, const uint8_t *bytes,
		       size_t size)
{
	static uint8_t piece[PIECE_BYTES_MAX + 32];
	bool has_length = mutant_choose(m, 2);
	size_t head = has_length ? 16 : 8;
	size_t made = pack(bytes, size, piece + head, PIECE_BYTES_MAX), whole;
	struct mutant header = mutant_over(piece, sizeof(piece), sizeof(piece), 0);

	if (made == 0)
		return;
	memset(piece + head + made, 0, 8);
	whole = has_length ? (head + made + 7) / 8 * 8 : head + made;
	header.big_endian = m->big_endian;
	mutant_put(&header, 0, 4,
		   has_length ? PERF_RECORD_COMPRESSED2 : PERF_RECORD_COMPRESSED);
	mutant_put(&header, 4, 2, 0);
	mutant_put(&header, 6, 2, whole);
	if (has_length)
		mutant_put(&header, 8, 8, made);
	(void)mutant_replace(m, at, old, piece, whole);
}

/* Compresses a few records, or a part of one, into one. */
static void compress_some(struct mutant *m, const struct records *records, size_t first)
{
	static uint8_t copy[UNPACKED_MAX];
	size_t last = first + mutant_choose(m, records->count - first);
	size_t from = records->of[first].at;
	size_t size = records->of[last].at + records->of[last].size - from;

	if (mutant_choose(m, 4) == 0) /* records go on in the next piece */
		size -= mutant_choose(m, size);
	if (size == 0 || size > sizeof(copy))
		return;
	memcpy(copy, m->bytes + from, size);
	put_packed(m, from, size, copy, size);
}

static void mutate_once(struct mutant *m, size_t from, size_t to, unsigned int depth);

/* What is in a compressed record, mutated, and compressed again. */
static void mutate_inside(struct mutant *m, const struct place *record,
			  unsigned int depth)
{
	static uint8_t unpacked[2][UNPACKED_MAX];
	bool has_length = mutant_get(m, record->at, 4) == PERF_RECORD_COMPRESSED2;
	size_t head = has_length ? 16 : 8;
	struct mutant inside;
	ZSTD_inBuffer in;
	ZSTD_outBuffer out = { unpacked[depth], UNPACKED_MAX / 2, 0 };
	static ZSTD_DCtx *context;

	if (record->size <= head || (!context && !(context = ZSTD_createDCtx())))
		return;
	in = (ZSTD_inBuffer){ m->bytes + record->at + head, record->size - head, 0 };
	ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
	if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in)) || out.pos == 0)
		return;
	inside = mutant_over(unpacked[depth], out.pos, UNPACKED_MAX, 0);
	inside.state = mutant_random(m);
	inside.big_endian = m->big_endian;
	mutate_once(&inside, 0, inside.size, depth + 1);
	put_packed(m, record->at, record->size, inside.bytes, inside.size);
}

/* --- one mutation --- */

static void mutate_record(struct mutant *m, const struct records *records,
			  unsigned int depth)
{
	size_t i = mutant_choose(m, records->count);
	const struct place *record = &records->of[i];
	const struct place *other = &records->of[mutant_choose(m, records->count)];
	uint64_t type = mutant_get(m, record->at, 4);
	size_t body = record->at + PERF_RECORD_HEADER_BYTES;
	size_t end = record->at + record->size;

	if (perf_is_compressed((uint32_t)type) && depth < 2 && mutant_choose(m, 4)) {
		mutate_inside(m, record, depth);
		return;
	}
	switch (mutant_choose(m, 10)) {
	case 0:
		change_header(m, record);
		break;
	case 1:
		(void)mutant_copy(m, record->at, other->at, other->size);
		break;
	case 2:
		(void)mutant_replace(m, record->at, record->size, NULL, 0);
		break;
	case 3:
		resize_record(m, record);
		break;
	case 4:
		compress_some(m, records, i);
		break;
	case 5:
	case 6:
		mutant_change_bytes(m, body, end);
		break;
	default:
		mutant_change_number(m, body, end);
	}
}

static void mutate_once(struct mutant *m, size_t from, size_t to, unsigned int depth)
{
	struct records records;

	find_records(m, from, to, &records);
	if (records.count && mutant_choose(m, 16))
		mutate_record(m, &records, depth);
	else
		mutant_change_bytes(m, from, to);
}

void mutate_perf_records(struct mutant *m, size_t from)
{
	for (size_t i = mutant_choose(m, 4) + 1; i-- > 0;)
		mutate_once(m, from, m->size, 0);
}

/* --- the file form --- */

struct file {
	size_t data, data_bytes;
	struct place
		features[FEATURE_BITS]; /* their entries; size: bytes of the section */
	size_t feature_count;
};

static bool find_parts(const struct mutant *m, struct file *file)
{
	uint64_t data = mutant_get(m, PERF_DATA_SECTION_AT, 8);
	uint64_t bytes = mutant_get(m, PERF_DATA_SECTION_AT + 8, 8);
	size_t at;

	file->feature_count = 0;
	if (data > m->size || bytes > m->size - data)
		return false;
	file->data = (size_t)data;
	file->data_bytes = (size_t)bytes;
	at = file->data + file->data_bytes;
	for (unsigned int bit = 0; bit < FEATURE_BITS; bit++) {
		uint64_t word = mutant_get(m, FEATURES_AT + bit / 64 * 8, 8);

		if (!(word >> bit % 64 & 1))
			continue;
		file->features[file->feature_count++] =
			(struct place){ at, (size_t)mutant_get(m, at + 8, 8) };
		at += PERF_SECTION_BYTES;
	}
	return true;
}

/* The bytes from `at` on have moved by `moved`. */
static void move_features(struct mutant *m, const struct file *file, size_t at,
			  size_t moved)
{
	for (size_t i = 0; i < file->feature_count; i++) {
		size_t entry = file->features[i].at + moved;
		uint64_t offset = mutant_get(m, entry, 8);

		if (offset >= at)
			mutant_put(m, entry, 8, offset + moved);
	}
}

static void mutate_data(struct mutant *m, const struct file *file)
{
	size_t before = m->size, moved;

	mutate_once(m, file->data, file->data + file->data_bytes, 0);
	moved = m->size - before; /* wraps, as what it is added to does */
	if (moved == 0 || mutant_choose(m, 16) == 0)
		return;
	mutant_put(m, PERF_DATA_SECTION_AT + 8, 8, file->data_bytes + moved);
	move_features(m, file, file->data, moved);
}

static void mutate_attr(struct mutant *m)
{
	uint64_t entry = mutant_get(m, 16, 8);
	uint64_t at = mutant_get(m, ATTRS_AT, 8), bytes = mutant_get(m, ATTRS_AT + 8, 8);
	static const uint8_t words[] = { 0, 8, 16, 24, 32, 40, 72, 80, 88 };
	size_t word;

	if (entry < 16 || bytes < entry || at > m->size || bytes > m->size - at)
		return;
	at += entry * mutant_choose(m, (size_t)(bytes / entry));
	word = words[mutant_choose(m, sizeof(words))];
	switch (mutant_choose(m, 4)) {
	case 0: /* offset or size of its ids */
		mutant_change_number(m, (size_t)(at + entry - 16), (size_t)(at + entry));
		break;
	case 1:
		mutant_change_number(m, (size_t)at, (size_t)(at + entry));
		break;
	default: /* one bit of a word with bits */
		if (word + 8 <= entry)
			mutant_put(m, (size_t)at + word, 8,
				   mutant_get(m, (size_t)at + word, 8) ^
					   UINT64_C(1) << mutant_choose(m, 40));
	}
}

static void mutate_feature(struct mutant *m, const struct file *file)
{
	const struct place *feature =
		&file->features[mutant_choose(m, file->feature_count)];
	uint64_t at = mutant_get(m, feature->at, 8);

	if (file->feature_count == 0)
		return;
	if (at > m->size || feature->size > m->size - at || mutant_choose(m, 8) == 0)
		mutant_change_number(m, feature->at, feature->at + PERF_SECTION_BYTES);
	else if (mutant_choose(m, 2))
		mutant_change_number(m, (size_t)at, (size_t)at + feature->size);
	else
		mutant_change_bytes(m, (size_t)at, (size_t)at + feature->size);
}

static void mutate_part(struct mutant *m)
{
	struct file file;

	if (!find_parts(m, &file)) {
		mutant_change_all(m, 0);
		return;
	}
	switch (mutant_choose(m, 16)) {
	case 0:
		mutant_change_all(m, 0);
		break;
	case 1:
		mutant_change_number(m, 8, PERF_HEADER_BYTES);
		break;
	case 2:
	case 3:
		mutate_attr(m);
		break;
	case 4:
	case 5:
		mutate_feature(m, &file);
		break;
	default:
		mutate_data(m, &file);
	}
}

void mutate_perf_file(struct mutant *m)
{
	bool little = m->size >= 16 && memcmp(m->bytes, "PERFILE2", 8) == 0;

	m->big_endian = m->size >= 16 && memcmp(m->bytes, "2ELIFREP", 8) == 0;
	if (!little && !m->big_endian)
		mutant_change_all(m, 0);
	else if (mutant_get(m, 8, 8) == PERF_PIPE_HEADER_BYTES)
		mutate_perf_records(m, PERF_PIPE_HEADER_BYTES);
	else
		for (size_t i = mutant_choose(m, 4) + 1; i-- > 0;)
			mutate_part(m);
}
