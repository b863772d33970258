/*
 * resync.c - what can be a record, and where the next one is.
 *
 * A record has no checksum.  Its header distinguishes it from garbage: a size of at least
 * 8, a multiple of 8 for nearly all types, within the data, and followed by another
 * header.  After damage, reading continues where several such headers follow one another,
 * or where a sample names an event of the file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/perf/perf.h"

/* Headers that must follow one another. */
#define CHAIN_LENGTH 4
/* Searched first after damage; a multiple of 8. */
#define FIRST_STRETCH_BYTES ((uint64_t)2048)

/* Old writers did not pad these; perf 4.5 to 4.19: lists of CPUs. */
static bool may_be_unaligned(uint32_t type)
{
	return type == PERF_RECORD_TRACING_DATA || type == PERF_RECORD_HEADER_FEATURE ||
	       type == PERF_RECORD_COMPRESSED || type == PERF_RECORD_CPU_MAP ||
	       type == PERF_RECORD_EVENT_UPDATE || type == 0 ||
	       type >= PERF_RECORD_SIMPLEPERF_FIRST;
}

static bool is_known(uint32_t type)
{
	return perf_is_kernel_type(type) ||
	       (type >= PERF_RECORD_TOOL_FIRST && type <= PERF_RECORD_TOOL_LAST) ||
	       (type > PERF_RECORD_SIMPLEPERF_FIRST &&
		type <= PERF_RECORD_SIMPLEPERF_LAST);
}

/* At most places the first four bytes exclude a record. */
static inline bool has_known_type(const uint8_t *at, bool big_endian)
{
	uint32_t type;

	memcpy(&type, at, sizeof(type));
	return is_known(big_endian ? __builtin_bswap32(type) : type);
}

/* TRACING_DATA is u32 size (and maybe u32 padding), padded; AUXTRACE is u64 size, ... */
static uint64_t payload_of(const struct perf_catalog *catalog,
			   const struct perf_header *header, const uint8_t *at,
			   size_t have)
{
	struct cursor c = cursor_over(at, have, 0, catalog->big_endian);

	cursor_skip(&c, PERF_RECORD_HEADER_BYTES);
	if (header->type == PERF_RECORD_AUXTRACE && header->size == 48)
		return cursor_u64(&c);
	/* simpleperf has the data inside the record. */
	if (header->type == PERF_RECORD_TRACING_DATA && header->size <= 16)
		return ((uint64_t)cursor_u32(&c) + 7) / 8 * 8;
	return 0;
}

/*
 * COMPRESSED2 has the length of its data; the 16 bits of the size may have overflowed.
 * Returns the size of the record, 0 when the two contradict.
 */
static uint32_t compressed_size(const struct perf_catalog *catalog,
				const struct perf_header *header, const uint8_t *at,
				size_t have)
{
	struct cursor c = cursor_over(at, have, 0, catalog->big_endian);
	uint64_t data;

	cursor_skip(&c, PERF_RECORD_HEADER_BYTES);
	data = cursor_u64(&c);
	if (c.overrun || data > PERF_CONTENT_BYTES_MAX)
		return 0;
	data = (16 + data + 7) / 8 * 8;
	return (uint16_t)data == header->size ? (uint32_t)data : 0;
}

/* perf_find_extent() of a record whose header is decoded. */
static struct perf_extent extent_of(const struct perf_catalog *catalog,
				    const struct perf_header *header, const uint8_t *at,
				    size_t have)
{
	struct perf_extent extent = { header->size, PERF_FAULT_NONE, header->size,
				      header->size };

	if (header->type == PERF_RECORD_COMPRESSED2 && have >= 16) {
		uint32_t size = compressed_size(catalog, header, at, have);

		if (size || header->size < PERF_RECORD_HEADER_BYTES) {
			extent.whole = extent.record = size;
			extent.fault =
				size ? PERF_FAULT_NONE : PERF_FAULT_COMPRESSED_SIZE;
			return extent;
		}
	}
	if (header->size < PERF_RECORD_HEADER_BYTES) {
		extent.fault = PERF_FAULT_LESS_THAN_HEADER;
	} else if (header->size % 8 && !may_be_unaligned(header->type)) {
		extent.fault = PERF_FAULT_UNALIGNED;
	} else if (header->type == PERF_RECORD_AUXTRACE ||
		   header->type == PERF_RECORD_TRACING_DATA) {
		uint64_t payload = payload_of(catalog, header, at, have);

		if (payload > INT64_MAX) {
			extent.fault = PERF_FAULT_PAYLOAD;
			extent.value = payload;
		} else {
			extent.whole += payload;
		}
	}
	return extent;
}

struct perf_extent perf_find_extent(const struct perf_catalog *catalog, const uint8_t *at,
				    size_t have)
{
	struct perf_header header = perf_decode_header(at, catalog->big_endian);

	return extent_of(catalog, &header, at, have);
}

bool perf_is_plausible(const struct perf_catalog *catalog, const uint8_t *at, size_t have)
{
	struct perf_header header;

	if (have < PERF_RECORD_HEADER_BYTES)
		return true; /* nothing speaks against it */
	header = perf_decode_header(at, catalog->big_endian);
	return is_known(header.type) && !extent_of(catalog, &header, at, have).fault;
}

/* A sample whose id is that of an event. */
static bool names_event(const struct perf_catalog *catalog,
			const struct perf_header *header, const uint8_t *at, size_t have)
{
	struct cursor c;

	if (header->type != PERF_RECORD_SAMPLE || catalog->id_in_sample < 0 ||
	    catalog->settled == 0)
		return false;
	c = cursor_over(at, have < header->size ? have : header->size, 0,
			catalog->big_endian);
	cursor_skip(&c, PERF_RECORD_HEADER_BYTES + (size_t)catalog->id_in_sample);
	return map_get(&catalog->streams, cursor_u64(&c)) != NULL && !c.overrun;
}

/* Records follow one another from `at` on, as far as necessary. */
static bool begins_chain(const struct perf_catalog *catalog, const uint8_t *at,
			 uint64_t have, bool last)
{
	int seen = 0;

	while (seen < CHAIN_LENGTH && have >= PERF_RECORD_HEADER_BYTES) {
		struct perf_header header = perf_decode_header(at, catalog->big_endian);
		struct perf_extent extent;

		if (!is_known(header.type))
			return false;
		extent = extent_of(catalog, &header, at, (size_t)have);
		if (extent.fault)
			return false;
		seen += names_event(catalog, &header, at, (size_t)have) ? CHAIN_LENGTH / 2
									: 1;
		if (extent.whole > have)
			return !last && seen > 1;
		at += extent.whole;
		have -= extent.whole;
	}
	/* Fewer suffice where the data ends with one of them. */
	return seen >= CHAIN_LENGTH || (seen > 0 && last && have == 0);
}

/* --- records that are larger than their fields --- */

/* Bytes before the name of records that end with one; 0: none. */
static uint32_t bytes_before_name(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
		return 8 + 8;
	case PERF_RECORD_MMAP:
		return 8 + 32;
	case PERF_RECORD_MMAP2:
		return 8 + 64;
	case PERF_RECORD_CGROUP:
		return 8 + 8;
	case PERF_RECORD_KSYMBOL:
		return 8 + 16;
	default:
		return 0;
	}
}

/* Bytes of records with fields of fixed size; 0: not fixed. */
static uint32_t fixed_bytes(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return 8 + 24;
	case PERF_RECORD_LOST:
		return 8 + 16;
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_ITRACE_START:
		return 8 + 8;
	case PERF_RECORD_SWITCH:
		return 8;
	case PERF_RECORD_AUX:
		return 8 + 24;
	default:
		return 0;
	}
}

bool perf_holds_records(const struct perf_catalog *catalog, const uint8_t *at,
			size_t size)
{
	return begins_chain(catalog, at, size, true);
}

bool perf_begins_records(const struct perf_catalog *catalog, const uint8_t *at,
			 size_t have)
{
	return begins_chain(catalog, at, have, false);
}

bool perf_is_oversized(const struct perf_catalog *catalog, const uint8_t *at,
		       uint32_t size)
{
	struct perf_header header = perf_decode_header(at, catalog->big_endian);
	uint32_t name = bytes_before_name(header.type), need = fixed_bytes(header.type);
	const uint8_t *nul =
		name && name < size ? memchr(at + name, 0, size - name) : NULL;

	if (nul)
		need = ((uint32_t)(nul - at) + 1 + 7) / 8 * 8;
	if (need == 0 || size <= need)
		return false;
	/* A trailer may follow; anything beyond it begins with its own header. */
	need += perf_trailer_bytes(catalog);
	if (need >= size)
		return false;
	return begins_chain(catalog, at + need, size - need, true);
}

/*
 * In stretches, each twice as long as the one before: at multiples of 8 and then at all
 * places, since after records that are not padded the others are at no multiple of 8.
 * With one stretch up to the limit each such gap would cost a pass over all that is
 * buffered, and the records before the next multiple of 8.
 */
uint64_t perf_resync(const struct perf_catalog *catalog, const uint8_t *window,
		     uint64_t base, uint64_t from, uint64_t limit, bool last)
{
	const bool big_endian = catalog->big_endian;
	uint64_t stretch = FIRST_STRETCH_BYTES;

	while (from < limit && limit - from >= PERF_RECORD_HEADER_BYTES) {
		uint64_t places = limit - from - PERF_RECORD_HEADER_BYTES + 1;
		uint64_t end = from + (places < stretch ? places : stretch);

		for (unsigned int step = 8; step > 0; step = step == 8 ? 1 : 0)
			for (uint64_t at = from; at < end; at += step)
				if (has_known_type(window + (at - base), big_endian) &&
				    begins_chain(catalog, window + (at - base),
						 limit - at, last))
					return at;
		from = end;
		stretch *= 2;
	}
	return limit;
}

bool perf_is_unlikely(const struct perf_catalog *catalog, const uint8_t *at, size_t have,
		      uint64_t whole)
{
	size_t end = whole < have ? (size_t)whole : have;

	return (whole < have &&
		!perf_is_plausible(catalog, at + whole, have - (size_t)whole)) ||
	       perf_resync(catalog, at, 0, PERF_RECORD_HEADER_BYTES, end, true) < end;
}

void perf_print_fault(char text[PERF_FAULT_BYTES], enum perf_fault fault, uint64_t value)
{
	static const char *const formats[PERF_FAULTS] = {
		[PERF_FAULT_LESS_THAN_HEADER] = "size %llu is less than its header, 8",
		[PERF_FAULT_UNALIGNED] = "size %llu is not a multiple of 8",
		[PERF_FAULT_COMPRESSED_SIZE] =
			"size %llu of a compressed record is not its data's",
		[PERF_FAULT_PAYLOAD] =
			"its payload of %llu bytes is larger than any file",
		[PERF_FAULT_NOT_WHOLE] = "size %llu is not that of a record",
		[PERF_FAULT_OVERSIZED] = "size %llu is larger than its fields",
		[PERF_FAULT_UNLIKELY] =
			"type %llu is unknown, and the bytes after it contradict it",
		[PERF_FAULT_OVER_END] = "size %llu goes past the end of the data",
		[PERF_FAULT_REST] = "%llu bytes that are not a record",
	};

	snprintf(text, PERF_FAULT_BYTES, formats[fault], (unsigned long long)value);
}

void perf_skip_damage(struct reader *reader, struct input *in, uint64_t limit,
		      const char *file, enum perf_fault fault, uint64_t value)
{
	const struct perf *perf = reader->state;
	uint64_t from = in->offset, left = limit - from, end, next;
	size_t wanted = left < INPUT_BUFFER_BYTES ? (size_t)left : INPUT_BUFFER_BYTES;
	size_t have = input_buffered(in);
	bool last;
	char why[PERF_FAULT_BYTES];

	/* To fill the buffer for each of many gaps would copy all of it each time. */
	if (have < INPUT_BUFFER_BYTES / 2)
		have = input_peek_some(in, wanted);
	else if (have < wanted)
		wanted = have;
	last = have < wanted || wanted == left;
	end = from + (have < wanted ? have : wanted);
	next = perf_resync(&perf->catalog, in->pos, from, from + 8, end, last);
	perf_print_fault(why, fault, value);
	finding_gap(&reader->findings,
		    next == end && last && fault == PERF_FAULT_OVER_END
			    ? FINDING_TRUNCATED
			    : FINDING_BAD_RECORD,
		    from, next, "record at 0x%llx%s%s: %s; %llu bytes skipped",
		    (unsigned long long)from, *file ? " of " : "", file, why,
		    (unsigned long long)(next - from));
	input_consume(in, (size_t)(next - from));
}
