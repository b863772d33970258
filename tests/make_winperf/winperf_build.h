/*
 * winperf_build.h - V1 blocks and performance logs from the documents alone: good ones,
 * and ones in which one thing is wrong.
 */
#ifndef WINPERF_BUILD_H
#define WINPERF_BUILD_H

#include "../make_trace/byte_buf.h"

/* What a reader must say, and the values that it must keep. */
struct told {
	const char *kind;
	size_t at; /* in the block, then in the file */
};

struct build {
	struct byte_buf out, findings, values;
	const char *wrong; /* name of the case */
	bool is_wide;
	unsigned int code_page;
	unsigned int snapshot; /* 1, 2, 3: of the reader's rows */
	unsigned int sample;   /* likewise, of what is made; the second one is wrong */
	bool lost;	       /* a reader gets no values of this block any more */
	struct told told[8];
	size_t told_count;
};

bool is_case(const struct build *build, const char *name);
/* It is, and this is the block that it is made in. */
bool is_now(const struct build *build, const char *name);
/* Something is told at that place of the block at hand. */
void tell(struct build *build, const char *kind, size_t at);
/* That block came to stand at `from` of the file. */
void settle(struct build *build, size_t first, size_t from);

/* UTF-16 with its NUL. */
void buf_utf16(struct byte_buf *buf, const char *text);

/* winperf_blocks.c: one block, whose sizes are multiples of 8 */
void put_block(struct build *build, struct byte_buf *p);
/* One with a single object of `instances` instances and 28 counters, for its weight. */
void put_heavy_block(struct byte_buf *p, unsigned int sample, unsigned int instances);

/* winperf_log.c: a .blg around them */
void put_log(struct build *build);
/* One of that many samples, for measuring, straight to a file. */
void write_log(const char *path, unsigned int samples);

#endif
