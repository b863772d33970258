/*
 * input_spool.c - copies a pipe to a temporary file, for formats that need more than one
 * pass.
 */
#include <errno.h>
#include <string.h>

#include "base/input.h"
#include "base/os.h"
#include "base/temporary.h"

/* A few bytes of gzip or zstd may be any number when unpacked. */
#define SPOOL_BYTES_MAX (UINT64_C(64) << 30)

static int open_spool(struct error *error)
{
	int fd = temporary_open();

	if (fd < 0)
		error_set(error, ST_IO, ERROR_NO_OFFSET,
			  "needs a file, and a pipe cannot be copied to one: %s: set "
			  "TMPDIR to a folder with room",
			  strerror(errno));
	return fd;
}

static enum status copy_rest(struct input *in, int fd)
{
	enum status status = ST_OK;

	while (status == ST_OK && input_peek_some(in, INPUT_READ_BYTES)) {
		size_t there = input_buffered(in);

		if (in->offset > SPOOL_BYTES_MAX)
			return error_set(in->error, ST_LIMIT, ERROR_NO_OFFSET,
					 "more than %llu GiB in a pipe or packed: save "
					 "it to a file first",
					 (unsigned long long)(SPOOL_BYTES_MAX >> 30));
		if (!os_write_all(fd, in->pos, there))
			status = error_set(in->error, ST_IO, ERROR_NO_OFFSET,
					   "cannot copy the pipe to a temporary file: "
					   "%s: set TMPDIR to a folder with room",
					   strerror(errno));
		input_consume(in, there);
	}
	return in->error->status < ST_OK ? in->error->status : status;
}

enum status input_spool(struct input *in)
{
	struct error *error = in->error;
	enum status status;
	int fd;

	if (in->seekable)
		return ST_OK;
	fd = open_spool(error);
	if (fd < 0)
		return error->status;
	status = copy_rest(in, fd);
	if (status == ST_OK && !os_seek(fd, 0))
		status = error_set(error, ST_IO, ERROR_NO_OFFSET,
				   "cannot read a temporary file: %s", strerror(errno));
	if (status != ST_OK) {
		(void)os_close(fd);
		return status;
	}
	input_close(in);
	return input_open_fd(in, fd, error);
}
