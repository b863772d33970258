/*
 * PerfLib bundles from the documents alone: good ones, and ones in which one thing is
 * wrong.
 */
#ifndef PERFLIB_BUILD_H
#define PERFLIB_BUILD_H

#include "common/cases.h"

#define NONE 0xffffffff
#define TICKS 10000000u

/* Places where faults are made; the table is in main.c. */
enum place {
	PLACE_NONE,
	PLACE_HEADER,	   /* of an answer */
	PLACE_LIST,	   /* of identifiers, of the first block */
	PLACE_INSTANCES,   /* the head of the list of instances */
	PLACE_INSTANCE,	   /* the first one */
	PLACE_INSTANCE_2,  /* the second one */
	PLACE_VALUE,	   /* counter 2 of the first instance, before it is written */
	PLACE_VALUE_SIZED, /* the end of each value of the first instance */
	PLACE_VALUES,	   /* those of the first instance */
	PLACE_SINGLE,	   /* the block without a list */
	PLACE_ERROR,	   /* the last block */
	PLACE_ANSWER,	   /* a whole answer */
	PLACE_LAST_BLOCK,  /* of a whole answer */
	PLACE_STRUCTURE,   /* of the first counterset */
	PLACE_NAMES,	   /* of its counters */
	PLACE_IDENTIFIERS, /* the last but one */
};

/* A bundle under way, and the findings and values that a reader must give. */
struct build {
	struct byte_buf out;
	struct byte_buf findings; /* KIND|COUNT|FIRST_OFFSET, a line each */
	struct byte_buf values;	  /* SNAPSHOT|BLOCK|NAME|ORDINAL|COUNTER|BYTES|VALUE */
	struct faulty fault;
	bool is_bare;
	unsigned int records;
	unsigned int snapshot; /* 1, 2, 3 */
};

/* Reported `count` times, first at `offset` of the file. */
void expect(struct build *build, const char *kind, unsigned int count, size_t offset);
/* The findings so far, which are at their offsets from `from`. */
void expect_found(struct build *build, size_t from);

/* file.c: the framing; a record's payload is at the offset that is returned. */
void begin_file(struct build *build);
size_t put_record(struct build *build, unsigned int type, const struct byte_buf *payload);
void end_file(struct build *build);
/* An answer of PerfQueryCounterSetRegistrationInfo, which is at that offset. */
size_t put_result(struct build *build, unsigned int set, unsigned int request,
		  unsigned int code, const struct byte_buf *result);
/* An answer of PerfQueryCounterData, said to have `reported` bytes. */
size_t put_data(struct build *build, size_t reported, const struct byte_buf *answer);

struct counter {
	unsigned int id, type, partners[4];
	const char *name; /* NULL: none */
};

/* Results: the structure of a counterset, and the names of its counters. */
void buf_counterset(struct byte_buf *p, unsigned int set, unsigned int count,
		    unsigned int instances);
void buf_counter(struct byte_buf *p, const struct counter *counter, unsigned int scale,
		 uint64_t rest);
void buf_names(struct byte_buf *p, const struct counter *counters, unsigned int count);

/* registration.c: registration and identifiers */
void put_known(struct build *build);

/* answer.c: one snapshot */
void put_answer(struct build *build);

#define SET_PROCESSOR 0xa0
#define SET_SYSTEM 0xb0
#define SET_ABSENT 0xc0
void buf_guid(struct byte_buf *buf, unsigned int set);

#endif
