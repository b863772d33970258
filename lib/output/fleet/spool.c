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
	if (spool->fd < 0)
		spool->fd = temporary_open();
	if (spool->fd < 0)
		return failed(spool, "create");
	if (!os_write_all_at(spool->fd, from, size, spool->written))
		return failed(spool, "write");
	spool->written += size;
	return ST_OK;
}

enum status spool_read(struct spool *spool, void *to, size_t size)
{
	if (!os_read_all_at(spool->fd, to, size, spool->read))
		return failed(spool, "read");
	spool->read += size;
	return ST_OK;
}

void spool_close(struct spool *spool)
{
	if (spool->fd >= 0)
		(void)os_close(spool->fd);
	*spool = (struct spool){ .fd = -1, .error = spool->error };
}
