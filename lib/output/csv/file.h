/*
 * file.h - a file of CSV, buffered: RFC 4180 with LF, texts quoted, NULL empty.
 */
#ifndef PERFTAB_CSV_FILE_H
#define PERFTAB_CSV_FILE_H

#include "base/os.h"
#include "model/sink.h"

#define CSV_BUFFER_BYTES ((size_t)128 * 1024)
/*
 * Large files are written in multiples of this: the kernel has large pages for such
 * writes, and takes 0.8 of the time, and 0.7 to read them again.
 */
#define CSV_UNIT_BYTES ((size_t)64 * 1024)
/* A real of 17 digits, with its signs, point and exponent; integers are shorter. */
#define CSV_NUMBER_BYTES 32

struct csv_file {
	int fd; /* -1: not open */
	uint64_t written;
	struct os_room reserved;
	size_t used, room;
	char *buffer;
};

/*
 * Creates TABLE.csv in the folder, with a buffer of `room` bytes.  Errors of all of these
 * go to the sink; csv_file_close() in any case.
 */
MUST_CHECK enum status csv_file_open(struct sink *sink, struct csv_file *file,
				     struct os_folder *folder, const char *table,
				     size_t room);
/*
 * Appends a large text to the buffered bytes; an incomplete last unit stays buffered.
 * Overwrites the CSV_UNIT_BYTES before the text.  False: failed, with errno set, as
 * threads without a sink call it, too.
 */
MUST_CHECK bool csv_file_write(struct csv_file *file, char *text, size_t size);
MUST_CHECK enum status csv_file_flush(struct sink *sink, struct csv_file *file,
				      const char *table);
/* Flushes; fails if the system did not write all. */
MUST_CHECK enum status csv_file_finish(struct sink *sink, struct csv_file *file,
				       const char *table);
void csv_file_close(struct csv_file *file);
enum status csv_file_failed(struct sink *sink, const char *table);

/* Room for `bytes` more after `used`; NULL: the sink's error is set. */
char *csv_room(struct sink *sink, struct csv_file *file, const char *table, size_t bytes);
/* At most 2 * len + 3 bytes. */
size_t csv_text(const struct sink *sink, char *to, struct str text);
/* The columns of a table, and delta_0 to the last slot. */
MUST_CHECK enum status csv_header(struct sink *sink, struct csv_file *file,
				  const struct table *table, size_t slots);
/* A row, not of a switch: switches.h. */
MUST_CHECK enum status csv_line(struct sink *sink, struct csv_file *file,
				const struct table *table, const char *row);

#endif
