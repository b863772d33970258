/*
 * xpress_huff.c - XPRESS_HUFF buffers, by libwim; see xpress.h.
 *
 * libfwnt decodes the same bytes, but Debian's version reads outside its input when that
 * is damaged.  With libwim 20,000 damaged blocks did no harm.
 */
#include "formats/etw/xpress.h"

#ifdef PERFTAB_HAVE_WIM
#include <wimlib.h>

const bool xpress_huff_is_there = true;

enum status xpress_huff_decompress(const uint8_t *from, size_t size, uint8_t *to,
				   size_t room)
{
	struct wimlib_decompressor *decompressor;
	int failed;

	if (room > XPRESS_HUFF_BYTES_MAX)
		return ST_CORRUPT;
	if (wimlib_create_decompressor(WIMLIB_COMPRESSION_TYPE_XPRESS,
				       XPRESS_HUFF_BYTES_MAX, &decompressor) != 0)
		return ST_NOMEM;
	failed = wimlib_decompress(from, size, to, room, decompressor);
	wimlib_free_decompressor(decompressor);
	return failed ? ST_CORRUPT : ST_OK;
}

#else
const bool xpress_huff_is_there = false;

enum status xpress_huff_decompress(const uint8_t *from, size_t size, uint8_t *to,
				   size_t room)
{
	(void)from;
	(void)size;
	(void)to;
	(void)room;
	return ST_UNSUPPORTED;
}
#endif
