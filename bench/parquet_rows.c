/*
 * parquet_rows.c - how fast switches become Parquet, without reading a trace.
 *
 *   parquet_rows FOLDER [ROWS]
 *
 * Gives the writer a trace of made-up switches in runs: 8 CPUs, 2,000 threads that take
 * turns at random, 4 counters, no two deltas alike.  Prints rows, CPU seconds (without
 * those for making up the switches), and millions of rows a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "model/record.h"
#include "model/sink.h"
#include "output/outputs.h"

enum { CPUS = 8, THREADS = 2000, COUNTERS = 4 };

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static uint64_t random_bits(void)
{
	static uint64_t seed = 88172645463325252;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void put(struct sink *sink, enum record_kind kind, const void *row)
{
	if (sink_put(sink, &(struct record){ .kind = kind, .data = row }) != ST_OK) {
		fprintf(stderr, "parquet_rows: %s\n", sink->error.text);
		exit(1);
	}
}

static void put_names(struct sink *sink)
{
	const struct str names[COUNTERS] = { STR("cycles"), STR("instructions"),
					     STR("branches"), STR("branch-misses") };
	struct counter_group_row group = {
		.group_id = 1, .trace_id = 1, .leader = names[0], .counters = COUNTERS
	};
	char name[16];

	put(sink, RECORD_counter_group, &group);
	for (int64_t i = 0; i < COUNTERS; i++) {
		struct counter_row counter = { .counter_id = i + 1,
					       .trace_id = 1,
					       .group_id = 1,
					       .slot = i,
					       .name = names[i],
					       .event = names[i] };

		put(sink, RECORD_counter, &counter);
	}
	for (int64_t i = 1; i <= THREADS; i++) {
		struct process_row process = { .process_id = i, .trace_id = 1, .pid = i };
		struct thread_row thread = {
			.thread_id = i, .process_id = i, .tid = i, .idle_cpu = INT_NONE
		};

		snprintf(name, sizeof(name), "program-%lld", (long long)(i % 200));
		process.name = thread.name = str_of(name);
		put(sink, RECORD_process, &process);
		put(sink, RECORD_thread, &thread);
	}
}

/* Where the CPUs are. */
struct clock {
	struct {
		int64_t ts_ns, thread_id;
	} cpus[CPUS];
	int64_t switches;
};

/* A run of switches of one CPU, as a reader and attribution fill it. */
static void fill_run(struct run *run, struct clock *clock)
{
	int64_t cpu = clock->switches / RUN_SWITCHES_MAX % CPUS;

	run->common.cpu = cpu;
	for (size_t at = 1; at <= RUN_SWITCHES_MAX; at++) {
		uint64_t bits = random_bits();
		int64_t *deltas = run->deltas + at * COUNTERS;

		run->on_cpu_ns[at] = 2000 + (int64_t)(bits & 0xffff);
		run->ts_ns[at] = clock->cpus[cpu].ts_ns += run->on_cpu_ns[at];
		run->prev_state[at] = 1;
		run->prev_thread_id[at] = clock->cpus[cpu].thread_id + 1;
		clock->cpus[cpu].thread_id = (int64_t)(bits >> 20) % THREADS;
		run->next_thread_id[at] = clock->cpus[cpu].thread_id + 1;
		for (int k = 0; k < COUNTERS; k++)
			deltas[k] = run->on_cpu_ns[at] * 3 / (k + 1) +
				    (int64_t)(bits >> (8 * k) & 0xfff);
	}
	clock->switches += RUN_SWITCHES_MAX;
}

/* Without a sink: what making the switches costs. */
static void put_switches(struct sink *sink, int64_t switches)
{
	static struct run run;
	struct clock clock = { .switches = 0 };

	run.common.count = COUNTERS;
	run.common.group_id = 1;
	run.count = RUN_SWITCHES_MAX;
	while (clock.switches < switches) {
		const struct run_rows rows = { &run, 1, RUN_SWITCHES_MAX + 1,
					       clock.switches + 1, 1 };

		fill_run(&run, &clock);
		if (sink && sink_put_run(sink, &rows) != ST_OK) {
			fprintf(stderr, "parquet_rows: %s\n", sink->error.text);
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	const struct trace_row trace = { .trace_id = 1,
					 .path = STR("made"),
					 .host = STR("bench"),
					 .wall_offset_ns = 1700000000000000000 };
	int64_t rows = argc > 2 ? atoll(argv[2]) : 10000000;
	struct sink sink;
	double began, made;

	if (argc < 2) {
		fputs("usage: parquet_rows FOLDER [ROWS]\n", stderr);
		return 2;
	}
	if (sink_open(&sink, &parquet_writer,
		      &(struct sink_options){ .path = argv[1] }) != ST_OK) {
		fprintf(stderr, "parquet_rows: %s\n", sink.error.text);
		return 1;
	}
	made = cpu_seconds();
	put_switches(NULL, rows);
	began = cpu_seconds();
	made = began - made;
	put_names(&sink);
	put_switches(&sink, rows);
	put(&sink, RECORD_trace, &trace);
	if (sink_finish(&sink) != ST_OK) {
		fprintf(stderr, "parquet_rows: %s\n", sink.error.text);
		return 1;
	}
	sink_close(&sink);
	began = cpu_seconds() - began - made;
	printf("%lld rows, %.3f s of CPU, %.2f million rows a second\n", (long long)rows,
	       began, (double)rows * 1e-6 / began);
	return 0;
}
