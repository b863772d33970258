/*
 * source.h - where the records come from: the input, or layers that make one stream of
 * records of compressed pieces, of a directory's files, of rings that were written
 * backward.
 */
#ifndef PERFTAB_PERF_SOURCE_H
#define PERFTAB_PERF_SOURCE_H

#include "model/reader.h"

struct perf_source {
	struct input *input;	    /* the reader's */
	struct input *in;	    /* the stream of records: that one, or a layer */
	struct perf_expand *expand; /* layers, NULL: not needed */
	struct perf_merge *merge;
	struct perf_order *order;
	uint64_t data_offset;
	uint64_t data_end; /* or UINT64_MAX: to the end of the input */
	bool is_pipe, is_directory;
	bool unfinished; /* the recorder did not finish the file */
};

/* Where a byte of the stream of records is in the input. */
uint64_t perf_place(const struct perf_source *source, uint64_t offset);
void perf_source_close(struct perf_source *source);

/* Where stretches of a layer's stream stand in the input, for messages. */
struct perf_segments {
	struct perf_segment {
		uint64_t at;	 /* in the stream */
		uint64_t source; /* in the input */
		bool exact;	 /* byte for byte; else all of it is made from there */
	} * list;
	size_t first, count, room;
};

/* segments.c */
bool perf_segment_add(struct perf_segments *segments, uint64_t at, uint64_t source,
		      bool exact, uint64_t forget_before);
uint64_t perf_segment_find(const struct perf_segments *segments, uint64_t at);
void perf_segments_release(struct perf_segments *segments);

/*
 * Layers: each opens an input that gives records alone, as they would stand in an
 * uncompressed file.  decompress.c: `from` up to `limit`; *stream is the new input.
 */
struct perf_expand;
MUST_CHECK enum status perf_expand_open(struct reader *reader, struct input *from,
					uint64_t limit, struct perf_expand **expand);
struct input *perf_expand_stream(struct perf_expand *expand);
uint64_t perf_expand_place(const struct perf_expand *expand, uint64_t offset);
void perf_expand_close(struct perf_expand *expand);

/* merge.c: the input up to `limit`, and the files data.0, data.1 ... beside it. */
struct perf_merge;
MUST_CHECK enum status perf_merge_open(struct reader *reader, uint64_t limit,
				       struct perf_merge **merge);
/* There must be this many files besides the main one: a ring each. */
void perf_merge_expect(struct perf_merge *merge, size_t files);
struct input *perf_merge_stream(struct perf_merge *merge);
uint64_t perf_merge_place(const struct perf_merge *merge, uint64_t offset);
void perf_merge_close(struct perf_merge *merge);

/* order.c: `from` up to `limit`, in order of time within a window. */
struct perf_order;
MUST_CHECK enum status perf_order_open(struct reader *reader, struct input *from,
				       uint64_t limit, struct perf_order **order);
struct input *perf_order_stream(struct perf_order *order);
uint64_t perf_order_place(const struct perf_order *order, uint64_t offset);
void perf_order_close(struct perf_order *order);

#endif
