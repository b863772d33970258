/*
 * places_private.h - the parts of struct places.
 */
#ifndef PERFTAB_REPORT_PLACES_PRIVATE_H
#define PERFTAB_REPORT_PLACES_PRIVATE_H

#include "report/places.h"

/* SPACE_NONE: no address, or one of a guest. */
enum place_space { SPACE_NONE, SPACE_KERNEL, SPACE_USER };

struct place_count {
	int64_t thread_id, address, counter_id;
	enum place_space space;
	int64_t first_ns; /* of its first sample, whose frame counts for all */
	int64_t samples, events;
	struct place_count *next;
};

struct place_frame {
	int64_t process_id, address; /* INT_NONE: the kernel's */
	int64_t from_ns, to_ns;
	struct str module, symbol; /* ptr NULL: not known */
	struct place_frame *next;  /* of the same hash */
};

/* Returns the frame at the address at the first sample; NULL: unknown. */
const struct place_frame *places_find(const struct places *places, int64_t process_id,
				      const struct place_count *count);

#endif
