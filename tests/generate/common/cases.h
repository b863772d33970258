/*
 * Cases in which one thing is wrong: a table of faults, which a generator applies at the
 * places that it passes, the findings that a reader must report, and the program around
 * them.
 */
#ifndef GENERATE_CASES_H
#define GENERATE_CASES_H

#include "bytes.h"

/*
 * A number written over, and a finding; a case may have several rows, or do more in code.
 */
struct fault {
	const char *name; /* of the case */
	unsigned place;	  /* a number of the generator's; 0: none */
	unsigned at;	  /* of the number, from that place */
	unsigned bytes;	  /* of the number; 0: none is written */
	uint64_t value;
	const char *kind;    /* of the finding, or NULL */
	unsigned finding_at; /* from that place */
	bool loses;	     /* the reader gets no values from there on */
};

struct faulty {
	const struct fault *faults;
	size_t count;
	const char *name; /* the present case */
	bool is_now;	  /* its faults are for what is being written */
	bool lost;	  /* the reader gets no values of this any more */
	struct {
		const char *kind;
		size_t at;
	} findings[8];
	size_t finding_count;
};

/* The present case is this one; and it is now. */
bool is_case(const struct faulty *faulty, const char *name);
bool is_now(const struct faulty *faulty, const char *name);
/* It is one whose name begins so. */
bool is_case_of(const struct faulty *faulty, const char *prefix);
/* A finding, at an offset that the generator settles later. */
void find(struct faulty *faulty, const char *kind, size_t at);
/* Applies the faults of this place, which is at `base` of the bytes. */
void spoil(struct faulty *faulty, unsigned place, struct byte_buf *bytes, size_t base);

/* The main function: --list, or DIR [CASE]. */
int make_cases(const struct fault *faults, size_t count, const char *usage,
	       void (*make)(const char *directory, const char *name), int argc,
	       char **argv);
/* Saves <directory>/<name>.<extension> and releases the bytes. */
void case_save(const char *directory, const char *name, const char *extension,
	       struct byte_buf *bytes);

#endif
