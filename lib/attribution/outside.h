/*
 * outside.h - tasks outside the recorder's PID namespace.
 *
 * Their ids are 0/0 there, as those of the idle task.  Where a tracepoint names tasks by
 * the machine's numbers the two are distinct.  Elsewhere only a record that idle cannot
 * have proves that such tasks exist: a name, a FORK, an EXIT, or a sample of user space.
 * Then what has the ids 0/0 is not idle alone, and is billed as a process of its own.
 */
#ifndef PERFTAB_OUTSIDE_H
#define PERFTAB_OUTSIDE_H

#include "attribution/identity.h"

#define OUTSIDE_NAME "(outside the namespace)"

/* Return whether a record is one that idle cannot have. */
bool outside_has_comm(const struct identity *identity,
		      const struct task_comm_event *comm);
bool outside_has_fork(const struct identity *identity,
		      const struct task_fork_event *fork);
bool outside_has_exit(const struct identity *identity,
		      const struct task_exit_event *exit);

/* Returns the thread of such records, and notes such tasks.  NULL: out of memory. */
struct thread *outside_thread(struct identity *identity);
/* Returns the thread with the recorder's id 0 on a CPU: idle, unless another is known. */
struct thread *outside_or_idle(struct identity *identity, int64_t cpu);
/*
 * At the end of the trace: if no tracepoint names idle, moves idle's threads to the
 * process outside.  True: they moved, so their sums are not idle's.
 */
bool outside_bind(struct identity *identity);

#endif
