/* test_values.c - lib/report/values.h: how much is kept of PerfLib. */
#include <string.h>

#include "report/values.h"
#include "unit.h"

#define COUNTERS 50000

static bool put(struct values *values, enum record_kind kind, const void *row)
{
	return values_on_row(values, &(struct record){ .kind = kind, .data = row });
}

static void put_counters(struct values *values)
{
	struct perflib_counterset_row set = { .counterset = 1, .title = INT_NONE };
	struct perflib_counter_row counter = {
		.counterset = 1,
		.type = 0x00400400, /* PERF_COUNTER_DELTA */
		.base_counter = INT_NONE,
		.time_counter = INT_NONE,
		.freq_counter = INT_NONE,
		.multi_counter = INT_NONE,
		.title = INT_NONE,
		.time_base = INT_NONE,
	};

	assert_true(put(values, RECORD_perflib_counterset, &set));
	for (counter.counter = 0; counter.counter < COUNTERS; counter.counter++)
		assert_true(put(values, RECORD_perflib_counter, &counter));
}

/* An incarnation of the same instance for each snapshot; how many were accepted. */
static int64_t put_incarnations(struct values *values, int64_t count)
{
	struct perflib_snapshot_row snapshot = { .perf_freq = 1 };
	struct perflib_instance_row instance = { .counterset = 1, .name = STR("x") };
	struct perflib_raw_row raw = { .bytes = 4,
				       .second = INT_NONE,
				       .multi = INT_NONE };

	for (int64_t i = 1; i <= count; i++) {
		snapshot.snapshot = raw.snapshot = instance.instance = raw.instance = i;
		assert_true(put(values, RECORD_perflib_snapshot, &snapshot));
		assert_true(put(values, RECORD_perflib_instance, &instance));
		for (raw.counter = 0; raw.counter < COUNTERS; raw.counter++)
			if (!put(values, RECORD_perflib_raw, &raw))
				return i;
	}
	return count + 1;
}

/* Incarnations that are over are freed, unless their totals are to be shown. */
UNIT_TEST(limit)
{
	struct values values = { .options = { .from_ns = INT64_MIN,
					      .to_ns = INT64_MAX } };
	int64_t count = VALUE_STATES_MAX / COUNTERS;

	values_begin(&values);
	put_counters(&values);
	assert_int_equal(put_incarnations(&values, count + 3), count + 4);
	assert_true(values.state_count <= 2 * COUNTERS);
	values_end(&values);

	values.options.keep = true;
	put_counters(&values);
	assert_int_equal(put_incarnations(&values, count + 3), count + 1);
	assert_string_equal(values.failed,
			    "too many counters of instances: choose with --counterset, "
			    "--instance, --counter");
	values_end(&values);

	/* A filter makes room. */
	values.options.counter = "#1";
	put_counters(&values);
	assert_int_equal(put_incarnations(&values, count + 3), count + 4);
	assert_int_equal(values.state_count, count + 3);
	assert_int_equal(values.statuses[PERF_STATUS_SINGLE_SAMPLE], count + 2);
	values_end(&values);
}

/* Countersets, and instances of one. */
UNIT_TEST(limits_of_names)
{
	struct values values = { .options = { .from_ns = INT64_MIN,
					      .to_ns = INT64_MAX } };
	struct perflib_counterset_row set = { .title = INT_NONE };
	struct perflib_instance_row instance = { .counterset = 1, .name = STR("x") };

	values_begin(&values);
	for (set.counterset = 1; set.counterset <= (int64_t)VALUE_SETS_MAX;
	     set.counterset++)
		assert_true(put(&values, RECORD_perflib_counterset, &set));
	assert_false(put(&values, RECORD_perflib_counterset, &set));
	assert_string_equal(values.failed, "too many countersets");
	values_end(&values);

	values_begin(&values);
	set.counterset = 1;
	assert_true(put(&values, RECORD_perflib_counterset, &set));
	for (instance.instance = 1; instance.instance <= (int64_t)VALUE_INCARNATIONS_MAX;
	     instance.instance++)
		assert_true(put(&values, RECORD_perflib_instance, &instance));
	assert_false(put(&values, RECORD_perflib_instance, &instance));
	assert_string_equal(values.failed, "too many instances");
	values_end(&values);
}

static const struct value_set *put_set(struct values *values, int64_t number,
				       struct str name, struct str machine)
{
	const struct perflib_counterset_row row = {
		.counterset = number, .title = 230, .name = name, .machine = machine
	};

	assert_true(put(values, RECORD_perflib_counterset, &row));
	return map_get(&values->set_by_number, (uint64_t)number);
}

static void assert_shown(const struct value_set *set, const char *shown, bool is_wanted)
{
	assert_int_equal(set->shown.len, strlen(shown));
	assert_memory_equal(set->shown.ptr, shown, set->shown.len);
	assert_int_equal(set->is_wanted, is_wanted);
}

/* Names of machines are shown from the second one on; paths match them in any case. */
UNIT_TEST(machines)
{
	struct values values = { .options = { .counterset = "\\\\B\\*" } };
	const struct value_set *sets[4];

	values_begin(&values);
	sets[0] = put_set(&values, 1, STR("Memory"), STR("\\\\A"));
	sets[1] = put_set(&values, 2, STR_NONE, STR("A"));
	assert_shown(sets[0], "Memory", false);
	assert_shown(sets[1], "title 230", false);
	sets[2] = put_set(&values, 3, STR("Memory"), STR("B"));
	sets[3] = put_set(&values, 4, STR("Memory"), STR_NONE);
	assert_shown(sets[0], "\\\\A\\Memory", false);
	assert_shown(sets[1], "\\\\A\\title 230", false);
	assert_shown(sets[2], "\\\\B\\Memory", true);
	assert_shown(sets[3], "Memory", false);
	values_end(&values);

	assert_shown(put_set(&values, 1, STR("Memory"), STR("B")), "Memory", true);
	values_end(&values);
}

/* Rows that do not fit the others, as a database may hold them, are passed over. */
UNIT_TEST(strange_rows)
{
	struct values values = { .options = { .from_ns = INT64_MIN,
					      .to_ns = INT64_MAX } };
	struct perflib_raw_row raw = { .snapshot = 1,
				       .instance = 7,
				       .counter = INT_NONE };
	struct perflib_counter_row counter = { .counterset = 9, .counter = -1 };
	struct perflib_instance_row instance = { .counterset = 9, .instance = 7 };
	struct perflib_snapshot_row snapshot = { .snapshot = 1 };
	struct perflib_block_row block = { .block = INT64_MAX };

	values_begin(&values);
	assert_true(put(&values, RECORD_perflib_raw, &raw));
	assert_true(put(&values, RECORD_perflib_counter, &counter));
	assert_true(put(&values, RECORD_perflib_instance, &instance));
	assert_true(put(&values, RECORD_perflib_block, &block));
	put_counters(&values);
	instance.counterset = 1;
	assert_true(put(&values, RECORD_perflib_instance, &instance));
	assert_true(put(&values, RECORD_perflib_raw, &raw));
	assert_true(put(&values, RECORD_perflib_snapshot, &snapshot));
	assert_true(put(&values, RECORD_perflib_raw, &raw));
	raw.counter = INT64_MAX;
	assert_true(put(&values, RECORD_perflib_raw, &raw));
	assert_int_equal(values.state_count, 0);
	values_end(&values);
}
