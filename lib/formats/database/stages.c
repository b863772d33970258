/* stages.c - the order of the rows, the same as from the trace itself. */
#include "formats/database/stages.h"

#include "base/array.h"

const struct db_of_what db_of_whats[] = {
	[OF_TRACE] = { "trace_id", "trace_id = ?1", RECORD_TABLES, 0 },
	[OF_COUNTERS] = { "counter_id",
			  "counter_id IN (SELECT counter_id FROM counter "
			  "WHERE trace_id = ?1)",
			  RECORD_counter, offsetof(struct counter_row, counter_id) },
	[OF_GROUPS] = { "group_id",
			"group_id IN (SELECT group_id FROM counter_group "
			"WHERE trace_id = ?1)",
			RECORD_counter_group,
			offsetof(struct counter_group_row, group_id) },
	[OF_PROCESSES] = { "process_id",
			   "process_id IN (SELECT process_id FROM process "
			   "WHERE trace_id = ?1)",
			   RECORD_process, offsetof(struct process_row, process_id) },
	[OF_THREADS] = { "thread_id",
			 "thread_id IN (SELECT thread_id FROM thread JOIN "
			 "process USING (process_id) WHERE trace_id = ?1)",
			 RECORD_thread, offsetof(struct thread_row, thread_id) },
	[OF_INTERRUPTS] = { "interrupt_id",
			    "interrupt_id IN (SELECT interrupt_id FROM "
			    "interrupt WHERE trace_id = ?1)",
			    RECORD_interrupt,
			    offsetof(struct interrupt_row, interrupt_id) },
	[OF_TRACE_LEFT] = { NULL,
			    "trace_id = ?1 AND is_out AND (cpu IS NULL OR cpu >= 0)",
			    RECORD_TABLES, 0 },
};

enum of_what db_ids_of_table(enum record_kind kind)
{
	enum of_what of = OF_TRACE + 1;

	while (of < OF_IDS && db_of_whats[of].kind != kind)
		of++;
	return of;
}

const struct db_stage db_stages[] = {
	{ RECORD_counter_group, ALWAYS, OF_TRACE },
	{ RECORD_counter, ALWAYS, OF_TRACE },
	{ RECORD_lost, ALWAYS, OF_TRACE },
	{ RECORD_stat, ALWAYS, OF_TRACE },
	{ RECORD_stat_round, ALWAYS, OF_TRACE },
	{ RECORD_PROCESS_TOTAL, TOP_ONLY, OF_TRACE },
	{ RECORD_process, THREADS, OF_TRACE },
	{ RECORD_thread, THREADS, OF_PROCESSES },
	{ RECORD_cgroup, ALWAYS, OF_TRACE },
	{ RECORD_thread_cgroup, SWITCHES_ONLY, OF_THREADS },
	{ RECORD_interrupt, ALWAYS, OF_TRACE },
	{ RECORD_context_switch, SWITCHES_ONLY, OF_GROUPS }, /* with group_read */
	{ RECORD_counter_base, SWITCHES_ONLY, OF_COUNTERS },
	{ RECORD_frame_symbol, FRAMES_ONLY, OF_TRACE },
	{ RECORD_sample, SWITCHES_ONLY, OF_COUNTERS },
	{ RECORD_switch_record, SWITCHES_ONLY, OF_TRACE_LEFT },
	{ RECORD_cpu_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_cpu_charge, TOTALS_ONLY, OF_COUNTERS },
	{ RECORD_status_summary, TOTALS_ONLY, OF_GROUPS },
	{ RECORD_status_charge, TOTALS_ONLY, OF_COUNTERS },
	{ RECORD_thread_summary, THREAD_TOTALS, OF_THREADS },
	{ RECORD_thread_charge, THREAD_TOTALS, OF_COUNTERS },
	{ RECORD_cgroup_summary, THREAD_TOTALS, OF_THREADS },
	{ RECORD_cgroup_charge, THREAD_TOTALS, OF_COUNTERS },
	{ RECORD_interrupt_summary, TOTALS_ONLY, OF_INTERRUPTS },
	{ RECORD_interrupt_charge, TOTALS_ONLY, OF_INTERRUPTS },
	{ RECORD_counter_audit, ALWAYS, OF_COUNTERS },
	{ RECORD_sample_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_sample_cpu_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_sample_cgroup_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_on_cpu_summary, THREAD_TOTALS, OF_THREADS },
	{ RECORD_perflib_counterset, VALUES_ONLY, OF_TRACE },
	{ RECORD_perflib_counter, VALUES_ONLY, OF_TRACE },
	{ RECORD_perflib_snapshot, VALUES_ONLY, OF_TRACE }, /* and parts[] */
	{ RECORD_finding, ALWAYS, OF_TRACE },
	{ RECORD_trace, ALWAYS, OF_TRACE },
};
const size_t db_stage_count = ARRAY_COUNT(db_stages);

bool db_stage_is_wanted(size_t stage, const struct reader_options *options,
			bool is_top_used)
{
	switch (db_stages[stage].wanted) {
	case SWITCHES_ONLY:
		return options->want_switches;
	case TOTALS_ONLY:
		return !options->want_switches || options->want_sums;
	case TOP_ONLY:
		return !options->want_switches && options->top_processes;
	case THREADS:
		return !is_top_used;
	case THREAD_TOTALS:
		return (!options->want_switches || options->want_sums) && !is_top_used;
	case VALUES_ONLY:
		return options->want_values;
	case FRAMES_ONLY:
		return options->want_frames;
	default:
		return true;
	}
}
