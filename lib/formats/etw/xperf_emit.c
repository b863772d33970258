/*
 * xperf_emit.c - what the parts of the reader of xperf's text share: records on their way
 * out, the names of processes, and the finding about a line.
 */
#include "base/text.h"
#include "formats/etw/xperf.h"

void xperf_emit_event(struct xperf *x, enum record_kind kind, const void *event,
		      size_t size)
{
	emit_push_event(&x->emit, kind, x->line.offset, event, size);
}

void xperf_emit_row(struct xperf *x, enum etw_table table, const void *row)
{
	etw_emit_row(&x->emit, table, x->line.offset, row);
}

int64_t xperf_emit_counter(struct xperf *x, struct str name, int64_t slot)
{
	struct counter_row row = {
		.counter_id = ++x->last_counter_id,
		.group_id = slot == INT_NONE ? INT_NONE : 1,
		.slot = slot,
		.name = name,
		.event = name,
		.source = STR("etw"),
		.type = INT_NONE,
		.config = INT_NONE,
		.period = INT_NONE,
	};

	emit_push_row(&x->emit, RECORD_counter, slot == INT_NONE ? x->line.offset : 0,
		      &row);
	return row.counter_id;
}

void xperf_bad_line(struct xperf *x, const char *why)
{
	finding_report(x->findings, FINDING_BAD_LINE, x->line.offset,
		       "line at 0x%llx: %s; such lines are skipped",
		       (unsigned long long)x->line.offset, why);
}

struct str xperf_text(struct arena *arena, struct str bytes)
{
	return text_is_valid(bytes) ? bytes : etw_ansi_text(arena, bytes);
}

bool xperf_is_news(struct xperf_tasks *tasks, const struct xperf_process *process)
{
	uint64_t hash;
	size_t at;

	if (process->pid == INT_NONE || process->pid <= 0 || !process->name.ptr)
		return false;
	hash = map_hash_text(map_salt(), process->name);
	/* Process ids of Windows are multiples of 4. */
	at = (size_t)(process->pid / 4) & (XPERF_NAMED_PROCESSES - 1);
	if (tasks->named[at].pid == process->pid && tasks->named[at].name_hash == hash)
		return false;
	tasks->named[at].pid = process->pid;
	tasks->named[at].name_hash = hash;
	return true;
}

void xperf_emit_process(struct xperf *x, const struct xperf_process *process)
{
	struct task_process_event event;

	if (!xperf_is_news(&x->tasks, process))
		return;
	event = (struct task_process_event){
		.ts_ns = xperf_ts_ns(x),
		.pid = process->pid,
		.parent_pid = INT_NONE,
		.what = PROCESS_ALIVE,
		.name = xperf_text(&x->texts, process->name),
	};
	xperf_emit_event(x, RECORD_TASK_PROCESS, &event, sizeof(event));
}

void xperf_emit_loss(struct xperf *x, int64_t cpu, struct str line)
{
	struct loss_event loss = { .ts_ns = xperf_ts_ns(x),
				   .cpu = cpu,
				   .counter_id = INT_NONE,
				   .events = 0, /* not the recorder's doing */
				   .record = line };

	xperf_emit_event(x, RECORD_LOSS, &loss, sizeof(loss));
}

bool xperf_add_cpu(struct xperf *x, int64_t cpu)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return false;
	if (cpu >= x->cpu_count)
		x->cpu_count = cpu + 1;
	return true;
}
