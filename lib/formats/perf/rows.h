/*
 * rows.h - rows of the trace as a whole: facts, groups and counters, counts, the trace.
 */
#ifndef PERFTAB_PERF_ROWS_H
#define PERFTAB_PERF_ROWS_H

#include "formats/perf/catalog.h"
#include "model/emit.h"

#define PERF_FACT_BYTES_MAX 16384u /* of a header text; longer ones are cut */
#define PERF_FACTS_MAX 65536u	   /* header texts */
#define PERF_FACTS_BYTES_MAX (8u << 20)
#define PERF_FILE_SYMBOLS_MAX (1u << 20)
#define PERF_FEATURES_MAX 256u /* bits in the header's bitmap */

struct perf_rows {
	struct emit emit; /* rows to emit before the next record is decoded */
	struct arena texts;
	struct trace_row trace; /* the last row of all */
	int64_t first_ns,
		last_ns; /* of any record; INT64_MAX and INT_NONE: none so far */
	struct findings *findings; /* the reader's */
	size_t fact_count, fact_bytes;
	size_t own_fact_count; /* lines of own_facts.c */
	uint64_t features_met[PERF_FEATURES_MAX / 64];
	size_t cpu_map_rows;
	size_t file_symbols;
	bool wants_file_symbols;  /* as rows; else only their layout is checked */
	struct perf_scope *scope; /* the catalog's, for CPU_MAP */
	bool wants_cpu_map;	  /* as rows */
	int64_t stat_round;	  /* complete rounds of perf stat */
	uint64_t counts[PERF_COUNTED_TYPES];
	uint64_t other_types; /* records of types beyond those */
	bool counters_done, trace_done;
};

/* facts.c: emits a row of header_fact; returns the kept copy of the value. */
struct str perf_emit_fact(struct perf_rows *rows, const char *key, struct str value);
/* Emits a fact that is a number. */
void perf_emit_number(struct perf_rows *rows, const char *key, uint64_t number,
		      const char *unit);

/* trace_rows.c: emits a group and its counters. */
void perf_emit_group(struct perf_rows *rows, const struct perf_group *group);
/* Emits all other counters, and the counts of records by type. */
void perf_emit_counters(struct perf_rows *rows, struct perf_catalog *catalog);

/* Counts a record of the type. */
static inline void perf_count_record(struct perf_rows *rows, uint32_t type)
{
	if (type < 128)
		rows->counts[type]++;
	else if (type >= PERF_RECORD_SIMPLEPERF_FIRST &&
		 type < PERF_RECORD_SIMPLEPERF_FIRST + 64)
		rows->counts[type - PERF_RECORD_SIMPLEPERF_FIRST + 128]++;
	else
		rows->other_types++;
}

/* Extends the range of times of the trace; 0 is not a time. */
static inline void perf_note_time(struct perf_rows *rows, int64_t ts_ns)
{
	if ((uint64_t)ts_ns << 1 == 0) /* 0 or INT_NONE */
		return;
	if (ts_ns < rows->first_ns)
		rows->first_ns = ts_ns;
	if (ts_ns > rows->last_ns)
		rows->last_ns = ts_ns;
}

#endif
