/* identity.c - processes and threads by number and start, bound as facts arrive. */
#include "attribution/identity.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

void identity_begin(struct identity *identity)
{
	int64_t thread_id = identity->last_thread_id;
	int64_t process_id = identity->last_process_id;

	*identity = (struct identity){ .last_thread_id = thread_id,
				       .last_process_id = process_id };
	identity->processes_tail = &identity->processes;
}

void identity_end(struct identity *identity)
{
	tid_space_release(&identity->recorder_space);
	tid_space_release(&identity->machine_space);
	tid_space_release(&identity->process_space);
	free(identity->idle);
	free(identity->pages);
	arena_release(&identity->arena);
	identity_begin(identity);
}

/* --- creating incarnations --- */

static struct thread *new_page(struct identity *identity, size_t at)
{
	if (!ARRAY_GROW(identity->pages, identity->page_room, at))
		return NULL;
	identity->pages[at] =
		arena_alloc_line(&identity->arena, THREAD_PAGE * sizeof(struct thread));
	return identity->pages[at];
}

struct thread *identity_list(struct identity *identity)
{
	if (identity->listed % THREAD_PAGE == 0 &&
	    !new_page(identity, identity->listed / THREAD_PAGE)) {
		identity->out_of_memory = true;
		return NULL;
	}
	return identity_at(identity, identity->listed++);
}

static bool set_tid(struct identity *identity, struct thread *thread, int64_t tid)
{
	struct thread_more *more;

	thread->tid = (int32_t)tid;
	if (thread->tid == tid)
		return true;
	more = identity_more(identity, thread);
	if (!more)
		return false;
	more->tid = tid;
	thread->is_wide = true;
	return true;
}

/* An incarnation of a number; those of processes are not threads and stay unlisted. */
struct thread *identity_new_thread(struct identity *identity,
				   const struct tid_space *space, int64_t tid)
{
	bool is_process = space == &identity->process_space;
	struct thread *thread;

	if (identity->thread_count >= THREADS_MAX) {
		identity->limit_reached = true;
		return NULL;
	}
	thread = is_process ? arena_alloc_line(&identity->arena, sizeof(*thread))
			    : identity_list(identity);
	if (!thread) {
		identity->out_of_memory = true;
		return NULL;
	}
	thread->start_ns = thread->seen_ns = INT_NONE;
	if (!is_process)
		thread->thread_id = ++identity->last_thread_id;
	if (!set_tid(identity, thread, tid))
		return NULL;
	identity->thread_count++;
	return thread;
}

struct process *identity_new_process(struct identity *identity, int64_t pid,
				     struct str name)
{
	struct process *process = arena_alloc(&identity->arena, sizeof(*process));

	if (!process || (name.ptr && !identity_process_more(identity, process))) {
		identity->out_of_memory = true;
		return NULL;
	}
	process->process_id = ++identity->last_process_id;
	process->pid = pid;
	process->parent_pid = INT_NONE;
	if (name.ptr)
		process->more->name = name;
	*identity->processes_tail = process;
	identity->processes_tail = &process->next;
	return process;
}

struct process *identity_main_process(struct identity *identity, struct thread *main,
				      int64_t pid)
{
	struct process *process = identity_new_process(identity, pid, STR_NONE);

	if (process)
		process->main = main;
	return process;
}

/*
 * Incarnations of a number are kept newest first; those without a start precede all
 * others.
 */
static bool starts_before(const struct thread *thread, int64_t start_ns)
{
	return thread->start_ns == INT_NONE || thread->start_ns <= start_ns;
}

/* False: out of memory. */
static bool put_before(struct identity *identity, struct thread *newer,
		       struct thread *older)
{
	struct thread_history *history = identity_history(identity, newer);

	if (history)
		history->older = older;
	return history != NULL;
}

/* Adds an incarnation of tid in `space`; INT_NONE: the newest, start unknown. */
static struct thread *new_incarnation(struct identity *identity, struct tid_space *space,
				      int64_t tid, int64_t start_ns)
{
	struct thread *newer = tid_space_get(space, tid);
	struct thread *thread, *older;

	if (newer && newer->incarnations >= INCARNATIONS_MAX)
		return newer;
	thread = identity_new_thread(identity, space, tid);
	if (!thread)
		return NULL;
	thread->incarnations = newer ? (uint16_t)(newer->incarnations + 1) : 1;
	if (newer)
		newer->incarnations++; /* it may stay the newest */
	thread->start_ns = start_ns;
	if (!newer || start_ns == INT_NONE || starts_before(newer, start_ns)) {
		if (newer && !put_before(identity, thread, newer))
			return NULL;
		if (!tid_space_put(space, &identity->arena, tid, thread)) {
			identity->out_of_memory = true;
			return NULL;
		}
		return thread;
	}
	while ((older = thread_history(newer)->older) != NULL &&
	       !starts_before(older, start_ns))
		newer = older;
	if ((older && !put_before(identity, thread, older)) ||
	    !put_before(identity, newer, thread))
		return NULL;
	return thread;
}

/* --- finding the incarnation of a number at a time --- */

/* The newest incarnation started by ts_ns, or NULL; *later is the oldest one after it. */
static struct thread *known_incarnation(const struct tid_space *space, int64_t tid,
					int64_t ts_ns, struct thread **later)
{
	struct thread *thread = tid_space_get(space, tid);

	*later = NULL;
	while (thread && thread->start_ns != INT_NONE && thread->start_ns > ts_ns) {
		*later = thread;
		thread = thread_history(thread)->older;
	}
	return thread;
}

/*
 * The incarnation at ts_ns, created if there is none.  One that was switched out for the
 * last time before ts_ns has ended: the number then belongs to a new one, whose FORK may
 * come later in the file.
 */
static struct thread *incarnation_at(struct identity *identity, struct tid_space *space,
				     int64_t tid, int64_t ts_ns)
{
	struct thread *later;
	struct thread *thread = known_incarnation(space, tid, ts_ns, &later);

	if (!thread && later) {
		thread = identity_new_thread(identity, space, tid);
		if (thread && !put_before(identity, later, thread))
			return NULL;
	} else if (!thread ||
		   (!later && thread->is_gone && thread->history->gone_ns < ts_ns)) {
		thread = new_incarnation(identity, space, tid, INT_NONE);
	}
	if (thread && (thread->seen_ns == INT_NONE || ts_ns < thread->seen_ns))
		thread->seen_ns = ts_ns;
	return thread;
}

struct thread *identity_thread(struct identity *identity, int64_t tid, int64_t ts_ns)
{
	return incarnation_at(identity, &identity->recorder_space, tid, ts_ns);
}

struct thread *identity_known_thread(const struct identity *identity, int64_t tid,
				     int64_t ts_ns)
{
	struct thread *later;
	struct thread *thread =
		known_incarnation(&identity->recorder_space, tid, ts_ns, &later);

	return thread ? thread : later;
}

struct thread *identity_find_machine_thread(struct identity *identity, int64_t tid,
					    int64_t ts_ns)
{
	return incarnation_at(identity,
			      identity->spaces_differ ? &identity->machine_space
						      : &identity->recorder_space,
			      tid, ts_ns);
}

/* --- facts --- */

/* The number space of processes. */
static struct tid_space *pid_space(struct identity *identity)
{
	return identity->processes_apart ? &identity->process_space
					 : &identity->recorder_space;
}

/* The process of `pid` at ts_ns, through its main thread or its own incarnation. */
static struct process *process_at(struct identity *identity, int64_t pid, int64_t ts_ns)
{
	struct tid_space *space = pid_space(identity);
	struct thread *later;
	struct thread *main = known_incarnation(space, pid, ts_ns, &later);

	/* A main thread may end before its process: it still identifies it. */
	if (!main)
		main = incarnation_at(identity, space, pid, ts_ns);
	if (main && !main->process && !main->in_doubt)
		main->process = identity_main_process(identity, main, pid);
	return main ? main->process : NULL;
}

void identity_learn_process(struct identity *identity, struct thread *thread, int64_t pid,
			    int64_t ts_ns)
{
	if (thread->process || pid <= 0 || thread->in_doubt)
		return;
	if (pid == thread_tid(thread) && !identity->processes_apart)
		thread->process = identity_main_process(identity, thread, pid);
	else
		thread->process = process_at(identity, pid, ts_ns);
}

/* False: it has no room there. */
static bool put_in_comm(struct thread *thread, struct str name)
{
	if (name.len > sizeof(thread->comm) || strnlen(name.ptr, name.len) < name.len)
		return false;
	memset(thread->comm, 0, sizeof(thread->comm));
	memcpy(thread->comm, name.ptr, name.len);
	thread->comm_is_name = true;
	return true;
}

static void set_name(struct identity *identity, struct thread *thread, struct str name)
{
	struct str known = thread_name(thread);
	struct thread_more *more;

	if (!name.ptr || (known.ptr && str_equal(known, name)))
		return;
	if (identity->name_bytes > NAMES_BYTES_MAX) {
		identity->limit_reached = true;
		return;
	}
	name = text_valid_utf8(&identity->arena, name);
	identity->name_bytes += name.len;
	more = identity_more(identity, thread);
	if (!name.ptr || !more) {
		identity->out_of_memory = true;
		return;
	}
	more->name = name;
	thread->comm_is_name = false;
}

void identity_new_comm(struct identity *identity, struct thread *thread,
		       struct str padded)
{
	bool is_whole = padded.len == sizeof(thread->comm);
	struct str name = padded;

	if (thread->is_idle || !padded.ptr)
		return;
	name.len = strnlen(padded.ptr, padded.len);
	if (is_whole && text_is_valid(name)) {
		memcpy(thread->comm, padded.ptr, sizeof(thread->comm));
		thread->comm_is_name = true;
		return;
	}
	set_name(identity, thread, name);
	/* Over a limit the name stays, where it is. */
	if (is_whole && !thread->comm_is_name)
		memcpy(thread->comm, padded.ptr, sizeof(thread->comm));
}

struct thread *identity_comm(struct identity *identity,
			     const struct task_comm_event *comm)
{
	/* Files without trailers have no time: the newest incarnation, ended or not. */
	bool timeless = comm->ts_ns == INT_NONE;
	int64_t ts_ns = timeless ? INT64_MAX : comm->ts_ns;
	struct thread *thread = NULL;
	struct thread_history *history;

	if (comm->tid <= 0)
		return NULL;
	if (timeless)
		thread = tid_space_get(&identity->recorder_space, comm->tid);
	if (!thread)
		thread = identity_thread(identity, comm->tid, ts_ns);
	if (!thread)
		return NULL;
	identity_learn_process(identity, thread, comm->pid, ts_ns);
	if (thread->named && ts_ns < thread_history(thread)->named_ns)
		return thread;
	if (!comm->name.ptr || !text_is_valid(comm->name) ||
	    !put_in_comm(thread, comm->name))
		set_name(identity, thread, comm->name);
	history = identity_history(identity, thread);
	if (history) {
		thread->named = true;
		history->named_ns = ts_ns;
	}
	return thread;
}

/*
 * A FORK that comes late in the file belongs to the incarnation that samples have already
 * shown, if that has no start of its own and was not seen before the FORK.
 */
static struct thread *forked_incarnation(struct identity *identity,
					 struct tid_space *space, int64_t tid,
					 int64_t ts_ns)
{
	struct thread *newest = tid_space_get(space, tid);

	if (newest && newest->start_ns == INT_NONE &&
	    (newest->seen_ns == INT_NONE || newest->seen_ns >= ts_ns)) {
		newest->start_ns = ts_ns; /* lookups by time still find it */
		return newest;
	}
	return new_incarnation(identity, space, tid, ts_ns);
}

/* A child has its parent's name until it gets one of its own. */
static void inherit_name(struct identity *identity, struct thread *thread,
			 const struct thread *parent)
{
	struct str name = thread_name(parent);

	if (parent->comm_is_name) {
		memcpy(thread->comm, parent->comm, sizeof(thread->comm));
		thread->comm_is_name = true;
	} else if (name.ptr && !put_in_comm(thread, name)) {
		struct thread_more *more = identity_more(identity, thread);

		if (more)
			more->name = name;
	}
}

struct thread *identity_fork(struct identity *identity,
			     const struct task_fork_event *fork, struct thread **parent)
{
	struct thread *thread;

	*parent = NULL;
	if (fork->tid <= 0)
		return NULL;
	if (fork->ts_ns <= 0) /* synthesised: it ran before the recording */
		thread = identity_thread(identity, fork->tid, 0);
	else
		thread = forked_incarnation(identity, &identity->recorder_space,
					    fork->tid, fork->ts_ns);
	if (fork->parent_tid > 0)
		*parent = identity_thread(identity, fork->parent_tid, fork->ts_ns);
	if (!thread)
		return NULL;
	identity_learn_process(identity, thread, fork->pid, fork->ts_ns);
	if (thread->process && thread->process->main == thread)
		thread->process->parent_pid = fork->parent_pid;
	if (!thread_name(thread).ptr && *parent && !identity->processes_apart)
		inherit_name(identity, thread, *parent);
	return thread;
}

struct thread *identity_exit(struct identity *identity,
			     const struct task_exit_event *exit)
{
	struct thread *thread;
	struct thread_history *history;

	if (exit->tid <= 0)
		return NULL;
	thread = identity_thread(identity, exit->tid, exit->ts_ns);
	if (!thread)
		return NULL;
	identity_learn_process(identity, thread, exit->pid, exit->ts_ns);
	history = identity_history(identity, thread);
	if (history)
		history->end_ns = exit->ts_ns;
	return thread;
}

void identity_hand_over(struct identity *identity, const struct task_handed_event *event)
{
	struct tid_space *space =
		event->is_process ? pid_space(identity) : &identity->recorder_space;
	struct thread *doubt = NULL;

	if (event->id <= 0)
		return;
	if (event->from_ns < event->to_ns)
		doubt = new_incarnation(identity, space, event->id, event->from_ns);
	/* Over the limit it is the one before. */
	if (doubt && doubt->start_ns == event->from_ns && !doubt->process)
		doubt->in_doubt = true;
	if (event->to_ns != INT64_MAX)
		(void)new_incarnation(identity, space, event->id, event->to_ns);
}

static void learn_command(struct identity *identity, struct process *process,
			  struct str command)
{
	struct process_more *more;

	if (!command.len || (process->more && process->more->command.ptr))
		return;
	more = identity_process_more(identity, process);
	if (!more)
		return;
	more->command = text_valid_utf8(&identity->arena, command);
	identity->out_of_memory |= !more->command.ptr;
}

void identity_command(struct identity *identity, const struct task_command_event *event)
{
	struct thread *main;
	struct process_more *more;

	if (event->pid <= 0 || event->ts_ns == INT_NONE || identity->processes_apart)
		return;
	main = identity_thread(identity, event->pid, event->ts_ns);
	if (!main)
		return;
	identity_learn_process(identity, main, event->pid, event->ts_ns);
	more = main->process ? identity_process_more(identity, main->process) : NULL;
	if (!more || (more->command.ptr && event->ts_ns < more->command_ns) ||
	    (more->command.ptr && str_equal(more->command, event->command)))
		return;
	if (identity->name_bytes > NAMES_BYTES_MAX) {
		identity->limit_reached = true;
		return;
	}
	identity->name_bytes += event->command.len;
	more->command = STR_NONE;
	more->command_ns = event->ts_ns;
	learn_command(identity, main->process, event->command);
}

void identity_process(struct identity *identity, const struct task_process_event *event)
{
	struct tid_space *space = &identity->process_space;
	struct thread *thread;

	if (event->pid <= 0 || !identity->processes_apart)
		return;
	thread = event->what == PROCESS_STARTED
			 ? forked_incarnation(identity, space, event->pid, event->ts_ns)
			 : incarnation_at(identity, space, event->pid, event->ts_ns);
	if (thread && !thread->process && !thread->in_doubt)
		thread->process = identity_main_process(identity, thread, event->pid);
	if (!thread || !thread->process)
		return;
	if (event->what == PROCESS_ENDED && identity_history(identity, thread))
		thread->history->end_ns = event->ts_ns;
	if (event->parent_pid != INT_NONE)
		thread->process->parent_pid = event->parent_pid;
	if (!thread_name(thread).ptr && event->name.len)
		set_name(identity, thread, event->name);
	learn_command(identity, thread->process, event->command);
}

void identity_split_spaces(struct identity *identity)
{
	if (identity->spaces_differ)
		return;
	identity->spaces_differ = true;
	for (size_t i = 0; i < identity->listed; i++) {
		struct thread *thread = identity_at(identity, i);

		if (thread->verified &&
		    !tid_space_put(&identity->machine_space, &identity->arena,
				   thread_tid(thread), thread))
			identity->out_of_memory = true;
	}
}
