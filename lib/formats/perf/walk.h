/*
 * walk.h - the walk from record to record, its look-ahead, and damage.
 */
#ifndef PERFTAB_PERF_WALK_H
#define PERFTAB_PERF_WALK_H

#include "formats/perf/catalog.h"
#include "formats/perf/source.h"

struct perf;

/* A COMM, FORK or EXIT record. */
struct perf_task {
	int64_t ts_ns;
	uint64_t offset; /* in the stream of records */
};

/* Why bytes are not a record; resync.c has the texts. */
enum perf_fault {
	PERF_FAULT_NONE,
	PERF_FAULT_LESS_THAN_HEADER,
	PERF_FAULT_UNALIGNED,
	PERF_FAULT_COMPRESSED_SIZE,
	PERF_FAULT_PAYLOAD,
	PERF_FAULT_NOT_WHOLE, /* of a record that the look-ahead has accepted */
	PERF_FAULT_OVERSIZED, /* perf_is_oversized() */
	PERF_FAULT_UNLIKELY,  /* perf_is_unlikely() */
	PERF_FAULT_OVER_END,
	PERF_FAULT_REST, /* of a gap: it began before */
	PERF_FAULTS
};

/* The bytes of a record, or why it is none. */
struct perf_extent {
	uint32_t record; /* its size */
	enum perf_fault fault;
	uint64_t whole; /* with the payload that some have beyond their size */
	uint64_t value; /* what the fault is about */
};

/* Bytes that are not records. */
struct perf_gap {
	uint64_t from, to;
	enum perf_fault fault; /* why the first bytes are not a record */
	uint64_t value;	       /* for the text of the fault */
};

/* What lookahead.c has found.  Offsets are in the stream of records. */
struct perf_ahead {
	uint64_t scanned; /* headers before this were checked */
	uint64_t safe;	  /* samples before this may be decoded */
	uint64_t round;	  /* end of the last round, and of the one before */
	uint64_t round_before;
	uint64_t last;		 /* start of the record before `scanned` */
	uint64_t noted_to;	 /* task records before this were emitted */
	uint64_t reopened_to;	 /* except those before this, which a gap hid */
	struct perf_task *tasks; /* to emit before anything else */
	size_t count, next, room;
	struct perf_gap *gaps; /* in order; kept until skipped */
	size_t gap_count, gap_next, gap_room;
	bool lost; /* `scanned` is within a gap */
};

struct perf_walk {
	struct perf_ahead ahead;
	struct perf_gap gap;	/* being skipped; from == to: none */
	bool described;		/* the records before those of the kernel were decoded */
	bool done;		/* the data section has ended */
	uint64_t plain_to;	/* no scan, gap or task before this; 0: unknown */
	size_t sample_left;	/* bytes of the last sample after its fields */
	uint64_t record_offset; /* in the input, of the current record; not of samples */
};

/* walk.c: reads the next record; reader_ops.next once the data section is found. */
enum status perf_next_record(struct reader *reader, struct record *out);
/* Sorts records where events were written backward, once the events are known. */
MUST_CHECK enum status perf_open_order(struct reader *reader);

/* lookahead.c: scans the records that fit the buffer. */
MUST_CHECK enum status perf_scan_ahead(struct reader *reader);
/*
 * Forgets the scan: the next one begins at the input's place.  For callers that change
 * that place, or the stream.
 */
void perf_forget_ahead(struct perf_walk *walk, const struct perf_source *source);
/*
 * Scans the next `bytes` bytes again, which are records after all; keeps what was found
 * after them.
 */
void perf_scan_again(struct perf *perf, size_t bytes);

/* resync.c: finds the extent of the record at `at`; 8 bytes of it at least are there. */
struct perf_extent perf_find_extent(const struct perf_catalog *catalog, const uint8_t *at,
				    size_t have);
/* Returns whether the bytes are records from the first to the last. */
bool perf_holds_records(const struct perf_catalog *catalog, const uint8_t *at,
			size_t size);
/* Returns whether the bytes begin with records; more than `have` bytes may exist. */
bool perf_begins_records(const struct perf_catalog *catalog, const uint8_t *at,
			 size_t have);
/*
 * Returns whether the record of `size` bytes has whole records after its own fields: its
 * size is wrong.
 */
bool perf_is_oversized(const struct perf_catalog *catalog, const uint8_t *at,
		       uint32_t size);
/*
 * Returns the place of the next plausible record in [from, limit) of a window whose first
 * byte is at `base`; limit: none.  `last`: nothing follows the limit.
 */
uint64_t perf_resync(const struct perf_catalog *catalog, const uint8_t *window,
		     uint64_t base, uint64_t from, uint64_t limit, bool last);
/* Returns whether an unknown type has no record after it, or records within it. */
bool perf_is_unlikely(const struct perf_catalog *catalog, const uint8_t *at, size_t have,
		      uint64_t whole);
/*
 * Skips invalid bytes at the input's place, up to the next record, and reports the gap.
 * `file` is named if it is not "".
 */
void perf_skip_damage(struct reader *reader, struct input *in, uint64_t limit,
		      const char *file, enum perf_fault fault, uint64_t value);
/* "size 7 is less than its header, 8" */
#define PERF_FAULT_BYTES 96
void perf_print_fault(char text[PERF_FAULT_BYTES], enum perf_fault fault, uint64_t value);
/* Returns whether the header at `at` may begin a record of `have` bytes or more. */
bool perf_is_plausible(const struct perf_catalog *catalog, const uint8_t *at,
		       size_t have);

#endif
