/*
 * make_page_trace - a perf.data of any size on standard output, in the form for pipes,
 * for pages: so many switches of so many processes on so many CPUs, with cycles and
 * instructions, and raw events up to N in all; names from a file, one a line, as they
 * are.
 *
 *   make_page_trace [--cpus N] [--switches N] [--processes N] [--events N] [--names FILE]
 */
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "common/random.h"

enum {
	CPUS_MAX = 1024,
	RECORD_COMM = 3,
	RECORD_SAMPLE = 9,
	RECORD_HEADER_ATTR = 64,
	ATTR_BYTES = 112,
	FIRST_PID = 1000,
	FLUSH_BYTES = 1 << 20,
	EVENTS = 3, /* context-switches, cycles, instructions, then raw ones */
	EVENTS_MAX = 60,
	TYPE_RAW = 4,
	BURSTS = 16,
	BUSY = 24,
};

/* TID, TIME, READ, CPU, IDENTIFIER */
static const uint64_t sample_type = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 7 | 1 << 16;
static const uint64_t first_ns = UINT64_C(5000000000);

struct order {
	uint64_t cpus, switches, processes, events;
	const char *names;
};

struct cpu {
	uint64_t since_ns;
	uint64_t values[EVENTS_MAX];
};

static size_t begin_record(struct byte_buf *out, uint32_t type)
{
	size_t start = out->size;

	BUF(out, "422", type, 0, 0);
	return start;
}

static void end_record(struct byte_buf *out, size_t start)
{
	buf_align(out, start, 8);
	buf_set_u16(out, start + 6, (uint16_t)(out->size - start));
}

static void flush(struct byte_buf *out, size_t least)
{
	if (out->size < least)
		return;
	if (fwrite(out->data, 1, out->size, stdout) != out->size)
		die("cannot write");
	out->size = 0;
}

static uint64_t id_of(uint64_t event, uint64_t cpu)
{
	return (event + 1) * 10000 + cpu;
}

static void put_attrs(struct byte_buf *out, const struct order *order)
{
	static const uint64_t types[EVENTS] = { 1, 0, 0 }, configs[EVENTS] = { 3, 0, 1 };

	buf_bytes(out, "PERFILE2", 8);
	buf_u64(out, 16);
	for (uint64_t e = 0; e < order->events; e++) {
		size_t start = begin_record(out, RECORD_HEADER_ATTR), attr = out->size;

		BUF(out, "44888888", e < EVENTS ? types[e] : TYPE_RAW, ATTR_BYTES,
		    e < EVENTS ? configs[e] : e, e == 0, sample_type, 1 << 2 | 1 << 3,
		    1 << 18, 0);
		buf_zero(out, ATTR_BYTES - (out->size - attr));
		for (uint64_t c = 0; c < order->cpus; c++)
			buf_u64(out, id_of(e, c));
		end_record(out, start);
	}
}

static void put_comm(struct byte_buf *out, uint32_t pid, const char *name)
{
	size_t start = begin_record(out, RECORD_COMM);

	BUF(out, "44", pid, pid);
	buf_bytes(out, name, strlen(name) + 1);
	buf_align(out, start, 8);
	BUF(out, "448448", pid, pid, first_ns, 0, 0, id_of(0, 0));
	end_record(out, start);
}

/* Lines of the file, then names of the generator's own. */
static void put_names(struct byte_buf *out, const struct order *order)
{
	FILE *file = order->names ? fopen(order->names, "rb") : NULL;
	char line[4096];

	if (order->names && !file)
		die("cannot read %s", order->names);
	for (uint64_t i = 0; i < order->processes; i++) {
		if (!file || !fgets(line, sizeof(line), file))
			snprintf(line, sizeof(line), "work-%llu", (unsigned long long)i);
		line[strcspn(line, "\n")] = '\0';
		put_comm(out, FIRST_PID + (uint32_t)i, line);
	}
	if (file)
		fclose(file);
}

static void put_switch(struct byte_buf *out, const struct order *order,
		       const struct cpu *cpu, uint64_t number, uint32_t tid,
		       uint64_t time_ns)
{
	size_t start = begin_record(out, RECORD_SAMPLE);

	BUF(out, "844844", id_of(0, number), tid, tid, time_ns, number, 0);
	buf_u64(out, order->events);
	for (uint64_t e = 0; e < order->events; e++)
		BUF(out, "88", cpu->values[e], id_of(e, number));
	end_record(out, start);
}

/* Some processes run often, and which do changes from time to time; the others rarely. */
static uint32_t choose_tid(struct rng *rng, const struct order *order, uint64_t i)
{
	uint64_t a = rng_range(rng, 0, BUSY - 1), b = rng_range(rng, 0, BUSY - 1);
	uint64_t burst = i / (order->switches / BURSTS + 1);

	if (rng_chance(rng, 4))
		return 0; /* idle */
	if (rng_chance(rng, 16))
		return FIRST_PID + (uint32_t)rng_range(rng, 0, order->processes - 1);
	return FIRST_PID + (uint32_t)(((a < b ? a : b) + burst) % order->processes);
}

static void put_switches(struct byte_buf *out, const struct order *order)
{
	struct cpu *cpus = calloc(order->cpus, sizeof(*cpus));
	struct rng rng = { rng_seed(1, "page") };
	uint64_t time_ns = first_ns;

	if (!cpus)
		die("out of memory");
	for (uint64_t i = 0; i < order->switches; i++) {
		uint64_t number = rng_range(&rng, 0, order->cpus - 1), ran;
		uint32_t tid = choose_tid(&rng, order, i);
		struct cpu *cpu = &cpus[number];

		time_ns += 1 + rng_range(&rng, 0, 100000 / order->cpus);
		ran = cpu->since_ns ? time_ns - cpu->since_ns : 0;
		cpu->since_ns = time_ns;
		cpu->values[0]++;
		cpu->values[1] += tid ? ran * 3 : 10;
		cpu->values[2] += tid ? ran * (1 + tid % 5) : 5;
		for (uint64_t e = EVENTS; e < order->events; e++)
			cpu->values[e] += ran / e + 1;
		put_switch(out, order, cpu, number, tid, time_ns);
		flush(out, FLUSH_BYTES);
	}
	free(cpus);
}

static uint64_t number_of(const char *text, uint64_t most)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (*end || number < 1 || number > most)
		die("not a number from 1 to %llu: %s", (unsigned long long)most, text);
	return number;
}

int main(int argc, char **argv)
{
	struct order order = {
		.cpus = 2, .switches = 1000, .processes = 20, .events = EVENTS
	};
	struct byte_buf out = { 0 };

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--cpus") == 0)
			order.cpus = number_of(argv[i + 1], CPUS_MAX);
		else if (strcmp(argv[i], "--switches") == 0)
			order.switches = number_of(argv[i + 1], UINT64_C(1) << 40);
		else if (strcmp(argv[i], "--processes") == 0)
			order.processes = number_of(argv[i + 1], 1000000);
		else if (strcmp(argv[i], "--events") == 0)
			order.events = number_of(argv[i + 1], EVENTS_MAX);
		else if (strcmp(argv[i], "--names") == 0)
			order.names = argv[i + 1];
		else
			die("unknown option %s", argv[i]);
	}
	put_attrs(&out, &order);
	put_names(&out, &order);
	put_switches(&out, &order);
	flush(&out, 1);
	buf_release(&out);
	return 0;
}
