/*
 * perf_ahead.c - task records before the samples that need them.
 *
 * A file is written ring by ring: what CPU 1 did stands behind what CPU 0 did later.  So
 * the FORK of a thread may stand behind its first switches, and where a tid is used again
 * those would be charged to the thread that had it before.  perf's answer is to sort;
 * here only COMM, FORK and EXIT, which are few, are handed out early and in order of
 * time: the headers of what is buffered are looked through, and samples are read only as
 * far as everything that can belong before them has been seen.
 *
 * FINISHED_ROUND says what that is: behind the end of a round comes nothing older than
 * the newest of the round before it.  Where two rounds do not fit the buffer, an eighth
 * of the buffer (512 KiB) is kept ahead instead.
 */
#include <stdlib.h>

#include "readers/perf.h"

static bool is_task_record(uint32_t type)
{
	return type == PERF_RECORD_COMM || type == PERF_RECORD_EXIT ||
	       type == PERF_RECORD_FORK;
}

static bool note_task(struct perf *perf, const uint8_t *at,
		      const struct perf_header *header, uint64_t offset)
{
	struct perf_ahead *ahead = &perf->ahead;
	int64_t ts_ns = perf_task_time(perf, at, header);

	if (ahead->count == ahead->room) {
		size_t room = ahead->room ? ahead->room * 2 : 256;
		struct perf_task *tasks = realloc(ahead->tasks, room * sizeof(*tasks));

		if (!tasks)
			return false;
		ahead->tasks = tasks;
		ahead->room = room;
	}
	/* A record without a time belongs where it stands: behind the one before it. */
	if (ts_ns == INT_NONE)
		ts_ns = ahead->count ? ahead->tasks[ahead->count - 1].ts_ns : 0;
	ahead->tasks[ahead->count++] = (struct perf_task){ ts_ns, offset };
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_task *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Looks at the headers from ahead->scanned on; false: one of them cannot be. */
static bool scan(struct perf *perf, const struct input *in, uint64_t limit)
{
	struct perf_ahead *ahead = &perf->ahead;

	while (ahead->scanned < limit &&
	       limit - ahead->scanned >= PERF_RECORD_HEADER_BYTES) {
		const uint8_t *at = in->pos + (ahead->scanned - in->offset);
		struct perf_header header = perf_header_read(at);

		if (header.size < PERF_RECORD_HEADER_BYTES)
			return false;
		if (header.size > limit - ahead->scanned)
			break; /* the rest of it is not here yet */
		if (is_task_record(header.type) &&
		    !note_task(perf, at, &header, ahead->scanned))
			return false;
		ahead->scanned += header.size;
		if (header.type == PERF_RECORD_FINISHED_ROUND) {
			ahead->round_before = ahead->round;
			ahead->round = ahead->scanned;
		} else if (perf_has_payload(header.type)) {
			uint64_t payload = perf_payload_size(&header, at);

			if (payload > UINT64_MAX - ahead->scanned)
				return false;
			ahead->scanned += payload;
		}
	}
	return true;
}

void perf_look_ahead(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct perf_ahead *ahead = &perf->ahead;
	struct input *in = &reader->input;
	uint64_t left = perf->data_end - in->offset;
	size_t wanted = left < INPUT_BUFFER_BYTES ? (size_t)left : INPUT_BUFFER_BYTES;
	size_t have = input_peek_some(in, wanted);
	uint64_t limit = in->offset + (have < wanted ? have : wanted);

	ahead->count = ahead->next = 0;
	if (ahead->scanned < in->offset)
		ahead->scanned = in->offset;
	if (!scan(perf, in, limit) || have < wanted || limit == perf->data_end)
		ahead->safe = UINT64_MAX;
	else if (ahead->round_before > in->offset)
		ahead->safe = ahead->round_before;
	else
		ahead->safe = in->offset + have / 8 * 7;
	if (ahead->count > 1)
		qsort(ahead->tasks, ahead->count, sizeof(*ahead->tasks), by_time);
}
