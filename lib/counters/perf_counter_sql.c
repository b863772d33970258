/*
 * perf_counter_sql.c - checks the arguments of the SQL functions and calls the
 * calculator.
 *
 * Built twice: for our programs, which link SQLite, and with PERFTAB_EXTENSION for
 * perftab.so, which uses the SQLite of the program that loads it.
 */
#include "counters/perf_counter_sql.h"

#ifdef PERFTAB_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#include <string.h>

#include "base/array.h"
#include "counters/perf_counter.h"

enum {
	ARG_TYPE,
	ARG_N0,
	ARG_N1,
	ARG_D0,
	ARG_D1,
	ARG_FREQUENCY,
	ARG_MULTI,
	ARG_VARIANT,
	ARG_N_BYTES,
	ARG_D_BYTES,
	ARGS,
	ARGS_LEAST = ARG_MULTI,
};
static const char *const arg_names[ARGS] = { "type",	"n0",	     "n1",    "d0",
					     "d1",	"frequency", "multi", "variant",
					     "n_bytes", "d_bytes" };

/* --- arguments --- */

/* Decimal, or hexadecimal after 0x; all of the text, and below 2^64. */
static bool number_in_text(const char *text, size_t len, uint64_t *value)
{
	uint64_t base = 10;
	size_t i = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		i = 2;
	}
	if (i == len)
		return false;
	for (*value = 0; i < len; i++) {
		char c = text[i];
		unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
							: 16;

		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return true;
}

static bool refuse(sqlite3_context *context, int arg, const char *expected,
		   sqlite3_value *value)
{
	static const char *const kinds[] = { "",	 "an integer", "a real number",
					     "the text", "a blob",     "NULL" };
	bool is_text = sqlite3_value_type(value) == SQLITE_TEXT;
	char *text =
		sqlite3_mprintf("%s: expected %s, found %s%s%!.40q%s", arg_names[arg],
				expected, kinds[sqlite3_value_type(value)],
				is_text ? " '" : "",
				is_text ? (const char *)sqlite3_value_text(value) : "",
				is_text ? "'" : "");

	if (text)
		sqlite3_result_error(context, text, -1);
	else
		sqlite3_result_error_nomem(context);
	sqlite3_free(text);
	return false;
}

/*
 * *number is any 64-bit value: an integer of SQLite, read as unsigned, or a text of
 * digits.  A real number may have lost digits, and is refused.
 */
static bool get_number(sqlite3_context *context, int arg, sqlite3_value *value,
		       uint64_t *number)
{
	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		*number = (uint64_t)sqlite3_value_int64(value);
		return true;
	case SQLITE_TEXT:
		if (number_in_text((const char *)sqlite3_value_text(value),
				   (size_t)sqlite3_value_bytes(value), number))
			return true;
		break;
	default:
		break;
	}
	return refuse(context, arg, "an integer", value);
}

static bool get_optional(sqlite3_context *context, int arg, sqlite3_value *value,
			 unsigned has, struct perf_counter_pair *pair, uint64_t *number)
{
	if (sqlite3_value_type(value) == SQLITE_NULL)
		return true;
	pair->has |= has;
	return get_number(context, arg, value, number);
}

static bool get_bytes(sqlite3_context *context, int arg, sqlite3_value *value,
		      unsigned *bytes)
{
	uint64_t number;

	if (sqlite3_value_type(value) == SQLITE_NULL)
		return true;
	if (!get_number(context, arg, value, &number))
		return false;
	/* 0 would mean "unknown", which is NULL here; 1 is invalid too, with a status. */
	*bytes = number == 4 || number == 8 ? (unsigned)number : 1;
	return true;
}

static bool get_variant(sqlite3_context *context, sqlite3_value *value,
			enum perf_counter_variant *variant)
{
	const char *name;

	if (sqlite3_value_type(value) == SQLITE_NULL)
		return true;
	name = (const char *)sqlite3_value_text(value);
	if (name && sqlite3_value_type(value) == SQLITE_TEXT &&
	    strlen(name) == (size_t)sqlite3_value_bytes(value) &&
	    perf_counter_variant_of(name, variant))
		return true;
	return refuse(context, ARG_VARIANT, "share, ce, kit, sdk or pcq", value);
}

/* False: NULL or out of range, which is not a type; or an error, which is reported. */
static bool get_type(sqlite3_context *context, sqlite3_value *value, bool *known,
		     uint32_t *type)
{
	uint64_t number = 0;

	*known = false;
	if (sqlite3_value_type(value) == SQLITE_NULL)
		return true;
	if (!get_number(context, ARG_TYPE, value, &number))
		return false;
	*known = number <= UINT32_MAX;
	*type = (uint32_t)number;
	return true;
}

static bool get_pair(sqlite3_context *context, int count, sqlite3_value **args,
		     bool *known, struct perf_counter_pair *pair)
{
	struct {
		int arg;
		unsigned has;
		uint64_t *number;
	} numbers[] = {
		{ ARG_N0, PERF_HAS_N0, &pair->n0 },
		{ ARG_N1, PERF_HAS_N1, &pair->n1 },
		{ ARG_D0, PERF_HAS_D0, &pair->d0 },
		{ ARG_D1, PERF_HAS_D1, &pair->d1 },
		{ ARG_FREQUENCY, PERF_HAS_FREQUENCY, &pair->frequency },
		{ ARG_MULTI, PERF_HAS_MULTI, &pair->multi },
	};

	if (count < ARGS_LEAST || count > ARGS) {
		sqlite3_result_error(context,
				     "expected 6 to 10 arguments: type, n0, n1, d0, d1, "
				     "frequency, multi, variant, n_bytes, d_bytes",
				     -1);
		return false;
	}
	if (!get_type(context, args[ARG_TYPE], known, &pair->type))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
		if (numbers[i].arg < count &&
		    !get_optional(context, numbers[i].arg, args[numbers[i].arg],
				  numbers[i].has, pair, numbers[i].number))
			return false;
	return (count <= ARG_VARIANT ||
		get_variant(context, args[ARG_VARIANT], &pair->variant)) &&
	       (count <= ARG_N_BYTES ||
		get_bytes(context, ARG_N_BYTES, args[ARG_N_BYTES], &pair->n_bytes)) &&
	       (count <= ARG_D_BYTES ||
		get_bytes(context, ARG_D_BYTES, args[ARG_D_BYTES], &pair->d_bytes));
}

/* --- functions --- */

static void report_error(sqlite3_context *context, const char *text)
{
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_STATIC);
}

/* False: an error has been reported. */
static bool calculate(sqlite3_context *context, int count, sqlite3_value **args,
		      struct perf_counter_result *result)
{
	struct perf_counter_pair pair = { 0 };
	bool known;

	if (!get_pair(context, count, args, &known, &pair))
		return false;
	if (known)
		*result = perf_counter_value(&pair);
	else
		*result = (struct perf_counter_result){ PERF_STATUS_UNKNOWN_TYPE, 0 };
	return true;
}

static void value_function(sqlite3_context *context, int count, sqlite3_value **args)
{
	struct perf_counter_result result;

	if (calculate(context, count, args, &result) &&
	    perf_counter_has_value(result.status))
		sqlite3_result_double(context, result.value);
}

static void status_function(sqlite3_context *context, int count, sqlite3_value **args)
{
	struct perf_counter_result result;

	if (calculate(context, count, args, &result))
		report_error(context, perf_counter_status_name(result.status));
}

/* NULL: no such type, or an error, which has been reported. */
static const struct perf_counter_type *type_of(sqlite3_context *context,
					       sqlite3_value **args)
{
	uint32_t number = 0;
	bool known;

	if (!get_type(context, args[0], &known, &number) || !known)
		return NULL;
	return perf_counter_type(number);
}

static void name_function(sqlite3_context *context, int count, sqlite3_value **args)
{
	const struct perf_counter_type *type = type_of(context, args);

	(void)count;
	if (type)
		report_error(context, type->name);
}

static void unit_function(sqlite3_context *context, int count, sqlite3_value **args)
{
	const struct perf_counter_type *type = type_of(context, args);

	(void)count;
	if (type)
		report_error(context, type->unit);
}

static void base_type_function(sqlite3_context *context, int count, sqlite3_value **args)
{
	const struct perf_counter_type *type = type_of(context, args);

	(void)count;
	if (type && type->base)
		sqlite3_result_int64(context, type->base);
}

static void over_function(sqlite3_context *context, int count, sqlite3_value **args)
{
	const struct perf_counter_type *type = type_of(context, args);

	(void)count;
	if (type)
		report_error(context, perf_counter_over_name(type->over));
}

int perf_counter_sql_register(struct sqlite3 *db)
{
	static const struct {
		const char *name;
		int args;
		void (*function)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
		{ "perf_counter_value", -1, value_function },
		{ "perf_counter_status", -1, status_function },
		{ "perf_counter_type_name", 1, name_function },
		{ "perf_counter_unit", 1, unit_function },
		{ "perf_counter_over", 1, over_function },
		{ "perf_counter_base_type", 1, base_type_function },
	};
	int result = SQLITE_OK;

	for (size_t i = 0; i < ARRAY_COUNT(functions) && result == SQLITE_OK; i++)
		result = sqlite3_create_function_v2(
			db, functions[i].name, functions[i].args,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
			functions[i].function, NULL, NULL, NULL);
	return result;
}
