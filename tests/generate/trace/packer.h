/*
 * Packs bytes of records into COMPRESSED or COMPRESSED2 records.  All of them together
 * hold one zstd stream, flushed after each piece and never ended, as perf leaves it.
 */
#ifndef ZSTD_PACKER_H
#define ZSTD_PACKER_H

#include <zstd.h>

#include "common/bytes.h"
#include "trace/forms.h"

struct packer {
	const struct form *form;
	ZSTD_CStream *stream;
	struct byte_buf packed; /* what one piece became */
	unsigned piece_count;
	uint64_t bytes_in;
	uint64_t bytes_out;
};

void packer_init(struct packer *packer, const struct form *form);

/* Appends the record, or the records, of one piece to out. */
void packer_put(struct packer *packer, const uint8_t *bytes, size_t count,
		struct byte_buf *out);

/* Payload of header feature COMPRESSED. */
void packer_put_feature(const struct packer *packer, struct byte_buf *out);

void packer_release(struct packer *packer);

#endif
