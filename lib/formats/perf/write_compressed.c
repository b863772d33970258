/* write_compressed.c - compresses records with zstd. */
#include "formats/perf/write_compressed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/perf/layout.h"
#include "formats/perf/write_parts.h"

#ifdef PERFTAB_HAVE_ZSTD
#include <zstd.h>

struct perf_compressor {
	ZSTD_CCtx *stream;
};

static enum status failed(size_t code, struct error *error)
{
	return error_set(error, ST_IO, ERROR_NO_OFFSET, "zstd: %s",
			 ZSTD_getErrorName(code));
}

enum status perf_compressor_open(struct perf_compressor **compressor, int level,
				 struct error *error)
{
	struct perf_compressor *p = memory_alloc_zeroed(1, sizeof(*p));
	size_t code;

	*compressor = p;
	if (p)
		p->stream = ZSTD_createCCtx();
	if (!p || !p->stream)
		return error_nomem(error);
	code = ZSTD_CCtx_setParameter(p->stream, ZSTD_c_compressionLevel, level);
	return ZSTD_isError(code) ? failed(code, error) : ST_OK;
}

/* One record: all of `from`, which is at most PERF_COMPRESS_BYTES, and a flush. */
static enum status write_record(struct perf_compressor *compressor, struct bytes *to,
				const uint8_t *from, size_t count, struct error *error)
{
	size_t start = perf_begin_record(to, PERF_RECORD_COMPRESSED);
	size_t room = ZSTD_compressBound(PERF_COMPRESS_BYTES) + 64, left;
	ZSTD_inBuffer in = { from, count, 0 };
	ZSTD_outBuffer out = { bytes_extend(to, room), room, 0 };
	uint16_t size;

	if (!out.dst)
		return error_nomem(error);
	left = ZSTD_compressStream2(compressor->stream, &out, &in, ZSTD_e_flush);
	if (ZSTD_isError(left))
		return failed(left, error);
	if (left || in.pos < in.size)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "zstd: %zu bytes did not fit a record", count);
	to->size = start + PERF_RECORD_HEADER_BYTES + out.pos;
	size = (uint16_t)(to->size - start); /* such records are not padded */
	memcpy(to->data + start + 6, &size, sizeof(size));
	return ST_OK;
}

enum status perf_compressor_write(struct perf_compressor *compressor, struct bytes *to,
				  const uint8_t *from, size_t count, struct error *error)
{
	enum status status = ST_OK;

	while (count && status == ST_OK) {
		size_t part = count < PERF_COMPRESS_BYTES ? count : PERF_COMPRESS_BYTES;

		status = write_record(compressor, to, from, part, error);
		from += part;
		count -= part;
	}
	return status;
}

void perf_compressor_close(struct perf_compressor *compressor)
{
	if (compressor)
		ZSTD_freeCCtx(compressor->stream);
	free(compressor);
}
#else
enum status perf_compressor_open(struct perf_compressor **compressor, int level,
				 struct error *error)
{
	(void)level;
	*compressor = NULL;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "--compress: this program was built without zstd");
}

enum status perf_compressor_write(struct perf_compressor *compressor, struct bytes *to,
				  const uint8_t *from, size_t count, struct error *error)
{
	(void)compressor;
	bytes_put(to, from, count);
	return to->failed ? error_nomem(error) : ST_OK;
}

void perf_compressor_close(struct perf_compressor *compressor)
{
	(void)compressor;
}
#endif
