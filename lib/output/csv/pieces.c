/* pieces.c - makes pieces of text side by side and writes them in order. */
#include "output/csv/pieces.h"

#include <stdlib.h>

#include "base/memory.h"

static bool init_piece(struct csv_pieces *pieces, struct csv_piece *piece)
{
	piece->all = pieces;
	piece->source = memory_alloc(pieces->source_bytes + CSV_SLACK_BYTES);
	return piece->source;
}

bool csv_pieces_init(struct csv_pieces *pieces, size_t source_bytes,
		     void (*make)(struct csv_piece *piece), const void *context)
{
	*pieces = (struct csv_pieces){ .make = make,
				       .context = context,
				       .source_bytes = source_bytes };
	return init_piece(pieces, &pieces->list[0]);
}

char *csv_piece_room(struct csv_piece *piece, size_t bytes)
{
	if (piece->room - piece->size < bytes) {
		size_t room = 2 * piece->room + bytes;
		char *text = memory_resize(piece->text, room);

		piece->out_of_memory |= !text;
		if (!text)
			return NULL;
		piece->text = text;
		piece->room = room;
	}
	return piece->text + piece->size;
}

static void make(void *context)
{
	struct csv_piece *piece = context;

	piece->all->make(piece);
}

/* Waits for its text, or makes it, and writes it after what the file has. */
static enum status write_piece(struct csv_piece *piece, struct sink *sink,
			       struct csv_file *file, const char *table)
{
	enum status status = csv_file_flush(sink, file, table);

	if (piece->is_begun)
		background_wait(piece->background, 0);
	else
		make(piece);
	if (status == ST_OK)
		status = piece->out_of_memory ? error_nomem(&sink->error)
					      : csv_file_write(sink, file, table,
							       piece->text, piece->size);
	piece->is_begun = false;
	piece->used = piece->size = 0;
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

enum status csv_pieces_end(struct csv_pieces *pieces, struct sink *sink,
			   struct csv_file *file, const char *table)
{
	enum status status = ST_OK;

	for (size_t i = 1; i < CSV_PIECES; i++) {
		size_t place = (pieces->filling + i) % CSV_PIECES;

		if (pieces->list[place].is_begun && status == ST_OK)
			status = write_piece(&pieces->list[place], sink, file, table);
	}
	return status == ST_OK
		       ? write_piece(csv_pieces_filling(pieces), sink, file, table)
		       : status;
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
