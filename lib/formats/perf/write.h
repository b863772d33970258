/*
 * write.h - a perf.data on its way out: to a file, a pipe, or memory.
 *
 * The file form is readable at every moment, by perf too: what describes the trace is
 * before its data, after the data is a table of where, and the header is written
 * anew after each round.  The next round overwrites the table.  When the recording ends,
 * header features are put after the data, as perf puts them.  The pipe form (also in
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
	uint64_t written;    /* bytes of the trace so far, but for the table */
	uint64_t data_begin; /* of the records */
	struct perf_write_section sections[PERF_WRITE_FEATURES]; /* before the data */
	struct perf_compressor *compressor; /* NULL: not compressed */
	uint64_t unpacked;		    /* bytes of records that went through it */
	bool pipe_closed;		    /* the reader of the pipe closed it */
	struct error *error;		    /* borrowed */
};

/*
 * "-" is standard output.  What has the name already is renamed to NAME.old.  Level 0
 * does not compress.
 */
MUST_CHECK enum status perf_writer_open(struct perf_writer *writer, const char *path,
					int level, struct error *error);
/* The pipe form, appended to `memory`, which its reader consumes from the front. */
void perf_writer_open_memory(struct perf_writer *writer, struct bytes *memory,
			     struct error *error);
/* All that comes before the first record of the kernel. */
MUST_CHECK enum status perf_writer_begin(struct perf_writer *writer,
					 const struct perf_write_facts *facts);
/* Records of ours: never compressed. */
MUST_CHECK enum status perf_writer_add(struct perf_writer *writer,
				       const struct bytes *records);
/* Whole records of the kernel, in pieces; FINISHED_ROUND is put after them. */
MUST_CHECK enum status perf_writer_add_round(struct perf_writer *writer,
					     const struct iovec *pieces, size_t count);
/* Header features, where the form has any; the header last. */
MUST_CHECK enum status perf_writer_finish(struct perf_writer *writer,
					  struct perf_write_facts *facts);
/* After finish, or instead of it: then what is there stays readable. */
void perf_writer_close(struct perf_writer *writer);

#endif
