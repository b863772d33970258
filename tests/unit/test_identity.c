/* test_identity.c - lib/attribution/identity.h: incarnations of tids and pids. */
#include "attribution/outside.h"

#include <stdlib.h>
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

UNIT_CASE(one_incarnation, struct identity *id)
{
	struct thread *thread = identity_thread(id, 7, 100);

	assert_non_null(thread);
	assert_int_equal(thread->thread_id, 1);
	assert_int_equal(thread_tid(thread), 7);
	assert_int_equal(thread->start_ns, INT_NONE);
	assert_int_equal(thread_history(thread)->end_ns, INT_NONE);
	assert_int_equal(thread->seen_ns, 100);
	/* The two spaces are one until a sample shows otherwise. */
	assert_ptr_equal(identity_machine_thread(id, 7, 50), thread);
	assert_int_equal(thread->seen_ns, 50);
	assert_ptr_not_equal(identity_thread(id, 8, 100), thread);
	assert_int_equal(count_of(id, 7), 1);
}

/* What no thread can be called. */
UNIT_CASE(no_thread, struct identity *id)
{
	struct thread *parent;

	assert_null(forked(id, 100, 0, 0, 1));
	assert_null(forked(id, 100, 5, -1, 1));
	assert_null(named(id, 100, 0, 0, "swapper"));
	assert_null(exited(id, 100, -1, -1));
	assert_null(identity_fork(id, &(struct task_fork_event){ 100, 5, INT_NONE, 1, 1 },
				  &parent));
	assert_null(parent);
	assert_int_equal(id->listed, 0);
}

UNIT_CASE(idle, struct identity *id)
{
	struct thread *cpu3 = identity_idle(id, 3);
	struct thread *cpu0 = identity_idle(id, 0);

	assert_ptr_not_equal(cpu0, cpu3);
	assert_ptr_equal(identity_idle(id, 3), cpu3);
	assert_int_equal(thread_more(cpu3)->idle_cpu, 3);
	assert_int_equal(thread_tid(cpu3), 0);
	ASSERT_STR(thread_name(cpu3), "swapper/3");
	assert_ptr_equal(cpu0->process, cpu3->process);
	assert_int_equal(cpu0->process->pid, 0);
	/* Its name is its own, whatever a tracepoint says. */
	identity_learn_comm(id, cpu0, STR("swapper/0\0\0\0\0\0\0\0"));
	ASSERT_STR(thread_name(cpu0), "swapper/0");
	assert_non_null(identity_idle(id, CPU_MAX - 1));
	identity_bind(id);
	ASSERT_STR(process_name(cpu0->process), "swapper");
}

/* --- tasks outside the recorder's PID namespace --- */

static struct task_fork_event zero_fork(int64_t parent)
{
	return (struct task_fork_event){ 100, 0, 0, parent, parent };
}

/* What idle cannot have, and what it can. */
UNIT_CASE(outside_evidence, struct identity *id)
{
	struct task_comm_event comm = { 100, 0, 0, STR("make"), false };
	struct task_exit_event end = { 100, 1, 0, 0 };
	struct task_fork_event fork = zero_fork(0);

	assert_true(outside_has_comm(id, &comm));
	assert_true(outside_has_exit(id, &end));
	assert_true(outside_has_fork(id, &fork));
	fork = zero_fork(2); /* kthreadd makes the idle task of a CPU that comes up */
	assert_false(outside_has_fork(id, &fork));
	comm.name = STR("swapper/3");
	assert_false(outside_has_comm(id, &comm));
	comm.name = STR("swap");
	assert_true(outside_has_comm(id, &comm));
	comm.name = STR("");
	assert_false(outside_has_comm(id, &comm));
	end.pid = 7;
	assert_false(outside_has_exit(id, &end));
	end.pid = 0;
	id->processes_apart = true;
	assert_false(outside_has_exit(id, &end));
}

/* No tracepoint: what was idle's may be another's, and is of one process. */
UNIT_CASE(outside_with_idle, struct identity *id)
{
	struct thread *cpu0 = outside_or_idle(id, 0), *cpu2, *named, *thread;

	assert_int_equal(thread_more(cpu0)->idle_cpu, 0);
	assert_false(outside_bind(id)); /* nothing says so */
	named = outside_thread(id);
	assert_ptr_equal(outside_thread(id), named);
	cpu2 = outside_or_idle(id, 2);
	assert_ptr_not_equal(cpu2, named);
	thread = identity_thread(id, 7, 100);
	assert_true(outside_bind(id));
	identity_bind(id);
	assert_int_equal(thread_more(cpu0)->idle_cpu, INT_NONE);
	ASSERT_STR(thread_name(cpu0), "outside/0");
	ASSERT_STR(thread_name(cpu2), "outside/2");
	ASSERT_STR(process_name(cpu2->process), OUTSIDE_NAME);
	assert_ptr_equal(cpu0->process, named->process);
	assert_int_equal(named->process->pid, INT_NONE);
	/* Idle's own process is no longer listed; the others are. */
	for (struct process *p = id->processes; p; p = p->next)
		assert_int_not_equal(p->pid, 0);
	assert_int_equal(thread->process->pid, 7);
	/* A later interval of a live trace: another CPU, and the same once more. */
	assert_int_equal(thread_more(outside_or_idle(id, 1))->idle_cpu, 1);
	assert_true(outside_bind(id));
	ASSERT_STR(thread_name(outside_or_idle(id, 1)), "outside/1");
}

/* A tracepoint names idle: id 0 of the recorder is another task's. */
UNIT_CASE(outside_without_idle, struct identity *id)
{
	struct thread *idle = identity_idle(id, 0);

	id->machine_names_idle = true;
	assert_ptr_equal(outside_or_idle(id, 0), idle);
	outside_thread(id);
	assert_ptr_equal(outside_or_idle(id, 0), outside_thread(id));
	assert_false(outside_bind(id));
	identity_bind(id);
	assert_int_equal(thread_more(idle)->idle_cpu, 0);
	ASSERT_STR(process_name(idle->process), "swapper");
}

/* --- numbers that are used again --- */

/* A FORK with the time of the first switch of its tid is the birth of that thread. */
UNIT_CASE(fork_as_first_seen, struct identity *id)
{
	struct thread *thread = identity_thread(id, 7, 100);

	assert_ptr_equal(forked(id, 100, 7, 7, 1), thread);
	assert_int_equal(thread->start_ns, 100);
	assert_int_equal(count_of(id, 7), 1);
}

/* A FORK at time 0 was synthesised: the thread ran before the recording. */
UNIT_CASE(fork_at_zero, struct identity *id)
{
	struct thread *thread = identity_thread(id, 7, 100);

	assert_ptr_equal(forked(id, 0, 7, 7, 1), thread);
	assert_int_equal(thread->start_ns, INT_NONE);
	assert_int_equal(forked(id, 0, 8, 8, 1)->start_ns, INT_NONE);
	assert_int_equal(forked(id, 1, 9, 9, 1)->start_ns, 1);
}

/* A FORK that comes late gives no name to a thread that has its own. */
UNIT_CASE(fork_after_name, struct identity *id)
{
	struct thread *thread;

	named(id, 100, 1, 1, "parent");
	thread = named(id, 200, 7, 7, "own");
	assert_ptr_equal(forked(id, 150, 7, 7, 1), thread);
	ASSERT_STR(thread_name(thread), "own");
	ASSERT_STR(thread_name(forked(id, 300, 8, 8, 1)), "parent");
}

/* The incarnation that was found last is not that of a number used again. */
UNIT_CASE(found_again, struct identity *id)
{
	struct thread *old = identity_machine_thread(id, 7, 100), *fresh;

	assert_ptr_equal(identity_machine_thread(id, 7, 110), old);
	fresh = forked(id, 200, 7, 7, 1); /* without an EXIT */
	assert_ptr_not_equal(fresh, old);
	assert_ptr_equal(identity_machine_thread(id, 7, 210), fresh);
	assert_ptr_equal(identity_machine_thread(id, 7, 199), old);
}

/* In order: FORK, use, EXIT, FORK, use. */
UNIT_CASE(reuse_in_order, struct identity *id)
{
	struct thread *first = forked(id, 100, 7, 7, 1);
	struct thread *second;

	assert_ptr_equal(identity_thread(id, 7, 110), first);
	assert_ptr_equal(exited(id, 190, 7, 7), first);
	second = forked(id, 200, 7, 7, 1);
	assert_ptr_not_equal(second, first);
	assert_ptr_equal(identity_thread(id, 7, 210), second);
	assert_ptr_equal(identity_thread(id, 7, 199), first);
	assert_ptr_equal(identity_thread(id, 7, 200), second);
	assert_int_equal(thread_history(first)->end_ns, 190);
	assert_int_equal(thread_history(second)->end_ns, INT_NONE);
	assert_int_equal(second->start_ns, 200);
	assert_ptr_not_equal(first->process, second->process);
	assert_int_equal(first->process->pid, 7);
	assert_int_equal(second->process->pid, 7);
	assert_int_equal(count_of(id, 7), 2);
}

/* The child's first use is before its FORK in the file. */
UNIT_CASE(use_before_fork, struct identity *id)
{
	struct thread *thread = identity_machine_thread(id, 7, 120);

	assert_ptr_equal(forked(id, 100, 7, 7, 1), thread);
	assert_int_equal(thread->start_ns, 100);
	assert_int_equal(count_of(id, 7), 1);
	assert_ptr_equal(identity_machine_thread(id, 7, 130), thread);
	/* Another thread must have had the number before. */
	assert_ptr_not_equal(identity_machine_thread(id, 7, 90), thread);
	assert_int_equal(count_of(id, 7), 2);
}

/* The first use of the second incarnation is before its FORK: GONE separates them. */
UNIT_CASE(reuse_before_fork, struct identity *id)
{
	struct thread *first = forked(id, 100, 7, 7, 1);
	struct thread *second;

	assert_ptr_equal(gone(id, 190, 7), first);
	second = identity_machine_thread(id, 7, 210);
	assert_ptr_not_equal(second, first);
	assert_ptr_equal(forked(id, 200, 7, 7, 1), second);
	assert_int_equal(second->start_ns, 200);
	assert_ptr_equal(identity_machine_thread(id, 7, 150), first);
	assert_ptr_equal(identity_machine_thread(id, 7, 250), second);
	assert_int_equal(count_of(id, 7), 2);
}

/* The last switch of an incarnation has the time of its end, and is its own. */
UNIT_CASE(last_switch, struct identity *id)
{
	struct thread *thread = gone(id, 190, 7);

	assert_ptr_equal(identity_machine_thread(id, 7, 190), thread);
	assert_ptr_equal(identity_machine_thread(id, 7, 180), thread);
	assert_ptr_not_equal(identity_machine_thread(id, 7, 191), thread);
}

/* An incarnation that ran before the recording, then a FORK of the same number. */
UNIT_CASE(reuse_of_early_thread, struct identity *id)
{
	struct thread *early = named(id, 0, 7, 7, "early");
	struct thread *late;

	assert_ptr_equal(identity_thread(id, 7, 50), early);
	late = forked(id, 100, 7, 7, 1);
	assert_ptr_not_equal(late, early);
	assert_ptr_equal(identity_thread(id, 7, 50), early);
	assert_ptr_equal(identity_thread(id, 7, 150), late);
	assert_int_equal(early->start_ns, INT_NONE);
	ASSERT_STR(thread_name(early), "early");
}

/* Three incarnations whose FORKs come in every order in the file. */
UNIT_TEST(forks_in_any_order)
{
	static const int64_t orders[][3] = { { 100, 200, 300 }, { 100, 300, 200 },
					     { 200, 100, 300 }, { 200, 300, 100 },
					     { 300, 100, 200 }, { 300, 200, 100 } };

	for (size_t i = 0; i < COUNT(orders); i++) {
		struct identity id = { .last_thread_id = 0 };

		identity_begin(&id);
		for (size_t k = 0; k < 3; k++)
			assert_non_null(forked(&id, orders[i][k], 7, 7, 1));
		for (int64_t ts = 100; ts <= 300; ts += 100) {
			assert_int_equal(identity_thread(&id, 7, ts)->start_ns, ts);
			assert_int_equal(identity_thread(&id, 7, ts + 99)->start_ns, ts);
			assert_int_equal(
				identity_machine_thread(&id, 7, ts + 50)->start_ns, ts);
		}
		assert_int_equal(identity_thread(&id, 7, 99)->start_ns, INT_NONE);
		assert_int_equal(count_of(&id, 7), 4);
		identity_end(&id);
	}
}

/* The pid of a process is used again for another one with threads. */
UNIT_CASE(process_reuse, struct identity *id)
{
	struct thread *main1 = forked(id, 100, 7, 7, 1);
	struct thread *thread1 = forked(id, 110, 7, 8, 7);
	struct thread *main2, *thread2;

	assert_ptr_equal(thread1->process, main1->process);
	exited(id, 150, 7, 8);
	exited(id, 160, 7, 7);
	main2 = forked(id, 200, 7, 7, 1);
	thread2 = forked(id, 210, 7, 8, 7);
	assert_ptr_equal(thread2->process, main2->process);
	assert_ptr_not_equal(main2->process, main1->process);
	assert_int_equal(main1->process->parent_pid, 1);
	/* A sample of the first process that comes late in the file. */
	assert_ptr_equal(identity_thread(id, 8, 120), thread1);
	identity_learn_process(id, thread1, 7, 120);
	assert_ptr_equal(thread1->process, main1->process);
}

/* --- names --- */

/* What a thread has more than others comes one by one. */
UNIT_CASE(more, struct identity *id)
{
	struct thread *first = exited(id, 100, 7, 7), *second;

	assert_int_equal(thread_more(first)->recorder_tid, INT_NONE);
	record(id, first, 8, 9);
	assert_int_equal(thread_history(first)->end_ns, 100);
	assert_int_equal(thread_more(first)->recorder_tid, 9);
	gone(id, 110, 7);
	second = forked(id, 120, 7, 7, 1);
	assert_ptr_equal(thread_history(second)->older, first);
	assert_int_equal(thread_history(first)->gone_ns, 110);
	assert_int_equal(thread_more(first)->recorder_pid, 8);
}

/* --- processes that become known late --- */

UNIT_CASE(late_process, struct identity *id)
{
	struct thread *thread = identity_machine_thread(id, 8, 100);
	struct thread *other = identity_machine_thread(id, 9, 100);
	struct thread *main;

	assert_null(thread->process);
	identity_learn_process(id, thread, 0, 100);
	identity_learn_process(id, thread, -1, 100);
	assert_null(thread->process);
	identity_learn_process(id, thread, 7, 110);
	assert_non_null(thread->process);
	assert_int_equal(thread->process->pid, 7);
	/* Its main thread is known from then on, and is the same process. */
	main = identity_thread(id, 7, 120);
	assert_ptr_equal(main->process, thread->process);
	/* Once known it stays. */
	identity_learn_process(id, thread, 99, 120);
	assert_int_equal(thread->process->pid, 7);
	/* No record described this one: it is a process of its own. */
	identity_bind(id);
	assert_int_equal(other->process->pid, 9);
	assert_ptr_equal(other->process->main, other);
}

/* A process without a named main thread goes by its first named one. */
UNIT_CASE(process_name, struct identity *id)
{
	struct thread *thread = named(id, 100, 7, 8, "worker");
	struct thread *main = named(id, 100, 5, 5, "main");
	struct thread *helper = named(id, 100, 5, 6, "helper");

	identity_bind(id);
	ASSERT_STR(process_name(thread->process), "worker");
	ASSERT_STR(process_name(main->process), "main");
	assert_ptr_equal(helper->process, main->process);
}

/* --- two spaces of numbers --- */

UNIT_CASE(split, struct identity *id)
{
	struct thread *recorder = named(id, 0, 7, 7, "inside");
	struct thread *verified = identity_machine_thread(id, 20, 100);
	struct thread *machine;

	verified->verified = true; /* a sample's own tid was 20 as well */
	assert_ptr_equal(identity_machine_thread(id, 7, 100), recorder);
	identity_split_spaces(id);
	identity_split_spaces(id);
	/* Now 7 of the tracepoint is another thread than 7 of COMM. */
	machine = identity_machine_thread(id, 7, 110);
	assert_ptr_not_equal(machine, recorder);
	assert_ptr_equal(identity_machine_thread(id, 7, 120), machine);
	assert_ptr_equal(identity_thread(id, 7, 120), recorder);
	ASSERT_STR(thread_name(machine), NULL);
	/* What was proven to be the same in both stays one. */
	assert_ptr_equal(identity_machine_thread(id, 20, 120), verified);
	assert_ptr_equal(identity_thread(id, 20, 120), verified);
}

/* Threads whose recorder numbers are known belong to their recorder process. */
UNIT_CASE(split_processes, struct identity *id)
{
	struct thread *main, *worker, *stray;

	identity_split_spaces(id);
	main = identity_machine_thread(id, 1007, 100);
	worker = identity_machine_thread(id, 1008, 100);
	stray = identity_machine_thread(id, 1009, 100);
	record(id, main, 7, 7);
	record(id, worker, 7, 8);
	record(id, stray, 5, 9); /* whose main thread was never seen */
	identity_bind(id);
	assert_ptr_equal(worker->process, main->process);
	assert_int_equal(main->process->pid, 1007);
	assert_ptr_not_equal(stray->process, main->process);
	assert_int_equal(stray->process->pid, 1009);
}

/* --- one trace after another --- */

UNIT_CASE(ids_go_on, struct identity *id)
{
	struct thread *thread = forked(id, 100, 7, 7, 1);
	int64_t thread_id = thread->thread_id, process_id = thread->process->process_id;
	int64_t last = id->last_thread_id;

	assert_true(last >= thread_id);
	identity_end(id);
	assert_int_equal(id->listed, 0);
	assert_int_equal(id->thread_count, 0);
	thread = forked(id, 100, 7, 7, 1);
	assert_int_equal(thread->thread_id, last + 1);
	assert_true(thread->process->process_id > process_id);
}

/* Tids from a hostile file: any number, many incarnations. */
UNIT_CASE(odd_numbers, struct identity *id)
{
	static const int64_t tids[] = { 1,   INT32_MAX, -2,
					255, INT32_MIN, INT64_C(1) << 31,
					256, 65536,	INT64_C(1) << 40 | 1,
					511 };

	for (size_t i = 0; i < COUNT(tids); i++)
		for (size_t k = 0; k < COUNT(tids); k++) {
			struct thread *thread = identity_machine_thread(id, tids[k], 100);

			assert_int_equal(thread_tid(thread), tids[k]);
			assert_ptr_equal(identity_thread(id, tids[k], 100), thread);
		}
	for (size_t i = 0; i < COUNT(tids); i++)
		assert_int_equal(count_of(id, tids[i]), 1);
	/* Times at the edges. */
	assert_non_null(identity_thread(id, 1, INT64_MAX));
	assert_non_null(identity_thread(id, 1, INT64_MIN + 1));
	assert_non_null(forked(id, INT64_MAX, 1, 1, 1));
	assert_non_null(forked(id, INT64_MIN, 1, 1, 1));
	assert_non_null(exited(id, INT64_MIN, 1, 1));
}
