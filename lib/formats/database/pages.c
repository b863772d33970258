/*
 * pages.c - walks the pages of a table and decodes its cells.
 *
 * The layout is section 1.6 and 2.1 of "Database File Format"
 * (sqlite.org/fileformat2.html).  The file is read through SQLite, under the lock of its
 * transaction.  Nothing in it is trusted: whatever is not as expected is left to SQLite.
 */
#include "formats/database/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sqlite_format.h"

/* After a page: a record of damaged sizes is loaded as far as this beyond it. */
#define SLACK (8 * (DB_COLUMNS_MAX + 1))

static inline uint64_t get_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

/* --- the file --- */

static bool run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool read_at(sqlite3_file *file, void *to, uint32_t size, uint64_t offset)
{
	return file->pMethods->xRead(file, to, (int)size, (sqlite3_int64)offset) ==
	       SQLITE_OK;
}

void db_pages_open(struct db_pages *pages, sqlite3 *db)
{
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 0;
	uint8_t head[HEADER_BYTES];

	*pages = (struct db_pages){ .file = NULL };
	/* Reading the schema locks the file, and rolls back what a crash left. */
	if (!run(db, "BEGIN") || !run(db, "SELECT count(*) FROM sqlite_schema") ||
	    sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
		    SQLITE_OK ||
	    !file || !file->pMethods ||
	    file->pMethods->xFileSize(file, &size) != SQLITE_OK ||
	    !read_at(file, head, sizeof(head), 0))
		return;
	pages->page_bytes = (uint32_t)get_u16(head + HEADER_PAGE_BYTES);
	if (pages->page_bytes == 1)
		pages->page_bytes = 65536;
	if (pages->page_bytes < 512 || head[HEADER_WRITE_VERSION] != 1 ||
	    head[HEADER_READ_VERSION] != 1 || get_u32(head + HEADER_ENCODING) != 1)
		return;
	pages->usable_bytes = pages->page_bytes - head[HEADER_RESERVED];
	pages->page_count = (uint64_t)size / pages->page_bytes;
	pages->file = file;
}

/* --- a table --- */

static uint32_t root_of(sqlite3 *db, const char *table)
{
	sqlite3_stmt *statement;
	sqlite3_int64 root = 0;

	if (sqlite3_prepare_v2(db,
			       "SELECT rootpage FROM sqlite_schema WHERE type = 'table' "
			       "AND name = ?1",
			       -1, &statement, NULL) != SQLITE_OK)
		return 0;
	sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) == SQLITE_ROW)
		root = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return root > 0 && root <= UINT32_MAX ? (uint32_t)root : 0;
}

/* The place of a column of that name; false: it is not wanted. */
static bool find_place(const struct table *table, size_t deltas, size_t delta_count,
		       const char *name, struct db_column *column)
{
	for (size_t i = 0; i < table->field_count; i++)
		if (strcmp(table->fields[i].name, name) == 0) {
			column->kind = table->fields[i].kind;
			column->offset = table->fields[i].offset;
			return true;
		}
	for (size_t i = 0; i < delta_count; i++) {
		char delta[32];

		sqlite3_snprintf(sizeof(delta), delta, "delta_%d", (int)i);
		if (strcmp(delta, name) == 0) {
			column->kind = FIELD_VALUE;
			column->offset = deltas + i * sizeof(int64_t);
			return true;
		}
	}
	return false;
}

/* For the quick way, where nothing but numbers is wanted. */
static void set_places(struct db_walk *walk, size_t waste)
{
	walk->is_numbers = true;
	walk->rowid_column = SIZE_MAX;
	for (size_t i = 0; i < walk->column_count; i++) {
		struct db_column *column = &walk->columns[i];

		walk->numbers[i].place =
			column->offset == SIZE_MAX ? waste : column->offset;
		walk->numbers[i].none = column->kind == FIELD_VALUE ? 0 : INT_NONE;
		if (column->offset != SIZE_MAX || column->is_rowid)
			walk->wanted_count = i + 1;
		walk->is_numbers &=
			column->offset == SIZE_MAX || field_is_int(column->kind);
		if (column->is_rowid)
			walk->rowid_column = i;
	}
}

/* The columns as they are stored; false: some of them are not, or not all are there. */
static bool find_columns(struct db_walk *walk, sqlite3 *db, const struct table *table,
			 size_t deltas, size_t delta_count)
{
	size_t waste = deltas + delta_count * sizeof(int64_t);
	char *sql = sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", table->name);
	size_t keys = 0, rowids = 0, placed = 0;
	sqlite3_stmt *info = NULL;
	bool fits = true;

	walk->columns = memory_alloc_zeroed(DB_COLUMNS_MAX, sizeof(*walk->columns));
	walk->numbers = memory_alloc_zeroed(DB_COLUMNS_MAX, sizeof(*walk->numbers));
	if (!sql || !walk->columns || !walk->numbers ||
	    sqlite3_prepare_v2(db, sql, -1, &info, NULL) != SQLITE_OK)
		fits = false;
	sqlite3_free(sql);
	while (fits && sqlite3_step(info) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(info, 1);
		const char *type = (const char *)sqlite3_column_text(info, 2);
		struct db_column *column = &walk->columns[walk->column_count];

		fits = ++walk->column_count < DB_COLUMNS_MAX && name && type &&
		       sqlite3_column_int(info, 6) == 0; /* neither hidden nor made */
		if (!fits)
			break;
		column->offset = SIZE_MAX;
		placed += find_place(table, deltas, delta_count, name, column);
		keys += sqlite3_column_int(info, 5) > 0;
		column->is_rowid = sqlite3_column_int(info, 5) > 0 &&
				   sqlite3_stricmp(type, "INTEGER") == 0;
		rowids += column->is_rowid;
	}
	sqlite3_finalize(info);
	if (!fits)
		return false;
	set_places(walk, waste);
	return placed == table->field_count + delta_count && keys == rowids && keys <= 1;
}

/* Reads a page to the next level; false: it is none of a table. */
static bool enter(struct db_walk *walk, uint64_t number)
{
	const struct db_pages *pages = walk->pages;
	struct db_level *level = &walk->levels[walk->depth];
	const uint8_t *head;
	uint32_t head_bytes;

	if (walk->depth == DB_DEPTH_MAX || number == 0 || number > pages->page_count ||
	    ++walk->visits > pages->page_count)
		return false;
	if (!level->page)
		level->page = memory_alloc_zeroed(1, pages->page_bytes + SLACK);
	if (!level->page || !read_at(pages->file, level->page, pages->page_bytes,
				     (number - 1) * pages->page_bytes))
		return false;
	level->head = number == 1 ? HEADER_BYTES : 0;
	head = level->page + level->head;
	if (head[0] != TABLE_LEAF && head[0] != TABLE_INTERIOR)
		return false;
	level->at = 0;
	level->cells = (uint32_t)get_u16(head + PAGE_CELLS);
	head_bytes = level->head +
		     (head[0] == TABLE_LEAF ? LEAF_HEADER_BYTES : INTERIOR_HEADER_BYTES);
	walk->depth++;
	return head_bytes + 2 * level->cells <= pages->usable_bytes;
}

bool db_walk_begin(struct db_walk *walk, const struct db_pages *pages, sqlite3 *db,
		   const struct table *table, size_t deltas, size_t delta_count)
{
	uint32_t root = pages->file ? root_of(db, table->name) : 0;

	*walk = (struct db_walk){ .pages = pages };
	if (root && find_columns(walk, db, table, deltas, delta_count) &&
	    enter(walk, root))
		return true;
	db_walk_end(walk);
	return false;
}

void db_walk_end(struct db_walk *walk)
{
	for (size_t i = 0; i < DB_DEPTH_MAX; i++)
		free(walk->levels[i].page);
	free(walk->columns);
	free(walk->numbers);
	*walk = (struct db_walk){ .pages = NULL };
}

/* --- a cell --- */

/* NULL: it does not end before `end`.  Most are one byte. */
static inline const uint8_t *decode_varint(const uint8_t *at, const uint8_t *end,
					   uint64_t *value)
{
	size_t bytes = 1;

	if (at < end && *at < 0x80)
		*value = *at;
	else
		bytes = get_varint(at, end, value);
	return bytes ? at + bytes : NULL;
}

static const uint8_t number_shifts[] = { 0, 56, 48, 40, 32, 16, 0 };

static inline int64_t decode_int(const uint8_t *at, uint64_t type)
{
	if (type >= 8)
		return (int64_t)type - 8;
	return (int64_t)get_u64(at) >> (64 - 8 * number_bytes[type]);
}

/* What SQLite would have to convert is not decoded here. */
static inline bool decode_column(const struct db_column *column, const uint8_t *at,
				 uint64_t type, size_t size, char *row)
{
	int64_t number;

	if (field_is_int(column->kind)) {
		if (type == TYPE_REAL || type >= NUMBER_TYPES)
			return false;
		number = type ? decode_int(at, type)
			      : (column->kind == FIELD_VALUE ? 0 : INT_NONE);
		memcpy(row + column->offset, &number, sizeof(number));
		return true;
	}
	if (column->kind == FIELD_REAL) {
		double real = NAN;

		if (type >= NUMBER_TYPES)
			return false;
		if (type == TYPE_REAL) {
			uint64_t bits = get_u64(at);

			memcpy(&real, &bits, sizeof(real));
		} else if (type) {
			real = (double)decode_int(at, type);
		}
		memcpy(row + column->offset, &real, sizeof(real));
		return true;
	}
	if (type && (type < TYPE_BLOB || (size == 0 && type % 2 == 0)))
		return false;
	memcpy(row + column->offset,
	       &(struct str){ type ? (const char *)at : NULL, type ? size : 0 },
	       sizeof(struct str));
	return true;
}

/*
 * The same of a record of short numbers, as most are: a byte for the type of each column.
 * False: it is not such a one, and some columns are set.  Loads reach beyond `end`, at
 * most as far as the slack after the page.
 */
static bool decode_numbers(const struct db_walk *walk, const uint8_t *types,
			   const uint8_t *body, const uint8_t *end, char *row)
{
	const struct db_number *at = walk->numbers;
	const uint8_t *after = types + walk->wanted_count;
	const uint8_t *first = types;

	for (; types < after; at++, types++) {
		unsigned int type = *types;
		int64_t number;

		if (type - 1 < 6) {
			number = (int64_t)get_u64(body) >> number_shifts[type];
			body += number_bytes[type];
		} else if (type == 0) {
			number = at->none;
		} else if (type == 8 || type == 9) {
			number = type - 8;
		} else {
			return false;
		}
		memcpy(row + at->place, &number, sizeof(number));
	}
	if (walk->rowid_column != SIZE_MAX) {
		if (first[walk->rowid_column])
			return false;
		memcpy(row + walk->numbers[walk->rowid_column].place, &walk->rowid,
		       sizeof(walk->rowid));
	}
	return body <= end;
}

/* A record: the types of its columns, then their bytes. */
static bool decode_record(struct db_walk *walk, const uint8_t *at, const uint8_t *end,
			  char *row)
{
	const uint8_t *types, *body;
	uint64_t head_bytes;

	types = decode_varint(at, end, &head_bytes);
	if (!types || head_bytes > (uint64_t)(end - at))
		return false;
	body = at + head_bytes;
	if (walk->is_numbers && head_bytes > walk->wanted_count && head_bytes < 0x80 &&
	    decode_numbers(walk, types, body, end, row))
		return true;
	for (size_t i = 0; i < walk->wanted_count; i++) {
		const struct db_column *column = &walk->columns[i];
		uint64_t type, size;

		types = decode_varint(types, at + head_bytes, &type);
		if (!types || type == 10 || type == 11)
			return false;
		size = type < NUMBER_TYPES ? number_bytes[type] : (type - TYPE_BLOB) / 2;
		if (size > (uint64_t)(end - body))
			return false;
		if (column->is_rowid) {
			if (type || column->offset == SIZE_MAX)
				return false;
			memcpy(row + column->offset, &walk->rowid, sizeof(walk->rowid));
		} else if (column->offset != SIZE_MAX &&
			   !decode_column(column, body, type, size, row)) {
			return false;
		}
		body += size;
	}
	return true;
}

static bool decode_cell(struct db_walk *walk, const struct db_level *leaf, uint32_t at,
			void *row)
{
	const uint8_t *end = leaf->page + walk->pages->usable_bytes;
	const uint8_t *cell = leaf->page + at;
	uint64_t size, rowid;

	cell = decode_varint(cell, end, &size);
	cell = cell ? decode_varint(cell, end, &rowid) : NULL;
	/* With more than that it goes on in other pages. */
	if (!cell || size > walk->pages->usable_bytes - 35 ||
	    size > (uint64_t)(end - cell))
		return false;
	walk->rowid = (int64_t)rowid;
	return decode_record(walk, cell, cell + size, row);
}

/* Down to the page of a child; false: there is none such. */
static bool enter_child(struct db_walk *walk, struct db_level *level)
{
	const uint8_t *head = level->page + level->head;
	const struct db_pages *pages = walk->pages;
	uint32_t at;

	if (level->at == level->cells) {
		level->at++;
		return enter(walk, get_u32(head + PAGE_RIGHT));
	}
	at = (uint32_t)get_u16(head + INTERIOR_HEADER_BYTES + 2 * (size_t)level->at++);
	return at + 4 <= pages->usable_bytes && enter(walk, get_u32(level->page + at));
}

enum db_step db_walk_next(struct db_walk *walk, void *row)
{
	while (walk->depth) {
		struct db_level *level = &walk->levels[walk->depth - 1];
		const uint8_t *head = level->page + level->head;
		int64_t last = walk->rowid;
		uint32_t at;

		if (head[0] == TABLE_INTERIOR) {
			if (level->at > level->cells)
				walk->depth--;
			else if (!enter_child(walk, level))
				return DB_UNFIT;
			continue;
		}
		if (level->at == level->cells) {
			walk->depth--;
			continue;
		}
		at = (uint32_t)get_u16(head + LEAF_HEADER_BYTES + 2 * (size_t)level->at);
		if (at >= walk->pages->usable_bytes ||
		    !decode_cell(walk, level, at, row)) {
			walk->rowid = last;
			return DB_UNFIT;
		}
		level->at++;
		walk->any = true;
		return DB_ROW;
	}
	return DB_END;
}

void db_walk_back(struct db_walk *walk)
{
	walk->levels[walk->depth - 1].at--;
	walk->rowid = (int64_t)((uint64_t)walk->rowid - 1);
}
