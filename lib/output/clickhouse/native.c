/* native.c - collects cells by column and writes them as blocks; see native.h. */
#include "output/clickhouse/native.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "base/varint.h"
#include "model/record.h"
#include "output/target.h"

#define TEXT_BYTES_MAX ((size_t)16 << 20)
#define DAY_MAX UINT16_MAX

const char *native_type_name(enum native_type type)
{
	static const char *const names[] = {
		[NATIVE_TEXT] = "String",
		[NATIVE_INT] = "Int64",
		[NATIVE_NUMBER] = "Nullable(Int64)",
		[NATIVE_DATE] = "Date",
	};

	return names[type];
}

enum status native_begin(struct native_block *block, const struct native_column *columns,
			 size_t count, int fd, struct error *error)
{
	*block = (struct native_block){
		.columns = columns,
		.column_count = count,
		.cells = memory_alloc_zeroed(count, sizeof(*block->cells)),
		.fd = fd,
		.error = error,
	};
	return block->cells ? ST_OK : error_nomem(error);
}

/* --- bytes --- */

enum status native_write(int fd, struct bytes *bytes, struct error *error)
{
	if (bytes->failed)
		return error_nomem(error);
	if (!os_write_all(fd, bytes->data, bytes->size))
		return target_write_failed(fd, error);
	bytes->size = 0;
	return ST_OK;
}

static void put_text(struct bytes *bytes, struct str text)
{
	varint_put(bytes, text.len);
	bytes_put(bytes, text.ptr, text.len);
}

static void put_u64(struct bytes *bytes, uint64_t value)
{
	uint8_t little[8];

	for (size_t i = 0; i < sizeof(little); i++)
		little[i] = (uint8_t)(value >> 8 * i);
	bytes_put(bytes, little, sizeof(little));
}

/* --- cells --- */

static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] > 0x7f)
			return false;
	return true;
}

void native_put_text(struct native_block *block, size_t column, struct str text)
{
	struct bytes *values = &block->cells[column].values;
	struct arena arena = { NULL };

	if (!is_ascii(text)) {
		text = text_valid_utf8(&arena, text);
		values->failed |= !text.ptr;
	}
	put_text(values, text);
	block->text_bytes += text.len;
	arena_release(&arena);
}

void native_put_int(struct native_block *block, size_t column, int64_t value)
{
	put_u64(&block->cells[column].values, (uint64_t)value);
}

void native_put_number(struct native_block *block, size_t column, int64_t value)
{
	struct native_cells *cells = &block->cells[column];
	uint8_t is_null = value == INT_NONE;

	bytes_put(&cells->nulls, &is_null, 1);
	put_u64(&cells->values, is_null ? 0 : (uint64_t)value);
}

void native_put_date(struct native_block *block, size_t column, int64_t day)
{
	uint16_t days = day < 0 || day > DAY_MAX ? 0 : (uint16_t)day;
	const uint8_t little[] = { (uint8_t)days, (uint8_t)(days >> 8) };

	bytes_put(&block->cells[column].values, little, sizeof(little));
}

/* --- blocks --- */

static enum status flush(struct native_block *block)
{
	struct bytes *bytes = &block->bytes;
	enum status status = ST_OK;

	if (block->rows == 0)
		return ST_OK;
	varint_put(bytes, block->column_count);
	varint_put(bytes, block->rows);
	for (size_t i = 0; i < block->column_count && status == ST_OK; i++) {
		struct native_cells *cells = &block->cells[i];

		put_text(bytes, str_of(block->columns[i].name));
		put_text(bytes, str_of(native_type_name(block->columns[i].type)));
		status = native_write(block->fd, bytes, block->error);
		if (status == ST_OK)
			status = native_write(block->fd, &cells->nulls, block->error);
		if (status == ST_OK)
			status = native_write(block->fd, &cells->values, block->error);
	}
	block->rows = 0;
	block->text_bytes = 0;
	return status;
}

enum status native_end_row(struct native_block *block)
{
	block->rows++;
	return block->rows == NATIVE_BLOCK_ROWS || block->text_bytes > TEXT_BYTES_MAX
		       ? flush(block)
		       : ST_OK;
}

enum status native_finish(struct native_block *block)
{
	return flush(block);
}

void native_release(struct native_block *block)
{
	for (size_t i = 0; block->cells && i < block->column_count; i++) {
		bytes_release(&block->cells[i].values);
		bytes_release(&block->cells[i].nulls);
	}
	free(block->cells);
	block->cells = NULL;
	bytes_release(&block->bytes);
}
