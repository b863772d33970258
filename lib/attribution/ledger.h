/*
 * ledger.h - the books: the charges of every thread, CPU and status.
 *
 * Its input is context_switch rows, either just computed or read back from a database, so
 * both give the same totals.  All sums are 64-bit integers that wrap;
 * nothing is rounded or scaled.  Groups keep separate books, because with multiplexing
 * each group sees only its own switches.
 */
#ifndef PERFTAB_LEDGER_H
#define PERFTAB_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/prefetch.h"
#include "base/wrap.h"
#include "model/run_sums.h"

/*
 * Two leaders that see the same switch sample it one after the other, at most this far
 * apart.  Measured: 1 to 5 us on hardware, 60 us in emulation.
 */
#define SAME_SWITCH_NS 1000000

/* What only some books have, allotted when it is first needed. */
struct thread_rest {
	int64_t with_idle_switches, timeless_switches;
	struct thread_rare *rare; /* or NULL */
	int64_t with_idle[];	  /* `slots` long */
};

/* And what few have. */
struct thread_rare {
	int64_t unproven_switches, unproven_ns, interrupts_ns;
	int64_t reads;
	int64_t home_cpu;	   /* HOME_NONE, or more by 1: see home_of() */
	struct thread_book *parts; /* what of the thread was in a control group each */
	/* Of a part: */
	const struct thread_book *of; /* what it is a part of */
	int64_t cgroup_id;
	struct thread_book *next; /* the next part of the same book */
	int64_t counts[];	  /* interrupts, unproven, each `slots` long */
};

/* Of a book without them: zeros, and no counts. */
extern const struct thread_rest thread_rest_none;
extern const struct thread_rare thread_rare_none;

static inline const struct thread_rest *ledger_known_rest(const struct thread_rest *rest)
{
	return rest ? rest : &thread_rest_none;
}

static inline const struct thread_rare *ledger_known_rare(const struct thread_rest *rest)
{
	return rest && rest->rare ? rest->rare : &thread_rare_none;
}

/* rare->home_cpu: no switch yet; on a CPU that has no books. */
#define HOME_NONE 0
#define HOME_NOWHERE (-1)

/*
 * With many threads books are mostly not in the cache: four counters fit a line of it.
 * Zeroed memory is a book to which nothing was added.
 */
struct thread_book {
	int64_t switches, on_cpu_ns;
	int64_t ran;		  /* see ledger_running_ns() */
	struct thread_rest *rest; /* or NULL */
	int64_t charged[];	  /* `slots` long */
};

/*
 * A running time of a book is kept less INT_NONE, so that 0 is: not known.  The sum is
 * known once something is.
 */
static inline int64_t ledger_running_ns(int64_t ran)
{
	return wrap_add(ran, INT_NONE);
}

static inline void ledger_add_running(int64_t *ran, int64_t more_ns)
{
	*ran = wrap_add(*ran ? *ran : INT_NONE, more_ns);
}

/* Whether its thread was on a CPU, as far as is known. */
static inline bool ledger_has_run(const struct thread_book *book)
{
	return book->switches + ledger_known_rare(book->rest)->reads > 0;
}

/* Each interval that was added is a switch, or has left something in the rest. */
static inline bool ledger_is_empty(const struct thread_book *book)
{
	return !book->switches && !book->rest;
}

/* What one kind and vector of interrupt cost on a CPU while a thread was there. */
struct interrupt_book {
	struct interrupt_summary_row summary;
	struct str kind;
	int64_t vector;
	int64_t *charged; /* `slots` long */
	struct interrupt_book *next;
};

/*
 * The books of the first group, mostly the only one, by thread: in pages, so that they
 * are found from the thread's id, and those of threads that come together are side by
 * side.
 */
struct book_pages {
	char **pages; /* each NULL, or 1 << shift books */
	size_t count;
	size_t book_bytes;
	unsigned int shift;
};

/* A thread's book of another group. */
struct other_book {
	struct other_book *next;
	size_t group; /* its place in ledger.groups */
	struct thread_book *book;
};

/* What few need of a thread: there are none until the first is needed. */
struct ledger_thread {
	struct other_book *others;
	int64_t process_id;
	bool idle;
};

struct last_switch {
	int64_t ts_ns, prev_id, next_id; /* or INT_NONE: not known */
};

/* Whether `seen` is the switch that another group saw as `last`. */
static inline bool switch_is_same(const struct last_switch *last,
				  const struct last_switch *seen)
{
	return seen->prev_id == last->prev_id &&
	       (seen->next_id == INT_NONE || seen->next_id == last->next_id) &&
	       seen->ts_ns >= last->ts_ns &&
	       (uint64_t)wrap_sub(seen->ts_ns, last->ts_ns) <= SAME_SWITCH_NS;
}

/* The switches of a CPU, over all groups. */
struct cpu_union {
	int64_t switches; /* distinct ones */
	struct last_switch last;
};

struct cpu_book {
	struct cpu_summary_row summary;
	int64_t seen; /* cpu_union.switches at its last one */
	struct last_switch last_switch;
	bool based;	/* first and last came from counter_base */
	bool valued;	/* or from a switch */
	int64_t *first; /* each `slots` long */
	int64_t *last;
	int64_t *charged;
	int64_t *interrupts;
	int64_t *with_idle;
	int64_t *idle;
	int64_t *unattributed;
};

/* CPUs on a page of books: a group rarely sees CPUs with distant numbers. */
#define CPU_PAGE 256

struct group_book {
	int64_t group_id;
	bool per_task;
	size_t slots;
	int64_t *counter_ids;			     /* by slot */
	struct cpu_book **pages[CPU_MAX / CPU_PAGE]; /* by CPU, see ledger_cpu() */
	size_t cpu_count;			     /* highest CPU + 1 */
	struct cpu_book *last_cpu;		     /* found last */
	struct {
		int64_t switches, reads;
		int64_t on_cpu_ns;
		int64_t *values; /* `slots` long */
	} status[CHARGE_STATUSES];
};

struct ledger {
	struct arena arena;
	int64_t trace_id;
	int64_t from_ns, to_ns;	   /* only switches with from_ns <= ts_ns < to_ns */
	bool whole;		   /* that is all of them */
	bool no_process_sums;	   /* ledger_report() leaves them out */
	bool no_task_sums;	   /* of this trace: nor those of threads */
	struct group_book *groups; /* group ids of a trace are consecutive */
	size_t group_count, group_room;
	struct cpu_union *unions; /* by CPU */
	size_t union_count, union_room;
	struct map part_by_cgroup; /* hash of book and control group -> thread_book */
	struct interrupt_book *interrupts, **interrupts_tail;
	struct map interrupt_books; /* by a hash of what they are of */
	struct map interrupt_rows;  /* by interrupt_id */
	struct book_pages books;
	struct ledger_thread *threads;
	size_t thread_room;
	int64_t first_thread_id; /* of threads[0], and of the first book */
	bool out_of_memory;
};

/* The book of a CPU below CPU_MAX, NULL: no switch there. */
static inline struct cpu_book *ledger_cpu(const struct group_book *group, size_t cpu)
{
	struct cpu_book **page = group->pages[cpu / CPU_PAGE];

	return page ? page[cpu % CPU_PAGE] : NULL;
}

/*
 * Thread ids of a trace are consecutive from first_thread_id; INT_NONE: from the first
 * one passed to ledger_thread().
 */
void ledger_begin(struct ledger *ledger, int64_t trace_id, int64_t first_thread_id);
void ledger_end(struct ledger *ledger);
/* New books for the same groups and counters, at the end of a live trace's interval. */
void ledger_restart(struct ledger *ledger);

/* Groups must come in order of their ids. */
void ledger_group(struct ledger *ledger, const struct counter_group_row *group);
void ledger_counter(struct ledger *ledger, const struct counter_row *counter);
void ledger_thread(struct ledger *ledger, int64_t thread_id, int64_t process_id,
		   bool idle);
/* All with these ids follow: there is room for them at once. */
void ledger_expect_threads(struct ledger *ledger, int64_t first_id, int64_t last_id);

/* The book of a group; NULL when there is none. */
struct group_book *ledger_find_group(struct ledger *ledger, int64_t group_id);

/*
 * One interval, which a switch ended, or a read (switch_id INT_NONE): the row, whether it
 * was idle's, the control group of its thread (0: not known), its deltas and the values
 * they lead to.
 */
void ledger_add(struct ledger *ledger, const struct context_switch_row *row, bool idle,
		int64_t cgroup_id, const int64_t *deltas, const int64_t *values,
		size_t slots);
/*
 * ledger_run.c: the same for the switches [from, to) of a run, which chain_run() has
 * judged; ledger_can_add_run() must hold.
 */
bool ledger_can_add_run(const struct ledger *ledger, const struct run *run,
			int64_t group_id);
void ledger_add_run(struct ledger *ledger, const struct run *run, int64_t group_id,
		    size_t from, size_t to);
/* What switches come to, all_ns with idle's, the rest without. */
struct ledger_sums {
	int64_t all_ns, on_cpu_ns;
	int64_t counts[RUN_SUMS_COUNTERS_MAX];
};
/* The same for switches that chain_run_sums() has judged. */
struct ledger_sums ledger_add_sums(struct ledger *ledger, const struct run_summed *summed,
				   int64_t group_id);
/* ledger.c, for ledger_run.c: a CPU's book; NULL: out of memory. */
struct cpu_book *ledger_cpu_book(struct ledger *ledger, struct group_book *group,
				 int64_t cpu);

/* --- ledger_threads.c: books of threads --- */

/* The place of a thread's book of the first group; NULL: it has none yet. */
static inline struct thread_book *ledger_first_book(const struct ledger *ledger,
						    int64_t thread_id)
{
	const struct book_pages *books = &ledger->books;
	uint64_t at = (uint64_t)thread_id - (uint64_t)ledger->first_thread_id;
	char *page = at >> books->shift < books->count ? books->pages[at >> books->shift]
						       : NULL;

	at &= ((uint64_t)1 << books->shift) - 1;
	return page ? (struct thread_book *)(void *)(page + at * books->book_bytes)
		    : NULL;
}
/* It is needed soon. */
static inline void ledger_fetch_book(const struct ledger *ledger, int64_t thread_id)
{
	const struct thread_book *book = ledger_first_book(ledger, thread_id);

	if (book)
		prefetch(book, ledger->books.book_bytes);
}
/* The book of a thread; NULL: out of memory, or an id that is not of this trace. */
struct thread_book *ledger_thread_book(struct ledger *ledger, int64_t thread_id,
				       const struct group_book *group);
/* The same by its number in the trace, for reports; NULL: it has none. */
const struct thread_book *ledger_find_book(const struct ledger *ledger, size_t thread,
					   size_t group);
/* The numbers of all threads that may have books are less. */
size_t ledger_thread_count(const struct ledger *ledger);
/* Of a thread's book, what belongs to the control group it was in. */
struct thread_book *ledger_part_book(struct ledger *ledger, struct thread_book *book,
				     const struct group_book *group, int64_t cgroup_id);
/* What only some books have; NULL: out of memory. */
struct thread_rest *ledger_rest(struct ledger *ledger, struct thread_rest **rest,
				size_t slots);
struct thread_rare *ledger_rare(struct ledger *ledger, struct thread_rest **rest,
				size_t slots);
/* For ledger.c: the first group has so many counters. */
void ledger_size_books(struct ledger *ledger, size_t slots);
/* ledger_unions.c: before a second group; what the only one has so far, all have. */
void ledger_begin_unions(struct ledger *ledger, const struct group_book *only);
/* Counts the last switch of a CPU once, however many groups saw it. */
void ledger_count_switch(struct ledger *ledger, struct cpu_book *book);
/* A kind and vector, before the first interval that is charged to it. */
void ledger_interrupt(struct ledger *ledger, const struct interrupt_row *interrupt);
/*
 * The same for an interval that ended with a read, in an interrupt (INT_NONE: in none);
 * has_ended: the interrupt ended with it.  True: it is charged to the interrupt alone.
 */
bool ledger_add_read(struct ledger *ledger, const struct context_switch_row *row,
		     int64_t interrupt_id, bool has_ended, bool idle, int64_t cgroup_id,
		     const int64_t *deltas, const int64_t *values, size_t slots);
/*
 * `count` interrupts, of time_ns together, whose counters are only estimated from the
 * interval that the row ends.
 */
void ledger_estimate(struct ledger *ledger, const struct interrupt_row *interrupt,
		     const struct context_switch_row *row, int64_t count, int64_t time_ns,
		     const int64_t *deltas, size_t slots);
/* ledger_interrupts.c, for ledger.c and ledger_report.c alone. */
void ledger_charge_interrupt(struct ledger *ledger, const struct interrupt_row *interrupt,
			     const struct context_switch_row *row, bool has_ended,
			     const int64_t *deltas, size_t slots);
void ledger_copy_interrupts(struct ledger *to, const struct ledger *from);
/* What was added as idle's until now is not: charges it. */
void ledger_charge_idle(struct ledger *ledger);
/* The data that ledger_thread() passed. */
bool ledger_is_idle(const struct ledger *ledger, int64_t thread_id);
/* ledger_report.c: adds the book of a thread to that of all threads of its process. */
void ledger_add_to_process(struct ledger *ledger, struct thread_book *to,
			   const struct thread_book *from, size_t slots);
/*
 * The row of a process: `book` is that of all its threads, or of the only one; `threads`
 * have run.  The values as in struct process_total_event.
 */
struct process_summary_row ledger_process_sums(const struct group_book *group,
					       const struct thread_book *book,
					       int64_t process_id, int64_t threads,
					       int64_t *values);
/* Zeroed, and in no list; NULL: out of memory. */
struct thread_book *ledger_new_book(struct ledger *ledger, size_t slots);
/* First and last value of a counter on a CPU, from the trace itself. */
void ledger_base(struct ledger *ledger, const struct counter_base_row *base);

/* Passes every total as rows to `put`; a result other than ST_OK ends the call. */
enum status ledger_report(struct ledger *ledger,
			  enum status (*put)(void *context, enum record_kind kind,
					     const void *row),
			  void *context);

#endif
