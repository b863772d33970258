/* pieces.c - makes pieces of text side by side and writes them in order. */
#include "output/csv/pieces.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

static bool init_piece(struct csv_pieces *pieces, struct csv_piece *piece)
{
	piece->all = pieces;
	piece->size = CSV_UNIT_BYTES;
	piece->source = memory_alloc(CSV_SOURCE_BYTES + CSV_SLACK_BYTES);
	return piece->source;
}

bool csv_pieces_init(struct csv_pieces *pieces)
{
	*pieces = (struct csv_pieces){ .is_there = true };
	pthread_mutex_init(&pieces->lock, NULL);
	pthread_cond_init(&pieces->written, NULL);
	return init_piece(pieces, &pieces->list[0]);
}

void csv_pieces_begin(struct csv_pieces *pieces, struct csv_file *file, const char *table,
		      void (*make)(struct csv_piece *piece), const void *context)
{
	pieces->file = file;
	pieces->table = table;
	pieces->make = make;
	pieces->context = context;
	pieces->writing = pieces->filling;
}

char *csv_piece_room(struct csv_piece *piece, size_t bytes)
{
	size_t needed = piece->size + bytes;

	if (!ARRAY_GROW(piece->text, piece->room, needed)) {
		piece->failure = ENOMEM;
		return NULL;
	}
	return piece->text + piece->size;
}

/* The whole text of a piece, or nothing after a failure. */
static int write_text(const struct csv_piece *piece, struct csv_file *file)
{
	if (piece->failure)
		return piece->failure;
	if (piece->text && !csv_file_write(file, piece->text + CSV_UNIT_BYTES,
					   piece->size - CSV_UNIT_BYTES))
		return errno;
	return 0;
}

/*
 * Writes what is made, in order: the thread that made the next piece does, so that
 * neither the caller nor another thread waits.  One thread writes at a time.
 */
static void write_made(struct csv_pieces *pieces)
{
	pthread_mutex_lock(&pieces->lock);
	while (!pieces->is_writing && pieces->list[pieces->writing].is_made) {
		struct csv_piece *piece = &pieces->list[pieces->writing];
		int failure = pieces->failure;

		pieces->is_writing = true;
		pthread_mutex_unlock(&pieces->lock);
		if (!failure)
			failure = write_text(piece, pieces->file);
		pthread_mutex_lock(&pieces->lock);
		pieces->failure = failure;
		pieces->is_writing = false;
		pieces->writing = (pieces->writing + 1) % CSV_PIECES;
		piece->is_made = false;
		pthread_cond_broadcast(&pieces->written);
	}
	pthread_mutex_unlock(&pieces->lock);
}

static void make(void *context)
{
	struct csv_piece *piece = context;
	struct csv_pieces *pieces = piece->all;

	pieces->make(piece);
	pthread_mutex_lock(&pieces->lock);
	piece->is_made = true;
	pthread_mutex_unlock(&pieces->lock);
	write_made(pieces);
}

/* Waits until it is written, or makes it; it is empty then. */
static enum status finish_piece(struct csv_piece *piece, struct sink *sink)
{
	struct csv_pieces *pieces = piece->all;
	int failure;

	if (piece->is_begun)
		background_wait(piece->background, 0);
	else
		make(piece);
	pthread_mutex_lock(&pieces->lock);
	while (piece->is_made)
		pthread_cond_wait(&pieces->written, &pieces->lock);
	failure = pieces->failure;
	pthread_mutex_unlock(&pieces->lock);
	piece->is_begun = false;
	piece->used = 0;
	piece->size = CSV_UNIT_BYTES;
	if (!failure)
		return ST_OK;
	if (failure == ENOMEM)
		return error_nomem(&sink->error);
	errno = failure;
	return csv_file_failed(sink, pieces->table);
}

/* A thread is not worth its start before there is a whole piece. */
static void begin_piece(struct csv_piece *piece)
{
	if (!piece->background)
		piece->background = background_start(BACKGROUND_SHORT);
	piece->is_begun = piece->background;
	if (piece->is_begun)
		background_run(piece->background, make, piece);
}

enum status csv_pieces_turn(struct csv_pieces *pieces, struct sink *sink)
{
	struct csv_piece *piece = csv_pieces_filling(pieces);
	enum status status;

	begin_piece(piece);
	if (!piece->is_begun) {
		status = finish_piece(piece, sink);
		pieces->writing = pieces->filling; /* it is filled again */
		return status;
	}
	pieces->filling = (pieces->filling + 1) % CSV_PIECES;
	piece = csv_pieces_filling(pieces);
	if (!piece->source && !init_piece(pieces, piece))
		return error_nomem(&sink->error);
	return piece->is_begun ? finish_piece(piece, sink) : ST_OK;
}

enum status csv_pieces_end(struct csv_pieces *pieces, enum status status,
			   struct sink *sink)
{
	for (size_t i = 1; i <= CSV_PIECES; i++) {
		struct csv_piece *piece =
			&pieces->list[(pieces->filling + i) % CSV_PIECES];

		if (status == ST_OK && (piece->is_begun || piece->used))
			status = finish_piece(piece, sink);
		else if (piece->is_begun)
			background_wait(piece->background, 0);
	}
	pieces->writing = pieces->filling; /* that is filled again, if more come */
	return status;
}

void csv_pieces_shrink(struct csv_pieces *pieces)
{
	for (size_t i = 0; i < CSV_PIECES; i++) {
		struct csv_piece *piece = &pieces->list[i];

		free(piece->text);
		piece->text = NULL;
		piece->room = 0;
		if (i == pieces->filling) /* it always has a source */
			continue;
		free(piece->source);
		piece->source = NULL;
	}
}

void csv_pieces_release(struct csv_pieces *pieces)
{
	for (size_t i = 0; i < CSV_PIECES; i++) /* after its last job */
		background_stop(pieces->list[i].background);
	for (size_t i = 0; i < CSV_PIECES; i++) {
		free(pieces->list[i].source);
		free(pieces->list[i].text);
	}
	if (pieces->is_there) {
		pthread_cond_destroy(&pieces->written);
		pthread_mutex_destroy(&pieces->lock);
	}
	*pieces = (struct csv_pieces){ .make = NULL };
}
