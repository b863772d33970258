/*
 * run_steps.h - traces of switches that follow one another, step by step, and what may
 * happen in between: as records, or with their runs.
 */
#ifndef PERFTAB_RUN_STEPS_H
#define PERFTAB_RUN_STEPS_H

#include "events.h"

#define SLOTS 3
#define EXITED 0x30 /* of prev_state, as Linux has it */

enum what {
	DONE,
	OUT, /* a switch, with counters */
	COMES,
	COMES_UNTIMED, /* SWITCH records */
	LOSS,
	THROTTLE,
	HANDED,
	FORKED,
	NAMED,
	INTERRUPTED,
};

/*
 * A switch comes 100 ns after the event before it, which it counts; the leader of its
 * stream counts 1, the others 10 and 20.  Anything else is given here.
 */
struct step {
	int line;
	enum what what;
	int64_t prev, next; /* others: a tid */
	enum charge_status status;
	int64_t after; /* instead of 100; AT_ONCE: 0 */
	int64_t stream, group, cpu;
	int64_t leader; /* more than 1 */
	int64_t fall;	/* of the last counter */
	bool is_equal;	/* no counter but the leader's rises */
	int64_t unlike; /* enabled and running differ by that much more */
	bool lacks_times, lacks_running;
	int64_t lost; /* samples of the leader, more */
	int64_t own;  /* the sample's tid where it is not prev's */
	int64_t pid;  /* the sample's where it is not own */
	int64_t state;
	const char *comm, *next_comm;
	int64_t cgroup;
	bool is_read;
};

#define AT_ONCE INT64_MAX
#define STEPS 12

/* clang-format off */
#define SWITCH(out, in, verdict, ...)                                                    \
	{ ROW, .what = OUT, .prev = out, .next = in, .status = CHARGE_##verdict,         \
	  __VA_ARGS__ }
#define EVENT(kind, number, ...) { ROW, .what = kind, .prev = number, __VA_ARGS__ }
/* clang-format on */

/* Values of the streams so far. */
struct machine {
	int64_t ts_ns, lost;
	int64_t enabled_ns, running_ns;
	uint64_t values[8][SLOTS];
};

void run_steps_begin(struct trace *trace, int64_t groups);
void run_steps_add(struct trace *trace, struct machine *machine, const struct step *step);
/* Adds at most `count` steps, up to the first that is DONE. */
void run_steps_add_all(struct trace *trace, struct machine *machine,
		       const struct step *steps, size_t count);
/* The same trace; its switches come in runs, unless they are unlike the others. */
struct trace run_steps_in_runs(const struct trace *from);
/* Bursts of two CPUs, on one of which there are two instances of the group. */
void run_steps_add_wild(struct trace *trace, struct machine *machine, uint64_t seed,
			size_t steps);

/* --- one condition each: run_scripts.def --- */

struct script {
	const char *name;
	int64_t groups; /* more than one */
	size_t in_runs; /* switches judged in one loop, those of KNOWN with them */
	struct step steps[STEPS];
};

/* Threads 1, 2, 3 and idle have left a CPU, all but the first two judged in one loop. */
#define KNOWN 7
static const struct step known[] = {
	SWITCH(1, 2, BASELINE),
	SWITCH(2, 3, CHARGED),
	SWITCH(3, 0, CHARGED),
	SWITCH(0, 1, CHARGED),
	SWITCH(1, 2, CHARGED),
	SWITCH(2, 3, CHARGED),
	SWITCH(3, 1, CHARGED, .state = 1),
};
static const struct step later[] = {
	SWITCH(1, 2, CHARGED),
	SWITCH(2, 1, CHARGED),
	SWITCH(1, 0, CHARGED),
};

#endif
