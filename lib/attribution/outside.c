/* outside.c - one process for all tasks outside the recorder's PID namespace. */
#include "attribution/outside.h"

#include "base/text.h"

/* --- evidence --- */

/* Where processes are apart (Windows), 0 is idle's own number. */
static bool has_zero_ids(const struct identity *identity, int64_t pid, int64_t tid)
{
	return pid == 0 && tid == 0 && !identity->processes_apart;
}

bool outside_has_comm(const struct identity *identity, const struct task_comm_event *comm)
{
	static const char idle[] = "swapper";

	return has_zero_ids(identity, comm->pid, comm->tid) && comm->name.len &&
	       !(comm->name.len >= strlen(idle) &&
		 memcmp(comm->name.ptr, idle, strlen(idle)) == 0);
}

/* The idle task of a CPU that comes up has a parent with numbers. */
bool outside_has_fork(const struct identity *identity, const struct task_fork_event *fork)
{
	return has_zero_ids(identity, fork->pid, fork->tid) && fork->parent_pid == 0 &&
	       fork->parent_tid == 0;
}

bool outside_has_exit(const struct identity *identity, const struct task_exit_event *exit)
{
	return has_zero_ids(identity, exit->pid, exit->tid);
}

/* --- the process --- */

static struct process *outside_process(struct identity *identity)
{
	if (!identity->outside_process)
		identity->outside_process =
			identity_new_process(identity, INT_NONE, STR(OUTSIDE_NAME));
	return identity->outside_process;
}

struct thread *outside_thread(struct identity *identity)
{
	struct thread *thread = identity->outside;
	struct thread_more *more;

	identity->has_outside = true;
	if (thread || !outside_process(identity))
		return thread;
	thread = identity_new_thread(identity, &identity->machine_space, 0);
	if (!thread)
		return NULL;
	more = identity_more(identity, thread);
	if (!more)
		return NULL;
	more->name = STR(OUTSIDE_NAME);
	thread->process = identity->outside_process;
	identity->outside = thread;
	return thread;
}

struct thread *outside_or_idle(struct identity *identity, int64_t cpu)
{
	return identity->has_outside && identity->machine_names_idle
		       ? outside_thread(identity)
		       : identity_idle(identity, cpu);
}

/* The process of idle has no thread any more. */
static void drop_idle_process(struct identity *identity)
{
	struct process **at = &identity->processes;

	while (*at && *at != identity->idle_process)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = identity->idle_process->next;
	if (!*at)
		identity->processes_tail = at;
	identity->idle_process = NULL;
}

bool outside_bind(struct identity *identity)
{
	if (!identity->has_outside || identity->machine_names_idle ||
	    !outside_process(identity))
		return false;
	for (size_t cpu = 0; cpu < identity->idle_count; cpu++) {
		struct thread *thread = identity->idle[cpu];
		struct thread_more *more;
		char name[32];

		if (!thread || !thread->is_idle)
			continue;
		text_print(name, sizeof(name), "outside/%zu", cpu);
		more = identity_more(identity, thread); /* of idle it is there */
		if (!more)
			return false;
		more->name = arena_str(&identity->arena, str_of(name));
		more->idle_cpu = INT_NONE;
		thread->process = identity->outside_process;
		thread->is_idle = false;
	}
	drop_idle_process(identity);
	return true;
}
