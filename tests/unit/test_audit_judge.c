/*
 * test_audit_judge.c - tools/capture/linux/audit/judge.h: what a counter counts, and what
 * of known work it must have counted.
 */
#include "capture/linux/audit/judge.h"

#include "unit.h"

UNIT_TEST(kinds_of_counters)
{
	static const struct {
		int line;
		uint32_t type;
		uint64_t config;
		const char *name;
		enum audit_kind kind;
	} rows[] = {
		{ ROW, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "x", AUDIT_CYCLES },
		{ ROW, PERF_TYPE_HARDWARE,
		  UINT64_C(10) << 32 | PERF_COUNT_HW_INSTRUCTIONS, "x",
		  AUDIT_INSTRUCTIONS },
		{ ROW, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "x", AUDIT_CLOCK },
		{ ROW, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "x",
		  AUDIT_UNKNOWN },
		{ ROW, PERF_TYPE_RAW, 0, "cpu/INST_RETIRED.ANY/u", AUDIT_INSTRUCTIONS },
		{ ROW, PERF_TYPE_RAW, 0, "cpu_core/cpu-cycles/", AUDIT_CYCLES },
		{ ROW, PERF_TYPE_RAW, 0, "branches:u", AUDIT_BRANCHES },
		{ ROW, PERF_TYPE_RAW, 0, "branches", AUDIT_BRANCHES },
		{ ROW, PERF_TYPE_RAW, 0, "branches2", AUDIT_UNKNOWN },
		{ ROW, PERF_TYPE_RAW, 0, "inst_retired.any_p", AUDIT_UNKNOWN },
		{ ROW, PERF_TYPE_RAW, 0, "inst", AUDIT_UNKNOWN },
		{ ROW, PERF_TYPE_RAW, 0, "msr/tsc/", AUDIT_TSC },
		{ ROW, PERF_TYPE_TRACEPOINT, 0, "sched:sched_switch", AUDIT_SWITCHES },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct perf_event_attr attr = { .type = rows[i].type,
						      .config = rows[i].config };

		ROW_INT(&rows[i], audit_kind_of(&attr, rows[i].name), rows[i].kind);
	}
}

/* Switches are the kernel's; faults of a task are its own as well. */
UNIT_TEST(events_without_the_kernel)
{
	const struct audit_work work = { .switches = 100, .faults = 5000 };
	const struct audit_scope scope = { .is_task = true };
	struct perf_event_attr attr = { .exclude_kernel = 0 };
	struct audit_bounds bounds =
		audit_bounds_of(AUDIT_SWITCHES, &attr, &work, &scope);

	assert_true(bounds.applies);
	assert_int_equal(bounds.sane.least, 100);
	attr.exclude_kernel = 1;
	assert_false(audit_bounds_of(AUDIT_SWITCHES, &attr, &work, &scope).applies);
	assert_true(audit_bounds_of(AUDIT_FAULTS, &attr, &work, &scope).applies);
	attr.exclude_user = 1;
	assert_false(audit_bounds_of(AUDIT_FAULTS, &attr, &work, &scope).applies);
}
