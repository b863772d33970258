/* file.c - writes the magic numbers, the row groups and the footer of a Parquet file. */
#include "output/parquet/file.h"

#include <errno.h>

#include "base/os.h"
#include "output/parquet/thrift.h"

/* parquet.thrift, as in chunk.c */
enum physical_type { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTE_ARRAY = 6 };
enum { REPETITION_REQUIRED = 0, REPETITION_OPTIONAL = 1, CONVERTED_UTF8 = 0 };
enum { LOGICAL_STRING = 1, LOGICAL_TIMESTAMP = 8, UNIT_NANOSECONDS = 3 };
enum { CODEC_NONE = 0, CODEC_ZSTD = 6, FORMAT_VERSION = 2 };
enum encoding { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };

static const char magic[4] = { 'P', 'A', 'R', '1' };

/* --- bytes --- */

static enum status write_buffer(struct parquet_file *file)
{
	if (file->buffer.failed)
		return error_nomem(file->error);
	if (!os_write_all(file->fd, file->buffer.data, file->buffer.size))
		return error_set(file->error, ST_IO, ERROR_NO_OFFSET,
				 "cannot write %s: %s", file->path, strerror(errno));
	file->size += file->buffer.size;
	file->buffer.size = 0;
	return ST_OK;
}

enum status parquet_file_begin(struct parquet_file *file)
{
	file->last = &file->groups;
	bytes_put(&file->buffer, magic, sizeof(magic));
	return write_buffer(file);
}

/* --- row groups --- */

struct parquet_group *parquet_file_add_group(struct parquet_file *file, size_t rows)
{
	struct parquet_group *group = arena_alloc(
		&file->arena,
		sizeof(*group) + file->column_count * sizeof(group->chunks[0]));

	if (!group)
		return NULL;
	group->rows = rows;
	*file->last = group;
	file->last = &group->next;
	file->group_count++;
	file->rows += rows;
	return group;
}

bool parquet_file_put_chunk(struct parquet_file *file, struct parquet_group *group,
			    size_t column, struct parquet_maker *maker,
			    const struct parquet_values *values)
{
	struct parquet_chunk *chunk = &group->chunks[column];
	uint64_t offset = file->size + file->buffer.size;

	if (!parquet_make_chunk(maker, &file->columns[column], values, &file->buffer,
				chunk))
		return false;
	chunk->offset = offset;
	return true;
}

enum status parquet_file_flush(struct parquet_file *file)
{
	return write_buffer(file);
}

/* --- the footer --- */

static enum physical_type physical_type(enum parquet_type type)
{
	switch (type) {
	case PARQUET_REAL:
		return TYPE_DOUBLE;
	case PARQUET_TEXT:
	case PARQUET_BYTES:
		return TYPE_BYTE_ARRAY;
	default:
		return TYPE_INT64;
	}
}

/* SchemaElement, after the root */
static void put_column(struct thrift *thrift, const struct parquet_column *column)
{
	thrift_element(thrift);
	thrift_i32(thrift, 1, (int32_t)physical_type(column->type));
	thrift_i32(thrift, 3,
		   column->optional ? REPETITION_OPTIONAL : REPETITION_REQUIRED);
	thrift_text(thrift, 4, str_of(column->name));
	if (column->type == PARQUET_TEXT)
		thrift_i32(thrift, 6, CONVERTED_UTF8);
	if (column->type == PARQUET_TEXT || column->type == PARQUET_UTC)
		thrift_begin(thrift, 10);
	if (column->type == PARQUET_TEXT) {
		thrift_begin(thrift, LOGICAL_STRING);
		thrift_end(thrift);
		thrift_end(thrift);
	} else if (column->type == PARQUET_UTC) {
		thrift_begin(thrift, LOGICAL_TIMESTAMP);
		thrift_bool(thrift, 1, true); /* adjusted to UTC */
		thrift_begin(thrift, 2);
		thrift_begin(thrift, UNIT_NANOSECONDS);
		thrift_end(thrift);
		thrift_end(thrift);
		thrift_end(thrift);
		thrift_end(thrift);
	}
	thrift_end(thrift);
}

static void put_bounds(struct thrift *thrift, const struct parquet_chunk *chunk)
{
	const struct parquet_bound *greatest = &chunk->greatest, *least = &chunk->least;

	thrift_begin(thrift, 12);
	thrift_i64(thrift, 3, (int64_t)chunk->nulls);
	if (chunk->has_bounds) {
		thrift_text(thrift, 5,
			    (struct str){ (const char *)greatest->bytes,
					  greatest->size });
		thrift_text(thrift, 6,
			    (struct str){ (const char *)least->bytes, least->size });
	}
	thrift_end(thrift);
}

/* ColumnChunk and its ColumnMetaData */
static void put_chunk(struct thrift *thrift, const struct parquet_column *column,
		      const struct parquet_chunk *chunk)
{
	bool is_text = physical_type(column->type) == TYPE_BYTE_ARRAY;

	thrift_element(thrift);
	thrift_i64(thrift, 2, (int64_t)(chunk->offset));
	thrift_begin(thrift, 3);
	thrift_i32(thrift, 1, (int32_t)physical_type(column->type));
	thrift_list(thrift, 2, THRIFT_I32, 2);
	thrift_element_i32(thrift, RLE);
	thrift_element_i32(thrift, chunk->is_plain ? PLAIN
				   : is_text	   ? RLE_DICTIONARY
						   : DELTA_BINARY_PACKED);
	thrift_list(thrift, 3, THRIFT_BINARY, 1);
	thrift_element_text(thrift, str_of(column->name));
	thrift_i32(thrift, 4, chunk->is_unpacked ? CODEC_NONE : CODEC_ZSTD);
	thrift_i64(thrift, 5, (int64_t)chunk->rows);
	thrift_i64(thrift, 6, (int64_t)chunk->unpacked_size);
	thrift_i64(thrift, 7, (int64_t)chunk->size);
	thrift_i64(thrift, 9, (int64_t)(chunk->offset + chunk->data_at));
	if (chunk->has_dictionary)
		thrift_i64(thrift, 11, (int64_t)chunk->offset);
	put_bounds(thrift, chunk);
	thrift_end(thrift);
	thrift_end(thrift);
}

static void put_group(struct thrift *thrift, const struct parquet_file *file,
		      const struct parquet_group *group)
{
	uint64_t unpacked = 0, packed = 0, first = UINT64_MAX;

	thrift_element(thrift);
	thrift_list(thrift, 1, THRIFT_STRUCT, file->column_count);
	for (size_t i = 0; i < file->column_count; i++) {
		put_chunk(thrift, &file->columns[i], &group->chunks[i]);
		unpacked += group->chunks[i].unpacked_size;
		packed += group->chunks[i].size;
		if (group->chunks[i].offset < first)
			first = group->chunks[i].offset;
	}
	thrift_i64(thrift, 2, (int64_t)unpacked);
	thrift_i64(thrift, 3, (int64_t)group->rows);
	thrift_i64(thrift, 5, (int64_t)first);
	thrift_i64(thrift, 6, (int64_t)packed);
	thrift_end(thrift);
}

/* Says that statistics are in the order of the type. */
static void put_orders(struct thrift *thrift, size_t count)
{
	thrift_list(thrift, 7, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		thrift_element(thrift);
		thrift_begin(thrift, 1);
		thrift_end(thrift);
		thrift_end(thrift);
	}
}

static void put_schema(struct thrift *thrift, const struct parquet_file *file)
{
	thrift_list(thrift, 2, THRIFT_STRUCT, file->column_count + 1);
	thrift_element(thrift);
	thrift_text(thrift, 4, STR("schema"));
	thrift_i32(thrift, 5, (int32_t)file->column_count);
	thrift_end(thrift);
	for (size_t i = 0; i < file->column_count; i++)
		put_column(thrift, &file->columns[i]);
}

static void put_keys(struct thrift *thrift, const struct parquet_key *keys, size_t count)
{
	thrift_list(thrift, 5, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		thrift_element(thrift);
		thrift_text(thrift, 1, str_of(keys[i].name));
		thrift_text(thrift, 2, keys[i].value);
		thrift_end(thrift);
	}
}

enum status parquet_file_finish(struct parquet_file *file, const struct parquet_key *keys,
				size_t count)
{
	struct thrift thrift = { .to = &file->buffer };
	size_t bytes;

	thrift_i32(&thrift, 1, FORMAT_VERSION);
	put_schema(&thrift, file);
	thrift_i64(&thrift, 3, (int64_t)file->rows);
	thrift_list(&thrift, 4, THRIFT_STRUCT, file->group_count);
	for (const struct parquet_group *g = file->groups; g; g = g->next)
		put_group(&thrift, file, g);
	put_keys(&thrift, keys, count);
	thrift_text(&thrift, 6, STR("perftab"));
	put_orders(&thrift, file->column_count);
	thrift_end(&thrift);
	bytes = file->buffer.size;
	for (int i = 0; i < 4; i++)
		bytes_put(&file->buffer, &(uint8_t){ (uint8_t)(bytes >> (8 * i)) }, 1);
	bytes_put(&file->buffer, magic, sizeof(magic));
	return write_buffer(file);
}

void parquet_file_release(struct parquet_file *file)
{
	arena_release(&file->arena);
	bytes_release(&file->buffer);
	*file = (struct parquet_file){ .fd = -1 };
}
