/* Switches on two kinds of cores, each with a PMU and a group of its own. */
#include "perf/build.h"

enum { KINDS = 2, KIND_EVENTS = 5, TYPE_HARDWARE = 0 };

#define HYBRID(type, config, period, id, name)                                    \
	{                                                                         \
		type, config, period,                                             \
			HAS_TID | HAS_TIME | HAS_CPU | HAS_READ | HAS_IDENTIFIER, \
			READ_GROUP_ID, SAMPLE_ID_ALL, id, name                    \
	}

/* CPU 0 is of one kind, CPU 1 of the other; the PMUs have the numbers 4 and 10. */
static const struct event hybrid_events[KINDS][KIND_EVENTS] = {
	{
		HYBRID(TYPE_SOFTWARE, CONTEXT_SWITCHES, 1, 91, "context-switches"),
		HYBRID(TYPE_SOFTWARE, TASK_CLOCK, 0, 92, "task-clock"),
		HYBRID(TYPE_HARDWARE, UINT64_C(4) << 32 | 1, 0, 93,
		       "cpu_core/instructions/"),
		HYBRID(TYPE_HARDWARE, UINT64_C(4) << 32 | 0, 0, 94, "cpu_core/cycles/"),
		HYBRID(TYPE_HARDWARE, UINT64_C(4) << 32 | 5, 0, 95,
		       "cpu_core/branch-misses/"),
	},
	{
		HYBRID(TYPE_SOFTWARE, CONTEXT_SWITCHES, 1, 96, "context-switches"),
		HYBRID(TYPE_SOFTWARE, TASK_CLOCK, 0, 97, "task-clock"),
		HYBRID(TYPE_HARDWARE, UINT64_C(10) << 32 | 1, 0, 98,
		       "cpu_atom/instructions/"),
		HYBRID(TYPE_HARDWARE, UINT64_C(10) << 32 | 0, 0, 99, "cpu_atom/cycles/"),
		HYBRID(TYPE_HARDWARE, UINT64_C(10) << 32 | 4, 0, 100,
		       "cpu_atom/branches/"),
	},
};

/* What a thread costs in a microsecond of each kind, in the order of the events. */
static const uint64_t hybrid_rates[KINDS][KIND_EVENTS] = {
	{ 0, 1000, 4000, 2000, 7 },
	{ 0, 1000, 1500, 1000, 300 },
};

/* The n-th switch of a kind's CPU, 5 us after the one before. */
static void put_hybrid_switch(struct byte_buf *out, size_t kind, uint32_t tid, uint64_t n)
{
	const struct event *events = hybrid_events[kind];
	size_t start = begin_record(out, RECORD_SAMPLE);

	BUF(out, "8448448", events[0].id, tid, tid, 5000 * n + kind, kind, 0,
	    (uint64_t)KIND_EVENTS);
	for (size_t i = 0; i < KIND_EVENTS; i++)
		BUF(out, "88", i ? 5 * n * hybrid_rates[kind][i] : n, events[i].id);
	end_record(out, start);
}

void put_hybrid(struct byte_buf *out)
{
	put_pipe_header(out);
	for (size_t kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; i < KIND_EVENTS; i++) {
			put_attr_record(out, &hybrid_events[kind][i]);
			put_name_update(out, &hybrid_events[kind][i]);
		}
	put_comm(out, &hybrid_events[0][0], 500, 501, "both");
	put_comm(out, &hybrid_events[0][0], 500, 502, "core");
	put_comm(out, &hybrid_events[0][0], 500, 503, "atom");
	for (uint64_t n = 1; n <= 8; n++) {
		put_hybrid_switch(out, 0, n % 2 ? 501 : 502, n);
		put_hybrid_switch(out, 1, n % 2 ? 503 : 501, n);
	}
}
