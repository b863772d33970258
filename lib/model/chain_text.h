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
	enum chain_place place; /* as the last mark before it says */
	bool is_cookie; /* not an address: it leads to a row of callchain_deferred */
};

/*
 * The next frame, innermost first; *frame begins as zero and keeps its place from call to
 * call.  False: there is none.
 */
bool chain_next_frame(struct str *rest, struct chain_frame *frame);

/*
 * Whether a frame is of the kernel: where no mark says, its addresses are the upper half.
 */
static inline bool chain_is_kernel(const struct chain_frame *frame)
{
	return frame->place == CHAIN_KERNEL ||
	       (frame->place == CHAIN_UNKNOWN && frame->address >> 63);
}

#endif
