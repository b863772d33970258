/*
 * mutant.h - what the mutators of all formats share: bytes that grow and shrink, random
 * choices, and numbers that break readers.
 *
 * A mutator knows the structure of its format.  It changes one part of an input and keeps
 * the rest consistent: sizes, offsets, checksums, what is compressed.  So a change
 * reaches the code it is for instead of the first check.
 */
#ifndef PERFTAB_MUTANT_H
#define PERFTAB_MUTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mutant {
	uint8_t *bytes;
	size_t size, room;
	uint64_t state; /* of the random numbers */
	bool big_endian;
};

/* What libFuzzer calls instead of its own mutations; each mutator file has one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);
/* Defines it for inputs that are a file of one format. */
#define FUZZ_MUTATOR(mutate_file)                                                   \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, \
				       unsigned int seed)                           \
	{                                                                           \
		struct mutant m = mutant_over(data, size, max_size, seed);          \
                                                                                    \
		mutate_file(&m);                                                    \
		return m.size;                                                      \
	}                                                                           \
	_Static_assert(1, "a semicolon follows")
/* libFuzzer's own mutations; without libFuzzer those of mutant_plain.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

struct mutant mutant_over(uint8_t *data, size_t size, size_t room, unsigned int seed);

/* 0 .. below - 1; 0 for 0. */
size_t mutant_choose(struct mutant *m, size_t below);
uint64_t mutant_random(struct mutant *m);
/* A number at an edge of 8 to 64 bits, near `near`, or any. */
uint64_t mutant_number(struct mutant *m, uint64_t near);

/* A number of `width` bytes; 0, or nothing, where it would be outside. */
uint64_t mutant_get(const struct mutant *m, size_t at, size_t width);
void mutant_put(struct mutant *m, size_t at, size_t width, uint64_t value);

/* Puts `count` bytes in place of `old` at `at`; false: there is no room. */
bool mutant_replace(struct mutant *m, size_t at, size_t old, const uint8_t *bytes,
		    size_t count);
/* The same with bytes of the mutant itself, from `from` on. */
bool mutant_copy(struct mutant *m, size_t at, size_t from, size_t count);

/* A number of [from, to) changed, at a multiple of its width from there. */
void mutant_change_number(struct mutant *m, size_t from, size_t to);
/* libFuzzer's mutation of [from, to), of the same length. */
void mutant_change_bytes(struct mutant *m, size_t from, size_t to);
/* The same with any length, for what has no size elsewhere. */
void mutant_change_all(struct mutant *m, size_t from);

#endif
