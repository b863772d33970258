/* test_ledger_unions.c - lib/attribution/ledger.h: switches that several groups see. */
#include "attribution/ledger.h"

#include "unit.h"

struct fixture {
	struct ledger ledger;
	struct unit_notes notes;
	struct sink sink;
};

static void declare(struct fixture *f, int64_t group_id)
{
	ledger_group(&f->ledger, &(struct counter_group_row){ .group_id = group_id,
							      .scope = STR("cpu") });
}

/* Group 1 is there; a second one comes when a case says so. */
static void setup(struct fixture *f)
{
	f->sink = unit_noting_sink(&f->notes);
	f->ledger.from_ns = INT64_MIN;
	f->ledger.to_ns = INT64_MAX;
	ledger_begin(&f->ledger, 7, 1);
	ledger_thread(&f->ledger, 2, 20, false);
	declare(f, 1);
}

static void teardown(struct fixture *f)
{
	ledger_end(&f->ledger);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* The switch from thread 2 to this one that the group saw at that time. */
static void add_to(struct fixture *f, int64_t group_id, int64_t ts_ns, int64_t next_id)
{
	ledger_add(&f->ledger,
		   &(struct context_switch_row){ .ts_ns = ts_ns,
						 .group_id = group_id,
						 .prev_thread_id = 2,
						 .next_thread_id = next_id,
						 .status = CHARGE_CHARGED,
						 .running_ns = INT_NONE },
		   false, 0, NULL, NULL, 0);
}

static void add(struct fixture *f, int64_t group_id, int64_t ts_ns)
{
	add_to(f, group_id, ts_ns, 3);
}

static enum status note(void *context, enum record_kind kind, const void *row)
{
	struct fixture *f = context;

	return sink_put(&f->sink, &(struct record){ .kind = kind, .data = row });
}

static void assert_switches(struct fixture *f, const char *first, const char *second)
{
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	HAS(unit_notes_of(&f->notes, "cpu_summary"), first, second);
}

/* The second group sees the same switches a little later, but for one. */
UNIT_CASE(groups, struct fixture *f)
{
	declare(f, 2);
	for (int i = 0; i < 3; i++) {
		const int64_t ts_ns = i * 10 * (int64_t)SAME_SWITCH_NS;

		add(f, 1, ts_ns);
		if (i != 1)
			add(f, 2, ts_ns + 1000);
	}
	assert_switches(f, "cpu=0 group_id=1 switches=3 all_switches=3 ",
			"cpu=0 group_id=2 switches=2 all_switches=3 ");
}

/* A group is declared when it is first seen: the switches until then are of all. */
UNIT_CASE(late_group, struct fixture *f)
{
	const int64_t apart = 10 * (int64_t)SAME_SWITCH_NS;

	for (int i = 0; i < 3; i++)
		add(f, 1, i * apart);
	declare(f, 2);
	add(f, 2, 2 * apart + 1000);
	add(f, 1, 3 * apart);
	add(f, 2, 3 * apart + 1000);
	assert_switches(f, "cpu=0 group_id=1 switches=4 all_switches=4 ",
			"cpu=0 group_id=2 switches=2 all_switches=4 ");
}

/* Within SAME_SWITCH_NS only another group can have seen the same switch. */
UNIT_CASE(quick_switches, struct fixture *f)
{
	declare(f, 2);
	add(f, 1, 0);
	add(f, 1, 500);
	add(f, 2, 500);
	assert_switches(f, "cpu=0 group_id=1 switches=2 all_switches=2 ",
			"cpu=0 group_id=2 switches=1 all_switches=2 ");
}

/* A group that does not know the next thread may have seen the same switch. */
UNIT_CASE(unknown_next, struct fixture *f)
{
	declare(f, 2);
	add(f, 1, 0);
	add_to(f, 2, 500, INT_NONE);
	add(f, 1, 1000);
	add_to(f, 2, 1500, 4);
	assert_switches(f, "cpu=0 group_id=1 switches=2 all_switches=3 ",
			"cpu=0 group_id=2 switches=2 all_switches=3 ");
}
