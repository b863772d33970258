/*
 * test_identity_apart.c - lib/attribution/identity.h where pids name processes alone, as
 * on Windows: a process has its own incarnations, and no thread needs to have its number.
 */
#include "attribution/identity.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void setup(struct identity *id)
{
	identity_begin(id);
	id->processes_apart = true;
}

static void teardown(struct identity *id)
{
	identity_end(id);
}

UNIT_FIXTURE(struct identity, setup, teardown);

static void process(struct identity *id, int64_t ts, unsigned int what, int64_t pid,
		    const char *name)
{
	identity_process(id, &(struct task_process_event){ .ts_ns = ts,
							   .pid = pid,
							   .parent_pid = INT_NONE,
							   .what = what,
							   .name = str_of(name),
							   .command = STR_NONE });
}

static struct thread *started(struct identity *id, int64_t ts, int64_t pid, int64_t tid)
{
	struct thread *parent;

	return identity_fork(
		id, &(struct task_fork_event){ ts, pid, tid, INT_NONE, INT_NONE },
		&parent);
}

static struct thread *alive(struct identity *id, int64_t ts, int64_t pid, int64_t tid)
{
	return identity_comm(id,
			     &(struct task_comm_event){ ts, pid, tid, STR_NONE, false });
}

static size_t threads_of(const struct identity *id)
{
	return id->listed;
}

/* No thread has the number of its process, and none is made up for it. */
UNIT_CASE(processes_are_no_threads, struct identity *id)
{
	struct thread *thread;

	process(id, 10, PROCESS_STARTED, 100, "a.exe");
	thread = started(id, 11, 100, 104);
	identity_bind(id);
	assert_int_equal(threads_of(id), 1);
	assert_int_equal(thread->process->pid, 100);
	ASSERT_STR(process_name(thread->process), "a.exe");
	ASSERT_STR(thread_name(thread), NULL);
	assert_int_equal(thread->process->main->start_ns, 10);
}

/* The number of a process may be a thread's, before and after. */
UNIT_CASE(one_number_for_both, struct identity *id)
{
	struct thread *before, *after;

	process(id, 0, PROCESS_ALIVE, 100, "a.exe");
	before = alive(id, 0, 100, 200);
	identity_exit(id, &(struct task_exit_event){ 50, INT_NONE, 100, 200 });
	process(id, 60, PROCESS_STARTED, 200, "b.exe");
	after = started(id, 61, 200, 300);
	identity_bind(id);
	assert_int_equal(threads_of(id), 2);
	ASSERT_STR(process_name(before->process), "a.exe");
	ASSERT_STR(process_name(after->process), "b.exe");
}

/* Pids and tids are used again by others. */
UNIT_CASE(reuse, struct identity *id)
{
	struct thread *first, *second;

	process(id, 0, PROCESS_ALIVE, 100, "old.exe");
	first = alive(id, 0, 100, 104);
	process(id, 40, PROCESS_ENDED, 100, NULL);
	process(id, 50, PROCESS_STARTED, 100, "new.exe");
	second = started(id, 51, 100, 104);
	assert_ptr_not_equal(first, second);
	assert_ptr_equal(identity_machine_thread(id, 104, 45), first);
	assert_ptr_equal(identity_machine_thread(id, 104, 60), second);
	identity_bind(id);
	ASSERT_STR(process_name(first->process), "old.exe");
	assert_int_equal(thread_history(first->process->main)->end_ns, 40);
	ASSERT_STR(process_name(second->process), "new.exe");
}

/* A switch after the end still finds who it was. */
UNIT_CASE(after_the_end, struct identity *id)
{
	struct thread *thread;

	process(id, 0, PROCESS_ALIVE, 100, "a.exe");
	thread = alive(id, 0, 100, 104);
	identity_exit(id, &(struct task_exit_event){ 40, INT_NONE, 100, 104 });
	process(id, 40, PROCESS_ENDED, 100, NULL);
	assert_ptr_equal(identity_machine_thread(id, 104, 41), thread);
	assert_int_equal(thread_history(thread)->end_ns, 40);
}

/* Who is known from the rundown at the end alone was there all the time. */
UNIT_CASE(known_at_the_end, struct identity *id)
{
	struct thread *thread = identity_machine_thread(id, 104, 5);

	process(id, 90, PROCESS_ALIVE, 100, "late.exe");
	assert_ptr_equal(alive(id, 91, 100, 104), thread);
	identity_bind(id);
	ASSERT_STR(process_name(thread->process), "late.exe");
	assert_int_equal(threads_of(id), 1);
}

/* No record describes these: one process for all of them, of no number. */
UNIT_CASE(unknown, struct identity *id)
{
	struct thread *a = identity_machine_thread(id, 104, 5);
	struct thread *b = identity_machine_thread(id, 108, 5);

	identity_bind(id);
	assert_ptr_equal(a->process, b->process);
	assert_int_equal(a->process->pid, INT_NONE);
	ASSERT_STR(process_name(a->process), "(unknown)");
}

UNIT_CASE(idle, struct identity *id)
{
	struct thread *idle = identity_idle(id, 3);

	process(id, 0, PROCESS_ALIVE, 0, "Idle");
	identity_bind(id);
	ASSERT_STR(thread_name(idle), "Idle/3");
	ASSERT_STR(process_name(idle->process), "Idle");
	assert_int_equal(idle->process->pid, 0);
}

/* The command line is kept, and the first name that is reported. */
UNIT_CASE(command, struct identity *id)
{
	struct task_process_event event = { .ts_ns = 5,
					    .pid = 100,
					    .parent_pid = 4,
					    .what = PROCESS_STARTED,
					    .name = STR("a.exe"),
					    .command = STR("a.exe --all \xff") };

	identity_process(id, &event);
	event.what = PROCESS_ENDED;
	event.name = STR("other");
	event.command = STR_NONE;
	identity_process(id, &event);
	identity_bind(id);
	ASSERT_STR(process_name(id->processes), "a.exe");
	ASSERT_STR(id->processes->more->command, "a.exe --all \\xff");
	assert_int_equal(id->processes->parent_pid, 4);
}

/* Known beforehand: in doubt from 20 on, another process's from 40 on. */
UNIT_CASE(handed_over, struct identity *id)
{
	struct thread *first, *doubt, *second;

	process(id, 0, PROCESS_ALIVE, 100, "a.exe");
	process(id, 0, PROCESS_ALIVE, 200, "b.exe");
	identity_hand_over(id, &(struct task_handed_event){ 104, 20, 40, false });
	first = alive(id, 5, 100, 104);
	assert_ptr_equal(identity_machine_thread(id, 104, 19), first);
	doubt = identity_machine_thread(id, 104, 20);
	assert_true(doubt->in_doubt);
	second = identity_machine_thread(id, 104, 40);
	identity_learn_process(id, doubt, 200, 30); /* nothing settles it */
	identity_exit(id, &(struct task_exit_event){ 90, INT_NONE, 200, 104 });
	identity_bind(id);
	ASSERT_STR(process_name(first->process), "a.exe");
	ASSERT_STR(process_name(doubt->process), "(unknown)");
	ASSERT_STR(process_name(second->process), "b.exe");
	assert_int_equal(thread_history(second)->end_ns, 90);
	assert_int_equal(thread_history(first)->end_ns, INT_NONE);
}

/* The id of a process: threads that start in between are of neither. */
UNIT_CASE(handed_over_process, struct identity *id)
{
	struct thread *first, *between, *second;

	identity_hand_over(id, &(struct task_handed_event){ 100, 20, 40, true });
	process(id, 0, PROCESS_ALIVE, 100, "a.exe");
	first = alive(id, 5, 100, 104);
	between = alive(id, 30, 100, 108);
	second = alive(id, 90, 100, 112);
	process(id, 95, PROCESS_ALIVE, 100, "b.exe");
	identity_bind(id);
	ASSERT_STR(process_name(first->process), "a.exe");
	ASSERT_STR(process_name(between->process), "(unknown)");
	ASSERT_STR(process_name(second->process), "b.exe");
	assert_false(between->in_doubt);
}

/* A thread of a process that ended in a loss: until it starts again it is in doubt. */
UNIT_CASE(handed_over_to_none, struct identity *id)
{
	const struct task_fork_event again = { 60, 200, 104, INT_NONE, INT_NONE };
	struct thread *parent;

	identity_hand_over(id, &(struct task_handed_event){ 104, 20, INT64_MAX, false });
	(void)alive(id, 5, 100, 104);
	assert_true(identity_machine_thread(id, 104, 59)->in_doubt);
	(void)identity_fork(id, &again, &parent);
	assert_false(identity_machine_thread(id, 104, 60)->in_doubt);
	assert_int_equal(identity_machine_thread(id, 104, 60)->process->pid, 200);
}

/* An incarnation in doubt that ran at no time belongs to no process. */
UNIT_CASE(handed_over_unseen, struct identity *id)
{
	identity_hand_over(id, &(struct task_handed_event){ 104, 20, 40, false });
	(void)alive(id, 50, 200, 104);
	identity_bind(id);
	assert_null(id->unknown_process);
	assert_int_equal(id->processes->pid, 200);
}
