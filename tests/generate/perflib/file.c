/* The framing of a bundle, as docs/formats/perflib-bundle.md has it, and its records. */
#include "perflib/build.h"

/* Bit by bit, so that it has nothing in common with what it tests. */
static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < size; i++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			bool one = (crc ^ (uint32_t)bytes[i] >> bit) & 1;

			crc = crc >> 1 ^ (one ? 0x82f63b78 : 0);
		}
	return ~crc;
}

void begin_file(struct build *build)
{
	if (build->is_bare)
		return;
	buf_bytes(&build->out, "\x89PLB\r\n\x1a\n", 8);
	BUF(&build->out, "224", 1, 16, 0);
}

size_t put_record(struct build *build, unsigned int type, const struct byte_buf *payload)
{
	struct byte_buf *out = &build->out;
	size_t head = out->size, at;

	if (build->is_bare)
		die("a bare block has no records");
	buf_bytes(out, "plbr", 4);
	BUF(out, "22444", type, 0, payload->size, build->records,
	    crc_of(payload->data, payload->size));
	build->records++;
	buf_u32(out, crc_of(out->data + head, 20));
	at = out->size;
	buf_append(out, payload);
	buf_align(out, 0, 8);
	return at;
}

void end_file(struct build *build)
{
	struct byte_buf p = { 0 };

	BUF(&p, "44", build->records, 0);
	put_record(build, 7, &p);
	buf_release(&p);
}

void buf_guid(struct byte_buf *buf, unsigned int set)
{
	for (unsigned int i = 0; i < 16; i++)
		buf_u8(buf, (uint8_t)(set + i));
}

size_t put_result(struct build *build, unsigned int set, unsigned int request,
		  unsigned int code, const struct byte_buf *result)
{
	struct byte_buf p = { 0 };
	size_t at;

	buf_guid(&p, set);
	BUF(&p, "4444", request, 0, code, 0);
	buf_append(&p, result);
	at = put_record(build, 3, &p) + 32;
	buf_release(&p);
	return at;
}

size_t put_data(struct build *build, size_t reported, const struct byte_buf *answer)
{
	struct byte_buf p = { 0 };
	size_t at;

	BUF(&p, "444488", 0, 0, reported, 0, 1, 2);
	buf_append(&p, answer);
	at = put_record(build, 6, &p) + 32;
	buf_release(&p);
	return at;
}

void buf_counterset(struct byte_buf *p, unsigned int set, unsigned int count,
		    unsigned int instances)
{
	buf_guid(p, set);
	BUF(p, "4444", 0, 100, count, instances);
}

void buf_counter(struct byte_buf *p, const struct counter *counter, unsigned int scale,
		 uint64_t rest)
{
	BUF(p, "44844", counter->id, counter->type, 0, 100, scale);
	for (int i = 0; i < 4; i++)
		buf_u32(p, counter->partners[i]);
	buf_u64(p, rest);
}

void buf_names(struct byte_buf *p, const struct counter *counters, unsigned int count)
{
	BUF(p, "44", 0, count);
	for (unsigned int i = 0; i < count; i++)
		BUF(p, "44", counters[i].id, NONE);
	for (unsigned int i = 0; i < count; i++) {
		if (!counters[i].name)
			continue;
		buf_set_u32(p, 12 + 8 * i, (uint32_t)p->size);
		buf_wide_z(p, counters[i].name);
	}
	buf_set_u32(p, 0, (uint32_t)p->size);
}
