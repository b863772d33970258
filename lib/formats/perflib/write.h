/*
 * write.h - writes a PerfLib bundle, record by record.
 *
 * What sources answered goes in as it came.  A record reaches the stream with the calls
 * that write it; a recorder killed between two of them leaves a bundle that can be read
 * up to its last whole record.  Needs nothing but C11: the same code serves every system.
 */
#ifndef PERFTAB_PERFLIB_WRITE_H
#define PERFTAB_PERFLIB_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "formats/perflib/layout.h"

/* Writes all the bytes, or returns other than ST_OK and says why in *error. */
typedef enum status plb_write(void *context, const void *bytes, size_t size,
			      struct error *error);

struct plb_writer {
	plb_write *write;
	void *context;
	uint32_t records;
	struct error error; /* of the first failure; then nothing is written any more */
};

/* How clocks stand: the tick counter before and after the wall clock was read. */
struct plb_clock {
	int64_t ticks_before, ticks_after;
	int64_t ticks_per_second;
	int64_t wall_100ns;   /* UTC, since 1601 */
	int32_t minutes_west; /* UTC = local time + this */
};

struct plb_registration {
	uint8_t guid[PLB_GUID_BYTES]; /* of the counterset, as it lies in memory */
	uint32_t request;	      /* enum plb_request */
	uint32_t argument;	      /* a counter id, an LCID, or 0 */
	uint32_t code;		      /* what the call returned, 0: done */
};

struct plb_data {
	uint32_t query; /* number of the query handle */
	uint32_t code;
	uint32_t reported_bytes; /* what the call says it filled, or would need */
	int64_t ticks_before, ticks_after;
};

/* Writes the file header. */
MUST_CHECK enum status plb_begin(struct plb_writer *writer, plb_write *write,
				 void *context);
MUST_CHECK enum status plb_write_fact(struct plb_writer *writer, const char *key,
				      const char *value);
MUST_CHECK enum status plb_write_clock(struct plb_writer *writer,
				       const struct plb_clock *clock);
/* `bytes` of all of these: the answer as it is; size 0 where the call failed. */
MUST_CHECK enum status plb_write_registration(struct plb_writer *writer,
					      const struct plb_registration *registration,
					      const void *bytes, size_t size);
MUST_CHECK enum status plb_write_add(struct plb_writer *writer, uint32_t query,
				     uint32_t code, const void *bytes, size_t size);
MUST_CHECK enum status plb_write_info(struct plb_writer *writer, uint32_t query,
				      uint32_t code, const void *bytes, size_t size);
MUST_CHECK enum status plb_write_instances(struct plb_writer *writer,
					   const uint8_t guid[PLB_GUID_BYTES],
					   uint32_t code, const void *bytes, size_t size);
MUST_CHECK enum status plb_write_data(struct plb_writer *writer,
				      const struct plb_data *data, const void *bytes,
				      size_t size);
/* The capture is complete. */
MUST_CHECK enum status plb_finish(struct plb_writer *writer);

#endif
