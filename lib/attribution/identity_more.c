/* identity_more.c - room for what few threads and processes have. */
#include "attribution/identity.h"

const struct thread_more thread_more_none = {
	.history = { .end_ns = INT_NONE, .gone_ns = INT_NONE },
	.recorder_tid = INT_NONE,
	.recorder_pid = INT_NONE,
	.idle_cpu = INT_NONE,
};

struct thread_history *identity_history(struct identity *identity, struct thread *thread)
{
	if (thread->history)
		return thread->history;
	thread->history = arena_alloc(&identity->arena, sizeof(*thread->history));
	if (thread->history)
		*thread->history = thread_more_none.history;
	else
		identity->out_of_memory = true;
	return thread->history;
}

struct thread_more *identity_more(struct identity *identity, struct thread *thread)
{
	struct thread_more *more;

	if (thread->has_more)
		return (struct thread_more *)thread->history;
	more = arena_alloc(&identity->arena, sizeof(*more));
	if (!more) {
		identity->out_of_memory = true;
		return NULL;
	}
	*more = thread_more_none;
	more->history = *thread_history(thread);
	thread->history = &more->history;
	thread->has_more = true;
	return more;
}

struct process_more *identity_process_more(struct identity *identity,
					   struct process *process)
{
	if (!process->more)
		process->more = arena_alloc(&identity->arena, sizeof(*process->more));
	identity->out_of_memory |= !process->more;
	return process->more;
}
