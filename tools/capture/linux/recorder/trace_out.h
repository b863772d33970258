/*
 * trace_out.h - a perf.data on its way out: to a file, a pipe, or memory.
 *
 * The file form is readable at every moment, by perf too: what describes the trace stands
 * before its data, behind the data stands a table of where, and the header is written
 * anew after each round.  The next round overwrites the table.  When the recording ends,
 * header features are put behind the data, as perf puts them.  The pipe form (also in
 * memory) begins with the same description.  docs/formats/perf-data.md draws both.
 */
#ifndef PERFTAB_TRACE_OUT_H
#define PERFTAB_TRACE_OUT_H

#include <sys/uio.h>

#include "capture/linux/recorder/trace_parts.h"

struct trace_packer;

struct trace_out {
	const char *path;
	int fd; /* -1: memory */
	bool is_pipe;
	struct bytes *memory;
	uint64_t written;    /* bytes of the trace so far, but for the table */
	uint64_t data_begin; /* of the records */
	struct trace_section sections[TRACE_FEATURES]; /* before the data */
	struct trace_packer *packer;		       /* NULL: not compressed */
	uint64_t unpacked;   /* bytes of records that went through it */
	bool had_enough;     /* who reads us went away */
	struct error *error; /* borrowed */
};

/*
 * "-" is standard output.  What has the name already is renamed to NAME.old.  Level 0
 * does not compress.
 */
MUST_CHECK enum status trace_out_open(struct trace_out *out, const char *path, int level,
				      struct error *error);
/* The pipe form, appended to `memory`, which its reader takes from the front. */
void trace_out_open_memory(struct trace_out *out, struct bytes *memory,
			   struct error *error);
/* All that comes before the first record of the kernel. */
MUST_CHECK enum status trace_out_begin(struct trace_out *out,
				       const struct trace_facts *facts);
/* Records of ours: never compressed. */
MUST_CHECK enum status trace_out_own(struct trace_out *out, const struct bytes *records);
/* Whole records of the kernel, in pieces; FINISHED_ROUND is put behind them. */
MUST_CHECK enum status trace_out_round(struct trace_out *out, const struct iovec *pieces,
				       size_t count);
/* Header features, where the form has any; the header last. */
MUST_CHECK enum status trace_out_finish(struct trace_out *out, struct trace_facts *facts);
/* After finish, or instead of it: then what is there stays readable. */
void trace_out_close(struct trace_out *out);

#endif
