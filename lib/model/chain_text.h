/*
 * chain_text.h - the frames of callchain.frames, one by one.
 */
#ifndef PERFTAB_CHAIN_TEXT_H
#define PERFTAB_CHAIN_TEXT_H

#include <stdint.h>

#include "base/str.h"

/* Where a frame is; CHAIN_OTHER: in a guest, or in the hypervisor. */
enum chain_place { CHAIN_UNKNOWN, CHAIN_KERNEL, CHAIN_USER, CHAIN_OTHER };

struct chain_frame {
	uint64_t address;
	enum chain_place place; /* that of the last context mark before it */
	bool is_cookie;		/* `address` is a callchain_deferred.cookie instead */
};

/*
 * Gets the next frame, innermost first.  *frame is zeroed before the first call and keeps
 * its place from call to call.  False: there are no more.
 */
bool chain_next_frame(struct str *rest, struct chain_frame *frame);

/*
 * Returns whether a frame is in the kernel: without a context mark, whether its address
 * is in the upper half.
 */
static inline bool chain_is_kernel(const struct chain_frame *frame)
{
	return frame->place == CHAIN_KERNEL ||
	       (frame->place == CHAIN_UNKNOWN && frame->address >> 63);
}

#endif
