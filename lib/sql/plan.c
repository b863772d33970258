/* plan.c - which constraints a cursor gets: its arguments, the CPU and the time. */
#include "sql/private.h"

/* A trace is read from its start for each cursor: an inner loop costs as much again. */
#define COST 1e9
#define ROWS_MANY 1000000
#define ROWS_FEW 100

static bool is_named(const struct sql_vtab *vtab, int column, const char *name)
{
	int hidden = column - vtab->shown - vtab->arguments;

	if (vtab->function->rows == SQL_ANY)
		return hidden >= 0 && hidden < vtab->name_count &&
		       strcmp(vtab->names[hidden].name, name) == 0;
	return vtab->function->rows != SQL_BILL && column >= 0 &&
	       (size_t)column < vtab->table->field_count &&
	       strcmp(vtab->table->fields[column].name, name) == 0;
}

static char time_letter(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return SQL_ARG_AT;
	case SQLITE_INDEX_CONSTRAINT_GE:
		return SQL_ARG_FROM;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return SQL_ARG_AFTER;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return SQL_ARG_TO;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return SQL_ARG_BEFORE;
	default:
		return '\0';
	}
}

/* The letter of a constraint, or NUL: it is SQLite's. */
static char letter_of(const struct sql_vtab *vtab,
		      const struct sqlite3_index_constraint *constraint)
{
	bool is_equal = constraint->op == SQLITE_INDEX_CONSTRAINT_EQ;

	if (constraint->iColumn == vtab->shown)
		return is_equal ? SQL_ARG_PATH : '\0';
	if (constraint->iColumn == vtab->shown + 1 && vtab->arguments > 1)
		return is_equal ? SQL_ARG_SECOND : '\0';
	if (is_named(vtab, constraint->iColumn, "cpu"))
		return is_equal ? SQL_ARG_CPU : '\0';
	return is_named(vtab, constraint->iColumn, "ts_ns") ? time_letter(constraint->op)
							    : '\0';
}

static bool has_many_rows(const struct sql_vtab *vtab)
{
	return vtab->function->rows == SQL_SWITCHES || vtab->function->rows == SQL_ANY ||
	       vtab->function->kind == RECORD_sample;
}

int sql_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct sql_vtab *vtab = (const struct sql_vtab *)base;
	/* The bit of detail_id, the last column of its table. */
	sqlite3_uint64 detail = vtab->function->rows == SQL_SWITCHES
					? (sqlite3_uint64)1
						  << (vtab->table->field_count - 1)
					: 0;
	char *letters = sqlite3_malloc(info->nConstraint + 1);
	int count = 0;

	if (!letters)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		char letter = letter_of(vtab, &info->aConstraint[i]);
		bool is_argument = letter == SQL_ARG_PATH || letter == SQL_ARG_SECOND;

		if (!letter)
			continue;
		if (is_argument && !info->aConstraint[i].usable) {
			sqlite3_free(letters);
			return SQLITE_CONSTRAINT; /* another order of tables */
		}
		if (!info->aConstraint[i].usable)
			continue;
		letters[count++] = letter;
		info->aConstraintUsage[i].argvIndex = count;
		info->aConstraintUsage[i].omit = is_argument;
	}
	letters[count] = '\0';
	info->idxStr = letters;
	info->needToFreeIdxStr = 1;
	info->idxNum = detail && !(info->colUsed & detail) ? SQL_PLAN_NO_DETAILS : 0;
	info->estimatedCost = COST;
	info->estimatedRows = has_many_rows(vtab) ? ROWS_MANY : ROWS_FEW;
	return SQLITE_OK;
}
