/* bundle_out.c - writes a bundle to a file or a pipe; see bundle_out.h. */
#include "capture/perflib/bundle_out.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/text.h"

static const char *shown_path(const struct bundle_out *out, char to[200])
{
	if (strcmp(out->path, "-") == 0)
		return "standard output";
	text_shown(to, 200, str_of(out->path), 120);
	return to;
}

static enum status write_failed(struct bundle_out *out, struct error *error)
{
	int number = errno;
	char path[200];

	out->reader_closed = os_is_closed_pipe(out->file, number);
	return error_set(error, ST_IO, ERROR_NO_OFFSET,
			 "%s: cannot write after %llu bytes: %s", shown_path(out, path),
			 (unsigned long long)out->written, strerror(number));
}

enum status bundle_out_open(struct bundle_out *out, const char *path, struct error *error)
{
	const char *why = NULL;
	char shown[200];
	int fd;

	*out = (struct bundle_out){ .file = stdout, .path = path };
	if (strcmp(path, "-") == 0)
		return ST_OK;
	fd = os_open_output(path, &why);
	out->file = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!out->file) {
		if (fd >= 0)
			(void)os_close(fd);
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot write %s: %s",
				 shown_path(out, shown), why ? why : "out of memory");
	}
	return ST_OK;
}

static enum status write_bytes(void *context, const void *bytes, size_t size,
			       struct error *error)
{
	struct bundle_out *out = context;

	if (fwrite(bytes, 1, size, out->file) != size)
		return write_failed(out, error);
	out->written += size;
	return ST_OK;
}

static enum status flush(void *context, struct error *error)
{
	struct bundle_out *out = context;

	return fflush(out->file) == 0 ? ST_OK : write_failed(out, error);
}

struct session_out bundle_out_calls(struct bundle_out *out)
{
	return (struct session_out){ write_bytes, flush, out };
}

enum status bundle_out_close(struct bundle_out *out, struct error *error)
{
	FILE *file = out->file;
	enum status status;
	char shown[200];

	if (!file)
		return ST_OK;
	status = flush(out, error); /* before the FILE is closed */
	out->file = NULL;
	if (fclose(file) != 0 && status == ST_OK)
		status = error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot close %s: %s",
				   shown_path(out, shown), strerror(errno));
	return status;
}
