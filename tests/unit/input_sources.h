/*
 * input_sources.h - one pattern of bytes as a file, read ahead of or not, as memory,
 * through a pipe and from a function: what the tests of lib/base/input.h share.
 */
#ifndef PERFTAB_INPUT_SOURCES_H
#define PERFTAB_INPUT_SOURCES_H

#include <sys/types.h>

#include "base/input.h"
#include "unit.h"

/* Larger than the buffer, and no multiple of anything. */
#define PATTERN_BYTES (INPUT_BUFFER_BYTES + INPUT_READ_BYTES * 2 + 4321)

/* Any byte of the input follows from its place; it repeats. */
#define PATTERN_PERIOD ((size_t)1 << 24)
static inline uint8_t pattern(uint64_t at)
{
	return (uint8_t)(at * 131 + (at >> 8) * 7 + (at >> 16));
}

void assert_pattern(const uint8_t *at, uint64_t offset, size_t size);

struct fixture {
	uint8_t *bytes; /* PATTERN_BYTES of the pattern, exactly */
	const char *path;
};

int sources_setup(void **state);
int sources_teardown(void **state);

/* KIND_STREAM: a file that a second thread reads ahead of. */
enum kind { KIND_FILE, KIND_STREAM, KIND_MEMORY, KIND_PIPE, KIND_PULL, KINDS };

/* Makes the pattern from `at` up to `end`, in pieces that fit nothing. */
struct maker {
	uint64_t at, end;
	size_t piece;	/* at most; 0: all sorts */
	uint64_t fails; /* there it fails; 0: nowhere */
	struct error *error;
	int calls, calls_at_end;
};

ptrdiff_t make(void *context, uint8_t *to, size_t room);

struct source {
	struct input in;
	struct error error;
	pid_t writer; /* of a pipe */
	int fd;
	struct maker maker; /* of a pull */
};

void open_source(struct source *source, const struct fixture *f, enum kind kind);
void close_source(struct source *source);

#endif
