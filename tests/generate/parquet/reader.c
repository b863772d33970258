/* reader.c - Parquet by its documents: Thrift's compact protocol, encodings, pages. */
#include "reader.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define COLUMNS_MAX 2048

struct piece {
	const uint8_t *at, *end;
};

struct column {
	struct piece name;
	int64_t type, repetition, converted;
};

struct chunk {
	int64_t codec, values, data_at, dictionary_at, nulls;
	struct piece least, greatest;
};

struct cell {
	bool is_null;
	int64_t number;
	struct piece text;
};

static jmp_buf failed;
static const char *what_failed;

static void die(const char *what)
{
	what_failed = what;
	longjmp(failed, 1);
}

/* All memory that a group of rows needed. */
static struct block {
	struct block *next;
	max_align_t data[];
} * blocks;

static void *get_memory(size_t count, size_t size)
{
	struct block *block = calloc(1, sizeof(*block) + count * size);

	if (!block)
		die("out of memory");
	block->next = blocks;
	blocks = block;
	return block->data;
}

static void free_memory(void)
{
	while (blocks) {
		struct block *next = blocks->next;

		free(blocks);
		blocks = next;
	}
}

/* --- bytes --- */

static uint8_t byte(struct piece *p)
{
	if (p->at == p->end)
		die("it is cut");
	return *p->at++;
}

static struct piece take(struct piece *p, uint64_t size)
{
	struct piece taken = { p->at, p->at + size };

	if (size > (uint64_t)(p->end - p->at))
		die("it is cut");
	p->at += size;
	return taken;
}

static uint64_t little(struct piece *p, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value |= (uint64_t)byte(p) << (8 * i);
	return value;
}

static uint64_t varint(struct piece *p)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t next = byte(p);

		value |= (uint64_t)(next & 127) << shift;
		if (!(next & 128))
			return value;
	}
	die("a number without end");
	return 0;
}

static int64_t zigzag(struct piece *p)
{
	uint64_t value = varint(p);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* --- Thrift --- */

enum { END, YES, NO, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT };

struct field {
	int id, type;
};

static struct field next_field(struct piece *p, int last)
{
	uint8_t head = byte(p);
	struct field field = { last + (head >> 4), head & 15 };

	if (field.type != END && !(head >> 4))
		field.id = (int)zigzag(p);
	return field;
}

static size_t list_size(struct piece *p, int *type)
{
	uint8_t head = byte(p);

	*type = head & 15;
	return head >> 4 == 15 ? varint(p) : head >> 4;
}

static void skip(struct piece *p, int type)
{
	struct field field = { 0, 0 };
	size_t count;
	int inner;

	switch (type) {
	case YES:
	case NO:
		return;
	case I16:
	case I32:
	case I64:
		varint(p);
		return;
	case BINARY:
		take(p, varint(p));
		return;
	case LIST:
		count = list_size(p, &inner);
		for (size_t i = 0; i < count; i++)
			skip(p, inner);
		return;
	case STRUCT:
		while ((field = next_field(p, field.id)).type != END)
			skip(p, field.type);
		return;
	default:
		die("a field of a type that perftab does not write");
	}
}

/* --- the footer --- */

static struct column read_column(struct piece *p)
{
	struct column column = { .type = -1, .converted = -1 };
	struct field field = { 0, 0 };

	while ((field = next_field(p, field.id)).type != END) {
		if (field.id == 1)
			column.type = zigzag(p);
		else if (field.id == 3)
			column.repetition = zigzag(p);
		else if (field.id == 4)
			column.name = take(p, varint(p));
		else if (field.id == 6)
			column.converted = zigzag(p);
		else
			skip(p, field.type);
	}
	return column;
}

static void read_statistics(struct piece *p, struct chunk *chunk)
{
	struct field field = { 0, 0 };

	while ((field = next_field(p, field.id)).type != END) {
		if (field.id == 3)
			chunk->nulls = zigzag(p);
		else if (field.id == 5)
			chunk->greatest = take(p, varint(p));
		else if (field.id == 6)
			chunk->least = take(p, varint(p));
		else
			skip(p, field.type);
	}
}

static struct chunk read_chunk(struct piece *p)
{
	struct chunk chunk = { .dictionary_at = -1 };
	struct field outer = { 0, 0 }, field;

	while ((outer = next_field(p, outer.id)).type != END) {
		if (outer.id != 3) {
			skip(p, outer.type);
			continue;
		}
		field = (struct field){ 0, 0 };
		while ((field = next_field(p, field.id)).type != END) {
			if (field.id == 4)
				chunk.codec = zigzag(p);
			else if (field.id == 5)
				chunk.values = zigzag(p);
			else if (field.id == 9)
				chunk.data_at = zigzag(p);
			else if (field.id == 11)
				chunk.dictionary_at = zigzag(p);
			else if (field.id == 12)
				read_statistics(p, &chunk);
			else
				skip(p, field.type);
		}
	}
	return chunk;
}

/* --- pages --- */

struct page {
	int64_t values, encoding;
	uint8_t *bytes;
	struct piece rest;
};

enum { CODEC_NONE = 0, CODEC_ZSTD = 6 };

static void unpack(struct page *page, struct piece p, int64_t unpacked, int64_t codec)
{
	size_t packed = (size_t)(p.end - p.at);

	page->bytes = get_memory((size_t)unpacked, 1);
	if (codec == CODEC_NONE && packed == (size_t)unpacked)
		memcpy(page->bytes, p.at, packed);
	else if (codec != CODEC_ZSTD)
		die("a page of an unknown codec");
	else if (ZSTD_decompress(page->bytes, (size_t)unpacked, p.at, packed) !=
		 (size_t)unpacked)
		die("a page that zstd does not decompress");
	page->rest = (struct piece){ page->bytes, page->bytes + unpacked };
}

static struct page read_page(struct piece p, int64_t codec)
{
	struct page page = { 0 };
	struct field field = { 0, 0 }, inner;
	int64_t unpacked = 0, packed = 0;

	while ((field = next_field(&p, field.id)).type != END) {
		if (field.id == 2)
			unpacked = zigzag(&p);
		else if (field.id == 3)
			packed = zigzag(&p);
		else if (field.id != 5 && field.id != 7)
			skip(&p, field.type);
		else
			for (inner = (struct field){ 0, 0 };
			     (inner = next_field(&p, inner.id)).type != END;) {
				int64_t value = zigzag(&p);

				page.values = inner.id == 1 ? value : page.values;
				page.encoding = inner.id == 2 ? value : page.encoding;
			}
	}
	if (unpacked < 0 || packed < 0)
		die("a page of a negative size");
	unpack(&page, take(&p, (uint64_t)packed), unpacked, codec);
	return page;
}

static uint64_t bits_at(const uint8_t *bytes, size_t at, unsigned int width)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < width; i++, at++)
		value |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << i;
	return value;
}

static void read_hybrid(struct piece *p, unsigned int width, uint32_t *to, size_t count)
{
	for (size_t done = 0; done < count;) {
		uint64_t head = varint(p);

		if (head & 1) {
			struct piece packed = take(p, (head >> 1) * width);

			for (size_t i = 0; i < (head >> 1) * 8 && done < count; i++)
				to[done++] =
					(uint32_t)bits_at(packed.at, i * width, width);
		} else {
			uint32_t value = (uint32_t)little(p, (width + 7) / 8);

			if (head >> 1 == 0 || head >> 1 > count - done)
				die("a run that is too long");
			for (uint64_t i = 0; i < head >> 1; i++)
				to[done++] = value;
		}
	}
}

static void read_delta(struct piece *p, int64_t *to, size_t count)
{
	uint64_t block = varint(p), parts = varint(p), all = varint(p);
	uint64_t value = (uint64_t)zigzag(p);

	if (block != 128 || parts != 4 || all != count)
		die("numbers in blocks that perftab does not write");
	if (count)
		to[0] = (int64_t)value;
	for (size_t done = 1; done < count;) {
		uint64_t least = (uint64_t)zigzag(p);
		struct piece widths = take(p, 4);

		for (int part = 0; part < 4 && done < count; part++) {
			struct piece packed = take(p, (uint64_t)widths.at[part] * 4);

			for (size_t i = 0; i < 32 && done < count; i++) {
				value += least + bits_at(packed.at, i * widths.at[part],
							 widths.at[part]);
				to[done++] = (int64_t)value;
			}
		}
	}
}

/* --- chunks --- */

enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6 };

static struct piece *read_dictionary(struct piece file, const struct chunk *chunk,
				     size_t *count)
{
	struct page page;
	struct piece *texts;

	take(&file, (uint64_t)chunk->dictionary_at);
	page = read_page(file, chunk->codec);
	*count = (size_t)page.values;
	texts = get_memory(*count, sizeof(*texts));
	for (size_t i = 0; i < *count; i++)
		texts[i] = take(&page.rest, little(&page.rest, 4));
	return texts;
}

static void read_values(struct page *page, const struct column *column,
			struct cell *cells, size_t count, const struct piece *texts,
			size_t text_count)
{
	int64_t *numbers = get_memory(count, sizeof(*numbers));
	uint32_t *places = get_memory(count, sizeof(*places));

	if (page->encoding == 5)
		read_delta(&page->rest, numbers, count);
	if (page->encoding == 8 && count)
		read_hybrid(&page->rest, byte(&page->rest), places, count);
	for (size_t i = 0; i < count; i++) {
		if (page->encoding == 8 && places[i] >= text_count)
			die("a text that is not in the dictionary");
		if (page->encoding == 8)
			cells[i].text = texts[places[i]];
		else if (page->encoding == 0 && column->type == TYPE_BYTES)
			cells[i].text = take(&page->rest, little(&page->rest, 4));
		else
			cells[i].number = page->encoding == 5
						  ? numbers[i]
						  : (int64_t)little(&page->rest, 8);
	}
}

static struct cell *read_cells(struct piece file, const struct column *column,
			       const struct chunk *chunk, size_t rows)
{
	struct cell *cells = get_memory(rows, sizeof(*cells));
	uint32_t *known = get_memory(rows, sizeof(*known));
	struct piece *texts = NULL;
	size_t text_count = 0, count = 0;
	struct page page;

	if (chunk->dictionary_at >= 0)
		texts = read_dictionary(file, chunk, &text_count);
	take(&file, (uint64_t)chunk->data_at);
	page = read_page(file, chunk->codec);
	if ((size_t)page.values != rows || (size_t)chunk->values != rows)
		die("a column with other rows");
	for (size_t i = 0; i < rows; i++)
		known[i] = 1;
	if (column->repetition == 1) {
		struct piece levels = take(&page.rest, little(&page.rest, 4));

		read_hybrid(&levels, 1, known, rows);
	}
	for (size_t i = 0; i < rows; i++)
		count += known[i];
	if (chunk->nulls != (int64_t)(rows - count))
		die("statistics with other NULLs");
	read_values(&page, column, cells, count, texts, text_count);
	for (size_t i = rows; i-- > 0;) {
		cells[i] = known[i] ? cells[--count] : (struct cell){ .is_null = true };
	}
	return cells;
}

/* --- statistics --- */

static int compare(const struct column *column, const struct cell *cell,
		   struct piece bound)
{
	size_t a = (size_t)(cell->text.end - cell->text.at);
	size_t b = (size_t)(bound.end - bound.at);
	int64_t number;
	int order;

	if (column->type == TYPE_INT64) {
		number = (int64_t)little(&bound, 8);
		return cell->number < number ? -1 : cell->number > number;
	}
	order = memcmp(cell->text.at, bound.at, a < b ? a : b);
	return order ? order : a < b ? -1 : a > b;
}

/* Every value is between the bounds, which are values. */
static void check_bounds(const struct column *column, const struct chunk *chunk,
			 const struct cell *cells, size_t rows)
{
	bool least = false, greatest = false;

	if (!chunk->least.at)
		return;
	for (size_t i = 0; i < rows; i++) {
		if (cells[i].is_null)
			continue;
		if (compare(column, &cells[i], chunk->least) < 0 ||
		    compare(column, &cells[i], chunk->greatest) > 0)
			die("statistics that do not hold");
		least |= compare(column, &cells[i], chunk->least) == 0;
		greatest |= compare(column, &cells[i], chunk->greatest) == 0;
	}
	if (!least || !greatest)
		die("statistics of values that are not there");
}

/* --- printing --- */

static void print_cell(FILE *to, const struct column *column, const struct cell *cell)
{
	double real;

	if (cell->is_null)
		return;
	memcpy(&real, &cell->number, sizeof(real));
	if (column->type == TYPE_INT64)
		fprintf(to, "%lld", (long long)cell->number);
	else if (column->type == TYPE_DOUBLE)
		fprintf(to, "%.17g", real);
	else if (column->converted == 0)
		fwrite(cell->text.at, 1, (size_t)(cell->text.end - cell->text.at), to);
	else
		for (const uint8_t *at = cell->text.at; at < cell->text.end; at++)
			fprintf(to, "%02x", *at);
}

static void print_group(FILE *to, struct piece file, struct piece *p,
			const struct column *columns, size_t count)
{
	struct chunk *chunks = get_memory(count, sizeof(*chunks));
	struct cell **cells = get_memory(count, sizeof(*cells));
	struct field field = { 0, 0 };
	size_t rows = 0, listed = 0;
	int type;

	while ((field = next_field(p, field.id)).type != END) {
		if (field.id == 1) {
			listed = list_size(p, &type);
			if (listed != count)
				die("a group with other columns");
			for (size_t i = 0; i < count; i++)
				chunks[i] = read_chunk(p);
		} else if (field.id == 3) {
			rows = (size_t)zigzag(p);
		} else {
			skip(p, field.type);
		}
	}
	for (size_t i = 0; i < count; i++) {
		cells[i] = read_cells(file, &columns[i], &chunks[i], rows);
		check_bounds(&columns[i], &chunks[i], cells[i], rows);
	}
	for (size_t row = 0; row < rows; row++)
		for (size_t i = 0; i < count; i++) {
			print_cell(to, &columns[i], &cells[i][row]);
			fputc(i + 1 < count ? '|' : '\n', to);
		}
	free_memory();
}

static void print_key(FILE *to, struct piece *p)
{
	struct field field = { 0, 0 };

	while ((field = next_field(p, field.id)).type != END) {
		struct piece text = take(p, varint(p));

		fwrite(text.at, 1, (size_t)(text.end - text.at), to);
		fputc(field.id == 1 ? '=' : '\n', to);
	}
}

static void print_file(FILE *to, struct piece file, bool keys)
{
	static struct column columns[COLUMNS_MAX];
	struct field field = { 0, 0 };
	size_t size = (size_t)(file.end - file.at), count = 0, groups;
	struct piece p;
	int type;

	if (size < 12 || memcmp(file.at, "PAR1", 4) || memcmp(file.end - 4, "PAR1", 4))
		die("it does not begin and end as Parquet");
	p = (struct piece){ file.end - 8, file.end };
	groups = little(&p, 4);
	if (groups > size - 12)
		die("a footer that is larger than the file");
	p = (struct piece){ file.end - 8 - groups, file.end - 8 };
	while ((field = next_field(&p, field.id)).type != END) {
		if (field.id == 2) {
			count = list_size(&p, &type);
			if (count == 0 || count > COLUMNS_MAX)
				die("too many columns, or none");
			read_column(&p); /* the root */
			count--;
			for (size_t i = 0; i < count; i++)
				columns[i] = read_column(&p);
			for (size_t i = 0; i < count && !keys; i++)
				fprintf(to, "%.*s%c",
					(int)(columns[i].name.end - columns[i].name.at),
					(const char *)columns[i].name.at,
					i + 1 < count ? '|' : '\n');
		} else if (field.id == 4 && !keys) {
			groups = list_size(&p, &type);
			for (size_t i = 0; i < groups; i++)
				print_group(to, file, &p, columns, count);
		} else if (field.id == 5 && keys) {
			groups = list_size(&p, &type);
			for (size_t i = 0; i < groups; i++)
				print_key(to, &p);
		} else {
			skip(&p, field.type);
		}
	}
}

static const char *print(FILE *to, const uint8_t *data, size_t size, bool keys)
{
	what_failed = NULL;
	if (setjmp(failed) == 0)
		print_file(to, (struct piece){ data, data + size }, keys);
	free_memory();
	return what_failed;
}

const char *parquet_print(FILE *to, const uint8_t *data, size_t size)
{
	return print(to, data, size, false);
}

const char *parquet_print_keys(FILE *to, const uint8_t *data, size_t size)
{
	return print(to, data, size, true);
}
