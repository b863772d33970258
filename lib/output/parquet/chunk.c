/*
 * chunk.c - makes the pages of a column; see chunk.h.
 *
 * Numbers of enums and fields are those of parquet.thrift (Apache Parquet format 2.9).
 */
#include "output/parquet/chunk.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "model/record.h"
#include "output/parquet/encode.h"
#include "output/parquet/thrift.h"

#define COMPRESSION_LEVEL 1
/* A large page is compressed if that saves a tenth of some bytes in its middle. */
#define LARGE_PAGE ((size_t)16 << 10)
#define TRIED_BYTES ((size_t)4 << 10)

enum page_type { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum encoding { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };

/* --- pages --- */

/* Header fields of DataPageHeader and DictionaryPageHeader. */
static void put_page_header(struct bytes *to, enum page_type type, size_t unpacked,
			    size_t packed, size_t count, enum encoding encoding)
{
	struct thrift thrift = { .to = to };

	thrift_i32(&thrift, 1, (int32_t)type);
	thrift_i32(&thrift, 2, (int32_t)unpacked);
	thrift_i32(&thrift, 3, (int32_t)packed);
	thrift_begin(&thrift, type == DATA_PAGE ? 5 : 7);
	thrift_i32(&thrift, 1, (int32_t)count);
	thrift_i32(&thrift, 2, (int32_t)encoding);
	if (type == DATA_PAGE) {
		thrift_i32(&thrift, 3, RLE); /* of NULLs */
		thrift_i32(&thrift, 4, RLE); /* of repetitions, of which there are none */
	}
	thrift_end(&thrift);
	thrift_end(&thrift);
}

/* maker->plain in maker->page, at most `size` bytes from `at` on.  False: no memory. */
static bool pack_page(struct parquet_maker *maker, size_t at, size_t size)
{
	size_t bound = ZSTD_compressBound(size), packed;
	uint8_t *room;

	maker->page.size = 0;
	room = bytes_extend(&maker->page, bound);
	if (!room || maker->plain.failed)
		return false;
	packed = ZSTD_compressCCtx(maker->zstd, room, bound, maker->plain.data + at, size,
				   COMPRESSION_LEVEL);
	if (ZSTD_isError(packed))
		return false;
	maker->page.size = packed;
	return true;
}

/* Into *is_worth; false: no memory. */
static bool try_packing(struct parquet_maker *maker, bool *is_worth)
{
	size_t size = maker->plain.size;

	*is_worth = true;
	if (size < LARGE_PAGE)
		return true;
	if (!pack_page(maker, size / 2, TRIED_BYTES))
		return false;
	*is_worth = maker->page.size < TRIED_BYTES - TRIED_BYTES / 10;
	return true;
}

/* maker->plain as a page. */
static bool put_page(struct parquet_maker *maker, struct bytes *to,
		     struct parquet_chunk *chunk, enum page_type type, size_t count,
		     enum encoding encoding)
{
	const struct bytes *plain = &maker->plain, *page;
	size_t before = to->size;
	bool is_packed = true;

	if (!chunk->has_dictionary && !try_packing(maker, &is_packed))
		return false;
	chunk->is_unpacked = !is_packed;
	if (is_packed && !pack_page(maker, 0, plain->size))
		return false;
	page = is_packed ? &maker->page : plain;
	put_page_header(to, type, plain->size, page->size, count, encoding);
	chunk->unpacked_size += to->size - before + plain->size;
	bytes_put(to, page->data, page->size);
	chunk->size += to->size - before;
	return !to->failed && !plain->failed;
}

/* --- values without NULLs --- */

static bool make_room(struct parquet_maker *maker, size_t rows)
{
	int64_t *numbers;
	uint32_t *indexes;

	if (!maker->zstd)
		maker->zstd = ZSTD_createCCtx();
	if (!maker->zstd || rows <= maker->room)
		return maker->zstd != NULL;
	numbers = memory_resize(maker->numbers, rows * sizeof(numbers[0]));
	maker->numbers = numbers ? numbers : maker->numbers;
	indexes = memory_resize(maker->indexes, rows * sizeof(indexes[0]));
	maker->indexes = indexes ? indexes : maker->indexes;
	maker->room = numbers && indexes ? rows : maker->room;
	return numbers && indexes;
}

/* Of `known` rows the value is known: 4 bytes of length, and numbers 0 and 1 in runs. */
static void put_nulls(struct parquet_maker *maker, const struct parquet_values *values,
		      size_t known)
{
	struct bytes *to = &maker->plain;
	size_t start = to->size, bytes;

	bytes_zero(to, 4);
	if (values->rows && (known == 0 || known == values->rows)) {
		encode_run(to, known > 0, values->rows, 1);
	} else {
		for (size_t i = 0; i < values->rows; i++)
			maker->indexes[i] = values->is_null
						    ? !values->is_null[i]
						    : values->numbers[i] != INT_NONE;
		encode_hybrid(to, maker->indexes, values->rows, 1);
	}
	if (to->failed)
		return;
	bytes = to->size - start - 4;
	for (size_t i = 0; i < 4; i++)
		to->data[start + i] = (uint8_t)(bytes >> (8 * i));
}

/* The numbers that are not NULL: in maker->numbers, unless all are known. */
struct known {
	const int64_t *numbers;
	size_t count;
};

static struct known known_numbers(struct parquet_maker *maker,
				  const struct parquet_values *values)
{
	size_t count = 0;

	for (size_t i = 0; i < values->rows; i++) {
		int64_t number = values->numbers[i];

		maker->numbers[count] = number;
		count += values->is_null ? !values->is_null[i] : number != INT_NONE;
	}
	return (struct known){ maker->numbers, count };
}

static size_t count_known(const struct parquet_values *values)
{
	size_t count = 0;

	for (size_t i = 0; i < values->rows && values->is_null; i++)
		count += !values->is_null[i];
	return values->is_null ? count : values->rows;
}

static void set_bound(struct parquet_bound *bound, const void *bytes, size_t size)
{
	memcpy(bound->bytes, bytes, size);
	bound->size = size;
}

static void put_little(struct bytes *to, uint64_t value, size_t bytes)
{
	uint8_t *room = bytes_extend(to, bytes);

	for (size_t i = 0; room && i < bytes; i++)
		room[i] = (uint8_t)(value >> (8 * i));
}

static void set_number_bound(struct parquet_bound *bound, uint64_t bits)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(bits >> (8 * i));
	set_bound(bound, bytes, sizeof(bytes));
}

int64_t parquet_bound_number(const struct parquet_bound *bound)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < 8; i++)
		bits |= (uint64_t)bound->bytes[i] << (8 * i);
	return (int64_t)bits;
}

static void put_plain(struct parquet_maker *maker, const int64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_little(&maker->plain, (uint64_t)numbers[i], 8);
}

/* What is known and not, then the numbers that are; their range. */
static struct encode_range put_known(struct parquet_maker *maker, bool is_optional,
				     const struct parquet_values *values,
				     const struct known *known)
{
	maker->plain.size = 0;
	if (is_optional)
		put_nulls(maker, values, known->count);
	if (!maker->only_plain)
		return encode_delta(&maker->plain, known->numbers, known->count);
	put_plain(maker, known->numbers, known->count);
	return encode_range(known->numbers, known->count);
}

/* Most columns that may have NULLs have none, so all numbers are tried first. */
static enum encoding put_integers(struct parquet_maker *maker, bool is_optional,
				  const struct parquet_values *values,
				  struct parquet_chunk *chunk)
{
	struct known known = { values->numbers, values->numbers ? values->rows : 0 };
	struct encode_range range = { INT_NONE, 0 };
	bool is_doubtful = values->none_is_null && known.count;
	bool has_nulls = values->is_null || (is_doubtful && known.numbers[0] == INT_NONE);

	if (!has_nulls)
		range = put_known(maker, is_optional, values, &known);
	/* INT_NONE is the least number that there is. */
	if (has_nulls || (is_doubtful && range.least == INT_NONE)) {
		known = known_numbers(maker, values);
		range = put_known(maker, is_optional, values, &known);
	}
	chunk->nulls = values->rows - known.count;
	chunk->has_bounds = known.count > 0;
	set_number_bound(&chunk->least, (uint64_t)range.least);
	set_number_bound(&chunk->greatest, (uint64_t)range.greatest);
	return maker->only_plain ? PLAIN : DELTA_BINARY_PACKED;
}

/* Without statistics: 0 and -0 are equal, but not the same. */
static enum encoding put_reals(struct parquet_maker *maker, bool is_optional,
			       const struct parquet_values *values,
			       struct parquet_chunk *chunk)
{
	struct known known = known_numbers(maker, values);

	if (is_optional)
		put_nulls(maker, values, known.count);
	put_plain(maker, known.numbers, known.count);
	chunk->nulls = values->rows - known.count;
	return PLAIN;
}

static void put_text(struct bytes *to, struct str text)
{
	put_little(to, text.len, 4);
	bytes_put(to, text.ptr, text.len);
}

static void set_text_bounds(const struct parquet_values *values,
			    struct parquet_chunk *chunk)
{
	struct str least = STR_NONE, greatest = STR_NONE;

	for (size_t i = 0; i < values->dictionary_size; i++) {
		struct str text = values->dictionary[i];

		if (!least.ptr || str_compare(text, least) < 0)
			least = text;
		if (!greatest.ptr || str_compare(text, greatest) > 0)
			greatest = text;
	}
	if (!least.ptr || least.len > PARQUET_BOUND_BYTES_MAX ||
	    greatest.len > PARQUET_BOUND_BYTES_MAX)
		return;
	chunk->has_bounds = true;
	set_bound(&chunk->least, least.ptr, least.len);
	set_bound(&chunk->greatest, greatest.ptr, greatest.len);
}

static enum encoding put_texts(struct parquet_maker *maker, bool is_optional,
			       const struct parquet_values *values,
			       struct parquet_chunk *chunk)
{
	unsigned int width = encode_width((uint32_t)values->dictionary_size);
	const uint32_t *texts = values->texts;
	size_t count = count_known(values);

	chunk->nulls = values->rows - count;
	if (is_optional)
		put_nulls(maker, values, count);
	if (values->is_null && values->dictionary_size > 1) {
		count = 0;
		for (size_t i = 0; i < values->rows; i++) {
			maker->indexes[count] = values->texts[i];
			count += !values->is_null[i];
		}
		texts = maker->indexes;
	}
	if (!maker->only_plain) {
		bytes_put(&maker->plain, &(uint8_t){ (uint8_t)width }, 1);
		if (values->dictionary_size == 1 && count)
			encode_run(&maker->plain, 0, count, width);
		else
			encode_hybrid(&maker->plain, texts, count, width);
		return RLE_DICTIONARY;
	}
	for (size_t i = 0; i < count; i++)
		put_text(&maker->plain,
			 values->dictionary[values->dictionary_size > 1 ? texts[i] : 0]);
	return PLAIN;
}

/* --- chunks --- */

/* Where none is NULL nothing needs to be looked at row by row. */
static struct parquet_values without_nulls(const struct parquet_values *values)
{
	struct parquet_values complete = *values;

	if (values->is_null && !memchr(values->is_null, 1, values->rows))
		complete.is_null = NULL;
	return complete;
}

static bool put_dictionary(struct parquet_maker *maker,
			   const struct parquet_values *values, struct bytes *to,
			   struct parquet_chunk *chunk)
{
	maker->plain.size = 0;
	for (size_t i = 0; i < values->dictionary_size; i++)
		put_text(&maker->plain, values->dictionary[i]);
	chunk->has_dictionary = true;
	return put_page(maker, to, chunk, DICTIONARY_PAGE, values->dictionary_size,
			PLAIN);
}

bool parquet_make_chunk(struct parquet_maker *maker, const struct parquet_column *column,
			const struct parquet_values *given, struct bytes *to,
			struct parquet_chunk *chunk)
{
	const struct parquet_values complete = without_nulls(given);
	const struct parquet_values *values = &complete;
	bool is_text = column->type == PARQUET_TEXT || column->type == PARQUET_BYTES;
	enum encoding encoding;

	*chunk = (struct parquet_chunk){ .rows = values->rows,
					 .is_plain = maker->only_plain ||
						     column->type == PARQUET_REAL };
	if (!make_room(maker, values->rows))
		return false;
	if (is_text)
		set_text_bounds(values, chunk);
	if (is_text && !maker->only_plain && !put_dictionary(maker, values, to, chunk))
		return false;
	chunk->data_at = chunk->size;
	maker->plain.size = 0;
	if (is_text)
		encoding = put_texts(maker, column->optional, values, chunk);
	else if (column->type == PARQUET_REAL)
		encoding = put_reals(maker, column->optional, values, chunk);
	else
		encoding = put_integers(maker, column->optional, values, chunk);
	return put_page(maker, to, chunk, DATA_PAGE, values->rows, encoding);
}

void parquet_maker_release(struct parquet_maker *maker)
{
	bytes_release(&maker->plain);
	bytes_release(&maker->page);
	free(maker->numbers);
	free(maker->indexes);
	ZSTD_freeCCtx(maker->zstd);
	*maker = (struct parquet_maker){ .only_plain = maker->only_plain };
}
