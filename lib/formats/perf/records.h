/*
 * records.h - records other than samples.
 */
#ifndef PERFTAB_PERF_RECORDS_H
#define PERFTAB_PERF_RECORDS_H

#include "formats/perf/perf.h"

/* Content that is kept as bytes. */
#define PERF_OTHER_BYTES_MAX 65536u

/* The trailer that all records but samples may have; what it lacks is INT_NONE. */
struct perf_trailer {
	int64_t pid, tid, ts_ns, cpu;
	struct perf_stream *stream;
};
/* trailer.c: removes it from the end of the record. */
struct perf_trailer perf_decode_trailer(struct perf *perf, struct cursor *body);

/*
 * records.c: the body of one record.  ST_OK: reader-owned *out is filled; ST_END: it
 * holds nothing, or what it holds was emitted.  out->offset and out->data are given.
 */
enum status perf_decode_record(struct reader *reader, struct cursor *body,
			       const struct perf_header *header, struct record *out);
/* kernel_rows.c and tool_rows.c: the same for records that become rows. */
enum status perf_decode_kernel_row(struct reader *reader, struct cursor *body,
				   const struct perf_header *header, struct record *out);
enum status perf_decode_tool_record(struct reader *reader, struct cursor *body,
				    const struct perf_header *header, struct record *out);
/* kernel_rows.c: a record without a table of its own, as bytes. */
enum status perf_decode_other(struct reader *reader, struct cursor *body,
			      const struct perf_header *header, struct record *out);
/* schedstat.c: SCHEDSTAT_CPU and SCHEDSTAT_DOMAIN; *known: of a known version. */
bool perf_decode_schedstat(struct perf_scratch *scratch, uint32_t type, struct cursor *c,
			   struct record *out, bool *known);
/*
 * own_records.c: a HEADER_EVENT_TYPE record, if it is one of perftab-capture's own.
 * out->kind is RECORD_TASK_COMMAND, or as it was: it held no event.
 */
bool perf_decode_own(struct perf *perf, struct cursor *c, struct record *out,
		     bool *is_own);
/* build_id.c: a BUILD_ID record, or an entry of the feature: scratch.event.build_id. */
bool perf_decode_build_id(struct perf_scratch *scratch, struct cursor *body,
			  uint16_t misc, struct record *out);
/*
 * exit_read.c: a READ record with a whole group, of a thread that ends or of a CPU; *out
 * is the last switch of that thread, or a read.  False: it is another kind of READ.
 */
bool perf_decode_group_read(struct reader *reader, const struct perf_trailer *id,
			    struct cursor body, struct record *out);
/*
 * own_facts.c: what perftab-capture itself found out, after PERF_OWN_FACTS; the rows are
 * emitted.
 */
void perf_decode_own_facts(struct perf *perf, struct cursor *c, uint64_t offset);
/* facts.c: hexadecimal digits of up to 64 bytes, in scratch->text. */
struct str perf_print_hex(struct perf_scratch *scratch, const uint8_t *bytes,
			  size_t count);

#endif
