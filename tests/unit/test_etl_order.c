/*
 * test_etl_order.c - lib/formats/etw/etl_order.c and etl_switch.c: switches of several
 * buffers in order of time, and what is lost between them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"
#include "formats/formats.h"
#include "unit.h"

enum {
	BUFFER_BYTES = 0x400,
	BUFFERS_MAX = 8,
	LOG_HEADER_BYTES = 0x20 + 0x140,
};

/* --- a file, buffer by buffer --- */

struct file {
	uint8_t bytes[BUFFERS_MAX * BUFFER_BYTES];
	size_t buffers;
};

static uint8_t *last_buffer(struct file *file)
{
	return file->bytes + (file->buffers - 1) * BUFFER_BYTES;
}

static void put(uint8_t *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size); /* of a little-endian machine, as the reader is */
}

/* Room for an event in the last buffer. */
static uint8_t *add_bytes(struct file *file, size_t size)
{
	uint8_t *buffer = last_buffer(file);
	uint32_t filled;

	memcpy(&filled, buffer + 0x30, sizeof(filled));
	assert_true(filled + size <= BUFFER_BYTES && size % 8 == 0);
	put(buffer + 0x30, filled + size, 4);
	memset(buffer + filled, 0, size);
	return buffer + filled;
}

static void add_buffer(struct file *file, uint16_t cpu, uint64_t sequence)
{
	uint8_t *buffer;

	assert_true(file->buffers++ < BUFFERS_MAX);
	buffer = last_buffer(file);
	memset(buffer, 0xff, BUFFER_BYTES);
	memset(buffer, 0, ETL_BUFFER_HEADER_BYTES);
	put(buffer, BUFFER_BYTES, 4);
	put(buffer + 0x18, sequence, 8);
	put(buffer + 0x28, cpu, 2);
	put(buffer + 0x30, ETL_BUFFER_HEADER_BYTES, 4);
	put(buffer + 0x36, sequence ? 0 : ETL_BUFFER_TYPE_HEADER, 2);
}

static uint8_t *add_log_header(struct file *file)
{
	uint8_t *event = add_bytes(file, LOG_HEADER_BYTES);

	put(event, 0xc0020002, 4); /* SYSTEM64 */
	put(event + 4, LOG_HEADER_BYTES, 2);
	put(event + 0x20, BUFFER_BYTES, 4);
	put(event + 0x20 + 4, 10, 4); /* Windows 10 */
	put(event + 0x20 + 12, 2, 4); /* CPUs */
	return event;
}

/* A kernel event with a payload of zeros, which is returned. */
static uint8_t *add_event(struct file *file, uint16_t kind, uint64_t ticks, size_t pmcs,
			  size_t payload)
{
	size_t size = 16 + 8 * pmcs + payload;
	uint8_t *event = add_bytes(file, size);

	put(event, 0xc0110004 | pmcs << 8, 4); /* PERFINFO64 */
	put(event + 4, size, 2);
	event[6] = (uint8_t)kind;
	event[7] = (uint8_t)(kind >> 8);
	put(event + 8, ticks, 8);
	return event + 16 + 8 * pmcs;
}

/* Out of thread 40 into 44, with counters that have the time as their value. */
static void add_counted(struct file *file, uint64_t ticks, size_t pmcs)
{
	uint8_t *payload = add_event(file, ETL_CSWITCH, ticks, pmcs, 24);

	for (size_t i = 1; i <= pmcs; i++)
		put(payload - 8 * i, ticks, 8);
	put(payload, 44, 4);
	put(payload + 4, 40, 4);
}

static void add_switch(struct file *file, uint64_t ticks)
{
	add_counted(file, ticks, 1);
}

static void begin_file(struct file *file)
{
	file->buffers = 0;
	add_buffer(file, 0, 0);
	add_log_header(file);
}

/* --- what the reader makes of it --- */

/* "100 loss 200?": switches by their time, ? if suspect, - if unread, and losses. */
static void read_all(struct reader *reader, char *text, size_t size)
{
	struct record record;
	enum status status;
	size_t at = 0;

	*text = '\0';
	while ((status = reader_next(reader, &record)) == ST_OK)
		if (record.kind == RECORD_SWITCH) {
			const struct switch_event *event = record.data;

			at += (size_t)snprintf(text + at, size - at, " %lld%s%s",
					       (long long)event->ts_ns / 100,
					       event->suspect ? "?" : "",
					       event->unread ? "-" : "");
		} else if (record.kind == RECORD_LOSS) {
			at += (size_t)snprintf(text + at, size - at, " loss");
		}
	assert_int_equal(status, ST_END);
}

static void open_file(struct reader *reader, const struct file *file)
{
	assert_int_equal(reader_open_memory(reader, file->bytes,
					    file->buffers * BUFFER_BYTES, NULL,
					    trace_formats),
			 ST_OK);
}

/* The order, and how many findings there are of one kind. */
static void assert_found(const struct file *file, const char *expected,
			 enum finding_kind kind, int64_t count)
{
	struct reader reader;
	char text[200];

	open_file(&reader, file);
	read_all(&reader, text, sizeof(text));
	assert_string_equal(text, expected);
	assert_int_equal(reader.findings.of[kind].count, count);
	reader_close(&reader);
}

static void assert_order(const struct file *file, const char *expected)
{
	assert_found(file, expected, FINDING_OTHER_VALUES, 0);
}

/* --- tests --- */

/* Two CPUs, two buffers each, which come in order of their ends. */
static void two_cpus(struct file *file)
{
	begin_file(file);
	add_buffer(file, 0, 1);
	add_switch(file, 100);
	add_switch(file, 110);
	add_buffer(file, 1, 2);
	add_switch(file, 105);
	add_switch(file, 200);
	add_buffer(file, 0, 3);
	add_switch(file, 300);
	add_buffer(file, 1, 4);
	add_switch(file, 290);
	add_switch(file, 400);
}

UNIT_TEST(event_by_event)
{
	struct file file;

	two_cpus(&file);
	assert_order(&file, " 100 105 110 200 290 300 400");
}

/* Too large to be held together: whole buffers come by their first time. */
UNIT_TEST(buffer_by_buffer)
{
	struct reader reader;
	struct file file;
	struct etl *etl;
	char text[200];

	two_cpus(&file);
	open_file(&reader, &file);
	etl = reader.state;
	etl_order_close(&etl->order);
	memset(&etl->order, 0, sizeof(etl->order));
	etl->index.largest = ETL_OPEN_BYTES_MAX;
	assert_int_equal(etl_order_open(&reader), ST_OK);
	assert_true(etl->order.one_by_one);
	read_all(&reader, text, sizeof(text));
	assert_string_equal(text, " 100 110 105 200 290 400 300");
	reader_close(&reader);
}

/* A buffer is read in windows, each from where the next event begins. */
UNIT_TEST(windows)
{
	struct reader reader;
	struct file file;
	struct etl *etl;
	char text[200];

	two_cpus(&file);
	add_buffer(&file, 1, 5);
	for (uint64_t ticks = 410; ticks < 500; ticks += 10)
		add_switch(&file, ticks);
	open_file(&reader, &file);
	etl = reader.state;
	assert_int_equal(etl->order.window, ETL_WINDOW_BYTES);
	etl->order.window = 150; /* an event and a part of the next one */
	read_all(&reader, text, sizeof(text));
	assert_string_equal(
		text, " 100 105 110 200 290 300 400 410 420 430 440 450 460 470 480 490");
	reader_close(&reader);
}

/* A number that no buffer has: each CPU with buffers on both sides lost something. */
UNIT_TEST(missing_number)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	add_buffer(&file, 0, 2);
	add_switch(&file, 200);
	add_buffer(&file, 0, 4);
	add_switch(&file, 300);
	assert_order(&file, " 100 200 loss 300");
}

/* A segment begins with a log-file header: what was between the two is unknown. */
UNIT_TEST(segments)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	add_buffer(&file, 0, 2);
	add_log_header(&file);
	add_switch(&file, 200);
	add_switch(&file, 300);
	assert_order(&file, " 100 loss 200 300");
}

/* Bytes after the end that the header states: events may be missing. */
UNIT_TEST(not_whole)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	add_switch(&file, 110);
	memset(last_buffer(&file) + ETL_BUFFER_HEADER_BYTES + 2 * 48, 0, 16);
	add_buffer(&file, 0, 2);
	add_switch(&file, 200);
	add_buffer(&file, 0, 3);
	add_switch(&file, 300);
	assert_order(&file, " 100 110 loss 200 300");
}

/* A segment comes after all of the one before, whatever its clock says. */
UNIT_TEST(order_of_segments)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 500);
	add_buffer(&file, 1, 2);
	add_log_header(&file);
	add_switch(&file, 100);
	assert_order(&file, " 500 100");
}

/* The clock of a segment begins at the start that its header states. */
UNIT_TEST(start_of_segment)
{
	enum { START_TIME = 0x20 + 56 + 2 * 8 + 176 + 16 };
	struct file file;

	file.buffers = 0;
	add_buffer(&file, 0, 0);
	put(add_log_header(&file) + START_TIME, 5000, 8);
	add_buffer(&file, 0, 1);
	put(add_log_header(&file) + START_TIME, 5070, 8);
	add_switch(&file, 30);
	assert_order(&file, " loss 100");
}

/* Events before the header's own time. */
UNIT_TEST(before_header)
{
	struct file file;

	file.buffers = 0;
	add_buffer(&file, 0, 0);
	put(add_log_header(&file) + 16, 1000, 8);
	add_buffer(&file, 0, 1);
	add_switch(&file, 900);
	add_switch(&file, 1100);
	assert_order(&file, " -100 100");
}

/* A message without a time is of that of the event before it, however late that is. */
UNIT_TEST(without_a_time)
{
	const uint64_t late = UINT64_C(1) << 62; /* further from 0 than nanoseconds go */
	struct file file;
	uint8_t *message;

	file.buffers = 0;
	add_buffer(&file, 0, 0);
	put(add_log_header(&file) + 16, late, 8);
	add_buffer(&file, 0, 1);
	add_switch(&file, late + 100);
	message = add_bytes(&file, 16);
	put(message, 0x90000010, 4);
	add_switch(&file, late + 200);
	assert_found(&file, " 100 200", FINDING_BAD_CPU, 0);
}

/* The recorder marks a buffer: events were lost before or in it. */
UNIT_TEST(marked)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	put(last_buffer(&file) + 0x34, ETL_BUFFER_EVENTS_LOST, 2);
	add_switch(&file, 100);
	add_buffer(&file, 0, 2);
	add_switch(&file, 200);
	add_buffer(&file, 0, 3);
	add_switch(&file, 300);
	assert_order(&file, " loss 100 loss 200 300");
}

/* A buffer that ends in bytes that are not an event. */
UNIT_TEST(garbage_at_the_end)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	(void)add_bytes(&file, 16);
	add_buffer(&file, 0, 2);
	add_switch(&file, 200);
	assert_order(&file, " 100 loss 200");
}

/* A header that claims more than its buffer holds. */
UNIT_TEST(overfull)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	put(last_buffer(&file) + 0x30, BUFFER_BYTES + 32, 4);
	assert_found(&file, " 100", FINDING_TRUNCATED, 0);
}

/* Switches with another number of counters than most, or as many as few. */
UNIT_TEST(other_counters)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	add_counted(&file, 200, 2);
	add_switch(&file, 300);
	add_counted(&file, 400, 0);
	assert_found(&file, " 100 200- 300 400-", FINDING_OTHER_VALUES, 1);
	add_counted(&file, 500, 2); /* as many of both: the fewer */
	assert_found(&file, " 100 200- 300 400- 500-", FINDING_OTHER_VALUES, 2);
}

/* A switch that is too short took place: the next one begins with a loss. */
UNIT_TEST(short_switch)
{
	struct file file;

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	(void)add_event(&file, ETL_CSWITCH, 200, 1, 8);
	add_switch(&file, 300);
	add_switch(&file, 400);
	assert_found(&file, " 100 loss 300 400", FINDING_SHORT_RECORD, 1);
}

/* Since version 2 a switch has 24 bytes; version 1 had 16. */
UNIT_TEST(versions)
{
	struct file file;

	for (uint64_t version = 1; version <= 4; version++)
		for (size_t bytes = 16; bytes <= 24; bytes += 8) {
			bool has_24 = version >= 2;
			uint8_t *payload;

			begin_file(&file);
			add_buffer(&file, 0, 1);
			payload = add_event(&file, ETL_CSWITCH, 100, 1, bytes);
			put(payload - 24, version | 1 << 8, 2);
			assert_found(&file, has_24 && bytes == 16 ? "" : " 100",
				     FINDING_NEWER_FIELDS, !has_24 && bytes == 24);
		}
}

/* An event dropped at the time of a switch spoils that one, not the next. */
UNIT_TEST(dropped)
{
	struct file file;
	uint8_t *payload;

	begin_file(&file);
	payload = add_event(&file, ETL_LAST_DROPPED, 1, 0, 16);
	put(payload, 1, 4);
	put(payload + 8, 200, 8);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	add_switch(&file, 200);
	add_switch(&file, 300);
	assert_order(&file, " 100 loss 200 300");
}

/* Counters are good up to the time that the recorder states, and at it. */
UNIT_TEST(corrupted)
{
	struct file file;
	uint8_t *payload;

	begin_file(&file);
	payload = add_event(&file, ETL_PMC_CORRUPTION, 1, 0, 48);
	put(payload + 4, 3, 4);
	put(payload + 12, 250, 8); /* of three counters the first to go wrong */
	put(payload + 24, 200, 8);
	put(payload + 36, 290, 8);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	add_switch(&file, 200);
	add_switch(&file, 201);
	add_buffer(&file, 1, 2);
	add_switch(&file, 300);
	assert_order(&file, " 100 200 201? 300");
}

/* A file that is cut between the two walks: reported, and the rest is read. */
UNIT_TEST(cut_while_read)
{
	const char *path = unit_path("cut.etl");
	struct reader reader;
	struct file file;
	struct etl *etl;
	char text[200];

	begin_file(&file);
	add_buffer(&file, 0, 1);
	add_switch(&file, 100);
	add_buffer(&file, 0, 2);
	add_switch(&file, 200);
	unit_write_file(path, file.bytes, file.buffers * BUFFER_BYTES);
	assert_int_equal(reader_open(&reader, path, NULL, trace_formats), ST_OK);
	assert_false(finding_any(&reader.findings, FINDING_TRUNCATED));
	assert_int_equal(truncate(path, 2 * BUFFER_BYTES), 0);
	etl = reader.state;
	etl_chunks_release(&etl->order.chunks); /* as if the file were larger */
	read_all(&reader, text, sizeof(text));
	assert_string_equal(text, " 100");
	assert_int_equal(reader.findings.of[FINDING_TRUNCATED].count, 1);
	assert_int_equal(reader.findings.of[FINDING_TRUNCATED].first_offset,
			 2 * BUFFER_BYTES);
	reader_close(&reader);
}
