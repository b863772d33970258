/*
 * perflib.h - the parts of the reader of PerfLib V2: bundles of snapshots, bare blocks.
 * docs/formats/perflib-bundle.md has the layouts and the rules V1 to V29.
 *
 * The road of a value:
 *
 *   file.c          the records of a bundle (layout.h)
 *   registration.c  what countersets are registered as
 *   identifiers.c   what a query asks for: which block of an answer is of what
 *   header.c        an answer: its header and clocks
 *   answer.c        its blocks
 *   values.c        the instances and values of a block
 *   sets.c          countersets, counters, queries, in
 *   registry.h      what is known of them, and their rows
 *
 * Rows go into the queue (model/emit.h), no more at a time than a block or an instance
 * gives; values go out one by one, when the queue is empty.
 */
#ifndef PERFTAB_PERFLIB_H
#define PERFTAB_PERFLIB_H

#include "base/cursor.h"
#include "formats/perflib/date.h"
#include "formats/perflib/layout.h"
#include "formats/perflib/registry.h"
#include "model/reader.h"

/* Maximum of bytes of an answer; PerfLib's own limit is 1 GiB. */
#define PERFLIB_ANSWER_BYTES_MAX ((size_t)32 << 20)
/* Maxima of a trace, besides those of the registry. */
#define PERFLIB_SLOTS_MAX 65536
#define PERFLIB_QUERIES_MAX 64
/* Maximum of bytes of a block that is kept as bytes. */
#define PERFLIB_BODY_BYTES_MAX ((size_t)65536)
/* PerfLib's: counters of a set, characters of a name. */
#define PERFLIB_SET_COUNTERS_MAX 64000
#define PERFLIB_NAME_UNITS_MAX 1023

#define PERFLIB_NONE UINT32_MAX /* no partner; all counters; any instance */

#define PERFLIB_ANSWER_HEADER_BYTES 48
#define PERFLIB_BLOCK_HEADER_BYTES 16
#define PERFLIB_IDENTIFIER_BYTES 40
#define PERFLIB_INSTANCE_HEADER_BYTES 8
#define PERFLIB_INSTANCE_BYTES_MIN 10 /* with the NUL of its name */

enum perflib_block_type {
	PERFLIB_ERROR = 0,
	PERFLIB_SINGLE = 1,
	PERFLIB_COUNTERS = 2,
	PERFLIB_INSTANCES = 4,
	PERFLIB_COUNTERSET = 6,
};

/* --- countersets, counters, queries (sets.c) --- */

struct perflib_set {
	struct registry_set known;
	bool registered;   /* its counters are known */
	unsigned answered; /* requests of registration that were, a bit each */
	struct perflib_counter *counters, **counters_tail;
	bool emitted;			     /* its row is */
	struct perflib_counter *not_emitted; /* the first counter whose row is not */
	struct perflib_set *successor;	     /* the same, registered after its row */
	struct perflib_set *next;
};

struct perflib_counter {
	struct registry_counter known;
	uint32_t id, type;
	bool registered;
	uint32_t index;		      /* in the registration being looked at */
	int64_t seen;		      /* the last list of counters it was in */
	struct perflib_counter *next; /* of the set */
};

/* One identifier of a query, or where no query is known, one place in the answers. */
struct perflib_slot {
	uint64_t number; /* of all slots */
	struct perflib_set *set;
	bool has_identifier;
	uint32_t counter;   /* PERFLIB_NONE: all, or not known */
	uint64_t list_hash; /* of the last list of counters, 0: none yet */
	struct registry_visits visits;
};

struct perflib_query {
	uint32_t number;
	bool has_info;
	bool is_reported; /* the missing info was reported */
	uint32_t info_crc;
	size_t identifiers;
	struct perflib_slot **slots;
	size_t slot_count; /* room of `slots`, which may be NULL */
	bool is_needed;	   /* the rows of the sets of its slots are out */
	bool has_last;
	int64_t last_time, last_freq, last_100ns;
};

struct perflib_sets {
	struct registry registry;
	struct perflib_set *first, **tail;
	struct perflib_query *queries[PERFLIB_QUERIES_MAX];
	size_t query_count;
	struct perflib_query bare; /* of a bare block */
	uint64_t slot_count;
};

/* Finds or adds a set (guid NULL: one without).  NULL: too many, with a finding. */
struct perflib_set *perflib_set(struct perflib_sets *sets, const uint8_t *guid,
				uint64_t offset);
struct perflib_counter *perflib_find_counter(const struct perflib_sets *sets,
					     const struct perflib_set *set, uint32_t id);
struct perflib_counter *perflib_counter(struct perflib_sets *sets,
					struct perflib_set *set, uint32_t id,
					uint64_t offset);
/* Replaces a set by a copy, for counters that are registered after its row. */
struct perflib_set *perflib_successor(struct perflib_sets *sets, struct perflib_set *set,
				      uint64_t offset);
/* Emits the rows of the set and its counters that were not emitted yet. */
void perflib_emit_set(struct perflib_sets *sets, struct perflib_set *set);
struct perflib_query *perflib_query(struct perflib_sets *sets, uint32_t number,
				    uint64_t offset);
/* Returns the slot of a place in the answers of a query, made if needed. */
struct perflib_slot *perflib_slot(struct perflib_sets *sets, struct perflib_query *query,
				  uint32_t index, uint64_t offset);
void perflib_sets_release(struct perflib_sets *sets);

/* --- an answer of PerfQueryCounterData on its way into rows (answer.c, values.c) --- */

struct perflib_walk {
	struct cursor answer; /* the blocks that are left */
	uint64_t from;
	struct perflib_query *query;
	uint32_t blocks, block; /* as it says; the next one */
	bool too_many_blocks;
	int64_t stamp; /* of the block, of all */
	/* the current block */
	struct perflib_slot *slot; /* NULL: its values cannot be kept */
	bool in_block;		   /* it may have more units */
	bool whole;		   /* no part of it was unreadable so far */
	bool has_instances;
	uint32_t instances; /* left in the block */
	uint32_t counters;
	const uint8_t *ids;		/* NULL: none in the block */
	struct perflib_counter **known; /* by position, NULL: not known */
	size_t known_count, known_room;
	struct cursor units; /* instances, or values, that are left of the block */
	/* the values of the instance at hand, which go out in place */
	struct cursor values;
	uint32_t value_at, value_count;
	struct perflib_snapshot_row snapshot_row;
	struct perflib_block_row block_row;
	struct perflib_raw_row raw_row;
};

struct perflib {
	struct findings *findings;
	struct emit emit;
	bool is_bundle, ended, done;
	bool want_raw; /* rows of values */
	struct perflib_sets sets;
	struct input_bytes payload; /* of the record at hand, or a bare block */
	uint32_t payload_crc;
	/* the identifiers that are left of it */
	struct cursor identifiers;
	struct perflib_query *query;
	bool is_add;
	struct perflib_walk walk;
	int64_t snapshots;
	struct trace_row trace;
};

/* --- text.c --- */

/* Bytes up to the first NUL unit; false: there is none, and these are all. */
bool perflib_nul(const uint8_t *at, size_t bytes, size_t *length);
bool perflib_utf16_is_valid(const uint8_t *at, size_t bytes);
struct str perflib_guid_text(struct registry *registry, const uint8_t *guid);

/* --- registration.c --- */

void perflib_on_registration(struct perflib *perflib, struct cursor payload);
/* An answer of PerfEnumerateCounterSetInstances: checked, and recorded in a row. */
void perflib_on_instances(struct perflib *perflib, struct cursor payload);

/* --- identifiers.c --- */

void perflib_begin_identifiers(struct perflib *perflib, struct cursor payload,
			       bool is_add);
/* The next one of them; false: there is none. */
bool perflib_next_identifier(struct perflib *perflib);

/* --- header.c: what precedes the blocks --- */

/* False: nothing of the answer can be read. */
bool perflib_decode_header(struct perflib *perflib, struct cursor answer,
			   uint64_t expected_bytes);

/* --- answer.c --- */

/* query NULL: a bare block. */
void perflib_begin_answer(struct perflib *perflib, struct cursor answer,
			  struct perflib_query *query, int64_t code,
			  uint64_t expected_bytes);
/* Some more of its rows, a block's or an instance's; false: there are none. */
bool perflib_walk_answer(struct perflib *perflib);

/* --- values.c: what is in a block --- */

/* V19; `length` without the NUL, if it has_end. */
void perflib_check_name(struct findings *findings, const uint8_t *name, size_t bytes,
			size_t length, bool has_end, uint64_t offset);
/* Whether the payload of a block holds anything to be read. */
bool perflib_begin_payload(struct perflib *perflib, struct cursor payload, uint32_t type);
/* The next instance, or all there is without; false: no more of it. */
bool perflib_next_unit(struct perflib *perflib);
/* The next value of that, nearly all rows there are; false: no more of them. */
bool perflib_next_value(struct perflib *perflib, struct record *out);

#endif
