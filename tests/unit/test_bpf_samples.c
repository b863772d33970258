/*
 * test_bpf_samples.c - tools/capture/linux/bpf/samples.h: the records that are made of
 * what BPF programs send, byte by byte; and what the reader makes of them is in
 * tests/cli/capture_via.sh.
 */
#include <string.h>

#include "capture/linux/bpf/samples.h"
#include "made_counters.h"
#include "unit.h"

/* Linux 6.18, x86-64. */
static const char format[] =
	"name: sched_switch\nID: 372\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid\n";

#define RAW_BYTES 68 /* 64, and with the size before it a multiple of 8 */

UNIT_TEST(layout)
{
	struct switch_layout layout;
	char *broken = unit_keep(strdup(format));

	assert_true(switch_layout_parse(&layout, format));
	assert_int_equal(layout.fields[FIELD_PREV_COMM].offset, 8);
	assert_int_equal(layout.fields[FIELD_PREV_STATE].size, 8);
	assert_int_equal(layout.fields[FIELD_NEXT_PRIO].offset, 60);
	assert_int_equal(layout.bytes, RAW_BYTES);
	assert_false(switch_layout_parse(&layout, ""));
	memcpy(strstr(broken, "next_pid;"), "other_id", 8);
	assert_false(switch_layout_parse(&layout, broken));
}

static const char irq_format[] =
	"name: irq_handler_entry\nID: 225\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"irq=%d name=%s\", REC->irq, __get_str(name)\n";
static const char softirq_format[] =
	"\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n";

UNIT_TEST(edge_layout)
{
	struct edge_layout layout = { .event = 0 };

	assert_true(edge_layout_parse(&layout, irq_format));
	assert_int_equal(layout.number.offset, 8);
	assert_int_equal(layout.name.offset, 12);
	assert_int_equal(layout.returned.size, 0);
	assert_int_equal(layout.bytes, 36); /* 16, the name, and up to 8 n - 4 */
	assert_true(edge_layout_parse(&layout, softirq_format));
	assert_int_equal(layout.name.size, 0);
	assert_int_equal(layout.bytes, 12);
	assert_true(edge_layout_parse(&layout,
				      "\tfield:int irq;\toffset:8;\tsize:4;\n"
				      "\tfield:int ret;\toffset:12;\tsize:4;\n"));
	assert_int_equal(layout.returned.offset, 12);
	assert_int_equal(layout.bytes, 20);
	assert_false(edge_layout_parse(&layout, format));
}

/* As include/trace/events/sched.h reports them. */
UNIT_TEST(states)
{
	assert_int_equal(switch_state(0, 0, false), 0);	   /* R */
	assert_int_equal(switch_state(0, 0, true), 0x100); /* R+ */
	assert_int_equal(switch_state(1, 0, true), 0x100); /* preempted before it slept */
	assert_int_equal(switch_state(0x2001, 0, false), 1);   /* S, freezable */
	assert_int_equal(switch_state(2, 0, false), 2);	       /* D */
	assert_int_equal(switch_state(0x102, 0, false), 2);    /* killable */
	assert_int_equal(switch_state(0x402, 0, false), 0x80); /* I */
	assert_int_equal(switch_state(0x1002, 0, false), 2);   /* waits for an RT lock */
	assert_int_equal(switch_state(0x80, 0x10, false), 0x10); /* X */
	assert_int_equal(switch_state(0x80, 0x20, false), 0x20); /* Z */
	assert_int_equal(switch_state(0x40, 0, false), 0x40);	 /* parked */
	/* Of several the highest one. */
	assert_int_equal(switch_state(0x3, 0, false), 2);
	assert_int_equal(switch_state(0x80, 0x30, false), 0x20);
	assert_int_equal(switch_state(0x5, 0x10, false), 0x10);
}

/* --- records --- */

struct made {
	struct made_counters counters;
	struct bpf_samples samples;
	struct bytes bytes;
	size_t at; /* the next record to look at */
	size_t cpu_places[MADE_CPUS];
	uint64_t lost[MADE_CPUS];
	struct bpf_counting counting[MADE_CPUS];
	uint64_t edge_counts[MADE_CPUS * BPF_EDGES_MAX];
};

static void setup(struct made *made)
{
	static const char *const names[] = { "task-clock", "cpu-clock" };

	made_counters_init(&made->counters, names, 2);
	made->counters.counters.supports.lost = true;
	made->counters.counters.events[0].attr.config = 372;
	made->cpu_places[1] = 1;
	made->samples = (struct bpf_samples){ .counters = &made->counters.counters,
					      .lost = made->lost,
					      .counting = made->counting,
					      .place = made->cpu_places,
					      .edge_counts = made->edge_counts,
					      .cpu_room = MADE_CPUS };
	assert_true(switch_layout_parse(&made->samples.layout, format));
}

static void teardown(struct made *made)
{
	made_counters_free(&made->counters);
	bytes_release(&made->bytes);
}

UNIT_FIXTURE(struct made, setup, teardown);

static struct bpf_record a_switch(void)
{
	return (struct bpf_record){
		.time_ns = 5000,
		.switches = 9,
		.kind = BPF_RECORD_SWITCH,
		.cpu = 1,
		.own_tid = 42,
		.own_pid = 41,
		.prev_state = 1,
		.prev = { 1042, 1041, 120, 0, "going" },
		.next = { 7, 7, 98, 0, "coming" },
		.words = { 600, 500, 77, 88 },
	};
}

static void next(struct made *made, void *value, size_t size)
{
	assert_true(made->at + size <= made->bytes.size);
	memcpy(value, made->bytes.data + made->at, size);
	made->at += size;
}

static uint64_t next_u64(struct made *made)
{
	uint64_t value;

	next(made, &value, sizeof(value));
	return value;
}

static uint32_t next_u32(struct made *made)
{
	uint32_t value;

	next(made, &value, sizeof(value));
	return value;
}

/* The header of the next record; returns its size. */
static size_t begins(struct made *made, uint32_t type)
{
	assert_int_equal(next_u32(made), type);
	return next_u32(made) >> 16;
}

static void has_thread(struct made *made)
{
	assert_int_equal(next_u32(made), 41);
	assert_int_equal(next_u32(made), 42);
}

static void has_time_and_cpu(struct made *made)
{
	assert_int_equal(next_u64(made), 5000);
	assert_int_equal(next_u64(made), 1);
}

static void has_values(struct made *made, uint64_t lost)
{
	const uint64_t values[] = { 9, 77, 88 };

	assert_int_equal(next_u64(made), 3);
	assert_int_equal(next_u64(made), 600);
	assert_int_equal(next_u64(made), 500);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(next_u64(made), values[i]);
		assert_int_equal(next_u64(made), made_id(i, 1));
		assert_int_equal(next_u64(made), i ? 0 : lost);
	}
}

UNIT_CASE(switch, struct made *made)
{
	const struct bpf_record record = a_switch();
	const uint8_t *raw;

	assert_int_equal(bpf_samples_put(&made->samples, &made->bytes, &record), 0);
	assert_int_equal(begins(made, PERF_RECORD_SAMPLE) & 7, 0);
	assert_int_equal(next_u64(made), made_id(0, 1));
	has_thread(made);
	has_time_and_cpu(made);
	has_values(made, 0);
	assert_int_equal(next_u32(made), RAW_BYTES);
	raw = made->bytes.data + made->at;
	assert_int_equal(made->at + RAW_BYTES, made->bytes.size);
	assert_int_equal(raw[0] | raw[1] << 8, 372);
	assert_memory_equal(raw + 4, &record.prev.tid, 4);
	assert_string_equal((const char *)raw + 8, "going");
	assert_memory_equal(raw + 24, &record.prev.tid, 4);
	assert_int_equal(raw[28], 120);
	assert_int_equal(raw[32], 1);
	assert_string_equal((const char *)raw + 40, "coming");
	assert_int_equal(raw[56], 7);
	assert_int_equal(raw[60], 98);
}

UNIT_CASE(read, struct made *made)
{
	struct bpf_record record = a_switch();
	size_t size;

	record.kind = BPF_RECORD_READ;
	(void)bpf_samples_put(&made->samples, &made->bytes, &record);
	size = begins(made, PERF_RECORD_READ);
	has_thread(made);
	has_values(made, 0);
	has_thread(made);
	has_time_and_cpu(made);
	assert_int_equal(next_u64(made), made_id(0, 1));
	assert_int_equal(made->at, size);
	assert_int_equal(made->at, made->bytes.size);
}

/* Out of our PID namespace, and idle, which is of every one. */
UNIT_CASE(stranger, struct made *made)
{
	struct bpf_record record = a_switch();

	record.kind = BPF_RECORD_READ;
	record.own_tid = record.own_pid = 0;
	(void)bpf_samples_put(&made->samples, &made->bytes, &record);
	(void)begins(made, PERF_RECORD_READ);
	assert_int_equal(next_u64(made), UINT64_MAX);
	made->bytes.size = made->at = 0;
	record.prev.tid = record.prev.pid = 0;
	(void)bpf_samples_put(&made->samples, &made->bytes, &record);
	(void)begins(made, PERF_RECORD_READ);
	assert_int_equal(next_u64(made), 0);
}

/* The first member becomes a tracepoint of interrupts, which the program counts. */
UNIT_CASE(edge, struct made *made)
{
	struct bpf_record record = a_switch();
	const uint8_t *raw;

	made->counters.list.events[0].is_edge = true;
	made->counters.counters.events[1].attr.config = 225;
	assert_true(
		edge_layout_parse(&made->samples.edges[BPF_EDGE_IRQ_ENTRY], irq_format));
	made->samples.edges[BPF_EDGE_IRQ_ENTRY].event = 1;
	record.kind = BPF_RECORD_EDGE;
	record.edge = (struct bpf_edge){ .program = BPF_EDGE_IRQ_ENTRY,
					 .number = 24,
					 .name = "virtio0-input.0" };
	record.words[2] = 88;
	for (int i = 0; i < 2; i++) {
		made->bytes.size = made->at = 0;
		(void)bpf_samples_put(&made->samples, &made->bytes, &record);
	}
	assert_int_equal(begins(made, PERF_RECORD_SAMPLE) & 7, 0);
	assert_int_equal(next_u64(made), made_id(1, 1));
	has_thread(made);
	has_time_and_cpu(made);
	made->at += 3 * 8;
	assert_int_equal(next_u64(made), 9); /* switches */
	made->at += 16;
	assert_int_equal(next_u64(made), 2); /* the second of its kind */
	assert_int_equal(next_u64(made), made_id(1, 1));
	made->at += 8;
	assert_int_equal(next_u64(made), 88);
	made->at += 16;
	assert_int_equal(next_u32(made), 36);
	raw = made->bytes.data + made->at;
	assert_int_equal(raw[0], 225);
	assert_int_equal(raw[8], 24);
	assert_int_equal(raw[12] | raw[13] << 8, 16); /* where the name is, */
	assert_int_equal(raw[14] | raw[15] << 8, 16); /* how long, with its end */
	assert_string_equal((const char *)raw + 16, "virtio0-input.0");
	assert_int_equal(made->at + 36, made->bytes.size);
	/* A program that no tracepoint has. */
	made->bytes.size = 0;
	record.edge.program = 7;
	(void)bpf_samples_put(&made->samples, &made->bytes, &record);
	record.edge.program = BPF_EDGES_MAX;
	(void)bpf_samples_put(&made->samples, &made->bytes, &record);
	assert_int_equal(made->bytes.size, 0);
}

/* Lost records are reported once, before the next record of their CPU, or at the end. */
UNIT_CASE(losses, struct made *made)
{
	struct bpf_record record = a_switch();
	size_t size;

	record.lost = 3;
	assert_int_equal(bpf_samples_put(&made->samples, &made->bytes, &record), 3);
	size = begins(made, PERF_RECORD_LOST);
	assert_int_equal(next_u64(made), made_id(0, 1));
	assert_int_equal(next_u64(made), 3);
	has_thread(made);
	has_time_and_cpu(made);
	assert_int_equal(next_u64(made), made_id(0, 1));
	assert_int_equal(made->at, size);
	(void)begins(made, PERF_RECORD_SAMPLE);
	made->at += 32;
	has_values(made, 3);

	made->bytes.size = 0;
	assert_int_equal(bpf_samples_put(&made->samples, &made->bytes, &record), 0);
	made->bytes.size = made->at = 0;
	assert_int_equal(bpf_samples_lost(&made->samples, &made->bytes, 1, 6000, 5), 2);
	(void)begins(made, PERF_RECORD_LOST);
	made->bytes.size = 0;
	assert_int_equal(bpf_samples_lost(&made->samples, &made->bytes, 1, 6000, 5), 0);
	assert_int_equal(made->bytes.size, 0);
}

/* A CPU that is not recorded. */
UNIT_CASE(elsewhere, struct made *made)
{
	struct bpf_record record = a_switch();

	record.cpu = MADE_CPUS;
	assert_int_equal(bpf_samples_put(&made->samples, &made->bytes, &record), 0);
	assert_int_equal(made->bytes.size, 0);
}

/* --- a CPU that goes offline --- */

UNIT_CASE(offline, struct made *made)
{
	struct bpf_record record = a_switch();
	struct bpf_samples *samples = &made->samples;

	assert_false(bpf_samples_has_stopped(samples, &record));
	record.time_ns += 30000000;
	record.words[0] += 29999999;
	assert_false(bpf_samples_has_stopped(samples, &record));
	/* A clock may stand for a jiffy. */
	record.time_ns += 20000000;
	assert_false(bpf_samples_has_stopped(samples, &record));
	record.time_ns++;
	assert_true(bpf_samples_has_stopped(samples, &record));
	/* What another group or a new start counts does not bring it back. */
	record.words[0] += 50;
	assert_true(bpf_samples_has_stopped(samples, &record));
	record.cpu = 0;
	assert_false(bpf_samples_has_stopped(samples, &record));
	/* Programs that found no counters are not records that found no room. */
	assert_int_equal(bpf_samples_lost(samples, &made->bytes, 1, 6000, 5), 0);
	assert_int_equal(bpf_samples_lost(samples, &made->bytes, 0, 6000, 5), 5);
	bpf_samples_stop(samples, 0);
	assert_int_equal(bpf_samples_lost(samples, &made->bytes, 0, 6000, 9), 0);
	assert_true(bpf_samples_has_stopped(samples, &record));
}

/* The times of a control group do not rise while others run. */
UNIT_CASE(other_groups_run, struct made *made)
{
	struct bpf_record record = a_switch();

	made->counters.counters.request.follows_cgroup = true;
	assert_false(bpf_samples_has_stopped(&made->samples, &record));
	record.time_ns += 1000000000;
	assert_false(bpf_samples_has_stopped(&made->samples, &record));
}
