/*
 * other_cpu.c - what it costs to copy numbers for a thread on the other CPU, and to read
 * them there: base/other_cpu.h beside memcpy().
 *
 *   other_cpu [BYTES]
 *
 * The first CPU copies 1 MiB in pieces of so many bytes (1024: a column of a run), the
 * second one reads them, fifty times.  The least nanoseconds for a line of 64 bytes:
 * where memcpy() takes 1, the CPUs share a cache; where it takes 8, they do not.
 */
#include "base/other_cpu.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE_BYTES 64
#define ALL_BYTES ((size_t)1 << 20)
#define ROUNDS 50

static _Alignas(4096) int64_t shared[ALL_BYTES / sizeof(int64_t)];
static int64_t own[ALL_BYTES / sizeof(int64_t)];
static atomic_bool is_written;
static double read_ns;
static volatile int64_t sum;

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void stay_on(size_t cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	(void)sched_setaffinity(0, sizeof(cpus), &cpus); /* else the figures say so */
}

static double least(double known, double ns)
{
	return known == 0 || ns < known ? ns : known;
}

static void *read_all(void *unused)
{
	stay_on(1);
	for (int round = 0; round < ROUNDS; round++) {
		double began;
		int64_t all = 0;

		while (!atomic_load(&is_written))
			;
		began = now_ns();
		for (size_t i = 0; i < ALL_BYTES / sizeof(int64_t); i++)
			all += shared[i];
		sum = all;
		read_ns = least(read_ns, now_ns() - began);
		atomic_store(&is_written, false);
	}
	return unused;
}

static void copy_all(bool is_past_caches, size_t piece)
{
	for (size_t at = 0; at < ALL_BYTES; at += piece) {
		size_t bytes = ALL_BYTES - at < piece ? ALL_BYTES - at : piece;
		int64_t *to = shared + at / sizeof(int64_t);

		if (is_past_caches)
			other_cpu_copy(to, own, bytes / sizeof(int64_t));
		else
			memcpy(to, own, bytes);
	}
	other_cpu_fence();
}

static void measure(const char *name, bool is_past_caches, size_t piece)
{
	const double lines = (double)ALL_BYTES / LINE_BYTES;
	double copied_ns = 0;
	pthread_t reader;

	read_ns = 0;
	if (pthread_create(&reader, NULL, read_all, NULL) != 0) {
		fprintf(stderr, "other_cpu: cannot start a thread\n");
		exit(1);
	}
	for (int round = 0; round < ROUNDS; round++) {
		double began;

		while (atomic_load(&is_written))
			;
		began = now_ns();
		copy_all(is_past_caches, piece);
		copied_ns = least(copied_ns, now_ns() - began);
		atomic_store(&is_written, true);
	}
	pthread_join(reader, NULL);
	printf("%-16s %10.2f %10.2f\n", name, copied_ns / lines, read_ns / lines);
}

int main(int argc, char **argv)
{
	size_t piece = argc > 1 ? strtoul(argv[1], NULL, 10) / sizeof(int64_t) : 128;

	if (piece == 0) {
		fprintf(stderr, "usage: other_cpu [BYTES]   (8 at least)\n");
		return 2;
	}
	memset(own, 1, sizeof(own));
	stay_on(0);
	printf("%-16s %10s %10s\n", "ns a line", "copied", "read");
	measure("memcpy", false, piece * sizeof(int64_t));
	measure("other_cpu_copy", true, piece * sizeof(int64_t));
	return 0;
}
