/*
 * features.h - the header features after the data: recorder, machine, events.
 */
#ifndef PERFTAB_PERF_FEATURES_H
#define PERFTAB_PERF_FEATURES_H

#include "formats/perf/perf.h"

/* Maximum of words of a command line, groups, PMUs: above that of real files. */
#define PERF_LIST_MAX 65536u

/* Decodes a text: u32 length (padded, NUL inside), then its bytes. */
static inline struct str perf_decode_string(struct cursor *c)
{
	return cursor_padded_str(c, cursor_u32(c));
}

/* features.c: decodes a header feature section that is in memory. */
void perf_decode_feature(struct reader *reader, unsigned int feature,
			 struct cursor *section);
/* Applies names and groups that a pipe had before its attributes, now known. */
void perf_use_early_features(struct perf *perf);
/* Reports a feature that could not be loaded. */
void perf_drop_feature(struct reader *reader, unsigned int feature, uint64_t offset,
		       uint64_t bytes);
/* machine.c: decodes a feature about the machine; false: it is another one. */
bool perf_decode_machine(struct perf_rows *rows, struct perf_catalog *catalog,
			 unsigned int feature, struct cursor *c);

#endif
