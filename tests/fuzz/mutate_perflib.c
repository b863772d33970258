/* mutate_perflib.c - see mutate_perflib.h. */
#include "mutate_perflib.h"

#include <string.h>

#include "base/crc32c.h"
#include "formats/perflib/layout.h"

#define RECORDS_MAX 256

struct place {
	size_t at, size; /* with header and padding */
};

void mutate_perflib_checksums(uint8_t *bytes, size_t size)
{
	struct mutant m = mutant_over(bytes, size, size, 0);
	size_t at = PLB_HEADER_BYTES;

	while (at <= size && size - at >= PLB_RECORD_HEADER_BYTES) {
		uint8_t *head = bytes + at;
		size_t left = size - at - PLB_RECORD_HEADER_BYTES;
		size_t length = (size_t)mutant_get(&m, at + PLB_RECORD_LENGTH_AT, 4);

		if (length <= left)
			mutant_put(&m, at + PLB_RECORD_PAYLOAD_CRC_AT, 4,
				   crc32c(0, head + PLB_RECORD_HEADER_BYTES, length));
		mutant_put(&m, at + PLB_RECORD_HEADER_CRC_AT, 4,
			   crc32c(0, head, PLB_RECORD_HEADER_CRC_AT));
		if (length > left)
			return;
		at += PLB_RECORD_HEADER_BYTES + (length + 7) / 8 * 8;
	}
}

static size_t find_records(const struct mutant *m, struct place *records)
{
	size_t count = 0, at = PLB_HEADER_BYTES;

	while (count < RECORDS_MAX && at <= m->size &&
	       m->size - at >= PLB_RECORD_HEADER_BYTES) {
		size_t length = (size_t)mutant_get(m, at + PLB_RECORD_LENGTH_AT, 4);
		size_t whole = PLB_RECORD_HEADER_BYTES + (length + 7) / 8 * 8;

		if (whole > m->size - at)
			break;
		records[count++] = (struct place){ at, whole };
		at += whole;
	}
	return count;
}

/* Sequence numbers that follow one another, as the reader checks. */
static void number_records(struct mutant *m)
{
	struct place records[RECORDS_MAX];
	size_t count = find_records(m, records);

	for (size_t i = 0; i < count; i++)
		mutant_put(m, records[i].at + PLB_RECORD_SEQUENCE_AT, 4, i);
}

/* Zeros after the payload, or eight bytes less of it. */
static void resize_record(struct mutant *m, const struct place *record)
{
	static const uint8_t zeros[8];
	size_t length_at = record->at + PLB_RECORD_LENGTH_AT;
	size_t length = (size_t)mutant_get(m, length_at, 4);
	size_t end = record->at + record->size;

	if (mutant_choose(m, 2)) {
		if (mutant_replace(m, end, 0, zeros, 8))
			mutant_put(m, length_at, 4, length + 8);
	} else if (length >= 8) {
		(void)mutant_replace(m, end - 8, 8, NULL, 0);
		mutant_put(m, length_at, 4, length - 8);
	}
}

static void mutate_record(struct mutant *m, const struct place *records, size_t count)
{
	struct place record = records[mutant_choose(m, count)];
	struct place other = records[mutant_choose(m, count)];
	size_t body = record.at + PLB_RECORD_HEADER_BYTES;
	size_t end = record.at + record.size;

	switch (mutant_choose(m, 10)) {
	case 0:
		(void)mutant_copy(m, record.at, other.at, other.size);
		break;
	case 1:
		(void)mutant_replace(m, record.at, record.size, NULL, 0);
		break;
	case 2:
		resize_record(m, &record);
		break;
	case 3: /* type and length */
		mutant_change_number(m, record.at, body);
		break;
	case 4:
	case 5:
		mutant_change_bytes(m, body, end);
		break;
	default:
		mutant_change_number(m, body, end);
	}
}

void mutate_perflib_file(struct mutant *m)
{
	struct place records[RECORDS_MAX];
	bool is_bundle = m->size >= PLB_HEADER_BYTES &&
			 memcmp(m->bytes, PLB_MAGIC, PLB_MAGIC_BYTES) == 0;

	for (size_t i = mutant_choose(m, 4) + 1; i-- > 0;) {
		size_t count = is_bundle ? find_records(m, records) : 0;

		if (count && mutant_choose(m, 16))
			mutate_record(m, records, count);
		else if (mutant_choose(m, 2))
			mutant_change_number(m, 0, m->size);
		else
			mutant_change_all(m, 0);
	}
	if (!is_bundle || m->size < PLB_HEADER_BYTES)
		return;
	if (mutant_choose(m, 8))
		number_records(m);
	if (mutant_choose(m, 16))
		mutate_perflib_checksums(m->bytes, m->size);
}
