/*
 * test_writer_csv_bill.c - process_bill.csv of two traces: each line has the columns of
 * all counters, also of those that a later trace has first; the dearest is the first.
 */
#include "output/outputs.h"
#include "rows.h"

static void add_counter(struct rows *rows, int64_t id, int64_t trace, int64_t group,
			int64_t slot, const char *name)
{
	rows_add(rows, RECORD_counter,
		 &(struct counter_row){ .counter_id = id,
					.trace_id = trace,
					.group_id = group,
					.slot = slot,
					.name = str_of(name),
					.event = str_of(name),
					.period = INT_NONE });
}

static void add_process(struct rows *rows, int64_t trace, int64_t id, const char *name)
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
}

static void add_sums(struct rows *rows, int64_t trace, int64_t id, int64_t cost)
{
	rows_add(rows, RECORD_process_summary,
		 &(struct process_summary_row){ .process_id = id,
						.group_id = trace,
						.threads = 1,
						.switches = 1,
						.on_cpu_ns = 7,
						.running_ns = INT_NONE });
	rows_add(rows, RECORD_process_charge,
		 &(struct process_charge_row){
			 .process_id = id, .counter_id = 10 * trace, .charged = cost });
}

/* Processes that follow one another may have the same name, or none. */
static void add_trace(struct rows *rows, int64_t trace, const char *counter)
{
	static const int64_t costs[] = { 200, 400, 100, 300 };

	rows_add(rows, RECORD_counter_group,
		 &(struct counter_group_row){ trace, trace, STR("leader"), 2, STR("cpu"),
					      STR("no") });
	add_counter(rows, 10 * trace + 1, trace, trace, 0, "leader");
	add_counter(rows, 10 * trace, trace, trace, 1, counter);
	add_process(rows, trace, 4 * trace, "one");
	add_process(rows, trace, 4 * trace + 1, "one");
	add_process(rows, trace, 4 * trace + 2, "t\"o");
	add_process(rows, trace, 4 * trace + 3, "");
	rows_add(rows, RECORD_cpu_summary,
		 &(struct cpu_summary_row){ .trace_id = trace,
					    .group_id = trace,
					    .switches = 4,
					    .all_switches = 4 });
	for (int64_t i = 0; i < 4; i++)
		add_sums(rows, trace, 4 * trace + i, costs[i]);
	rows_add(rows, RECORD_trace, &(struct trace_row){ .trace_id = trace });
}

static const char expected[] =
	"trace_id,process,pid,threads,switches,on_cpu_ns,leader,a,b\n"
	"1,\"one\",50,1,1,7,0,400,\n"
	"1,\":70\",70,1,1,7,0,300,\n"
	"1,\"one\",40,1,1,7,0,200,\n"
	"1,\"t\"\"o\",60,1,1,7,0,100,\n"
	"1,\"(with idle)\",,,0,0,0,0,\n"
	"1,\"(unattributed)\",,,0,0,0,0,\n"
	"2,\"one\",90,1,1,7,0,,400\n"
	"2,\":110\",110,1,1,7,0,,300\n"
	"2,\"one\",80,1,1,7,0,,200\n"
	"2,\"t\"\"o\",100,1,1,7,0,,100\n"
	"2,\"(with idle)\",,,0,0,0,,0\n"
	"2,\"(unattributed)\",,,0,0,0,,0\n";

static void assert_bill(const struct rows *rows, const char *name, const char *text)
{
	const struct sink_options options = { .path = unit_path(name) };
	char file[64];
	char *bytes;

	rows_write(rows, &csv_writer, &options);
	snprintf(file, sizeof(file), "%s/process_bill.csv", name);
	bytes = unit_read_file(unit_path(file), NULL);
	assert_non_null(bytes);
	assert_string_equal(bytes, text);
}

UNIT_TEST(columns)
{
	struct rows rows = { NULL, 0, 0 };

	add_trace(&rows, 1, "a");
	add_trace(&rows, 2, "b");
	assert_bill(&rows, "columns", expected);
}

/* --- several groups --- */

static void add_group(struct rows *rows, int64_t group, int64_t cpu, int64_t switches)
{
	rows_add(rows, RECORD_cpu_summary,
		 &(struct cpu_summary_row){ .trace_id = 1,
					    .group_id = group,
					    .cpu = cpu,
					    .switches = switches,
					    .all_switches = switches });
}

/* What a group saw of a thread, which may be all of its process. */
static void add_thread_sum(struct rows *rows, int64_t id, int64_t group)
{
	rows_add(rows, RECORD_thread_summary,
		 &(struct thread_summary_row){
			 .thread_id = id, .group_id = group, .switches = 1 });
}

static void add_process_sum(struct rows *rows, int64_t id, int64_t group,
			    int64_t with_idle)
{
	rows_add(rows, RECORD_process_summary,
		 &(struct process_summary_row){ .process_id = id,
						.group_id = group,
						.threads = 1,
						.switches = 1 + with_idle,
						.on_cpu_ns = 5,
						.with_idle_switches = with_idle,
						.interrupts_ns = 3 });
	rows_add(rows, RECORD_process_charge,
		 &(struct process_charge_row){ .process_id = id,
					       .counter_id = group,
					       .charged = 100,
					       .interrupts = 10,
					       .with_idle = with_idle });
}

/*
 * Groups 1 and 2 saw a CPU each, so their switches add up; group 3 saw less of what the
 * first one did.
 */
UNIT_TEST(groups)
{
	static const char *const names[] = { "cycles", "CYCLES", "Cgroup" };
	struct rows rows = { NULL, 0, 0 };

	for (int64_t g = 1; g <= 3; g++)
		rows_add(&rows, RECORD_counter_group,
			 &(struct counter_group_row){ g, 1, STR("log"), 1, STR("cpu"),
						      STR("no") });
	for (int64_t g = 1; g <= 3; g++)
		add_counter(&rows, g, 1, g, 0, names[g - 1]);
	add_process(&rows, 1, 1, "ran");
	add_process(&rows, 1, 2, "also");
	add_process(&rows, 1, 3, "never");
	rows_add(&rows, RECORD_interrupt,
		 &(struct interrupt_row){
			 .interrupt_id = 1, .trace_id = 1, .kind = STR("irq") });
	add_group(&rows, 1, 0, 10);
	add_group(&rows, 2, 1, 9);
	add_group(&rows, 3, 0, 8);
	rows_add(&rows, RECORD_status_summary,
		 &(struct status_summary_row){ .group_id = 2,
					       .status = CHARGE_STATUSES - 1,
					       .switches = 4,
					       .on_cpu_ns = 6 });
	for (int64_t id = 1; id <= 2; id++)
		for (int64_t g = 1; g <= 3; g++)
			add_thread_sum(&rows, id, g);
	for (int64_t id = 1; id <= 2; id++)
		for (int64_t g = 1; g <= 3; g++)
			add_process_sum(&rows, id, g, id == 2);
	rows_add(&rows, RECORD_process_summary,
		 &(struct process_summary_row){ .process_id = 3, .group_id = 1 });
	rows_add(&rows, RECORD_trace, &(struct trace_row){ .trace_id = 1 });
	assert_bill(&rows, "groups",
		    "trace_id,process,pid,threads,switches,on_cpu_ns,cycles,Cgroup#\n"
		    "1,\"ran\",10,1,2,10,200,100\n"
		    "1,\"also\",20,1,2,10,200,100\n"
		    "1,\"(with idle)\",,,2,0,2,1\n"
		    "1,\"(interrupts)\",,,0,12,40,20\n"
		    "1,\"(unattributed)\",,,4,6,0,0\n");
}
