/* switches.c - keeps switches as numbers, and makes lines of them. */
#include "output/csv/switches.h"

#include <string.h>

#include "base/digits.h"
#include "model/run_columns.h"

#define TABLE_NAME "context_switch"
/* Some 3000 switches with four counters: handing them over costs a wake-up. */
#define SOURCE_BYTES ((size_t)1 << 18)

/* Columns but the deltas. */
#define FIXED_COLUMNS (sizeof(struct context_switch_row) / sizeof(int64_t))
/* A number and a comma. */
#define CELL_BYTES 24

/* In the source of a piece: what follows is the row and its deltas, or the columns. */
struct kept {
	size_t bytes;		/* of all that */
	size_t columns;		/* of deltas in the lines */
	size_t slots;		/* of a row */
	struct run_columns run; /* count 0: it is a row */
};

/* --- lines --- */

static inline char *put_cell(char *to, int64_t value)
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
static inline char *put_count(char *to, int64_t value)
{
	to = digits_put(to, (uint64_t)value);
	*to = ',';
	return to + 1;
}

/* Deltas and empty columns; the line ends instead of with its last comma. */
static inline char *put_deltas(char *to, const int64_t *deltas, size_t slots,
			       size_t columns)
{
	for (size_t i = 0; i < slots; i++)
		to = put_cell(to, deltas[i]);
	for (size_t i = slots; i < columns; i++)
		*to++ = ',';
	to[-1] = '\n';
	return to;
}

static char *put_row(char *to, const struct kept *kept)
{
	const int64_t *at = (const int64_t *)(kept + 1);

	for (size_t i = 0; i < FIXED_COLUMNS; i++)
		to = put_any(to, *at++);
	return put_deltas(to, at, kept->slots, kept->columns);
}

/* CPU and group, which are the same in a run of one CPU. */
struct same {
	char text[2 * CELL_BYTES];
	size_t size;
};

static struct same make_same(const struct run_columns *run)
{
	struct same same;
	char *to = put_count(same.text, run->cpu);

	same.size = (size_t)(put_count(to, run->group_id) - same.text);
	return same;
}

static inline char *put_switch(char *to, const struct run_columns *run, size_t at,
			       const struct same *same)
{
	to = put_count(to, run->first_id + (int64_t)at);
	to = put_count(to, run->ts_ns[at]);
	if (run->cpus) {
		to = put_count(to, run->cpus[at]);
		to = put_count(to, run->group_id);
	} else {
		memcpy(to, same->text, sizeof(same->text));
		to += same->size;
	}
	to = put_count(to, run->prev_thread_id[at]);
	to = put_any(to, run->next_thread_id[at]);
	to = put_cell(to, run->prev_state[at]);
	to = put_count(to, CHARGE_CHARGED);
	to = put_count(to, run->on_cpu_ns[at]);
	to = put_any(to, run->running_ns ? run->running_ns[at] : INT_NONE);
	return put_any(to, run->detail_id ? run->detail_id[at] : INT_NONE);
}

static char *put_run(char *to, const struct kept *kept)
{
	const struct run_columns *run = &kept->run;
	const struct same same = make_same(run);

	for (size_t at = 0; at < run->count; at++) {
		to = put_switch(to, run, at, &same);
		to = put_deltas(to, run->deltas + at * run->slots, run->slots,
				kept->columns);
	}
	return to;
}

static void make_lines(struct csv_piece *piece)
{
	const char *at = piece->source, *end = at + piece->used;

	while (at < end) {
		const struct kept *kept = (const void *)at;
		size_t lines = kept->run.count ? kept->run.count : 1;
		char *room = csv_piece_room(
			piece, lines * (FIXED_COLUMNS + kept->columns) * CELL_BYTES +
				       sizeof(struct same));

		if (!room)
			return;
		piece->size += (size_t)((kept->run.count ? put_run(room, kept)
							 : put_row(room, kept)) -
					room);
		at += kept->bytes;
	}
}

/* --- numbers --- */

/* What rows need at most, with the numbers of each. */
static size_t kept_bytes(size_t rows, size_t slots)
{
	return sizeof(struct kept) + rows * (FIXED_COLUMNS + slots) * sizeof(int64_t);
}

/* Room for so many bytes; NULL: the sink's error is set. */
static struct kept *begin_kept(struct csv_switches *switches, struct sink *sink,
			       struct csv_file *file, size_t bytes)
{
	const struct csv_piece *piece = csv_pieces_filling(&switches->pieces);

	if (SOURCE_BYTES - piece->used < bytes) {
		if (csv_pieces_turn(&switches->pieces, sink, file, TABLE_NAME) != ST_OK)
			return NULL;
		piece = csv_pieces_filling(&switches->pieces);
	}
	return (void *)(piece->source + piece->used);
}

static void end_kept(struct csv_switches *switches, struct kept *kept, const char *end)
{
	kept->bytes = (size_t)(end - (const char *)kept);
	csv_pieces_filling(&switches->pieces)->used += kept->bytes;
}

enum status csv_switches_add(struct csv_switches *switches, struct sink *sink,
			     struct csv_file *file, const struct record *record,
			     size_t columns)
{
	size_t bytes = kept_bytes(1, record->slots);
	struct kept *kept = begin_kept(switches, sink, file, bytes);
	int64_t *to = (int64_t *)(kept + 1);

	if (!kept)
		return sink->error.status;
	*kept = (struct kept){ .columns = columns, .slots = record->slots };
	memcpy(to, record->data, FIXED_COLUMNS * sizeof(*to));
	if (record->slots)
		memcpy(to + FIXED_COLUMNS, record->deltas, record->slots * sizeof(*to));
	end_kept(switches, kept, (const char *)kept + bytes);
	return ST_OK;
}

enum status csv_switches_add_run(struct csv_switches *switches, struct sink *sink,
				 struct csv_file *file, const struct run_rows *rows,
				 size_t columns)
{
	struct kept *kept =
		begin_kept(switches, sink, file,
			   kept_bytes(rows->to - rows->from, rows->run->common.count));

	if (!kept)
		return sink->error.status;
	kept->columns = columns;
	end_kept(switches, kept, run_columns_keep(&kept->run, (char *)(kept + 1), rows));
	return ST_OK;
}

/* --- all of them --- */

bool csv_switches_init(struct csv_switches *switches)
{
	return csv_pieces_init(&switches->pieces, SOURCE_BYTES, make_lines, NULL);
}

enum status csv_switches_end(struct csv_switches *switches, struct sink *sink,
			     struct csv_file *file)
{
	return csv_pieces_end(&switches->pieces, sink, file, TABLE_NAME);
}

void csv_switches_release(struct csv_switches *switches)
{
	csv_pieces_release(&switches->pieces);
}
