/*
 * source.h - the stream of records: the input, or layers that make one stream from
 * compressed pieces, files of a directory, or rings that were written backward.
 */
#ifndef PERFTAB_PERF_SOURCE_H
#define PERFTAB_PERF_SOURCE_H

#include "model/reader.h"

struct perf_source {
	struct input *input; /* the reader's */
	struct input *in;    /* the stream of records: `input`, or a layer */
	struct perf_decompressor *decompressor; /* layers; NULL: not needed */
	struct perf_merge *merge;
	struct perf_order *order;
	uint64_t data_offset;
	uint64_t data_end; /* or UINT64_MAX: to the end of the input */
	bool is_pipe, is_directory;
	bool unfinished; /* the recorder did not finish the file */
};

/* Returns the offset in the input of a byte of the stream of records. */
uint64_t perf_source_offset(const struct perf_source *source, uint64_t offset);
void perf_source_close(struct perf_source *source);

/* Places in the input of stretches of a layer's stream, for messages. */
struct perf_segments {
	struct perf_segment {
		uint64_t at;	 /* in the stream */
		uint64_t source; /* in the input */
		bool exact;	 /* copied byte for byte; else made from `source` */
	} * list;
	size_t first, count, room;
};

/* segments.c */
bool perf_segment_add(struct perf_segments *segments, uint64_t at, uint64_t source,
		      bool exact, uint64_t forget_before);
uint64_t perf_segment_find(const struct perf_segments *segments, uint64_t at);
void perf_segments_release(struct perf_segments *segments);

/*
 * Layers: each opens an input of plain records, as in an uncompressed file.
 * decompress.c: decompresses `from` up to `limit`.
 */
struct perf_decompressor;
MUST_CHECK enum status perf_decompressor_open(struct reader *reader, struct input *from,
					      uint64_t limit,
					      struct perf_decompressor **decompressor);
struct input *perf_decompressor_stream(struct perf_decompressor *decompressor);
uint64_t perf_decompressor_offset(const struct perf_decompressor *decompressor,
				  uint64_t offset);
void perf_decompressor_close(struct perf_decompressor *decompressor);

/* merge.c: merges the input up to `limit` with the files data.0, data.1 ... beside it. */
struct perf_merge;
MUST_CHECK enum status perf_merge_open(struct reader *reader, uint64_t limit,
				       struct perf_merge **merge);
/* Reports missing files; `files`: how many there should be besides the main one. */
void perf_merge_report_missing(struct perf_merge *merge, size_t files);
struct input *perf_merge_stream(struct perf_merge *merge);
uint64_t perf_merge_offset(const struct perf_merge *merge, uint64_t offset);
void perf_merge_close(struct perf_merge *merge);

/* order.c: sorts the records of `from` up to `limit` by time within a window. */
struct perf_order;
MUST_CHECK enum status perf_order_open(struct reader *reader, struct input *from,
				       uint64_t limit, struct perf_order **order);
struct input *perf_order_stream(struct perf_order *order);
uint64_t perf_order_offset(const struct perf_order *order, uint64_t offset);
void perf_order_close(struct perf_order *order);

#endif
