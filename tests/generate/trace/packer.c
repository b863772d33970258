/* COMPRESSED and COMPRESSED2 records as perf makes them, and as it makes them wrong. */
#include "trace/packer.h"

#include "trace/parts.h"

enum {
	LEVEL = 1,
	SECTION_VERSION = 1,
	TYPE_ZSTD = 1,
	MMAP_BYTES = 528384, /* ring of 128 pages and its control page */
	RECORD_BYTES_MAX = 65535,
	HEADER_BYTES = 8,
	HEADER2_BYTES = 16,
	/* Just room enough for 65535 bytes in all; the padding then makes it one more. */
	WRAPPING_BYTES = RECORD_BYTES_MAX - HEADER2_BYTES,
	WRAP_EVERY = 16, /* pieces */
	EMPTY_BLOCK_BYTES = 3,
};

void packer_init(struct packer *packer, const struct form *form)
{
	*packer = (struct packer){ .form = form, .stream = ZSTD_createCStream() };
	if (!packer->stream)
		die("no memory for a zstd stream");
	ZSTD_CCtx_setParameter(packer->stream, ZSTD_c_compressionLevel, LEVEL);
}

static void compress(struct packer *packer, const uint8_t *bytes, size_t count)
{
	uint8_t chunk[4096];
	ZSTD_inBuffer in = { bytes, count, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { chunk, sizeof(chunk), 0 };

		left = ZSTD_compressStream2(packer->stream, &out, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			die("zstd: %s", ZSTD_getErrorName(left));
		buf_bytes(&packer->packed, chunk, out.pos);
	} while (left);
	packer->bytes_in += count;
}

/*
 * Small traces never fill a record of 64 KiB.  Empty raw blocks, three zero bytes each,
 * between the halves of a piece do: the second half then lies on both sides of the limit.
 */
static void compress_wrapping(struct packer *packer, const uint8_t *bytes, size_t count)
{
	size_t half = count / 2;
	size_t room;

	compress(packer, bytes, half);
	room = WRAPPING_BYTES - packer->packed.size;
	buf_zero(&packer->packed, room / EMPTY_BLOCK_BYTES * EMPTY_BLOCK_BYTES);
	compress(packer, bytes + half, count - half);
}

static void put_compressed(struct byte_buf *out, const uint8_t *bytes, size_t count)
{
	size_t start = record_begin(out, RECORD_COMPRESSED, 0);

	buf_bytes(out, bytes, count);
	record_end_unaligned(out, start);
}

static void put_compressed2(struct byte_buf *out, const uint8_t *bytes, size_t count)
{
	size_t start = record_begin(out, RECORD_COMPRESSED2, 0);

	buf_u64(out, count);
	buf_bytes(out, bytes, count);
	buf_zero(out, (8 - count % 8) % 8);
	/* Wraps to 0 at 65536, which is the recorder's bug. */
	buf_set_u16(out, start + 6, (uint16_t)(out->size - start));
}

static size_t largest_payload(const struct form *form)
{
	if (form_has(form, FORM_SIZE_WRAP))
		return WRAPPING_BYTES;
	if (form_has(form, FORM_COMPRESSED2))
		return RECORD_BYTES_MAX / 8 * 8 - HEADER2_BYTES;
	return RECORD_BYTES_MAX - HEADER_BYTES;
}

void packer_put(struct packer *packer, const uint8_t *bytes, size_t count,
		struct byte_buf *out)
{
	size_t limit = largest_payload(packer->form);
	size_t before = out->size;
	bool wraps = form_has(packer->form, FORM_SIZE_WRAP) &&
		     packer->piece_count % WRAP_EVERY == 1;

	packer->packed.size = 0;
	if (wraps)
		compress_wrapping(packer, bytes, count);
	else
		compress(packer, bytes, count);
	for (size_t done = 0; done < packer->packed.size;) {
		const uint8_t *payload = packer->packed.data + done;
		size_t left = packer->packed.size - done;
		size_t taken = left < limit ? left : limit;

		if (form_has(packer->form, FORM_COMPRESSED))
			put_compressed(out, payload, taken);
		else
			put_compressed2(out, payload, taken);
		done += taken;
	}
	packer->piece_count++;
	packer->bytes_out += out->size - before;
}

void packer_put_feature(const struct packer *packer, struct byte_buf *out)
{
	uint64_t ratio = 0;

	if (packer->bytes_out)
		ratio = (packer->bytes_in + packer->bytes_out / 2) / packer->bytes_out;
	BUF(out, "44444", SECTION_VERSION, TYPE_ZSTD, LEVEL, (uint32_t)ratio, MMAP_BYTES);
}

void packer_release(struct packer *packer)
{
	ZSTD_freeCStream(packer->stream);
	buf_release(&packer->packed);
	packer->stream = NULL;
}
