/*
 * winperf.h - what the readers of Windows' older counters share: V1 blocks
 * (PERF_DATA_BLOCK of winperf.h), performance logs (.blg) and PDH-CSV.
 *
 *   file.c             files of nothing but V1 blocks
 *   blg.h              performance logs, whose container formats/etw reads
 *   pdh_csv.c          PDH-CSV and PDH-TSV
 *   block.c            a V1 block: header, objects, definitions of counters
 *   values.c           its instances and values
 *   sets.c             countersets, counters and instances, titles
 *   places.c, text.c   offsets of what was put together; names
 *
 * docs/formats/perf-logs.md has the layouts.
 */
#ifndef PERFTAB_WINPERF_H
#define PERFTAB_WINPERF_H

#include "base/cursor.h"
#include "formats/perflib/date.h"
#include "formats/perflib/registry.h"
#include "model/reader.h"

/* Maximum of bytes of a block, or of the joined records of a .blg. */
#define WINPERF_BLOCK_BYTES_MAX ((size_t)16 << 20)
/* Maximum of bytes of a value or record that is kept as bytes. */
#define WINPERF_BODY_BYTES_MAX ((size_t)65536)
/* Maximum of counters of an object; those of Windows have some hundreds. */
#define WINPERF_SET_COUNTERS_MAX 8192

/* Maximum of bytes of a name in UTF-16; names of Windows have at most 1023 units. */
#define WINPERF_NAME_BYTES_MAX 4096u

#define WINPERF_HEADER_BYTES 88u

/* --- what is known: sets.c, and formats/perflib/registry.h --- */

struct winperf_set {
	struct registry_set known;
	struct winperf_counter **counters; /* V1: by position, row.counters of them */
	uint32_t named;			   /* PDH: counters so far */
	struct registry_visits visits;
};

struct winperf_counter {
	struct registry_counter known;
	uint32_t size, at; /* V1: of its value, in the block being read */
};

/* An object of a V1 block, once it has been judged. */
struct winperf_object {
	struct winperf_set *set;
	struct cursor rest; /* instances, or values if it has none */
	uint64_t offset;
	uint32_t place, title, instances, code_page;
	bool has_instances;
	int64_t bytes, time, freq;
};

/* A V1 block on its way into rows. */
struct winperf_walk {
	int64_t query, snapshot;
	struct winperf_object *objects;
	size_t object_count, object_room;
	size_t object;	    /* index of the current one */
	bool in_object;	    /* it may have more instances */
	bool whole;	    /* no part of it was unreadable so far */
	uint32_t instances; /* left in the object */
	/* the values of the current instance */
	struct cursor values;
	uint32_t value_at, value_count;
	struct perflib_raw_row raw_row;
};

/* The place in the input of a stretch of the current bytes. */
struct winperf_stretch {
	uint64_t at, source;
	bool is_exact; /* copied byte for byte; else made from `source` */
};

/* A list of a log for the counters of an object: `count` u32, u32 and u64. */
struct winperf_list {
	uint32_t count;
	struct cursor titles, types, time_bases;
};

struct winperf {
	struct registry registry;
	struct arena scratch;	  /* of the current block */
	struct map titles;	  /* of machine and number -> struct str *, its name */
	struct winperf_list list; /* of the current block, if count is not 0 */
	int64_t snapshots;
	struct winperf_stretch
		*stretches; /* by `at`; NULL: offsets are those of the input */
	size_t stretch_count, stretch_room;
	struct winperf_walk walk;
	struct str host;			   /* the first machine that was met */
	int64_t first_ns, last_ns, wall_offset_ns; /* of snapshots, or INT_NONE */
	char text[WINPERF_NAME_BYTES_MAX * 6 + 16];
};

void winperf_init(struct winperf *w, struct findings *findings, struct emit *emit);
void winperf_release(struct winperf *w);

/*
 * Finds or adds a set.  *is_new: the caller fills its row, which is already queued.
 * NULL: there are too many, with a finding, or out of memory.
 */
struct winperf_set *winperf_set(struct winperf *w, const struct registry_id *id,
				uint64_t offset, bool *is_new);
/* For V1: finds or adds the counter of the set at `position`. */
struct winperf_counter *winperf_counter(struct winperf *w, const struct winperf_set *set,
					uint32_t position, uint64_t offset, bool *is_new);
/* For PDH, which has no numbers: by machine and object; by name. */
struct winperf_set *winperf_named_set(struct winperf *w, struct str machine,
				      struct str object, uint64_t offset);
struct winperf_counter *winperf_named_counter(struct winperf *w, struct winperf_set *set,
					      struct str name, uint64_t offset,
					      bool *is_new);
/* Finds or adds an instance of the set in its current incarnation; names are UTF-8. */
struct registry_instance *winperf_instance(struct winperf *w,
					   const struct winperf_set *set,
					   struct registry_who *who, uint64_t offset);

/* Returns the name of a V1 title of a machine; ptr NULL: unknown. */
struct str winperf_title(const struct winperf *w, struct str machine, uint32_t number);
void winperf_set_title(struct winperf *w, struct str machine, uint32_t number,
		       struct str name, uint64_t offset);
/*
 * Returns a copy that is valid as long as the trace; ptr NULL: over the limit, with a
 * finding.
 */
struct str winperf_copy_text(struct winperf *w, struct str text, uint64_t offset);

/* Sets the columns of the trace that the snapshots determine. */
void winperf_describe(const struct winperf *w, struct trace_row *trace);

/* Maps offsets from `at` on to `source` in the input; at 0 a new list begins. */
void winperf_stretch(struct winperf *w, uint64_t at, uint64_t source, bool is_exact);
/* Returns the place in the input of an offset in the current bytes. */
uint64_t winperf_place(const struct winperf *w, uint64_t offset);

/* `bytes` of them from an offset in what is being read cannot be used. */
void winperf_gap(struct winperf *w, enum finding_kind kind, uint64_t offset, size_t bytes,
		 const char *format, ...) PRINTF_LIKE(5, 6);

/* --- text.c --- */

/*
 * UTF-16 up to its NUL, or all of it, as valid UTF-8, which lives until the next one; of
 * longer ones, the first WINPERF_NAME_BYTES_MAX.  A lone surrogate becomes the \xNN of
 * its three bytes.
 */
struct str winperf_utf8(struct winperf *w, const uint8_t *at, size_t bytes);
/* UTF-16 up to its NUL, and past it; false: there is no NUL. */
bool winperf_utf16(struct cursor *c, const uint8_t **at, size_t *bytes);
/* --- block.c --- */

/* Bytes that the header at the cursor claims for its block; 0: it is none. */
uint32_t winperf_block_bytes(struct cursor c);
/*
 * Decodes the objects of a block; the bytes must stay until winperf_next() has given what
 * it says. `query`: perflib_snapshot.query.
 */
void winperf_begin_block(struct winperf *w, struct cursor block, int64_t query);
/* When the block at the cursor was made, on its clock; INT_NONE: unknown. */
int64_t winperf_block_ns(struct cursor block);
/* Its next row once it has begun, or the next one that waits; ST_END: there is none. */
MUST_CHECK enum status winperf_next(struct winperf *w, struct record *out,
				    struct error *error);

/* --- values.c --- */

/* Begins the instances of object walk->object. */
void winperf_begin_object(struct winperf *w);
/* The next instance; false: there is none. */
bool winperf_next_instance(struct winperf *w);
/* The next value of that; false: there is none. */
bool winperf_next_value(struct winperf *w, struct record *out);

#endif
