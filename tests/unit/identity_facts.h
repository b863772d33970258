/* identity_facts.h - the facts of tests of identities, short. */
#ifndef PERFTAB_IDENTITY_FACTS_H
#define PERFTAB_IDENTITY_FACTS_H

#include "attribution/identity.h"
#include "unit.h"

static inline struct thread *forked(struct identity *id, int64_t ts, int64_t pid,
				    int64_t tid, int64_t parent)
{
	struct thread *parent_thread;

	return identity_fork(id,
			     &(struct task_fork_event){ ts, pid, tid, parent, parent },
			     &parent_thread);
}

static inline struct thread *named(struct identity *id, int64_t ts, int64_t pid,
				   int64_t tid, const char *name)
{
	return identity_comm(id, &(struct task_comm_event){ ts, pid, tid, str_of(name),
							    false });
}

static inline struct thread *exited(struct identity *id, int64_t ts, int64_t pid,
				    int64_t tid)
{
	return identity_exit(id, &(struct task_exit_event){ ts, INT_NONE, pid, tid });
}

/* A switch showed the thread leaving for good. */
static inline struct thread *gone(struct identity *id, int64_t ts, int64_t tid)
{
	struct thread *thread = identity_machine_thread(id, tid, ts);

	assert_non_null(identity_history(id, thread));
	thread->is_gone = true;
	thread->history->gone_ns = thread->history->end_ns = ts;
	return thread;
}

static inline void record(struct identity *id, struct thread *thread, int64_t pid,
			  int64_t tid)
{
	struct thread_more *more = identity_more(id, thread);

	assert_non_null(more);
	more->recorder_pid = pid;
	more->recorder_tid = tid;
}

static inline size_t count_of(const struct identity *id, int64_t tid)
{
	size_t incarnations = 0;

	for (size_t i = 0; i < id->listed; i++)
		incarnations += thread_tid(identity_at(id, i)) == tid;
	return incarnations;
}

#endif
