/* run_columns.c - copies rows of runs, column by column. */
#include "model/run_columns.h"

#include <string.h>

#include "base/other_cpu.h"

/* The room for the next column. */
struct room {
	char *at;
	bool is_for_other; /* another thread */
};

static const int64_t *keep_column(struct room *room, const int64_t *from, size_t count)
{
	char *to = room->at;

	if (room->is_for_other)
		other_cpu_copy(to, from, count);
	else
		memcpy(to, from, count * sizeof(*from));
	room->at += count * sizeof(*from);
	return (const int64_t *)(const void *)to;
}

/* The CPUs of a run of several streams. */
static const int64_t *keep_cpus(struct room *room, const struct run_rows *rows)
{
	int64_t *to = (int64_t *)(void *)room->at;

	for (size_t at = rows->from; at < rows->to; at++)
		to[at - rows->from] = run_cpu(rows->run, at);
	room->at += (rows->to - rows->from) * sizeof(*to);
	return to;
}

char *run_columns_keep(struct run_columns *columns, char *at, bool is_for_other,
		       const struct run_rows *rows)
{
	struct room room = { at, is_for_other };
	const struct run *run = rows->run;
	size_t from = rows->from, count = rows->to - from, slots = run->common.count;

	*columns = (struct run_columns){
		.count = count,
		.first_id = rows->first_id,
		.cpu = run->common.cpu,
		.group_id = rows->group_id,
		.slots = slots,
		.ts_ns = keep_column(&room, run->ts_ns + from, count),
		.prev_thread_id = keep_column(&room, run->prev_thread_id + from, count),
		.next_thread_id = keep_column(&room, run->next_thread_id + from, count),
		.prev_state = keep_column(&room, run->prev_state + from, count),
		.on_cpu_ns = keep_column(&room, run->on_cpu_ns + from, count),
		.running_ns = run->has_running
				      ? keep_column(&room, run->ran_ns + from, count)
				      : NULL,
		.detail_id = run->has_details
				     ? keep_column(&room, run->detail_id + from, count)
				     : NULL,
		.cpus = run->stream_count ? keep_cpus(&room, rows) : NULL,
		.deltas = keep_column(&room, run->deltas + from * slots, count * slots),
	};
	return room.at;
}

struct context_switch_row run_columns_row(const struct run_columns *columns, size_t at)
{
	return (struct context_switch_row){
		.switch_id = columns->first_id + (int64_t)at,
		.ts_ns = columns->ts_ns[at],
		.cpu = columns->cpus ? columns->cpus[at] : columns->cpu,
		.group_id = columns->group_id,
		.prev_thread_id = columns->prev_thread_id[at],
		.next_thread_id = columns->next_thread_id[at],
		.prev_state = columns->prev_state[at],
		.status = CHARGE_CHARGED,
		.on_cpu_ns = columns->on_cpu_ns[at],
		.running_ns = columns->running_ns ? columns->running_ns[at] : INT_NONE,
		.detail_id = columns->detail_id ? columns->detail_id[at] : INT_NONE,
	};
}
