/*
 * values.h - displayable values of PerfLib's counters, from table rows.
 *
 * Part of the totals.  Rows come snapshot by snapshot; countersets, counters and
 * instances precede rows that refer to them.  When a snapshot is complete, values are
 * computed from each raw value and the one before; nothing older is kept.
 * docs/counters.md says how partners are found; the view perflib_value does the same in
 * SQL.
 */
#ifndef PERFTAB_REPORT_VALUES_H
#define PERFTAB_REPORT_VALUES_H

#include "base/arena.h"
#include "base/map.h"
#include "counters/perf_counter.h"
#include "model/record.h"

/* Maximum of counters of instances that are kept at once. */
#define VALUE_STATES_MAX ((size_t)1 << 20)
/* Maximum of countersets, counters, instances and blocks; readers have lower ones. */
#define VALUE_SETS_MAX ((size_t)1 << 16)
#define VALUE_COUNTERS_MAX ((size_t)1 << 18)
#define VALUE_INCARNATIONS_MAX ((size_t)1 << 19)
#define VALUE_BLOCKS_MAX 65536

struct value_options {
	/* Names, with the wildcards * and ?; NULL: all. */
	const char *counterset, *instance, *counter;
	bool local; /* names in the language of the capture, else English */
	bool keep;  /* keep the totals of instances that ended */
	enum perf_counter_variant variant;
	int64_t from_ns, to_ns; /* of the newer snapshot */
	int64_t interval_ns;	/* use one snapshot of each query an interval; 0: all */
};

struct value_set {
	struct perflib_counterset_row row;
	struct str name;  /* or a substitute */
	struct str path;  /* \\machine\name */
	struct str shown; /* path where the trace has several machines, else name */
	uint32_t number;  /* of all sets */
	bool is_wanted;
	struct value_counter *counters, **counters_tail;
	struct value_counter *not_settled; /* the first without partners so far */
	struct value_incarnation *first_incarnation, **incarnation_tail;
	struct value_set *next;
};

/* Source of the time that a value is divided by. */
enum value_time {
	VALUE_TIME_NONE,
	VALUE_TIME_STAMP,   /* time of the snapshot, in the type's unit */
	VALUE_TIME_COUNTER, /* PerfTimeId */
	VALUE_TIME_OBJECT,  /* V1: the time of the object */
	VALUE_TIME_SECOND,  /* second value of PDH */
	VALUE_TIME_HEADER,  /* guessed, as PerfTimeId is missing */
};

struct value_counter {
	struct perflib_counter_row row;
	struct str shown;
	struct value_set *set;
	const struct perf_counter_type *type; /* NULL: not registered, or unknown */
	bool is_wanted, is_multi;
	bool is_needed;		      /* wanted, or a partner of a wanted one */
	bool is_partner;	      /* a partner of a wanted one */
	enum perf_counter_over clock; /* TICKS, NS100, OBJECT or NONE */
	struct value_counter *base, *time, *freq; /* partners; NULL: none */
	enum perf_base_source base_source;
	struct value_counter *next;
};

/* What all incarnations of an instance share, also in other blocks of a snapshot. */
struct value_identity {
	int64_t query, number, ordinal;
	struct str name;
	const struct value_set *set;
	uint32_t index;	     /* among all identities */
	bool is_namesake;    /* another instance of the set has the same name */
	struct map partners; /* counter id -> struct value_state in the last snapshot */
	struct value_identity *same_hash, *next;
};

struct value_incarnation {
	struct perflib_instance_row row;
	struct value_set *set;
	struct value_identity *identity;
	struct map states; /* counter id -> struct value_state */
	struct value_state *first, **tail;
	struct value_incarnation *next;
	bool is_ending; /* its next incarnation began in this snapshot */
	struct value_incarnation *next_ending;
};

/* Statistics of a counter of an incarnation, over the intervals that have a value. */
struct value_totals {
	int64_t values;
	double sum, min, max, last;
};

/* A counter of an incarnation: its raw values in this snapshot and in the one before. */
struct value_state {
	struct value_incarnation *incarnation;
	struct value_counter *counter;
	int64_t snapshot; /* the last one with a raw value */
	struct {
		bool has;
		uint64_t value;
		unsigned bytes;
		int64_t second, multi; /* or INT_NONE */
		bool is_cooked;	       /* `cooked` was computed by the writer */
		double cooked;
	} raw;
	int64_t object_time, object_freq; /* of V1; else INT_NONE */
	struct {
		int64_t snapshot, ts_ns; /* snapshot INT_NONE: none */
		unsigned has;		 /* PERF_HAS_N1, PERF_HAS_D1 */
		uint64_t n, d;
	} before;
	struct value_totals totals;
	struct value_state *next; /* in the list of the incarnation, or of free ones */
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
	/* Called for each value of a snapshot in the order of the trace; or NULL. */
	void (*line)(void *context, const struct value_line *line);
	void *context;
	bool any;	   /* the trace has rows of PerfLib */
	bool has_machines; /* countersets of several machines */
	struct arena arena;
	struct value_set *sets, **sets_tail;
	struct value_identity *identities;
	struct map set_by_number, counter_by_id, incarnation_by_number, identity_by_hash;
	struct map identity_by_name; /* hash of set and name -> the first identity */
	struct map
		incarnation_by_place; /* identity and block -> the last incarnation there */
	size_t set_count, counter_count, identity_count, incarnation_count, state_count;
	struct value_state *free_states;
	struct perflib_snapshot_row snapshot; /* without its texts */
	bool has_snapshot;
	int64_t interval, base_ns;	      /* current interval; start of interval 0 */
	struct map queries;		      /* queries that have a snapshot in it */
	int64_t snapshots, first_ns, last_ns; /* or INT_NONE */
	struct value_block {
		int64_t snapshot, object_time, object_freq;
	} * blocks; /* by number; valid for that snapshot */
	size_t block_room;
	struct value_incarnation *ending;
	struct value_state **touched; /* states of this snapshot, in order */
	size_t touched_count, touched_room;
	int64_t statuses[PERF_STATUSES]; /* lines by status */
	const char *failed;		 /* why a row was refused; NULL: none was */
};

void values_begin(struct values *values);
/* What values_begin() set is kept. */
void values_end(struct values *values);
/* Handles a row of any kind; the last is that of `trace`.  False: see `failed`. */
bool values_on_row(struct values *values, const struct record *record);

/* --- values_formula.c --- */

/* Finds the partners of the counters that came since the last call. */
void values_settle(struct values *values, struct value_set *set);
struct value_counter *values_counter(const struct values *values,
				     const struct value_set *set, int64_t id);
/* Computes the value of a counter; its raw value becomes the one before. */
void values_work_out(struct values *values, struct value_state *state,
		     struct value_line *line);

/* --- values_names.c --- */

/*
 * Names a set that is not in the list yet; with the second machine all sets are shown by
 * their paths.  False: out of memory.
 */
bool values_name_set(struct values *values, struct value_set *set);
struct str values_name_counter(struct values *values,
			       const struct perflib_counter_row *row);

#endif
