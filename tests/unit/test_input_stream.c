/* test_input_stream.c - input_stream(): a second thread reads a file ahead. */
#include <stdlib.h>
#include <unistd.h>

#include "base/background.h"
#include "input_sources.h"

/* Reading ahead may begin anywhere, and be asked for where it is of no use. */
UNIT_GROUP(sources_setup, sources_teardown);

UNIT_TEST(stream_begins)
{
	static const uint64_t places[] = { 0,
					   1,
					   4095,
					   4096,
					   INPUT_BUFFER_BYTES + 17,
					   PATTERN_BYTES - 1,
					   PATTERN_BYTES };

	for (size_t i = 0; i < COUNT(places); i++) {
		struct source source;
		uint64_t at = places[i];

		open_source(&source, *state, KIND_FILE);
		assert_non_null(
			input_peek(&source.in, 100)); /* what was buffered is kept */
		assert_int_equal(input_seek(&source.in, at), ST_OK);
		input_stream(&source.in);
		input_stream(&source.in);
		for (; input_peek(&source.in, 1); at++) {
			assert_int_equal(*source.in.pos, pattern(at));
			input_consume(&source.in, 1);
		}
		assert_int_equal(at, PATTERN_BYTES);
		assert_int_equal(source.in.offset, PATTERN_BYTES);
		close_source(&source);
	}
	for (enum kind kind = KIND_MEMORY; kind < KINDS; kind++) {
		struct source source;

		open_source(&source, *state, kind);
		input_stream(&source.in);
		assert_pattern(input_peek(&source.in, 1000), 0, 1000);
		close_source(&source);
	}
}

/* Appends what the pattern goes on with; `bytes` have been there. */
static void append_pattern(const char *path, uint64_t bytes, size_t more)
{
	uint8_t *to = malloc(more);
	FILE *file = fopen(path, bytes ? "ab" : "wb");

	assert_non_null(file);
	for (size_t i = 0; i < more; i++)
		to[i] = pattern(bytes + i);
	assert_int_equal(fwrite(to, 1, more, file), more);
	assert_int_equal(fclose(file), 0);
	free(to);
}

/*
 * Many blocks, of which as little or as much is left as can be when the next one joins.
 */
UNIT_TEST(stream_around)
{
	static const size_t steps[] = {
		INPUT_BUFFER_BYTES - 1, 1,  INPUT_BUFFER_BYTES / 8,
		INPUT_BUFFER_BYTES,	77, 3u << 20
	};
	static const uint64_t begins[] = { 0, 5, 4095 };
	const uint64_t bytes = 7 * (uint64_t)INPUT_BUFFER_BYTES + 4321;
	const char *path = unit_path("around");

	append_pattern(path, 0, bytes);
	for (size_t i = 0; i < COUNT(begins) * COUNT(steps); i++) {
		struct error error = { ST_OK, 0, "" };
		uint64_t at = begins[i % COUNT(begins)];
		struct input in;
		size_t have;

		assert_int_equal(input_open(&in, path, &error), ST_OK);
		assert_int_equal(input_seek(&in, at), ST_OK);
		input_stream(&in);
		for (size_t k = i; (have = input_peek_some(&in, INPUT_BUFFER_BYTES));
		     k++) {
			size_t step = steps[k % COUNT(steps)];

			assert_int_equal(in.offset, at);
			assert_pattern(in.pos, at, have);
			step = step < have ? step : have;
			input_consume(&in, step);
			at += step;
		}
		assert_int_equal(at, bytes);
		assert_int_equal(error.status, ST_OK);
		input_close(&in);
	}
	unlink(path);
}

/* What the second thread finds in the blocks that it has read. */
struct found {
	_Atomic uint64_t passed; /* bytes that the reader is past: they may be gone */
	atomic_size_t pieces, wrong;
	uint64_t last; /* offset of a piece: they come in order */
};

static void check_piece(void *context, const struct input_piece *piece)
{
	struct found *found = context;
	uint64_t from = atomic_load(&found->passed);
	uint64_t end = piece->offset + piece->size;

	if (from < piece->offset - piece->before)
		from = piece->offset - piece->before;
	for (uint64_t at = from; at < end && input_has_time(piece); at += 509)
		found->wrong +=
			piece->bytes[(ptrdiff_t)(at - piece->offset)] != pattern(at);
	found->wrong += piece->offset < found->last;
	found->last = piece->offset;
	found->pieces++;
}

UNIT_TEST(stream_work)
{
	const uint64_t bytes = 12 * (uint64_t)INPUT_BUFFER_BYTES + 4321;
	const char *path = unit_path("work");
	struct error error = { ST_OK, 0, "" };
	struct found found = { .last = 0 };
	size_t have;
	struct input in;

	append_pattern(path, 0, bytes);
	assert_int_equal(input_open(&in, path, &error), ST_OK);
	input_work_ahead(&in, check_piece, &found); /* no thread reads ahead yet */
	input_stream(&in);
	assert_non_null(input_peek(&in, 1));
	input_work_ahead(&in, check_piece, &found);
	while ((have = input_peek_some(&in, INPUT_BUFFER_BYTES)) > 0) {
		size_t step = have > 3000000 ? 3000000 : have;

		for (size_t i = 0; i < step; i += 4001)
			assert_int_equal(in.pos[i], pattern(in.offset + i));
		input_consume(&in, step);
		atomic_store(&found.passed, in.offset);
	}
	assert_int_equal(in.offset, bytes);
	input_close(&in); /* ends the thread */
	assert_int_equal(found.wrong, 0);
	assert_true(found.pieces > 0);
	unlink(path);
}

/* Reads the whole file, which the buffer at `expected` serves if that is not NULL. */
static uint8_t *read_whole(const char *path, bool more_follow, const uint8_t *expected)
{
	struct error error = { ST_OK, 0, "" };
	uint8_t *buffer;
	struct input in;
	size_t size;

	assert_int_equal(input_open(&in, path, &error), ST_OK);
	in.more_follow = more_follow;
	input_stream(&in);
	buffer = in.buffer;
	if (expected)
		assert_ptr_equal(buffer, expected);
	while ((size = input_peek_some(&in, INPUT_BUFFER_BYTES)) > 0) {
		assert_pattern(in.pos, in.offset, size);
		input_consume(&in, size);
	}
	input_close(&in);
	return buffer;
}

/* What one input leaves is for the next one, though a small one is between them. */
UNIT_TEST(stream_next)
{
	const char *path = unit_path("next"), *small = unit_path("small");
	uint8_t *buffer;

	append_pattern(path, 0, 5 * INPUT_BUFFER_BYTES);
	append_pattern(small, 0, 100);
	buffer = read_whole(path, true, NULL);
	buffer = read_whole(path, true, buffer);
	read_whole(small, true, NULL);
	read_whole(path, true, buffer);
	read_whole(small, false, NULL); /* frees it */
	buffer = read_whole(path, true, NULL);
	read_whole(path, false, buffer);
	unlink(path);
	unlink(small);
}

/* A file that grows while it is read: blocks of any size, each after the one before. */
static void read_growing(uint64_t begin, bool is_ahead, size_t times)
{
	static const size_t pieces[] = { 1000, INPUT_BUFFER_BYTES - 2, 3u << 20, 1,
					 INPUT_BUFFER_BYTES / 2 };
	const char *path = unit_path("growing");
	struct error error = { ST_OK, 0, "" };
	uint64_t bytes = begin;
	struct input in;

	append_pattern(path, 0, begin);
	assert_int_equal(input_open(&in, path, &error), ST_OK);
	input_stream(&in);
	assert_int_equal(in.ahead != NULL, is_ahead);
	for (size_t i = 0; i < times; i++) {
		size_t keep = INPUT_BUFFER_BYTES / (1 + i % 3) - 1;

		if (is_ahead)
			background_wait(in.ahead, 0);
		append_pattern(path, bytes, pieces[i % COUNT(pieces)]);
		bytes += pieces[i % COUNT(pieces)];
		assert_non_null(input_peek(&in, input_buffered(&in) + 1));
		if (input_buffered(&in) > keep)
			input_consume(&in, input_buffered(&in) - keep);
		assert_pattern(in.pos, in.offset, input_buffered(&in));
	}
	assert_int_equal(error.status, ST_OK);
	input_close(&in);
	unlink(path);
}

/* The buffer of a file that was small grows with it. */
UNIT_TEST(small_growing)
{
	read_growing(777, false, 7);
}

UNIT_TEST(stream_growing)
{
	read_growing(INPUT_BUFFER_BYTES + 1, true, 30);
}
