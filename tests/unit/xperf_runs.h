/*
 * xperf_runs.h - texts of xperf, made up here, through reader and attribution: what the
 * tests of that reader share.
 */
#ifndef PERFTAB_XPERF_RUNS_H
#define PERFTAB_XPERF_RUNS_H

#include "unit.h"

/* Column lines. */
#define PMC "  Pmc,  TimeStamp,   ThreadID, Branches, Misses\n"
#define SWITCH_18                                                                     \
	"  CSwitch,  TimeStamp, New Process Name ( PID),    New TID, NPri, NQnt, "    \
	"TmSinceLast, WaitTime, Old Process Name ( PID),    Old TID, OPri, OQnt,    " \
	"    OldState,      Wait Reason, Swapable, InSwitchTime, CPU, IdealProc"
#define SWITCH_21 SWITCH_18 ",  OldRemQnt, NewPriDecr, PrevCState"
#define SWITCH_23 SWITCH_21 ", OldThrdBamQosLevel, NewThrdBamQosLevel"

/* A switch line: what comes before the CPU, the CPU, what comes after it. */
#define IN(ts, name, tid) " CSwitch, " ts ", " name ", " tid ", 8, -1, 5, 1, "
#define OUT(name, tid, state) \
	name ", " tid ", 9, -1, " state ", UserRequest, Swapable, 12, "
#define SWITCH(ts, new_name, new_tid, old_name, old_tid, cpu) \
	IN(ts, new_name, new_tid)                             \
	OUT(old_name, old_tid, "Waiting") cpu ", 0\n"
/* A text longer than a line may be. */
#define XPERF_TEST_BYTES 70000

#define IDLE "Idle (   0)"
#define A "a.exe (  40)"
#define B "b.exe (1204)"

/* Thread, process and deltas of each switch that is charged. */
#define THREE_SWITCHES(tail)                                                          \
	"Pmc, 100, 44, 1000, 50\n" IN("100", A, "44") OUT(                            \
		IDLE, "0",                                                            \
		"Running") "3, 0" tail "Pmc, 130, 0, 1700, 58\n" IN("130", IDLE, "0") \
		OUT(A, "44", "Waiting") "3, 0" tail                                   \
					"Pmc, 150, 44, 1710, 59\n" IN("150", A, "44") \
						OUT(IDLE, "0", "Running") "3, 0" tail

struct text_run {
	enum status status;
	struct error error;
	struct unit_notes notes;
};

void run_bytes(struct text_run *run, const char *bytes, size_t size);
/* All rows of a text, which can be read.  A line "@TS NEW NEW-TID OLD OLD-TID CPU
 * [STATE]" of it is a switch line; a, b and - are the processes above.
 */
const char *rows_of(const char *text);

#endif
