/* test_writer_csv.c - lib/output/csv through the sink interface. */
#include <stdlib.h>
#include <string.h>

#include "output/outputs.h"
#include "rows.h"

static void write_csv(const struct rows *rows, const char *path)
{
	const struct sink_options options = { .path = path, .overwrite = true };

	rows_write(rows, &csv_writer, &options);
}

/* The bytes of <dir>/<name>/<table>.csv, to be freed. */
static char *bytes_of(const char *name, const char *table)
{
	char path[256];
	size_t size;
	char *bytes;

	snprintf(path, sizeof(path), "%s/%s.csv", name, table);
	bytes = unit_read_file(unit_path(path), &size);
	if (!bytes)
		fail_msg("%s is missing", path);
	return bytes;
}

static void assert_bytes(const char *name, const char *table, const char *expected)
{
	char *bytes = bytes_of(name, table);

	assert_string_equal(bytes, expected);
}

/* No file for a table without rows, but that of the statuses. */
UNIT_TEST(empty)
{
	const struct rows none = { NULL, 0, 0 };

	write_csv(&none, unit_path("empty"));
	assert_int_equal(unit_count(unit_path("empty"), ""), 3); /* with . and .. */
	assert_true(unit_exists(unit_path("empty/charge_status.csv")));
}

UNIT_TEST(statuses)
{
	const struct rows none = { NULL, 0, 0 };
	char expected[4096] = "status,name,reason,words\n";
	size_t at = strlen(expected);

	write_csv(&none, unit_path("statuses"));
	for (int s = 0; s < CHARGE_STATUSES; s++)
		at += (size_t)snprintf(expected + at, sizeof(expected) - at,
				       "%d,\"%s\",\"%s\",\"%s\"\n", s,
				       charge_status_words[s].name,
				       charge_status_words[s].reason,
				       charge_status_words[s].words);
	assert_bytes("statuses", "charge_status", expected);
}

/* The bytes themselves, as other tools will see them. */
static const struct {
	int line;
	struct str key, value;
	const char *expected; /* the line without trace_id */
} cells[] = {
	{ ROW, { "k", 1 }, { "v", 1 }, "\"k\",\"v\"" },
	{ ROW, { "", 0 }, { NULL, 0 }, "\"\"," },
	{ ROW, { "k", 1 }, { "", 0 }, "\"k\",\"\"" },
	{ ROW, { "a,b", 3 }, { "c\"d", 3 }, "\"a,b\",\"c\"\"d\"" },
	{ ROW, { "\"", 1 }, { "\"\"", 2 }, "\"\"\"\",\"\"\"\"\"\"" },
	{ ROW, { "a\nb", 3 }, { "\r\n", 2 }, "\"a\nb\",\"\r\n\"" },
	{ ROW, { " a ", 3 }, { "\t", 1 }, "\" a \",\"\t\"" },
	{ ROW, { "\xff", 1 }, { "\xc3\xa9", 2 }, "\"\xff\",\"\xc3\xa9\"" },
	{ ROW, { "=1+1", 4 }, { "-x", 2 }, "\"=1+1\",\"-x\"" },
	{ ROW, { "12", 2 }, { "NULL", 4 }, "\"12\",\"NULL\"" },
};

UNIT_TEST(cells)
{
	for (size_t i = 0; i < COUNT(cells); i++) {
		struct rows rows = { NULL, 0, 0 };
		char expected[128];
		char *bytes;

		rows_add(&rows, RECORD_header_fact,
			 &(struct header_fact_row){ 7, cells[i].key, cells[i].value });
		write_csv(&rows, unit_path("cells"));
		bytes = bytes_of("cells", "header_fact");
		snprintf(expected, sizeof(expected), "trace_id,key,value\n7,%s\n",
			 cells[i].expected);
		ROW_TEXT(&cells[i], bytes, expected);
	}
}

static const struct {
	int line;
	struct str text;
	const char *safe;
} formulas[] = {
	{ ROW, { "=1+1", 4 }, "\"'=1+1\"" },
	{ ROW, { "+1", 2 }, "\"'+1\"" },
	{ ROW, { "-1", 2 }, "\"'-1\"" },
	{ ROW, { "@x", 2 }, "\"'@x\"" },
	{ ROW, { "\tx", 2 }, "\"'\tx\"" },
	{ ROW, { "\rx", 2 }, "\"'\rx\"" },
	{ ROW, { "=\"\"", 3 }, "\"'=\"\"\"\"\"" },
	{ ROW, { "a=1", 3 }, "\"a=1\"" },
	{ ROW, { "", 0 }, "\"\"" },
	{ ROW, { "'=1", 3 }, "\"'=1\"" },
};

UNIT_TEST(safe)
{
	const struct sink_options options = { .path = unit_path("safe"),
					      .csv_safe = true };
	struct rows rows = { NULL, 0, 0 };
	char expected[512] = "trace_id,key,value\n";
	size_t at = strlen(expected);

	for (size_t i = 0; i < COUNT(formulas); i++) {
		rows_add(&rows, RECORD_header_fact,
			 &(struct header_fact_row){ -1, STR("k"), formulas[i].text });
		at += (size_t)snprintf(expected + at, sizeof(expected) - at,
				       "-1,\"k\",%s\n", formulas[i].safe);
	}
	rows_write(&rows, &csv_writer, &options);
	assert_bytes("safe", "header_fact", expected);
}

#define SWITCH_HEAD                                                                     \
	"switch_id,ts_ns,cpu,group_id,prev_thread_id,next_thread_id,prev_state,status," \
	"on_cpu_ns,running_ns,detail_id"

UNIT_TEST(deltas)
{
	struct rows rows = { NULL, 0, 0 };

	rows_add_group(&rows, 1, 2);
	rows_add_switch(&rows, 1, 1, 2, INT64_MIN);
	rows_add_switch(&rows, 2, 1, 2, -1);
	write_csv(&rows, unit_path("deltas"));
	assert_bytes("deltas", "context_switch",
		     SWITCH_HEAD ",delta_0,delta_1\n"
				 "1,1001,1,1,1,1,,1,1,,1,-9223372036854775808,"
				 "-9223372036854775807\n"
				 "2,1002,2,1,,1,,0,2,,,-1,0\n");
}

/* Wider groups before, between and after the first row. */
static const struct {
	int line;
	int64_t first, later; /* counters of group 1, of group 2 after the first row */
	const char *expected;
} widths[] = {
	{ ROW, 0, 0, SWITCH_HEAD "\n1,1001,1,1,1,1,,1,1,,1\n2,1002,2,2,,1,,0,2,,\n" },
	{ ROW, 0, 2,
	  SWITCH_HEAD ",delta_0,delta_1\n"
		      "1,1001,1,1,1,1,,1,1,,1,,\n2,1002,2,2,,1,,0,2,,,70,71\n" },
	{ ROW, 1, 2,
	  SWITCH_HEAD ",delta_0,delta_1\n"
		      "1,1001,1,1,1,1,,1,1,,1,5,\n2,1002,2,2,,1,,0,2,,,70,71\n" },
	{ ROW, 1, 3,
	  SWITCH_HEAD ",delta_0,delta_1,delta_2\n"
		      "1,1001,1,1,1,1,,1,1,,1,5,,\n2,1002,2,2,,1,,0,2,,,70,71,72\n" },
	{ ROW, 3, 1,
	  SWITCH_HEAD ",delta_0,delta_1,delta_2\n"
		      "1,1001,1,1,1,1,,1,1,,1,5,6,7\n2,1002,2,2,,1,,0,2,,,70,,\n" },
};

UNIT_TEST(widths)
{
	for (size_t i = 0; i < COUNT(widths); i++) {
		struct rows rows = { NULL, 0, 0 };
		char name[16];
		char *bytes;

		snprintf(name, sizeof(name), "width%zu", i);
		rows_add_group(&rows, 1, widths[i].first);
		rows_add_switch(&rows, 1, 1, (size_t)widths[i].first, 5);
		rows_add_group(&rows, 2, widths[i].later);
		rows_add_switch(&rows, 2, 2, (size_t)widths[i].later, 70);
		write_csv(&rows, unit_path(name));
		bytes = bytes_of(name, "context_switch");
		ROW_TEXT(&widths[i], bytes, widths[i].expected);
	}
}

/* --- the files that are joined from others --- */

static void add_tasks(struct rows *rows)
{
	rows_add(rows, RECORD_process,
		 &(struct process_row){ .process_id = 1,
					.trace_id = 1,
					.pid = 10,
					.parent_pid = INT_NONE,
					.start_ns = INT_NONE,
					.end_ns = INT_NONE,
					.name = STR("a,\"b\"") });
	rows_add(rows, RECORD_thread,
		 &(struct thread_row){ .thread_id = 1,
				       .process_id = 1,
				       .tid = 11,
				       .recorder_tid = INT_NONE,
				       .idle_cpu = INT_NONE,
				       .start_ns = INT_NONE,
				       .end_ns = INT_NONE,
				       .name = STR("=t") });
}

#define NAMED_HEAD                                                                  \
	"switch_id,trace_id,ts_ns,cpu,group_id,process,pid,thread,tid,next_thread," \
	"next_tid,prev_state,status,reason,on_cpu_ns,running_ns"

/* A counter of one name in other slots; a thread that is not known. */
UNIT_TEST(named)
{
	const struct sink_options options = { .path = unit_path("named"),
					      .csv_safe = true };
	struct rows rows = { NULL, 0, 0 };

	rows_add_group(&rows, 1, 2);
	rows_add_switch(&rows, 1, 1, 2, -5);
	rows_add_group(&rows, 2, 4);
	rows_add_switch(&rows, 2, 2, 4, 70);
	rows_add(&rows, RECORD_counter_group,
		 &(struct counter_group_row){ 3, 1, STR("leader"), 1, STR("cpu"),
					      STR("no") });
	rows_add(&rows, RECORD_counter,
		 &(struct counter_row){ .counter_id = 9,
					.trace_id = 1,
					.group_id = 3,
					.name = STR("CYCLES"),
					.event = STR("cycles"),
					.source = STR("test") });
	rows_add_switch(&rows, 3, 3, 1, 8);
	add_tasks(&rows);
	rows_write(&rows, &csv_writer, &options);
	assert_bytes("named", "context_switch_named",
		     NAMED_HEAD ",sched:sched_switch,cycles,\"a \"\"b\"\", c\",status#\n"
				"1,1,1001,1,1,\"a,\"\"b\"\"\",10,\"'=t\",11,\"'=t\",11,,"
				"\"charged\",\"\",1,,-5,-4,,\n"
				"2,1,1002,2,2,,,,,\"'=t\",11,,\"baseline\",\"first\",2,,"
				"70,71,72,73\n"
				"3,1,1003,0,3,\"a,\"\"b\"\"\",10,\"'=t\",11,\"'=t\",11,,"
				"\"charged\",\"\",3,,,8,,\n");
}

/* --- many lines, against snprintf() --- */

#define MANY_SWITCHES 30000 /* many pieces of both files */
#define MANY_THREADS 90
#define MANY_SLOTS 3

/* Of any length that an int64_t has, and either sign; NULL now and then. */
static int64_t number_of(uint64_t *state)
{
	uint64_t bits = *state = *state * UINT64_C(6364136223846793005) + 1;
	int64_t number;

	memcpy(&number, &bits, sizeof(number));
	return bits >> 40 & 15 ? number >> (bits >> 50 & 63) : INT_NONE;
}

/* Thread t belongs to a process with a name of 2 * t bytes. */
static const char *name_of(int64_t t)
{
	static char name[2 * MANY_THREADS + 1];

	memset(name, 'a', sizeof(name) - 1);
	return name + sizeof(name) - 1 - 2 * t;
}

static void add_many_tasks(struct rows *rows)
{
	for (int64_t t = 1; t < MANY_THREADS; t++) {
		rows_add(rows, RECORD_process,
			 &(struct process_row){ .process_id = t,
						.pid = 7 * t,
						.name = str_of(name_of(t)) });
		rows_add(rows, RECORD_thread,
			 &(struct thread_row){ .thread_id = t,
					       .process_id = t,
					       .tid = -t,
					       .name = STR("t") });
	}
}

static size_t print_number(char *to, int64_t number, const char *after)
{
	return number == INT_NONE
		       ? (size_t)sprintf(to, "%s", after)
		       : (size_t)sprintf(to, "%lld%s", (long long)number, after);
}

/* A line of context_switch.csv. */
static size_t print_numbers(char *to, const struct context_switch_row *row,
			    const int64_t *deltas)
{
	int64_t fields[sizeof(*row) / sizeof(int64_t)];
	size_t at = 0;

	memcpy(fields, row, sizeof(fields));
	for (size_t i = 0; i < COUNT(fields); i++)
		at += print_number(to + at, fields[i], ",");
	for (size_t i = 0; i < MANY_SLOTS; i++)
		at += (size_t)sprintf(to + at, "%lld%c", (long long)deltas[i],
				      i + 1 < MANY_SLOTS ? ',' : '\n');
	return at;
}

/* A line of context_switch_named.csv. */
static size_t print_names(char *to, const struct context_switch_row *row,
			  const int64_t *deltas)
{
	int64_t prev = row->prev_thread_id, next = row->next_thread_id;
	size_t at = print_number(to, row->switch_id, ",1,");

	at += print_number(to + at, row->ts_ns, ",");
	at += print_number(to + at, row->cpu, ",1,");
	at += prev < 1 || prev >= MANY_THREADS
		      ? (size_t)sprintf(to + at, ",,,,")
		      : (size_t)sprintf(to + at, "\"%s\",%lld,\"t\",%lld,", name_of(prev),
					(long long)(7 * prev), (long long)-prev);
	at += next < 1 || next >= MANY_THREADS
		      ? (size_t)sprintf(to + at, ",,")
		      : (size_t)sprintf(to + at, "\"t\",%lld,", (long long)-next);
	at += print_number(to + at, row->prev_state, ",");
	at += (size_t)sprintf(to + at, "\"%s\",\"%s\",",
			      charge_status_words[row->status].name,
			      charge_status_words[row->status].reason);
	at += print_number(to + at, row->on_cpu_ns, ",");
	at += print_number(to + at, row->running_ns, "");
	for (size_t i = 0; i < MANY_SLOTS; i++)
		at += (size_t)sprintf(to + at, ",%lld", (long long)deltas[i]);
	to[at++] = '\n';
	return at;
}

static struct context_switch_row many_row(int64_t id, uint64_t *state)
{
	return (struct context_switch_row){
		.switch_id = id,
		.ts_ns = number_of(state),
		.cpu = number_of(state),
		.group_id = 1,
		.prev_thread_id = id % (MANY_THREADS + 2),
		.next_thread_id = id % 7 ? id % 11 : INT_NONE,
		.prev_state = number_of(state),
		.status = id % CHARGE_STATUSES,
		.on_cpu_ns = number_of(state),
		.running_ns = number_of(state),
		.detail_id = number_of(state),
	};
}

UNIT_TEST(many_lines)
{
	static const char named_head[] =
		NAMED_HEAD ",sched:sched_switch,cycles,\"a \"\"b\"\", c\"\n";
	struct rows rows = { NULL, 0, 0 };
	char *numbers = unit_alloc((size_t)MANY_SWITCHES * 400);
	char *names = unit_alloc((size_t)MANY_SWITCHES * 800);
	size_t numbers_at =
		(size_t)sprintf(numbers, "%s,delta_0,delta_1,delta_2\n", SWITCH_HEAD);
	size_t names_at = (size_t)sprintf(names, "%s", named_head);
	uint64_t random = 1;

	rows_add_group(&rows, 1, MANY_SLOTS);
	add_many_tasks(&rows);
	for (int64_t id = 1; id <= MANY_SWITCHES; id++) {
		struct context_switch_row row = many_row(id, &random);
		int64_t *deltas = unit_alloc(MANY_SLOTS * sizeof(*deltas));

		for (size_t i = 0; i < MANY_SLOTS; i++)
			deltas[i] = number_of(&random);
		rows_add(&rows, RECORD_context_switch, &row);
		rows.records[rows.count - 1].deltas = deltas;
		rows.records[rows.count - 1].slots = MANY_SLOTS;
		numbers_at += print_numbers(numbers + numbers_at, &row, deltas);
		names_at += print_names(names + names_at, &row, deltas);
	}
	write_csv(&rows, unit_path("many"));
	assert_bytes("many", "context_switch", numbers);
	assert_bytes("many", "context_switch_named", names);
}

/* More than one buffer of short lines, which then have to be widened. */
UNIT_TEST(widen_much)
{
	struct rows rows = { NULL, 0, 0 };
	int64_t count = 20000;
	size_t lines = 0, commas = 0;
	char *bytes;

	rows_add_group(&rows, 1, 1);
	for (int64_t id = 1; id <= count; id++)
		rows_add_switch(&rows, id, 1, 1, id);
	rows_add_group(&rows, 2, 40);
	rows_add_switch(&rows, count + 1, 2, 40, 9);
	write_csv(&rows, unit_path("much"));
	bytes = bytes_of("much", "context_switch");
	for (const char *at = bytes; *at; at++) {
		commas += *at == ',';
		if (*at != '\n')
			continue;
		assert_int_equal(commas, 11 + 40 - 1);
		commas = 0;
		lines++;
	}
	assert_int_equal(lines, 1 + count + 1);
}

/* A text may be long, but not without end; then no file is left. */
UNIT_TEST(long_text)
{
	static const size_t sizes[] = { 1000, 60000, 200000 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct rows rows = { NULL, 0, 0 };
		char *text = unit_alloc(sizes[i]);

		memset(text, '"', sizes[i]);
		rows_add(&rows, RECORD_header_fact,
			 &(struct header_fact_row){ 1, STR("k"), { text, sizes[i] } });
		write_csv(&rows, unit_path("long"));
		/* Every quote twice, in quotes, after the header and two more cells. */
		assert_int_equal(strlen(bytes_of("long", "header_fact")),
				 strlen("trace_id,key,value\n1,\"k\",\n") + 2 +
					 2 * sizes[i]);
		assert_int_equal(unit_count(unit_path(""), "long."), 0);
	}
}

/* --- blobs, and tables that a trace defines itself --- */

UNIT_TEST(blobs)
{
	struct rows rows = { NULL, 0, 0 };

	rows_add(&rows, RECORD_text_poke,
		 &(struct text_poke_row){ 1, 2, 3, { "\0\x9f\xff=", 4 }, STR_NONE });
	rows_add(&rows, RECORD_text_poke,
		 &(struct text_poke_row){ 1, 2, 3, STR("\""), STR("") });
	write_csv(&rows, unit_path("blobs"));
	assert_bytes("blobs", "text_poke",
		     "trace_id,ts_ns,addr,old_bytes,new_bytes\n"
		     "1,2,3,009fff3d,\n1,2,3,22,\n");
}

struct own_row {
	int64_t number;
	struct str text;
};

UNIT_TEST(own_tables)
{
	static const struct field one_fields[] = {
		{ "trace_id", FIELD_INT, 0 },
		{ "Text", FIELD_TEXT, offsetof(struct own_row, text) },
	};
	static const struct field two_fields[] = {
		{ "n", FIELD_VALUE, 0 },
		{ "bytes", FIELD_BLOB, offsetof(struct own_row, text) },
	};
	static const struct table one = { "s_one", one_fields, 2,
					  sizeof(struct own_row) };
	static const struct table two = { "s_two", two_fields, 2,
					  sizeof(struct own_row) };
	const struct sink_options options = { .path = unit_path("own"),
					      .csv_safe = true };
	struct rows rows = { NULL, 0, 0 };
	struct own_row row = { 1, STR("=x\"") };

	rows_add_own(&rows, &one, &row);
	rows_add_own(&rows, &two, &row);
	row = (struct own_row){ INT_NONE, STR_NONE };
	rows_add_own(&rows, &one, &row);
	rows_add_own(&rows, &two, &row);
	rows_write(&rows, &csv_writer, &options);
	assert_bytes("own", "s_one", "trace_id,Text\n1,\"'=x\"\"\"\n,\n");
	assert_bytes("own", "s_two", "n,bytes\n1,3d7822\n-9223372036854775808,\n");
}

/* Tables whose names Windows reserves, ours and those of traces, have other files. */
UNIT_TEST(reserved_names)
{
	static const struct field fields[] = { { "n", FIELD_VALUE, 0 } };
	static const struct table con = { "Con", fields, 1, sizeof(struct own_row) };
	struct rows rows = { NULL, 0, 0 };
	struct own_row row = { 7, STR_NONE };

	rows_add(&rows, RECORD_aux, &(struct aux_row){ .trace_id = 1, .bytes = 9 });
	rows_add_own(&rows, &con, &row);
	write_csv(&rows, unit_path("reserved"));
	assert_bytes("reserved", "Con-table", "n\n7\n");
	assert_non_null(strstr(bytes_of("reserved", "aux-table"), "\n1,0,0,0,"));
	assert_null(fopen(unit_path("reserved/aux.csv"), "rb"));
}

/* Names up to OWN_NAME_BYTES_MAX stand whole in the header, and are the file's name. */
UNIT_TEST(long_names)
{
	static char name[OWN_NAME_BYTES_MAX + 1], column[OWN_NAME_BYTES_MAX + 1];
	const struct field fields[] = { { "a", FIELD_INT, 0 }, { column, FIELD_INT, 8 } };
	const struct table table = { name, fields, 2, 16 };
	static const int64_t row[] = { 1, 2 };
	struct rows rows = { NULL, 0, 0 };
	char expected[2 * OWN_NAME_BYTES_MAX];

	memset(name, 'n', sizeof(name) - 1);
	memset(column, 'c', sizeof(column) - 1);
	rows_add_own(&rows, &table, row);
	write_csv(&rows, unit_path("names"));
	snprintf(expected, sizeof(expected), "a,%s\n1,2\n", column);
	assert_bytes("names", name, expected);
}

/* The longest cells that readers make: each must find its way into a line. */
static const struct {
	enum record_kind kind;
	size_t bytes;
} longest[] = {
	{ RECORD_other_record, 60000 },
	{ RECORD_other_record, 65536 },	    /* PERF_OTHER_BYTES_MAX */
	{ RECORD_header_feature, 1 << 20 }, /* PERF_CONTENT_BYTES_MAX */
	{ RECORD_callchain, 8192 * 21 },    /* PERF_CHAIN_MAX addresses */
};

UNIT_TEST(longest_cells)
{
	char *bytes = unit_alloc(1 << 20);

	memset(bytes, 'x', 1 << 20);
	for (size_t i = 0; i < COUNT(longest); i++) {
		const struct str cell = { bytes, longest[i].bytes };
		struct rows rows = { NULL, 0, 0 };

		if (longest[i].kind == RECORD_other_record)
			rows_add(&rows, RECORD_other_record,
				 &(struct other_record_row){ .body = cell });
		else if (longest[i].kind == RECORD_callchain)
			rows_add(&rows, RECORD_callchain,
				 &(struct callchain_row){ .frames = cell });
		else
			rows_add(&rows, RECORD_header_feature,
				 &(struct header_feature_row){ .content = cell });
		write_csv(&rows, unit_path("longest"));
	}
}

/* --- what goes wrong --- */

UNIT_TEST(not_finished)
{
	const struct sink_options options = { .path = unit_path("unfinished") };
	struct sink sink;

	assert_int_equal(sink_open(&sink, &csv_writer, &options), ST_OK);
	assert_int_equal(unit_count(unit_path(""), "unfinished."), 1);
	sink_close(&sink);
	assert_int_equal(unit_count(unit_path(""), "unfinished."), 0);
	assert_false(unit_exists(unit_path("unfinished")));
}

UNIT_TEST(exists)
{
	struct sink_options options = { .path = unit_path("there") };
	const struct rows none = { NULL, 0, 0 };
	struct sink sink;

	write_csv(&none, options.path);
	assert_int_equal(sink_open(&sink, &csv_writer, &options), ST_IO);
	HAS(sink.error.text, "exists already");
	options.overwrite = true;
	rows_write(&none, &csv_writer, &options);
}

UNIT_TEST(disk_full)
{
	struct unit_output output;

	rows_write_limited(&csv_writer, "full", 300000, 20000, &output);
	HAS(output.err, "cannot write ", "/full/context_switch.csv: File too large");
}
