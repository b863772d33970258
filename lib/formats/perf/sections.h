/*
 * sections.h - the header and the sections around the data in the file form.
 */
#ifndef PERFTAB_PERF_SECTIONS_H
#define PERFTAB_PERF_SECTIONS_H

#include "formats/perf/perf.h"

struct perf_section {
	uint64_t offset;
	uint64_t size;
};

struct perf_file_header {
	uint64_t size;
	uint64_t attr_size;
	struct perf_section attrs, data, event_types;
	uint64_t features[4];
	bool is_table_lost; /* no table of features follows the data */
};

static inline struct perf_section perf_decode_section(struct cursor *c)
{
	struct perf_section section;

	section.offset = cursor_u64(c);
	section.size = cursor_u64(c);
	return section;
}

static inline bool perf_section_outside(const struct reader *reader,
					struct perf_section section)
{
	uint64_t size = reader->input.size;

	return section.offset > size || section.size > size - section.offset;
}

/* Repairs the places of data and features in the header, as far as possible. */
void perf_repair_sections(struct reader *reader, struct perf_file_header *header);
/*
 * embedded_header.c: decodes the description before the data, which perftab-capture keeps
 * until the file is finished; *found: there is one.  Needs the attributes.
 */
MUST_CHECK enum status perf_decode_embedded_header(struct reader *reader,
						   const struct perf_file_header *header,
						   bool *found);
/* Reads all feature sections; unreadable ones are findings. */
MUST_CHECK enum status perf_load_sections(struct reader *reader,
					  const struct perf_file_header *header);

#endif
