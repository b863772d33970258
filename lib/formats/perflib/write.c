/* write.c - writes the records of a PerfLib bundle, each with its checksum. */
#include "formats/perflib/write.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/little_endian.h"

static enum status write_bytes(struct plb_writer *writer, const void *bytes, size_t size)
{
	if (writer->error.status < ST_OK)
		return writer->error.status;
	if (size == 0)
		return ST_OK;
	return writer->write(writer->context, bytes, size, &writer->error);
}

/* A record whose payload is `head`, then `bytes`. */
static enum status write_record(struct plb_writer *writer, enum plb_type type,
				const uint8_t *head, size_t head_size, const void *bytes,
				size_t size)
{
	static const uint8_t zeros[8];
	uint8_t header[PLB_RECORD_HEADER_BYTES] = PLB_RECORD_MAGIC;
	uint32_t crc = crc32c(0, head, head_size);
	enum status status;

	if (size > PLB_PAYLOAD_BYTES_MAX - head_size)
		return error_set(&writer->error, ST_LIMIT, ERROR_NO_OFFSET,
				 "an answer of %zu bytes does not fit into a bundle, "
				 "expected at most %lu",
				 size, PLB_PAYLOAD_BYTES_MAX);
	if (size)
		crc = crc32c(crc, bytes, size);
	le_write_u16(header + PLB_RECORD_TYPE_AT, (uint16_t)type);
	le_write_u16(header + PLB_RECORD_TYPE_AT + 2, 0);
	le_write_u32(header + PLB_RECORD_LENGTH_AT, (uint32_t)(head_size + size));
	le_write_u32(header + PLB_RECORD_SEQUENCE_AT, writer->records);
	le_write_u32(header + PLB_RECORD_PAYLOAD_CRC_AT, crc);
	le_write_u32(header + PLB_RECORD_HEADER_CRC_AT,
		     crc32c(0, header, PLB_RECORD_HEADER_CRC_AT));
	status = write_bytes(writer, header, sizeof(header));
	if (status == ST_OK)
		status = write_bytes(writer, head, head_size);
	if (status == ST_OK)
		status = write_bytes(writer, bytes, size);
	if (status == ST_OK)
		status = write_bytes(writer, zeros, (8 - (head_size + size) % 8) % 8);
	writer->records++;
	return status;
}

enum status plb_begin(struct plb_writer *writer, plb_write *write, void *context)
{
	uint8_t header[PLB_HEADER_BYTES] = { 0 };

	*writer = (struct plb_writer){ .write = write, .context = context };
	memcpy(header, PLB_MAGIC, PLB_MAGIC_BYTES);
	le_write_u16(header + 8, PLB_VERSION);
	le_write_u16(header + 10, PLB_HEADER_BYTES);
	return write_bytes(writer, header, sizeof(header));
}

enum status plb_write_fact(struct plb_writer *writer, const char *key, const char *value)
{
	uint8_t head[PLB_FACT_HEAD_BYTES + 64];
	size_t length = strlen(key);

	if (length > sizeof(head) - PLB_FACT_HEAD_BYTES)
		return error_set(&writer->error, ST_LIMIT, ERROR_NO_OFFSET,
				 "a key of %zu bytes, expected at most 64", length);
	le_write_u32(head, (uint32_t)length);
	memcpy(head + PLB_FACT_HEAD_BYTES, key, length);
	return write_record(writer, PLB_FACT, head, PLB_FACT_HEAD_BYTES + length, value,
			    strlen(value));
}

enum status plb_write_clock(struct plb_writer *writer, const struct plb_clock *clock)
{
	uint8_t head[PLB_CLOCK_BYTES] = { 0 };

	le_write_u64(head, (uint64_t)clock->ticks_before);
	le_write_u64(head + 8, (uint64_t)clock->ticks_after);
	le_write_u64(head + 16, (uint64_t)clock->ticks_per_second);
	le_write_u64(head + 24, (uint64_t)clock->wall_100ns);
	le_write_u32(head + 32, (uint32_t)clock->minutes_west);
	return write_record(writer, PLB_CLOCK, head, sizeof(head), NULL, 0);
}

enum status plb_write_registration(struct plb_writer *writer,
				   const struct plb_registration *registration,
				   const void *bytes, size_t size)
{
	uint8_t head[PLB_REGISTRATION_HEAD_BYTES] = { 0 };

	memcpy(head, registration->guid, PLB_GUID_BYTES);
	le_write_u32(head + 16, registration->request);
	le_write_u32(head + 20, registration->argument);
	le_write_u32(head + 24, registration->code);
	return write_record(writer, PLB_REGISTRATION, head, sizeof(head), bytes, size);
}

/* Of both calls that fill a buffer of identifiers. */
static enum status write_identifiers(struct plb_writer *writer, enum plb_type type,
				     uint32_t query, uint32_t code, const void *bytes,
				     size_t size)
{
	uint8_t head[PLB_INFO_HEAD_BYTES];

	le_write_u32(head, query);
	le_write_u32(head + 4, code);
	return write_record(writer, type, head, sizeof(head), bytes, size);
}

enum status plb_write_add(struct plb_writer *writer, uint32_t query, uint32_t code,
			  const void *bytes, size_t size)
{
	return write_identifiers(writer, PLB_ADD, query, code, bytes, size);
}

enum status plb_write_info(struct plb_writer *writer, uint32_t query, uint32_t code,
			   const void *bytes, size_t size)
{
	return write_identifiers(writer, PLB_INFO, query, code, bytes, size);
}

enum status plb_write_instances(struct plb_writer *writer,
				const uint8_t guid[PLB_GUID_BYTES], uint32_t code,
				const void *bytes, size_t size)
{
	uint8_t head[PLB_INSTANCES_HEAD_BYTES] = { 0 };

	memcpy(head, guid, PLB_GUID_BYTES);
	le_write_u32(head + 16, code);
	return write_record(writer, PLB_INSTANCES, head, sizeof(head), bytes, size);
}

enum status plb_write_data(struct plb_writer *writer, const struct plb_data *data,
			   const void *bytes, size_t size)
{
	uint8_t head[PLB_DATA_HEAD_BYTES] = { 0 };

	le_write_u32(head, data->query);
	le_write_u32(head + 4, data->code);
	le_write_u32(head + 8, data->reported_bytes);
	le_write_u64(head + 16, (uint64_t)data->ticks_before);
	le_write_u64(head + 24, (uint64_t)data->ticks_after);
	return write_record(writer, PLB_DATA, head, sizeof(head), bytes, size);
}

enum status plb_finish(struct plb_writer *writer)
{
	uint8_t head[PLB_END_BYTES] = { 0 };

	le_write_u32(head, writer->records);
	return write_record(writer, PLB_END, head, sizeof(head), NULL, 0);
}
