/*
 * sections.c - the feature sections after the data.
 *
 * Where the data ends, a table has {offset, size} for each feature bit that is set, in
 * ascending order; the sections follow.  If they lie outside the file and such a table is
 * found elsewhere, the data size was damaged.
 */
#include "formats/perf/sections.h"

#include "base/buffer_bytes.h"
#include "base/memory.h"

#include <stdlib.h>

#include "formats/perf/features.h"

/* How far before the end of the file the table is searched. */
#define SEARCH_BYTES ((uint64_t)8 << 20)
/* Enough for a few records. */
#define CHAIN_BYTES BUFFER_SIZE((size_t)2 * 65536, (size_t)65536)
#define SPARE_ENTRIES_BYTES (16 * PERF_SECTION_BYTES)

static unsigned int feature_count(const struct perf_file_header *header)
{
	unsigned int count = 0;

	for (int i = 0; i < 4; i++)
		count += (unsigned int)__builtin_popcountll(header->features[i]);
	return count;
}

static bool has_feature(const struct perf_file_header *header, unsigned int feature)
{
	return header->features[feature / 64] >> (feature % 64) & 1;
}

/* --- repairs --- */

/*
 * Some writers swap the bits as 32-bit words when the file has the other byte order: then
 * HOSTNAME, which all files have, is in the upper half.
 */
static void repair_halves(struct perf_file_header *header)
{
	if (has_feature(header, FEATURE_HOSTNAME) ||
	    !has_feature(header, FEATURE_HOSTNAME + 32))
		return;
	for (int i = 0; i < 4; i++)
		header->features[i] = header->features[i] >> 32 | header->features[i]
									  << 32;
}

static bool read_u64(struct reader *reader, uint64_t offset, uint64_t *value)
{
	const struct perf *perf = reader->state;
	uint8_t bytes[8] = { 0 };
	struct cursor c = cursor_over(bytes, sizeof(bytes), 0, perf->catalog.big_endian);

	if (offset > reader->input.size || input_seek(&reader->input, offset) != ST_OK ||
	    input_read(&reader->input, bytes, sizeof(bytes)) != ST_OK)
		return false;
	*value = cursor_u64(&c);
	return true;
}

/*
 * The feature table can be at `at`: all its sections lie within the file, and after it.
 * In a file that is still recorded they precede the data.
 */
static bool is_table(struct reader *reader, const struct perf_file_header *header,
		     uint64_t at)
{
	struct perf_section section;
	uint64_t table = at;

	for (unsigned int i = feature_count(header); i > 0; i--) {
		if (!read_u64(reader, at, &section.offset) ||
		    !read_u64(reader, at + 8, &section.size) ||
		    perf_section_outside(reader, section) ||
		    (section.size && section.offset < table &&
		     section.offset + section.size > header->data.offset))
			return false;
		at += PERF_SECTION_BYTES;
	}
	return true;
}

/*
 * Searches the table from the end of the file; 0: not found.  Its first section begins
 * where it ends, in all files that perf writes.
 */
static uint64_t find_table(struct reader *reader, const struct perf_file_header *header)
{
	const struct perf *perf = reader->state;
	uint64_t size = reader->input.size, count = feature_count(header);
	uint64_t from = size > SEARCH_BYTES ? size - SEARCH_BYTES : 0;
	size_t bytes = (size_t)(size - from);
	uint8_t *tail = memory_alloc(bytes ? bytes : 1);
	uint64_t found = 0;

	if (tail && input_seek(&reader->input, from) == ST_OK &&
	    input_read(&reader->input, tail, bytes) == ST_OK) {
		for (size_t i = 0; i + 8 <= bytes && !found; i++) {
			struct cursor c =
				cursor_over(tail + i, 8, 0, perf->catalog.big_endian);

			uint64_t first = cursor_u64(&c), at = from + i,
				 least = at + count * PERF_SECTION_BYTES;

			if (first >= least && first <= least + SPARE_ENTRIES_BYTES &&
			    (first - at) % PERF_SECTION_BYTES == 0)
				found = at;
		}
	}
	free(tail);
	return found && is_table(reader, header, found) ? found : 0;
}

/* A record can begin at `offset`. */
static bool is_record(struct reader *reader, uint64_t offset)
{
	const struct perf *perf = reader->state;
	size_t have;

	if (offset > reader->input.size || input_seek(&reader->input, offset) != ST_OK)
		return false;
	have = input_peek_some(&reader->input, CHAIN_BYTES);
	return have >= PERF_RECORD_HEADER_BYTES &&
	       perf_begins_records(&perf->catalog, reader->input.pos, have);
}

/* The data does not begin with a record, but one follows the attributes. */
static void repair_offset(struct reader *reader, struct perf_file_header *header)
{
	uint64_t after_attrs = header->attrs.offset + header->attrs.size;

	if (header->data.offset == after_attrs || header->data.size == 0 ||
	    is_record(reader, header->data.offset) || !is_record(reader, after_attrs))
		return;
	finding_report(&reader->findings, FINDING_REPAIRED, 40,
		       "data at 0x%llx does not begin with a record: read from 0x%llx on",
		       (unsigned long long)header->data.offset,
		       (unsigned long long)after_attrs);
	header->data.offset = after_attrs;
}

void perf_repair_sections(struct reader *reader, struct perf_file_header *header)
{
	uint64_t end, table;

	repair_halves(header);
	if (header->data.size == 0)
		return;
	repair_offset(reader, header);
	end = header->data.offset + header->data.size;
	if (feature_count(header) == 0 || is_table(reader, header, end))
		return;
	table = find_table(reader, header);
	if (table <= header->data.offset) {
		header->is_table_lost = true;
		return;
	}
	finding_report(
		&reader->findings, FINDING_REPAIRED, 48,
		"data size %llu at 0x30: no header features follow, corrected to %llu",
		(unsigned long long)header->data.size,
		(unsigned long long)(table - header->data.offset));
	header->data.size = table - header->data.offset;
}

/* --- loading --- */

/* Loads one section and decodes it; a section that cannot be loaded is a finding. */
static enum status load_section(struct reader *reader, unsigned int feature,
				struct perf_section section)
{
	const struct perf *perf = reader->state;
	const char *name = perf_feature_name(feature);
	bool outside = perf_section_outside(reader, section);
	struct cursor c;
	uint8_t *bytes;
	enum status status;

	if (outside || section.size > PERF_FEATURE_BYTES_MAX) {
		finding_gap(&reader->findings, FINDING_BAD_SECTION, section.offset,
			    section.offset + section.size,
			    "header feature %u (%s) at 0x%llx, %llu bytes: %s", feature,
			    name ? name : "unknown", (unsigned long long)section.offset,
			    (unsigned long long)section.size,
			    outside ? "outside the file" : "too large");
		perf_drop_feature(reader, feature, section.offset, section.size);
		return ST_OK;
	}
	bytes = memory_alloc(section.size ? (size_t)section.size : 1);
	if (!bytes)
		return error_nomem(&reader->error);
	status = input_seek(&reader->input, section.offset);
	if (status == ST_OK)
		status = input_read(&reader->input, bytes, (size_t)section.size);
	if (status == ST_OK) {
		c = cursor_over(bytes, (size_t)section.size, section.offset,
				perf->catalog.big_endian);
		perf_decode_feature(reader, feature, &c);
	}
	free(bytes);
	return status == ST_TRUNCATED ? ST_OK : status;
}

/* EVENT_DESC first: where the attributes were lost, the others need it. */
enum status perf_load_sections(struct reader *reader,
			       const struct perf_file_header *header)
{
	const struct perf *perf = reader->state;

	for (int events = 1; events >= 0; events--) {
		uint64_t at = header->data.offset + header->data.size;

		for (unsigned int feature = 0; feature < PERF_FEATURES_MAX; feature++) {
			uint8_t entry[PERF_SECTION_BYTES];
			struct cursor c;
			enum status status;

			if (!has_feature(header, feature))
				continue;
			status = input_seek(&reader->input, at);
			if (status == ST_OK)
				status = input_read(&reader->input, entry, sizeof(entry));
			if (status == ST_TRUNCATED) {
				if (events == 0)
					finding_report(&reader->findings,
						       FINDING_TRUNCATED, at,
						       "the file ends before its header "
						       "features at 0x%llx: "
						       "names and formats may be missing",
						       (unsigned long long)at);
				break;
			}
			if (status != ST_OK)
				return status;
			at += PERF_SECTION_BYTES;
			if ((feature == FEATURE_EVENT_DESC) != events)
				continue;
			c = cursor_over(entry, sizeof(entry), 0,
					perf->catalog.big_endian);
			status = load_section(reader, feature, perf_decode_section(&c));
			if (status != ST_OK)
				return status;
		}
	}
	return ST_OK;
}
