/*
 * conditional_sum.c - a workload whose cost is known before it runs.
 *
 * Sums the elements >= 128 of an array of 32768 bytes, again and again, with a
 * branch for each element.  The bytes, the sum and the number of branches are the
 * same whether the array is sorted or not; only the branch predictor can tell.  The
 * example is Bruce Dawson's, from his article on counters at context switches.
 *
 * "branches" counts the conditional branches of sum_passes(), exactly, for -O1 to -O3
 * of gcc 12 and clang 14 on x86-64.  The rest of the program, start to exit, adds fewer
 * than 100 000; clang, and gcc -O1, add unconditional jumps, gcc -O2 adds none.
 */

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define ELEMENT_COUNT 32768
#define THRESHOLD 128
#define DEFAULT_PASSES 5000
#define MAX_PASSES UINT64_C(1000000000)

static uint8_t elements[ELEMENT_COUNT];

/* A linear congruential generator with fixed seed: the same bytes on every machine. */
static void fill_unsorted(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < ELEMENT_COUNT; i++) {
		state = state * 1664525U + 1013904223U;
		elements[i] = (uint8_t)(state >> 24);
	}
}

static void sort_elements(void)
{
	size_t count[256] = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < ELEMENT_COUNT; i++)
		count[elements[i]]++;
	for (int value = 0; value < 256; value++) {
		memset(elements + at, value, count[value]);
		at += count[value];
	}
}

/* Two branches an element (the condition, the loop) and one a pass.  The empty asm
 * statements keep them: a conditional move or vector code would have no branch to
 * miss, and an unrolled loop fewer than promised. */
__attribute__((noinline)) static uint64_t sum_passes(uint64_t passes)
{
	uint64_t sum = 0;

	do {
		const uint8_t *at = elements;
		const uint8_t *end = elements + ELEMENT_COUNT;

		do {
			if (*at >= THRESHOLD) {
				__asm__ volatile("" : "+r"(sum));
				sum += *at;
			}
			at++;
			__asm__ volatile("" : "+r"(at));
		} while (at != end);
	} while (--passes != 0);
	return sum;
}

static bool parse_passes(const char *text, uint64_t *passes)
{
	char *end;

	errno = 0;
	*passes = strtoull(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && text[0] != '-' &&
	       *passes >= 1 && *passes <= MAX_PASSES;
}

static bool pin_to_cpu_0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: conditional_sum [-p] sorted|unsorted [PASSES]\n"
		"  -p      run on CPU 0 only\n"
		"  PASSES  1 to %" PRIu64 ", default %d\n",
		MAX_PASSES, DEFAULT_PASSES);
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t passes = DEFAULT_PASSES;
	bool pin = false;
	bool sorted;
	int at = 1;

	if (at < argc && strcmp(argv[at], "-p") == 0) {
		pin = true;
		at++;
	}
	if (argc - at < 1 || argc - at > 2)
		return usage();
	sorted = strcmp(argv[at], "sorted") == 0;
	if (!sorted && strcmp(argv[at], "unsorted") != 0)
		return usage();
	if (argc - at == 2 && !parse_passes(argv[at + 1], &passes))
		return usage();

	prctl(PR_SET_NAME, sorted ? "sum-sorted" : "sum-unsorted");
	if (pin && !pin_to_cpu_0()) {
		fprintf(stderr, "conditional_sum: cannot run on CPU 0: %s\n",
			strerror(errno));
		return 1;
	}
	fill_unsorted();
	if (sorted)
		sort_elements();

	uint64_t sum = sum_passes(passes);
	printf("sum=%" PRIu64 " passes=%" PRIu64 " elements=%d branches=%" PRIu64 "\n",
	       sum, passes, ELEMENT_COUNT, passes * (2 * ELEMENT_COUNT + 1));
	return 0;
}
