/*
 * sections.h - what is around the data in the file form of perf.data.
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

static inline struct perf_section perf_section_read(struct cursor *c)
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

/* Repairs the header's places of the data and the features where the file shows them. */
void perf_sections_repair(struct reader *reader, struct perf_file_header *header);
/*
 * embedded_header.c: what describes the trace before its data, where perftab-capture
 * keeps it until the file is finished; *found: there is something.  Once the attributes
 * are known.
 */
MUST_CHECK enum status perf_early_read(struct reader *reader,
				       const struct perf_file_header *header,
				       bool *found);
/* Reads all feature sections; those that cannot be read are findings. */
MUST_CHECK enum status perf_sections_load(struct reader *reader,
					  const struct perf_file_header *header);

#endif
