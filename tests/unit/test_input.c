/* test_input.c - lib/base/input.h: file, pipe and memory look alike. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "input_sources.h"

UNIT_GROUP(sources_setup, sources_teardown);

UNIT_TEST(facts)
{
	struct source source;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		open_source(&source, *state, kind);
		assert_int_equal(source.in.seekable, kind < KIND_PIPE);
		assert_int_equal(source.in.size,
				 kind < KIND_PIPE ? PATTERN_BYTES : INPUT_SIZE_UNKNOWN);
		assert_int_equal(source.in.offset, 0);
		close_source(&source);
	}
}

/* Peek and consume in many sizes, some larger than one read. */
UNIT_TEST(walk)
{
	static const size_t sizes[] = { 1, 8,	 65535, 104, INPUT_READ_BYTES + 3,
					2, 4095, 33 };

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct source source;
		uint64_t at = 0;
		const uint8_t *bytes;

		open_source(&source, *state, kind);
		for (size_t i = 0;
		     (bytes = input_peek(&source.in, sizes[i % COUNT(sizes)])); i++) {
			size_t size = sizes[i % COUNT(sizes)];

			assert_int_equal(source.in.offset, at);
			/* A peek does not move. */
			assert_ptr_equal(input_peek(&source.in, size), bytes);
			assert_pattern(bytes, at, size);
			input_consume(&source.in, size);
			at += size;
		}
		/* The rest is less than was asked for, and still there. */
		while (input_peek(&source.in, 1)) {
			assert_pattern(source.in.pos, at++, 1);
			input_consume(&source.in, 1);
		}
		assert_int_equal(at, PATTERN_BYTES);
		assert_null(input_peek(&source.in, 1));
		close_source(&source);
	}
}

/* The largest peek, from an odd place, and at the end of the input. */
UNIT_TEST(largest_peek)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct source source;
		const uint8_t *bytes;

		open_source(&source, *state, kind);
		bytes = input_peek(&source.in, INPUT_BUFFER_BYTES);
		assert_non_null(bytes);
		assert_pattern(bytes, 0, INPUT_BUFFER_BYTES);
		input_consume(&source.in, 4321);
		bytes = input_peek(&source.in, INPUT_BUFFER_BYTES);
		assert_non_null(bytes);
		assert_pattern(bytes, 4321, INPUT_BUFFER_BYTES);
		input_consume(&source.in, INPUT_READ_BYTES * 2);
		assert_non_null(input_peek(&source.in, INPUT_BUFFER_BYTES));
		input_consume(&source.in, 1);
		assert_null(input_peek(&source.in, INPUT_BUFFER_BYTES));
		assert_int_equal(input_peek_some(&source.in, INPUT_BUFFER_BYTES),
				 INPUT_BUFFER_BYTES - 1);
		assert_non_null(input_peek(&source.in, INPUT_BUFFER_BYTES - 1));
		close_source(&source);
	}
}

UNIT_CASE(read, struct fixture *f)
{
	uint8_t *to = malloc(PATTERN_BYTES);

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct source source;

		open_source(&source, f, kind);
		assert_int_equal(input_read(&source.in, to, 0), ST_OK);
		assert_int_equal(input_read(&source.in, to, 10), ST_OK);
		assert_int_equal(input_read(&source.in, to, PATTERN_BYTES - 10), ST_OK);
		assert_pattern(to, 10, PATTERN_BYTES - 10);
		assert_int_equal(input_read(&source.in, to, 1), ST_TRUNCATED);
		assert_int_equal(input_read(&source.in, to, 0), ST_OK);
		close_source(&source);
	}
	free(to);
}

static const struct {
	int line;
	uint64_t skip;
	enum status status;
} skips[] = {
	{ ROW, 0, ST_OK },
	{ ROW, 1, ST_OK },
	{ ROW, INPUT_READ_BYTES, ST_OK },
	{ ROW, INPUT_BUFFER_BYTES + 5, ST_OK },
	{ ROW, PATTERN_BYTES - 16, ST_OK },
	{ ROW, PATTERN_BYTES - 15, ST_TRUNCATED },
	{ ROW, UINT64_MAX, ST_TRUNCATED },
	{ ROW, UINT64_MAX - 8, ST_TRUNCATED },
};

UNIT_TEST(skip)
{
	for (size_t i = 0; i < COUNT(skips); i++) {
		for (enum kind kind = 0; kind < KINDS; kind++) {
			struct source source;

			open_source(&source, *state, kind);
			assert_non_null(input_peek(&source.in, 16));
			input_consume(&source.in, 16);
			ROW_INT(&skips[i], input_skip(&source.in, skips[i].skip),
				skips[i].status);
			if (skips[i].status == ST_OK) {
				ROW_INT(&skips[i], source.in.offset, 16 + skips[i].skip);
				if (skips[i].skip < PATTERN_BYTES - 16)
					assert_pattern(input_peek(&source.in, 1),
						       16 + skips[i].skip, 1);
			}
			close_source(&source);
		}
	}
}

/* Forward and back, inside and outside of what is buffered, and to the very end. */
UNIT_TEST(seek)
{
	static const uint64_t places[] = {
		100,
		0,
		200,
		PATTERN_BYTES - 1,
		5,
		INPUT_BUFFER_BYTES,
		INPUT_BUFFER_BYTES - 9,
		99,
	};

	for (enum kind kind = 0; kind < KIND_PIPE; kind++) {
		struct source source;

		open_source(&source, *state, kind);
		for (size_t i = 0; i < COUNT(places); i++) {
			assert_int_equal(input_seek(&source.in, places[i]), ST_OK);
			assert_int_equal(source.in.offset, places[i]);
			assert_pattern(input_peek(&source.in, 1), places[i], 1);
		}
		assert_int_equal(input_seek(&source.in, PATTERN_BYTES), ST_OK);
		assert_null(input_peek(&source.in, 1));
		assert_int_equal(input_seek(&source.in, PATTERN_BYTES + 1), ST_TRUNCATED);
		assert_int_equal(input_seek(&source.in, UINT64_MAX), ST_TRUNCATED);
		assert_int_equal(input_seek(&source.in, 3), ST_OK);
		assert_pattern(input_peek(&source.in, 64), 3, 64);
		close_source(&source);
	}
}

/* In a pipe only what is buffered can be sought; all else is reported. */
UNIT_TEST(seek_pipe)
{
	struct source source;

	for (enum kind kind = KIND_PIPE; kind < KINDS; kind++) {
		open_source(&source, *state, kind);
		assert_non_null(input_peek(&source.in, 1000));
		assert_int_equal(input_seek(&source.in, 1000), ST_OK);
		assert_pattern(input_peek(&source.in, 1), 1000, 1);
		assert_int_equal(input_seek(&source.in, 0), ST_UNSUPPORTED);
		HAS(source.error.text, "pipe");
		source.error = (struct error){ ST_OK, 0, "" };
		close_source(&source);
	}
}

/* --- bytes from a callback --- */

/* Numbered from any offset on, and peeked at over the ends of pieces and blocks. */
static const struct {
	int line;
	uint64_t offset;
	size_t piece;
} pulls[] = {
	{ ROW, 0, 0 },
	{ ROW, 1, 1000 },
	{ ROW, 4095, 4096 },
	{ ROW, 0x123456789abc, 0 },
	{ ROW, INPUT_BUFFER_BYTES - 1, SIZE_MAX },
	{ ROW, UINT64_MAX / 2, 131072 },
};

UNIT_TEST(pull_offsets)
{
	for (size_t i = 0; i < COUNT(pulls); i++) {
		uint64_t from = pulls[i].offset, at = from;
		uint64_t size = INPUT_BUFFER_BYTES + 2 * INPUT_READ_BYTES + 99;
		struct maker maker = { .at = from,
				       .end = from + size,
				       .piece = pulls[i].piece };
		struct error error = { ST_OK, 0, "" };
		struct input in;
		size_t got;

		ROW_INT(&pulls[i], input_open_pull(&in, make, &maker, from, &error),
			ST_OK);
		ROW_INT(&pulls[i], in.offset, from);
		ROW_INT(&pulls[i], maker.calls, 0); /* not before it is asked for */
		for (size_t step = 1; input_peek(&in, step); step = step * 3 + 1) {
			ROW_INT(&pulls[i], in.offset, at);
			assert_pattern(in.pos, at, step);
			input_consume(&in, step / 2 + 1);
			at += step / 2 + 1;
			if (step > INPUT_READ_BYTES)
				break;
		}
		/* The largest peek, over all the blocks there are. */
		got = input_peek_some(&in, INPUT_BUFFER_BYTES);
		ROW_INT(&pulls[i], got >= INPUT_BUFFER_BYTES, 1);
		assert_pattern(in.pos, at, got);
		input_consume(&in, got);
		at += got;
		ROW_INT(&pulls[i], input_skip(&in, from + size - at), ST_OK);
		ROW_INT(&pulls[i], in.offset, from + size);
		assert_null(input_peek(&in, 1));
		assert_null(input_peek(&in, 1)); /* the end stays the end */
		ROW_INT(&pulls[i], input_skip(&in, 1), ST_TRUNCATED);
		ROW_INT(&pulls[i], error.status, ST_OK);
		ROW_TRUE(&pulls[i], maker.calls_at_end > 0);
		input_close(&in);
	}
}

/* What came before the failure can be had, the failure is the maker's own. */
UNIT_TEST(pull_fails)
{
	struct error error = { ST_OK, 0, "" };
	struct maker maker = {
		.end = 100000, .fails = 5000, .piece = 1000, .error = &error
	};
	struct input in;
	uint8_t bytes[6000];

	assert_int_equal(input_open_pull(&in, make, &maker, 0, &error), ST_OK);
	assert_int_equal(input_peek_some(&in, 6000), 5000);
	assert_int_equal(error.status, ST_CORRUPT);
	assert_string_equal(error.text, "no more");
	assert_null(input_peek(&in, 5001));
	assert_non_null(input_peek(&in, 5000));
	assert_int_equal(input_read(&in, bytes, 5000), ST_OK);
	assert_pattern(bytes, 0, 5000);
	assert_int_equal(input_read(&in, bytes, 1), ST_CORRUPT);
	assert_int_equal(error.offset, 5000);
	input_close(&in);
	input_close(&in);
}

/* Nothing at all, and nothing to be streamed. */
UNIT_TEST(pull_nothing)
{
	struct maker maker = { .at = 0 };
	struct error error = { ST_OK, 0, "" };
	struct input in;

	assert_int_equal(input_open_pull(&in, make, &maker, 0, &error), ST_OK);
	input_stream(&in);
	assert_int_equal(input_peek_some(&in, 10), 0);
	assert_null(input_peek(&in, 1));
	assert_int_equal(input_skip(&in, 0), ST_OK);
	assert_int_equal(input_skip(&in, 1), ST_TRUNCATED);
	assert_int_equal(error.status, ST_OK);
	input_close(&in);
}

/* --- what cannot be read --- */

static const struct {
	int line;
	const char *path;
	enum status status;
	const char *text;
} refused[] = {
	{ ROW, "/nonexistent/trace", ST_IO, "cannot open: No such file or directory" },
	{ ROW, "/", ST_UNSUPPORTED, "is a directory, expected a trace file" },
};

UNIT_TEST(refused)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct error error = { ST_OK, 0, "" };
		struct input in;

		ROW_INT(&refused[i], input_open(&in, refused[i].path, &error),
			refused[i].status);
		ROW_TEXT(&refused[i], error.text, refused[i].text);
		input_close(&in); /* again is harmless */
	}
}

/* No process writes to the FIFO: opening it to read would wait for ever. */
UNIT_TEST(only_regular_files)
{
	static const char *const others[] = { "fifo", "folder", "link" };
	struct error error = { ST_OK, 0, "" };
	struct input in;

	unit_directory();
	unit_folder("folder");
	unit_write_file(unit_path("file"), "bytes", 5);
	assert_int_equal(mkfifo(unit_path("fifo"), 0600), 0);
	assert_int_equal(symlink("fifo", unit_path("link")), 0);
	for (size_t i = 0; i < COUNT(others); i++) {
		error = (struct error){ ST_OK, 0, "" };
		assert_int_equal(input_open_regular(&in, unit_path(others[i]), &error),
				 ST_UNSUPPORTED);
		assert_string_equal(error.text, "is not a regular file");
		input_close(&in); /* again is harmless */
	}
	error = (struct error){ ST_OK, 0, "" };
	assert_int_equal(input_open_regular(&in, unit_path("none"), &error), ST_IO);
	assert_string_equal(error.text, "cannot open: No such file or directory");
	error = (struct error){ ST_OK, 0, "" };
	assert_int_equal(input_open_regular(&in, unit_path("file"), &error), ST_OK);
	assert_memory_equal(input_peek(&in, 5), "bytes", 5);
	input_close(&in);
}

/* A file whose bytes the system will not give: the memory at address 0. */
UNIT_TEST(read_error)
{
	struct error error = { ST_OK, 0, "" };
	struct input in;
	uint8_t byte;

	assert_int_equal(input_open(&in, "/proc/self/mem", &error), ST_OK);
	assert_null(input_peek(&in, 1));
	assert_int_equal(error.status, ST_IO);
	assert_string_equal(error.text, "cannot read at 0x0: Input/output error");
	assert_int_equal(input_read(&in, &byte, 1), ST_IO);
	input_close(&in);
}

/* A connection that its other end resets. */
UNIT_TEST(read_error_after_bytes)
{
	struct error error = { ST_OK, 0, "" };
	struct input in;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(write(ends[0], "unread", 6), 6);
	assert_int_equal(write(ends[1], "bytes", 5), 5);
	close(ends[1]);
	assert_int_equal(input_open_fd(&in, ends[0], &error), ST_OK);
	assert_non_null(input_peek(&in, 5));
	input_consume(&in, 2);
	assert_null(input_peek(&in, 4));
	assert_string_equal(error.text, "cannot read at 0x5: Connection reset by peer");
	assert_int_equal(error.offset, 5);
	input_close(&in);
}

UNIT_TEST(empty)
{
	struct error error = { ST_OK, 0, "" };
	struct input in;

	input_open_memory(&in, "", 0, &error);
	assert_null(input_peek(&in, 1));
	assert_int_equal(input_seek(&in, 0), ST_OK);
	assert_int_equal(input_skip(&in, 1), ST_TRUNCATED);
	input_close(&in);

	unit_write_file(unit_path("empty"), "", 0);
	assert_int_equal(input_open(&in, unit_path("empty"), &error), ST_OK);
	assert_int_equal(in.size, 0);
	assert_null(input_peek(&in, 1));
	assert_int_equal(error.status, ST_OK);
	input_close(&in);
}

/* A file that shrinks while it is read is a truncation. */
UNIT_CASE(shrinking, struct fixture *f)
{
	const char *path = unit_path("shrinking");
	struct error error = { ST_OK, 0, "" };
	struct input in;

	unit_write_file(path, f->bytes, PATTERN_BYTES);
	assert_int_equal(input_open(&in, path, &error), ST_OK);
	assert_int_equal(truncate(path, 1000), 0);
	assert_int_equal(input_peek_some(&in, 2000), 1000);
	assert_null(input_peek(&in, 1001));
	assert_int_equal(input_seek(&in, 5000), ST_OK);
	assert_null(input_peek(&in, 1));
	assert_int_equal(error.status, ST_OK);
	input_close(&in);
}

/* --- standard input --- */

struct from_stdin {
	const char *path;
	off_t from;
};

/* Reads "-"; the file's bytes up to `from` have been read by another process. */
static int read_stdin(void *context)
{
	struct from_stdin *want = context;
	struct error error = { ST_OK, 0, "" };
	struct input in;
	const uint8_t *at;
	bool right;
	int fd = open(want->path, O_RDONLY);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 || lseek(fd, want->from, SEEK_SET) < 0)
		return 10;
	if (input_open(&in, "-", &error) != ST_OK)
		return 11;
	at = input_peek(&in, 4);
	right = at && in.seekable && in.offset == (uint64_t)want->from &&
		at[0] == pattern((uint64_t)want->from);
	input_close(&in);
	/* Borrowed, not ours to close. */
	return right && fcntl(STDIN_FILENO, F_GETFD) >= 0 ? 0 : 12;
}

UNIT_CASE(stdin, struct fixture *f)
{
	struct unit_output output;

	unit_capture(read_stdin, &(struct from_stdin){ f->path, 0 }, &output);
	assert_int_equal(output.status, 0);
	unit_capture(read_stdin, &(struct from_stdin){ f->path, 777 }, &output);
	assert_int_equal(output.status, 0);
}

/* A signal that was caught ends the reading, with its own status. */
static int read_interrupted(void *path)
{
	struct error error = { ST_OK, 0, "" };
	struct input in;
	bool right;

	os_catch_interrupts();
	if (input_open(&in, path, &error) != ST_OK || !input_peek(&in, 1))
		return 10;
	raise(SIGTERM);
	right = !input_peek(&in, INPUT_BUFFER_BYTES) && error.status == ST_INTERRUPTED;
	input_close(&in);
	if (!right || !os_interrupted())
		return 11;
	os_die_of_interrupt();
	return 12;
}

UNIT_CASE(interrupted, struct fixture *f)
{
	struct unit_output output;

	unit_capture(read_interrupted, (char *)(uintptr_t)f->path, &output);
	assert_int_equal(output.status, 128 + SIGTERM);
}
