/* test_forget.c - lib/attribution/forget.h: a live trace forgets threads that ended. */
#include "attribution/forget.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/outside.h"
#include "base/text.h"
#include "events.h"

/* As many as may be kept: twice those of an interval, or the least worth a copy. */
#define MOST_THREADS 600

struct world {
	struct identity identity;
	struct chains chains;
	struct cgroups cgroups;
	struct findings findings;
};

static void setup(struct world *w)
{
	identity_begin(&w->identity);
	chains_begin(&w->chains);
	cgroups_begin(&w->cgroups);
}

static void teardown(struct world *w)
{
	assert_false(w->identity.out_of_memory);
	identity_end(&w->identity);
	chains_end(&w->chains);
	cgroups_end(&w->cgroups);
}

UNIT_FIXTURE(struct world, setup, teardown);

/* --- the facts, short --- */

static struct thread *forked(struct world *w, int64_t ts, int64_t pid, int64_t parent)
{
	struct thread *unused;

	return identity_fork(&w->identity,
			     &(struct task_fork_event){ ts, pid, pid, parent, parent },
			     &unused);
}

static void named(struct world *w, int64_t ts, int64_t pid, const char *name)
{
	assert_non_null(identity_comm(&w->identity,
				      &(struct task_comm_event){ ts, pid, pid,
								 str_of(name), true }));
}

static void exited(struct world *w, int64_t ts, int64_t pid)
{
	assert_non_null(identity_exit(&w->identity,
				      &(struct task_exit_event){ ts, 0, pid, pid }));
}

static void forget(struct world *w, int64_t before_ns)
{
	identity_bind(&w->identity);
	forget_ended(&w->identity, &w->chains, &w->cgroups, before_ns);
}

/* Children of `parent` with numbers from `first` on, which end 1 ns after ts. */
static void brief_threads(struct world *w, int64_t ts, int64_t first, int count,
			  int64_t parent)
{
	for (int i = 0; i < count; i++) {
		forked(w, ts, first + i, parent);
		named(w, ts, first + i, "short");
		exited(w, ts + 1, first + i);
	}
}

static size_t listed(const struct identity *identity)
{
	for (size_t i = 0; i < identity->listed; i++) /* the ledger's place */
		assert_int_equal(identity_at(identity, i)->thread_id, i + 1);
	assert_int_equal(identity->listed, identity->last_thread_id);
	return identity->listed;
}

static size_t numbers(const struct identity *identity)
{
	size_t count = 0;
	uint64_t at = 0;
	int64_t tid;

	while (tid_space_next(&identity->recorder_space, &at, &tid))
		count++;
	return count;
}

/* --- tests --- */

UNIT_CASE(memory_is_flat, struct world *w)
{
	named(w, 0, 1, "shell");
	for (int64_t round = 0; round < 500; round++) {
		brief_threads(w, 1000 * round, 1000 + round % 50 * 200, 200, 1);
		forget(w, 1000 * round);
		assert_true(listed(&w->identity) <= MOST_THREADS);
		assert_true(w->identity.thread_count <= MOST_THREADS);
		assert_true(numbers(&w->identity) <= MOST_THREADS);
		assert_true(w->identity.name_bytes <= 10 * MOST_THREADS);
	}
	assert_int_equal(identity_thread(&w->identity, 1, INT64_MAX)->thread_id, 1);
}

/* Numbers over those that a table has room for. */
UNIT_CASE(large_numbers, struct world *w)
{
	const int64_t large = INT64_C(1) << 40;

	named(w, 0, large, "large");
	brief_threads(w, 20, large + 1, 300, 1);
	assert_int_equal(numbers(&w->identity), 302);
	forget(w, 30);
	assert_int_equal(numbers(&w->identity), 2);
	assert_int_equal(listed(&w->identity), 2);
	assert_true(str_equal(thread_name(identity_thread(&w->identity, large, 40)),
			      STR("large")));
}

/* The thread and the process of all tasks outside the namespace are still those. */
UNIT_CASE(tasks_outside_stay, struct world *w)
{
	struct thread *outside = outside_thread(&w->identity);

	assert_non_null(outside);
	brief_threads(w, 20, 1000, 300, 1);
	forget(w, 30);
	assert_int_equal(listed(&w->identity), 2);
	outside = outside_thread(&w->identity);
	assert_ptr_equal(outside->process, w->identity.outside_process);
	assert_true(str_equal(process_name(outside->process), STR(OUTSIDE_NAME)));
	assert_int_equal(listed(&w->identity), 2);
}

UNIT_CASE(living_stay_as_they_are, struct world *w)
{
	struct thread *thread;

	forked(w, 10, 7, 1);
	named(w, 11, 7, "stays");
	identity_command(&w->identity,
			 &(struct task_command_event){ 12, 7, STR("stays -x") });
	brief_threads(w, 20, 1000, 300, 7);
	/* Its first incarnation ends, its second does not. */
	forked(w, 21, 8, 7);
	exited(w, 22, 8);
	forked(w, 30, 8, 7);
	named(w, 31, 8, "again");
	cgroups_set(&w->cgroups, identity_thread(&w->identity, 7, 40)->thread_id, 77);
	cgroups_set(&w->cgroups, identity_thread(&w->identity, 8, 40)->thread_id, 88);
	forget(w, 25);
	assert_int_equal(listed(&w->identity), 3);
	thread = identity_thread(&w->identity, 7, 50);
	assert_true(str_equal(thread_name(thread), STR("stays")));
	assert_int_equal(thread->start_ns, 10);
	assert_true(str_equal(process_name(thread->process), STR("stays")));
	assert_true(str_equal(thread->process->more->command, STR("stays -x")));
	assert_ptr_equal(thread->process->main, thread);
	assert_int_equal(cgroups_get(&w->cgroups, thread->thread_id), 77);
	thread = identity_thread(&w->identity, 8, 50);
	assert_null(thread_history(thread)->older);
	assert_int_equal(thread->incarnations, 1);
	assert_int_equal(cgroups_get(&w->cgroups, thread->thread_id), 88);
	assert_int_equal(thread->process->parent_pid, 7);
	/* A number of a forgotten one is a new thread. */
	assert_false(thread_name(identity_thread(&w->identity, 1000, 50)).ptr);
}

UNIT_CASE(late_enders_stay, struct world *w)
{
	brief_threads(w, 20, 1000, 300, 1);
	forget(w, 21); /* they ended at 21 */
	assert_int_equal(listed(&w->identity), 301);
	w->identity.forget_at = 0;
	forget(w, 22);
	assert_int_equal(listed(&w->identity), 1);
}

UNIT_CASE(few_are_not_worth_it, struct world *w)
{
	brief_threads(w, 20, 1000, 100, 1);
	forget(w, 100);
	assert_int_equal(listed(&w->identity), 101);
}

/* The process of a thread stays, with the main thread that names it. */
UNIT_CASE(main_thread_that_ended, struct world *w)
{
	struct thread *unused;

	forked(w, 10, 7, 1);
	named(w, 10, 7, "main");
	identity_fork(&w->identity, &(struct task_fork_event){ 11, 7, 71, 7, 7 },
		      &unused);
	exited(w, 12, 7);
	brief_threads(w, 20, 1000, 300, 1);
	forget(w, 30);
	identity_bind(&w->identity);
	assert_true(
		str_equal(process_name(identity_thread(&w->identity, 71, 40)->process),
			  STR("main")));
}

/* 5 -> 6 (ended) -> 7 (ended) -> 8: then 5 is the parent of 8. */
UNIT_CASE(nearest_ancestor_adopts, struct world *w)
{
	named(w, 0, 5, "root");
	forked(w, 1, 6, 5);
	forked(w, 2, 7, 6);
	forked(w, 3, 8, 7);
	exited(w, 4, 6);
	exited(w, 5, 7);
	/* The number of an ancestor may be the child's own. */
	forked(w, 6, 300, 301);
	forked(w, 7, 301, 300);
	exited(w, 8, 300);
	brief_threads(w, 20, 1000, 300, 1);
	forget(w, 30);
	assert_int_equal(identity_thread(&w->identity, 8, 40)->process->parent_pid, 5);
	assert_int_equal(identity_thread(&w->identity, 301, 40)->process->parent_pid,
			 300);
}

/* So does who was there at the last edge of an interrupt. */
UNIT_CASE(threads_at_edges_stay, struct world *w)
{
	static const uint64_t values[] = { 0, 1 };
	static const size_t slots[] = { 1 };
	static const struct edge_slots edges = { COUNT(slots), slots };
	struct edge_event edge = { .kind = INTERRUPT_IRQ,
				   .is_entry = true,
				   .vector = 25,
				   .slot = 1,
				   .at = { .ts_ns = 15,
					   .group_id = 1,
					   .prev_tid = INT_NONE,
					   .next_tid = INT_NONE,
					   .prev_state = INT_NONE,
					   .sample_pid = 7,
					   .sample_tid = 7,
					   .enabled_ns = INT_NONE,
					   .running_ns = INT_NONE,
					   .leader_lost = INT_NONE,
					   .values = values,
					   .count = COUNT(values),
					   .edges = &edges } };
	struct context_switch_row row;
	const struct thread *thread;

	forked(w, 10, 7, 1);
	named(w, 10, 7, "there");
	for (int64_t tid = 6; tid <= 7; tid++) {
		edge.at.sample_pid = edge.at.sample_tid = tid;
		assert_true(chain_edge(&w->chains, &w->identity, &w->findings, &edge, 0,
				       1, &row));
	}
	exited(w, 16, 7);
	brief_threads(w, 20, 1000, 300, 1);
	forget(w, 30);
	assert_int_equal(listed(&w->identity), 3);
	thread = identity_thread(&w->identity, 7, 40);
	assert_true(str_equal(thread_name(thread), STR("there")));
	assert_ptr_equal(w->chains.streams[0]->edges->thread, thread);
}

/* Who is on a CPU stays, ended or not. */
UNIT_CASE(threads_on_cpus_stay, struct world *w)
{
	static const uint64_t values[] = { 1, 10 };
	struct switch_event event = { .ts_ns = 15,
				      .group_id = 1,
				      .prev_tid = 7,
				      .next_tid = 8,
				      .sample_pid = 7,
				      .sample_tid = 7,
				      .enabled_ns = INT_NONE,
				      .running_ns = INT_NONE,
				      .leader_lost = INT_NONE,
				      .detail_id = INT_NONE,
				      .prev_exited = true,
				      .values = values,
				      .count = 2 };
	struct context_switch_row row;

	forked(w, 10, 8, 1);
	assert_true(
		chain_switch(&w->chains, &w->identity, &w->findings, &event, 0, 1, &row));
	exited(w, 16, 8);
	brief_threads(w, 20, 1000, 300, 1);
	forget(w, 30);
	assert_ptr_equal(w->chains.cpus[0]->next, identity_thread(&w->identity, 8, 12));
	assert_int_equal(thread_tid(w->chains.cpus[0]->prev), 7);
	event.ts_ns = 40;
	event.prev_tid = event.sample_tid = event.sample_pid = 8;
	event.next_tid = 0;
	event.values = (const uint64_t[]){ 2, 30 };
	assert_true(
		chain_switch(&w->chains, &w->identity, &w->findings, &event, 0, 1, &row));
	assert_int_equal(row.status, CHARGE_CHARGED);
	assert_int_equal(w->chains.deltas[1], 20);
}

static struct switch_event task_switch(int64_t ts, int64_t tid, const uint64_t *values)
{
	return (struct switch_event){ .ts_ns = ts,
				      .group_id = 1,
				      .prev_tid = tid,
				      .next_tid = 0,
				      .sample_pid = tid,
				      .sample_tid = tid,
				      .enabled_ns = INT_NONE,
				      .running_ns = INT_NONE,
				      .leader_lost = INT_NONE,
				      .detail_id = INT_NONE,
				      .per_task = true,
				      .values = values,
				      .count = 2 };
}

/* Groups that follow tasks have a stream for each thread. */
UNIT_CASE(streams_of_tasks, struct world *w)
{
	uint64_t values[] = { 1, 5 };
	struct context_switch_row row;
	struct switch_event event = task_switch(1, 7, values);

	assert_true(
		chain_switch(&w->chains, &w->identity, &w->findings, &event, 0, 1, &row));
	for (int64_t round = 1; round < 300; round++) {
		int64_t ts = 1000 * round;

		for (int i = 0; i < 100; i++) {
			int64_t tid = 1000 + round % 50 * 100 + i;

			forked(w, ts, tid, 7);
			event = task_switch(ts + 1, tid, values);
			event.prev_exited = true;
			assert_true(chain_switch(&w->chains, &w->identity, &w->findings,
						 &event, 0, 1, &row));
			exited(w, ts + 2, tid);
		}
		forget(w, ts);
		assert_true(w->chains.task_stream_count <= MOST_THREADS);
	}
	/* That of the thread that is left goes on. */
	values[0] = 2;
	values[1] = 12;
	event = task_switch(2000000, 7, values);
	assert_true(
		chain_switch(&w->chains, &w->identity, &w->findings, &event, 0, 1, &row));
	assert_int_equal(row.status, CHARGE_CHARGED);
	assert_int_equal(w->chains.deltas[1], 7);
	assert_true(w->chains.unfinished > 25000);
}

/* --- through the whole stage: the sums of all intervals are those of the trace --- */

#define INTERVALS 200
#define SWITCHES 50

struct live {
	struct unit_play play;
	struct reader_ops ops;
	enum status (*next)(struct reader *reader, struct record *record);
	struct pipeline pipeline;
	size_t until; /* records until an interval ends */
	int64_t now_ns;
	size_t threads, most_threads;
	int64_t charged;
};

static struct live *live;

static enum status next_record(struct reader *reader, struct record *record)
{
	if (live->until-- == 0) {
		live->until = 4 * SWITCHES - 1;
		assert_int_equal(pipeline_interval(&live->pipeline, live->now_ns,
						   live->now_ns + 1000000000),
				 ST_OK);
		live->now_ns += 1000000000;
	}
	return live->next(reader, record);
}

static enum status add(struct sink *sink, const struct record *record)
{
	(void)sink;
	if (record->kind == RECORD_trace) {
		if (live->threads > live->most_threads)
			live->most_threads = live->threads;
		live->threads = 0;
	}
	live->threads += record->kind == RECORD_thread;
	if (record->kind == RECORD_cpu_charge) {
		const struct cpu_charge_row *row = record->data;

		if (row->counter_id == 11)
			live->charged += row->charged + row->with_idle +
					 row->unattributed + row->idle;
	}
	return ST_OK;
}

/* Every switch is to a new process, which ends with the next one. */
static void make_brief(struct trace *trace)
{
	trace_begin_group(trace, 1);
	for (int64_t i = 0; i < INTERVALS * SWITCHES; i++) {
		int64_t ts = i * (1000000000 / SWITCHES), tid = 2000 + i % 30000;

		TRACE_ADD(trace, RECORD_TASK_FORK,
			  (struct task_fork_event){ ts, tid + 1, tid + 1, 7, 7 });
		TRACE_ADD(trace, RECORD_TASK_COMM,
			  (struct task_comm_event){ ts, tid + 1, tid + 1, STR("brief"),
						    true });
		trace_add_switch(trace, ts + 1000, 0, tid, tid + 1, (uint64_t)i + 1,
				 10 * (uint64_t)i);
		TRACE_ADD(trace, RECORD_TASK_EXIT,
			  (struct task_exit_event){ ts + 2000, 0, tid, tid });
	}
	trace_end(trace);
}

UNIT_CASE(intervals_of_a_live_trace, struct world *w)
{
	static const struct pipeline_hooks no_hooks;
	static const struct sink_ops ops = { .name = "add",
					     .put = add,
					     .totals_only = true };
	struct trace trace = { NULL, 0, 0 };
	struct sink sink = { .ops = &ops };
	struct live run = { .until = 3 + 4 * SWITCHES };
	struct reader reader;

	(void)w;
	live = &run;
	make_brief(&trace);
	run.play = (struct unit_play){ trace.records, trace.count, 0, ST_OK };
	reader = unit_replay(&run.play);
	run.ops = *reader.ops;
	run.next = run.ops.next;
	run.ops.next = next_record;
	reader.ops = &run.ops;
	pipeline_init(&run.pipeline, &sink, 1);
	run.pipeline.is_live = true;
	assert_int_equal(pipeline_run(&run.pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&run.pipeline);
	assert_int_equal(run.charged, 10 * (INTERVALS * SWITCHES - 1));
	assert_true(run.most_threads > SWITCHES);
	assert_true(run.most_threads <= MOST_THREADS);
}
