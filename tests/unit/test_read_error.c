/*
 * test_read_error.c - lib/formats/perf, lib/formats/etw/xperf_text.c and
 * lib/model/reader.c: inputs that fail with EIO after some bytes, or change while they
 * are read.
 */
#include <errno.h>
#include <string.h>

#include "formats/formats.h"
#include "perf_stream.h"
#include "xperf_runs.h"

/* An input that gives `size` bytes, then fails. */
struct failing {
	const char *bytes;
	size_t size, at;
	struct error *error; /* the reader's */
};

static ptrdiff_t pull(void *context, uint8_t *to, size_t room)
{
	struct failing *failing = context;
	size_t part = failing->size - failing->at;

	part = part < room ? part : room;
	if (part == 0) {
		error_set(failing->error, ST_IO, failing->at, "cannot read at 0x%zx: %s",
			  failing->at, strerror(EIO));
		return -1;
	}
	memcpy(to, failing->bytes + failing->at, part);
	failing->at += part;
	return (ptrdiff_t)part;
}

static const struct perf_stream_event clock_event = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_SW_CPU_CLOCK,
	.period = 1000,
	.sample_type = PERF_TID | PERF_TIME | PERF_CPU,
};

enum { SAMPLES = 20, SAMPLE_BYTES = PERF_RECORD_HEADER_BYTES + 3 * 8 };

/* SAMPLES of them; the last one ends `missing` bytes early. */
static struct failing perf_samples(size_t missing)
{
	struct perf_stream_bytes stream;

	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &clock_event);
	for (uint64_t i = 0; i < SAMPLES; i++)
		PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 1000 + i, PAIR(0, 0));
	return (struct failing){ .bytes = (const char *)stream.bytes,
				 .size = stream.size - missing };
}

static struct failing xperf_switches(void)
{
	static const char text[] = PMC SWITCH_18 "\n" THREE_SWITCHES("\n");

	return (struct failing){ .bytes = text, .size = sizeof(text) - 1 };
}

struct seen {
	enum status status; /* of the last call */
	size_t events;	    /* records of that kind */
	char trace[16];	    /* its status */
};

/* Reads by reader_next(), or what the format itself makes of the input. */
static struct seen read_all(struct failing failing, const struct reader_ops *format,
			    enum record_kind kind, bool format_alone,
			    struct findings *findings)
{
	const struct reader_options options = { .want_rows = true };
	const struct reader_ops *const formats[] = { format, NULL };
	struct seen seen = { .events = 0 };
	struct reader reader;
	struct record record;

	failing.error = &reader.error;
	assert_int_equal(reader_open_pull(&reader, "failing", pull, &failing, &options,
					  formats),
			 ST_OK);
	for (;;) {
		seen.status = format_alone ? reader.ops->next(&reader, &record)
					   : reader_next(&reader, &record);
		if (seen.status != ST_OK)
			break;
		seen.events += record.kind == kind;
		if (record.kind == RECORD_trace) {
			struct str text = RECORD_DATA(&record, trace)->status;

			snprintf(seen.trace, sizeof(seen.trace), "%.*s", (int)text.len,
				 text.ptr);
		}
	}
	assert_int_equal(reader.error.status, ST_IO);
	HAS(reader.error.text, "cannot read at 0x", "Input/output error");
	*findings = reader.findings;
	reader.findings = (struct findings){ .gaps = NULL };
	reader_close(&reader);
	return seen;
}

static void check_format(int line, struct failing failing, size_t events, size_t offset,
			 const struct reader_ops *format, enum record_kind kind)
{
	const struct {
		int line;
	} row = { line };
	struct findings findings;
	struct seen seen = read_all(failing, format, kind, true, &findings);

	/* What was read before is there, and says that it is not all. */
	ROW_INT(&row, seen.status, ST_END);
	ROW_INT(&row, seen.events, events);
	ROW_TEXT(&row, seen.trace, "partial");
	ROW_INT(&row, findings.of[FINDING_READ_ERROR].count, 1);
	ROW_INT(&row, findings.of[FINDING_READ_ERROR].first_offset, offset);
	ROW_HAS(&row, findings.of[FINDING_READ_ERROR].text, "Input/output error");
	ROW_TRUE(&row, !finding_any(&findings, FINDING_TRUNCATED));
	findings_release(&findings);
	/* Such a trace is a failure to the callers of reader_next(). */
	seen = read_all(failing, format, kind, false, &findings);
	ROW_INT(&row, seen.status, ST_IO);
	ROW_TEXT(&row, seen.trace, "");
	findings_release(&findings);
}

UNIT_TEST(perf)
{
	struct failing whole = perf_samples(0), cut = perf_samples(SAMPLE_BYTES - 4);

	check_format(__LINE__, whole, SAMPLES, whole.size, &perf_reader, RECORD_SAMPLED);
	/* In the middle of a header, which then is not taken for one that is cut off. */
	check_format(__LINE__, cut, SAMPLES - 1, whole.size - SAMPLE_BYTES, &perf_reader,
		     RECORD_SAMPLED);
}

UNIT_TEST(xperf_text)
{
	struct failing whole = xperf_switches(), header = whole;
	static const char head[] = "BeginHeader\n" PMC SWITCH_18 "\n";

	check_format(__LINE__, whole, 3, whole.size, &xperf_reader, RECORD_SWITCH);
	/* Within the header, which then is not said to have no end. */
	header.bytes = head;
	header.size = sizeof(head) - 1;
	check_format(__LINE__, header, 0, header.size, &xperf_reader, RECORD_SWITCH);
}

/* --- files that change after they were opened --- */

/* A perf.data of one attribute, which begins at byte 104 and is cut off at 150. */
static const uint8_t *cut_file(size_t *size)
{
	static uint8_t bytes[150] = "PERFILE2";

	bytes[8] = bytes[24] = 104;
	bytes[16] = bytes[32] = 64 + 16;
	*size = sizeof(bytes);
	return bytes;
}

static enum status open_shrunk(struct reader *reader)
{
	reader->input.size += 1000; /* so many bytes there were */
	return perf_reader.open(reader);
}

UNIT_TEST(attributes_of_a_file_that_shrinks)
{
	struct reader_ops shrinking = perf_reader;
	const struct reader_ops *const formats[] = { &shrinking, NULL };
	struct reader reader;
	size_t size;
	const uint8_t *bytes = cut_file(&size);

	shrinking.open = open_shrunk;
	assert_int_equal(reader_open_memory(&reader, bytes, size, NULL, formats),
			 ST_TRUNCATED);
	assert_string_equal(reader.error.text, "perf: the attributes are cut off");
}

/* The folder of a `perf record --threads` is gone. */
static enum status open_moved(struct reader *reader)
{
	reader->path = "/nonexistent/data";
	return perf_reader.open(reader);
}

UNIT_TEST(folder_that_is_gone)
{
	struct reader_ops moving = perf_reader;
	const struct reader_ops *const formats[] = { &moving, NULL };
	size_t size;
	char *seed = unit_read_file(SEEDS_DIRECTORY "-directory/good-two", &size);
	const char *path = unit_below(unit_directory(), "data");
	struct reader reader;

	/* Its first file, after the two bytes of its size. */
	assert_non_null(seed);
	size = (size_t)((uint8_t)seed[0] | (uint8_t)seed[1] << 8);
	unit_write_file(path, seed + 2, size);
	assert_int_equal(reader_open(&reader, path, NULL, trace_formats), ST_OK);
	reader_close(&reader);
	moving.open = open_moved;
	assert_int_equal(reader_open(&reader, path, NULL, formats), ST_IO);
	HAS(reader.error.text, "cannot read the directory: No such file or directory");
}
