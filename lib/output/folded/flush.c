/* flush.c - writes the buffer once it is large. */
#include "base/os.h"
#include "output/folded/folded.h"

#define WRITE_BYTES ((size_t)256 << 10)

enum status folded_flush(struct sink *sink, bool all)
{
	struct folded *folded = sink->state;
	struct bytes *bytes = &folded->bytes;

	if (bytes->failed)
		return error_nomem(&sink->error);
	if (!all && bytes->size < WRITE_BYTES)
		return ST_OK;
	if (!os_write_all(folded->fd, bytes->data, bytes->size))
		return target_write_failed(folded->fd, &sink->error);
	bytes->size = 0;
	return ST_OK;
}
