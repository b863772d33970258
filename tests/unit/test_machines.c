/* test_machines.c - tools/convert/machines.h: --host, --wall and --shift of a trace. */
#include "convert/machines.h"

#include "unit.h"

#define S INT64_C(1000000000)

static void add(struct option_texts *texts, const char *text)
{
	texts->texts[texts->count++] = text;
}

static struct trace_row trace_of(const char *host)
{
	return (struct trace_row){
		.host = host ? str_of(host) : STR_NONE,
		.first_ns = 100,
		.wall_offset_ns = 10 * S,
		.wall_offset_end_ns = 11 * S,
	};
}

/* An input may have a "=" in its name. */
UNIT_TEST(hosts)
{
	struct machines machines = { .hosts = { .count = 0 } };
	struct trace_row trace = trace_of("lab");

	add(&machines.hosts, "a.data=one");
	add(&machines.hosts, "a.data=b=two");
	machines_apply(&machines, "a.data", &trace);
	ASSERT_STR(trace.host, "one");
	machines_apply(&machines, "a.data=b", &trace);
	ASSERT_STR(trace.host, "two");
	trace = trace_of("lab");
	machines_apply(&machines, "a", &trace);
	ASSERT_STR(trace.host, "lab");
	assert_int_equal(trace.wall_offset_ns, 10 * S);
	assert_int_equal(trace.wall_offset_end_ns, 11 * S);
}

/* A clock that was given is right at the first moment, and does not drift. */
UNIT_TEST(walls)
{
	struct machines machines = { .hosts = { .count = 0 } };
	struct trace_row trace = trace_of("lab");

	add(&machines.walls, "a.data=1970-01-01T00:00:05Z");
	machines_apply(&machines, "a.data", &trace);
	assert_int_equal(trace.wall_offset_ns, 5 * S - 100);
	assert_int_equal(trace.wall_offset_end_ns, INT_NONE);
	trace = trace_of("lab");
	trace.first_ns = INT_NONE;
	machines_apply(&machines, "a.data", &trace);
	assert_int_equal(trace.wall_offset_ns, 10 * S);
	assert_int_equal(trace.wall_offset_end_ns, 11 * S);
}

/* Both ends move, of the host as it is called now, if they are known. */
UNIT_TEST(shifts)
{
	struct machines machines = { .hosts = { .count = 0 } };
	struct trace_row trace = trace_of("lab");

	add(&machines.hosts, "a.data=web");
	add(&machines.shifts, "web=-250ms");
	add(&machines.shifts, "lab=1s");
	add(&machines.shifts, "we=1s");
	machines_apply(&machines, "a.data", &trace);
	assert_int_equal(trace.wall_offset_ns, 10 * S - S / 4);
	assert_int_equal(trace.wall_offset_end_ns, 11 * S - S / 4);
	assert_true(machines.shifted[0]);
	assert_false(machines.shifted[1]);
	assert_false(machines.shifted[2]);
	trace = trace_of("lab");
	trace.wall_offset_ns = trace.wall_offset_end_ns = INT_NONE;
	machines_apply(&machines, "b.data", &trace);
	assert_int_equal(trace.wall_offset_ns, INT_NONE);
	assert_int_equal(trace.wall_offset_end_ns, INT_NONE);
	assert_true(machines.shifted[1]);
	trace = trace_of(NULL);
	machines_apply(&machines, "b.data", &trace);
	assert_int_equal(trace.wall_offset_ns, 10 * S);
}
