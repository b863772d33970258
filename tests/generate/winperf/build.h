/*
 * V1 blocks and performance logs from the documents alone: good ones, and ones in which
 * one thing is wrong.
 */
#ifndef WINPERF_BUILD_H
#define WINPERF_BUILD_H

#include "common/cases.h"

/* Places where faults are made; the table is in main.c. */
enum place {
	PLACE_NONE,
	PLACE_HEADER,	  /* of a block */
	PLACE_OBJECT,	  /* the first one, its definitions */
	PLACE_OBJECT_END, /* the same, when all of it is there */
	PLACE_INSTANCE,	  /* the first one */
	PLACE_VALUES,	  /* of each instance */
	PLACE_VALUES_2,	  /* of the second instance */
	PLACE_PARTS,	  /* after the block in a sample of a log */
	PLACE_SEVERAL,	  /* a part with the values of several instances */
};

struct build {
	struct byte_buf out, findings, values;
	struct faulty fault;
	bool is_wide;
	unsigned int code_page;
	unsigned int snapshot; /* 1, 2, 3: of the reader's rows */
	unsigned int sample;   /* likewise, of what is made; the second one is wrong */
};

/* A finding without a place. */
#define NOWHERE SIZE_MAX
/* The findings from number `first` on are at `from` of the file. */
void settle(struct build *build, size_t first, size_t from);
/* Sets the sample, and that its faults are now. */
void begin_sample(struct build *build, unsigned int sample);

/* UTF-16 with its NUL, of UTF-8 in two bytes at most. */
void buf_utf16(struct byte_buf *buf, const char *text);

/* blocks.c: one block, whose sizes are multiples of 8 */
void put_block(struct build *build, struct byte_buf *p);
/* One with a single object of `instances` instances and 28 counters, for its weight. */
void put_heavy_block(struct byte_buf *p, unsigned int sample, unsigned int instances);

/* log.c: a .blg around them */
void put_log(struct build *build);
/* One of that many samples, for measuring, straight to a file. */
void write_log(const char *path, unsigned int samples);

#endif
