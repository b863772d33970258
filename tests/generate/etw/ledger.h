/*
 * The ledger of truth: every context switch that a medium shows is entered here with
 * what the simulated machine knows about it, and is charged by the rules of attribution.
 * Nothing is read back from the files.  A medium has books of its own, for the text
 * cannot show everything that the .etl shows.
 */
#ifndef ETW_LEDGER_H
#define ETW_LEDGER_H

#include "common/truth.h"
#include "etw/plan.h"

/* An incarnation of a process id. */
struct etw_process {
	uint32_t pid;
	char image[40]; /* code page 1252 */
};

/* An incarnation of a thread id, or the idle thread of one CPU (tid 0). */
struct etw_account {
	uint32_t tid;
	unsigned idle_cpu;
	size_t process;
	char name[48]; /* UTF-8, the last one, or empty */
	bool silent;   /* no event tells of it */
	struct bill bills[MEDIUM_COUNT][RULE_COUNT];
};

/* What one CPU has shown so far. */
struct etw_chain {
	bool seen;	     /* any context switch */
	bool counted;	     /* one with the group's counters */
	bool disturbed;	     /* lost events since the last counted one */
	bool between;	     /* a switch without the group's counters since */
	uint32_t in_tid;     /* let in by the last switch */
	uint64_t time_ns;    /* of the last switch */
	uint64_t corrupt_ns; /* counters are not good after that, UINT64_MAX: never */
	struct book book;
};

struct etw_ledger {
	const struct etw_plan *plan;
	struct etw_process *processes;
	size_t process_count;
	size_t process_room;
	struct etw_account *accounts;
	size_t account_count;
	size_t account_room;
	struct bill unattributed[MEDIUM_COUNT][RULE_COUNT];
	struct etw_chain chains[MEDIUM_COUNT][CPU_MAX];
};

/* A context switch as one medium shows it. */
struct etw_entry {
	unsigned cpu;
	uint64_t time_ns;
	size_t account; /* thread switched out */
	uint32_t new_tid;
	bool dropped; /* LastDroppedTimes lies between this switch and the one before */
	unsigned counter_count;
	uint64_t values[TRUTH_COUNTERS];
};

void etw_ledger_init(struct etw_ledger *ledger, const struct etw_plan *plan);

size_t etw_ledger_process(struct etw_ledger *ledger, uint32_t pid, const char *image);
size_t etw_ledger_thread(struct etw_ledger *ledger, uint32_t tid, size_t process);
void etw_ledger_rename(struct etw_ledger *ledger, size_t account, const char *name);

/* Events are missing on the CPU before the next switch that will be entered. */
void etw_ledger_disturb(struct etw_ledger *ledger, enum medium medium, unsigned cpu);

void etw_ledger_enter(struct etw_ledger *ledger, enum medium medium,
		      const struct etw_entry *entry);

void etw_ledger_release(struct etw_ledger *ledger);

/* The truth files as text, in truth.c. */
void etw_truth_threads(const struct etw_ledger *ledger, enum medium medium,
		       enum bill_rule rule, struct byte_buf *out);
void etw_truth_processes(const struct etw_ledger *ledger, enum medium medium,
			 struct byte_buf *out);
void etw_truth_check(const struct etw_ledger *ledger, enum medium medium,
		     struct byte_buf *out);

#endif
