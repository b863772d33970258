/*
 * Plain Xpress LZ77 ([MS-XCA] 2.3 and 2.4), as compressed .etl buffers have it.  The
 * unpacker is here to prove the packer; it reads nothing else.
 */
#ifndef XPRESS_PACKER_H
#define XPRESS_PACKER_H

#include "common/bytes.h"

/* Appends bytes packed; dies if they would not come back the same. */
void xpress_pack(struct byte_buf *out, const uint8_t *bytes, size_t size);

/* In xpress_huffman.c: the form with Huffman codes ([MS-XCA] 2.1), at most 64 KiB. */
void xpress_pack_huffman(struct byte_buf *out, const uint8_t *bytes, size_t size);

/* Packs texts that have matches of every kind of length; dies if one is not right. */
void xpress_self_test(void);

#endif
