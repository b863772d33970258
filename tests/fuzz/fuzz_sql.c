/*
 * fuzz_sql.c - any bytes as the query of `perftab-analyze --sql`.
 *
 * The first byte: 1, JSON; 2, CSV safe for spreadsheets.  The rest is the query.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sql.h"
#include "answer.h"
#include "harness.h"
#include "mutant.h"
#include "scratch.h"
#include "template.h"

#define QUERY_BYTES_MAX 8192
/* Of the interrupt flag, each after 100,000 steps of SQLite. */
#define POLLS 5

static char *path;

static void begin(void)
{
	path = strdup(scratch_path("template.db"));
	template_make(path);
	if (!path ||
	    !freopen(answer_path ? scratch_path("rows") : "/dev/null", "w", stdout))
		exit(1);
}

/* Lines that the query printed; paths in them differ, so the text is not compared. */
static size_t count_lines(long from)
{
	FILE *rows = fopen(scratch_path("rows"), "r");
	size_t lines = 0;
	int byte;

	if (!rows || fseek(rows, from, SEEK_SET) != 0)
		exit(1);
	while ((byte = getc(rows)) != EOF)
		lines += byte == '\n';
	fclose(rows);
	return lines;
}

static void answer(enum status status, long from, const struct error *error)
{
	if (!answer_path)
		return;
	fflush(stdout);
	if (status == ST_OK)
		answer_text(0, "%zu lines", count_lines(from));
	else
		answer_text(1, "%s", error->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char query[QUERY_BYTES_MAX + 1];
	struct error error = { .status = ST_OK };
	bool is_damaged;
	enum status status;
	long from;
	struct sql_options options = { .query = query };

	if (size < 1 || size > QUERY_BYTES_MAX)
		return 0;
	if (!path)
		begin();
	memcpy(query, data + 1, size - 1);
	query[size - 1] = '\0';
	options.json = data[0] & 1;
	options.csv_safe = data[0] & 2;
	template_allow_polls(POLLS);
	from = answer_path ? ftell(stdout) : 0;
	status = sql_print(path, &options, &is_damaged, &error);
	if (status != ST_OK && !error.text[0])
		abort(); /* refused without a reason */
	answer(status, from, &error);
	return 0;
}

/* --- the mutator: words of SQL --- */

static const char *const words[] = {
	"SELECT",
	"FROM",
	"WHERE",
	"GROUP BY",
	"ORDER BY",
	"LIMIT",
	"AS",
	"JOIN",
	"USING",
	"UNION ALL",
	"WITH RECURSIVE",
	"VALUES",
	"CASE WHEN",
	"THEN",
	"ELSE",
	"END",
	"NULL",
	"CAST",
	"TEXT",
	"BLOB",
	"REAL",
	"INTEGER",
	"x'00ff'",
	"''",
	"'a'",
	"'0x10410400'",
	"'18446744073709551615'",
	"*",
	"+",
	"-",
	"/",
	"%",
	"||",
	"=",
	"<",
	"(",
	")",
	",",
	";",
	"perf_counter_value",
	"perf_counter_status",
	"perf_counter_type_name",
	"perf_counter_unit",
	"perf_counter_over",
	"perf_counter_base_type",
	"'share'",
	"'ce'",
	"'kit'",
	"'sdk'",
	"'pcq'",
	"zeroblob",
	"hex",
	"randomblob",
	"group_concat",
	"printf",
	"json_object",
	"sum",
	"count",
	"max",
	"over ()",
	"trace",
	"counter",
	"context_switch",
	"context_switch_named",
	"process",
	"thread",
	"process_bill",
	"sample_named",
	"switch_counters",
	"switch_values",
	"perflib_raw",
	"perflib_value",
	"perflib_counter",
	"finding",
	"sqlite_schema",
	"pragma_table_info",
	"load_extension",
	"ATTACH",
	"PRAGMA",
	"VACUUM",
	"9223372036854775807",
	"1e308",
	"-0.0",
};

static bool is_word(uint8_t byte)
{
	return byte == '_' || (byte >= 'a' && byte <= 'z') ||
	       (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}

static void mutate_word(struct mutant *m)
{
	size_t from = 1 + mutant_choose(m, m->size - 1), to = from;
	const char *word = words[mutant_choose(m, sizeof(words) / sizeof(words[0]))];
	char text[48];
	int length = mutant_choose(m, 4)
			     ? snprintf(text, sizeof(text), " %s ", word)
			     : snprintf(text, sizeof(text), " %lld ",
					(long long)mutant_number(m, 0x10410400));

	while (from > 1 && is_word(m->bytes[from - 1]))
		from--;
	while (to < m->size && is_word(m->bytes[to]))
		to++;
	if (mutant_choose(m, 3) == 0)
		to = from; /* before the word, not in place of it */
	if (mutant_choose(m, 6) == 0)
		length = 0;
	(void)mutant_replace(m, from, to - from, (const uint8_t *)text, (size_t)length);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct mutant m = mutant_over(data, size, max_size, seed);

	for (size_t i = mutant_choose(&m, 4) + 1; i-- > 0;)
		if (m.size < 2 || mutant_choose(&m, 6) == 0)
			mutant_change_all(&m, 0);
		else
			mutate_word(&m);
	return m.size;
}
