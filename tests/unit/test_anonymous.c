/*
 * test_anonymous.c - lib/writers/anonymous.h: every column has its line, the same text
 * the same token, and nothing else is let through.
 */
#include "writers/anonymous.h"

#include <stdlib.h>
#include <string.h>

#include "readers/etw.h"
#include "rows.h"
#include "writers/anonymous_path.h"
#include "writers/anonymous_tokens.h"
#include "writers/writers.h"

/* --- the policy --- */

/* Every text and blob of a table has a line. */
static void check_lines(const struct table *table, int *missing)
{
	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];

		if (!field_is_text(field->kind) ||
		    anonymous_policy(table->name, field->name) != ANONYMOUS_NO_LINE)
			continue;
		print_error("%s.%s has no line in anonymous.def\n", table->name,
			    field->name);
		(*missing)++;
	}
}

static void test_every_column(void **state)
{
	int missing = 0;

	(void)state;
	for (size_t i = 0; i < RECORD_TABLES; i++)
		check_lines(&tables[i], &missing);
	for (size_t i = 0; i < ETW_TABLES; i++)
		check_lines(&etw_tables[i], &missing);
	assert_int_equal(missing, 0);
}

static const struct field *find_field(const struct table *all, size_t count,
				      const char *table, const char *column)
{
	for (size_t t = 0; t < count; t++)
		for (size_t i = 0; i < all[t].field_count; i++)
			if (strcmp(all[t].name, table) == 0 &&
			    strcmp(all[t].fields[i].name, column) == 0)
				return &all[t].fields[i];
	return NULL;
}

/* And every line a column, of which no blob stays, and only one line. */
static void test_every_line(void **state)
{
	const char *table, *column;

	(void)state;
	for (size_t n = 0; anonymous_policy_line(n, &table, &column); n++) {
		const struct field *field =
			find_field(tables, RECORD_TABLES, table, column);
		const char *other_table, *other_column;

		if (!field)
			field = find_field(etw_tables, ETW_TABLES, table, column);
		if (!field || !field_is_text(field->kind))
			fail_msg("%s.%s is no text of a table", table, column);
		if (field->kind == FIELD_BLOB)
			assert_int_equal(anonymous_policy(table, column), ANONYMOUS_DROP);
		for (size_t m = 0; m < n; m++)
			if (anonymous_policy_line(m, &other_table, &other_column) &&
			    strcmp(table, other_table) == 0 &&
			    strcmp(column, other_column) == 0)
				fail_msg("%s.%s has two lines", table, column);
	}
}

/* --- paths --- */

static const struct {
	int line;
	const char *path, *expected; /* the first of a run */
} paths[] = {
	{ ROW, "", "" },
	{ ROW, "/", "/" },
	{ ROW, "-", "-" },
	{ ROW, "/usr/lib/libsecret.so", "/usr/lib/p1.so" },
	{ ROW, "/usr/lib/libsecret.so.6.1.2", "/usr/lib/p1.so.6.1.2" },
	{ ROW, "/usr/lib/libsecret-2.31.so", "/usr/lib/p1.so" },
	{ ROW, "/usr/lib/a.so.20240131123456789012", "/usr/lib/p1" },
	{ ROW, "/lib/modules/6.1/x.ko.zst", "/lib/modules/p1/p2.ko.zst" },
	{ ROW, "/home/anna/anna/x", "/home/user1/p1/p2" },
	{ ROW, "/home//anna", "/home//user1" },
	{ ROW, "/home/", "/home/" },
	{ ROW, "/Users/anna/x.txt", "/Users/user1/p1.txt" },
	{ ROW, "/srv/x/x", "/srv/p1/p1" },
	{ ROW, "relative/x.py", "p1/p2.py" },
	{ ROW, "./x", "./p1" },
	{ ROW, "/tmp/x (deleted)", "/tmp/p1 (deleted)" },
	{ ROW, "/dev/zero (deleted)", "/dev/zero (deleted)" },
	{ ROW, "/memfd:secret (deleted)", "/p1 (deleted)" },
	{ ROW, "//anon", "//anon" },
	{ ROW, "[vdso]", "[vdso]" },
	{ ROW, "[kernel.kallsyms]_text", "[kernel.kallsyms]_text" },
	{ ROW, "[a_module]", "[a_module]" },
	{ ROW, "[guest.kernel.kallsyms.7]_stext", "[guest.kernel.kallsyms.7]_stext" },
	{ ROW, "[x]secret", "p1" },
	{ ROW, "[a\\xb]", "p1\\p2" },
	{ ROW, "[anon:secret]", "p1" },
	{ ROW, "[secret", "p1" },
	{ ROW, "[x]/home/anna/y", "p1/home/user1/p2" },
	{ ROW, "/tmp/.exe", "/tmp/p1" },
	{ ROW, "/tmp/caf\\xe9", "/tmp/p1\\p2" },
	{ ROW, "/tmp/\xff\xfe.so", "/tmp/p1.so" },
	{ ROW, "/tmp/caf\xc3\xa9.so", "/tmp/p1.so" },
	{ ROW, "C:\\Windows\\System32\\ntdll.dll", "C:\\Windows\\System32\\p1.dll" },
	{ ROW, "c:\\WINDOWS\\SYSTEM32\\NTDLL.DLL", "c:\\WINDOWS\\SYSTEM32\\p1.DLL" },
	{ ROW, "C:\\Users\\Anna B\\x.exe", "C:\\Users\\user1\\p1.exe" },
	{ ROW, "C:/Users/Anna B/x.exe", "C:/Users/user1/p1.exe" },
	{ ROW, "C:\\Users\\Public\\x", "C:\\Users\\Public\\p1" },
	{ ROW, "\\Device\\HarddiskVolume12\\Users\\anna\\AppData\\Local\\x.dll",
	  "\\Device\\HarddiskVolume12\\Users\\user1\\AppData\\Local\\p1.dll" },
	{ ROW, "\\Device\\HarddiskVolumeAnna\\x", "\\Device\\p1\\p2" },
	{ ROW, "\\\\filer\\docs\\x.exe", "\\\\host1\\p1\\p2.exe" },
	{ ROW, "\\\\?\\C:\\x.exe", "\\\\?\\C:\\p1.exe" },
	{ ROW, "\\??\\UNC\\filer\\x", "\\??\\UNC\\host1\\p1" },
	{ ROW, "\\Device\\Mup\\filer\\x", "\\Device\\Mup\\host1\\p1" },
	{ ROW, "\\Device\\LanmanRedirector\\;X:1a\\filer\\x",
	  "\\Device\\LanmanRedirector\\p1\\host1\\p2" },
	{ ROW, "\\SystemRoot\\system32\\ntoskrnl.exe", "\\SystemRoot\\system32\\p1.exe" },
};

static void test_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct tokens tokens;
		struct str path = str_of(paths[i].path);

		tokens_begin(&tokens);
		ROW_STR(&paths[i], anonymous_path(&tokens, path), paths[i].expected);
		ROW_STR(&paths[i], anonymous_path(&tokens, path), paths[i].expected);
		tokens_end(&tokens);
	}
}

/* Parts are the same wherever they stand, and as many bytes as there are. */
static void test_same_parts(void **state)
{
	struct tokens tokens;
	static const char nul[] = "/opt/a\0b/x.so";

	(void)state;
	tokens_begin(&tokens);
	ASSERT_STR(anonymous_path(&tokens, STR("/opt/a/x.so")), "/opt/p1/p2.so");
	ASSERT_STR(anonymous_path(&tokens, STR("/srv/x.so/a")), "/srv/p2.so/p1");
	ASSERT_STR(anonymous_path(&tokens, STR("\\A\\a")), "\\p3\\p1");
	ASSERT_STR(anonymous_path(&tokens, (struct str){ nul, sizeof(nul) - 1 }),
		   "/opt/p4/p2.so");
	ASSERT_STR(anonymous_path(&tokens, STR("/home/b/x")), "/home/user1/p5");
	ASSERT_STR(anonymous_path(&tokens, STR("C:\\Users\\b")), "C:\\Users\\user1");
	tokens_end(&tokens);
}

/* --- security identifiers --- */

static void test_sids(void **state)
{
	static const char *const stay[] = { "S-1-0-0",	"S-1-1-0",  "S-1-5-18",
					    "S-1-5-19", "S-1-5-20", "" };
	struct tokens tokens;

	(void)state;
	tokens_begin(&tokens);
	for (size_t i = 0; i < COUNT(stay); i++)
		ASSERT_STR(anonymous_sid(&tokens, str_of(stay[i])), stay[i]);
	ASSERT_STR(anonymous_sid(&tokens, STR("S-1-5-21-1-2-3-1001")), "S-1-sid1");
	ASSERT_STR(anonymous_sid(&tokens, STR("S-1-5-180")), "S-1-sid2");
	ASSERT_STR(anonymous_sid(&tokens, STR("S-1-5-21-1-2-3-1001")), "S-1-sid1");
	ASSERT_STR(anonymous_sid(&tokens, STR("DOMAIN\\anna")), "S-1-sid3");
	tokens_end(&tokens);
}

/* --- names --- */

/* In a trace of the user anna on the host box.example.org. */
static const struct {
	int line;
	const char *name;
	bool stays;
} names[] = {
	{ ROW, "", true },
	{ ROW, "bash", true },
	{ ROW, "kworker/u8:0-wr", true },
	{ ROW, "irq/24-ACPI:Ged", true },
	{ ROW, "swapper/1", true },
	{ ROW, "msr/tsc/", true },
	{ ROW, "cs_etm/@tmc_etr0/", true },
	{ ROW, "intel_pt//", true },
	{ ROW, "annabelle", true },
	{ ROW, "joanna", true },
	{ ROW, "caf\\xe9", true },
	{ ROW, "\xc3\xa4nna", true },
	{ ROW, "boxer", true },
	{ ROW, "anna", false },
	{ ROW, "ANNA", false },
	{ ROW, "sshd: anna [priv", false },
	{ ROW, "anna_backup", false },
	{ ROW, "(anna)", false },
	{ ROW, "box", false },
	{ ROW, "ssh box", false },
	{ ROW, "box.example.org", false },
	{ ROW, "/opt/secret", false },
	{ ROW, "./secret", false },
	{ ROW, "~/secret", false },
	{ ROW, "sh /opt/secret", false },
	{ ROW, "x=/opt/secret", false },
	{ ROW, "C:\\secret", false },
	{ ROW, "C:/secret", false },
	{ ROW, "share\\secret", false },
	{ ROW, "\\xsecret", false },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct tokens tokens;
		struct str name = str_of(names[i].name);

		tokens_begin(&tokens);
		tokens_learn(&tokens, STR("Anna"));
		tokens_learn_host(&tokens, STR("box.example.org"));
		tokens_learn(&tokens, STR("s"));  /* too short to mean anything */
		tokens_learn(&tokens, STR("24")); /* likewise */
		ROW_STR(&names[i], tokens_name(&tokens, TOKEN_PROCESS, name, false),
			names[i].stays ? names[i].name : "process1");
		ROW_TRUE(&names[i], !tokens.told_late);
		tokens_end(&tokens);
	}
}

static void test_all_names(void **state)
{
	static const char *const stay[] = { "swapper", "swapper/0", "swapper/123",
					    "Idle",    "(idle)",    "System" };
	static const char *const go[] = { "swapper/", "swapper/x", "bash", "idle2" };
	struct tokens tokens;

	(void)state;
	tokens_begin(&tokens);
	for (size_t i = 0; i < COUNT(stay); i++)
		ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(stay[i]), true),
			   stay[i]);
	for (size_t i = 0; i < COUNT(go); i++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "process%zu", i + 1);
		ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(go[i]), true),
			   expected);
	}
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), true), "process3");
	tokens_end(&tokens);
}

/* Users are found in command lines as well. */
static const struct {
	int line;
	const char *text;
	const char *word; /* NULL: none */
} commands[] = {
	{ ROW, "vi /home/anna/x", "anna" },
	{ ROW, "vi /home/anna", "anna" },
	{ ROW, "vi /home/anna x", "anna" },
	{ ROW, "\"C:\\Users\\Anna B\\x.exe\" -y", "anna b" },
	{ ROW, "x --dir='/home/anna'", "anna" },
	{ ROW, "x --dir='/home/anna' y", "anna" },
	{ ROW, "/home//anna/", "anna" },
	{ ROW, "home anna", NULL },
	{ ROW, "/home/", NULL },
	{ ROW, "/home", NULL },
	{ ROW, "C:\\Users\\Public\\x", NULL },
	{ ROW, "", NULL },
};

static void test_commands(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(commands); i++) {
		struct tokens tokens;

		tokens_begin(&tokens);
		anonymous_learn_users(&tokens, str_of(commands[i].text));
		ROW_INT(&commands[i], tokens.word_count, commands[i].word ? 1 : 0);
		if (commands[i].word)
			ROW_STR(&commands[i], tokens.words[0], commands[i].word);
		tokens_end(&tokens);
	}
}

/* --- limits --- */

/* Beyond them texts are hidden all the same, and those that are known stay known. */
static void test_texts_max(void **state)
{
	struct tokens tokens;

	(void)state;
	tokens_begin(&tokens);
	assert_int_equal(tokens.texts_max, ANONYMOUS_TEXTS_MAX);
	tokens.texts_max = 3;
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("a")), "host1");
	ASSERT_STR(tokens_of(&tokens, TOKEN_COMMAND, STR("a")), "command1");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("b")), ANONYMOUS_TEXT);
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("b")), ANONYMOUS_TEXT);
	ASSERT_STR(tokens_of(&tokens, TOKEN_HOST, STR("a")), "host1");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("dash"), false),
		   ANONYMOUS_TEXT);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	ASSERT_STR(anonymous_path(&tokens, STR("/usr/secret")), ANONYMOUS_TEXT);
	assert_int_equal(tokens.count, 3);
	assert_false(tokens.out_of_memory);
	tokens_end(&tokens);
}

static void test_long_texts(void **state)
{
	size_t size = ANONYMOUS_TEXT_BYTES_MAX + 1;
	char *text = malloc(size);
	struct tokens tokens;
	struct str longest = { text, size - 1 }, longer = { text, size };
	struct str made;

	(void)state;
	tokens_begin(&tokens);
	memset(text, 'x', size);
	ASSERT_STR(tokens_of(&tokens, TOKEN_COMMAND, longest), "command1");
	ASSERT_STR(tokens_of(&tokens, TOKEN_COMMAND, longer), ANONYMOUS_TEXT);
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, longer, false), ANONYMOUS_TEXT);
	ASSERT_STR(anonymous_path(&tokens, longest), "p1");
	ASSERT_STR(anonymous_path(&tokens, longer), ANONYMOUS_TEXT);
	tokens_learn(&tokens, longer);
	assert_int_equal(tokens.word_count, 0);
	/* One byte a part: what comes out is longer than what went in. */
	for (size_t i = 1; i < size; i += 2)
		text[i] = '/';
	for (size_t i = 0; i < size; i += 2)
		text[i] = (char)('a' + i / 2 % 26);
	made = anonymous_path(&tokens, longest);
	assert_true(made.len > longest.len);
	assert_memory_equal(made.ptr, "p2/p3/p4/", 9);
	tokens_end(&tokens);
	free(text);
}

/* Too many users: no name can be trusted any more. */
static void test_words_max(void **state)
{
	struct tokens tokens;
	char name[32];

	(void)state;
	tokens_begin(&tokens);
	for (int i = 0; i < ANONYMOUS_WORDS_MAX; i++) {
		snprintf(name, sizeof(name), "user-%d", i);
		tokens_learn(&tokens, str_of(name));
		tokens_learn(&tokens, str_of(name));
	}
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("user-7"), false), "process1");
	tokens_learn(&tokens, STR("one-more"));
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("dash"), false), "process2");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("bash"), false), "bash");
	tokens_end(&tokens);
}

/* Nor can those that are too many to look for users in. */
static void test_judged_max(void **state)
{
	struct tokens tokens;
	char name[1025];
	size_t count = ANONYMOUS_JUDGED_BYTES_MAX / (sizeof(name) - 1);

	(void)state;
	tokens_begin(&tokens);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%01024zu", i);
		ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(name), false),
			   name);
	}
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, STR("one more"), false),
		   "process1");
	ASSERT_STR(tokens_name(&tokens, TOKEN_PROCESS, str_of(name), false), name);
	tokens_end(&tokens);
}

/* --- rows through the sinks --- */

static void put_comm(struct sink *sink, const char *name)
{
	struct comm_row row = { .trace_id = 1, .thread_id = 1, .name = str_of(name) };

	assert_int_equal(sink_put(sink,
				  &(struct record){ .kind = RECORD_comm, .data = &row }),
			 ST_OK);
}

static enum status put_host(struct sink *sink, const char *host)
{
	struct header_fact_row row = { 1, STR("HOSTNAME"), str_of(host) };

	return sink_put(sink,
			&(struct record){ .kind = RECORD_header_fact, .data = &row });
}

/* A name that was let through before it was known to be a host's: nothing is written. */
static void test_told_late(void **state)
{
	struct anonymous *anonymous = anonymous_new(false);
	struct sink sink;

	(void)state;
	assert_int_equal(anonymous_open(&sink, anonymous, &null_writer, NULL), ST_OK);
	put_comm(&sink, "bash");
	put_comm(&sink, "box");
	assert_int_equal(put_host(&sink, "other"), ST_OK);
	assert_int_equal(put_host(&sink, "box"), ST_UNSUPPORTED);
	assert_non_null(strstr(sink.error.text, "read twice"));
	sink_close(&sink);
	anonymous_free(anonymous);
}

/* Unless it was learned of before. */
static void test_learned(void **state)
{
	struct anonymous *anonymous = anonymous_new(false);
	struct sink sink;

	(void)state;
	assert_int_equal(anonymous_learn(&sink, anonymous), ST_OK);
	put_comm(&sink, "box");
	assert_int_equal(put_host(&sink, "box"), ST_OK);
	sink_close(&sink);
	assert_int_equal(anonymous_open(&sink, anonymous, &null_writer, NULL), ST_OK);
	put_comm(&sink, "box");
	assert_int_equal(put_host(&sink, "box"), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
}

/* What the writer refuses is the filter's error. */
static void test_errors(void **state)
{
	struct anonymous *anonymous = anonymous_new(false);
	struct sink_options options = { .path = "/nowhere/at/all.db" };
	struct sink sink;

	(void)state;
	assert_true(anonymous_open(&sink, anonymous, &sqlite_writer, &options) < ST_OK);
	assert_non_null(strstr(sink.error.text, "/nowhere/at/all.db"));
	anonymous_free(anonymous);
}

#define SECRET "secret"

/* Every text and blob is SECRET, the numbers are 1. */
static void put_secrets(struct sink *sink, enum record_kind kind,
			const struct table *table)
{
	char row[OWN_ROW_BYTES_MAX] = "";
	struct record record = { .kind = kind, .data = row, .table = table };

	for (size_t i = 0; i < table->field_count; i++) {
		struct str text = STR(SECRET);
		int64_t number = 1;

		if (field_is_text(table->fields[i].kind))
			memcpy(row + table->fields[i].offset, &text, sizeof(text));
		else
			memcpy(row + table->fields[i].offset, &number, sizeof(number));
	}
	assert_int_equal(sink_put(sink, &record), ST_OK);
}

/* A table of a tracepoint, with one column of each name. */
#define OWN_FIELDS 9
static const struct field own_fields[OWN_FIELDS] = {
	{ "trace_id", FIELD_INT, 0 },	  { "comm", FIELD_TEXT, 8 },
	{ "prev_comm", FIELD_TEXT, 24 },  { "filename", FIELD_TEXT, 40 },
	{ "name", FIELD_TEXT, 56 },	  { "raw_tail", FIELD_BLOB, 72 },
	{ "other", FIELD_TEXT, 88 },	  { "frames", FIELD_TEXT, 104 },
	{ "old_bytes", FIELD_BLOB, 120 },
};
static const struct table own = { "sched_switch", own_fields, OWN_FIELDS, 136 };

/* The rows of one table in a database that the filter wrote, to be freed. */
static char *written(const struct table *table, enum record_kind kind, bool all)
{
	char *directory = unit_directory();
	struct sink_options options = { .path = unit_path(directory, "x.db") };
	struct anonymous *anonymous = anonymous_new(all);
	struct sink sink;
	sqlite3 *db;
	char *rows;

	assert_int_equal(anonymous_open(&sink, anonymous, &sqlite_writer, &options),
			 ST_OK);
	put_secrets(&sink, kind, table);
	put_secrets(&sink, kind, table);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
	db = rows_open_database(options.path);
	rows = rows_of_table(db, table->name);
	sqlite3_close(db);
	unit_remove(directory);
	return rows;
}

static void test_own_table(void **state)
{
	char *rows = written(&own, RECORD_OWN_TABLE, false);

	(void)state;
	assert_non_null(strstr(
		rows, "\n1,'secret','secret','p1','text1',NULL,'text1','text1',NULL\n"));
	free(rows);
	rows = written(&own, RECORD_OWN_TABLE, true);
	assert_non_null(strstr(
		rows,
		"\n1,'process1','process1','p1','text1',NULL,'text1','text1',NULL\n"));
	free(rows);
}

static void test_etw_process(void **state)
{
	char *rows = written(&etw_tables[TABLE_etw_process], RECORD_OWN_TABLE, false);

	(void)state;
	assert_non_null(strstr(rows, "\n1,1,'secret',1,1,1,1,1,1,1,'S-1-sid1','secret',"
				     "'command1','package1','application1'\n"));
	free(rows);
}

static void test_finding(void **state)
{
	char *directory = unit_directory();
	struct sink_options options = { .path = unit_path(directory, "x.db") };
	struct anonymous *anonymous = anonymous_new(false);
	struct finding_row row = { .trace_id = 1,
				   .severity = STR("damage"),
				   .kind = STR("bad_record"),
				   .count = 1,
				   .first_offset = 16,
				   .end_offset = 24,
				   .text = STR("record at 0x10: secret") };
	struct sink sink;
	sqlite3 *db;
	char *rows;

	(void)state;
	assert_int_equal(anonymous_open(&sink, anonymous, &sqlite_writer, &options),
			 ST_OK);
	assert_int_equal(
		sink_put(&sink, &(struct record){ .kind = RECORD_finding, .data = &row }),
		ST_OK);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
	db = rows_open_database(options.path);
	rows = rows_of_table(db, "finding");
	assert_non_null(strstr(rows, "\n1,'damage','bad_record',1,16,24,'bytes that "
				     "cannot be records, skipped up to the next "
				     "plausible one'\n"));
	sqlite3_close(db);
	free(rows);
	unit_remove(directory);
}

/* Tables with all that is nasty go through, and blobs do not come out. */
static void test_nasty(void **state)
{
	char *directory = unit_directory();
	struct sink_options options = { .path = unit_path(directory, "x") };
	struct anonymous *anonymous = anonymous_new(true);
	struct rows rows = { .count = 0 };
	struct sink sink;
	char *csv;

	(void)state;
	rows_add_nasty(&rows);
	assert_int_equal(anonymous_learn(&sink, anonymous), ST_OK);
	for (size_t i = 0; i < rows.count; i++)
		assert_int_equal(sink_put(&sink, &rows.records[i]), ST_OK);
	sink_close(&sink);
	assert_int_equal(anonymous_open(&sink, anonymous, &csv_writer, &options), ST_OK);
	for (size_t i = 0; i < rows.count; i++)
		assert_int_equal(sink_put(&sink, &rows.records[i]), ST_OK);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
	csv = rows_of_csv(options.path, "thread");
	assert_null(strstr(csv, "plain"));
	assert_non_null(strstr(csv, "process"));
	free(csv);
	rows_free(&rows);
	unit_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_column), cmocka_unit_test(test_every_line),
		cmocka_unit_test(test_paths),	     cmocka_unit_test(test_same_parts),
		cmocka_unit_test(test_sids),	     cmocka_unit_test(test_names),
		cmocka_unit_test(test_all_names),    cmocka_unit_test(test_commands),
		cmocka_unit_test(test_texts_max),    cmocka_unit_test(test_long_texts),
		cmocka_unit_test(test_words_max),    cmocka_unit_test(test_judged_max),
		cmocka_unit_test(test_told_late),    cmocka_unit_test(test_learned),
		cmocka_unit_test(test_errors),	     cmocka_unit_test(test_own_table),
		cmocka_unit_test(test_etw_process),  cmocka_unit_test(test_finding),
		cmocka_unit_test(test_nasty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
