/*
 * records.h - records other than samples.
 */
#ifndef PERFTAB_PERF_RECORDS_H
#define PERFTAB_PERF_RECORDS_H

#include "formats/perf/perf.h"

/* Maximum of bytes that are kept of a record without a table. */
#define PERF_OTHER_BYTES_MAX 65536u

/* The trailer that all records but samples may have; missing fields are INT_NONE. */
struct perf_trailer {
	int64_t pid, tid, ts_ns, cpu;
	struct perf_stream *stream;
};
/* trailer.c: decodes it, and removes it from the end of the record. */
struct perf_trailer perf_decode_trailer(struct perf *perf, struct cursor *body);

/*
 * records.c: decodes the body of a record.  ST_OK: *out is filled, and owned by the
 * reader; ST_END: there is nothing for *out, or it was emitted.  The caller sets
 * out->offset and out->data.
 */
enum status perf_decode_record(struct reader *reader, struct cursor *body,
			       const struct perf_header *header, struct record *out);
/* kernel_rows.c, tool_rows.c: as perf_decode_record(), for records that become rows. */
enum status perf_decode_kernel_row(struct reader *reader, struct cursor *body,
				   const struct perf_header *header, struct record *out);
enum status perf_decode_tool_record(struct reader *reader, struct cursor *body,
				    const struct perf_header *header, struct record *out);
/* kernel_rows.c: keeps a record without a table of its own as bytes. */
enum status perf_decode_other(struct reader *reader, struct cursor *body,
			      const struct perf_header *header, struct record *out);
/* schedstat.c: decodes SCHEDSTAT_CPU or _DOMAIN; *known: its version is known. */
bool perf_decode_schedstat(struct perf_scratch *scratch, uint32_t type, struct cursor *c,
			   struct record *out, bool *known);
/*
 * own_records.c: decodes a HEADER_EVENT_TYPE record, if it is one of perftab-capture's
 * own.  Sets out->kind to RECORD_TASK_COMMAND; unchanged: it has no event.
 */
bool perf_decode_own(struct perf *perf, struct cursor *c, struct record *out,
		     bool *is_own);
/* build_id.c: decodes a BUILD_ID record or feature entry to scratch.event.build_id. */
bool perf_decode_build_id(struct perf_scratch *scratch, struct cursor *body,
			  uint16_t misc, struct record *out);
/*
 * exit_read.c: decodes a READ record with a whole group.  *out is the last switch of the
 * thread that ends, or a read of a CPU.  False: it is another kind of READ.
 */
bool perf_decode_group_read(struct reader *reader, const struct perf_trailer *id,
			    struct cursor body, struct record *out);
/*
 * own_facts.c: decodes the facts of perftab-capture after PERF_OWN_FACTS, and emits their
 * rows.
 */
void perf_decode_own_facts(struct perf *perf, struct cursor *c, uint64_t offset);
/* facts.c: prints up to 64 bytes as hexadecimal digits in scratch->text. */
struct str perf_print_hex(struct perf_scratch *scratch, const uint8_t *bytes,
			  size_t count);

#endif
