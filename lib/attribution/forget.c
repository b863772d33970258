/*
 * forget.c - copies the threads and processes that remain, and frees all others at once.
 *
 * Threads are in an arena, from which nothing is freed alone.  A copy is made when there
 * are twice as many threads as the last one left: its cost is constant for each thread.
 */
#include "attribution/forget.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

/* Fewer are not worth a copy. */
#define FORGET_MIN 256
/* Ancestors that are looked at; numbers that were reused can make a circle. */
#define ANCESTORS_MAX 1024

/* What remains: a thread or process that does has a copy, which is itself at first. */
struct copies {
	struct thread **of; /* by the number of the thread */
	int64_t first_id;
	struct process **processes; /* by the number of the process */
	int64_t first_process_id;
};

static struct thread **place_of(const struct copies *copies, const struct thread *thread)
{
	return &copies->of[thread->thread_id - copies->first_id];
}

static struct thread *copy_of(const struct copies *copies, const struct thread *thread)
{
	return thread ? *place_of(copies, thread) : NULL;
}

static struct process **process_copy(const struct copies *copies,
				     const struct process *process)
{
	return &copies->processes[process->process_id - copies->first_process_id];
}

/* --- what remains --- */

static void keep(const struct copies *copies, struct thread *thread)
{
	if (thread)
		*place_of(copies, thread) = thread;
}

static void keep_living(const struct copies *copies, const struct identity *identity,
			int64_t before_ns)
{
	for (size_t i = 0; i < identity->listed; i++) {
		struct thread *t = identity_at(identity, i);
		int64_t end_ns = thread_history(t)->end_ns;
		bool has_ended = !t->is_idle && t != identity->outside &&
				 end_ns != INT_NONE && end_ns < before_ns;

		if (!has_ended)
			keep(copies, t);
	}
}

static void keep_on_cpus(const struct copies *copies, const struct chains *chains)
{
	for (size_t i = 0; i < chains->cpu_count; i++) {
		const struct cpu_state *cpu = chains->cpus[i];

		if (!cpu)
			continue;
		keep(copies, cpu->prev);
		keep(copies, cpu->next);
		keep(copies, cpu->before_thread);
		keep(copies, cpu->before_read);
	}
	for (size_t i = 0; i < chains->stream_count; i++) {
		const struct stream *stream = chains->streams[i];

		if (!stream)
			continue;
		keep(copies, stream->thread);
		if (stream->edges)
			keep(copies, stream->edges->thread);
	}
}

/* A process remains with its threads, and its main thread with it. */
static void keep_processes(const struct copies *copies, struct identity *identity)
{
	struct process *const always[] = { identity->idle_process,
					   identity->outside_process,
					   identity->unknown_process };

	for (size_t i = 0; i < ARRAY_COUNT(always); i++)
		if (always[i])
			*process_copy(copies, always[i]) = always[i];
	for (size_t i = 0; i < identity->listed; i++) {
		const struct thread *t = identity_at(identity, i);

		if (copies->of[i] && t->process)
			*process_copy(copies, t->process) = t->process;
	}
	for (struct process *p = identity->processes; p; p = p->next)
		if (*process_copy(copies, p))
			keep(copies, p->main);
}

static bool adopt_children(const struct copies *copies, struct identity *identity)
{
	struct map by_pid = { NULL, 0, 0 };
	bool ok = true;

	for (struct process *p = identity->processes; p && ok; p = p->next)
		ok = map_put(&by_pid, (uint64_t)p->pid, p);
	for (struct process *p = identity->processes; p && ok; p = p->next) {
		const struct process *parent = p;

		if (!*process_copy(copies, p))
			continue;
		for (int i = 0; i < ANCESTORS_MAX && parent; i++) {
			parent = map_get(&by_pid, (uint64_t)parent->parent_pid);
			if (!parent || !*process_copy(copies, parent))
				continue;
			if (parent->pid != p->pid)
				p->parent_pid = parent->pid;
			break;
		}
	}
	map_release(&by_pid);
	return ok;
}

/* --- the copy --- */

static struct str copy_text(struct identity *to, struct str text)
{
	if (text.ptr) {
		text = arena_str(&to->arena, text);
		to->name_bytes += text.len;
		to->out_of_memory |= !text.ptr;
	}
	return text;
}

/* NULL: out of memory. */
static struct process *copy_process(struct identity *to, const struct process *from)
{
	struct process *copy = identity_new_process(to, from->pid, STR_NONE);

	if (!copy)
		return NULL;
	copy->parent_pid = from->parent_pid;
	copy->main = from->main; /* link_copies() */
	if (!from->more)
		return copy;
	if (!identity_process_more(to, copy))
		return NULL;
	*copy->more = *from->more;
	copy->more->name = copy_text(to, from->more->name);
	copy->more->command = copy_text(to, from->more->command);
	return copy;
}

static bool copy_history(struct identity *to, struct thread *copy,
			 const struct thread *from)
{
	struct thread_more *more;

	copy->history = NULL;
	copy->has_more = false;
	if (!from->has_more) {
		if (from->history && identity_history(to, copy))
			*copy->history = *from->history;
		return !from->history || copy->history;
	}
	more = identity_more(to, copy);
	if (!more)
		return false;
	*more = *thread_more(from);
	more->name = copy_text(to, more->name);
	return true;
}

static struct thread *copy_thread(const struct copies *copies, struct identity *to,
				  const struct thread *from)
{
	struct thread *copy = identity_list(to);

	if (!copy)
		return NULL;
	*copy = *from;
	copy->thread_id = ++to->last_thread_id;
	copy->process = from->process ? *process_copy(copies, from->process) : NULL;
	to->thread_count++;
	return copy_history(to, copy, from) ? copy : NULL;
}

/* The newest incarnation from this one on that remains; *count: how many do. */
static struct thread *copy_of_newest(const struct copies *copies,
				     const struct thread *from, uint32_t *count)
{
	struct thread *newest = NULL;

	*count = 0;
	for (; from; from = thread_history(from)->older) {
		if (!copy_of(copies, from))
			continue;
		if (!newest)
			newest = copy_of(copies, from);
		++*count;
	}
	return newest;
}

static bool copy_space(const struct copies *copies, struct tid_space *to,
		       struct arena *arena, const struct tid_space *from)
{
	const struct thread *thread;
	uint64_t at = 0;
	int64_t tid;

	while ((thread = tid_space_next(from, &at, &tid)) != NULL) {
		uint32_t count;
		struct thread *newest = copy_of_newest(copies, thread, &count);

		if (!newest)
			continue;
		newest->incarnations = (uint16_t)count;
		if (!tid_space_put(to, arena, tid, newest))
			return false;
	}
	return true;
}

/* Pointers between copies, which all exist now. */
static void link_copies(const struct copies *copies, struct identity *to,
			const struct identity *from)
{
	uint32_t count;

	for (size_t i = 0; i < from->listed; i++) {
		const struct thread *t = identity_at(from, i);

		if (copies->of[i] && t->history)
			copies->of[i]->history->older =
				copy_of_newest(copies, t->history->older, &count);
	}
	for (struct process *p = to->processes; p; p = p->next)
		p->main = copy_of(copies, p->main);
	for (size_t i = 0; i < to->idle_count; i++)
		to->idle[i] = copy_of(copies, to->idle[i]);
	to->outside = copy_of(copies, from->outside);
	if (from->idle_process)
		to->idle_process = *process_copy(copies, from->idle_process);
	if (from->outside_process)
		to->outside_process = *process_copy(copies, from->outside_process);
	if (from->unknown_process)
		to->unknown_process = *process_copy(copies, from->unknown_process);
}

static bool copy_kept(const struct copies *copies, struct identity *to,
		      const struct identity *from)
{
	for (const struct process *p = from->processes; p; p = p->next) {
		struct process **copy = process_copy(copies, p);

		if (!*copy)
			continue;
		*copy = copy_process(to, p);
		if (!*copy)
			return false;
	}
	for (size_t i = 0; i < from->listed; i++) {
		if (!copies->of[i])
			continue;
		copies->of[i] = copy_thread(copies, to, identity_at(from, i));
		if (!copies->of[i])
			return false;
	}
	return copy_space(copies, &to->recorder_space, &to->arena,
			  &from->recorder_space) &&
	       copy_space(copies, &to->machine_space, &to->arena, &from->machine_space) &&
	       !to->out_of_memory;
}

/* Copies what belongs to the trace, not to threads; ids restart. */
static void begin_copy(struct identity *to, const struct identity *from)
{
	*to = *from;
	to->arena = (struct arena){ NULL };
	to->recorder_space = to->machine_space = (struct tid_space){ .pages = NULL };
	to->pages = NULL;
	to->page_room = 0;
	to->listed = 0;
	to->processes = NULL;
	to->processes_tail = &to->processes;
	to->last_thread_id = identity_at(from, 0)->thread_id - 1;
	to->last_process_id =
		from->processes ? from->processes->process_id - 1 : from->last_process_id;
	to->thread_count = 0;
	to->name_bytes = 0;
}

/* --- who refers to threads --- */

static void move(const struct copies *copies, struct thread **thread)
{
	*thread = copy_of(copies, *thread);
}

static void move_on_cpus(const struct copies *copies, struct chains *chains)
{
	for (size_t i = 0; i < chains->cpu_count; i++) {
		struct cpu_state *cpu = chains->cpus[i];

		if (!cpu)
			continue;
		move(copies, &cpu->prev);
		move(copies, &cpu->next);
		move(copies, &cpu->before_thread);
		move(copies, &cpu->before_read);
	}
	for (size_t i = 0; i < chains->stream_count; i++) {
		struct stream *stream = chains->streams[i];

		if (!stream)
			continue;
		move(copies, &stream->thread);
		if (stream->edges)
			move(copies, &stream->edges->thread);
	}
}

static bool copy_cgroups(const struct copies *copies, struct cgroups *to,
			 const struct cgroups *from, const struct identity *old)
{
	cgroups_begin(to);
	for (size_t i = 0; i < old->listed; i++) {
		const struct thread *copy = copies->of[i];
		int64_t cgroup_id =
			copy ? cgroups_get(from, identity_at(old, i)->thread_id) : 0;

		if (cgroup_id)
			(void)cgroups_set(to, copy->thread_id, cgroup_id);
	}
	return !to->out_of_memory;
}

/* --- forgetting --- */

static void release(struct identity *identity)
{
	tid_space_release(&identity->recorder_space);
	tid_space_release(&identity->machine_space);
	free(identity->pages);
	arena_release(&identity->arena);
}

/* The tails of lists of the copy point into it, so it is made in place. */
static bool copy_all(const struct copies *copies, struct identity *identity,
		     const struct identity *old, struct cgroups *cgroups)
{
	struct cgroups places;

	begin_copy(identity, old);
	if (!copy_kept(copies, identity, old))
		return false;
	if (!copy_cgroups(copies, &places, cgroups, old)) {
		cgroups_end(&places);
		return false;
	}
	cgroups_end(cgroups);
	*cgroups = places;
	cgroups->changes_tail = &cgroups->changes;
	return true;
}

/* Nothing refers to the copy before it is whole; where it fails, nothing more is read. */
static bool replace_by_copy(const struct copies *copies, struct identity *identity,
			    struct chains *chains, struct cgroups *cgroups)
{
	struct identity old = *identity;

	if (!adopt_children(copies, identity) ||
	    !copy_all(copies, identity, &old, cgroups)) {
		release(identity);
		*identity = old;
		return false;
	}
	link_copies(copies, identity, &old);
	move_on_cpus(copies, chains);
	identity->forget_at = 2 * identity->thread_count;
	release(&old);
	return true;
}

static bool begin_copies(struct copies *copies, const struct identity *identity)
{
	const struct process *first = identity->processes;
	size_t processes =
		first ? (size_t)(identity->last_process_id - first->process_id) + 1 : 1;

	*copies = (struct copies){
		.of = memory_alloc_zeroed(identity->listed, sizeof(struct thread *)),
		.first_id = identity_at(identity, 0)->thread_id,
		.processes = memory_alloc_zeroed(processes, sizeof(struct process *)),
		.first_process_id = first ? first->process_id : 0,
	};
	return copies->of && copies->processes;
}

void forget_ended(struct identity *identity, struct chains *chains,
		  struct cgroups *cgroups, int64_t before_ns)
{
	struct copies copies;

	if (identity->processes_apart || !identity->listed ||
	    identity->thread_count < identity->forget_at ||
	    identity->thread_count < FORGET_MIN)
		return;
	if (begin_copies(&copies, identity) && chains_forget_tasks(chains, before_ns)) {
		keep_living(&copies, identity, before_ns);
		keep_on_cpus(&copies, chains);
		keep_processes(&copies, identity);
		if (!replace_by_copy(&copies, identity, chains, cgroups))
			identity->out_of_memory = true;
	} else {
		identity->out_of_memory = true;
	}
	free(copies.of);
	free(copies.processes);
}
