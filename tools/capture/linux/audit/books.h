/*
 * books.h - the kernel's own books of the time of a recording: its switches, interrupts,
 * and what tasks ran.
 *
 * Each number is read before and after the groups are armed, and again around their end:
 * so it has a lower and an upper bound for what a recording can have seen.
 */
#ifndef PERFTAB_AUDIT_BOOKS_H
#define PERFTAB_AUDIT_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"

#define BOOK_TASKS_MAX 4096
#define BOOK_TASKS_NS 8000000 /* to read those that are there at the beginning */

enum book { BOOK_SWITCHES, BOOK_INTERRUPTS, BOOK_SOFTIRQS, BOOK_TICKS, BOOKS };

enum book_moment {
	BOOK_BEFORE_ARMING,
	BOOK_ARMED,
	BOOK_BEFORE_END,
	BOOK_ENDED,
	BOOK_MOMENTS
};

struct book_task {
	pid_t pid, tid;
	int64_t run_ns, voluntary, involuntary;
};

/* All zero reads nothing. */
struct kernel_books {
	const char *proc;		     /* "/proc"; NULL: no books */
	bool is_machine;		     /* of all CPUs; else of the tasks alone */
	int64_t values[BOOK_MOMENTS][BOOKS]; /* FACT_NONE: cannot be read */
	struct book_task *tasks;
	size_t task_count;
};

/* pid: of this process's threads; 0: of all, as many as there is time for. */
void books_begin(struct kernel_books *books, const char *proc, bool is_machine,
		 pid_t pid);
void books_read(struct kernel_books *books, enum book_moment moment);
/* Lines for the trace: facts.h. */
void books_write(struct bytes *lines, const struct kernel_books *books);
void books_release(struct kernel_books *books);

#endif
