/*
 * Writer of the text that `xperf -a dumper` makes of a trace.  Lines come in about the
 * order of time and are put into it; the head of the file is written last, because it
 * tells what was lost.
 */
#ifndef XPERF_WRITE_H
#define XPERF_WRITE_H

#include <stdio.h>

#include "common/bytes.h"
#include "common/random.h"
#include "etw/clock.h"
#include "etw/facts.h"
#include "etw/forms.h"
#include "etw/ledger.h"

/* Lines that stay together, a Pmc and its CSwitch above all. */
struct xperf_lines {
	uint64_t us;
	unsigned cpu;
	bool loose; /* may stand before lines of other CPUs that are earlier */
	struct byte_buf text;
};

struct xperf {
	const struct etw_plan *plan;
	const struct etw_form *form;
	struct etw_ledger *ledger;
	const struct etw_clock *clock;
	struct rng rng;
	FILE *body; /* NULL: nothing is kept */
	struct xperf_lines *waiting;
	size_t waiting_count;
	size_t waiting_room;
	struct xperf_lines *loose;
	size_t loose_count;
	size_t loose_room;
	uint64_t last_us;
};

void xperf_open(struct xperf *xperf, const struct etw_plan *plan,
		const struct etw_form *form, struct etw_ledger *ledger,
		const struct etw_clock *clock, bool keep, uint64_t seed);

/* No line earlier than that will come. */
void xperf_advance(struct xperf *xperf, uint64_t us);

void xperf_close(struct xperf *xperf, const char *path, uint32_t events_lost,
		 uint32_t buffers_lost);

void xperf_put_switch(struct xperf *xperf, const struct etw_switch *sw);
void xperf_put_sample(struct xperf *xperf, const struct etw_stamp *stamp, size_t account);
void xperf_put_ready(struct xperf *xperf, const struct etw_stamp *stamp, size_t account,
		     size_t ready_account);
void xperf_put_interval(struct xperf *xperf, const struct etw_stamp *stamp,
			const struct etw_interval_facts *facts);
void xperf_put_strange(struct xperf *xperf, const struct etw_stamp *stamp);

/* In xperf_tasks.c. */
void xperf_put_process(struct xperf *xperf, const struct etw_stamp *stamp, enum verb verb,
		       const struct etw_process_facts *facts);
void xperf_put_thread(struct xperf *xperf, const struct etw_stamp *stamp, enum verb verb,
		      const struct etw_thread_facts *facts);

/* In xperf_head.c. */
void xperf_put_head(const struct etw_plan *plan, const struct etw_form *form,
		    uint64_t length_us, uint32_t events_lost, uint32_t buffers_lost,
		    struct byte_buf *out);

/* Lines are put into *text and handed over by xperf_add. */
void xperf_start(const struct xperf *xperf, struct byte_buf *text, const char *name,
		 uint64_t us);
void xperf_process(struct byte_buf *text, const char *image, uint32_t pid);
void xperf_end_line(const struct etw_form *form, struct byte_buf *text);
void xperf_add(struct xperf *xperf, uint64_t us, unsigned cpu, bool loose,
	       struct byte_buf *text);

#endif
