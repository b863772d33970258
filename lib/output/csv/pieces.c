/* pieces.c - makes pieces of text side by side and writes them in order. */
#include "output/csv/pieces.h"

#include <errno.h>
#include <stdlib.h>

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
	*pieces = (struct csv_pieces){ .make = NULL };
	return init_piece(pieces, &pieces->list[0]);
}

void csv_pieces_begin(struct csv_pieces *pieces, void (*make)(struct csv_piece *piece),
		      const void *context)
{
	pieces->make = make;
	pieces->context = context;
}

char *csv_piece_room(struct csv_piece *piece, size_t bytes)
{
	size_t needed = piece->size + bytes;

	if (piece->room < needed) {
		size_t room = needed + piece->room;
		char *text = memory_resize(piece->text, room);

		if (!text) {
			piece->failure = ENOMEM;
			return NULL;
		}
		piece->text = text;
		piece->room = room;
	}
	return piece->text + piece->size;
}

static void make(void *context)
{
	struct csv_piece *piece = context;

	if (piece->used)
		piece->all->make(piece);
}

static enum status write_text(const struct csv_piece *piece, struct sink *sink,
			      struct csv_file *file, const char *table)
{
	if (piece->failure == ENOMEM)
		return error_nomem(&sink->error);
	errno = piece->failure;
	if (piece->failure)
		return csv_file_failed(sink, table);
	return piece->text
		       ? csv_file_write(sink, file, table, piece->text + CSV_UNIT_BYTES,
					piece->size - CSV_UNIT_BYTES)
		       : ST_OK;
}

/* Waits for its text, or makes it, and writes it after what the file has. */
static enum status write_piece(struct csv_piece *piece, struct sink *sink,
			       struct csv_file *file, const char *table)
{
	enum status status;

	if (piece->is_begun)
		background_wait(piece->background, 0);
	else
		make(piece);
	status = write_text(piece, sink, file, table);
	piece->is_begun = false;
	piece->used = 0;
	piece->size = CSV_UNIT_BYTES;
	return status;
}

/* A thread is not worth its start before there is a whole piece. */
static void begin_piece(struct csv_piece *piece)
{
	if (!piece->background)
		piece->background = background_start(BACKGROUND_WORKS);
	piece->is_begun = piece->background;
	if (piece->is_begun)
		background_run(piece->background, make, piece);
}

enum status csv_pieces_turn(struct csv_pieces *pieces, struct sink *sink,
			    struct csv_file *file, const char *table)
{
	struct csv_piece *piece = csv_pieces_filling(pieces);

	begin_piece(piece);
	if (!piece->is_begun)
		return write_piece(piece, sink, file, table);
	pieces->filling = (pieces->filling + 1) % CSV_PIECES;
	piece = csv_pieces_filling(pieces);
	if (!piece->source && !init_piece(pieces, piece))
		return error_nomem(&sink->error);
	return piece->is_begun ? write_piece(piece, sink, file, table) : ST_OK;
}

enum status csv_pieces_end(struct csv_pieces *pieces, enum status status,
			   struct sink *sink, struct csv_file *file, const char *table)
{
	for (size_t i = 1; i <= CSV_PIECES; i++) {
		struct csv_piece *piece =
			&pieces->list[(pieces->filling + i) % CSV_PIECES];

		if (status == ST_OK && (piece->is_begun || i == CSV_PIECES))
			status = write_piece(piece, sink, file, table);
		else if (piece->is_begun)
			background_wait(piece->background, 0);
	}
	return status;
}

void csv_pieces_release(struct csv_pieces *pieces)
{
	for (size_t i = 0; i < CSV_PIECES; i++) {
		background_stop(pieces->list[i].background); /* after its last job */
		free(pieces->list[i].source);
		free(pieces->list[i].text);
	}
	*pieces = (struct csv_pieces){ .make = NULL };
}
