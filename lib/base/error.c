/* error.c - formats the text of an error. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status error_set(struct error *error, enum status status, uint64_t offset,
		      const char *format, ...)
{
	va_list args;

	if (!error || error->status < ST_OK)
		return status;
	error->status = status;
	error->offset = offset;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return status;
}

enum status error_nomem(struct error *error)
{
	return error_set(error, ST_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

enum status error_system(struct error *error, const char *doing, const char *path)
{
	return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot %s %s: %s", doing, path,
			 errno == ENOSPC ? "the disk is full" : strerror(errno));
}

enum status error_copy(struct error *error, const struct error *from)
{
	return from->status == ST_OK
		       ? ST_OK
		       : error_set(error, from->status, from->offset, "%s", from->text);
}
