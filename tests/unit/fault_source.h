/*
 * fault_source.h - a source that answers as another one does, but for one fault.
 */
#ifndef PERFTAB_FAULT_SOURCE_H
#define PERFTAB_FAULT_SOURCE_H

#include "capture/perflib/source.h"

enum fault_call {
	FAULT_ENUMERATE,
	FAULT_REGISTRATION,
	FAULT_INSTANCES,
	FAULT_OPEN,
	FAULT_ADD,
	FAULT_INFO,
	FAULT_DATA,
	FAULT_CALLS
};

enum fault_kind {
	FAULT_NONE,
	FAULT_CODE,    /* fails with `code` */
	FAULT_SHORT,   /* says once that it needs more than it does */
	FAULT_GROWS,   /* needs 8 bytes more than there are, always */
	FAULT_SHRINKS, /* needs less than there is */
	FAULT_HUGE,    /* needs 3 GiB */
	FAULT_LIES,    /* says that it filled more than there is room for */
	FAULT_STATUS,  /* of add: each identifier has `code` */
};

struct fault_source {
	struct source inner;
	enum fault_kind kind;
	enum fault_call call;
	uint32_t code;
	unsigned int first, count; /* of that call, from 1; count 0: from then on */
	unsigned int made[FAULT_CALLS];
	unsigned int all_made;
	unsigned int fail_nth; /* of all calls, from 1: with `code`; 0: none */
	uint32_t most_room;    /* of all buffers that came */
};

/* The inner source stays its owner's. */
struct source fault_source_over(struct fault_source *faults);

#endif
