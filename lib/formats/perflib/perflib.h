/*
 * perflib.h - what the files of the PerfLib reader share.
 *
 * docs/formats/perflib-bundle.md has the rules V1 to V29 and the layouts.
 */
#ifndef PERFTAB_PERFLIB_H
#define PERFTAB_PERFLIB_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/map.h"
#include "formats/perflib/layout.h"
#include "model/reader.h"

/* What is read of one answer; PerfLib's own limit is 1 GiB. */
#define PERFLIB_ANSWER_BYTES_MAX ((size_t)32 << 20)
/* What is kept of a trace. */
#define PERFLIB_SETS_MAX 16384
#define PERFLIB_COUNTERS_MAX 131072
#define PERFLIB_INSTANCES_MAX 262144
#define PERFLIB_SLOTS_MAX 65536
#define PERFLIB_QUERIES_MAX 64
#define PERFLIB_TEXT_BYTES_MAX ((size_t)32 << 20)
/* Of a block or value that is kept as bytes. */
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

struct perflib_set {
	struct perflib_counterset_row row;
	uint8_t guid[PLB_GUID_BYTES];
	bool has_guid;
	bool registered;   /* its counters are known */
	unsigned answered; /* requests of registration that were, a bit each */
	struct perflib_counter *counters, **counters_tail;
	bool given;			   /* its row is out */
	struct perflib_counter *not_given; /* the first counter whose row is not */
	bool is_pending;
	struct perflib_set *next_pending;
	struct perflib_set *successor; /* the same, registered behind its row */
	struct perflib_set *next, *same_hash;
};

struct perflib_counter {
	struct perflib_counter_row row;
	uint32_t id, type;
	bool registered;
	uint32_t index;		      /* in the registration being looked at */
	uint64_t seen;		      /* the last list of counters it was in */
	struct perflib_counter *next; /* of the set */
};

/* One identifier of a query, or where no query is known, one place in the answers. */
struct perflib_slot {
	uint64_t number; /* of all slots */
	struct perflib_set *set;
	bool has_identifier;
	uint32_t counter;   /* PERFLIB_NONE: all, or not known */
	uint64_t list_hash; /* of the last list of counters, 0: none yet */
	int64_t last_whole; /* the last snapshot in which all of it could be read */
};

struct perflib_query {
	uint32_t number;
	bool has_info;
	bool is_told; /* that there is none */
	uint32_t info_crc;
	size_t identifiers;
	struct perflib_slot **slots;
	size_t slot_count; /* room, that is: not each of them is there */
	bool is_needed;	   /* the sets of its slots are pending, or out */
	bool has_last;
	int64_t last_time, last_freq, last_100ns;
};

/* One life of an instance. */
struct perflib_instance {
	struct perflib_instance_row row;
	uint64_t slot;
	const uint8_t *name; /* UTF-16, as it lies in the answer */
	size_t name_bytes;
	uint32_t id, ordinal;
	int64_t last_snapshot; /* it was in */
	uint64_t block;	       /* the last one it was in */
	uint32_t repeats;      /* how often in that; of the one with ordinal 0 */
	bool given;	       /* its row is out */
	struct perflib_instance *same_hash;
};

/* An answer of PerfQueryCounterData on its way into rows. */
struct perflib_walk {
	struct cursor answer; /* the blocks that are left */
	uint64_t from;
	struct perflib_query *query;
	uint32_t blocks, block; /* as it says; the next one */
	bool blocks_told;
	struct perflib_slot *slot;
	uint64_t stamp; /* of the block, of all */
	bool in_block, whole;
	bool has_instances;
	uint32_t instances; /* that are left */
	uint32_t counters;
	const uint8_t *ids;		/* NULL: none in the block */
	struct perflib_counter **known; /* by position, NULL: not known */
	size_t known_count, known_room;
	struct cursor units; /* instances, or values, that are left of the block */
	struct cursor values;
	uint32_t value_at, value_count;
	struct perflib_instance *instance;
	bool is_met; /* its row comes before its values */
	struct perflib_snapshot_row snapshot_row;
	struct perflib_block_row block_row;
	struct perflib_raw_row raw_row;
};

struct perflib {
	struct findings *findings;
	struct arena arena;
	size_t text_bytes;
	uint64_t seed; /* of hashes: no file can be made whose names all collide */
	bool is_bundle, ended, out_of_memory, given, trace_given;
	uint32_t payload_crc;
	/* What makes the rows of the record at hand; NULL: it is done. */
	bool (*step)(struct reader *reader, struct record *out);
	struct input_bytes payload; /* of that record, or a bare block */
	struct cursor rest;	    /* of it */
	struct perflib_query *query;
	bool is_add;
	struct perflib_query *queries[PERFLIB_QUERIES_MAX];
	size_t query_count;
	struct perflib_query bare;
	struct map set_map; /* hash of the GUID -> struct perflib_set */
	struct perflib_set *sets, **sets_tail;
	size_t set_count;
	/* Whose rows come before the next row of an answer. */
	struct perflib_set *pending, **pending_tail;
	bool has_held;
	struct record held;	/* that next row */
	struct map counter_map; /* set and id -> struct perflib_counter */
	size_t counter_count;
	struct map instance_map; /* hash -> struct perflib_instance */
	size_t instance_count;
	uint64_t slot_count;
	int64_t snapshots;
	struct perflib_walk walk;
	bool has_blocks;
	char system_time[64];
	struct trace_row trace;
	struct {
		char key[32], value[32];
	} clock_facts[4];
	size_t clock_fact;
	struct header_fact_row fact_row;
	struct perflib_answer_row answer_row;
	struct perflib_identifier_row identifier_row;
};

/* --- text.c --- */

/* Bytes up to the first NUL unit; false: there is none, and these are all. */
bool perflib_nul(const uint8_t *at, size_t bytes, size_t *length);
bool perflib_utf16_is_valid(const uint8_t *at, size_t bytes);
/*
 * Valid UTF-8 in the arena; a lone surrogate stands as the \xNN of its three bytes.  ptr
 * NULL: out of memory, or over the limit, which is told.
 */
struct str perflib_utf8(struct perflib *perflib, const uint8_t *at, size_t bytes,
			uint64_t offset);
struct str perflib_guid_text(struct perflib *perflib, const uint8_t *guid);

/* --- registry.c: countersets, counters, queries --- */

/* guid NULL: one without.  NULL: there are too many, which is told. */
struct perflib_set *perflib_set(struct perflib *perflib, const uint8_t *guid,
				uint64_t offset);
struct perflib_counter *perflib_find_counter(struct perflib *perflib,
					     const struct perflib_set *set, uint32_t id);
struct perflib_counter *perflib_counter(struct perflib *perflib, struct perflib_set *set,
					uint32_t id, uint64_t offset);
/* A copy that takes its place, for what is registered behind its row. */
struct perflib_set *perflib_successor(struct perflib *perflib, struct perflib_set *set,
				      uint64_t offset);
/* An answer needs the set: what of it is not out goes before the answer's next row. */
void perflib_need(struct perflib *perflib, struct perflib_set *set);
/* The next row of the sets that are pending; false: there is none. */
bool perflib_next_known(struct perflib *perflib, struct record *out);
struct perflib_query *perflib_query(struct perflib *perflib, uint32_t number,
				    uint64_t offset);
/* That of a place in the answers of a query, made if it is not there. */
struct perflib_slot *perflib_slot(struct perflib *perflib, struct perflib_query *query,
				  uint32_t index, uint64_t offset);
void perflib_known_release(struct perflib *perflib);

/* --- registration.c --- */

void perflib_take_registration(struct reader *reader, struct cursor payload);
/* An answer of PerfEnumerateCounterSetInstances: checked, and told by a row. */
void perflib_take_instances(struct reader *reader, struct cursor payload);

/* --- identifiers.c --- */

void perflib_take_identifiers(struct reader *reader, struct cursor payload, bool is_add);

/* --- instances.c --- */

/* name NULL: of counters without instances. */
struct perflib_instance *perflib_instance(struct reader *reader, uint32_t id,
					  const uint8_t *name, size_t name_bytes,
					  uint64_t offset);

/* --- header.c: what stands before the blocks --- */

/* False: nothing of the answer can be read. */
bool perflib_take_header(struct reader *reader, struct cursor answer,
			 uint64_t expected_bytes);

/* --- answer.c --- */

/* query NULL: a bare block. */
void perflib_take_answer(struct reader *reader, struct cursor answer,
			 struct perflib_query *query, int64_t code,
			 uint64_t expected_bytes);

/* --- values.c: what is in a block --- */

/* V19; `length` without the NUL, if it has_end. */
void perflib_check_name(struct perflib *perflib, const uint8_t *name, size_t bytes,
			size_t length, bool has_end, uint64_t offset);
/* Whether the payload of a block holds anything to be read. */
bool perflib_begin_payload(struct reader *reader, struct cursor payload, uint32_t type);
/* The next instance, or all there is without; false: no more of it. */
bool perflib_next_unit(struct reader *reader);
bool perflib_next_value(struct reader *reader, struct record *out);

#endif
