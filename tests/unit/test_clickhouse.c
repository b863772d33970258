/*
 * test_clickhouse.c - lib/output/clickhouse: bytes of a block, statements, and the bill
 * by second of a trace whose groups were read between switches.
 */
#include <string.h>

#include "output/clickhouse/statements.h"
#include "output/outputs.h"
#include "unit.h"

/* --- blocks --- */

struct blocks {
	struct native_block block;
	struct error error;
	FILE *file;
	const char *path;
};

static void setup(struct blocks *b)
{
	unit_directory();
	b->path = unit_path("stream");
	b->file = fopen(b->path, "wb");
	assert_non_null(b->file);
}

static void teardown(struct blocks *b)
{
	native_release(&b->block);
	fclose(b->file);
}

UNIT_FIXTURE(struct blocks, setup, teardown);

static void begin(struct blocks *b, const struct native_column *columns, size_t count)
{
	assert_int_equal(native_begin(&b->block, columns, count, fileno(b->file),
				      &b->error),
			 ST_OK);
}

static void end_row(struct blocks *b)
{
	assert_int_equal(native_end_row(&b->block), ST_OK);
}

static const struct native_column all_types[] = { { "i", NATIVE_INT },
						  { "n", NATIVE_NUMBER },
						  { "t", NATIVE_TEXT },
						  { "d", NATIVE_DATE } };

UNIT_CASE(bytes_of_a_block, struct blocks *b)
{
	static const char expected[] =
		"\4\3" /* columns, rows */
		"\1i\5Int64"
		"\7\0\0\0\0\0\0\0\376\377\377\377\377\377\377\377\10\7\6\5\4\3\2\1"
		"\1n\17Nullable(Int64)"
		"\0\1\0" /* the second is NULL */
		"\11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"\1t\6String"
		"\2ab\0\4\\xff" /* the last was not UTF-8 */
		"\1d\4Date"
		"\64\22\0\0\0\0"; /* not known, and out of the range: 0 */
	size_t size;
	char *found;

	begin(b, all_types, COUNT(all_types));
	native_put_int(&b->block, 0, 7);
	native_put_number(&b->block, 1, 9);
	native_put_text(&b->block, 2, STR("ab"));
	native_put_date(&b->block, 3, 0x1234);
	end_row(b);
	native_put_int(&b->block, 0, -2);
	native_put_number(&b->block, 1, INT_NONE);
	native_put_text(&b->block, 2, STR(""));
	native_put_date(&b->block, 3, INT_NONE);
	end_row(b);
	native_put_int(&b->block, 0, 0x0102030405060708);
	native_put_number(&b->block, 1, 0);
	native_put_text(&b->block, 2, STR("\377"));
	native_put_date(&b->block, 3, 0x10000);
	end_row(b);
	assert_int_equal(native_finish(&b->block), ST_OK);
	found = unit_read_file(b->path, &size);
	assert_int_equal(size, sizeof(expected) - 1);
	assert_memory_equal(found, expected, sizeof(expected) - 1);
}

/* A length above 127 has two bytes; a block that is full is written at once. */
UNIT_CASE(lengths, struct blocks *b)
{
	static const char head[] = "\1\200\200\4\1t\6String\200\1xx";
	char text[128];
	size_t size;
	char *found;

	memset(text, 'x', sizeof(text));
	begin(b, &all_types[2], 1);
	for (size_t i = 0; i < NATIVE_BLOCK_ROWS; i++) {
		native_put_text(&b->block, 0, (struct str){ text, i ? 0 : sizeof(text) });
		end_row(b);
	}
	found = unit_read_file(b->path, &size);
	assert_int_equal(size, 13 + 2 + sizeof(text) + NATIVE_BLOCK_ROWS - 1);
	assert_memory_equal(found, head, sizeof(head) - 1);
	assert_int_equal(native_finish(&b->block), ST_OK); /* no rows: no block */
	(void)unit_read_file(b->path, &size);
	assert_int_equal(size, 13 + 2 + sizeof(text) + NATIVE_BLOCK_ROWS - 1);
}

/* --- statements --- */

UNIT_TEST(statements)
{
	static const char *const counters[] = { "cycles", "a`b\\" };
	struct bytes to = { NULL, 0, 0, false };
	const char *text;

	native_statements(&to, "my`fleet", counters, COUNT(counters));
	bytes_put(&to, "", 1);
	assert_false(to.failed);
	text = (const char *)to.data;
	HAS(text,
	    "CREATE TABLE IF NOT EXISTS bill (\n\t`host` String,\n\t`date` Date,\n"
	    "\t`trace` String,\n\t`first_utc_ns` Nullable(Int64),\n\t`comm` String,\n"
	    "\t`process` String,\n\t`pid` Nullable(Int64),\n\t`counter` String,\n"
	    "\t`unit` String,\n\t`value` Int64,\n\t`status` String\n"
	    ") ENGINE = MergeTree PARTITION BY toYYYYMM(date) "
	    "ORDER BY (host, date, counter, process);\n",
	    "\t`status` String\n) ENGINE = MergeTree PARTITION BY toYYYYMM(date) "
	    "ORDER BY (host, date, counter, ts_ns);\n",
	    "\t`running_ns` Nullable(Int64),\n\t`cycles` Nullable(Int64),\n"
	    "\t`a\\`b\\\\` Nullable(Int64)\n) ENGINE = MergeTree PARTITION BY "
	    "toYYYYMM(date) ORDER BY (host, date, trace, cpu, ts_ns);\n",
	    "CREATE TABLE IF NOT EXISTS switch_all AS switch ENGINE = "
	    "Distributed(`my\\`fleet`, currentDatabase(), switch, cityHash64(host));\n");
	bytes_release(&to);
}

/* --- a trace --- */

enum { CYCLES = 11, MISSES = 12, SECOND = 1000000000 };

static void put(struct sink *sink, enum record_kind kind, const void *row)
{
	assert_int_equal(sink_put(sink, &(struct record){ .kind = kind, .data = row }),
			 ST_OK);
}
#define PUT(sink, table, ...) \
	put((sink), RECORD_##table, &(struct table##_row){ __VA_ARGS__ })

static void put_read(struct sink *sink, int64_t ts, int64_t interrupt_id, int64_t status,
		     int64_t on_cpu_ns, int64_t cycles)
{
	PUT(sink, group_read, .read_id = ts, .ts_ns = ts, .group_id = 1, .thread_id = 1,
	    .status = status, .on_cpu_ns = on_cpu_ns, .running_ns = INT_NONE,
	    .interrupt_id = interrupt_id);
	PUT(sink, group_read_value, .read_id = ts, .counter_id = CYCLES, .delta = cycles);
	PUT(sink, group_read_value, .read_id = ts, .counter_id = 99, .delta = 1000);
}

static void put_switch(struct sink *sink, int64_t ts, int64_t status, int64_t on_cpu_ns,
		       int64_t cycles, size_t slots)
{
	const int64_t deltas[] = { cycles, 0 };
	const struct context_switch_row row = { .switch_id = ts,
						.ts_ns = ts,
						.group_id = 1,
						.prev_thread_id = 1,
						.next_thread_id = 1,
						.status = status,
						.on_cpu_ns = on_cpu_ns,
						.running_ns = INT_NONE };

	assert_int_equal(sink_put(sink, &(struct record){ .kind = RECORD_context_switch,
							  .data = &row,
							  .deltas = deltas,
							  .slots = slots }),
			 ST_OK);
}

static void put_trace(struct sink *sink)
{
	PUT(sink, counter_group, .group_id = 1, .trace_id = 1, .leader = STR("cycles"),
	    .counters = 2, .scope = STR("cpu"));
	PUT(sink, counter, .counter_id = CYCLES, .trace_id = 1, .group_id = 1, .slot = 0,
	    .name = STR("cycles"), .event = STR("cycles"));
	PUT(sink, counter, .counter_id = MISSES, .trace_id = 1, .group_id = 1, .slot = 1,
	    .name = STR("misses"), .event = STR("misses"));
	PUT(sink, process, .process_id = 1, .trace_id = 1, .pid = 70, .name = STR("p"));
	PUT(sink, thread, .thread_id = 1, .process_id = 1, .tid = 70,
	    .idle_cpu = INT_NONE, .name = STR("p"));
	PUT(sink, cpu_summary, .trace_id = 1, .group_id = 1, .switches = 3,
	    .all_switches = 3);
	PUT(sink, interrupt, .interrupt_id = 1, .trace_id = 1, .kind = STR("irq"));
	put_switch(sink, -1, CHARGE_CHARGED, 9, INT64_MIN, 2);
	put_switch(sink, 100, CHARGE_CHARGED, 40, 1, 1);
	put_read(sink, 200, INT_NONE, CHARGE_BASELINE, 500, 5000);
	put_read(sink, 300, INT_NONE, CHARGE_CHARGED, 7, 20);
	put_read(sink, 400, 1, CHARGE_CHARGED, 5, 300);
	put_read(sink, 500, INT_NONE, CHARGE_WITH_IDLE, 2, 4000);
	put_read(sink, SECOND + 1, INT_NONE, CHARGE_CHAIN, 3, 60000);
	put_switch(sink, 2 * (int64_t)SECOND - 1, CHARGE_CHARGED, INT_NONE, 700000, 2);
	PUT(sink, trace, .trace_id = 1, .path = STR("/x/a.data"), .host = STR("h"),
	    .first_ns = 100, .last_ns = 2 * (int64_t)SECOND, .wall_offset_ns = INT_NONE,
	    .wall_offset_end_ns = INT_NONE);
}

/* --- a stream as lines --- */

static uint64_t leb(const uint8_t **at)
{
	uint64_t value = 0;
	int shift = 0;

	do
		value |= (uint64_t)(**at & 0x7f) << shift;
	while (shift += 7, *(*at)++ & 0x80);
	return value;
}

#define TEXT_MAX 64

static const char *decode_text(const uint8_t **at, char to[TEXT_MAX])
{
	size_t length = (size_t)leb(at);

	snprintf(to, TEXT_MAX, "%.*s", (int)length, (const char *)*at);
	*at += length;
	return to;
}

/* One line a row: the cells of the named columns. */
static const char *lines_of(const char *path, const char *wanted)
{
	static char lines[16][200];
	static char all[sizeof(lines)];
	size_t size, columns, rows, used = 0;
	char *file = unit_read_file(path, &size);
	const uint8_t *at = (const uint8_t *)file;

	columns = (size_t)leb(&at);
	rows = (size_t)leb(&at);
	assert_in_range(rows, 1, COUNT(lines));
	memset(lines, 0, sizeof(lines));
	for (size_t c = 0; c < columns; c++) {
		char texts[3][TEXT_MAX];
		const char *name = decode_text(&at, texts[0]);
		const char *type = decode_text(&at, texts[1]);
		const uint8_t *nulls = at;
		bool is_wanted = strstr(wanted, name) != NULL;

		at += strncmp(type, "Nullable", 8) == 0 ? rows : 0;
		for (size_t r = 0; r < rows; r++) {
			char cell[70] = "";
			int64_t number;

			if (strcmp(type, "String") == 0) {
				snprintf(cell, sizeof(cell), "%s ",
					 decode_text(&at, texts[2]));
			} else if (strcmp(type, "Date") == 0) {
				at += 2;
			} else {
				memcpy(&number, at, sizeof(number));
				at += sizeof(number);
				if (*type == 'N' && nulls[r])
					snprintf(cell, sizeof(cell), "- ");
				else
					snprintf(cell, sizeof(cell), "%lld ",
						 (long long)number);
			}
			if (is_wanted)
				strncat(lines[r], cell,
					sizeof(lines[0]) - strlen(lines[r]) - 1);
		}
	}
	assert_ptr_equal(at, file + size);
	for (size_t r = 0; r < rows; r++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s\n",
					 lines[r]);
	return all;
}

static const char *stream_of(enum fleet_table table, const char *wanted)
{
	const struct sink_options options = { .path = unit_path("stream"),
					      .overwrite = true,
					      .table = table };
	struct sink sink;

	assert_int_equal(sink_open(&sink, &clickhouse_writer, &options), ST_OK);
	put_trace(&sink);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	return lines_of(options.path, wanted);
}

/* Reads between switches add to the second in which they end, as switches do. */
UNIT_CASE(reads_by_second, struct blocks *b)
{
	(void)b;
	assert_string_equal(stream_of(FLEET_BILL_BY_SECOND,
				      "host ts_ns process pid counter value status"),
			    "h -1000000000 p 70 cycles -9223372036854775808 charged \n"
			    "h -1000000000 p 70 on_cpu_ns 9 charged \n"
			    "h 0 p 70 cycles 21 charged \n"
			    "h 0 p 70 on_cpu_ns 49 charged \n"
			    "h 0 p 70 cycles 4000 with_idle \n"
			    "h 0 p 70 cycles 300 interrupts \n"
			    "h 0 p 70 on_cpu_ns 5 interrupts \n"
			    "h 1000000000 p 70 cycles 700000 charged \n"
			    "h 1000000000 (unattributed) - cycles 60000 unattributed \n"
			    "h 1000000000 (unattributed) - on_cpu_ns 3 unattributed \n");
}

/* A counter that was not read is NULL; one that is INT_NONE by chance is not. */
UNIT_CASE(counters_of_switches, struct blocks *b)
{
	(void)b;
	assert_string_equal(stream_of(FLEET_SWITCH,
				      "ts_ns cpu thread status on_cpu_ns cycles misses"),
			    "-1 0 p charged 9 -9223372036854775808 0 \n"
			    "100 0 p charged 40 1 - \n"
			    "1999999999 0 p charged - 700000 0 \n");
}
