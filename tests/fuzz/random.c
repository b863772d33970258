/*
 * random.c - runs a fuzz target on inputs made of random bytes, the same ones every time.
 *
 *   random COUNT [FIRST]
 *
 * For targets whose inputs need no seeds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define BYTES_MAX 20000

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

int main(int argc, char **argv)
{
	static uint8_t bytes[BYTES_MAX];
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (count == 0) {
		fprintf(stderr, "usage: %s COUNT [FIRST]\n", argv[0]);
		return 2;
	}
	for (unsigned long i = first; i < first + count; i++) {
		uint64_t state = i;
		/* Most are short: many schemas are worth more than many rows. */
		size_t size = (size_t)(next(&state) % (i % 8 ? 1500 : BYTES_MAX));

		for (size_t k = 0; k < size; k++)
			bytes[k] = (uint8_t)next(&state);
		/* Printed before: when it fails, this is the last line. */
		printf("%lu\n", i);
		fflush(stdout);
		(void)LLVMFuzzerTestOneInput(bytes, size);
	}
	return 0;
}
