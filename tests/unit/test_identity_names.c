/* test_identity_names.c - lib/attribution/identity.h: the names of threads, and when. */
#include "attribution/identity.h"

#include <string.h>

#include "identity_facts.h"
#include "unit.h"

static void setup(struct identity *id)
{
	identity_begin(id);
}

static void teardown(struct identity *id)
{
	identity_end(id);
}

UNIT_FIXTURE(struct identity, setup, teardown);

/* The last name in time counts, not the last in the file. */
UNIT_CASE(names_by_time, struct identity *id)
{
	struct thread *thread = named(id, 300, 7, 7, "third");

	named(id, 100, 7, 7, "first");
	ASSERT_STR(thread_name(thread), "third");
	assert_int_equal(thread_history(thread)->named_ns, 300);
	named(id, 400, 7, 7, "fourth");
	named(id, 200, 7, 7, "second");
	ASSERT_STR(thread_name(thread), "fourth");
	named(id, 400, 7, 7, "at once");
	ASSERT_STR(thread_name(thread), "at once");
	identity_bind(id);
	ASSERT_STR(process_name(thread->process), "at once");
}

/* A COMM without a time is about the thread that has the number now. */
UNIT_CASE(name_without_time, struct identity *id)
{
	struct thread *thread = forked(id, 100, 7, 7, 1);

	assert_ptr_equal(named(id, INT_NONE, 7, 7, "later"), thread);
	ASSERT_STR(thread_name(thread), "later");
}

/* Even when it has been switched out for the last time: who else could be meant? */
UNIT_CASE(name_without_time_of_gone, struct identity *id)
{
	struct thread *thread = gone(id, 190, 7);

	assert_ptr_equal(named(id, INT_NONE, 7, 7, "late"), thread);
	assert_int_equal(count_of(id, 7), 1);
}

UNIT_CASE(tracepoint_names, struct identity *id)
{
	struct thread *thread = identity_machine_thread(id, 7, 100);

	identity_learn_comm(id, thread, STR_NONE);
	ASSERT_STR(thread_name(thread), NULL);
	/* 16 bytes padded with NULs, after which may be leftovers. */
	identity_learn_comm(id, thread, (struct str){ "bash\0leftovers\0\0", 16 });
	ASSERT_STR(thread_name(thread), "bash");
	identity_learn_comm(id, thread,
			    (struct str){ "bash\0\0\0\0\0\0\0\0\0\0\0\0", 16 });
	ASSERT_STR(thread_name(thread), "bash");
	identity_learn_comm(id, thread,
			    (struct str){ "bas\0\0\0\0\0\0\0\0\0\0\0\0\0", 16 });
	ASSERT_STR(thread_name(thread), "bas");
	/* All 16 without a NUL, and fewer than 16. */
	identity_learn_comm(id, thread, STR("0123456789abcdef"));
	ASSERT_STR(thread_name(thread), "0123456789abcdef");
	identity_learn_comm(id, thread, STR("short"));
	ASSERT_STR(thread_name(thread), "short");
	identity_learn_comm(id, thread, STR("a\xff"));
	ASSERT_STR(thread_name(thread), "a\\xff");
	/* A COMM record knows better. */
	named(id, 100, 7, 7, "real");
	identity_learn_comm(id, thread, STR("tracepoint\0\0\0\0\0\0"));
	ASSERT_STR(thread_name(thread), "real");
}

/* A child goes by its parent's name until it has one of its own. */
UNIT_CASE(inherited_name, struct identity *id)
{
	struct thread *child;

	named(id, 50, 1, 1, "init");
	child = forked(id, 100, 7, 7, 1);
	ASSERT_STR(thread_name(child), "init");
	named(id, 110, 7, 7, "child");
	ASSERT_STR(thread_name(child), "child");
}

/* Names of any length, one after the other, and a child's. */
UNIT_CASE(long_and_short_names, struct identity *id)
{
	static const char *const names[] = { "", "a", "fifteen bytes..",
					     "sixteen bytes...", "seventeen bytes.." };

	for (size_t i = 0; i < COUNT(names); i++)
		for (size_t j = 0; j < COUNT(names); j++) {
			int64_t tid = (int64_t)(100 + 10 * i + j);
			struct thread *thread = named(id, 50, tid, tid, names[i]);

			ASSERT_STR(thread_name(thread), names[i]);
			ASSERT_STR(
				thread_name(forked(id, 60, 1000 + tid, 1000 + tid, tid)),
				names[i]);
			named(id, 70, tid, tid, names[j]);
			ASSERT_STR(thread_name(thread), names[j]);
		}
	identity_bind(id);
	ASSERT_STR(process_name(identity_thread(id, 104, 80)->process), names[4]);
	ASSERT_STR(process_name(identity_thread(id, 140, 80)->process), names[0]);
}

UNIT_CASE(invalid_names, struct identity *id)
{
	struct thread *thread = named(id, 100, 7, 7, "a\xc3");

	ASSERT_STR(thread_name(thread), "a\\xc3");
	named(id, 110, 7, 7, "");
	ASSERT_STR(thread_name(thread), "");
}
