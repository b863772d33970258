/*
 * callchains.h - gives each distinct call chain one id.
 */
#ifndef PERFTAB_CALLCHAINS_H
#define PERFTAB_CALLCHAINS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

/*
 * Maximum of bytes of chains.  Then the map is emptied, so a chain may get a second row
 * in a trace with very many of them: memory stays bounded.
 */
#define CALLCHAINS_BYTES_MAX ((size_t)12 << 20)

struct callchains {
	struct arena arena;
	struct map known; /* hash -> struct callchain */
	size_t bytes;
	int64_t last_id; /* continues across traces of one output */
	char *text;	 /* frames of the last new chain */
	size_t text_room;
	bool out_of_memory;
};

/*
 * Returns the id of a chain.  A new one fills *row, which is valid until the next call,
 * and sets *is_new.  INT_NONE: no chain, or out of memory.
 */
int64_t callchain_id(struct callchains *chains, const uint64_t *ips, size_t count,
		     struct callchain_row *row, bool *is_new);
/* Forgets all chains, at the end of a trace. */
void callchains_forget(struct callchains *chains);
void callchains_release(struct callchains *chains);

#endif
