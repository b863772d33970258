/*
 * pieces.h - the text of a large file: pieces made in several threads, written in order.
 *
 * The caller fills the source of a piece and turns to the next one: another thread makes
 * the text meanwhile, and writes it if those before are written.
 */
#ifndef PERFTAB_CSV_PIECES_H
#define PERFTAB_CSV_PIECES_H

#include <pthread.h>

#include "base/background.h"
#include "output/csv/file.h"

/* Pieces: one to fill, the others to make. */
#define CSV_PIECES 4
/* Some 3000 switches with four counters: handing them over costs a wake-up. */
#define CSV_SOURCE_BYTES ((size_t)256 * 1024)
/* Bytes of a source beyond CSV_SOURCE_BYTES. */
#define CSV_SLACK_BYTES ((size_t)64 * 1024)

struct csv_piece {
	char *source;	/* the caller's data */
	uint64_t place; /* where they are, if it is another one */
	size_t used;	/* bytes of the data; 0: nothing to make */
	char *text;	/* begins with CSV_UNIT_BYTES for csv_file_write() */
	size_t size, room;
	int failure;   /* an errno, or 0 */
	bool is_begun; /* for the caller: its making was started */
	bool is_made;  /* made and not written; under the lock */
	struct csv_pieces *all;
	struct background *background; /* NULL: made by the caller */
};

struct csv_pieces {
	/* Appends text to the piece by csv_piece_room(). */
	void (*make)(struct csv_piece *piece);
	const void *context;   /* of the caller */
	struct csv_file *file; /* for all pieces */
	const char *table;     /* its name, for errors */
	struct csv_piece list[CSV_PIECES];
	size_t filling;
	bool is_there; /* the lock, and what it is for, also is_made of the pieces */
	pthread_mutex_t lock;
	pthread_cond_t written;
	size_t writing;	 /* index of the next piece to write */
	bool is_writing; /* a thread writes that piece */
	int failure;	 /* of a piece, an errno, after which none is written; or 0 */
};

/* False: out of memory; csv_pieces_release() in any case. */
MUST_CHECK bool csv_pieces_init(struct csv_pieces *pieces);
/* Begins the pieces of a file; those of the file before have ended. */
void csv_pieces_begin(struct csv_pieces *pieces, struct csv_file *file, const char *table,
		      void (*make)(struct csv_piece *piece), const void *context);
/* Returns the piece to fill, which has a source. */
static inline struct csv_piece *csv_pieces_filling(struct csv_pieces *pieces)
{
	return &pieces->list[pieces->filling];
}
/* Room for `bytes` more after the text; NULL: out of memory, which the piece notes. */
char *csv_piece_room(struct csv_piece *piece, size_t bytes);
/* Begins to make the piece that was filled; the next one to fill is empty. */
MUST_CHECK enum status csv_pieces_turn(struct csv_pieces *pieces, struct sink *sink);
/*
 * Writes all pieces, that being filled too, if the status is ST_OK; otherwise waits for
 * those that were begun, and returns it.  More may be filled then.
 */
MUST_CHECK enum status csv_pieces_end(struct csv_pieces *pieces, enum status status,
				      struct sink *sink);
/* After csv_pieces_end(): frees what most of them have, until more come. */
void csv_pieces_shrink(struct csv_pieces *pieces);
void csv_pieces_release(struct csv_pieces *pieces);

#endif
