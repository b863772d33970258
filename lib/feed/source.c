/* source.c - opens the reader of a path, of bytes in memory, or of those of a caller. */
#include "feed/private.h"
#include "formats/formats.h"

#define SQLITE_MAGIC "SQLite format 3"

/* A database is a better answer than "unknown format". */
static void explain(struct reader *reader, const struct feed *feed)
{
	struct error unseen = { .status = ST_OK };
	struct input input;
	const uint8_t *head;
	bool is_database;

	if (reader->error.status != ST_UNSUPPORTED || !feed->path ||
	    input_open(&input, feed->path, &unseen) != ST_OK)
		return;
	head = input.seekable ? input_peek(&input, sizeof(SQLITE_MAGIC)) : NULL;
	is_database = head && memcmp(head, SQLITE_MAGIC, sizeof(SQLITE_MAGIC)) == 0;
	input_close(&input);
	if (!is_database)
		return;
	reader->error = (struct error){ .status = ST_OK };
	(void)error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"is a database already, expected a trace: ask SQLite");
}

enum status feed_open_reader(struct feed *feed, struct reader *reader)
{
	const struct reader_options options = { .want_rows = !feed->request.no_details };
	const struct feed_source *source = &feed->source;
	enum status status;

	if (source->read)
		return reader_open_pull(reader, feed->path ? feed->path : "(callback)",
					feed_pull, feed, &options, trace_formats);
	if (source->bytes || !feed->path)
		return reader_open_memory(reader, source->bytes ? source->bytes : "",
					  source->size, &options, trace_formats);
	if (strcmp(feed->path, "-") == 0) { /* is the host's */
		*reader = (struct reader){ .path = feed->path };
		return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "expected the name of a file");
	}
	status = reader_open(reader, feed->path, &options, trace_formats);
	if (status != ST_OK)
		explain(reader, feed);
	return status;
}
