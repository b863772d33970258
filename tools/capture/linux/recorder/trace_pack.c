/* trace_pack.c - compresses records with zstd. */
#include "capture/linux/recorder/trace_pack.h"

#include <stdlib.h>
#include <string.h>

#include "capture/linux/recorder/trace_parts.h"

#ifdef PERFTAB_HAVE_ZSTD
#include <zstd.h>

struct trace_packer {
	ZSTD_CCtx *stream;
};

static enum status failed(size_t code, struct error *error)
{
	return error_set(error, ST_IO, ERROR_NO_OFFSET, "zstd: %s",
			 ZSTD_getErrorName(code));
}

enum status trace_packer_open(struct trace_packer **packer, int level,
			      struct error *error)
{
	struct trace_packer *p = calloc(1, sizeof(*p));
	size_t code;

	*packer = p;
	if (p)
		p->stream = ZSTD_createCCtx();
	if (!p || !p->stream)
		return error_nomem(error);
	code = ZSTD_CCtx_setParameter(p->stream, ZSTD_c_compressionLevel, level);
	return ZSTD_isError(code) ? failed(code, error) : ST_OK;
}

/* One record: all of `from`, which is at most TRACE_PACK_BYTES, and a flush. */
static enum status put_record(struct trace_packer *packer, struct bytes *to,
			      const uint8_t *from, size_t count, struct error *error)
{
	size_t start = trace_begin_record(to, TRACE_COMPRESSED);
	size_t room = ZSTD_compressBound(TRACE_PACK_BYTES) + 64, left;
	ZSTD_inBuffer in = { from, count, 0 };
	ZSTD_outBuffer out = { bytes_extend(to, room), room, 0 };
	uint16_t size;

	if (!out.dst)
		return error_nomem(error);
	left = ZSTD_compressStream2(packer->stream, &out, &in, ZSTD_e_flush);
	if (ZSTD_isError(left))
		return failed(left, error);
	if (left || in.pos < in.size)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "zstd: %zu bytes did not fit a record", count);
	to->size = start + 8 + out.pos;
	size = (uint16_t)(to->size - start); /* such records are not padded */
	memcpy(to->data + start + 6, &size, sizeof(size));
	return ST_OK;
}

enum status trace_packer_put(struct trace_packer *packer, struct bytes *to,
			     const uint8_t *from, size_t count, struct error *error)
{
	enum status status = ST_OK;

	while (count && status == ST_OK) {
		size_t part = count < TRACE_PACK_BYTES ? count : TRACE_PACK_BYTES;

		status = put_record(packer, to, from, part, error);
		from += part;
		count -= part;
	}
	return status;
}

void trace_packer_close(struct trace_packer *packer)
{
	if (packer)
		ZSTD_freeCCtx(packer->stream);
	free(packer);
}
#else
enum status trace_packer_open(struct trace_packer **packer, int level,
			      struct error *error)
{
	(void)level;
	*packer = NULL;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "--compress: this program was built without zstd");
}

enum status trace_packer_put(struct trace_packer *packer, struct bytes *to,
			     const uint8_t *from, size_t count, struct error *error)
{
	(void)packer;
	bytes_put(to, from, count);
	return to->failed ? error_nomem(error) : ST_OK;
}

void trace_packer_close(struct trace_packer *packer)
{
	(void)packer;
}
#endif
