/* run.c - single switches of a run. */
#include "model/run.h"

void run_to_event(const struct run *run, size_t at, struct switch_event *event)
{
	*event = run->common;
	event->ts_ns = run->ts_ns[at];
	event->prev_tid = run->prev_tid[at];
	event->next_tid = run->next_tid[at];
	event->prev_state = run->prev_state[at];
	event->prev_exited = (run->prev_state[at] & run->exit_states) != 0;
	event->prev_comm = run_prev_comm(run, at);
	event->next_comm = run_next_comm(run, at);
	event->enabled_ns = run->has_enabled ? run->enabled_ns[at] : INT_NONE;
	event->running_ns = run->has_running ? run->running_ns[at] : INT_NONE;
	event->leader_lost = run->has_lost ? run->leader_lost[at] : INT_NONE;
	event->detail_id = run->has_details ? run->detail_id[at] : INT_NONE;
	event->values = run->values + at * run->common.count;
	if (run->stream_count) {
		event->stream = run->streams[run->stream_at[at]].stream;
		event->cpu = run->streams[run->stream_at[at]].cpu;
	} else {
		const struct run_sample *sample = &run->sample[at];

		event->sample_pid = sample->pid;
		event->sample_tid =
			sample->tid == 0 && sample->pid != 0 ? -1 : sample->tid;
	}
}
