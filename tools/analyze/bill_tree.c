/* bill_tree.c - the bill of a command: its process, what that started, and the rest. */
#include "bill.h"

#define DEPTH_MAX 1024 /* of parents; damaged ones may form a ring */

static bool descends(const struct map *by_pid, const struct report_process *process,
		     int64_t root)
{
	for (int depth = 0; process && depth < DEPTH_MAX; depth++) {
		if (process->row.parent_pid == INT_NONE)
			return false;
		if (process->row.parent_pid == root)
			return true;
		process = map_get(by_pid, (uint64_t)process->row.parent_pid);
	}
	return false;
}

bool bill_keep_tree(struct bill *bill, int64_t root)
{
	const struct report *report = bill->report;
	struct map by_pid = { NULL, 0, 0 };
	struct bill_line *others = NULL;
	bool done = true;
	size_t kept = 0;

	/* Of several lives of a pid the last one counts: it was told of last. */
	for (const struct report_process *p = report->processes; p && done; p = p->next)
		done = map_put(&by_pid, (uint64_t)p->row.pid, (void *)(uintptr_t)p);
	for (size_t i = 0; i < bill->line_count && done; i++) {
		struct bill_line *line = &bill->lines[i];

		if (line->kind != LINE_TASK || descends(&by_pid, line->of, root)) {
			bill->lines[kept++] = *line;
		} else if (others) {
			bill_line_add(others, line, report);
		} else { /* the first of them becomes the sum */
			others = &bill->lines[kept++];
			*others = *line;
			others->kind = LINE_OTHERS;
			others->of = NULL;
			others->process = STR("(other processes)");
			others->thread = STR_NONE;
			others->pid = others->tid = others->threads = INT_NONE;
		}
	}
	map_release(&by_pid);
	bill->line_count = kept;
	return done;
}
