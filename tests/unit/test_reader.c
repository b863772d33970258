/* test_reader.c - lib/model/reader.h and sink.h: recognising, refusing, releasing. */
#include <string.h>

#include "model/reader.h"
#include "model/sink.h"
#include "unit.h"

/* --- formats made for this test --- */

static int closed;

static int probe_a(const uint8_t *head, size_t len)
{
	return len >= 1 && head[0] == 'A' ? 50 : 0;
}

static int probe_ab(const uint8_t *head, size_t len)
{
	return len >= 2 && memcmp(head, "AB", 2) == 0 ? 90 : 0;
}

static int probe_long(const uint8_t *head, size_t len)
{
	return len == READER_PROBE_BYTES && head[READER_PROBE_BYTES - 1] == 'L' ? 100 : 0;
}

static enum status open_good(struct reader *reader)
{
	const char *state = reader->state;

	/* Zeroed, and nothing consumed by the probe. */
	for (size_t i = 0; i < reader->ops->state_size; i++)
		assert_int_equal(state[i], 0);
	assert_int_equal(reader->input.offset, 0);
	return ST_OK;
}

static enum status open_bad(struct reader *reader)
{
	return error_set(&reader->error, ST_CORRUPT, 5, "b: broken at 0x5");
}

static enum status next_none(struct reader *reader, struct record *record)
{
	(void)reader, (void)record;
	return ST_END;
}

static void count_close(struct reader *reader)
{
	(void)reader;
	closed++;
}

static const struct reader_ops format_a = { .name = "a",
					    .state_size = 64,
					    .probe = probe_a,
					    .open = open_good,
					    .next = next_none,
					    .close = count_close };
static const struct reader_ops format_ab = { .name = "ab",
					     .state_size = 1,
					     .probe = probe_ab,
					     .open = open_bad,
					     .next = next_none,
					     .close = count_close };
static const struct reader_ops format_long = { .name = "long",
					       .state_size = 1,
					       .probe = probe_long,
					       .open = open_good,
					       .next = next_none,
					       .close = count_close };
static const struct reader_ops *const formats[] = { &format_a, &format_ab, &format_long,
						    NULL };

static char long_input[READER_PROBE_BYTES + 1];

static const struct {
	int line;
	const char *bytes;
	size_t size;
	enum status status;
	const char *name; /* of the format, or the error's text */
} inputs[] = {
	{ ROW, "A", 1, ST_OK, "a" },
	{ ROW, "AX", 2, ST_OK, "a" },
	{ ROW, "AB", 2, ST_CORRUPT, "b: broken at 0x5" },
	{ ROW, long_input, sizeof(long_input), ST_OK, "long" },
	{ ROW, long_input, READER_PROBE_BYTES - 1, ST_OK, "a" },
	{ ROW, "", 0, ST_TRUNCATED, "is empty, expected a trace" },
	{ ROW, "B", 1, ST_UNSUPPORTED, NULL },
};

UNIT_TEST(memory)
{
	memset(long_input, 'A', sizeof(long_input));
	long_input[READER_PROBE_BYTES - 1] = 'L';
	for (size_t i = 0; i < COUNT(inputs); i++) {
		struct reader reader;
		struct record record;
		enum status status = reader_open_memory(&reader, inputs[i].bytes,
							inputs[i].size, NULL, formats);

		closed = status == ST_CORRUPT ? closed : 0;
		ROW_INT(&inputs[i], status, inputs[i].status);
		if (status != ST_OK) {
			ROW_INT(&inputs[i], reader.error.status, inputs[i].status);
			ROW_TRUE(&inputs[i], reader.state == NULL);
			if (inputs[i].name)
				ROW_TEXT(&inputs[i], reader.error.text, inputs[i].name);
			continue;
		}
		ROW_TEXT(&inputs[i], reader.ops->name, inputs[i].name);
		ROW_INT(&inputs[i], reader_next(&reader, &record), ST_END);
		reader_close(&reader);
		ROW_INT(&inputs[i], closed, 1);
		reader_close(&reader); /* again is harmless */
		ROW_INT(&inputs[i], closed, 1);
	}
}

UNIT_TEST(file)
{
	const char *path = unit_path("trace");
	const struct reader_options options = { .want_switches = true, .trace_id = 7 };
	struct reader reader;

	unit_write_file(path, "A", 1);
	assert_int_equal(reader_open(&reader, path, &options, formats), ST_OK);
	assert_string_equal(reader.path, path);
	assert_true(reader.options.want_switches);
	assert_int_equal(reader.options.trace_id, 7);
	reader_close(&reader);
	assert_int_equal(reader_open(&reader, path, NULL, formats), ST_OK);
	assert_false(reader.options.want_switches);
	reader_close(&reader);
	assert_int_equal(reader_open(&reader, unit_path(""), NULL, formats),
			 ST_UNSUPPORTED);
	assert_int_equal(reader_open(&reader, "/nonexistent", NULL, formats), ST_IO);
	/* A file that cannot be read is not one of unknown format. */
	assert_int_equal(reader_open(&reader, "/proc/self/mem", NULL, formats), ST_IO);
}

/* --- sinks --- */

static enum status sink_open_bad(struct sink *sink)
{
	return error_set(&sink->error, ST_IO, ERROR_NO_OFFSET, "no");
}

static void sink_count_close(struct sink *sink)
{
	(void)sink;
	closed++;
}

UNIT_TEST(sink)
{
	static const struct sink_ops bad = { .name = "bad",
					     .state_size = 8,
					     .open = sink_open_bad,
					     .close = sink_count_close };
	static const struct sink_ops plain = { .name = "plain",
					       .close = sink_count_close };
	const struct sink_options options = { .path = "x", .overwrite = true };
	struct sink sink;

	closed = 0;
	assert_int_equal(sink_open(&sink, &bad, &options), ST_IO);
	assert_int_equal(closed, 1);
	assert_null(sink.state);
	sink_close(&sink);
	assert_int_equal(closed, 1);

	assert_int_equal(sink_open(&sink, &plain, &options), ST_OK);
	assert_true(sink.options.overwrite);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	assert_int_equal(closed, 2);
	assert_int_equal(sink_open(&sink, &plain, NULL), ST_OK);
	assert_null(sink.options.path);
	sink_close(&sink);
}
