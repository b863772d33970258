/* input_sources.c - see input_sources.h. */
#include "input_sources.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The pattern up to where it repeats: memcmp() is faster than byte by byte. */
static const uint8_t *whole_pattern(void)
{
	static uint8_t *whole;

	if (!whole) {
		whole = malloc(PATTERN_PERIOD);
		assert_non_null(whole);
		for (size_t i = 0; i < PATTERN_PERIOD; i++)
			whole[i] = pattern(i);
	}
	return whole;
}

void assert_pattern(const uint8_t *at, uint64_t offset, size_t size)
{
	while (size) {
		size_t from = offset % PATTERN_PERIOD, i = 0;
		size_t bytes =
			size < PATTERN_PERIOD - from ? size : PATTERN_PERIOD - from;

		if (memcmp(at, whole_pattern() + from, bytes) != 0) {
			while (at[i] == pattern(offset + i))
				i++;
			fail_msg("byte 0x%llx: %u, expected %u",
				 (unsigned long long)(offset + i), at[i],
				 pattern(offset + i));
		}
		at += bytes;
		offset += bytes;
		size -= bytes;
	}
}

int sources_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->bytes = malloc(PATTERN_BYTES);
	for (size_t i = 0; i < PATTERN_BYTES; i++)
		f->bytes[i] = pattern(i);
	f->path = unit_path("pattern");
	unit_write_file(f->path, f->bytes, PATTERN_BYTES);
	*state = f;
	return 0;
}

int sources_teardown(void **state)
{
	struct fixture *f = *state;

	free(f->bytes);
	free(f);
	return 0;
}

ptrdiff_t make(void *context, uint8_t *to, size_t room)
{
	static const size_t pieces[] = { 1, 1000, 7, 65536, 12345, SIZE_MAX };
	struct maker *maker = context;
	size_t size = maker->piece ? maker->piece
				   : pieces[(size_t)maker->calls % COUNT(pieces)];

	maker->calls++;
	assert_true(room > 0);
	size = size < room ? size : room;
	if (size > maker->end - maker->at)
		size = (size_t)(maker->end - maker->at);
	if (maker->fails && maker->at + size > maker->fails) {
		size = (size_t)(maker->fails - maker->at);
		if (size == 0) {
			error_set(maker->error, ST_CORRUPT, maker->at, "no more");
			return -1;
		}
	}
	for (size_t i = 0; i < size; i++)
		to[i] = pattern(maker->at + i);
	maker->calls_at_end += size == 0;
	maker->at += size;
	return (ptrdiff_t)size;
}

/* Writes in pieces that fit nothing, so that reads are short. */
static void write_pattern(int fd, const uint8_t *bytes)
{
	static const size_t pieces[] = { 1, 1000, 7, 65536, 12345 };
	size_t at = 0;

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; at < PATTERN_BYTES; i++) {
		size_t size = pieces[i % COUNT(pieces)];
		ssize_t wrote;

		size = size < PATTERN_BYTES - at ? size : PATTERN_BYTES - at;
		wrote = write(fd, bytes + at, size);
		if (wrote <= 0)
			_exit(0);
		at += (size_t)wrote;
	}
	_exit(0);
}

void open_source(struct source *source, const struct fixture *f, enum kind kind)
{
	int ends[2];
	char path[64];

	*source = (struct source){ .fd = -1 };
	if (kind == KIND_MEMORY) {
		input_open_memory(&source->in, f->bytes, PATTERN_BYTES, &source->error);
		return;
	}
	if (kind == KIND_PULL) {
		source->maker.end = PATTERN_BYTES;
		assert_int_equal(input_open_pull(&source->in, make, &source->maker, 0,
						 &source->error),
				 ST_OK);
		return;
	}
	if (kind != KIND_PIPE) {
		assert_int_equal(input_open(&source->in, f->path, &source->error), ST_OK);
		if (kind == KIND_STREAM)
			input_stream(&source->in);
		return;
	}
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	source->writer = fork();
	if (source->writer == 0) {
		close(ends[0]);
		write_pattern(ends[1], f->bytes);
	}
	close(ends[1]);
	source->fd = ends[0];
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(input_open(&source->in, path, &source->error), ST_OK);
}

void close_source(struct source *source)
{
	input_close(&source->in);
	if (source->fd >= 0)
		close(source->fd);
	if (source->writer)
		waitpid(source->writer, NULL, 0);
	assert_int_equal(source->error.status, ST_OK);
}
