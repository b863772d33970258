/*
 * planted.c - a reader that does what a trace might make a faulty one do.
 *
 * Its input is "PLANTED what [path]".  It is refused with a sentence that says what came
 * of it.
 */
#include <stdio.h>
#include <string.h>

#include "acts.h"
#include "formats/formats.h"
#include "model/reader.h"

#define MAGIC "PLANTED "

static int planted_probe(const uint8_t *head, size_t len)
{
	return len >= 8 && memcmp(head, MAGIC, 8) == 0 ? 100 : 0;
}

static enum status planted_open(struct reader *reader)
{
	(void)reader;
	return ST_OK;
}

static enum status planted_next(struct reader *reader, struct record *record)
{
	size_t len = input_peek_some(&reader->input, ACT_BYTES - 1);
	char text[ACT_BYTES], result[ACT_BYTES];

	(void)record;
	memcpy(text, reader->input.pos, len);
	text[len] = '\0';
	act(len < sizeof(MAGIC) ? "" : text + sizeof(MAGIC) - 1, result);
	return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%s", result);
}

static const struct reader_ops planted_reader = {
	.name = "planted",
	.state_size = 1,
	.probe = planted_probe,
	.open = planted_open,
	.next = planted_next,
};

/* In place of the lists of lib/formats/formats.c and trace_formats.c. */
const struct reader_ops *const all_formats[] = { &planted_reader, NULL };
const struct reader_ops *const trace_formats[] = { &planted_reader, NULL };
