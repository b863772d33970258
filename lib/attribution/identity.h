/*
 * identity.h - finds the process or thread that a pid or tid denoted at a given time.
 *
 * Numbers are reused, so a thread or process is one *incarnation* of a number: (number,
 * start).  Facts arrive in file order, which is not time order across CPUs.  So
 * incarnations have times and are looked up by time, and late facts (a FORK after the
 * first switches of its child, a process known only from its threads) are bound late.
 *
 * Two number spaces: the tracepoint's tids are the machine's, the tids of COMM, FORK,
 * EXIT and of samples are translated to the recorder's PID namespace.  They are one space
 * until a sample shows that they differ (identity_split_spaces()).
 *
 * Where pids name only processes (Windows), a process has incarnations of its own, kept
 * like a thread's but not listed; elsewhere its incarnation is that of its main thread.
 */
#ifndef PERFTAB_IDENTITY_H
#define PERFTAB_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "attribution/tid_space.h"
#include "base/prefetch.h"
#include "model/record.h"

/* Maximum of incarnations: bounds memory when every record names another tid. */
#define THREADS_MAX (1u << 20)

/* Maximum of incarnations of a number; later ones join the last.  Bounds searches. */
#define INCARNATIONS_MAX 1024

/* Maximum of bytes of all names of a trace; beyond it names no longer change. */
#define NAMES_BYTES_MAX ((size_t)64 << 20)

/* Members that few processes need. */
struct process_more {
	struct str name;    /* if the main thread has none; ptr NULL: unknown */
	struct str command; /* ptr NULL: not known */
	int64_t command_ns; /* time when `command` was read */
};

struct process {
	int64_t process_id;
	int64_t pid;
	int64_t parent_pid;	   /* or INT_NONE */
	struct thread *main;	   /* NULL: idle, and processes without one */
	struct process *next;	   /* in order of process_id */
	struct process_more *more; /* or NULL */
};

/*
 * Members that a thread needs once it ends, gets a name by a record, or its number is
 * used again.
 */
struct thread_history {
	int64_t end_ns;	  /* INT_NONE: outlived the recording, or not known */
	int64_t gone_ns;  /* switched out for the last time, or INT_NONE */
	int64_t named_ns; /* time of its name: the latest counts, not the last in file */
	struct thread *older; /* the incarnation before this one */
};

/* Members that few threads need. */
struct thread_more {
	struct thread_history history; /* the first member */
	struct str name;	       /* if not in `comm`; ptr NULL: unknown */
	int64_t unseen_leaves; /* intervals after it that begin with its switch in */
	int64_t recorder_tid;  /* in the recorder's numbers; INT_NONE: the same */
	int64_t recorder_pid;  /* likewise */
	int64_t idle_cpu;      /* the CPU of an idle thread; INT_NONE: other threads */
	int64_t tid;	       /* if is_wide */
};

/*
 * One cache line, which holds all that a switch reads of a thread, and mostly all of it:
 * where there are many threads, it comes from memory.
 */
struct thread {
	int64_t start_ns; /* INT_NONE: before the recording, or not known */
	int64_t seen_ns;  /* first time seen, INT_NONE: only named */
	int64_t thread_id;
	struct process *process;	/* NULL until known */
	struct thread_history *history; /* NULL: that of thread_more_none */
	char comm[16];			/* the tracepoint's name; see comm_is_name */
	int32_t tid;			/* see thread_tid() */
	uint16_t incarnations;		/* of this number so far; only in its newest */
	bool is_wide : 1;		/* the tid is in struct thread_more */
	bool is_idle : 1;
	bool has_more : 1;     /* the history is that of a struct thread_more */
	bool is_gone : 1;      /* history->gone_ns is known */
	bool named : 1;	       /* by a COMM record, which beats a tracepoint's comm */
	bool comm_is_name : 1; /* false: the name is in struct thread_more */
	bool verified : 1;     /* a sample's own tid agreed with the tracepoint's */
	bool in_doubt : 1;     /* its number was reused unseen: its owner is unknown */
	bool has_left : 1;     /* a switch out of it was recorded */
	bool is_settled : 1;   /* for chain_run.c: verified, and its process is known */
};

/* The members of a thread without a struct thread_more. */
extern const struct thread_more thread_more_none;

static inline const struct thread_history *thread_history(const struct thread *thread)
{
	return thread->history ? thread->history : &thread_more_none.history;
}

static inline const struct thread_more *thread_more(const struct thread *thread)
{
	return thread->has_more ? (const struct thread_more *)thread->history
				: &thread_more_none;
}

static inline int64_t thread_tid(const struct thread *thread)
{
	return thread->is_wide ? thread_more(thread)->tid : thread->tid;
}

/* Returns the name of a thread; ptr NULL: unknown. */
static inline struct str thread_name(const struct thread *thread)
{
	if (!thread->comm_is_name)
		return thread_more(thread)->name;
	return (struct str){ thread->comm, strnlen(thread->comm, sizeof(thread->comm)) };
}

/* Returns the name of its main thread, else its own; ptr NULL: unknown. */
static inline struct str process_name(const struct process *process)
{
	struct str name = process->main ? thread_name(process->main) : STR_NONE;

	return name.ptr || !process->more ? name : process->more->name;
}

/* Threads of a page, side by side in order of their ids. */
#define THREAD_PAGE BUFFER_SIZE(64, 4)

struct identity {
	struct arena arena;
	struct tid_space recorder_space; /* the newest incarnation of a tid */
	struct tid_space machine_space;	 /* used once the spaces differ */
	struct tid_space process_space;	 /* used where processes are apart */
	bool processes_apart;		 /* pids are not tids: set it at the start */
	bool spaces_differ;
	struct thread **idle; /* by CPU */
	size_t idle_count;
	struct process *idle_process;
	struct process *unknown_process; /* apart: of threads without a known one */
	bool machine_names_idle; /* a tracepoint names idle by the machine's number 0 */
	bool has_outside;	 /* there are tasks of outside.h */
	struct process *outside_process;
	struct thread *outside;
	struct thread **pages; /* each THREAD_PAGE threads: see identity_at() */
	size_t page_room;
	uint32_t listed; /* threads in pages */
	struct process *processes, **processes_tail;
	int64_t last_thread_id; /* ids continue across traces of an output */
	int64_t last_process_id;
	uint32_t thread_count; /* of this trace */
	uint32_t forget_at;    /* forget.c: threads that make a copy worthwhile */
	size_t name_bytes;     /* at most NAMES_BYTES_MAX */
	bool limit_reached;    /* THREADS_MAX was reached */
	bool out_of_memory;
};

/* Starts a trace; ids continue where the last trace ended. */
void identity_begin(struct identity *identity);
/* Frees all data of the trace. */
void identity_end(struct identity *identity);

/* Returns a listed thread; ids are in this order, without gaps. */
static inline struct thread *identity_at(const struct identity *identity, size_t number)
{
	return &identity->pages[number / THREAD_PAGE][number % THREAD_PAGE];
}

/* Returns the process of the thread of a later turn of a loop; NULL: none. */
static inline const struct process *identity_process_ahead(
	const struct identity *identity, size_t number)
{
	return number < identity->listed ? identity_at(identity, number)->process : NULL;
}

/* Appends a zeroed thread; NULL: out of memory. */
struct thread *identity_list(struct identity *identity);
/* Return members to change; NULL: out of memory.  identity_more() moves the history. */
struct thread_history *identity_history(struct identity *identity, struct thread *thread);
struct thread_more *identity_more(struct identity *identity, struct thread *thread);
struct process_more *identity_process_more(struct identity *identity,
					   struct process *process);

/* Handle records of tasks.  Out of memory sets out_of_memory. */
struct thread *identity_comm(struct identity *identity,
			     const struct task_comm_event *comm);
struct thread *identity_fork(struct identity *identity,
			     const struct task_fork_event *fork, struct thread **parent);
struct thread *identity_exit(struct identity *identity,
			     const struct task_exit_event *exit);
/* The owner of an id is in doubt from from_ns to to_ns, and another one after that. */
void identity_hand_over(struct identity *identity, const struct task_handed_event *event);
/* Sets the command line of a process; the latest in time is kept. */
void identity_command(struct identity *identity, const struct task_command_event *event);
/* Handles a process; only where processes are apart. */
void identity_process(struct identity *identity, const struct task_process_event *event);

/* Returns the thread `tid` in the recorder's numbers at ts_ns, created if unknown. */
struct thread *identity_thread(struct identity *identity, int64_t tid, int64_t ts_ns);
/* As identity_thread(), but NULL if it is unknown; changes nothing. */
struct thread *identity_known_thread(const struct identity *identity, int64_t tid,
				     int64_t ts_ns);
/* As identity_thread(), in the machine's numbers. */
struct thread *identity_find_machine_thread(struct identity *identity, int64_t tid,
					    int64_t ts_ns);
/* Returns whether each task has one number for both the machine and the recorder. */
static inline bool identity_is_one_space(const struct identity *identity)
{
	return !identity->spaces_differ && !identity->has_outside;
}
static inline const struct tid_space *identity_machine(const struct identity *identity)
{
	return identity->spaces_differ ? &identity->machine_space
				       : &identity->recorder_space;
}
static inline struct thread *identity_machine_thread(struct identity *identity,
						     int64_t tid, int64_t ts_ns)
{
	struct thread *newest = tid_space_get(identity_machine(identity), tid);

	/* INT_NONE is less than any time. */
	if (newest && newest->start_ns <= ts_ns && !newest->is_gone &&
	    newest->seen_ns <= ts_ns && newest->seen_ns != INT_NONE)
		return newest;
	return identity_find_machine_thread(identity, tid, ts_ns);
}
/* From here on threads and their books do not stay in the cache. */
#define MANY_THREADS 4096
static inline bool identity_has_many(const struct identity *identity)
{
	return identity->thread_count >= MANY_THREADS;
}
/* Prefetch a thread that is needed soon: first its place, later the thread itself. */
static inline void identity_fetch_place(const struct identity *identity, int64_t tid)
{
	struct thread *const *newest = tid_space_place(identity_machine(identity), tid);

	if (newest)
		prefetch(newest, sizeof(*newest));
}
static inline void identity_fetch_thread(const struct identity *identity, int64_t tid)
{
	struct thread *const *newest = tid_space_place(identity_machine(identity), tid);

	if (newest && *newest)
		prefetch(*newest, sizeof(**newest));
}
struct thread *identity_idle(struct identity *identity, int64_t cpu);

/* Records that a sample of this thread had this process id. */
void identity_learn_process(struct identity *identity, struct thread *thread, int64_t pid,
			    int64_t ts_ns);
/* Records a thread's name in a tracepoint; the text may be padded with NULs. */
void identity_new_comm(struct identity *identity, struct thread *thread,
		       struct str padded);
static inline void identity_learn_comm(struct identity *identity, struct thread *thread,
				       struct str padded)
{
	/* Called at every switch; mostly the name is unchanged. */
	if (!thread->named &&
	    !(padded.len == sizeof(thread->comm) &&
	      memcmp(padded.ptr, thread->comm, sizeof(thread->comm)) == 0))
		identity_new_comm(identity, thread, padded);
}
/* Makes the machine's numbers a space of their own from here on. */
void identity_split_spaces(struct identity *identity);

/*
 * For outside.c and identity_bind.c: make an incarnation that no lookup finds, and a
 * process without a main thread.
 */
struct thread *identity_new_thread(struct identity *identity,
				   const struct tid_space *space, int64_t tid);
struct process *identity_new_process(struct identity *identity, int64_t pid,
				     struct str name);

/* Makes the process of a main thread, which names it. */
struct process *identity_main_process(struct identity *identity, struct thread *main,
				      int64_t pid);

/* End of the trace: every thread gets its process, every process its name. */
void identity_bind(struct identity *identity);

#endif
