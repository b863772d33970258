/* judge.c - bounds of what a counter can have counted, and the verdict; see judge.h. */
#include "capture/linux/audit/judge.h"

#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "capture/linux/audit/loop.h"

/* Reads and clocks are a system call apart. */
#define CALL_NS 20000
/* What a read of the counters and a tick may add to the loop, in the kernel. */
#define KERNEL_INSTRUCTIONS 100000
/* More of these a cycle retires no processor. */
#define INSTRUCTIONS_A_CYCLE 8

const char *const audit_verdict_words[] = {
	[AUDIT_UNTESTED] = "untested",
	[AUDIT_PLAUSIBLE] = "plausible",
	[AUDIT_PROVEN] = "proven",
	[AUDIT_CONTRADICTED] = "contradicted",
};

/* --- what it counts --- */

static const struct {
	const char *name;
	enum audit_kind kind;
} names[] = {
	{ "instructions", AUDIT_INSTRUCTIONS },
	{ "inst_retired", AUDIT_INSTRUCTIONS },
	{ "inst_retired.any", AUDIT_INSTRUCTIONS },
	{ "branches", AUDIT_BRANCHES },
	{ "branch-instructions", AUDIT_BRANCHES },
	{ "br_inst_retired.all_branches", AUDIT_BRANCHES },
	{ "br_retired", AUDIT_BRANCHES },
	{ "cycles", AUDIT_CYCLES },
	{ "cpu-cycles", AUDIT_CYCLES },
	{ "cpu_cycles", AUDIT_CYCLES },
	{ "cpu_clk_unhalted.thread", AUDIT_CYCLES },
};

static enum audit_kind kind_of_name(const char *name)
{
	const char *slash = strchr(name, '/');
	const char *from = slash ? slash + 1 : name;
	size_t length = strcspn(from, slash ? "/" : ":");

	if (strncmp(name, "msr/tsc/", 8) == 0)
		return AUDIT_TSC;
	if (strcmp(name, "sched:sched_switch") == 0)
		return AUDIT_SWITCHES;
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strlen(names[i].name) == length &&
		    strncasecmp(names[i].name, from, length) == 0)
			return names[i].kind;
	return AUDIT_UNKNOWN;
}

static enum audit_kind kind_of_software(uint64_t config)
{
	switch (config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		return AUDIT_CLOCK;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return AUDIT_SWITCHES;
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return AUDIT_FAULTS;
	default:
		return AUDIT_UNKNOWN;
	}
}

enum audit_kind audit_kind_of(const struct perf_event_attr *attr, const char *name)
{
	uint64_t config = attr->config & 0xffffffff; /* above it: the kind of core */

	if (attr->type == PERF_TYPE_SOFTWARE)
		return kind_of_software(attr->config);
	if (attr->type != PERF_TYPE_HARDWARE)
		return kind_of_name(name);
	switch (config) {
	case PERF_COUNT_HW_CPU_CYCLES:
		return AUDIT_CYCLES;
	case PERF_COUNT_HW_INSTRUCTIONS:
		return AUDIT_INSTRUCTIONS;
	case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
		return AUDIT_BRANCHES;
	default:
		return AUDIT_UNKNOWN;
	}
}

/* --- what it must have counted --- */

static uint64_t part(uint64_t number, uint64_t hundredths)
{
	return number / 100 * hundredths + number % 100 * hundredths / 100;
}

static struct audit_bounds within(uint64_t least, uint64_t most, uint64_t slack)
{
	uint64_t low = part(least, 98);
	struct audit_range range = { low > slack ? low - slack : 0,
				     part(most, 102) + slack };

	return (struct audit_bounds){ true, range, range };
}

/* Retired ones are counted exactly; interrupts and the reads add theirs. */
static struct audit_bounds retired(uint64_t least, uint64_t most,
				   const struct perf_event_attr *attr)
{
	uint64_t slack =
		attr->exclude_kernel ? KERNEL_INSTRUCTIONS / 10 : KERNEL_INSTRUCTIONS;

	if (attr->exclude_user) /* only what interrupts the loop */
		return (struct audit_bounds){ true, { 0, least / 2 + slack }, { 1, 0 } };
	return (struct audit_bounds){ true,
				      { part(least, 98), 2 * most + 20 * slack },
				      { part(least, 98), part(most, 102) + slack } };
}

static struct audit_bounds of_cycles(const struct perf_event_attr *attr,
				     const struct audit_work *work,
				     const struct audit_scope *scope)
{
	uint64_t least = work->turns * AUDIT_LOOP_LEAST / INSTRUCTIONS_A_CYCLE;
	uint64_t most = UINT64_MAX, full;

	if (attr->exclude_user)
		least = 0;
	if (!scope->max_khz)
		return (struct audit_bounds){ true, { least, most }, { 1, 0 } };
	full = (work->wall_ns.most + CALL_NS) / 1000 * scope->max_khz / 1000;
	most = part(full, 102);
	full = work->wall_ns.least / 1000 * scope->max_khz / 1000;
	if (attr->exclude_user) /* nothing is known of how much that is */
		return (struct audit_bounds){ true, { least, most }, { 1, 0 } };
	return (struct audit_bounds){ true, { least, most }, { part(full, 98), most } };
}

static struct audit_bounds of_events(enum audit_kind kind,
				     const struct perf_event_attr *attr,
				     const struct audit_work *work,
				     const struct audit_scope *scope)
{
	uint64_t least = kind == AUDIT_SWITCHES ? work->switches : work->faults;
	/* Others of the CPU have theirs, in these microseconds few. */
	uint64_t most = scope->is_task ? least + 2 : 3 * least + 1000;

	if (attr->exclude_user || (attr->exclude_kernel && kind == AUDIT_SWITCHES))
		return (struct audit_bounds){ .applies = false };
	if (attr->exclude_kernel && least > AUDIT_PAGES)
		least = AUDIT_PAGES; /* system calls have faults of their own */
	return (struct audit_bounds){ true, { least, most + 100000 }, { least, most } };
}

struct audit_bounds audit_bounds_of(enum audit_kind kind,
				    const struct perf_event_attr *attr,
				    const struct audit_work *work,
				    const struct audit_scope *scope)
{
	const struct audit_range *clock = scope->is_task ? &work->cpu_ns : &work->wall_ns;
	bool is_event = kind == AUDIT_SWITCHES || kind == AUDIT_FAULTS;

	if (is_event != !work->turns)
		return (struct audit_bounds){ .applies = false };
	switch (kind) {
	case AUDIT_INSTRUCTIONS:
		return retired(work->turns * AUDIT_LOOP_LEAST,
			       work->turns * AUDIT_LOOP_MOST, attr);
	case AUDIT_BRANCHES:
		return retired(work->turns, work->turns, attr);
	case AUDIT_CYCLES:
		return of_cycles(attr, work, scope);
	case AUDIT_CLOCK:
		return within(clock->least, clock->most, CALL_NS);
	case AUDIT_TSC:
		/* Of a task it counts only while that task runs, our clocks always. */
		if (!work->tsc.most || (scope->is_task && work->all_switches))
			return (struct audit_bounds){ .applies = false };
		return within(work->tsc.least, work->tsc.most, 0);
	case AUDIT_SWITCHES:
	case AUDIT_FAULTS:
		return of_events(kind, attr, work, scope);
	default:
		return (struct audit_bounds){ .applies = false };
	}
}

/* --- the verdict --- */

static void decide(struct audit_result *result, const struct audit_range *expected,
		   uint64_t found)
{
	result->expected = *expected;
	result->found = found;
}

void audit_judge(struct audit_result *result, const struct audit_bounds *bounds,
		 uint64_t found)
{
	const struct audit_range *sane = &bounds->sane, *exact = &bounds->exact;

	if (!bounds->applies)
		return;
	result->tries++;
	result->any_count |= found != 0;
	if (found < sane->least) {
		result->first_too_low |= result->tries == 1;
		if (!result->too_low++)
			decide(result, sane, found);
		return;
	}
	if (found > sane->most) {
		uint64_t over = found - sane->most;

		if (!result->too_low && result->too_high + 1 == result->tries &&
		    (!result->too_high || over < result->over)) {
			decide(result, sane, found);
			result->over = over;
		}
		result->too_high++;
		return;
	}
	if (result->too_low)
		return;
	if (found >= exact->least && found <= exact->most) {
		if (!result->exact++)
			decide(result, exact, found);
	} else if (!result->exact) {
		decide(result, sane, found);
	}
}

enum audit_verdict audit_verdict_of(const struct audit_result *result)
{
	if (!result->tries)
		return AUDIT_UNTESTED;
	if (result->too_low || result->too_high == result->tries)
		return AUDIT_CONTRADICTED;
	return result->exact ? AUDIT_PROVEN : AUDIT_PLAUSIBLE;
}

const char *audit_reason_of(const struct audit_result *result)
{
	if (audit_verdict_of(result) != AUDIT_CONTRADICTED)
		return "";
	if (!result->too_low)
		return "it counted too much";
	if (!result->any_count)
		return "it counted nothing";
	if (result->first_too_low && result->too_low < result->tries)
		return "it counted late";
	return "it counted too little";
}
