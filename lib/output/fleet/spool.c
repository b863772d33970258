/* spool.c - writes a temporary file and reads it once; see spool.h. */
#include "output/fleet/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/temporary.h"

#define BUFFER_BYTES ((size_t)64 << 10)

static enum status failed(struct spool *spool, const char *what)
{
	return error_set(spool->error, ST_IO, ERROR_NO_OFFSET,
			 "cannot %s a temporary file: %s", what, strerror(errno));
}

/* --- the file --- */

static enum status write_file(struct spool *spool, const void *from, size_t size)
{
	if (spool->fd < 0)
		spool->fd = temporary_open();
	if (spool->fd < 0)
		return failed(spool, "create");
	if (!os_write_all_at(spool->fd, from, size, spool->written))
		return failed(spool, "write");
	spool->written += size;
	return ST_OK;
}

static enum status read_file(struct spool *spool, void *to, size_t size)
{
	if (!os_read_all_at(spool->fd, to, size, spool->read))
		return failed(spool, "read");
	spool->read += size;
	return ST_OK;
}

/* --- the buffer --- */

static enum status flush(struct spool *spool)
{
	enum status status =
		spool->end ? write_file(spool, spool->buffer, spool->end) : ST_OK;

	spool->end = 0;
	return status;
}

enum status spool_write(struct spool *spool, const void *from, size_t size)
{
	enum status status = ST_OK;

	if (!spool->buffer)
		spool->buffer = memory_alloc(BUFFER_BYTES);
	if (!spool->buffer)
		return error_nomem(spool->error);
	if (size > BUFFER_BYTES - spool->end)
		status = flush(spool);
	if (status != ST_OK || size > BUFFER_BYTES)
		return status == ST_OK ? write_file(spool, from, size) : status;
	memcpy(spool->buffer + spool->end, from, size);
	spool->end += size;
	return ST_OK;
}

/* The next bytes of the file, as many as there are and fit. */
static enum status fill(struct spool *spool)
{
	uint64_t left = spool->written - spool->read;

	if (left == 0) {
		errno = EIO;
		return failed(spool, "read");
	}
	spool->at = 0;
	spool->end = left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES;
	return read_file(spool, spool->buffer, spool->end);
}

enum status spool_read(struct spool *spool, void *to, size_t size)
{
	uint8_t *next = to;
	enum status status = ST_OK;

	if (!spool->is_read && spool->fd >= 0)
		status = flush(spool);
	spool->is_read = true;
	while (size && status == ST_OK) {
		size_t some = spool->end - spool->at;

		if (some == 0 && size >= BUFFER_BYTES)
			return read_file(spool, next, size);
		if (some == 0) {
			status = fill(spool);
			continue;
		}
		some = some < size ? some : size;
		memcpy(next, spool->buffer + spool->at, some);
		spool->at += some;
		next += some;
		size -= some;
	}
	return status;
}

void spool_close(struct spool *spool)
{
	if (spool->fd >= 0)
		(void)os_close(spool->fd);
	free(spool->buffer);
	*spool = (struct spool){ .fd = -1, .error = spool->error };
}
