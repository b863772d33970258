/*
 * forget.c - copies the threads and processes that remain, and frees all others at once.
 *
 * Threads are in an arena, from which nothing is freed alone.  A copy is made when there
 * are twice as many threads as the last one left: its cost is constant for each thread.
 */
#include "attribution/forget.h"

/* Fewer are not worth a copy. */
#define FORGET_MIN 256
/* Ancestors that are looked at; numbers that were reused can make a circle. */
#define ANCESTORS_MAX 1024

/* --- what remains: a thread that does has `moved`, first to itself --- */

static void keep(struct thread *thread)
{
	if (thread)
		thread->moved = thread;
}

static void keep_living(struct identity *identity, int64_t before_ns)
{
	for (struct thread *t = identity->threads; t; t = identity_next(t)) {
		bool has_ended = t->idle_cpu == INT_NONE && t != identity->outside &&
				 t->end_ns != INT_NONE && t->end_ns < before_ns;

		t->moved = has_ended ? NULL : t;
	}
}

static void keep_on_cpus(struct chains *chains)
{
	for (size_t i = 0; i < chains->cpu_count; i++) {
		struct cpu_state *cpu = chains->cpus[i];

		if (!cpu)
			continue;
		keep(cpu->prev);
		keep(cpu->next);
		keep(cpu->before_thread);
		keep(cpu->before_read);
	}
	for (size_t i = 0; i < chains->stream_count; i++) {
		struct stream *stream = chains->streams[i];

		if (!stream)
			continue;
		keep(stream->thread);
		if (stream->edges)
			keep(stream->edges->thread);
	}
}

/* A process remains with its threads, and its main thread with it. */
static void keep_processes(struct identity *identity)
{
	struct process *const always[] = { identity->idle_process,
					   identity->outside_process,
					   identity->unknown_process };

	for (struct process *p = identity->processes; p; p = p->next)
		p->moved = NULL;
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (always[i])
			always[i]->moved = always[i];
	for (struct thread *t = identity->threads; t; t = identity_next(t))
		if (t->moved && t->process)
			t->process->moved = t->process;
	for (struct process *p = identity->processes; p; p = p->next)
		if (p->moved)
			keep(p->main);
}

static bool adopt_children(struct identity *identity)
{
	struct map by_pid = { NULL, 0, 0 };
	bool ok = true;

	for (struct process *p = identity->processes; p && ok; p = p->next)
		ok = map_put(&by_pid, (uint64_t)p->pid, p);
	for (struct process *p = identity->processes; p && ok; p = p->next) {
		const struct process *parent = p;

		for (int i = 0; i < ANCESTORS_MAX && parent && p->moved; i++) {
			parent = map_get(&by_pid, (uint64_t)parent->parent_pid);
			if (!parent || !parent->moved)
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

static bool copy_process(struct identity *to, struct process *from)
{
	struct process *copy = arena_alloc(&to->arena, sizeof(*copy));

	if (!copy)
		return false;
	*copy = *from;
	copy->process_id = ++to->last_process_id;
	copy->name = copy_text(to, from->name);
	copy->command = copy_text(to, from->command);
	copy->next = NULL;
	*to->processes_tail = copy;
	to->processes_tail = &copy->next;
	from->moved = copy;
	return true;
}

static bool copy_thread(struct identity *to, struct thread *from)
{
	struct thread *copy = arena_alloc_line(&to->arena, sizeof(*copy));

	if (!copy)
		return false;
	*copy = *from;
	copy->thread_id = ++to->last_thread_id;
	copy->name = copy_text(to, from->name);
	copy->process = from->process ? from->process->moved : NULL;
	identity_list(to, copy);
	to->thread_count++;
	from->moved = copy;
	return true;
}

/* The newest incarnation from this one on that remains; *count: how many do. */
static struct thread *copy_of_newest(const struct thread *from, uint32_t *count)
{
	struct thread *newest = NULL;

	*count = 0;
	for (; from; from = from->older) {
		if (!from->moved)
			continue;
		if (!newest)
			newest = from->moved;
		++*count;
	}
	return newest;
}

static bool copy_space(struct tid_space *to, struct arena *arena,
		       const struct tid_space *from)
{
	const struct thread *thread;
	uint64_t at = 0;
	int64_t tid;

	while ((thread = tid_space_next(from, &at, &tid)) != NULL) {
		uint32_t count;
		struct thread *newest = copy_of_newest(thread, &count);

		if (!newest)
			continue;
		newest->incarnations = (uint16_t)count;
		if (!tid_space_put(to, arena, tid, newest))
			return false;
	}
	return true;
}

/* Pointers between copies, which all exist now. */
static void link_copies(struct identity *to, const struct identity *from)
{
	uint32_t count;

	for (const struct thread *t = from->threads; t; t = identity_next(t))
		if (t->moved)
			t->moved->older = copy_of_newest(t->older, &count);
	for (const struct process *p = from->processes; p; p = p->next)
		if (p->moved && p->main)
			p->moved->main = p->main->moved;
	for (size_t i = 0; i < to->idle_count; i++)
		if (to->idle[i])
			to->idle[i] = to->idle[i]->moved;
	if (from->outside)
		to->outside = from->outside->moved;
	if (from->idle_process)
		to->idle_process = from->idle_process->moved;
	if (from->outside_process)
		to->outside_process = from->outside_process->moved;
	if (from->unknown_process)
		to->unknown_process = from->unknown_process->moved;
}

static bool copy_kept(struct identity *to, const struct identity *from)
{
	for (struct process *p = from->processes; p; p = p->next)
		if (p->moved && !copy_process(to, p))
			return false;
	for (struct thread *t = from->threads; t; t = identity_next(t))
		if (t->moved && !copy_thread(to, t))
			return false;
	return copy_space(&to->recorder_space, &to->arena, &from->recorder_space) &&
	       copy_space(&to->machine_space, &to->arena, &from->machine_space) &&
	       !to->out_of_memory;
}

/* What is of the trace and not of a thread stays; ids begin again. */
static void begin_copy(struct identity *to, const struct identity *from)
{
	*to = *from;
	to->arena = (struct arena){ NULL };
	to->recorder_space = to->machine_space = (struct tid_space){ .pages = NULL };
	to->threads = NULL;
	to->processes = NULL;
	to->listed = 0;
	memset(to->latest, 0, sizeof(to->latest));
	to->threads_tail = &to->threads;
	to->processes_tail = &to->processes;
	to->last_thread_id = from->threads->thread_id - 1;
	to->last_process_id =
		from->processes ? from->processes->process_id - 1 : from->last_process_id;
	to->thread_count = 0;
	to->name_bytes = 0;
}

/* --- who refers to threads --- */

static void move(struct thread **thread)
{
	if (*thread)
		*thread = (*thread)->moved;
}

static void move_on_cpus(struct chains *chains)
{
	for (size_t i = 0; i < chains->cpu_count; i++) {
		struct cpu_state *cpu = chains->cpus[i];

		if (!cpu)
			continue;
		move(&cpu->prev);
		move(&cpu->next);
		move(&cpu->before_thread);
		move(&cpu->before_read);
	}
	for (size_t i = 0; i < chains->stream_count; i++) {
		struct stream *stream = chains->streams[i];

		if (!stream)
			continue;
		move(&stream->thread);
		if (stream->edges)
			move(&stream->edges->thread);
	}
}

static bool copy_cgroups(struct cgroups *to, const struct cgroups *from,
			 const struct identity *old)
{
	cgroups_begin(to);
	for (const struct thread *t = old->threads; t; t = t->next) {
		int64_t cgroup_id = t->moved ? cgroups_get(from, t->thread_id) : 0;

		if (cgroup_id)
			(void)cgroups_set(to, t->moved->thread_id, cgroup_id);
	}
	return !to->out_of_memory;
}

/* --- the whole --- */

static void release(struct identity *identity)
{
	tid_space_release(&identity->recorder_space);
	tid_space_release(&identity->machine_space);
	arena_release(&identity->arena);
}

/* The tails of lists of the copy point into it, so it is made in place. */
static bool copy_all(struct identity *identity, const struct identity *old,
		     struct cgroups *cgroups)
{
	struct cgroups places;

	begin_copy(identity, old);
	if (!copy_kept(identity, old))
		return false;
	if (!copy_cgroups(&places, cgroups, old)) {
		cgroups_end(&places);
		return false;
	}
	cgroups_end(cgroups);
	*cgroups = places;
	cgroups->changes_tail = &cgroups->changes;
	return true;
}

void forget_ended(struct identity *identity, struct chains *chains,
		  struct cgroups *cgroups, int64_t before_ns)
{
	struct identity old;

	if (identity->processes_apart || !identity->threads ||
	    identity->thread_count < identity->forget_at ||
	    identity->thread_count < FORGET_MIN)
		return;
	if (!chains_forget_tasks(chains, before_ns)) {
		identity->out_of_memory = true;
		return;
	}
	keep_living(identity, before_ns);
	keep_on_cpus(chains);
	keep_processes(identity);
	old = *identity;
	if (!adopt_children(identity) || !copy_all(identity, &old, cgroups)) {
		/* Nothing refers to the copy yet, and nothing more is read. */
		release(identity);
		*identity = old;
		identity->out_of_memory = true;
		return;
	}
	link_copies(identity, &old);
	move_on_cpus(chains);
	identity->forget_at = 2 * identity->thread_count;
	release(&old);
}
