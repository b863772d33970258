/* totals_play.c - see totals_play.h. */
#include "totals_play.h"

#include "unit.h"

struct check {
	void (*inspect)(const struct totals *totals);
	int calls;
};

static enum status inspect_totals(void *context, struct sink *sink, struct totals *totals)
{
	struct check *check = context;

	(void)sink;
	check->inspect(totals);
	check->calls++;
	return ST_OK;
}

enum status totals_play(const struct row *rows, size_t count, int64_t from_ns,
			void (*inspect)(const struct totals *totals))
{
	static const struct trace_row end = { .trace_id = 1 };
	struct check check = { inspect, 0 };
	struct totals_sink *state;
	enum status status = ST_OK;
	struct sink sink;

	assert_int_equal(sink_open(&sink, &totals_sink_ops, NULL), ST_OK);
	state = sink.state;
	state->done = inspect_totals;
	state->context = &check;
	state->from_ns = from_ns;
	for (size_t i = 0; i < count && status == ST_OK; i++)
		status = sink_put(&sink, &(struct record){ .kind = rows[i].kind,
							   .data = rows[i].data });
	if (status == ST_OK)
		status = sink_put(&sink,
				  &(struct record){ .kind = RECORD_trace, .data = &end });
	assert_int_equal(check.calls, status == ST_OK);
	if (status == ST_CORRUPT)
		HAS(sink.error.text, "inconsistent totals in table ");
	sink_close(&sink);
	return status;
}
