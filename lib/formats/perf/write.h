/*
 * write.h - writes a perf.data: to a file, a pipe, or memory.
 *
 * The file form is valid at every moment, for perf too: the description of the trace
 * precedes its data, a table of it follows the data, and the header is rewritten after
 * each round.  The next round overwrites the table.  When the recording ends, header
 * features are written after the data, as perf writes them.  The pipe form (also in
 * memory) begins with the same description.  docs/formats/perf-data.md draws both.
 */
#ifndef PERFTAB_PERF_WRITE_H
#define PERFTAB_PERF_WRITE_H

#include <sys/uio.h>

#include "base/error.h"
#include "formats/perf/write_parts.h"

struct perf_compressor;

struct perf_writer {
	const char *path;
	int fd; /* -1: memory */
	bool is_pipe;
	struct bytes *memory;
	uint64_t written;    /* bytes of the trace so far, without the table */
	uint64_t data_begin; /* of the records */
	struct perf_write_section sections[PERF_WRITE_FEATURES]; /* before the data */
	struct perf_compressor *compressor; /* NULL: not compressed */
	uint64_t unpacked;		    /* bytes of records that it compressed */
	uint64_t kept;	     /* bytes in the file of records of a round that failed */
	bool is_broken;	     /* after a failure: the file could not be made valid again */
	bool pipe_closed;    /* the reader of the pipe closed it */
	struct error *error; /* borrowed */
};

/*
 * "-" is standard output.  An existing file is renamed to NAME.old.  Level 0 does not
 * compress.
 */
MUST_CHECK enum status perf_writer_open(struct perf_writer *writer, const char *path,
					int level, struct error *error);
/* Writes the pipe form to `memory`, which its reader consumes from the front. */
void perf_writer_open_memory(struct perf_writer *writer, struct bytes *memory,
			     struct error *error);
/* Writes everything before the first record of the kernel. */
MUST_CHECK enum status perf_writer_begin(struct perf_writer *writer,
					 const struct perf_write_facts *facts);
/* Adds records of the recorder, which are never compressed. */
MUST_CHECK enum status perf_writer_add(struct perf_writer *writer,
				       const struct bytes *records);
/*
 * Adds whole records of the kernel, in pieces, and FINISHED_ROUND.  After a failure a
 * file ends with the last record that could be written.
 */
MUST_CHECK enum status perf_writer_add_round(struct perf_writer *writer,
					     const struct iovec *pieces, size_t count);
/* Writes the header features, if the form has any, and then the header. */
MUST_CHECK enum status perf_writer_finish(struct perf_writer *writer,
					  struct perf_write_facts *facts);
/* Call it after perf_writer_finish(), or instead: the file stays valid. */
void perf_writer_close(struct perf_writer *writer);

#endif
