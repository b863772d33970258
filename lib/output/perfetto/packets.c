/* packets.c - writes protobuf fields: numbers of variable length, texts, messages. */
#include "output/perfetto/packets.h"

#include "base/os.h"
#include "base/varint.h"
#include "output/target.h"

#define WRITE_BYTES ((size_t)256 << 10)
#define LENGTH_BYTES 4 /* of a message, always: 2^28 at most */
#define SEQUENCE 1     /* all packets come from one writer */
#define KIND_NUMBER 0
#define KIND_BYTES 2

void packets_number(struct packets *packets, uint64_t value)
{
	varint_put(&packets->bytes, value);
}

static void put_key(struct packets *packets, unsigned int field, unsigned int kind)
{
	packets_number(packets, (uint64_t)field << 3 | kind);
}

void packets_int(struct packets *packets, unsigned int field, int64_t value)
{
	put_key(packets, field, KIND_NUMBER);
	packets_number(packets, (uint64_t)value);
}

void packets_text(struct packets *packets, unsigned int field, struct str text)
{
	put_key(packets, field, KIND_BYTES);
	packets_number(packets, text.len);
	bytes_put(&packets->bytes, text.ptr, text.len);
}

size_t packets_begin(struct packets *packets, unsigned int field)
{
	put_key(packets, field, KIND_BYTES);
	bytes_zero(&packets->bytes, LENGTH_BYTES);
	return packets->bytes.size;
}

size_t packets_begin_packet(struct packets *packets, int64_t ts_ns)
{
	size_t packet = packets_begin(packets, TRACE_PACKET);

	packets_int(packets, PACKET_TIMESTAMP, ts_ns);
	packets_int(packets, PACKET_SEQUENCE, SEQUENCE);
	return packet;
}

void packets_end(struct packets *packets, size_t place)
{
	size_t length = packets->bytes.size - place;

	if (packets->bytes.failed)
		return;
	for (int i = 0; i < LENGTH_BYTES; i++) {
		packets->bytes.data[place - LENGTH_BYTES + (size_t)i] =
			(uint8_t)(length & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0);
		length >>= 7;
	}
}

enum status packets_write(struct packets *packets, bool all)
{
	struct bytes *bytes = &packets->bytes;

	if (bytes->failed)
		return error_nomem(packets->error);
	if (!all && bytes->size < WRITE_BYTES)
		return ST_OK;
	if (!os_write_all(packets->fd, bytes->data, bytes->size))
		return target_write_failed(packets->fd, packets->error);
	bytes->size = 0;
	return ST_OK;
}

void packets_release(struct packets *packets)
{
	bytes_release(&packets->bytes);
}
