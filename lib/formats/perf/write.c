/* write.c - writes perf.data, as a file that is valid after each round or as a pipe. */
#include "formats/perf/write.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"
#include "formats/perf/layout.h"
#include "formats/perf/write_compressed.h"
#include "formats/perf/write_pieces.h"

#define STUCK_MS 2000
#define PIECES_MAX 512 /* of one writev() */

/* --- bytes out --- */

/* A write that the disk or the reader refuses is reported once. */
static enum status write_failed(struct perf_writer *writer)
{
	writer->pipe_closed = errno == EPIPE;
	return error_set(writer->error, ST_IO, ERROR_NO_OFFSET,
			 "%.120s: cannot write after %llu bytes: %s", writer->path,
			 (unsigned long long)writer->written, strerror(errno));
}

/* When interrupted, do not wait for ever for a reader that does not read. */
static bool is_stuck(const struct perf_writer *writer)
{
	struct pollfd end = { .fd = writer->fd, .events = POLLOUT };

	return writer->is_pipe && os_interrupted() && poll(&end, 1, STUCK_MS) == 0;
}

static enum status write_pieces(struct perf_writer *writer, struct iovec *pieces,
				size_t count)
{
	while (count) {
		int now = count < PIECES_MAX ? (int)count : PIECES_MAX;
		ssize_t got;

		if (is_stuck(writer))
			return error_set(writer->error, ST_IO, ERROR_NO_OFFSET,
					 "its reader does not read: the end is missing");
		got = writer->is_pipe
			      ? writev(writer->fd, pieces, now)
			      : pwritev(writer->fd, pieces, now, (off_t)writer->written);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return write_failed(writer);
		writer->written += (uint64_t)got;
		while (count && (size_t)got >= pieces->iov_len) {
			got -= (ssize_t)pieces->iov_len;
			pieces++;
			count--;
		}
		if (got) {
			pieces->iov_base = (uint8_t *)pieces->iov_base + got;
			pieces->iov_len -= (size_t)got;
		}
	}
	return ST_OK;
}

static enum status write_copies(struct perf_writer *writer, const struct iovec *pieces,
				size_t count)
{
	struct iovec *copy;
	enum status status;

	if (writer->fd < 0) {
		for (size_t i = 0; i < count; i++) {
			bytes_put(writer->memory, pieces[i].iov_base, pieces[i].iov_len);
			writer->written += pieces[i].iov_len;
		}
		return writer->memory->failed ? error_nomem(writer->error) : ST_OK;
	}
	copy = memory_alloc(count * sizeof(*copy));
	if (!copy)
		return error_nomem(writer->error);
	memcpy(copy, pieces, count * sizeof(*copy));
	status = write_pieces(writer, copy, count);
	free(copy);
	return status;
}

static enum status write_bytes(struct perf_writer *writer, const struct bytes *bytes)
{
	struct iovec piece = { bytes->data, bytes->size };

	if (bytes->failed)
		return error_nomem(writer->error);
	return bytes->size ? write_copies(writer, &piece, 1) : ST_OK;
}

/* --- header and table --- */

static void write_section(struct bytes *to, uint64_t offset, uint64_t size)
{
	bytes_u64(to, offset);
	bytes_u64(to, size);
}

/* The header from its data section on: that, event types, features. */
static enum status write_header(struct perf_writer *writer, uint64_t features)
{
	uint64_t fields[] = { writer->data_begin,
			      writer->written - writer->data_begin,
			      0,
			      0,
			      features,
			      0,
			      0,
			      0 };
	ssize_t got;

	do {
		got = pwrite(writer->fd, fields, sizeof(fields), PERF_DATA_SECTION_AT);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(fields) ? ST_OK : write_failed(writer);
}

/* Writes bytes after the data, which do not count as written. */
static enum status write_after_data(struct perf_writer *writer, const struct bytes *bytes)
{
	uint64_t end = writer->written;
	enum status status = write_bytes(writer, bytes);

	if (status != ST_OK) /* what cannot be cut off is still in no section */
		(void)!ftruncate(writer->fd, (off_t)end);
	writer->written = end;
	return status;
}

/* Makes the file valid as it is: the table of the description, then the header. */
static enum status settle(struct perf_writer *writer)
{
	struct bytes table = { .data = NULL };
	uint64_t features = 0;
	enum status status;

	if (writer->is_pipe)
		return ST_OK;
	for (size_t i = 0; i < PERF_WRITE_FEATURES; i++)
		if (writer->sections[i].size) {
			write_section(&table, writer->sections[i].offset,
				      writer->sections[i].size);
			features |= UINT64_C(1) << i;
		}
	status = write_after_data(writer, &table);
	bytes_release(&table);
	return status == ST_OK ? write_header(writer, features) : status;
}

/* --- opening --- */

enum status perf_writer_open(struct perf_writer *writer, const char *path, int level,
			     struct error *error)
{
	const char *why = NULL;
	struct stat info;

	*writer =
		(struct perf_writer){ .path = path, .fd = STDOUT_FILENO, .error = error };
	if (strcmp(path, "-") != 0) {
		writer->fd = os_open_output(path, &why);
		if (writer->fd < 0)
			return error_set(error, ST_IO, ERROR_NO_OFFSET,
					 "%.160s: cannot create: %s", path, why);
	} else if (isatty(STDOUT_FILENO)) {
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"standard output is a terminal, and a trace is not text: "
			"pipe it into perftab-analyze -, or name a file");
	}
	/* Outputs that do not seek get the pipe form. */
	writer->is_pipe = strcmp(path, "-") == 0 || fstat(writer->fd, &info) != 0 ||
			  !S_ISREG(info.st_mode);
	return level ? perf_compressor_open(&writer->compressor, level, error) : ST_OK;
}

void perf_writer_open_memory(struct perf_writer *writer, struct bytes *memory,
			     struct error *error)
{
	*writer = (struct perf_writer){
		.fd = -1, .is_pipe = true, .memory = memory, .error = error
	};
}

/* --- the beginning --- */

/*
 * Header, attributes, ids.  The data section's place is filled in by write_header(); 4
 * bytes of nothing let it begin at a multiple of 8, which TRACING_DATA's record is not.
 */
static void write_file_head(struct bytes *to, const struct perf_write_facts *facts)
{
	uint32_t attr = perf_write_attr_bytes(facts) + PERF_SECTION_BYTES;
	uint64_t attrs = (uint64_t)facts->event_count * attr;
	uint64_t ids_at = PERF_HEADER_BYTES + attrs;

	bytes_u64(to, PERF_MAGIC);
	bytes_u64(to, PERF_HEADER_BYTES);
	bytes_u64(to, attr);
	write_section(to, PERF_HEADER_BYTES, attrs);
	write_section(to, 0, 0);
	write_section(to, 0, 0);
	bytes_zero(to, 32);
	for (size_t i = 0; i < facts->event_count; i++) {
		uint64_t size = facts->events[i].id_count * sizeof(uint64_t);

		perf_write_attr(to, facts, i);
		write_section(to, ids_at, size);
		ids_at += size;
	}
	for (size_t i = 0; i < facts->event_count; i++)
		perf_write_ids(to, &facts->events[i]);
	if (facts->tracing_data.len)
		bytes_zero(to, 4);
}

static void write_pipe_head(struct bytes *to, const struct perf_write_facts *facts)
{
	bytes_u64(to, PERF_MAGIC);
	bytes_u64(to, PERF_PIPE_HEADER_BYTES);
	perf_write_attr_records(to, facts);
}

enum status perf_writer_begin(struct perf_writer *writer,
			      const struct perf_write_facts *facts)
{
	struct perf_write_facts early = *facts;
	struct bytes head = { .data = NULL };
	enum status status;

	early.unfinished = !writer->is_pipe;
	if (writer->is_pipe)
		write_pipe_head(&head, facts);
	else
		write_file_head(&head, facts);
	perf_write_description(&head, &early, writer->sections);
	writer->data_begin = head.size;
	perf_write_units(&head, facts);
	perf_write_id_index(&head, facts);
	status = write_bytes(writer, &head);
	bytes_release(&head);
	return status == ST_OK ? settle(writer) : status;
}

/* --- records --- */

static const struct {
	uint32_t type;
	uint16_t misc, size;
} round_end = { PERF_RECORD_FINISHED_ROUND, 0, PERF_RECORD_HEADER_BYTES };

static enum status write_round(struct perf_writer *writer, const struct iovec *pieces,
			       size_t count)
{
	struct bytes end = { .data = NULL };
	enum status status = write_copies(writer, pieces, count);

	bytes_put(&end, &round_end, sizeof(round_end));
	if (status == ST_OK)
		status = write_bytes(writer, &end);
	bytes_release(&end);
	return status == ST_OK ? settle(writer) : status;
}

/* Where the table after the data ends. */
static uint64_t end_of_table(const struct perf_writer *writer)
{
	uint64_t end = writer->written;

	for (size_t i = 0; i < PERF_WRITE_FEATURES; i++)
		end += writer->sections[i].size ? PERF_SECTION_BYTES : 0;
	return end;
}

/* Makes the file valid again with only so many bytes of what failed. */
static enum status cut(struct perf_writer *writer, uint64_t before, uint64_t kept,
		       const struct bytes *end)
{
	enum status status = ST_OK;

	writer->kept = kept;
	writer->written = before + kept;
	if (kept)
		status = write_bytes(writer, end);
	if (status == ST_OK)
		status = settle(writer);
	if (status == ST_OK && ftruncate(writer->fd, (off_t)end_of_table(writer)) != 0)
		status = write_failed(writer);
	return status;
}

/*
 * After a failure: the file keeps the records that were written whole, up to where the
 * end of the round and the table find room in bytes that the disk already gave.  If even
 * these cannot be written, the file ends with the round before.
 */
static void keep_part(struct perf_writer *writer, uint64_t before,
		      const struct iovec *pieces, size_t count)
{
	struct bytes end = { .data = NULL };
	uint64_t room = writer->written - before, tail, kept = 0;

	if (writer->is_pipe)
		return;
	/* Compressed records may end inside of one: no other may follow. */
	if (!writer->compressor)
		bytes_put(&end, &round_end, sizeof(round_end));
	tail = end_of_table(writer) - writer->written + end.size;
	if (room > tail)
		kept = perf_pieces_walk(pieces, count, room - tail, NULL, NULL);
	if (kept == 0 || cut(writer, before, kept, &end) != ST_OK)
		writer->is_broken = cut(writer, before, 0, &end) != ST_OK;
	bytes_release(&end);
}

static void count_one(void *context, const struct perf_record_head *head)
{
	(void)head;
	++*(uint64_t *)context;
}

/* How much of the pieces is in the first `kept` bytes of what they were packed to. */
static uint64_t unpacked_part(const struct iovec *pieces, size_t count,
			      const struct iovec *packed, uint64_t kept)
{
	uint64_t records = 0, bytes = 0;

	(void)perf_pieces_walk(packed, 1, kept, count_one, &records);
	for (size_t i = 0; i < count; i++)
		for (size_t left = pieces[i].iov_len; left && records; records--) {
			size_t part =
				left < PERF_COMPRESS_BYTES ? left : PERF_COMPRESS_BYTES;

			bytes += part;
			left -= part;
		}
	return bytes;
}

/* The sizes of such records are not multiples of 8: readers expect that. */
static enum status add_compressed(struct perf_writer *writer, const struct iovec *pieces,
				  size_t count)
{
	struct bytes packed = { .data = NULL };
	uint64_t before = writer->written;
	enum status status = ST_OK;

	for (size_t i = 0; i < count && status == ST_OK; i++) {
		writer->unpacked += pieces[i].iov_len;
		status = perf_compressor_write(writer->compressor, &packed,
					       pieces[i].iov_base, pieces[i].iov_len,
					       writer->error);
	}
	if (status == ST_OK) {
		struct iovec piece = { packed.data, packed.size };

		status = write_round(writer, &piece, 1);
		if (status != ST_OK) {
			keep_part(writer, before, &piece, 1);
			writer->kept = unpacked_part(pieces, count, &piece, writer->kept);
		}
	}
	bytes_release(&packed);
	return status;
}

enum status perf_writer_add_round(struct perf_writer *writer, const struct iovec *pieces,
				  size_t count)
{
	uint64_t before = writer->written;
	enum status status;

	if (writer->compressor)
		return add_compressed(writer, pieces, count);
	status = write_round(writer, pieces, count);
	if (status != ST_OK)
		keep_part(writer, before, pieces, count);
	return status;
}

enum status perf_writer_add(struct perf_writer *writer, const struct bytes *records)
{
	struct iovec piece = { records->data, records->size };
	uint64_t before = writer->written;
	enum status status = write_bytes(writer, records);

	if (status == ST_OK)
		status = settle(writer);
	if (status != ST_OK)
		keep_part(writer, before, &piece, 1);
	return status;
}

/* --- finishing --- */

/* A {offset, size} for each feature, in order, then their contents. */
static uint64_t write_features(struct bytes *to, uint64_t at,
			       const struct perf_write_facts *facts)
{
	struct bytes contents = { .data = NULL };
	size_t ends[PERF_WRITE_FEATURES];
	uint64_t bits = 0, place;

	for (size_t i = 0; i < PERF_WRITE_FEATURES; i++) {
		if (perf_write_feature(&contents, (unsigned int)i, facts))
			bits |= UINT64_C(1) << i;
		ends[i] = contents.size;
	}
	place = at + PERF_SECTION_BYTES * (uint64_t)__builtin_popcountll(bits);
	for (size_t i = 0; i < PERF_WRITE_FEATURES; i++)
		if (bits >> i & 1) {
			size_t from = i ? ends[i - 1] : 0;

			write_section(to, place + from, ends[i] - from);
		}
	bytes_put(to, contents.data, contents.size);
	to->failed |= contents.failed;
	bytes_release(&contents);
	return bits;
}

enum status perf_writer_finish(struct perf_writer *writer, struct perf_write_facts *facts)
{
	struct bytes features = { .data = NULL };
	uint64_t bits, records = writer->written - writer->data_begin;
	enum status status;

	if (writer->is_pipe)
		return ST_OK;
	if (writer->compressor && records)
		facts->packed = (uint32_t)(writer->unpacked / records);
	bits = write_features(&features, writer->written, facts);
	status = write_after_data(writer, &features);
	if (status == ST_OK)
		status = write_header(writer, bits);
	else
		(void)settle(writer);
	writer->written += status == ST_OK ? features.size : 0;
	bytes_release(&features);
	return status;
}

void perf_writer_close(struct perf_writer *writer)
{
	if (writer->fd > STDERR_FILENO) {
		if (!writer->is_pipe && writer->written == 0) /* no trace at all */
			(void)unlink(writer->path);
		close(writer->fd);
	}
	perf_compressor_close(writer->compressor);
	*writer = (struct perf_writer){ .fd = -1 };
}
