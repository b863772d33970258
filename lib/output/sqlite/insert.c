/* insert.c - builds and runs the INSERT statement of a batch. */
#include "output/sqlite/insert.h"

#include "output/sqlite/rows.h"

/* The address of column i in a row, or NULL if it is not an integer. */
static const char *int_column(const struct batch *batch, size_t column)
{
	const struct table *table = batch->table;

	if (column >= table->field_count)
		return batch->rows + table->row_size +
		       (column - table->field_count) * sizeof(int64_t);
	return field_is_int(table->fields[column].kind)
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

static void find_constants(const struct batch *batch, struct insert_shape *shape)
{
	size_t columns = batch->table->field_count + batch->slots;

	for (size_t i = 1; i < columns && i < INSERT_SHAPE_COLUMNS; i++) {
		const char *at = int_column(batch, i);
		int64_t value = at ? load(at) : INT64_MAX;
		bool null = value == INT_NONE && i < batch->table->field_count &&
			    batch->table->fields[i].kind == FIELD_INT;

		if ((null || (value >= 0 && value < INSERT_CONSTANT_MAX)) &&
		    is_constant(batch, at)) {
			shape->constant |= 1u << i;
			shape->values[i] = value;
		}
	}
}

/* Whether the ids of the batch are those that SQLite would assign. */
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

static bool in_statement(const struct insert_shape *shape, size_t column)
{
	return column < INSERT_SHAPE_COLUMNS && shape->constant >> column & 1;
}

/* NULL columns, and ids that SQLite assigns, are left out. */
static bool is_named(const struct insert_shape *shape, size_t column)
{
	return (column > 0 || shape->own_id) &&
	       !(in_statement(shape, column) && shape->values[column] == INT_NONE);
}

/* INSERT INTO t (its columns) SELECT c0, 1, c2 ... FROM perftab_rows(?1) */
static sqlite3_stmt *prepare(sqlite3 *db, const struct batch *batch,
			     const struct insert_shape *shape)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	size_t columns = batch->table->field_count + batch->slots;
	sqlite3_stmt *statement = NULL;
	const char *comma = "";
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (", batch->table->name);
	for (size_t i = 0; i < columns; i++) {
		if (!is_named(shape, i))
			continue;
		sqlite3_str_appendall(sql, comma);
		append_name(sql, batch, i);
		comma = ",";
	}
	sqlite3_str_appendall(sql, ") SELECT ");
	comma = "";
	for (size_t i = 0; i < columns; i++) {
		if (!is_named(shape, i))
			continue;
		if (in_statement(shape, i))
			sqlite3_str_appendf(sql, "%s%lld", comma, shape->values[i]);
		else
			sqlite3_str_appendf(sql, "%sc%d", comma, (int)i);
		comma = ",";
	}
	sqlite3_str_appendf(sql, " FROM perftab%s_rows(?1)",
			    columns <= SQLITE_ROWS_FEW_COLUMNS ? "_few" : "");
	text = sqlite3_str_finish(sql);
	if (text)
		sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement,
				   NULL);
	sqlite3_free(text);
	return statement;
}

/* Whether every constant of the statement is constant in the batch, and equal. */
static bool fits(const struct insert_shape *shape, const struct insert_shape *batch)
{
	if (shape->own_id != batch->own_id || shape->constant & ~batch->constant)
		return false;
	for (size_t i = 0; i < INSERT_SHAPE_COLUMNS; i++)
		if (shape->constant >> i & 1 && shape->values[i] != batch->values[i])
			return false;
	return true;
}

/* The matching statement with the most constants. */
static struct insert_shape *find_shape(struct insert *insert,
				       const struct insert_shape *wanted)
{
	struct insert_shape *best = NULL;

	for (size_t i = 0; i < insert->count; i++) {
		struct insert_shape *shape = &insert->shapes[i];

		if (fits(shape, wanted) &&
		    (!best || __builtin_popcount(shape->constant) >
				      __builtin_popcount(best->constant)))
			best = shape;
	}
	return best;
}

static struct insert_shape *shape_for(struct insert *insert, sqlite3 *db,
				      const struct batch *batch, bool own_id)
{
	struct insert_shape wanted = { .own_id = own_id };
	struct insert_shape *shape;

	find_constants(batch, &wanted);
	shape = find_shape(insert, &wanted);
	if (shape && shape->constant == wanted.constant)
		return shape;
	/* The last two places are for the shapes that match any batch. */
	if (insert->count >= INSERT_SHAPES_MAX - 2) {
		if (shape)
			return shape;
		wanted.constant = 0;
	}
	shape = &insert->shapes[insert->count];
	*shape = wanted;
	shape->statement = prepare(db, batch, shape);
	insert->count += shape->statement != NULL;
	return shape->statement ? shape : NULL;
}

int insert_batch(struct insert *insert, sqlite3 *db, struct batch *batch,
		 int64_t *last_id)
{
	const struct insert_shape *shape =
		shape_for(insert, db, batch, !runs_on(batch, last_id));
	int result;

	if (!shape) { /* without memory for its text there is no error */
		result = sqlite3_errcode(db);
		return result == SQLITE_OK || result >= SQLITE_ROW ? SQLITE_NOMEM
								   : result;
	}
	result = sqlite3_bind_pointer(shape->statement, 1, batch, SQLITE_ROWS_POINTER,
				      NULL);
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
