/*
 * frames.h - the distinct addresses of a trace, each with the thread it was seen in.
 */
#ifndef PERFTAB_SYMBOLS_FRAMES_H
#define PERFTAB_SYMBOLS_FRAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

/* Maximum of addresses of a trace: 16 bytes each, in a table at most half full. */
#define FRAMES_MAX ((size_t)1 << 19)
/* Maximum of bytes of call chains, twice CALLCHAINS_BYTES_MAX: struct frame_chains. */
#define FRAME_CHAINS_BYTES ((size_t)24 << 20)
#define FRAME_RECENT 4096

#define FRAME_OF_KERNEL 1 /* owner of frames of the kernel */

static inline uint64_t frame_owner(int64_t thread_id)
{
	return (uint64_t)thread_id + 2;
}

struct frame {
	uint64_t address;
	uint64_t owner; /* FRAME_OF_KERNEL, or frame_owner(); 0: the place is free */
};

/*
 * Chains by id.  A chain may be forgotten when 12 MiB of others came after it: pipelines
 * do not refer to older ones (CALLCHAINS_BYTES_MAX).
 */
struct frame_chains {
	struct arena arena, older_arena;
	struct map known, older; /* id -> struct str */
	size_t bytes;
	struct { /* pairs added last */
		uint64_t owner;
		int64_t chain_id;
	} recent[FRAME_RECENT];
};

struct frames {
	struct frame *places;
	size_t capacity, count;
	struct frame_chains chains;
	int64_t dropped; /* frames over FRAMES_MAX */
	bool out_of_memory;
};

void frames_add(struct frames *frames, uint64_t address, uint64_t owner);
void frames_add_chain(struct frames *frames, int64_t chain_id, struct str text);
/* Adds all frames of a chain for a thread; INT_NONE: an unknown one. */
void frames_use_chain(struct frames *frames, int64_t chain_id, int64_t thread_id);
void frames_release(struct frames *frames);

#endif
