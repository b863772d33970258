/* spool.c - writes a temporary file and reads it once; see spool.h. */
#include "output/fleet/spool.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/temporary.h"

static enum status failed(struct spool *spool, const char *what)
{
	return error_set(spool->error, ST_IO, ERROR_NO_OFFSET,
			 "cannot %s a temporary file: %s", what, strerror(errno));
}

enum status spool_write(struct spool *spool, const void *from, size_t size)
{
	const char *at = from;

	if (spool->fd < 0)
		spool->fd = temporary_open();
	if (spool->fd < 0)
		return failed(spool, "create");
	while (size) {
		ptrdiff_t wrote = os_write_at(spool->fd, at, size, spool->written);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return failed(spool, "write");
		at += wrote;
		size -= (size_t)wrote;
		spool->written += (uint64_t)wrote;
	}
	return ST_OK;
}

enum status spool_read(struct spool *spool, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ptrdiff_t got = os_read_at(spool->fd, at, size, spool->read);

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = ENODATA;
		if (got <= 0)
			return failed(spool, "read");
		at += got;
		size -= (size_t)got;
		spool->read += (uint64_t)got;
	}
	return ST_OK;
}

void spool_close(struct spool *spool)
{
	if (spool->fd >= 0)
		(void)os_close(spool->fd);
	*spool = (struct spool){ .fd = -1, .error = spool->error };
}
