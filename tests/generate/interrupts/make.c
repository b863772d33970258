/*
 * make.c - make_interrupts DIRECTORY SEED SWITCHES: a perf.data whose group of counters
 * is read where interrupts begin and end, and what each of them costs.
 *
 * interrupts.data has no feature sections; the formats of its tracepoints are in
 * DIRECTORY/events.  interrupts.truth has a line for each kind and vector (kind, vector,
 * charged to, how many, counts), for each thread and for what cannot be proven.
 * Planted: an exit without its entry, and records lost inside an irq.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/bytes.h"
#include "common/random.h"

enum { CPUS = 2, THREADS = 5, VECTORS = 64 };
enum event { SWITCH, IRQ_ENTRY, IRQ_EXIT, SOFTIRQ_ENTRY, SOFTIRQ_EXIT, CYCLES, EVENTS };

#define SAMPLE_TYPE 0x10496u /* IDENTIFIER RAW CPU READ TIME TID */
#define GROUP_AND_ID 0xcu
#define SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define ATTR_BYTES 112
#define HEADER_BYTES 104

/* Whose it is: irqs, softirqs that interrupt, softirqs of the thread itself. */
enum kind { IRQ, SOFTIRQ, OWN_SOFTIRQ, KINDS };

struct sum {
	uint64_t count, cycles;
};

struct cpu {
	uint64_t values[EVENTS];
	uint64_t last; /* CYCLES as recorded last */
	uint64_t time_ns;
	uint32_t tid;
	bool has_lost; /* a record */
};

static struct cpu cpus[CPUS];
static struct sum sums[KINDS][VECTORS];
static uint64_t threads[THREADS + 1], unattributed;
static struct byte_buf data;
static struct rng numbers;

static uint64_t below(uint64_t limit)
{
	return rng_range(&numbers, 0, limit - 1);
}

static uint64_t id_of(enum event event, size_t cpu)
{
	return 100 + event * 10 + cpu;
}

/* --- records --- */

static void put_trailing(size_t at, uint64_t id)
{
	const struct cpu *cpu = &cpus[at];

	BUF(&data, "448448", cpu->tid, cpu->tid, cpu->time_ns, at, 0, id);
}

/* The size of a record comes after it. */
static size_t begin(uint32_t type)
{
	BUF(&data, "422", type, 1, 0);
	return data.size - 8;
}

static void end(size_t start)
{
	buf_set_u16(&data, start + 6, (uint16_t)(data.size - start));
}

static size_t begin_sample(enum event event, size_t at)
{
	struct cpu *cpu = &cpus[at];
	size_t start = begin(9);

	cpu->values[event]++;
	BUF(&data, "8448448", id_of(event, at), cpu->tid, cpu->tid, cpu->time_ns, at, 0,
	    EVENTS);
	for (int i = 0; i < EVENTS; i++)
		BUF(&data, "88", cpu->values[i], id_of((enum event)i, at));
	return start;
}

/* What was counted since the last record, which are charged at once. */
static uint64_t segment(size_t at)
{
	uint64_t cycles = cpus[at].values[CYCLES] - cpus[at].last;

	cpus[at].last = cpus[at].values[CYCLES];
	return cycles;
}

static void put_edge(enum event event, size_t at, uint32_t vector)
{
	size_t start = begin_sample(event, at);

	if (event == IRQ_ENTRY) /* a name follows the fields */
		BUF(&data, "42114444", 20, 10 + event, 0, 0, cpus[at].tid, vector,
		    16 | 4 << 16, 0x006b7364 /* "dsk" */);
	else
		BUF(&data, "42114444", 20, 10 + event, 0, 0, cpus[at].tid, vector, 0, 0);
	end(start);
}

static void put_switch(size_t at, uint32_t next)
{
	size_t start = begin_sample(SWITCH, at);
	char comm[16] = "worker";

	BUF(&data, "42114", 68, 10 + SWITCH, 0, 0, cpus[at].tid);
	buf_bytes(&data, comm, sizeof(comm));
	BUF(&data, "448", cpus[at].tid, 120, 0);
	buf_bytes(&data, comm, sizeof(comm));
	BUF(&data, "444", next, 120, 0);
	end(start);
	cpus[at].tid = next;
}

static void put_lost(size_t at)
{
	size_t start = begin(2);

	BUF(&data, "88", id_of(SWITCH, at), 1);
	put_trailing(at, id_of(SWITCH, at));
	end(start);
}

/* --- what happens --- */

static void run(size_t at, uint64_t ns)
{
	cpus[at].time_ns += ns;
	cpus[at].values[CYCLES] += 1 + below(1000000);
}

static void charge_thread(size_t at)
{
	threads[cpus[at].tid] += segment(at);
}

static void irq(size_t at, uint32_t vector)
{
	put_edge(IRQ_ENTRY, at, vector);
	run(at, 500 + below(3000));
	sums[IRQ][vector].cycles += segment(at);
	sums[IRQ][vector].count++;
	put_edge(IRQ_EXIT, at, vector);
}

/* Its own softirqs are in a thread's line as well. */
static void charge_softirq(size_t at, uint32_t vector, enum kind kind)
{
	uint64_t cycles = segment(at);

	sums[kind][vector].cycles += cycles;
	if (kind == OWN_SOFTIRQ)
		threads[cpus[at].tid] += cycles;
}

/* Perhaps interrupted itself. */
static void softirq(size_t at, uint32_t vector, enum kind kind)
{
	put_edge(SOFTIRQ_ENTRY, at, vector);
	run(at, 500 + below(5000));
	charge_softirq(at, vector, kind);
	if (below(4) == 0) {
		irq(at, 20 + (uint32_t)below(3));
		run(at, 300);
		charge_softirq(at, vector, kind);
	}
	sums[kind][vector].count++;
	put_edge(SOFTIRQ_EXIT, at, vector);
}

/* An irq, and softirqs in the order of their numbers on its way out. */
static void irq_and_softirqs(size_t at)
{
	irq(at, 20 + (uint32_t)below(3));
	for (uint32_t vector = (uint32_t)below(10); vector < 10;
	     vector += 1 + (uint32_t)below(9)) {
		run(at, 300 + below(1500));
		charge_thread(at);
		softirq(at, vector, SOFTIRQ);
	}
}

/* The exit of an irq that did not begin. */
static void unbalanced_exit(size_t at)
{
	unattributed += segment(at);
	put_edge(IRQ_EXIT, at, 29);
}

/* Records are lost in an irq, its end among them; a softirq shows where the CPU is. */
static void lost_window(size_t at)
{
	charge_thread(at);
	put_edge(IRQ_ENTRY, at, 21);
	run(at, 2000);
	cpus[at].values[IRQ_EXIT]++;
	put_lost(at);
	run(at, 2000);
	unattributed += segment(at);
	softirq(at, 4, SOFTIRQ);
}

static void interval(size_t at, uint64_t number)
{
	for (uint64_t i = below(4); i > 0; i--) {
		uint64_t what = below(10);

		run(at, 30000 + below(100000));
		if (number % 50 == 17 && i == 1) {
			lost_window(at);
		} else if (number % 50 == 3 && i == 1) {
			unbalanced_exit(at);
		} else if (what < 6) {
			charge_thread(at);
			irq_and_softirqs(at);
		} else {
			charge_thread(at);
			softirq(at, (uint32_t)below(10), OWN_SOFTIRQ);
		}
	}
	run(at, 30000 + below(100000));
	charge_thread(at);
}

/* --- files --- */

static void put_attrs(struct byte_buf *file, size_t ids_at)
{
	for (uint64_t i = 0; i < EVENTS; i++) {
		size_t start = file->size;

		BUF(file, "44888888", i == CYCLES ? 0 : 2, ATTR_BYTES,
		    i == CYCLES ? 0 : 10 + i, i == CYCLES ? 0 : 1, SAMPLE_TYPE,
		    GROUP_AND_ID, SAMPLE_ID_ALL, 0);
		buf_zero(file, start + ATTR_BYTES - file->size);
		BUF(file, "88", ids_at + i * CPUS * 8, CPUS * 8);
	}
	for (int i = 0; i < EVENTS; i++)
		for (size_t c = 0; c < CPUS; c++)
			buf_u64(file, id_of((enum event)i, c));
}

static void save_trace(const char *directory)
{
	size_t attrs = EVENTS * (ATTR_BYTES + 16);
	size_t start = HEADER_BYTES + attrs + EVENTS * CPUS * 8;
	struct byte_buf file = { .data = NULL };
	char path[4096];

	buf_bytes(&file, "PERFILE2", 8);
	BUF(&file, "88888888", HEADER_BYTES, ATTR_BYTES + 16, HEADER_BYTES, attrs, start,
	    data.size, 0, 0);
	buf_zero(&file, 32);
	put_attrs(&file, HEADER_BYTES + attrs);
	buf_append(&file, &data);
	snprintf(path, sizeof(path), "%s/interrupts.data", directory);
	file_save(path, &file);
	buf_release(&file);
}

static void save_truth(const char *directory)
{
	static const char *const kinds[] = { "irq", "softirq", "softirq" };
	struct byte_buf text = { .data = NULL };
	char path[4096];

	for (int k = 0; k < KINDS; k++)
		for (int v = 0; v < VECTORS; v++)
			if (sums[k][v].count)
				buf_text(&text, "%s,%d,%s,%llu,%llu\n", kinds[k], v,
					 k == OWN_SOFTIRQ ? "thread" : "interrupts",
					 (unsigned long long)sums[k][v].count,
					 (unsigned long long)sums[k][v].cycles);
	for (int t = 1; t <= THREADS; t++)
		buf_text(&text, "thread,%d,,,%llu\n", t, (unsigned long long)threads[t]);
	buf_text(&text, "unattributed,,,,%llu\n", (unsigned long long)unattributed);
	snprintf(path, sizeof(path), "%s/interrupts.truth", directory);
	file_save(path, &text);
	buf_release(&text);
}

static void save_format(const char *directory, const char *system, const char *event,
			int id, const char *fields)
{
	static const char common[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:"
		"0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	struct byte_buf text = { .data = NULL };
	char path[4096];

	snprintf(path, sizeof(path), "%s/events", directory);
	(void)mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/events/%s", directory, system);
	(void)mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/events/%s/%s", directory, system, event);
	(void)mkdir(path, 0777);
	buf_text(&text, "name: %s\nID: %d\nformat:\n%s%s\nprint fmt: \"\"\n", event, id,
		 common, fields);
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", directory, system, event);
	file_save(path, &text);
	buf_release(&text);
}

#define FIELD(declaration, offset, size, is_signed)                \
	"\tfield:" declaration ";\toffset:" offset ";\tsize:" size \
	";\tsigned:" is_signed ";\n"

static void save_formats(const char *directory)
{
	save_format(directory, "sched", "sched_switch", 10 + SWITCH,
		    FIELD("char prev_comm[16]", "8", "16",
			  "0") FIELD("pid_t prev_pid", "24", "4",
				     "1") FIELD("int prev_prio", "28", "4", "1")
			    FIELD("long prev_state", "32", "8",
				  "1") FIELD("char next_comm[16]", "40", "16", "0")
				    FIELD("pid_t next_pid", "56", "4", "1")
					    FIELD("int next_prio", "60", "4", "1"));
	save_format(directory, "irq", "irq_handler_entry", 10 + IRQ_ENTRY,
		    FIELD("int irq", "8", "4", "1")
			    FIELD("__data_loc char[] name", "12", "4", "0"));
	save_format(directory, "irq", "irq_handler_exit", 10 + IRQ_EXIT,
		    FIELD("int irq", "8", "4", "1") FIELD("int ret", "12", "4", "1"));
	save_format(directory, "irq", "softirq_entry", 10 + SOFTIRQ_ENTRY,
		    FIELD("unsigned int vec", "8", "4", "0"));
	save_format(directory, "irq", "softirq_exit", 10 + SOFTIRQ_EXIT,
		    FIELD("unsigned int vec", "8", "4", "0"));
}

int main(int argc, char **argv)
{
	uint64_t switches;

	if (argc != 4) {
		fputs("usage: make_interrupts DIRECTORY SEED SWITCHES\n", stderr);
		return 2;
	}
	numbers.state = strtoull(argv[2], NULL, 10);
	switches = strtoull(argv[3], NULL, 10);
	for (size_t c = 0; c < CPUS; c++) {
		cpus[c] = (struct cpu){ .time_ns = 1000000, .tid = 1 };
		put_switch(c, 2 + (uint32_t)c);
	}
	for (uint64_t i = 0; i < switches; i++) {
		size_t c = i % CPUS;

		interval(c, i / CPUS);
		put_switch(c, 1 + (uint32_t)below(THREADS));
	}
	save_formats(argv[1]);
	save_trace(argv[1]);
	save_truth(argv[1]);
	buf_release(&data);
	return 0;
}
