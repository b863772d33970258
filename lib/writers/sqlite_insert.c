/* sqlite_insert.c - see sqlite_insert.h. */
#include "writers/sqlite_insert.h"

#include "writers/sqlite_rows.h"

/* Where column i of a row stands, or NULL when it is not an integer. */
static const char *int_column(const struct batch *batch, size_t column)
{
	const struct table *table = batch->table;

	if (column >= table->field_count)
		return batch->rows + table->row_size +
		       (column - table->field_count) * sizeof(int64_t);
	return table->fields[column].kind == FIELD_INT
		       ? batch->rows + table->fields[column].offset
		       : NULL;
}

static int64_t load(const char *at)
{
	int64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static bool is_constant(const struct batch *batch, const char *at)
{
	int64_t first = load(at);

	for (size_t i = 1; i < batch->count; i++)
		if (load(at + i * batch->row_bytes) != first)
			return false;
	return true;
}

static uint64_t constant_columns(const struct batch *batch)
{
	size_t columns = batch->table->field_count + batch->slots;
	uint64_t constant = 0;

	for (size_t i = 0; i < columns && i < INSERT_SHAPE_COLUMNS; i++) {
		const char *at = int_column(batch, i);

		if (at && is_constant(batch, at))
			constant |= UINT64_C(1) << i;
	}
	return constant;
}

/* The ids of the batch are those that SQLite would give. */
static bool runs_on(const struct batch *batch, const int64_t *last_id)
{
	if (!last_id)
		return false;
	for (size_t i = 0; i < batch->count; i++)
		if (load(batch_row(batch, i)) != *last_id + 1 + (int64_t)i)
			return false;
	return true;
}

/* --- statements --- */

static void append_name(sqlite3_str *sql, const struct batch *batch, size_t column)
{
	const struct table *table = batch->table;

	if (column < table->field_count)
		sqlite3_str_appendf(sql, "\"%w\"", table->fields[column].name);
	else
		sqlite3_str_appendf(sql, "delta_%d", (int)(column - table->field_count));
}

/* INSERT INTO t (its columns) SELECT c0, ?3, ... FROM perftab_rows(?1) */
static sqlite3_stmt *prepare(sqlite3 *db, const struct batch *batch,
			     const struct insert_shape *shape)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	size_t columns = batch->table->field_count + batch->slots;
	size_t first = shape->own_id ? 0 : 1;
	sqlite3_stmt *statement = NULL;
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (", batch->table->name);
	for (size_t i = first; i < columns; i++) {
		sqlite3_str_appendall(sql, i > first ? "," : "");
		append_name(sql, batch, i);
	}
	sqlite3_str_appendall(sql, ") SELECT ");
	for (size_t i = first; i < columns; i++)
		sqlite3_str_appendf(sql,
				    i < INSERT_SHAPE_COLUMNS && shape->constant >> i & 1
					    ? "%s?%d"
					    : "%sc%d",
				    i > first ? "," : "",
				    (int)(shape->constant >> (i < 63 ? i : 63) & 1 ? i + 2 : i));
	sqlite3_str_appendall(sql, " FROM perftab_rows(?1)");
	text = sqlite3_str_finish(sql);
	if (text)
		sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
	sqlite3_free(text);
	return statement;
}

/* The statement that binds most of what is constant, and nothing that is not. */
static struct insert_shape *find_shape(struct insert *insert, uint64_t constant, bool own_id)
{
	struct insert_shape *best = NULL;

	for (size_t i = 0; i < insert->count; i++) {
		struct insert_shape *shape = &insert->shapes[i];

		if (shape->own_id != own_id || shape->constant & ~constant)
			continue;
		if (!best || __builtin_popcountll(shape->constant) >
				     __builtin_popcountll(best->constant))
			best = shape;
	}
	return best;
}

static struct insert_shape *shape_for(struct insert *insert, sqlite3 *db,
				      const struct batch *batch, bool own_id)
{
	uint64_t constant = constant_columns(batch);
	struct insert_shape *shape = find_shape(insert, constant, own_id);

	if (shape && shape->constant == constant)
		return shape;
	/* The last two places are for the shapes that fit any batch. */
	if (insert->count >= INSERT_SHAPES_MAX - 2) {
		if (shape)
			return shape;
		constant = 0;
	}
	shape = &insert->shapes[insert->count];
	*shape = (struct insert_shape){ .constant = constant, .own_id = own_id };
	shape->statement = prepare(db, batch, shape);
	insert->count += shape->statement != NULL;
	return shape->statement ? shape : NULL;
}

static int bind(const struct insert_shape *shape, struct batch *batch)
{
	int result = sqlite3_bind_pointer(shape->statement, 1, batch, SQLITE_ROWS_POINTER, NULL);

	for (int i = shape->own_id ? 0 : 1; i < INSERT_SHAPE_COLUMNS; i++) {
		int64_t value;

		if (result != SQLITE_OK || !(shape->constant >> i & 1))
			continue;
		value = load(int_column(batch, (size_t)i));
		/* A delta is never NULL, whatever its value. */
		result = value == INT_NONE && (size_t)i < batch->table->field_count
				 ? sqlite3_bind_null(shape->statement, i + 2)
				 : sqlite3_bind_int64(shape->statement, i + 2, value);
	}
	return result;
}

int insert_batch(struct insert *insert, sqlite3 *db, struct batch *batch, int64_t *last_id)
{
	const struct insert_shape *shape =
		shape_for(insert, db, batch, !runs_on(batch, last_id));
	int result;

	if (!shape)
		return sqlite3_errcode(db);
	result = bind(shape, batch);
	if (result != SQLITE_OK)
		return result;
	result = sqlite3_step(shape->statement);
	sqlite3_reset(shape->statement);
	if (last_id && load(batch_row(batch, batch->count - 1)) > *last_id)
		*last_id = load(batch_row(batch, batch->count - 1));
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

void insert_release(struct insert *insert)
{
	for (size_t i = 0; i < insert->count; i++)
		sqlite3_finalize(insert->shapes[i].statement);
	insert->count = 0;
}
