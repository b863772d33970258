/*
 * identity.h - who a pid or tid was at a given time.
 *
 * Numbers are reused, so a thread or process is one *life* of a number: (number, start).
 * Facts arrive in file order, which is not time order across CPUs; lives carry times and
 * are looked up by time, and what is learned late (a FORK behind the first switches of
 * its child, a process known only from its threads) is bound late.
 *
 * Two number spaces: the tracepoint's tids are the machine's, the tids of COMM, FORK,
 * EXIT and of samples are translated to the recorder's PID namespace.  They are one space
 * until a sample shows that they differ (identity_split_spaces()).
 *
 * Where pids name processes alone (Windows), a process has lives of its own, kept like a
 * thread's but listed nowhere; elsewhere its life is that of its main thread.
 */
#ifndef PERFTAB_IDENTITY_H
#define PERFTAB_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

/* Most lives of one trace: bounds memory when every record names another tid. */
#define THREADS_MAX (1u << 20)

/* Most lives of one number; more belong to the last one.  Bounds the search by time. */
#define INCARNATIONS_MAX 1024

/* Of all names of one trace; beyond them names stay what they are. */
#define NAMES_BYTES_MAX ((size_t)64 << 20)

/* A power of two: direct-mapped by tid. */
#define RECENT_THREADS 256

struct process {
	int64_t process_id;
	int64_t pid;
	int64_t parent_pid;   /* or INT_NONE */
	struct thread *main;  /* its life; NULL: only idle and the unknown have none */
	struct str name;      /* set by identity_bind(); ptr NULL: not known */
	struct str command;   /* ptr NULL: not known */
	struct process *next; /* all of them, in order of process_id */
};

struct thread {
	/* What every switch looks at, together: it is mostly not in the cache. */
	int64_t tid;
	int64_t start_ns; /* INT_NONE: before the recording, or not known */
	int64_t gone_ns;  /* switched out for the last time, or INT_NONE */
	int64_t seen_ns;  /* first time seen, INT_NONE: only named */
	char comm[16];	  /* the tracepoint's, when it last became the name */
	int64_t thread_id;
	bool named;    /* by a COMM record, which beats a tracepoint's comm */
	bool verified; /* a sample's own tid agreed with the tracepoint's */

	int64_t recorder_tid; /* as the recorder saw it where that differs, or INT_NONE */
	int64_t recorder_pid; /* likewise */
	int64_t idle_cpu;     /* idle's CPU, or INT_NONE for every other thread */
	int64_t end_ns;	      /* INT_NONE: outlived the recording, or not known */
	struct str name;      /* ptr NULL: not known */
	int64_t named_ns;     /* when; the last one in time counts, not in the file */
	struct process *process; /* NULL until known */
	uint32_t incarnations;	 /* of this number so far, counted in its newest */
	struct thread *older;	 /* the life of the same number before this one */
	struct thread *next;	 /* all of them, in order of thread_id */
};

struct identity {
	struct arena arena;
	struct map recorder_space;	       /* tid -> newest life */
	struct map machine_space;	       /* used once the spaces differ */
	struct map process_space;	       /* used where processes are apart */
	bool processes_apart;		       /* pids are no tids: set it at the start */
	struct thread *recent[RECENT_THREADS]; /* newest lives in the machine's numbers */
	bool spaces_differ;
	struct thread **idle; /* by CPU */
	size_t idle_count;
	struct process *idle_process;
	struct process *unknown_process; /* apart: of threads that nothing binds */
	struct thread *threads, **threads_tail;
	struct process *processes, **processes_tail;
	int64_t last_thread_id; /* ids go on across traces of one output */
	int64_t last_process_id;
	uint32_t thread_count; /* of this trace */
	size_t name_bytes;     /* of NAMES_BYTES_MAX */
	bool limit_reached;    /* THREADS_MAX */
	bool out_of_memory;
};

/* Starts a trace; ids continue where the last trace ended. */
void identity_begin(struct identity *identity);
/* Frees what belongs to the trace. */
void identity_end(struct identity *identity);

/* The facts.  All may fail for lack of memory, which sets out_of_memory. */
struct thread *identity_comm(struct identity *identity,
			     const struct task_comm_event *comm);
struct thread *identity_fork(struct identity *identity,
			     const struct task_fork_event *fork, struct thread **parent);
struct thread *identity_exit(struct identity *identity,
			     const struct task_exit_event *exit);
/* Only where processes are apart. */
void identity_process(struct identity *identity, const struct task_process_event *event);

/* The thread `tid` in the recorder's numbers at ts_ns, made if it is not known yet. */
struct thread *identity_thread(struct identity *identity, int64_t tid, int64_t ts_ns);
/* The same, but NULL when it is not known yet; nothing is learned from it. */
struct thread *identity_known_thread(const struct identity *identity, int64_t tid,
				     int64_t ts_ns);
/* As identity_thread(), in the machine's numbers. */
struct thread *identity_find_machine_thread(struct identity *identity, int64_t tid,
					    int64_t ts_ns);
static inline struct thread *identity_machine_thread(struct identity *identity,
						     int64_t tid, int64_t ts_ns)
{
	struct thread *thread = identity->recent[(uint64_t)tid % RECENT_THREADS];

	/* INT_NONE is less than any time. */
	if (thread && thread->tid == tid && thread->start_ns <= ts_ns &&
	    thread->gone_ns == INT_NONE && thread->seen_ns <= ts_ns)
		return thread;
	return identity_find_machine_thread(identity, tid, ts_ns);
}
struct thread *identity_idle(struct identity *identity, int64_t cpu);

/* A sample of this thread carried this process id. */
void identity_learn_process(struct identity *identity, struct thread *thread, int64_t pid,
			    int64_t ts_ns);
/* A tracepoint called this thread so; the text may be padded with NULs. */
void identity_new_comm(struct identity *identity, struct thread *thread,
		       struct str padded);
static inline void identity_learn_comm(struct identity *identity, struct thread *thread,
				       struct str padded)
{
	/* At every switch; mostly it is what it was at the last one. */
	if (!thread->named &&
	    !(padded.len == sizeof(thread->comm) &&
	      memcmp(padded.ptr, thread->comm, sizeof(thread->comm)) == 0))
		identity_new_comm(identity, thread, padded);
}
/* From here on the machine's numbers are a space of their own. */
void identity_split_spaces(struct identity *identity);

/* End of the trace: every thread gets its process, every process its name. */
void identity_bind(struct identity *identity);

#endif
