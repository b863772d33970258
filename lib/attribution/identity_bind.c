/* identity_bind.c - at the end every thread gets a process, every process a name. */
#include "attribution/identity.h"
#include "base/prefetch.h"

/* Of threads so far ahead processes are asked for, and main threads half as far. */
#define AHEAD 32

/* Main threads by the number the recorder had for them, where a sample paired the two. */
static void find_paired(struct identity *identity, struct map *paired)
{
	for (size_t i = 0; i < identity->listed; i++) {
		struct thread *thread = identity_at(identity, i);
		const struct thread_more *more = thread_more(thread);

		if (more->recorder_tid > 0 && more->recorder_pid == more->recorder_tid &&
		    !map_put(paired, (uint64_t)more->recorder_pid, thread))
			identity->out_of_memory = true;
	}
}

/* Threads whose process no record names. */
static struct process *unknown_process(struct identity *identity)
{
	if (!identity->unknown_process)
		identity->unknown_process =
			identity_new_process(identity, INT_NONE, STR("(unknown)"));
	return identity->unknown_process;
}

static void bind_process(struct identity *identity, struct thread *thread,
			 const struct map *paired)
{
	const struct thread_more *more = thread_more(thread);
	struct thread *main = thread;

	if (identity->processes_apart) {
		thread->process = unknown_process(identity);
		return;
	}

	if (more->recorder_pid > 0 && more->recorder_pid != more->recorder_tid)
		main = map_get(paired, (uint64_t)more->recorder_pid);
	if (!main)
		main = thread;
	if (!main->process)
		main->process = identity_main_process(identity, main, thread_tid(main));
	thread->process = main->process;
}

/* An incarnation in doubt that no event met: no thread. */
static bool is_unused_doubt(const struct thread *thread)
{
	return thread->in_doubt && thread->seen_ns == INT_NONE;
}

static void fetch_main(const struct identity *identity, size_t thread)
{
	const struct process *process = identity_process_ahead(identity, thread + AHEAD);

	if (process)
		prefetch(process, sizeof(*process));
	process = identity_process_ahead(identity, thread + AHEAD / 2);
	if (process && process->main)
		prefetch(process->main, sizeof(*process->main));
}

void identity_bind(struct identity *identity)
{
	struct map paired = { NULL, 0, 0 };
	bool all_have_names = true;

	if (identity->spaces_differ)
		find_paired(identity, &paired);
	for (size_t i = 0; i < identity->listed; i++) {
		struct thread *thread = identity_at(identity, i);

		if (!thread->process && !is_unused_doubt(thread))
			bind_process(identity, thread, &paired);
	}
	map_release(&paired);
	for (struct process *process = identity->processes; process;
	     process = process->next) {
		if (process->main && process->more)
			process->more->name = STR_NONE;
		all_have_names &= process_name(process).ptr != NULL;
	}
	if (identity->processes_apart || all_have_names)
		return;
	/* A process whose main thread has no name gets that of its first named thread. */
	for (size_t i = 0; i < identity->listed; i++) {
		const struct thread *thread = identity_at(identity, i);

		fetch_main(identity, i);
		if (thread->process && !process_name(thread->process).ptr &&
		    identity_process_more(identity, thread->process))
			thread->process->more->name = thread_name(thread);
	}
}
