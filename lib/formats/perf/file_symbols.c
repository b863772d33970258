/* file_symbols.c - decodes the files and functions that simpleperf records. */
#include "formats/perf/file_symbols.h"

#include <stdlib.h>

#include "base/text.h"

/* enum DsoType of simpleperf. */
enum dso_type {
	DSO_KERNEL = 0,
	DSO_KERNEL_MODULE = 1,
	DSO_ELF_FILE = 2,
	DSO_DEX_FILE = 3,
};

struct perf_dso {
	uint32_t type;
	uint64_t min_vaddr;
	struct str name;
};

/*
 * What an address of a function is relative to: addresses begin with those of the part of
 * the file that is executed, and that is where its mapping begins, or in a known place of
 * the file.
 */
struct base {
	struct str filename;
	uint32_t type;
	uint64_t min_vaddr;
	uint64_t file_offset; /* of min_vaddr; UINT64_MAX: not recorded */
};

#define KERNEL_NAME STR("[kernel.kallsyms]")

static void emit_symbol(struct perf_rows *rows, const struct base *base, uint64_t vaddr,
			uint64_t bytes, struct str name)
{
	bool has_offset = base->file_offset != UINT64_MAX;
	bool is_dex = base->type == DSO_DEX_FILE;
	bool is_part = base->type == DSO_ELF_FILE || base->type == DSO_KERNEL_MODULE;
	struct file_symbol_row row = {
		.filename = base->type == DSO_KERNEL ? KERNEL_NAME : base->filename,
		.base = is_dex || (is_part && has_offset) ? STR("file")
			: is_part			  ? STR("map")
							  : STR("address"),
		.addr = (int64_t)vaddr,
		.bytes = bytes ? (int64_t)bytes : INT_NONE,
	};

	if (rows->file_symbols == PERF_FILE_SYMBOLS_MAX) {
		finding_add(rows->findings, FINDING_SYMBOL_LIMIT, ERROR_NO_OFFSET, 1);
		return;
	}
	rows->file_symbols++;
	if (!rows->wants_file_symbols)
		return;
	row.name = emit_text(&rows->emit, name);
	if (is_part)
		row.addr = (int64_t)(vaddr - base->min_vaddr +
				     (has_offset ? base->file_offset : 0));
	if (row.addr != INT_NONE) /* as NULL it could not be stored, and no name has it */
		emit_push_row(&rows->emit, RECORD_file_symbol, 0, &row);
}

/* --- records --- */

/* u32 size, text as of /proc/kallsyms */
bool perf_decode_kernel_symbols(struct perf_rows *rows, struct cursor *c)
{
	const struct base kernel = { .type = DSO_KERNEL, .file_offset = UINT64_MAX };
	uint32_t size = cursor_u32(c);
	const char *at = (const char *)cursor_bytes(c, size);
	const char *end = at ? at + size : at;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = stop ? (size_t)(stop - at) : (size_t)(end - at), i = 0;
		uint64_t address = 0;

		for (; i < length && i < 16; i++) {
			int digit = text_hex_digit(at[i]);

			if (digit < 0)
				break;
			address = address << 4 | (uint64_t)digit;
		}
		if (i && length > i + 3 && at[i] == ' ' && strchr("TtWw", at[i + 1])) {
			const char *name = at + i + 3;
			size_t left = length - i - 3;
			const char *tab = memchr(name, '\t', left);

			emit_symbol(rows, &kernel, address, 0,
				    (struct str){ name,
						  tab ? (size_t)(tab - name) : left });
		}
		at += length + 1;
	}
	return !c->overrun;
}

/* u64 type, number, min_vaddr | name */
bool perf_decode_dso(struct perf_rows *rows, struct perf_dsos *dsos, struct cursor *c)
{
	struct perf_dso dso = { .type = (uint32_t)cursor_u64(c) };
	uint64_t number = cursor_u64(c);
	struct perf_dso *kept;

	dso.min_vaddr = cursor_u64(c);
	dso.name = cursor_padded_str(c, cursor_left(c));
	if (c->overrun)
		return false;
	if (dsos->count == PERF_DSOS_MAX)
		return true;
	kept = arena_alloc(&rows->texts, sizeof(*kept));
	if (!kept)
		return true;
	*kept = dso;
	kept->name = arena_str(&rows->texts, dso.name);
	if (kept->name.ptr && map_put(&dsos->by_id, number, kept))
		dsos->count++;
	return true;
}

/* u64 address, bytes, number of the file | name */
bool perf_decode_dso_symbol(struct perf_rows *rows, const struct perf_dsos *dsos,
			    struct cursor *c)
{
	uint64_t address = cursor_u64(c), bytes = cursor_u64(c);
	const struct perf_dso *dso = map_get(&dsos->by_id, cursor_u64(c));
	struct str name = cursor_padded_str(c, cursor_left(c));

	if (!c->overrun && dso)
		emit_symbol(rows,
			    &(struct base){ dso->name, dso->type, dso->min_vaddr,
					    UINT64_MAX },
			    address, bytes, name);
	return !c->overrun;
}

/* --- the feature FILE --- */

/*
 * path | u32 type | u64 min_vaddr | u32 count, {u64 address, u32 bytes, name}[count] |
 * of a dex file: u32 count, u64[count] | of others, not always: u64 file_offset
 */
static bool decode_file(struct perf_rows *rows, struct cursor *c)
{
	struct base base = { .file_offset = UINT64_MAX };
	struct cursor symbols, rest;
	uint32_t count;

	base.filename = cursor_nul_str(c);
	base.type = cursor_u32(c);
	base.min_vaddr = cursor_u64(c);
	count = cursor_u32(c);
	symbols = rest = *c;
	/* What the addresses mean follows them. */
	for (uint32_t i = 0; i < count && !rest.overrun; i++) {
		cursor_skip(&rest, 12);
		(void)cursor_nul_str(&rest);
	}
	if (rest.overrun || c->overrun)
		return false;
	if ((base.type == DSO_ELF_FILE || base.type == DSO_KERNEL_MODULE) &&
	    cursor_left(&rest) >= 8)
		base.file_offset = cursor_u64(&rest);
	if (rows->wants_file_symbols)
		base.filename = emit_text(&rows->emit, base.filename);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t address = cursor_u64(&symbols);
		uint32_t bytes = cursor_u32(&symbols);

		emit_symbol(rows, &base, address, bytes, cursor_nul_str(&symbols));
	}
	return true;
}

/* --- the feature FILE2: a message of protobuf for each file --- */

struct field_value {
	uint32_t number;
	uint64_t value;	     /* of a number */
	struct cursor bytes; /* of a text or a message */
};

static uint64_t decode_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cursor_u8(c);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->overrun = true;
	return 0;
}

/* False: no more fields, or damage (overrun). */
static bool next_field(struct cursor *c, struct field_value *field)
{
	uint64_t key, size;

	if (!cursor_left(c) || c->overrun)
		return false;
	key = decode_varint(c);
	*field = (struct field_value){ .number = (uint32_t)(key >> 3) };
	switch (key & 7) {
	case 0:
		field->value = decode_varint(c);
		break;
	case 1:
		field->value = cursor_u64(c);
		break;
	case 2:
		size = decode_varint(c);
		if (size > cursor_left(c)) {
			c->overrun = true;
			return false;
		}
		field->bytes = cursor_sub(c, (size_t)size);
		break;
	case 5:
		field->value = cursor_u32(c);
		break;
	default:
		c->overrun = true;
	}
	return !c->overrun;
}

static struct str field_text(const struct field_value *field)
{
	return (struct str){ (const char *)field->bytes.pos, cursor_left(&field->bytes) };
}

enum { FILE_PATH = 1, FILE_TYPE, FILE_MIN_VADDR, FILE_SYMBOL, FILE_DEX, FILE_ELF_PART };
enum { SYMBOL_ADDRESS = 1, SYMBOL_BYTES, SYMBOL_NAME };

static void decode_symbol2(struct perf_rows *rows, const struct base *base,
			   struct cursor c)
{
	struct field_value field;
	uint64_t address = 0, bytes = 0;
	struct str name = STR_NONE;

	while (next_field(&c, &field))
		if (field.number == SYMBOL_ADDRESS)
			address = field.value;
		else if (field.number == SYMBOL_BYTES)
			bytes = field.value;
		else if (field.number == SYMBOL_NAME)
			name = field_text(&field);
	if (!c.overrun && name.ptr)
		emit_symbol(rows, base, address, bytes, name);
}

/* Twice: what addresses mean may come after them. */
static bool decode_file2(struct perf_rows *rows, const struct cursor *file)
{
	struct base base = { .file_offset = UINT64_MAX };
	struct field_value field;
	struct cursor c = *file;

	while (next_field(&c, &field))
		if (field.number == FILE_PATH)
			base.filename = field_text(&field);
		else if (field.number == FILE_TYPE)
			base.type = (uint32_t)field.value;
		else if (field.number == FILE_MIN_VADDR)
			base.min_vaddr = field.value;
		else if (field.number == FILE_ELF_PART) { /* its only field */
			struct field_value part;

			base.file_offset = 0; /* which is not written */
			if (next_field(&field.bytes, &part))
				base.file_offset = part.value;
		}
	if (c.overrun)
		return false;
	if (rows->wants_file_symbols)
		base.filename = emit_text(&rows->emit, base.filename);
	c = *file;
	while (next_field(&c, &field))
		if (field.number == FILE_SYMBOL)
			decode_symbol2(rows, &base, field.bytes);
	return true;
}

bool perf_decode_files(struct perf_rows *rows, unsigned int feature, struct cursor c)
{
	while (cursor_left(&c) >= 4 && !c.overrun) {
		uint32_t size = cursor_u32(&c);
		struct cursor file = cursor_sub(&c, size);

		if (file.overrun ||
		    !(feature == FEATURE_FILE ? decode_file(rows, &file)
					      : decode_file2(rows, &file)))
			return false;
	}
	return !c.overrun;
}
