/*
 * emit.h - the queue of a reader: records and rows on their way to the caller.
 *
 * One input record may give no row, one, or many.  A reader pushes them in the order in
 * which the caller gets them, and its next() pops them one by one:
 *
 *	for (;;) {
 *		status = emit_pop(&format->emit, out, &reader->error);
 *		if (status != ST_END)
 *			return status;
 *		if (format->ended)
 *			return ST_END;
 *		status = decode_next(reader);	... pushes; sets ended after the last
 *		if (status != ST_OK)
 *			return status;
 *	}
 *
 * A reader with a hot path fills *out itself and pushes nothing: while the queue is empty
 * a pop costs one test.  If decoding one input record did push something, it belongs
 * before *out: emit_push() that one as well and pop (formats/perf/walk.c).
 *
 * Data pushed by reference, and every text in a row, must stay valid until the queue is
 * empty and the reader's next() is called again; emit_text() copies other texts.  Copies
 * are valid as long.  So a reader must not push for the next input record before the
 * queue is empty.
 *
 * A push that fails, out of memory or over EMIT_BYTES_MAX, returns no error: emit_pop()
 * reports it before anything else, on every call.
 */
#ifndef PERFTAB_EMIT_H
#define PERFTAB_EMIT_H

#include "base/error.h"
#include "model/record.h"

/* Maximum of waiting records and copies, some 10 times what readers' limits allow. */
#define EMIT_BYTES_MAX ((size_t)512 << 20)

struct emit {
	struct record *records; /* [next, count) wait */
	size_t next, count, room;
	struct emit_block *blocks; /* of copies, newest first */
	size_t bytes;		   /* of `records` and `blocks` */
	bool waiting;		   /* a record or a failure waits */
	enum status failed;
};

/* All zero: an empty queue. */
void emit_release(struct emit *emit);

/* Pushes the record unchanged; the data it points to are borrowed. */
void emit_push(struct emit *emit, const struct record *record);
/* Pushes a copy of a row of that table: struct <table>_row for RECORD_<table>. */
void emit_push_row(struct emit *emit, enum record_kind kind, uint64_t offset,
		   const void *row);
/* Push a copy: of an event of `size` bytes; of a row of the trace's own `table`. */
void emit_push_event(struct emit *emit, enum record_kind kind, uint64_t offset,
		     const void *event, size_t size);
void emit_push_own_row(struct emit *emit, const struct table *table, uint64_t offset,
		       const void *row);
/*
 * Returns a copy of a text, for a row that is pushed next; ptr NULL for STR_NONE and on
 * failure.
 */
struct str emit_text(struct emit *emit, struct str text);

/* ST_OK: *out is the next record.  ST_END: none waits.  Else *error says why. */
enum status emit_pop_waiting(struct emit *emit, struct record *out, struct error *error);

static inline bool emit_is_waiting(const struct emit *emit)
{
	return emit->waiting;
}

MUST_CHECK static inline enum status emit_pop(struct emit *emit, struct record *out,
					      struct error *error)
{
	if (__builtin_expect(!emit->waiting, 1))
		return ST_END;
	return emit_pop_waiting(emit, out, error);
}

#endif
