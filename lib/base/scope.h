/*
 * scope.h - what one use of the library keeps to itself: whether it is to stop, and
 * whether an allocation failed.
 *
 * A program is one use, and has no scope: signals stop it (os.h), and a failed allocation
 * is the whole process's (memory.h).  Each handle of libperftab is another use.  Its
 * threads enter its scope, and os_interrupted() and memory_failed() then answer for that
 * handle alone.
 */
#ifndef PERFTAB_SCOPE_H
#define PERFTAB_SCOPE_H

#include <stdatomic.h>
#include <stdbool.h>

struct scope {
	atomic_bool stop;   /* set by any thread: end early */
	atomic_bool failed; /* an allocation */
};

/* Sets the scope of the calling thread; NULL: none.  Returns the one before. */
struct scope *scope_enter(struct scope *scope);
struct scope *scope_current(void);

#endif
