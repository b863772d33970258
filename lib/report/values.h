/*
 * values.h - displayable values of PerfLib's counters, from table rows.
 *
 * Part of the totals.  Rows come snapshot by snapshot, countersets, counters and
 * instances before what needs them.  When a snapshot is complete, each of its counters is
 * worked out with the sample before; nothing older is kept.  docs/counters.md says how
 * partners are found; the view perflib_value does the same in SQL.
 */
#ifndef PERFTAB_REPORT_VALUES_H
#define PERFTAB_REPORT_VALUES_H

#include "base/arena.h"
#include "base/map.h"
#include "counters/perf_counter.h"
#include "model/record.h"

/* Counters of instances that are kept at once. */
#define VALUE_STATES_MAX ((size_t)1 << 20)
/* What there is of the others; readers of files keep to less. */
#define VALUE_SETS_MAX ((size_t)1 << 16)
#define VALUE_COUNTERS_MAX ((size_t)1 << 18)
#define VALUE_INCARNATIONS_MAX ((size_t)1 << 19)
#define VALUE_BLOCKS_MAX 65536

struct value_options {
	/* Names, * and ? stand for others; NULL: all. */
	const char *counterset, *instance, *counter;
	bool local; /* names in the language of the capture, else English */
	bool keep;  /* the totals of instances that are over */
	enum perf_counter_variant variant;
	int64_t from_ns, to_ns; /* of the newer snapshot */
	int64_t interval_ns;	/* at most one snapshot of each; 0: all of them */
};

struct value_set {
	struct perflib_counterset_row row;
	struct str shown; /* name, or what stands for it */
	uint32_t number;  /* of all sets */
	bool is_wanted;
	struct value_counter *counters, **counters_tail;
	struct value_counter *not_settled; /* the first whose partners are not known */
	struct value_incarnation *first_incarnation, **incarnation_tail;
	struct value_set *next;
};

/* Where the time comes from that a value is held against. */
enum value_time {
	VALUE_TIME_NONE,
	VALUE_TIME_STAMP,   /* of the snapshot, as the type says */
	VALUE_TIME_COUNTER, /* PerfTimeId */
	VALUE_TIME_OBJECT,  /* V1: the object's own */
	VALUE_TIME_SECOND,  /* PDH has it beside the value */
	VALUE_TIME_HEADER,  /* guessed, for want of PerfTimeId */
};

struct value_counter {
	struct perflib_counter_row row;
	struct str shown;
	struct value_set *set;
	const struct perf_counter_type *type; /* NULL: not registered, or not known */
	bool is_wanted, is_multi;
	bool is_needed;		      /* is wanted, or a partner of one that is */
	bool is_partner;	      /* the latter */
	enum perf_counter_over clock; /* TICKS, NS100, OBJECT or NONE */
	struct value_counter *base, *time, *freq; /* of those partners that it has */
	enum perf_base_source base_source;
	struct value_counter *next;
};

/* Common to all incarnations of an instance, also in other blocks of a snapshot. */
struct value_identity {
	int64_t query, number, ordinal;
	struct str name;
	const struct value_set *set;
	uint32_t index;	     /* of all of them */
	bool is_namesake;    /* another one of the set has this name, too */
	struct map partners; /* counter id -> struct value_state, of the last snapshot */
	struct value_identity *same_hash, *next;
};

struct value_incarnation {
	struct perflib_instance_row row;
	struct value_set *set;
	struct value_identity *identity;
	struct map states; /* counter id -> struct value_state */
	struct value_state *first, **tail;
	struct value_incarnation *next;
	bool is_ending; /* another one has begun in this snapshot */
	struct value_incarnation *next_ending;
};

/* The values of a counter in an incarnation, over the intervals that have one. */
struct value_totals {
	int64_t values;
	double sum, min, max, last;
};

/* A counter of an incarnation: as it is in this snapshot, and as it was before. */
struct value_state {
	struct value_incarnation *incarnation;
	struct value_counter *counter;
	int64_t snapshot; /* the last one it is in */
	struct {
		bool has;
		uint64_t value;
		unsigned bytes;
		int64_t second, multi; /* or INT_NONE */
		bool is_cooked;	       /* worked out by who wrote it: */
		double cooked;
	} raw;
	int64_t object_time, object_freq; /* V1, or INT_NONE */
	struct {
		int64_t snapshot, ts_ns; /* snapshot INT_NONE: there is none */
		unsigned has;		 /* PERF_HAS_N1, PERF_HAS_D1 */
		uint64_t n, d;
	} before;
	struct value_totals totals;
	struct value_state *next; /* of the incarnation, or of those that are free */
};

/* A base is of use with its counter only, and a separator separates. */
static inline bool value_is_shown(const struct value_state *state)
{
	const struct perf_counter_type *type = state->counter->type;

	return state->counter->is_wanted &&
	       (!type || (type->formula != PERF_FORMULA_PARTNER &&
			  type->formula != PERF_FORMULA_NO_NUMBER));
}

/* One value, or why there is none. */
struct value_line {
	const struct value_state *state;
	struct perf_counter_result result;
	int64_t from_snapshot, to_snapshot, from_ns, to_ns; /* or INT_NONE */
	const char *base_source;			    /* NULL: it needs none */
	const char *time_source;			    /* likewise */
};

struct values {
	struct value_options options;
	/* Called with each of a snapshot in the order of the trace; or NULL. */
	void (*line)(void *context, const struct value_line *line);
	void *context;
	bool any; /* the trace has rows of PerfLib */
	struct arena arena;
	struct value_set *sets, **sets_tail;
	struct value_identity *identities;
	struct map set_by_number, counter_by_id, incarnation_by_number, identity_by_hash;
	struct map identity_by_name; /* hash of set and name -> the first of that name */
	struct map incarnation_by_place; /* identity and block -> the last one there */
	size_t set_count, counter_count, identity_count, incarnation_count, state_count;
	struct value_state *free_states;
	struct perflib_snapshot_row snapshot; /* without its texts */
	bool has_snapshot;
	int64_t interval, base_ns; /* the interval it is in, and where they begin */
	int64_t snapshots, first_ns, last_ns; /* or INT_NONE */
	struct value_block {
		int64_t snapshot, object_time, object_freq;
	} * blocks; /* by number; those of the snapshot count */
	size_t block_room;
	struct value_incarnation *ending;
	struct value_state **touched; /* in this snapshot, in order */
	size_t touched_count, touched_room;
	int64_t statuses[PERF_STATUSES]; /* how many lines of each */
	const char *failed;		 /* why a row could not be taken */
};

void values_begin(struct values *values);
/* What values_begin() set is kept. */
void values_end(struct values *values);
/* A row of any kind; the last one is the trace's.  False: `failed` says why. */
bool values_on_row(struct values *values, const struct record *record);

/* --- value_formula.c --- */

/* Who is whose partner in a set, of counters that came since the last time. */
void values_settle(struct values *values, struct value_set *set);
struct value_counter *values_counter(const struct values *values,
				     const struct value_set *set, int64_t id);
/* The counter in its snapshot; what it was before becomes what it is. */
void values_work_out(struct values *values, struct value_state *state,
		     struct value_line *line);

/* --- value_match.c --- */

/* * and ? stand for any characters and for one; letters of ASCII in either case. */
bool value_match(const char *pattern, struct str text);

#endif
