/*
 * xperf_queue.c - what the parts of the reader of xperf's text share: the queue of
 * records on their way out, the names of processes, and the finding about a line.
 */
#include "base/text.h"
#include "formats/etw/xperf.h"

void xperf_put(struct xperf *x, enum record_kind kind, const void *data)
{
	if (x->queue_count < XPERF_QUEUE_MAX)
		x->queue[x->queue_count++] = (struct record){ .kind = kind,
							      .offset = x->line.offset,
							      .data = data };
}

void xperf_put_row(struct xperf *x, enum etw_table table, const void *row)
{
	if (x->queue_count < XPERF_QUEUE_MAX)
		x->queue[x->queue_count++] = etw_row(table, row, x->line.offset);
}

void xperf_bad_line(struct reader *reader, const char *why)
{
	const struct xperf *x = reader->state;

	finding_report(&reader->findings, FINDING_BAD_LINE, x->line.offset,
		       "line at 0x%llx: %s; such lines are skipped",
		       (unsigned long long)x->line.offset, why);
}

struct str xperf_text(struct arena *arena, struct str bytes)
{
	return text_is_valid(bytes) ? bytes : etw_ansi_text(arena, bytes);
}

bool xperf_is_news(struct xperf *x, const struct xperf_process *process)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	size_t at;

	if (process->pid == INT_NONE || process->pid <= 0 || !process->name.ptr)
		return false;
	for (size_t i = 0; i < process->name.len; i++)
		hash = (hash ^ (uint8_t)process->name.ptr[i]) * UINT64_C(0x100000001b3);
	/* Process ids of Windows are multiples of 4. */
	at = (size_t)(process->pid / 4) & (XPERF_TOLD_PROCESSES - 1);
	if (x->told[at].pid == process->pid && x->told[at].name_hash == hash)
		return false;
	x->told[at].pid = process->pid;
	x->told[at].name_hash = hash;
	return true;
}

void xperf_tell_process(struct xperf *x, int which, const struct xperf_process *process)
{
	if (!xperf_is_news(x, process))
		return;
	x->process_events[which] = (struct task_process_event){
		.ts_ns = xperf_ts_ns(x),
		.pid = process->pid,
		.parent_pid = INT_NONE,
		.what = PROCESS_ALIVE,
		.name = xperf_text(&x->texts, process->name),
	};
	xperf_put(x, RECORD_TASK_PROCESS, &x->process_events[which]);
}

bool xperf_see_cpu(struct xperf *x, int64_t cpu)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return false;
	if (cpu >= x->cpu_count)
		x->cpu_count = cpu + 1;
	return true;
}
