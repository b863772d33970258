/* live.c - feeds what the recorder writes to the perf.data reader. */
#include "live.h"

#include <string.h>
#include <time.h>

#include "base/os.h"
#include "formats/formats.h"

/* As many as the largest ring holds: the kernel may fill it as fast as it is read. */
#define INTERVAL_PARTS_MAX 16

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/*
 * The next round of the interval's end, which is in the queue alone.  Two round ends
 * follow the last: the reader decodes the records before the first of two.
 */
static enum status drain(struct live *live)
{
	enum status status = recorder_round(&live->recorder, &live->writer);

	live->parts_left--;
	if (status == ST_OK && live->recorder.has_more && live->parts_left)
		return ST_OK;
	live->parts_left = 0;
	live->due = true;
	for (int i = 0; i < 2 && status == ST_OK; i++)
		status = perf_writer_add_round(&live->writer, NULL, 0);
	return status;
}

/* Waits for the next records, or for the end of the interval or of the recording. */
static enum status record_some(struct live *live)
{
	double now = os_seconds(), wake = now + RECORDER_STEP_MS / 1000.0;
	enum status status;

	if (live->parts_left)
		return drain(live);
	if (live->interval_s > 0 && os_is_unread(OS_STDOUT))
		live->next = now; /* that block finds out */
	if (live->interval_s > 0 && live->next < wake)
		wake = live->next;
	if (live->seconds > 0 && live->end < wake)
		wake = live->end;
	status = recorder_step(&live->recorder, &live->writer,
			       wake > now ? (int)((wake - now) * 1000) + 1 : 0);
	now = os_seconds();
	if (status == ST_END || (live->seconds > 0 && now >= live->end)) {
		live->over = true;
		status = recorder_end(&live->recorder, &live->writer);
		live->to_ns = monotonic_ns();
	} else if (status == ST_OK && live->interval_s > 0 && now >= live->next) {
		recorder_read(&live->recorder);
		live->parts_left = INTERVAL_PARTS_MAX;
	}
	return status;
}

static enum status end_interval(struct live *live)
{
	int64_t to_ns = monotonic_ns();
	enum status status = live->tick(live->context, live->from_ns, to_ns);
	double late;

	live->due = false;
	live->from_ns = to_ns;
	late = os_seconds() - live->next;
	if (late >= 0)
		live->next += ((double)(int64_t)(late / live->interval_s) + 1) *
			      live->interval_s;
	return status;
}

/* input_pull_fn: what the rings give, however little that is. */
static ptrdiff_t pull(void *context, uint8_t *to, size_t room)
{
	struct live *live = context;
	enum status status = ST_OK;
	size_t part;

	if (live->failed)
		return -1;
	if (live->taken == live->queue.size) {
		live->taken = 0;
		bytes_clear(&live->queue);
	}
	while (live->queue.size == 0 && status == ST_OK && !live->over)
		status = live->due ? end_interval(live) : record_some(live);
	live->failed = status != ST_OK;
	if (live->failed)
		return -1;
	part = live->queue.size - live->taken;
	part = part < room ? part : room;
	if (part)
		memcpy(to, live->queue.data + live->taken, part);
	live->taken += part;
	return (ptrdiff_t)part;
}

enum status live_open(struct live *live, const struct recorder_options *options,
		      const struct reader_options *reading, struct reader *reader)
{
	struct error error = { .status = ST_OK };
	enum status status = recorder_open(&live->recorder, options, &error);

	live->reader = reader;
	if (status == ST_OK) {
		perf_writer_open_memory(&live->writer, &live->queue, &error);
		status = recorder_begin(&live->recorder, &live->writer);
	}
	if (status == ST_OK) {
		live->from_ns = monotonic_ns();
		live->next = os_seconds() + live->interval_s;
		live->end = os_seconds() + live->seconds;
		status = reader_open_live(reader, "live", pull, live, reading,
					  all_formats);
	} else {
		*reader = (struct reader){ .path = "live" };
		reader->error = error;
	}
	/* From now on failures are the reader's. */
	live->recorder.error = live->writer.error = &reader->error;
	return status;
}

void live_close(struct live *live)
{
	perf_writer_close(&live->writer);
	recorder_close(&live->recorder);
	bytes_release(&live->queue);
}
