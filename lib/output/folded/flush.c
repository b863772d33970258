/* flush.c - writes what has come together. */
#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "output/folded/folded.h"

#define WRITE_BYTES ((size_t)256 << 10)

enum status folded_flush(struct sink *sink, bool all)
{
	struct folded *folded = sink->state;
	struct bytes *bytes = &folded->bytes;
	size_t done = 0;

	if (bytes->failed)
		return error_nomem(&sink->error);
	if (!all && bytes->size < WRITE_BYTES)
		return ST_OK;
	while (done < bytes->size) {
		ptrdiff_t wrote =
			os_write(folded->fd, bytes->data + done, bytes->size - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return error_set(&sink->error, ST_IO, ERROR_NO_OFFSET,
					 "cannot write: %s", strerror(errno));
		done += (size_t)wrote;
	}
	bytes->size = 0;
	return ST_OK;
}
