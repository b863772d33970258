/*
 * test_processes.c - lib/pipeline/processes.c: a report of the first processes gets the
 * sums that a database has of them, and that of all others; or threads, where it must.
 */
#include <string.h>

#include "events.h"

/* --- what comes --- */

struct came {
	char sums[4000];  /* of processes, by their ids */
	char pids[200];	  /* of the rows of processes */
	char rest[400];	  /* "N processes: SUMS" */
	bool has_threads; /* rows of them, or of their sums */
};

static char *end_of(char *text)
{
	return text + strlen(text);
}

static void add_summary(char *text, const struct process_summary_row *row)
{
	sprintf(end_of(text),
		"%lld threads, %lld, %lld ns, %lld, %lld, %lld, %lld, %lld, %lld:",
		(long long)row->threads, (long long)row->switches,
		(long long)row->on_cpu_ns, (long long)row->with_idle_switches,
		(long long)row->unproven_switches, (long long)row->unproven_ns,
		(long long)row->running_ns, (long long)row->reads,
		(long long)row->group_id);
}

static void add_charge(char *text, int64_t charged, int64_t interrupts, int64_t with_idle,
		       int64_t unproven)
{
	sprintf(end_of(text), " (%lld %lld %lld %lld)", (long long)charged,
		(long long)interrupts, (long long)with_idle, (long long)unproven);
}

static void add_total(struct came *came, const struct process_total_event *total)
{
	bool is_rest = total->process_id == INT_NONE;
	char *text = is_rest ? came->rest : came->sums;

	sprintf(end_of(text), "\n%lld ",
		(long long)(is_rest ? total->processes : total->process_id));
	add_summary(text, &total->summary);
	for (size_t i = 0; i < total->slots; i++)
		add_charge(text, total->values[i], total->values[total->slots + i],
			   total->values[2 * total->slots + i],
			   total->values[3 * total->slots + i]);
}

static enum status put(struct sink *sink, const struct record *record)
{
	struct came *came = sink->state;
	const struct process_charge_row *charge = record->data;
	const struct process_summary_row *summary = record->data;

	if (record->kind == RECORD_PROCESS_TOTAL) {
		add_total(came, record->data);
	} else if (record->kind == RECORD_process) {
		sprintf(end_of(came->pids), "%lld ",
			(long long)RECORD_DATA(record, process)->pid);
	} else if (record->kind == RECORD_process_summary) {
		sprintf(end_of(came->sums), "\n%lld ", (long long)summary->process_id);
		add_summary(came->sums, summary);
	} else if (record->kind == RECORD_process_charge) {
		add_charge(came->sums, charge->charged, charge->interrupts,
			   charge->with_idle, charge->unproven);
	}
	came->has_threads |= record->kind == RECORD_thread ||
			     record->kind == RECORD_thread_summary ||
			     record->kind == RECORD_on_cpu_summary;
	return ST_OK;
}

static struct came run(const struct trace *trace, size_t top_processes)
{
	static const struct sink_ops ops = { .name = "came", .put = put };
	static const struct pipeline_hooks no_hooks;
	struct unit_play play = { trace->records, trace->count, 0, ST_OK };
	struct reader reader = unit_replay(&play);
	struct came came = { .has_threads = false };
	struct sink sink = { .ops = &ops, .state = &came };
	struct pipeline pipeline;

	reader.options.top_processes = top_processes;
	pipeline_init(&pipeline, &sink, 1);
	assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&pipeline);
	return came;
}

/* --- the trace --- */

/* Threads 7 and 8 of process 7, 9, and 10, which was only switched in; and idle. */
static void begin_trace(struct trace *trace)
{
	static const int64_t tids[] = { 7, 8, 9, 7, 0, 8, 9, 7, 9, 0, 7, 10 };

	trace_begin_group(trace, 1);
	TRACE_ADD(trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 0, 7, 8, STR("x"), false });
	for (size_t i = 0; i + 1 < COUNT(tids); i++) {
		/* In the sixth interval the leader counted one switch more. */
		trace_add_switch(trace, 100 * (int64_t)i, 0, tids[i], tids[i + 1],
				 1 + i + (i > 5), 10 * i * i);
	}
}

UNIT_TEST(sums)
{
	struct trace trace = { NULL, 0, 0 };
	struct came threads, all, first;

	begin_trace(&trace);
	TRACE_ADD(&trace, RECORD_SWITCH_IN,
		  (struct switch_in_event){
			  .ts_ns = 2000, .cpu = 1, .tid = 9, .in = true });
	TRACE_ADD(&trace, RECORD_SWITCH_IN,
		  (struct switch_in_event){ .ts_ns = 2100, .cpu = 1, .tid = 9 });
	trace_end(&trace);
	threads = run(&trace, 0);
	all = run(&trace, 10);
	first = run(&trace, 1);
	assert_true(threads.has_threads);
	assert_false(all.has_threads);
	assert_string_equal(all.sums, threads.sums);
	HAS(all.sums, "\n1 2 threads, ");
	assert_string_equal(all.pids, "7 9 0 ");
	assert_string_equal(all.rest, "");
	assert_string_equal(first.pids, "7 0 ");
	HAS(first.rest, "\n1 1 threads, ");
	assert_non_null(strstr(threads.sums, strstr(first.rest, " threads, ")));
}

/* A sample is of a thread; sums of several groups are not those of one. */
UNIT_TEST(threads_where_needed)
{
	struct trace sampled = { NULL, 0, 0 }, grouped = { NULL, 0, 0 };

	begin_trace(&sampled);
	TRACE_ADD(&sampled, RECORD_SAMPLED,
		  (struct sampled_event){ .pid = 7,
					  .tid = 7,
					  .row = { .ts_ns = 300, .counter_id = 11 } });
	trace_end(&sampled);
	assert_true(run(&sampled, 10).has_threads);
	begin_trace(&grouped);
	trace_begin_group(&grouped, 2);
	trace_end(&grouped);
	assert_true(run(&grouped, 10).has_threads);
}
