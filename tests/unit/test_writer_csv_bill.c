/*
 * test_writer_csv_bill.c - process_bill.csv of two traces: each line has the columns of
 * all counters, also of those that a later trace has first.
 */
#include "output/outputs.h"
#include "rows.h"

static void add_counter(struct rows *rows, int64_t id, int64_t trace, int64_t slot,
			const char *name)
{
	rows_add(rows, RECORD_counter,
		 &(struct counter_row){ .counter_id = id,
					.trace_id = trace,
					.group_id = trace,
					.slot = slot,
					.name = str_of(name),
					.event = str_of(name),
					.period = INT_NONE });
}

static void add_process(struct rows *rows, int64_t trace, int64_t id, const char *name,
			int64_t cost)
{
	const struct str text = str_of(name);

	rows_add(rows, RECORD_process,
		 &(struct process_row){ .process_id = id,
					.trace_id = trace,
					.pid = 10 * id,
					.parent_pid = INT_NONE,
					.start_ns = INT_NONE,
					.end_ns = INT_NONE,
					.name = text });
	rows_add(rows, RECORD_thread,
		 &(struct thread_row){ .thread_id = id,
				       .process_id = id,
				       .tid = 10 * id,
				       .recorder_tid = INT_NONE,
				       .idle_cpu = INT_NONE,
				       .start_ns = INT_NONE,
				       .end_ns = INT_NONE,
				       .name = text });
	rows_add(rows, RECORD_thread_summary,
		 &(struct thread_summary_row){ .thread_id = id,
					       .group_id = trace,
					       .switches = 1,
					       .on_cpu_ns = 7,
					       .running_ns = INT_NONE });
	rows_add(rows, RECORD_thread_charge,
		 &(struct thread_charge_row){
			 .thread_id = id, .counter_id = 10 * trace, .charged = cost });
}

/* Processes that follow one another may have the same name, or none. */
static void add_trace(struct rows *rows, int64_t trace, const char *counter)
{
	rows_add(rows, RECORD_counter_group,
		 &(struct counter_group_row){ trace, trace, STR("leader"), 2, STR("cpu"),
					      STR("no") });
	add_counter(rows, 10 * trace + 1, trace, 0, "leader");
	add_counter(rows, 10 * trace, trace, 1, counter);
	add_process(rows, trace, 4 * trace, "one", 400);
	add_process(rows, trace, 4 * trace + 1, "one", 300);
	add_process(rows, trace, 4 * trace + 2, "t\"o", 200);
	add_process(rows, trace, 4 * trace + 3, "", 100);
	rows_add(rows, RECORD_cpu_summary,
		 &(struct cpu_summary_row){ .trace_id = trace,
					    .group_id = trace,
					    .switches = 4,
					    .all_switches = 4 });
	rows_add(rows, RECORD_trace, &(struct trace_row){ .trace_id = trace });
}

static const char expected[] =
	"trace_id,process,pid,threads,switches,on_cpu_ns,leader,a,b\n"
	"1,\"one\",40,1,1,7,0,400,\n"
	"1,\"one\",50,1,1,7,0,300,\n"
	"1,\"t\"\"o\",60,1,1,7,0,200,\n"
	"1,\":70\",70,1,1,7,0,100,\n"
	"1,\"(with idle)\",,,0,0,0,0,\n"
	"1,\"(unattributed)\",,,0,0,0,0,\n"
	"2,\"one\",80,1,1,7,0,,400\n"
	"2,\"one\",90,1,1,7,0,,300\n"
	"2,\"t\"\"o\",100,1,1,7,0,,200\n"
	"2,\":110\",110,1,1,7,0,,100\n"
	"2,\"(with idle)\",,,0,0,0,,0\n"
	"2,\"(unattributed)\",,,0,0,0,,0\n";

UNIT_TEST(columns)
{
	const struct sink_options options = { .path = unit_path("bill") };
	struct rows rows = { NULL, 0, 0 };
	char *bytes;

	add_trace(&rows, 1, "a");
	add_trace(&rows, 2, "b");
	rows_write(&rows, &csv_writer, &options);
	bytes = unit_read_file(unit_path("bill/process_bill.csv"), NULL);
	assert_non_null(bytes);
	assert_string_equal(bytes, expected);
}
