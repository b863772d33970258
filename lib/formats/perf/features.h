/*
 * features.h - what features.c and machine.c share: the header features.
 */
#ifndef PERFTAB_PERF_FEATURE_H
#define PERFTAB_PERF_FEATURE_H

#include "formats/perf/perf.h"

/* Words in a command line, groups, PMUs: more than any real file has. */
#define PERF_LIST_MAX 65536u

/* u32 length (padded, NUL inside), then its bytes. */
static inline struct str perf_feature_string(struct cursor *c)
{
	return cursor_padded_str(c, cursor_u32(c));
}

/* features.c: a fact that is a number. */
void perf_number_fact(struct perf *perf, const char *key, uint64_t number,
		      const char *unit);

/* machine.c: a feature that says what machine it was; false: it is another one. */
bool perf_machine_read(struct perf *perf, unsigned int feature, struct cursor *c);

#endif
