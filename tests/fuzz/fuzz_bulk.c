/*
 * fuzz_bulk.c - any bytes as a schema and its rows: bulk-loaded and inserted, the same.
 *
 * The first bytes choose page size, memory, columns and indexes; the rest is rows, cell
 * by cell.  A difference between the two databases ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "twin.h"

#define COLUMNS_MAX 40
#define ROWS_MAX 4000

/* The rest of the input; zeros after its end. */
struct bytes {
	const uint8_t *at, *end;
};

static uint64_t take(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size && bytes->at < bytes->end; i++)
		value = value << 8 | *bytes->at++;
	return value;
}

/* Small ones, those around a power of two, any. */
static int64_t decode_int(struct bytes *bytes)
{
	uint64_t how = take(bytes, 1);

	if (how < 100)
		return (int64_t)how - 50;
	if (how < 130)
		return INT64_MIN;
	if (how < 200)
		return (int64_t)((UINT64_C(1) << (how & 63)) + take(bytes, 1) % 3 - 1);
	return (int64_t)take(bytes, how % 8 + 1);
}

static double decode_real(struct bytes *bytes)
{
	uint64_t bits = take(bytes, 1);
	double value;

	if (bits < 128)
		return (double)decode_int(bytes);
	bits = take(bytes, 8);
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* ASCII, so that it is valid as text. */
static struct str decode_text(struct bytes *bytes)
{
	static char text[1 << 17];
	uint64_t how = take(bytes, 1);
	size_t size = how < 20	  ? 0
		      : how < 200 ? (size_t)how % 70
		      : how < 250 ? (size_t)take(bytes, 2) % 3000
				  : (size_t)take(bytes, 3) % sizeof(text);

	if (!text[0])
		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = (char)('a' + i % 23);
	return how < 10 ? STR_NONE : (struct str){ text, size };
}

struct input {
	struct field fields[COLUMNS_MAX];
	char names[COLUMNS_MAX][8];
	struct table table;
	struct twin twin;
	char *rows;
	int64_t *rowids;
};

static void decode_schema(struct input *input, struct bytes *bytes)
{
	size_t columns = (size_t)take(bytes, 1) % COLUMNS_MAX + 1, size = 0;
	struct twin *twin = &input->twin;

	twin->page_bytes = (size_t)512 << take(bytes, 1) % 8;
	twin->memory_bytes = take(bytes, 1) % 2 ? 4096 : 0;
	twin->has_id = take(bytes, 1) % 2;
	twin->not_null = take(bytes, 1) << (twin->has_id ? 1 : 0);
	twin->modify = take(bytes, 1) % 4 == 0;
	for (size_t i = 0; i < columns; i++) {
		enum field_kind kind = (enum field_kind)(take(bytes, 1) % 5);

		if (i == 0 && twin->has_id)
			kind = FIELD_INT;
		snprintf(input->names[i], sizeof(input->names[i]), "c%zu", i);
		input->fields[i] = (struct field){ input->names[i], kind, size };
		size += field_is_text(kind) ? sizeof(struct str) : 8;
		if (field_is_int(kind) && !(i == 0 && twin->has_id) &&
		    take(bytes, 1) % 3 == 0)
			twin->indexed |= UINT64_C(1) << i;
	}
	for (size_t i = twin->has_id, count = 1 + take(bytes, 1) % 4; i < columns; i++)
		if (field_is_int(input->fields[i].kind) && twin->wide_count < count)
			twin->wide[twin->wide_count++] = i;
	input->table = (struct table){ "t", input->fields, columns, size };
	twin->table = &input->table;
}

static void decode_cell(struct bytes *bytes, const struct field *field, char *to)
{
	int64_t value;
	double real;
	struct str text;

	if (field->kind == FIELD_REAL) {
		real = decode_real(bytes);
		memcpy(to, &real, sizeof(real));
	} else if (field_is_int(field->kind)) {
		value = decode_int(bytes);
		memcpy(to, &value, sizeof(value));
	} else {
		text = decode_text(bytes);
		memcpy(to, &text, sizeof(text));
	}
}

/* Ids mostly ascend; now and then one does not. */
static void decode_rows(struct input *input, struct bytes *bytes)
{
	size_t row_size = input->table.row_size;
	int64_t id = decode_int(bytes) >> 1;

	input->rows = malloc(ROWS_MAX * row_size);
	input->rowids = malloc(ROWS_MAX * sizeof(*input->rowids));
	if (!input->rows || !input->rowids)
		abort();
	for (; bytes->at < bytes->end && input->twin.count < ROWS_MAX;
	     input->twin.count++) {
		char *row = input->rows + input->twin.count * row_size;
		uint64_t step = take(bytes, 1);

		for (size_t i = 0; i < input->table.field_count; i++)
			decode_cell(bytes, &input->fields[i],
				    row + input->fields[i].offset);
		id = step == 255 ? decode_int(bytes) >> 1
				 : id + (int64_t)step % 3 + (step > 5);
		if (input->twin.has_id)
			memcpy(row, &id, sizeof(id));
		input->rowids[input->twin.count] = id;
	}
	input->twin.rows = input->rows;
	input->twin.rowids = input->rowids;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char directory[] = "/tmp/perftab-bulk.XXXXXX";
	static bool made;
	struct input *input = calloc(1, sizeof(*input));
	struct bytes bytes = { data, data + size };

	if (!made && !mkdtemp(directory))
		abort();
	made = true;
	if (!input)
		return 0;
	input->twin.directory = directory;
	decode_schema(input, &bytes);
	decode_rows(input, &bytes);
	if (!twin_run(&input->twin)) {
		fprintf(stderr, "%zu columns, %zu rows, pages of %zu: %s\n",
			input->table.field_count, input->twin.count,
			input->twin.page_bytes, input->twin.text);
		abort();
	}
	free(input->rows);
	free(input->rowids);
	free(input);
	(void)rmdir(directory);
	made = false;
	memcpy(strrchr(directory, '.'), ".XXXXXX", sizeof(".XXXXXX"));
	return 0;
}
