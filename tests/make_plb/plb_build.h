/*
 * plb_build.h - PerfLib bundles from the documents alone: good ones, and ones in which
 * one thing is wrong.
 */
#ifndef PLB_BUILD_H
#define PLB_BUILD_H

#include "../make_trace/byte_buf.h"

/* What a reader must say, and the values that it must keep, as text. */
struct truth {
	struct byte_buf findings; /* KIND COUNT FIRST_OFFSET, a line each */
	struct byte_buf values;	  /* SNAPSHOT|BLOCK|NAME|ORDINAL|COUNTER|BYTES|VALUE */
};

/* A bundle under way, and what is to be wrong in it. */
struct build {
	struct byte_buf out;
	struct truth truth;
	const char *wrong; /* name of the case */
	bool is_bare;
	unsigned int records;
	unsigned int snapshot; /* 1, 2, 3 */
	bool lost;	       /* a reader gets no values any more */
};

/* The case is this one. */
bool is_case(const struct build *build, const char *name);
/* It is, and this is the snapshot it is made in. */
bool is_now(const struct build *build, const char *name);

/* Told `count` times, first at `offset` of the file. */
void expect(struct build *build, const char *kind, unsigned int count, size_t offset);

/* plb_file.c: a record around a payload; returns where the payload is in the file. */
void begin_file(struct build *build);
size_t put_record(struct build *build, unsigned int type, const struct byte_buf *payload);

/* plb_known.c: registration and identifiers */
void put_known(struct build *build);

/* plb_answer.c: one snapshot */
void put_answer(struct build *build);

#define SET_PROCESSOR 0xa0
#define SET_SYSTEM 0xb0
#define SET_ABSENT 0xc0
void buf_guid(struct byte_buf *buf, unsigned int set);

#endif
