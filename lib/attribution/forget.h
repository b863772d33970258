/*
 * forget.h - forgets threads that have ended, so that a live trace needs no more memory
 * than the threads that are there.
 */
#ifndef PERFTAB_FORGET_H
#define PERFTAB_FORGET_H

#include "attribution/cgroups.h"
#include "attribution/chain.h"
#include "attribution/identity.h"

/*
 * Forgets threads that ended before `before_ns`, their streams, and processes without
 * threads.  Those that remain get new ids, from the trace's first one on, so call
 * it where no sum refers to them.  A process whose parent is forgotten becomes the child
 * of its nearest ancestor that remains.  Does nothing while there are few ended ones, and
 * on Windows, where processes are apart.  Out of memory sets identity->out_of_memory.
 */
void forget_ended(struct identity *identity, struct chains *chains,
		  struct cgroups *cgroups, int64_t before_ns);

#endif
