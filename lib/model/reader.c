/* reader.c - probes an input for its format and opens the reader of it. */
#include "model/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "model/unpack.h"

#define PATH_BYTES 4096
#define PATTERN_BYTES 140

/* The format with the highest probe result for the first bytes, or NULL. */
static const struct reader_ops *recognise(struct reader *reader,
					  const struct reader_ops *const *formats)
{
	const struct reader_ops *best = NULL;
	int best_score = 0;
	size_t len = input_peek_some(&reader->input, READER_PROBE_BYTES);
	const uint8_t *head = reader->input.pos;

	if (len > READER_PROBE_BYTES)
		len = READER_PROBE_BYTES;
	for (; *formats; formats++) {
		int score = (*formats)->probe(head, len);

		if (score > best_score) {
			best = *formats;
			best_score = score;
		}
	}
	return best;
}

/* UTF-16, as the shells of Windows write redirected text. */
static bool is_utf16(const struct reader *reader)
{
	const uint8_t *head = reader->input.pos;

	return input_buffered(&reader->input) >= 2 &&
	       ((head[0] == 0xff && head[1] == 0xfe) ||
		(head[0] == 0xfe && head[1] == 0xff));
}

/* The program that unpacks it, or NULL. */
static const char *unpacker(const struct reader *reader)
{
	static const struct {
		const char *magic;
		size_t bytes;
		const char *program;
	} packers[] = {
		{ "\xfd\x37zXZ", 5, "unxz" },	    { "BZh", 3, "bunzip2" },
		{ "PK\x03\x04", 4, "unzip" },	    { "7z\xbc\xaf", 4, "7z x" },
		{ "\x1f\x8b", 2, "gunzip" },	    { "\x28\xb5\x2f\xfd", 4, "unzstd" },
		{ "\x04\x22\x4d\x18", 4, "unlz4" },
	};
	const uint8_t *head = reader->input.pos;

	for (size_t i = 0; i < ARRAY_COUNT(packers); i++)
		if (input_buffered(&reader->input) >= packers[i].bytes &&
		    memcmp(head, packers[i].magic, packers[i].bytes) == 0)
			return packers[i].program;
	return NULL;
}

/*
 * A format may treat a failed read as the end of the input, and go on after a failed
 * allocation.  Neither is damage of the input, so both end the reading here.
 */
static enum status system_failure(struct reader *reader, enum status status)
{
	enum status seen;

	if (status >= ST_OK && memory_failed())
		error_nomem(&reader->error);
	seen = reader->error.status;
	return status >= ST_OK && (seen == ST_IO || seen == ST_NOMEM) ? seen : status;
}

static enum status open_format(struct reader *reader,
			       const struct reader_ops *const *formats)
{
	const struct reader_ops *ops;

	(void)input_peek_some(&reader->input, READER_PROBE_BYTES);
	if (unpack_probe(reader->input.pos, input_buffered(&reader->input)) &&
	    unpack_open(reader) != ST_OK)
		return reader->error.status;
	ops = recognise(reader, formats);
	if (reader->error.status < ST_OK)
		return reader->error.status;
	if (!ops && input_buffered(&reader->input) == 0)
		return error_set(&reader->error, ST_TRUNCATED, ERROR_NO_OFFSET,
				 "is empty, expected a trace");
	if (!ops && is_utf16(reader))
		return error_set(
			&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"no known trace format: a text in UTF-16, expected UTF-8; "
			"'iconv -f UTF-16 -t UTF-8' converts it, in PowerShell "
			"'Get-Content FILE | Set-Content -Encoding utf8 NEW'");
	if (!ops && unpacker(reader))
		return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "is packed: unpack it first, with %s", unpacker(reader));
	if (!ops)
		return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "unknown trace format: the first bytes are those of "
				 "neither a perf.data file, an .etl, xperf text, a "
				 "PerfLib bundle or block, a PDH-CSV nor a perftab "
				 "database");
	reader->state = memory_alloc_zeroed(1, ops->state_size);
	if (!reader->state)
		return error_nomem(&reader->error);
	reader->ops = ops;
	return system_failure(reader, ops->open(reader));
}

/*
 * Whether there are files of runs in a directory, as perftab-capture --repeat names them,
 * and a pattern for those of the first name.
 */
static bool find_runs(const char *path, char pattern[PATTERN_BYTES])
{
	struct os_folder *folder = os_folder_open(path);
	const char *name;
	size_t length;

	*pattern = 0;
	while (folder && (name = os_folder_next(folder)) != NULL) {
		length = strlen(name);
		if (length > 5 && length < PATTERN_BYTES - 1 &&
		    strcmp(name + length - 5, ".data") == 0 &&
		    (!*pattern || strcmp(name, pattern) < 0))
			memcpy(pattern, name, length + 1);
	}
	if (folder)
		os_folder_close(folder);
	if (!*pattern)
		return false;
	length = strlen(pattern) - 5;
	while (length > 0 && pattern[length - 1] >= '0' && pattern[length - 1] <= '9')
		length--;
	memcpy(pattern + length, "*.data", 7);
	return true;
}

/* `inside` is what is wrong with the file `data` in it. */
static enum status report_directory(struct reader *reader, const struct error *inside)
{
	bool has_runs, is_regular = inside->status != ST_UNSUPPORTED;
	char pattern[PATTERN_BYTES];

	has_runs = find_runs(reader->path, pattern);
	if (!has_runs && is_regular)
		return reader->error.status;
	reader->error = (struct error){ .status = ST_OK }; /* the first one would stay */
	if (!has_runs)
		return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "is a directory, expected a trace file: the entry "
				 "'data' in it is not a regular file");
	return error_set(
		&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
		"is a directory, expected a trace file: name those in it, such as "
		"%.200s/%s",
		reader->path, pattern);
}

/* A trace that is a directory is described by its file `data`. */
static enum status open_input(struct reader *reader)
{
	struct error inside = { .status = ST_OK };
	char path[PATH_BYTES];
	enum status status = input_open(&reader->input, reader->path, &reader->error);

	if (status != ST_UNSUPPORTED || strlen(reader->path) + 6 > sizeof(path))
		return status;
	snprintf(path, sizeof(path), "%s/data", reader->path);
	if (input_open_regular(&reader->input, path, &inside) != ST_OK)
		return report_directory(reader, &inside);
	reader->is_directory = true;
	reader->error = inside;
	reader->input.error = &reader->error;
	return ST_OK;
}

bool reader_is_repeatable(const char *path)
{
	struct os_info info;

	return strcmp(path, "-") != 0 && os_inspect_path(path, &info) &&
	       (info.kind == OS_FILE || info.kind == OS_FOLDER);
}

enum status reader_open(struct reader *reader, const char *path,
			const struct reader_options *options,
			const struct reader_ops *const *formats)
{
	enum status status;

	*reader = (struct reader){ .path = path };
	if (options)
		reader->options = *options;
	status = open_input(reader);
	if (status != ST_OK)
		return status;
	reader->input.more_follow = reader->options.more_follow;
	status = open_format(reader, formats);
	if (status != ST_OK)
		reader_close(reader);
	return status;
}

enum status reader_open_memory(struct reader *reader, const void *bytes, size_t size,
			       const struct reader_options *options,
			       const struct reader_ops *const *formats)
{
	enum status status;

	*reader = (struct reader){ .path = "(memory)" };
	if (options)
		reader->options = *options;
	input_open_memory(&reader->input, bytes, size, &reader->error);
	status = open_format(reader, formats);
	if (status != ST_OK)
		reader_close(reader);
	return status;
}

static enum status open_pull(struct reader *reader, bool is_live, input_pull_fn *pull,
			     void *context, const struct reader_ops *const *formats)
{
	enum status status =
		input_open_pull(&reader->input, pull, context, 0, &reader->error);

	reader->input.is_live = is_live;
	if (status == ST_OK)
		status = open_format(reader, formats);
	if (status != ST_OK)
		reader_close(reader);
	return status;
}

enum status reader_open_pull(struct reader *reader, const char *name, input_pull_fn *pull,
			     void *context, const struct reader_options *options,
			     const struct reader_ops *const *formats)
{
	*reader = (struct reader){ .path = name };
	if (options)
		reader->options = *options;
	return open_pull(reader, false, pull, context, formats);
}

enum status reader_open_live(struct reader *reader, const char *name, input_pull_fn *pull,
			     void *context, const struct reader_options *options,
			     const struct reader_ops *const *formats)
{
	*reader = (struct reader){ .path = name };
	if (options)
		reader->options = *options;
	return open_pull(reader, true, pull, context, formats);
}

enum status reader_next(struct reader *reader, struct record *record)
{
	return system_failure(reader, reader->ops->next(reader, record));
}

bool reader_interrupted(struct reader *reader)
{
	if (!os_interrupted() || reader->input.is_live)
		return false;
	error_set(&reader->error, ST_INTERRUPTED, ERROR_NO_OFFSET, "interrupted");
	return true;
}

void reader_describe(const struct reader *reader, struct arena *arena,
		     struct trace_row *trace)
{
	row_clear(&tables[RECORD_trace], trace);
	trace->path = text_valid_utf8(arena, str_of(reader->path));
	trace->bytes =
		reader->input.size <= INT64_MAX ? (int64_t)reader->input.size : INT_NONE;
}

uint64_t reader_done_bytes(const struct reader *reader)
{
	if (reader->unpack && !reader->input.seekable)
		return unpack_done_bytes(reader->unpack);
	return reader->position ? reader->position : reader->input.offset;
}

uint64_t reader_all_bytes(const struct reader *reader)
{
	uint64_t size = reader->unpack && !reader->input.seekable
				? unpack_all_bytes(reader->unpack)
				: reader->input.size;

	return size == INPUT_SIZE_UNKNOWN ? 0 : size;
}

void reader_close(struct reader *reader)
{
	if (reader->state && reader->ops && reader->ops->close)
		reader->ops->close(reader);
	free(reader->state);
	reader->state = NULL;
	findings_release(&reader->findings);
	input_close(&reader->input);
	unpack_close(reader->unpack);
	reader->unpack = NULL;
}
