/* perf.data in the pipe form: sched_switch samples of a big machine, ring by ring. */
#include <string.h>

#include "growth/growth.h"

enum {
	HEADER_ATTR = 64,
	TRACING_DATA = 66,
	FINISHED_ROUND = 68,
	SAMPLE = 9,
	TRACEPOINT = 2, /* type of an event */
	RAW_TYPE = 4,
	SCHED_SWITCH = 314,
	FIRST_ID = 1000,
	ROUND_SWITCHES = 256, /* of a ring, in a round */
};

enum { IP = 1, TID = 2, TIME = 4, READ = 16, CPU = 128, PERIOD = 256, RAW = 1024 };

#define IDENTIFIER (1u << 16)
#define GROUP_WITH_IDS 12
#define SAMPLE_ID_ALL (1u << 18)

struct crowd {
	struct byte_buf *out;
	uint64_t threads, counters, cpus, switches;
	uint64_t random;
};

/* --- the head --- */

static size_t begin_record(struct byte_buf *out, uint32_t type)
{
	BUF(out, "422", type, 0, 0);
	return out->size - 8;
}

static void end_record(struct byte_buf *out, size_t at)
{
	buf_align(out, at, 8);
	buf_set_u16(out, at + 6, (uint16_t)(out->size - at));
}

static uint64_t id_of(const struct crowd *crowd, uint64_t counter, uint64_t cpu)
{
	return FIRST_ID + counter * crowd->cpus + cpu;
}

static void put_attr(const struct crowd *crowd, uint64_t counter)
{
	struct byte_buf *out = crowd->out;
	size_t at = begin_record(out, HEADER_ATTR);

	BUF(out, "448888884", counter ? RAW_TYPE : TRACEPOINT, 64,
	    counter ? counter : SCHED_SWITCH, 1,
	    IP | TID | TIME | READ | CPU | PERIOD | RAW | IDENTIFIER, GROUP_WITH_IDS,
	    SAMPLE_ID_ALL, 0, 0);
	buf_zero(out, 4);
	for (uint64_t cpu = 0; cpu < crowd->cpus; cpu++)
		buf_u64(out, id_of(crowd, counter, cpu));
	end_record(out, at);
}

static const char format[] =
	"name: sched_switch\nID: 314\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: x\n";

static void put_tracing_data(struct byte_buf *out)
{
	struct byte_buf data = { 0 };
	size_t at;

	buf_bytes(&data, "\x17\x08\x44tracing0.6\0\0\x08", 16);
	buf_u32(&data, 4096);
	buf_bytes(&data, "header_page\0", 12);
	buf_u64(&data, 0);
	buf_bytes(&data, "header_event\0", 13);
	BUF(&data, "844", 0, 0, 1);
	buf_bytes(&data, "sched\0", 6);
	BUF(&data, "48", 1, sizeof(format) - 1);
	buf_bytes(&data, format, sizeof(format) - 1);
	BUF(&data, "448", 0, 0, 0); /* no kallsyms, formats, command lines */
	at = begin_record(out, TRACING_DATA);
	buf_u32(out, (uint32_t)data.size);
	end_record(out, at);
	buf_append(out, &data);
	buf_align(out, 0, 8);
	buf_release(&data);
}

/* --- switches --- */

/* Knuth's MMIX generator; its high bits. */
static uint64_t draw(struct crowd *crowd, uint64_t below)
{
	crowd->random = crowd->random * 6364136223846793005u + 1442695040888963407u;
	return (crowd->random >> 33) % below;
}

/* Eight threads make a process. */
static uint32_t pid_of(uint32_t tid)
{
	return tid / 8 * 8;
}

static void put_side(struct byte_buf *out, uint32_t tid)
{
	char comm[16] = { 0 };

	snprintf(comm, sizeof(comm), "task-%u", pid_of(tid));
	buf_bytes(out, comm, sizeof(comm));
	BUF(out, "44", tid, 120);
}

struct ring {
	uint64_t time_ns, values[64];
	uint32_t tid; /* that runs */
};

static void put_switch(struct crowd *crowd, struct ring *ring, uint64_t cpu)
{
	struct byte_buf *out = crowd->out;
	uint32_t tid = ring->tid, next = 16 + (uint32_t)draw(crowd, crowd->threads);
	size_t at = begin_record(out, SAMPLE);

	ring->time_ns += 1000 + draw(crowd, 50000);
	ring->values[0]++;
	for (uint64_t i = 1; i < crowd->counters; i++)
		ring->values[i] += draw(crowd, 1u << 20);
	BUF(out, "88448448", id_of(crowd, 0, cpu), 0x401000, pid_of(tid), tid,
	    ring->time_ns, cpu, 0, 1);
	buf_u64(out, crowd->counters);
	for (uint64_t i = 0; i < crowd->counters; i++)
		BUF(out, "88", ring->values[i], id_of(crowd, i, cpu));
	BUF(out, "42114", 68, SCHED_SWITCH, 0, 0, tid);
	put_side(out, tid);
	buf_u64(out, 1); /* it sleeps */
	put_side(out, next);
	buf_zero(out, 4);
	end_record(out, at);
	ring->tid = next;
}

static void put_round(struct byte_buf *out)
{
	end_record(out, begin_record(out, FINISHED_ROUND));
}

static void write_crowd(struct crowd *crowd)
{
	struct ring rings[64] = { 0 };

	buf_bytes(crowd->out, "PERFILE2", 8);
	buf_u64(crowd->out, 16);
	for (uint64_t i = 0; i < crowd->counters; i++)
		put_attr(crowd, i);
	put_tracing_data(crowd->out);
	for (uint64_t cpu = 0; cpu < crowd->cpus; cpu++)
		rings[cpu] = (struct ring){ .time_ns = 1000000, .tid = 16 };
	for (uint64_t done = 0; done < crowd->switches; put_round(crowd->out))
		for (uint64_t cpu = 0; cpu < crowd->cpus; cpu++, done += ROUND_SWITCHES)
			for (int i = 0; i < ROUND_SWITCHES; i++)
				put_switch(crowd, &rings[cpu], cpu);
}

/* --- kinds --- */

/* Each of the threads is as likely as any other: the worst case for caches. */
static void write_many_threads(struct byte_buf *out, uint64_t count)
{
	write_crowd(&(struct crowd){ .out = out,
				     .threads = count,
				     .counters = 4,
				     .cpus = 64,
				     .switches = 2u << 20 });
}

/* For pages: what a person draws of a large machine. */
static void write_many_cpus(struct byte_buf *out, uint64_t count)
{
	write_crowd(&(struct crowd){ .out = out,
				     .threads = 400,
				     .counters = 3,
				     .cpus = count < 64 ? count : 64,
				     .switches = 10000000 });
}

static void write_many_counters(struct byte_buf *out, uint64_t count)
{
	write_crowd(&(struct crowd){ .out = out,
				     .threads = 4000,
				     .counters = count < 64 ? count : 64,
				     .cpus = 2,
				     .switches = 1u << 19 });
}

const struct growth crowd_growths[] = {
	{ "crowd", "data", "threads, two million switches", write_many_threads },
	{ "machine", "data", "CPUs, ten million switches of 400 threads",
	  write_many_cpus },
	{ "group", "data", "counters of a group, half a million switches",
	  write_many_counters },
	{ "", NULL, NULL, NULL },
};
