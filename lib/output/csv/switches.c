/* switches.c - keeps switches as numbers, and makes lines of them. */
#include "output/csv/switches.h"

#include <string.h>

#include "base/digits.h"
#include "base/uninitialized.h"
#include "model/run_columns.h"

#define TABLE_NAME "context_switch"

/* Columns but the deltas. */
#define FIXED_COLUMNS (sizeof(struct context_switch_row) / sizeof(int64_t))
/* A number and a comma. */
#define CELL_BYTES 24
/* Most numbers of a run. */
#define RUN_NUMBERS_MAX (FIXED_COLUMNS * RUN_SWITCHES_MAX + RUN_VALUES_MAX)

/* In the source of a piece: what follows is the row and its deltas, or the columns. */
struct kept {
	size_t bytes;		/* of all that */
	size_t slots, empty;	/* columns of deltas, and those after them */
	struct run_columns run; /* count 0: it is a row */
};

/* --- lines --- */

static char *put_cell(char *to, int64_t value)
{
	to = digits_put_int(to, value);
	*to = ',';
	return to + 1;
}

/* A number that may be NULL: an empty field. */
static inline char *put_any(char *to, int64_t value)
{
	if (value != INT_NONE)
		return put_cell(to, value);
	*to = ',';
	return to + 1;
}

/* The same for one that is not negative; most of some columns have one digit. */
static ALWAYS_INLINE char *put_count(char *to, int64_t value)
{
	to = digits_put(to, (uint64_t)value);
	*to = ',';
	return to + 1;
}

/* After columns that are empty; the line ends instead of with its last comma. */
static ALWAYS_INLINE char *end_line(char *to, size_t empty)
{
	for (size_t i = 0; i < empty; i++)
		*to++ = ',';
	to[-1] = '\n';
	return to;
}

static char *put_row(char *to, const struct kept *kept)
{
	const int64_t *at = (const int64_t *)(kept + 1);

	for (size_t i = 0; i < FIXED_COLUMNS; i++)
		to = put_any(to, *at++);
	for (size_t i = 0; i < kept->slots; i++)
		to = put_cell(to, *at++);
	return end_line(to, kept->empty);
}

/* What the lines of a run have in common, and the digits of its numbers. */
struct run_text {
	/* Digits of times but the last eight; none if there are no more. */
	uint64_t before_ns; /* a multiple of 10^8 */
	char before[16];
	size_t before_size;
	/* CPU and group, with a comma after each; not for a run of several CPUs */
	char same[2 * CELL_BYTES];
	size_t same_size;
	/* By column, as in struct run_columns. */
	const uint64_t *ts_ns, *prev_thread_id, *next_thread_id, *prev_state, *on_cpu_ns;
	const uint64_t *running_ns, *detail_id, *cpus;
	const uint64_t *deltas;
	uint64_t digits[RUN_NUMBERS_MAX + DIGITS_SLACK];
};

/* Most times of a piece differ in their last digits alone. */
static void begin_time(struct run_text *text, uint64_t ns)
{
	uint64_t before = ns / DIGITS_AT_ONCE;

	if (text->before_ns == before * DIGITS_AT_ONCE)
		return;
	text->before_ns = before * DIGITS_AT_ONCE;
	text->before_size = (size_t)(digits_put(text->before, before) - text->before);
}

static ALWAYS_INLINE void begin_run(struct run_text *text, const struct kept *kept,
				    bool has_avx2)
{
	const struct run_columns *run = &kept->run;
	const int64_t *numbers = run->ts_ns;
	size_t count = (kept->bytes - sizeof(*kept)) / sizeof(*numbers);
	char *to = put_count(text->same, run->cpu);

	text->same_size = (size_t)(put_count(to, run->group_id) - text->same);
	begin_time(text, (uint64_t)run->ts_ns[0]);
	text->ts_ns = text->digits;
	text->prev_thread_id = text->digits + (run->prev_thread_id - numbers);
	text->next_thread_id = text->digits + (run->next_thread_id - numbers);
	text->prev_state = text->digits + (run->prev_state - numbers);
	text->on_cpu_ns = text->digits + (run->on_cpu_ns - numbers);
	text->running_ns =
		run->running_ns ? text->digits + (run->running_ns - numbers) : NULL;
	text->detail_id =
		run->detail_id ? text->digits + (run->detail_id - numbers) : NULL;
	text->cpus = run->cpus ? text->digits + (run->cpus - numbers) : NULL;
	text->deltas = text->digits + (run->deltas - numbers);
	for (size_t i = 0; i < run->count; i++)
		text->digits[i] = (uint64_t)run->ts_ns[i] - text->before_ns;
	digits_of_many(text->digits, text->digits, run->count, has_avx2);
	digits_of_many(text->digits + run->count, (const uint64_t *)numbers + run->count,
		       count - run->count, has_avx2);
}

static ALWAYS_INLINE char *put_time(char *to, const struct run_text *text,
				    const struct run_columns *run, size_t at)
{
	uint64_t digits = text->ts_ns[at];

	if (digits == DIGITS_NONE || !text->before_ns)
		return put_cell(to, run->ts_ns[at]);
	memcpy(to, text->before, sizeof(text->before));
	to += text->before_size;
	digits_store(to, digits);
	to[8] = ',';
	return to + 9;
}

/* A number and its digits. */
static ALWAYS_INLINE char *put_number(char *to, const int64_t *value, uint64_t digits)
{
	if (__builtin_expect(digits == DIGITS_NONE, 0))
		return put_cell(to, *value);
	to = digits_put_trimmed(to, digits);
	*to = ',';
	return to + 1;
}

/* The same if it may be NULL; and no values at all if all are. */
static ALWAYS_INLINE char *put_nullable(char *to, const int64_t *values,
					const uint64_t *digits, size_t at)
{
	if (values && __builtin_expect(digits[at] != DIGITS_NONE, 1))
		return put_number(to, NULL, digits[at]);
	return put_any(to, values ? values[at] : INT_NONE);
}

/* CPU and group. */
static ALWAYS_INLINE char *put_place(char *to, const struct run_text *text,
				     const struct run_columns *run, size_t at)
{
	if (run->cpus) {
		to = put_number(to, run->cpus + at, text->cpus[at]);
		return put_count(to, run->group_id);
	}
	memcpy(to, text->same, sizeof(text->same));
	return to + text->same_size;
}

static ALWAYS_INLINE char *put_switch(char *to, const struct run_text *text,
				      const struct run_columns *run, size_t at)
{
	to = put_time(to, text, run, at);
	to = put_place(to, text, run, at);
	to = put_number(to, run->prev_thread_id + at, text->prev_thread_id[at]);
	to = put_nullable(to, run->next_thread_id, text->next_thread_id, at);
	to = put_number(to, run->prev_state + at, text->prev_state[at]);
	to = put_count(to, CHARGE_CHARGED);
	to = put_number(to, run->on_cpu_ns + at, text->on_cpu_ns[at]);
	to = put_nullable(to, run->running_ns, text->running_ns, at);
	return put_nullable(to, run->detail_id, text->detail_id, at);
}

/* Those of the next number. */
static ALWAYS_INLINE uint64_t next_digits(uint64_t digits, int64_t next)
{
	if (digits >> 56 < '9')
		return digits + (UINT64_C(1) << 56);
	return (uint64_t)next < DIGITS_AT_ONCE ? digits_of((uint64_t)next) : DIGITS_NONE;
}

static ALWAYS_INLINE char *put_run(char *to, struct run_text *text,
				   const struct kept *kept, bool has_avx2)
{
	const struct run_columns *run = &kept->run;
	const int64_t *delta = run->deltas;
	const uint64_t *digits;
	int64_t id = run->first_id;
	uint64_t id_digits = next_digits(DIGITS_NONE, id);

	begin_run(text, kept, has_avx2);
	digits = text->deltas;
	for (size_t at = 0; at < run->count; at++) {
		to = put_number(to, &id, id_digits);
		id++;
		id_digits = next_digits(id_digits, id);
		to = put_switch(to, text, run, at);
		for (size_t i = 0; i < kept->slots; i++)
			to = put_number(to, delta++, *digits++);
		to = end_line(to, kept->empty);
	}
	return to;
}

static ALWAYS_INLINE void make_lines_any(struct csv_piece *piece, bool has_avx2)
{
	const char *at = piece->source, *end = at + piece->used;
	struct run_text text UNINITIALIZED;

	text.before_ns = 0;
	while (at < end) {
		const struct kept *kept = (const void *)at;
		size_t lines = kept->run.count ? kept->run.count : 1;
		char *room = csv_piece_room(
			piece,
			lines * (FIXED_COLUMNS + kept->slots + kept->empty) * CELL_BYTES +
				sizeof(text.same));

		if (!room)
			return;
		piece->size +=
			(size_t)((kept->run.count ? put_run(room, &text, kept, has_avx2)
						  : put_row(room, kept)) -
				 room);
		at += kept->bytes;
	}
}

COMPILED_TWICE(make_lines, struct csv_piece *)

/* --- numbers --- */

/* What rows need at most, with the numbers of each. */
static size_t kept_bytes(size_t rows, size_t slots)
{
	return sizeof(struct kept) + rows * (FIXED_COLUMNS + slots) * sizeof(int64_t);
}

/* Room for rows with so many slots; NULL: the sink's error is set. */
static struct kept *begin_kept(struct csv_pieces *pieces, struct sink *sink, size_t rows,
			       size_t slots, size_t columns)
{
	struct csv_piece *piece = csv_pieces_filling(pieces);
	struct kept *kept;

	if (CSV_SOURCE_BYTES - piece->used < kept_bytes(rows, slots)) {
		if (csv_pieces_turn(pieces, sink) != ST_OK)
			return NULL;
		piece = csv_pieces_filling(pieces);
	}
	kept = (void *)(piece->source + piece->used);
	kept->slots = slots;
	kept->empty = columns > slots ? columns - slots : 0;
	return kept;
}

static void end_kept(struct csv_pieces *pieces, struct kept *kept, const char *end)
{
	kept->bytes = (size_t)(end - (const char *)kept);
	csv_pieces_filling(pieces)->used += kept->bytes;
}

void csv_switches_begin(struct csv_pieces *pieces, struct csv_file *file)
{
	csv_pieces_begin(pieces, file, TABLE_NAME, make_lines, NULL);
}

enum status csv_switches_add(struct csv_pieces *pieces, struct sink *sink,
			     const struct record *record, size_t columns)
{
	size_t slots = record->slots;
	struct kept *kept = begin_kept(pieces, sink, 1, slots, columns);
	int64_t *to;

	if (!kept)
		return sink->error.status;
	to = (int64_t *)(kept + 1);
	kept->run.count = 0;
	memcpy(to, record->data, FIXED_COLUMNS * sizeof(*to));
	to += FIXED_COLUMNS;
	if (slots)
		memcpy(to, record->deltas, slots * sizeof(*to));
	end_kept(pieces, kept, (const char *)(to + slots));
	return ST_OK;
}

enum status csv_switches_add_run(struct csv_pieces *pieces, struct sink *sink,
				 const struct run_rows *rows, size_t columns)
{
	struct kept *kept = begin_kept(pieces, sink, rows->to - rows->from,
				       rows->run->common.count, columns);
	bool is_for_other = csv_pieces_filling(pieces)->background != NULL;

	if (!kept)
		return sink->error.status;
	end_kept(pieces, kept,
		 run_columns_keep(&kept->run, (char *)(kept + 1), is_for_other, rows));
	return ST_OK;
}

enum status csv_switches_end(struct csv_pieces *pieces, struct sink *sink)
{
	return csv_pieces_end(pieces, ST_OK, sink);
}
