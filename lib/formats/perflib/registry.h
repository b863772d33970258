/*
 * registry.h - the countersets, counters and instances of a trace, and their rows: shared
 * by the readers of PerfLib V2 and of older logs (formats/winperf).
 *
 * Each is found by an id that its reader makes up, and numbered in the order in which it
 * was met.  An instance that was missing where all could be read begins a new
 * incarnation when it is met again: its counters began anew as well.
 */
#ifndef PERFTAB_PERFLIB_REGISTRY_H
#define PERFTAB_PERFLIB_REGISTRY_H

#include "base/arena.h"
#include "base/map.h"
#include "model/emit.h"
#include "model/finding.h"
#include "model/record.h"

/* Maxima of a trace. */
#define REGISTRY_SETS_MAX 16384
#define REGISTRY_COUNTERS_MAX 131072
#define REGISTRY_INSTANCES_MAX 262144
#define REGISTRY_TEXT_BYTES_MAX ((size_t)32 << 20)

struct registry {
	struct findings *findings; /* borrowed */
	struct emit *emit;	   /* borrowed: the queue of rows */
	struct arena arena;	   /* of the trace */
	size_t text_bytes;
	bool out_of_memory;
	struct map map;
	size_t set_count, counter_count, instance_count;
};

/* The identity of a counterset, counter or instance. */
struct registry_id {
	enum record_kind kind; /* of its row */
	uint64_t numbers[4];
	struct str text; /* any bytes; ptr NULL: none */
};

/* A counterset, counter or instance; a row of its kind follows. */
struct registry_node {
	struct registry_id id;
	struct registry_node *same_hash;
};

struct registry_set {
	struct registry_node node;
	struct perflib_counterset_row row;
};

struct registry_counter {
	struct registry_node node;
	struct perflib_counter_row row;
};

/* An instance in its last incarnation. */
struct registry_instance {
	struct registry_node node;
	struct perflib_instance_row row;
	int64_t visit;	 /* its last visit */
	int64_t repeats; /* how often in that visit; in the one with ordinal 0 */
};

/* Visits of a place with instances: so far, and the last one that read all of it. */
struct registry_visits {
	int64_t now;
	int64_t last_whole;
};

void registry_init(struct registry *registry, struct findings *findings,
		   struct emit *emit);
void registry_release(struct registry *registry);

/*
 * Returns a copy that is valid as long as the trace; ptr NULL: over the limit, with a
 * finding.
 */
struct str registry_copy_text(struct registry *registry, struct str text,
			      uint64_t offset);
/* As registry_copy_text() for UTF-16; a lone surrogate becomes \xNN of three bytes. */
struct str registry_utf8(struct registry *registry, const uint8_t *at, size_t bytes,
			 uint64_t offset);

/* Finds one by its id; NULL: there is none. */
void *registry_find(const struct registry *registry, const struct registry_id *id);
/*
 * Adds one of `size` bytes, zeroed except for its number and the set of a counter, and
 * hides older ones of that id.  The caller fills and emits its row.  NULL: there are too
 * many of that kind or of texts, with a finding, or out of memory.
 */
void *registry_add(struct registry *registry, const struct registry_id *id, size_t size,
		   uint64_t offset);

/* Emits the row of a counterset or counter, which must not change any more. */
void registry_emit(struct registry *registry, const struct registry_node *node);

/* An instance as the current snapshot describes it. */
struct registry_who {
	const struct registry_visits *visits;
	uint64_t place; /* part of its identity */
	int64_t counterset, number, block, query, parent_title, parent_number, snapshot;
	struct str name;   /* ptr NULL: none */
	bool is_utf16;	   /* the name is, else UTF-8 */
	struct str parent; /* UTF-8 */
};

/*
 * Finds or adds an instance in its current incarnation; emits its row when one begins.
 * Several of one name in a visit get ordinals in their order.  NULL as above.
 */
struct registry_instance *registry_instance(struct registry *registry,
					    const struct registry_who *who,
					    uint64_t offset);

/* Of a counter type: what a base is known by, the kind COUNTER and the subtype base. */
static inline bool registry_is_base(uint32_t type)
{
	return (type & 0xc00) == 0x400 && (type & 0x70000) == 0x30000;
}

/*
 * The value of `bytes` at `at`: as a number, or its bytes where it is none, or the number
 * that stands for NULL.
 */
void registry_set_value(struct perflib_raw_row *row, const uint8_t *at, uint32_t bytes);

#endif
