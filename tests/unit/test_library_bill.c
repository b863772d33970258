/* test_library_bill.c - include/perftab/perftab.h: the rows of bills. */
#include <string.h>

#include "perftab/perftab.h"
#include "unit.h"

#define SAMPLE SAMPLES_DIRECTORY "/perf/good-switch-group.data"

/* Those of CSV, without what text alone shows. */
UNIT_TEST(a_bill_has_the_columns_of_csv)
{
	static const char *const names[] = {
		"process",    "pid",	     "threads",
		"switches",   "on_cpu_ns",   "sched:sched_switch",
		"task-clock", "page-faults", "msr/tsc/",
	};
	struct perftab *trace;

	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_bill(trace, "process"), PERFTAB_OK);
	assert_int_equal(perftab_next(trace), PERFTAB_ROW);
	assert_int_equal(perftab_columns(trace), COUNT(names));
	for (int i = 0; i < (int)COUNT(names); i++)
		assert_string_equal(perftab_column_name(trace, i), names[i]);
	perftab_close(trace);
}

struct sums {
	long rows;
	int64_t switches, clock; /* task-clock, the counter of slot 1 */
	int64_t first_ns, last_ns;
};

static struct sums sum_switches(struct perftab_options options)
{
	struct sums sums = { .first_ns = INT64_MAX };
	struct perftab *trace;

	options.tables = "context_switch";
	assert_int_equal(perftab_open(&trace, SAMPLE, &options), PERFTAB_OK);
	for (; perftab_next(trace) == PERFTAB_ROW; sums.rows++) {
		int64_t ts_ns = perftab_int(trace, perftab_find(trace, "ts_ns"));

		sums.switches++;
		sums.clock += perftab_int(trace, perftab_find(trace, "delta_1"));
		sums.first_ns = ts_ns < sums.first_ns ? ts_ns : sums.first_ns;
		sums.last_ns = ts_ns > sums.last_ns ? ts_ns : sums.last_ns;
	}
	assert_int_equal(perftab_status(trace), PERFTAB_DONE);
	perftab_close(trace);
	return sums;
}

static struct sums sum_bill(const struct perftab_options *options)
{
	struct sums sums = { .rows = 0 };
	struct perftab *trace;

	assert_int_equal(perftab_open(&trace, SAMPLE, options), PERFTAB_OK);
	assert_int_equal(perftab_bill(trace, "process"), PERFTAB_OK);
	for (; perftab_next(trace) == PERFTAB_ROW; sums.rows++) {
		assert_string_equal(perftab_table(trace), "bill");
		assert_string_equal(perftab_column_name(trace, 0), "process");
		sums.switches += perftab_int(trace, perftab_find(trace, "switches"));
		sums.clock += perftab_int(trace, perftab_find(trace, "task-clock"));
	}
	assert_int_equal(perftab_status(trace), PERFTAB_DONE);
	assert_int_equal(perftab_bill(trace, "process"), PERFTAB_MISUSE);
	perftab_close(trace);
	return sums;
}

UNIT_TEST(a_bill_balances_with_its_switches)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	struct sums all = sum_bill(NULL), switches = sum_switches(options);

	assert_true(all.rows > 3);
	assert_true(all.switches > 0 && all.switches <= switches.switches);
	assert_int_equal(all.clock, switches.clock);
}

/* The options choose a CPU and times of a bill as they do of rows: both ends belong. */
UNIT_TEST(a_bill_of_a_cpu_and_times)
{
	static const int64_t absent[] = { 4000, 1 << 20, INT64_MAX };
	struct perftab_options options = PERFTAB_OPTIONS;
	struct sums all = sum_switches(options);

	for (options.cpu = -1; options.cpu <= 0; options.cpu++)
		for (int quarter = 0; quarter < 4; quarter++) {
			int64_t length = (all.last_ns - all.first_ns) / 4;
			struct sums bill, switches;

			options.from_ns = all.first_ns + quarter * length;
			options.to_ns = options.from_ns + length;
			switches = sum_switches(options);
			options.to_ns = switches.last_ns;
			bill = sum_bill(&options);
			assert_int_equal(bill.clock, switches.clock);
			assert_true(switches.clock > 0 && switches.clock < all.clock);
			options.to_ns--;
			assert_true(sum_bill(&options).switches < bill.switches);
		}
	options = (struct perftab_options)PERFTAB_OPTIONS;
	for (size_t i = 0; i < COUNT(absent); i++) {
		options.cpu = absent[i];
		assert_int_equal(sum_bill(&options).clock, 0);
	}
}

UNIT_TEST(an_unknown_bill)
{
	struct perftab *trace;

	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_bill(trace, "colour"), PERFTAB_MISUSE);
	assert_non_null(strstr(perftab_error(trace), "process|thread"));
	perftab_close(trace);
}
