/*
 * merge.c - the files of a `perf record --threads` directory, as one stream.
 *
 * data has the header and the recorder's own records; data.0, data.1, ... hold the
 * records of some CPUs each, without a header, in order of time as the kernel wrote them.
 * The next record comes from the file whose next one is the oldest, so the output is in
 * order of time as nearly as the files are, and never out of order within a CPU.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/os.h"
#include "formats/perf/perf.h"

#define PATH_BYTES 4096

struct merge_file {
	char name[16];	    /* in the directory */
	struct input input; /* not of the main file, which is the reader's */
	struct input *raw;
	struct perf_decompressor *decompressor;
	struct input *in; /* what comes out of it */
	int64_t ts_ns;	  /* of its next record */
	uint64_t left;	  /* bytes of the record being copied */
	bool done;
};

struct perf_merge {
	struct reader *reader;
	struct input stream;
	struct merge_file **files;
	size_t count, room;
	struct merge_file *current; /* the one whose record is being copied */
	size_t expected;	    /* files, besides the main one */
	uint64_t made;
	struct perf_segments places;
};

/* --- the next record of a file --- */

/* Ends a file; its remaining bytes are not a whole record. */
static void end_file(struct perf_merge *m, struct merge_file *file)
{
	uint64_t from = file->in->offset;
	size_t rest = input_buffered(file->in);

	if (rest)
		finding_gap(&m->reader->findings, FINDING_TRUNCATED, from, from + rest,
			    "%s of the directory ends at 0x%llx, inside a record",
			    file->name, (unsigned long long)(from + rest));
	input_consume(file->in, rest);
	file->left = 0;
	file->done = true;
}

/* Finds the next record: file->left and ts_ns; done at the end. */
static void find_next(struct perf_merge *m, struct merge_file *file)
{
	struct perf *perf = m->reader->state;

	while (!file->done) {
		const uint8_t *at = input_peek(file->in, PERF_RECORD_HEADER_BYTES);
		struct perf_header header;
		struct perf_extent extent;
		int64_t ts_ns;

		if (!at) {
			end_file(m, file);
			return;
		}
		extent = perf_find_extent(&perf->catalog, at, input_buffered(file->in));
		if (extent.fault) {
			perf_skip_damage(m->reader, file->in, UINT64_MAX, file->name,
					 extent.fault, extent.value);
			continue;
		}
		file->left = extent.whole;
		header = perf_decode_header(at, perf->catalog.big_endian);
		if (!perf_is_kernel_type(header.type))
			return;
		at = input_peek(file->in, extent.record);
		if (!at) {
			end_file(m, file);
			return;
		}
		/* Without a time it keeps its place after the one before it. */
		ts_ns = perf_any_record_time(&perf->catalog, at, &header);
		if (ts_ns != INT_NONE)
			file->ts_ns = ts_ns;
		return;
	}
}

/* --- the stream --- */

static struct merge_file *oldest(struct perf_merge *m)
{
	struct merge_file *best = NULL;

	for (size_t i = 0; i < m->count; i++) {
		struct merge_file *file = m->files[i];

		if (!file->done && (!best || file->ts_ns < best->ts_ns))
			best = file;
	}
	return best;
}

static uint64_t offset_in(const struct merge_file *file)
{
	return file->decompressor
		       ? perf_decompressor_offset(file->decompressor, file->in->offset)
		       : file->in->offset;
}

static ptrdiff_t pull(void *context, uint8_t *to, size_t room)
{
	struct perf_merge *m = context;
	struct merge_file *file = m->current;
	size_t done = 0;

	while (done < room) {
		size_t part;

		if (!file) {
			file = oldest(m);
			if (!file)
				break;
			/* A record is copied whole, if it fits at all. */
			if (done && file->left > room - done)
				break;
			if (!perf_segment_add(&m->places, m->made + done, offset_in(file),
					      true,
					      m->made > 2 * INPUT_BUFFER_BYTES
						      ? m->made - 2 * INPUT_BUFFER_BYTES
						      : 0))
				return -1;
		}
		if (!input_peek(file->in, 1)) {
			file->left = 0;
			file->done = true;
		}
		part = input_buffered(file->in);
		part = part < room - done ? part : room - done;
		part = part < file->left ? part : (size_t)file->left;
		memcpy(to + done, file->in->pos, part);
		input_consume(file->in, part);
		file->left -= part;
		done += part;
		m->current = file->left ? file : NULL;
		if (file->left == 0)
			find_next(m, file);
		file = m->current;
	}
	m->made += done;
	return (ptrdiff_t)done;
}

/* --- opening --- */

static struct merge_file *add_file(struct perf_merge *m)
{
	struct merge_file *file = memory_alloc_zeroed(1, sizeof(*file));

	if (!file || !ARRAY_GROW(m->files, m->room, m->count)) {
		free(file);
		return NULL;
	}
	m->files[m->count++] = file;
	return file;
}

/* Opens the records of a file, decompressed if necessary. */
static enum status open_records(struct perf_merge *m, struct merge_file *file,
				struct input *raw, uint64_t limit)
{
	enum status status;

	file->raw = raw;
	file->ts_ns = INT64_MIN;
	status = perf_decompressor_open(m->reader, raw, limit, &file->decompressor);
	if (status != ST_OK)
		return status;
	file->in = perf_decompressor_stream(file->decompressor);
	find_next(m, file);
	return ST_OK;
}

/* data.N beside the file that is being read; false: there is none. */
static bool path_of(const struct reader *reader, char *path, size_t number)
{
	const char *name = os_base_name(reader->path);
	int folder = reader->is_directory   ? (int)strlen(reader->path)
		     : name == reader->path ? 0
					    : (int)(name - reader->path) - 1;

	if (reader->input.memory || strcmp(reader->path, "-") == 0 ||
	    (size_t)folder + 32 > PATH_BYTES)
		return false;
	snprintf(path, PATH_BYTES, "%.*s%sdata.%zu", folder, reader->path,
		 folder ? "/" : "", number);
	return true;
}

/* *count is one more than the highest N of the files data.N; 0: there are none. */
static enum status count_files(struct reader *reader, size_t *count)
{
	char path[PATH_BYTES];
	char *slash;
	struct os_folder *folder;
	const char *name;

	*count = 0;
	if (!path_of(reader, path, 0))
		return ST_OK;
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	folder = os_folder_open(slash ? path : ".");
	if (!folder)
		return error_set(&reader->error, ST_IO, ERROR_NO_OFFSET,
				 "cannot read the directory: %s", strerror(errno));
	while ((name = os_folder_next(folder))) {
		unsigned int number;
		int end = 0;

		if (sscanf(name, "data.%5u%n", &number, &end) == 1 && name[end] == '\0' &&
		    number < PERF_RINGS_MAX && number >= *count)
			*count = (size_t)number + 1;
	}
	os_folder_close(folder);
	return ST_OK;
}

static enum status open_file(struct perf_merge *m, const char *path, size_t number,
			     struct error *why)
{
	struct reader *reader = m->reader;
	struct perf *perf = reader->state;
	struct merge_file *file;
	struct input input;
	enum status status = input_open_regular(&input, path, why);

	if (status != ST_OK)
		return status;
	file = add_file(m);
	if (!file) {
		input_close(&input);
		return error_nomem(&reader->error);
	}
	snprintf(file->name, sizeof(file->name), "data.%u", (unsigned int)number);
	file->input = input;
	file->input.error = &reader->error;
	if (input.size != INPUT_SIZE_UNKNOWN)
		perf->rows.trace.bytes += (int64_t)input.size;
	return open_records(m, file, &file->input, UINT64_MAX);
}

/* A missing file costs its own records; an I/O error ends the reading. */
static enum status lost_file(struct perf_merge *m, const char *path, size_t number,
			     const struct error *why)
{
	struct reader *reader = m->reader;
	struct os_info info;

	if (why->status != ST_UNSUPPORTED && os_inspect_path(path, &info)) {
		reader->error = *why;
		return why->status;
	}
	finding_report(&reader->findings, FINDING_MISSING_FILE, ERROR_NO_OFFSET,
		       "data.%zu of the directory: %s", number, why->text);
	return ST_OK;
}

static enum status open_files(struct perf_merge *m)
{
	struct reader *reader = m->reader;
	size_t count;
	char path[PATH_BYTES];
	enum status counted = count_files(reader, &count);

	if (counted != ST_OK)
		return counted;

	m->expected = count;
	if (count == 0)
		finding_report(&reader->findings, FINDING_MISSING_FILE, ERROR_NO_OFFSET,
			       "data.0 of the directory and all others are missing");
	for (size_t i = 0; i < count; i++) {
		struct error why = { .status = ST_OK };
		enum status status = path_of(reader, path, i)
					     ? open_file(m, path, i, &why)
					     : ST_UNSUPPORTED;

		if (why.status < ST_OK)
			status = lost_file(m, path, i, &why);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

enum status perf_merge_open(struct reader *reader, uint64_t limit,
			    struct perf_merge **merge)
{
	struct perf_merge *m = memory_alloc_zeroed(1, sizeof(*m));
	struct merge_file *file;
	enum status status;

	if (!m)
		return error_nomem(&reader->error);
	*merge = m;
	m->reader = reader;
	m->made = reader->input.offset;
	file = add_file(m);
	if (!file)
		return error_nomem(&reader->error);
	snprintf(file->name, sizeof(file->name), "data");
	status = open_records(m, file, &reader->input, limit);
	if (status == ST_OK)
		status = open_files(m);
	if (status != ST_OK)
		return status;
	return input_open_pull(&m->stream, pull, m, m->made, &reader->error);
}

void perf_merge_report_missing(struct perf_merge *merge, size_t files)
{
	for (; merge->expected < files; merge->expected++)
		finding_report(
			&merge->reader->findings, FINDING_MISSING_FILE, ERROR_NO_OFFSET,
			"data.%zu of the directory: missing, but listed in ID_INDEX",
			merge->expected);
}

struct input *perf_merge_stream(struct perf_merge *merge)
{
	return &merge->stream;
}

uint64_t perf_merge_offset(const struct perf_merge *merge, uint64_t offset)
{
	return perf_segment_find(&merge->places, offset);
}

void perf_merge_close(struct perf_merge *merge)
{
	if (!merge)
		return;
	input_close(&merge->stream);
	for (size_t i = 0; i < merge->count; i++) {
		struct merge_file *file = merge->files[i];

		perf_decompressor_close(file->decompressor);
		if (file->raw == &file->input)
			input_close(&file->input);
		free(file);
	}
	free(merge->files);
	perf_segments_release(&merge->places);
	free(merge);
}
