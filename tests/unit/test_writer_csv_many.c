/*
 * test_writer_csv_many.c - lib/output/csv: switches before, between and after so many
 * processes that it frees memory.
 */
#include <stdio.h>
#include <string.h>

#include "output/outputs.h"
#include "rows.h"

#define HEAD                                                                            \
	"switch_id,ts_ns,cpu,group_id,prev_thread_id,next_thread_id,prev_state,status," \
	"on_cpu_ns,running_ns,detail_id,delta_0\n"

static const struct {
	int line;
	int64_t before, processes, after;
} parts[] = {
	{ ROW, 20000, 10, 20000 },
	{ ROW, 20000, 40000, 20000 },
	{ ROW, 1, 40000, 1 },
	{ ROW, 0, 40000, 20000 },
};

static void put_all(struct sink *sink, const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		assert_int_equal(sink_put(sink, &rows->records[i]), ST_OK);
}

/* Switches from `from` on, to the file and to `expected`. */
static char *put_switches(struct sink *sink, char *expected, int64_t from, int64_t count)
{
	struct rows rows = { NULL, 0, 0 };

	for (int64_t id = from; id < from + count; id++) {
		char detail[24] = "";

		if (id % 2)
			snprintf(detail, sizeof(detail), "%lld", (long long)id);
		rows_add_switch(&rows, id, 1, 1, id);
		expected +=
			sprintf(expected, "%lld,%lld,%lld,1,%s,1,,%lld,%lld,,%s,%lld\n",
				(long long)id, (long long)(1000 + id),
				(long long)(id % 3), id % 2 ? "1" : "",
				(long long)(id % 2), (long long)id, detail,
				(long long)id);
	}
	put_all(sink, &rows);
	return expected;
}

static void write_parts(struct sink *sink, size_t part, char *expected)
{
	struct rows head = { NULL, 0, 0 }, processes = { NULL, 0, 0 };

	expected += sprintf(expected, "%s", HEAD);
	rows_add_group(&head, 1, 1);
	put_all(sink, &head);
	expected = put_switches(sink, expected, 1, parts[part].before);
	for (int64_t id = 1; id <= parts[part].processes; id++)
		rows_add(&processes, RECORD_process,
			 &(struct process_row){ .process_id = id, .pid = id });
	put_all(sink, &processes);
	put_switches(sink, expected, 1 + parts[part].before, parts[part].after);
}

UNIT_TEST(many_processes)
{
	char *expected = unit_alloc(4 << 20);

	for (size_t i = 0; i < COUNT(parts); i++) {
		const struct sink_options options = { .path = unit_path("many"),
						      .overwrite = true };
		struct sink sink;
		char *bytes;

		assert_int_equal(sink_open(&sink, &csv_writer, &options), ST_OK);
		write_parts(&sink, i, expected);
		assert_int_equal(sink_finish(&sink), ST_OK);
		sink_close(&sink);
		bytes = unit_read_file(unit_path("many/context_switch.csv"), NULL);
		assert_non_null(bytes);
		if (strcmp(bytes, expected) != 0)
			fail_msg("line %d: other switches", parts[i].line);
	}
}
