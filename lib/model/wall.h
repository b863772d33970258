/*
 * wall.h - the time of day of a moment of a trace.
 *
 * The clocks are assumed to drift evenly between the beginning and the end of a trace,
 * where the time of day was recorded.  The view switch_utc in schema/views.sql computes
 * the same.
 */
#ifndef PERFTAB_WALL_H
#define PERFTAB_WALL_H

#include "base/wrap.h"
#include "model/record.h"

/* Maximum of drift: a clock that moved more was set. */
#define WALL_DRIFT_MAX_NS INT64_C(3600000000000)

struct wall {
	int64_t offset_ns; /* INT_NONE: the time of day is not known */
	int64_t first_ns;
	double length_ns, drift_ns; /* 0: no drift */
};

static inline struct wall wall_of(const struct trace_row *trace)
{
	struct wall wall = { .offset_ns = trace->wall_offset_ns };
	int64_t drift, length;

	if (trace->wall_offset_ns == INT_NONE || trace->wall_offset_end_ns == INT_NONE ||
	    trace->first_ns == INT_NONE || trace->last_ns == INT_NONE ||
	    __builtin_sub_overflow(trace->wall_offset_end_ns, trace->wall_offset_ns,
				   &drift) ||
	    __builtin_sub_overflow(trace->last_ns, trace->first_ns, &length) ||
	    length <= 0 || drift > WALL_DRIFT_MAX_NS || drift < -WALL_DRIFT_MAX_NS)
		return wall;
	wall.first_ns = trace->first_ns;
	wall.length_ns = (double)length;
	wall.drift_ns = (double)drift;
	return wall;
}

/* Returns nanoseconds since 1970; INT_NONE: unknown. */
static inline int64_t wall_utc(const struct wall *wall, int64_t ts_ns)
{
	double drift;

	if (ts_ns == INT_NONE || wall->offset_ns == INT_NONE)
		return INT_NONE;
	ts_ns = wrap_add(ts_ns, wall->offset_ns);
	if (wall->drift_ns == 0)
		return ts_ns;
	drift = (double)wrap_sub(wrap_sub(ts_ns, wall->offset_ns), wall->first_ns) /
		wall->length_ns * wall->drift_ns;
	return drift > -9e18 && drift < 9e18 ? wrap_add(ts_ns, (int64_t)drift) : ts_ns;
}

#endif
