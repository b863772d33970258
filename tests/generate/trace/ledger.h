/*
 * The ledger of truth: every sample that reaches the file is entered here when it is
 * made, with what the simulated machine knows about it, and is charged by the rules of
 * docs/attribution.md.  Nothing is read back from the file.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "common/truth.h"
#include "trace/scenario.h"

/* An incarnation of a tid, or the idle thread of one CPU (tid 0). */
struct account {
	uint32_t pid;
	uint32_t tid;
	size_t main;	       /* the account of the main thread, or its own */
	char comm[COMM_BYTES]; /* the last one */
	struct bill bills[RULE_COUNT];
};

/* What one CPU's records have shown so far. */
struct chain {
	bool seen;
	bool disturbed; /* LOST, LOST_SAMPLES or THROTTLE since the last sample */
	bool in_known;	/* SWITCH "in" record since the last sample */
	bool idle_ran;	/* in between, as these records show */
	bool others_ran;
	uint32_t left_tid; /* by the last sample */
	uint32_t ran_tid;  /* the thread that came, 0: none but idle */
	uint32_t in_tid;
	uint64_t in_ns;
	uint64_t time_ns;
	uint32_t next_tid;
	uint64_t enabled_ns;
	uint64_t running_ns;
	struct book book;
};

struct ledger {
	const struct scenario *scenario;
	struct account *accounts;
	size_t account_count;
	size_t account_room;
	struct bill unattributed[RULE_COUNT];
	struct bill cgroups[CGROUP_COUNT][RULE_COUNT];
	struct chain chains[CPU_MAX];
};

struct ledger_sample {
	unsigned cpu;
	uint64_t time_ns;
	size_t account;	   /* thread switched out */
	uint32_t next_tid; /* thread switched in, root namespace */
	unsigned cgroup;   /* of the thread switched out: its place in cgroups[] */
	uint64_t enabled_ns;
	uint64_t running_ns;
	const uint64_t *values;
};

void ledger_init(struct ledger *ledger, const struct scenario *scenario);

/* main is the account of the main thread, or SIZE_MAX for a main thread itself. */
size_t ledger_birth(struct ledger *ledger, uint32_t pid, uint32_t tid, size_t main,
		    const char *comm);
void ledger_rename(struct ledger *ledger, size_t account, const char *comm);

/* A LOST, LOST_SAMPLES or THROTTLE record was written to the CPU's ring. */
void ledger_disturb(struct ledger *ledger, unsigned cpu);

/* A SWITCH "in" record was written to the CPU's ring: who left, who came. */
void ledger_switch_in(struct ledger *ledger, unsigned cpu, uint32_t left, uint32_t tid,
		      uint64_t time_ns);

enum charge_status ledger_enter(struct ledger *ledger,
				const struct ledger_sample *sample);

/* The truth files as text. */
void ledger_thread_csv(const struct ledger *ledger, enum bill_rule rule,
		       struct byte_buf *out);
/* The same by control group. */
void ledger_cgroup_csv(const struct ledger *ledger, enum bill_rule rule,
		       struct byte_buf *out);
void ledger_check_csv(const struct ledger *ledger, struct byte_buf *out);

void ledger_release(struct ledger *ledger);

#endif
