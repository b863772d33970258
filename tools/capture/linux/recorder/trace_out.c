/*
 * trace_out.c - writes perf.data, as a file that is valid after each round or as a pipe.
 */
#include "capture/linux/recorder/trace_out.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "capture/linux/recorder/trace_pack.h"

#define STUCK_MS 2000
#define MAGIC UINT64_C(0x32454c4946524550) /* PERFILE2, in this machine's byte order */
#define FILE_HEADER_BYTES 104
#define PIPE_HEADER_BYTES 16
#define DATA_AT 40     /* where the header tells of the data section */
#define PIECES_MAX 512 /* of one writev() */

/* --- bytes out --- */

/* A call that the disk or the reader did not take whole is told once. */
static enum status write_failed(struct trace_out *out)
{
	out->had_enough = errno == EPIPE;
	return error_set(out->error, ST_IO, ERROR_NO_OFFSET,
			 "%.120s: cannot write after %llu bytes: %s", out->path,
			 (unsigned long long)out->written, strerror(errno));
}

/* Once we are to stop, a reader that takes nothing is not waited for for ever. */
static bool is_stuck(const struct trace_out *out)
{
	struct pollfd end = { .fd = out->fd, .events = POLLOUT };

	return out->is_pipe && os_interrupted() && poll(&end, 1, STUCK_MS) == 0;
}

static enum status write_pieces(struct trace_out *out, struct iovec *pieces, size_t count)
{
	while (count) {
		int now = count < PIECES_MAX ? (int)count : PIECES_MAX;
		ssize_t got;

		if (is_stuck(out))
			return error_set(out->error, ST_IO, ERROR_NO_OFFSET,
					 "its reader takes nothing: the end is missing");
		got = out->is_pipe ? writev(out->fd, pieces, now)
				   : pwritev(out->fd, pieces, now, (off_t)out->written);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return write_failed(out);
		out->written += (uint64_t)got;
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

static enum status put_pieces(struct trace_out *out, const struct iovec *pieces,
			      size_t count)
{
	struct iovec *copy;
	enum status status;

	if (out->fd < 0) {
		for (size_t i = 0; i < count; i++) {
			bytes_put(out->memory, pieces[i].iov_base, pieces[i].iov_len);
			out->written += pieces[i].iov_len;
		}
		return out->memory->failed ? error_nomem(out->error) : ST_OK;
	}
	copy = malloc(count * sizeof(*copy));
	if (!copy)
		return error_nomem(out->error);
	memcpy(copy, pieces, count * sizeof(*copy));
	status = write_pieces(out, copy, count);
	free(copy);
	return status;
}

static enum status put_bytes(struct trace_out *out, const struct bytes *bytes)
{
	struct iovec piece = { bytes->data, bytes->size };

	if (bytes->failed)
		return error_nomem(out->error);
	return bytes->size ? put_pieces(out, &piece, 1) : ST_OK;
}

/* --- header and table --- */

static void put_section(struct bytes *to, uint64_t offset, uint64_t size)
{
	bytes_u64(to, offset);
	bytes_u64(to, size);
}

/* From where the header tells of the data section on: that, event types, features. */
static enum status write_header(struct trace_out *out, uint64_t features)
{
	uint64_t fields[] = {
		out->data_begin, out->written - out->data_begin, 0, 0, features, 0, 0, 0
	};
	ssize_t got;

	do {
		got = pwrite(out->fd, fields, sizeof(fields), DATA_AT);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(fields) ? ST_OK : write_failed(out);
}

/* Bytes behind the data, which do not count as written. */
static enum status put_behind(struct trace_out *out, const struct bytes *bytes)
{
	uint64_t end = out->written;
	enum status status = put_bytes(out, bytes);

	if (status != ST_OK)
		(void)ftruncate(out->fd, (off_t)end);
	out->written = end;
	return status;
}

/* The trace is whole as it stands: a table of what stands before the data, the header. */
static enum status settle(struct trace_out *out)
{
	struct bytes table = { .data = NULL };
	uint64_t features = 0;
	enum status status;

	if (out->is_pipe)
		return ST_OK;
	for (int i = 0; i < TRACE_FEATURES; i++)
		if (out->sections[i].size) {
			put_section(&table, out->sections[i].offset,
				    out->sections[i].size);
			features |= UINT64_C(1) << i;
		}
	status = put_behind(out, &table);
	bytes_release(&table);
	return status == ST_OK ? write_header(out, features) : status;
}

/* --- opening --- */

enum status trace_out_open(struct trace_out *out, const char *path, int level,
			   struct error *error)
{
	const char *why = NULL;
	struct stat info;

	*out = (struct trace_out){ .path = path, .fd = STDOUT_FILENO, .error = error };
	if (strcmp(path, "-") != 0) {
		out->fd = os_open_output(path, &why);
		if (out->fd < 0)
			return error_set(error, ST_IO, ERROR_NO_OFFSET,
					 "%.160s: cannot create: %s", path, why);
	} else if (isatty(STDOUT_FILENO)) {
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"standard output is a terminal, and a trace is not text: "
			"pipe it into perftab-analyze -, or name a file");
	}
	/* What cannot be gone back in gets the form that never goes back. */
	out->is_pipe = strcmp(path, "-") == 0 || fstat(out->fd, &info) != 0 ||
		       !S_ISREG(info.st_mode);
	return level ? trace_packer_open(&out->packer, level, error) : ST_OK;
}

void trace_out_open_memory(struct trace_out *out, struct bytes *memory,
			   struct error *error)
{
	*out = (struct trace_out){
		.fd = -1, .is_pipe = true, .memory = memory, .error = error
	};
}

/* --- the beginning --- */

/*
 * Header, attributes, ids.  The data section's place is filled in by write_header(); 4
 * bytes of nothing let it begin at a multiple of 8, which TRACING_DATA's record is not.
 */
static void put_file_head(struct bytes *to, const struct trace_facts *facts)
{
	const struct counters *c = facts->counters;
	uint32_t attr = trace_attr_bytes(c) + 16;
	uint64_t ids_at = FILE_HEADER_BYTES + (uint64_t)c->event_count * attr;
	struct bytes ids = { .data = NULL };

	bytes_u64(to, MAGIC);
	bytes_u64(to, FILE_HEADER_BYTES);
	bytes_u64(to, attr);
	put_section(to, FILE_HEADER_BYTES, (uint64_t)c->event_count * attr);
	put_section(to, 0, 0);
	put_section(to, 0, 0);
	bytes_zero(to, 32);
	for (size_t i = 0; i < c->event_count; i++) {
		size_t before = ids.size;

		trace_put_attr(to, c, i);
		trace_put_ids(&ids, &c->events[i], c->instances);
		put_section(to, ids_at + before, ids.size - before);
	}
	bytes_put(to, ids.data, ids.size);
	if (facts->tracing_data->size)
		bytes_zero(to, 4);
	to->failed |= ids.failed;
	bytes_release(&ids);
}

static void put_pipe_head(struct bytes *to, const struct trace_facts *facts)
{
	bytes_u64(to, MAGIC);
	bytes_u64(to, PIPE_HEADER_BYTES);
	trace_put_attr_records(to, facts->counters);
}

enum status trace_out_begin(struct trace_out *out, const struct trace_facts *facts)
{
	struct trace_facts early = *facts;
	struct bytes head = { .data = NULL };
	enum status status;

	early.unfinished = !out->is_pipe;
	if (out->is_pipe)
		put_pipe_head(&head, facts);
	else
		put_file_head(&head, facts);
	trace_put_description(&head, &early, out->sections);
	out->data_begin = head.size;
	trace_put_id_index(&head, facts->counters);
	status = put_bytes(out, &head);
	bytes_release(&head);
	return status == ST_OK ? settle(out) : status;
}

/* --- records --- */

enum status trace_out_own(struct trace_out *out, const struct bytes *records)
{
	enum status status = put_bytes(out, records);

	return status == ST_OK ? settle(out) : status;
}

static const struct {
	uint32_t type;
	uint16_t misc, size;
} round_end = { TRACE_FINISHED_ROUND, 0, 8 };

static enum status put_packed(struct trace_out *out, const struct iovec *pieces,
			      size_t count)
{
	struct bytes packed = { .data = NULL };
	enum status status = ST_OK;

	for (size_t i = 0; i < count && status == ST_OK; i++) {
		out->unpacked += pieces[i].iov_len;
		status = trace_packer_put(out->packer, &packed, pieces[i].iov_base,
					  pieces[i].iov_len, out->error);
	}
	/* Records of this size are no multiple of 8: who reads it expects that. */
	bytes_put(&packed, &round_end, sizeof(round_end));
	if (status == ST_OK)
		status = put_bytes(out, &packed);
	bytes_release(&packed);
	return status;
}

static enum status put_plain(struct trace_out *out, const struct iovec *pieces,
			     size_t count)
{
	struct bytes end = { .data = NULL };
	enum status status = put_pieces(out, pieces, count);

	bytes_put(&end, &round_end, sizeof(round_end));
	if (status == ST_OK)
		status = put_bytes(out, &end);
	bytes_release(&end);
	return status;
}

enum status trace_out_round(struct trace_out *out, const struct iovec *pieces,
			    size_t count)
{
	uint64_t before = out->written;
	enum status status = out->packer ? put_packed(out, pieces, count)
					 : put_plain(out, pieces, count);

	if (status == ST_OK)
		status = settle(out);
	/* Half a round is none: the file ends with the one before it. */
	if (status != ST_OK && !out->is_pipe && ftruncate(out->fd, (off_t)before) == 0) {
		out->written = before;
		(void)settle(out);
	}
	return status;
}

/* --- the end --- */

/* A {offset, size} for each feature, in order, then their contents. */
static uint64_t put_features(struct bytes *to, uint64_t at,
			     const struct trace_facts *facts)
{
	struct bytes contents = { .data = NULL };
	size_t ends[TRACE_FEATURES];
	uint64_t bits = 0, place;

	for (int i = 0; i < TRACE_FEATURES; i++) {
		if (trace_put_feature(&contents, (enum trace_feature)i, facts))
			bits |= UINT64_C(1) << i;
		ends[i] = contents.size;
	}
	place = at + 16 * (uint64_t)__builtin_popcountll(bits);
	for (int i = 0; i < TRACE_FEATURES; i++)
		if (bits >> i & 1) {
			size_t from = i ? ends[i - 1] : 0;

			put_section(to, place + from, ends[i] - from);
		}
	bytes_put(to, contents.data, contents.size);
	to->failed |= contents.failed;
	bytes_release(&contents);
	return bits;
}

enum status trace_out_finish(struct trace_out *out, struct trace_facts *facts)
{
	struct bytes features = { .data = NULL };
	uint64_t bits, records = out->written - out->data_begin;
	enum status status;

	if (out->is_pipe)
		return ST_OK;
	if (out->packer && records)
		facts->packed = (uint32_t)(out->unpacked / records);
	bits = put_features(&features, out->written, facts);
	status = put_behind(out, &features);
	if (status == ST_OK)
		status = write_header(out, bits);
	else
		(void)settle(out);
	out->written += status == ST_OK ? features.size : 0;
	bytes_release(&features);
	return status;
}

void trace_out_close(struct trace_out *out)
{
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	trace_packer_close(out->packer);
	*out = (struct trace_out){ .fd = -1 };
}
