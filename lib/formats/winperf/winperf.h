/*
 * winperf.h - what the readers of Windows' older counters share: V1 blocks
 * (PERF_DATA_BLOCK of winperf.h), performance logs (.blg) and PDH-CSV.
 *
 *   registry.c   countersets, counters and instances, and their rows
 *   text.c    names and dates
 *   block.c   a V1 block: header, objects, definitions of counters
 *   values.c  its instances and values
 *   file.c    files of nothing but V1 blocks
 *   blg.c             what is particular to a .blg, whose container etl_*.c reads
 *   pdh_csv.c         PDH-CSV and PDH-TSV
 *
 * docs/formats/perf-logs.md has the layouts.
 */
#ifndef PERFTAB_WINPERF_H
#define PERFTAB_WINPERF_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/map.h"
#include "model/reader.h"

/* What is kept of a trace. */
#define WINPERF_SETS_MAX 16384
#define WINPERF_COUNTERS_MAX 131072
#define WINPERF_INSTANCES_MAX 262144
#define WINPERF_TEXT_BYTES_MAX ((size_t)32 << 20)
/* Of a block, or of the records of a .blg that are put together. */
#define WINPERF_BLOCK_BYTES_MAX ((size_t)16 << 20)
/* Of a value, or a record, that is kept as bytes. */
#define WINPERF_BODY_BYTES_MAX ((size_t)65536)
/* Of an object; the largest that Windows has are of some hundreds. */
#define WINPERF_SET_COUNTERS_MAX 8192

/* Of a name, in UTF-16; Windows itself has no longer ones than 1023 units. */
#define WINPERF_NAME_BYTES_MAX 4096u

#define WINPERF_HEADER_BYTES 88u
#define WINPERF_DATE_BYTES 32

/* --- what is known: registry.c --- */

/* What tells one counterset, counter or instance from all others. */
struct winperf_id {
	enum record_kind kind;
	uint64_t numbers[4];
	struct str text; /* any bytes */
};

/* Every one of them; a row of its kind follows. */
struct winperf_node {
	struct winperf_id id;
	struct winperf_node *same_hash;
	struct winperf_node *unsent; /* the next whose row has yet to go out */
};

struct winperf_set {
	struct winperf_node node;
	struct perflib_counterset_row row;
	struct winperf_counter **counters; /* V1: by position, row.counters of them */
	uint32_t named;			   /* PDH: counters so far */
	int64_t stamp;			   /* the last time it was met */
	int64_t last_whole;		   /* the last time all of it could be read */
};

struct winperf_counter {
	struct winperf_node node;
	struct perflib_counter_row row;
	uint32_t size, at; /* V1: of its value, in the block being read */
};

struct winperf_instance {
	struct winperf_node node;
	struct perflib_instance_row row;
	int64_t stamp;	 /* winperf_set.stamp when it was last met */
	int64_t repeats; /* how often since; of the one with ordinal 0 */
	int64_t life;
};

/* An object of a V1 block, once it has been judged. */
struct winperf_object {
	struct winperf_set *set;
	struct cursor rest; /* instances, or the values of what has none */
	uint64_t offset;
	uint32_t place, title, instances, code_page;
	bool has_instances;
	int64_t bytes, time, freq;
};

/* A V1 block on its way into rows. */
struct winperf_walk {
	bool has_snapshot; /* its row has yet to go out */
	bool in_object, whole;
	int64_t query;
	struct winperf_object *objects;
	size_t object_count, object_room, object;
	uint32_t instances; /* that are left of the object */
	struct cursor values;
	uint64_t values_at; /* in the file */
	uint32_t value_at, value_count;
	struct winperf_instance *instance;
	struct perflib_snapshot_row snapshot_row;
	struct perflib_block_row block_row;
	struct perflib_raw_row raw_row;
	char system_time[WINPERF_DATE_BYTES];
};

/* Where stretches of what is being read stand in the input. */
struct winperf_stretch {
	uint64_t at, source;
	bool is_exact; /* byte for byte; else all of it is made from there */
};

/* What a log says of the counters of an object: `count` u32, u32 and u64. */
struct winperf_list {
	uint32_t count;
	struct cursor titles, types, time_bases;
};

struct winperf {
	struct findings *findings; /* borrowed */
	struct arena arena;
	struct arena scratch; /* of the block at hand */
	size_t text_bytes;
	uint64_t seed;
	bool out_of_memory;
	struct map map;
	struct map titles;	  /* of machine and number -> struct str *, its name */
	struct winperf_list list; /* of the block at hand, if count */
	size_t set_count, counter_count, instance_count;
	int64_t snapshots;
	struct winperf_node *unsent, **unsent_tail;
	struct winperf_stretch *stretches; /* by `at`, none: offsets are the input's */
	size_t stretch_count, stretch_room;
	struct winperf_walk walk;
	struct str host;			   /* the first machine that was met */
	int64_t first_ns, last_ns, wall_offset_ns; /* of snapshots, or INT_NONE */
	char text[WINPERF_NAME_BYTES_MAX * 6 + 16];
};

void winperf_init(struct winperf *w, struct findings *findings);
void winperf_release(struct winperf *w);

/*
 * The one with that id, made (with `size` bytes, zeroed) if it is not there yet: *is_new,
 * and its row is then to be filled.  NULL: there are too many of that kind, or of texts,
 * which is told; or no memory.
 */
void *winperf_node(struct winperf *w, const struct winperf_id *id, size_t size,
		   uint64_t offset, bool *is_new);
/* Its row goes out before anything else does. */
void winperf_send(struct winperf *w, struct winperf_node *node);
/* A row that has yet to go out; false: there is none. */
bool winperf_next_unsent(struct winperf *w, struct record *out);

/* Of V1. */
struct winperf_set *winperf_set(struct winperf *w, const struct winperf_id *id,
				uint64_t offset, bool *is_new);
/* That of the set, number `position`. */
struct winperf_counter *winperf_counter(struct winperf *w, const struct winperf_set *set,
					uint32_t position, uint64_t offset, bool *is_new);
/* Of PDH, which has no numbers: by machine and object, and by name. */
struct winperf_set *winperf_named_set(struct winperf *w, struct str machine,
				      struct str object, uint64_t offset);
struct winperf_counter *winperf_named_counter(struct winperf *w, struct winperf_set *set,
					      struct str name, uint64_t offset,
					      bool *is_new);
/* Who somebody is in a snapshot; `name` is in UTF-8, and so is the parent's. */
struct winperf_who {
	uint64_t place; /* where those of another place are others; else 0 */
	int64_t number, block, query, parent_title, parent_number;
	struct str name, parent; /* ptr NULL: none */
};
/* That instance of the set, in this life. */
struct winperf_instance *winperf_instance(struct winperf *w, struct winperf_set *set,
					  const struct winperf_who *who, uint64_t offset);

/* The name of a V1 title of a machine; ptr NULL: the input does not tell. */
struct str winperf_title(const struct winperf *w, struct str machine, uint32_t number);
void winperf_set_title(struct winperf *w, struct str machine, uint32_t number,
		       struct str name, uint64_t offset);
/* A copy that lives as long as the trace; ptr NULL: over the limit, which is told. */
struct str winperf_keep(struct winperf *w, struct str text, uint64_t offset);

/* What the snapshots tell of the trace. */
void winperf_describe(const struct winperf *w, struct trace_row *trace);

/* From `at` on, what is being read stands at `source`; at 0 it begins anew. */
void winperf_stretch(struct winperf *w, uint64_t at, uint64_t source, bool is_exact);
/* The place in the input of an offset in what is being read. */
uint64_t winperf_place(const struct winperf *w, uint64_t offset);

/* `bytes` of them from an offset in what is being read cannot be used. */
void winperf_gap(struct winperf *w, enum finding_kind kind, uint64_t offset, size_t bytes,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* --- text.c --- */

/*
 * UTF-16 up to its NUL, or all of it, as valid UTF-8, which lives until the next one; of
 * longer ones, the first WINPERF_NAME_BYTES_MAX.  A lone surrogate stands as the \xNN of
 * its three bytes.
 */
struct str winperf_utf8(struct winperf *w, const uint8_t *at, size_t bytes);
/* UTF-16 up to its NUL, and past it; false: there is no NUL. */
bool winperf_utf16(struct cursor *c, const uint8_t **at, size_t *bytes);
/* "2007-08-14T15:40:38.659" of a FILETIME, in whichever zone it is; false: no time. */
bool winperf_date_of(char text[WINPERF_DATE_BYTES], uint64_t filetime);
/* The same of a SYSTEMTIME at the cursor. */
bool winperf_system_time(char text[WINPERF_DATE_BYTES], struct cursor *c);
/* Days since 1970-01-01 of a date; false: there is no such day. */
bool winperf_days(int64_t year, int64_t month, int64_t day, int64_t *days);
/* Nanoseconds of ticks, or INT_NONE. */
int64_t winperf_ns(int64_t ticks, int64_t freq);

/* --- block.c --- */

/* Bytes that the header at the cursor claims for its block; 0: it is none. */
uint32_t winperf_claimed(struct cursor c);
/*
 * Takes the block apart; what it says then comes from winperf_next().  The bytes must
 * stay.  `query`: perflib_snapshot.query.
 */
void winperf_begin(struct winperf *w, struct cursor block, int64_t query);
/* The next row of it; false: that was all. */
bool winperf_next(struct winperf *w, struct record *out);

/* --- values.c --- */

/* Begins the instances of object walk->object. */
void winperf_begin_object(struct winperf *w);
/* On to the next instance; false: there is none. */
bool winperf_next_instance(struct winperf *w);
bool winperf_next_value(struct winperf *w, struct record *out);

#endif
