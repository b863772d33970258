/*
 * The sched_switch tracepoint in several layouts: its format file, its RAW payload, and
 * the TRACING_DATA feature that carries the format file.
 */
#ifndef SCHED_FORMAT_H
#define SCHED_FORMAT_H

#include "common/bytes.h"
#include "trace/scenario.h"

struct sched_side {
	const char *comm;
	uint32_t pid;
	uint32_t prio;
};

struct sched_switch {
	struct sched_side prev;
	struct sched_side next;
	uint64_t prev_state;
};

/* The RAW field of a sample: u32 size, payload, padding to a multiple of 8 in all. */
void sched_put_raw(struct byte_buf *out, const struct scenario *scenario,
		   const struct sched_switch *event);

/* The payload of header feature TRACING_DATA. */
void sched_put_tracing_data(struct byte_buf *out, const struct scenario *scenario);

#endif
