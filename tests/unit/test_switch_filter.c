/* test_switch_filter.c - tools/capture/linux/recorder/switch_filter.h: which
 * SWITCH records say nothing new. */
#include "capture/linux/recorder/switch_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "unit.h"

#define RING_BYTES 65536u
#define CPUS 2
#define MEMBERS 3

struct fixture {
	int cpus[CPUS];
	struct counters counters;
	struct filter filter;
};

/* The tracepoint's format; next_pid is where this test wants it. */
static void write_format(const char *field)
{
	unit_folder("events/sched/sched_switch");
	unit_write_file(unit_path("events/sched/sched_switch/format"), field,
			strlen(field));
}

static void setup(struct fixture *f)
{
	f->counters.tracepoint_leads = true;
	f->counters.supports.lost = true;
	f->counters.request.cpus = (struct cpu_list){ f->cpus, CPUS };
	f->counters.request.tracefs = unit_directory();
	write_format("name: sched_switch\nID: 300\nformat:\n"
		     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		     "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n");
}

static void teardown(struct fixture *f)
{
	switch_filter_close(&f->filter);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* --- records as the kernel writes them --- */

static size_t begin(struct bytes *to, uint32_t type, uint16_t misc)
{
	size_t start = to->size;

	bytes_u32(to, type);
	bytes_u16(to, misc);
	bytes_u16(to, 0);
	return start;
}

static void end(struct bytes *to, size_t start)
{
	uint16_t size = (uint16_t)(to->size - start);

	assert_int_equal(size % 8, 0);
	memcpy(to->data + start + 6, &size, sizeof(size));
}

static void put_trailer(struct bytes *to, uint32_t tid)
{
	bytes_u32(to, tid);
	bytes_u32(to, tid);
	bytes_u64(to, 1);
	bytes_u64(to, 0);
	bytes_u64(to, 7);
}

static void put_sample(struct bytes *to, uint32_t prev, uint32_t next, bool lost)
{
	size_t start = begin(to, PERF_RECORD_SAMPLE, 0);

	bytes_u64(to, 7);
	bytes_u32(to, prev);
	bytes_u32(to, prev);
	bytes_u64(to, 1);
	bytes_u64(to, 0);
	bytes_u64(to, MEMBERS);
	bytes_zero(to, 16 + MEMBERS * (lost ? 24 : 16));
	bytes_u32(to, 68);
	bytes_zero(to, 24);
	bytes_u32(to, prev);
	bytes_zero(to, 28);
	bytes_u32(to, next);
	bytes_zero(to, 8);
	end(to, start);
}

static void put_switch(struct bytes *to, uint32_t who, uint32_t other, bool is_out)
{
	size_t start = begin(to, PERF_RECORD_SWITCH_CPU_WIDE,
			     is_out ? PERF_RECORD_MISC_SWITCH_OUT : 0);

	bytes_u32(to, other);
	bytes_u32(to, other);
	put_trailer(to, who);
	end(to, start);
}

/* A record with nothing in it that matters. */
static void put_other(struct bytes *to, uint32_t type)
{
	size_t start = begin(to, type, 0);

	bytes_zero(to, 16);
	put_trailer(to, 1);
	end(to, start);
}

/*
 * One word a record: S1>2 a sample, O1>2 a SWITCH out, I2<1 a SWITCH in, L LOST, l
 * LOST_SAMPLES, C COMM.
 */
static void put(struct bytes *to, const char *word, bool lost)
{
	uint32_t who = 0, other = 0;

	(void)sscanf(word + 1, "%u%*c%u", &who, &other);
	switch (word[0]) {
	case 'S':
		put_sample(to, who, other, lost);
		break;
	case 'O':
	case 'I':
		put_switch(to, who, other, word[0] == 'O');
		break;
	default:
		put_other(to, word[0] == 'L'   ? PERF_RECORD_LOST
			      : word[0] == 'l' ? PERF_RECORD_LOST_SAMPLES
					       : PERF_RECORD_COMM);
	}
}

static _Alignas(8) uint8_t ring_data[RING_BYTES];

/* Which records of a CPU are kept: those words again. */
static const char *kept(struct fixture *f, size_t cpu, const char *words, bool lost,
			uint64_t tail)
{
	static char text[512];
	char copy[512], *rest = copy, *word;
	struct ring ring = { .data = ring_data, .size = RING_BYTES, .tail = tail };

	text[0] = '\0';
	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, " "))) {
		struct bytes record = { .data = NULL };
		struct perf_event_header header;

		put(&record, word, lost);
		memcpy(&header, record.data, sizeof(header));
		for (size_t i = 0; i < record.size; i++)
			ring_data[(tail + i) % RING_BYTES] = record.data[i];
		ring.tail = tail;
		if (switch_filter_keeps(&f->filter, cpu, &ring, 0, &header))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 text[0] ? " " : "", word);
		tail += record.size;
		bytes_release(&record);
	}
	return text;
}

static const struct {
	int line;
	const char *records, *kept;
} runs[] = {
	/* every switch is sampled: SWITCH records repeat it */
	{ ROW, "S1>2 O1>2 I2<1 S2>3 O2>3 I3<2", "S1>2 S2>3" },
	{ ROW, "S1>0 O1>0 I0<1 S0>2 O0>2 I2<0", "S1>0 S0>2" },
	/* the way out of idle is not sampled, or any other one */
	{ ROW, "S1>0 O1>0 I0<1 O0>2 I2<0 S2>1 O2>1 I1<2", "S1>0 O0>2 I2<0 S2>1" },
	{ ROW, "S1>2 O1>2 I2<1 O2>3 I3<2 S3>1", "S1>2 O2>3 I3<2 S3>1" },
	/* and they go round, back to the one that the sample named */
	{ ROW, "S1>2 O1>2 I2<1 O2>3 I3<2 O3>2 I2<3 S2>1",
	  "S1>2 O2>3 I3<2 O3>2 I2<3 S2>1" },
	/* another one than the sample said */
	{ ROW, "S1>2 O1>3 I3<1 O3>2 I2<3", "S1>2 O1>3 I3<1 O3>2 I2<3" },
	/* one of the two is missing */
	{ ROW, "S1>2 I2<1 S2>1 O2>1 S1>2 I2<1", "S1>2 S2>1 S1>2" },
	{ ROW, "S1>2 O1>2 I2<1 I2<1", "S1>2 I2<1" },
	/* several groups sample the same switch */
	{ ROW, "S1>2 S1>2 O1>2 I2<1 S2>1 S2>1 O2>1 I1<2", "S1>2 S1>2 S2>1 S2>1" },
	/* nothing is known before the first sample, or after a loss */
	{ ROW, "O1>2 I2<1 S2>1 O2>1 I1<2", "O1>2 I2<1 S2>1" },
	{ ROW, "I0<0", "I0<0" },
	{ ROW, "S1>2 L O1>2 I2<1", "S1>2 L O1>2 I2<1" },
	{ ROW, "S1>2 l O1>2 I2<1", "S1>2 l O1>2 I2<1" },
	{ ROW, "S1>2 C O1>2 C I2<1 C", "S1>2 C C C" },
};

static bool open_filter(struct fixture *f)
{
	assert_true(switch_filter_open(&f->filter, &f->counters));
	return f->filter.works;
}

UNIT_CASE(runs, struct fixture *f)
{
	if (permissions_in_pid_namespace())
		skip();
	for (size_t i = 0; i < COUNT(runs); i++)
		for (int lost = 0; lost < 2; lost++) {
			f->counters.supports.lost = lost;
			ROW_TRUE(&runs[i], open_filter(f));
			ROW_TEXT(&runs[i], kept(f, 0, runs[i].records, lost, 0),
				 runs[i].kept);
			switch_filter_close(&f->filter);
			/* the same around the ring's end */
			ROW_TRUE(&runs[i], open_filter(f));
			ROW_TEXT(&runs[i],
				 kept(f, 0, runs[i].records, lost, RING_BYTES - 120),
				 runs[i].kept);
			switch_filter_close(&f->filter);
		}
}

/* Each CPU is a story of its own. */
UNIT_CASE(cpus, struct fixture *f)
{
	if (permissions_in_pid_namespace())
		skip();
	assert_true(open_filter(f));
	assert_string_equal(kept(f, 0, "S1>2", true, 0), "S1>2");
	assert_string_equal(kept(f, 1, "O1>2 I2<1", true, 0), "O1>2 I2<1");
	assert_string_equal(kept(f, 0, "O1>2 I2<1", true, 0), "");
}

/* Where it cannot be known who comes, all is kept. */
UNIT_TEST(does_not_work)
{
	static const pid_t tids[] = { 1 };
	struct fixture *f = *state;
	const char *all = "S1>2 O1>2 I2<1";

	f->counters.tracepoint_leads = false;
	assert_false(open_filter(f));
	assert_string_equal(kept(f, 0, all, true, 0), all);
	f->counters.tracepoint_leads = true;
	f->counters.request.tids = tids;
	assert_false(open_filter(f));
	f->counters.request.tids = NULL;
	write_format("name: sched_switch\n\tfield:int other;\toffset:8;\tsize:4;\n");
	assert_false(open_filter(f));
	write_format("\tfield:long next_pid;\toffset:56;\tsize:8;\tsigned:1;\n");
	assert_false(open_filter(f));
	write_format("\tfield:pid_t next_pid;\toffset:4000000000;\tsize:4;\n");
	assert_false(open_filter(f));
	f->counters.request.tracefs = "/nowhere";
	assert_false(open_filter(f));
	assert_string_equal(kept(f, 0, all, true, 0), all);
}

/* A sample that is too short for the field says nothing, whatever lies after it. */
UNIT_CASE(short, struct fixture *f)
{
	const uint32_t next = 2;

	if (permissions_in_pid_namespace())
		skip();
	write_format("\tfield:pid_t next_pid;\toffset:560;\tsize:4;\tsigned:1;\n");
	assert_true(open_filter(f));
	for (size_t i = 0; i < RING_BYTES; i += sizeof(next))
		memcpy(ring_data + i, &next, sizeof(next));
	assert_string_equal(kept(f, 0, "S1>2 O1>2 I2<1", true, 0), "S1>2 O1>2 I2<1");
}
