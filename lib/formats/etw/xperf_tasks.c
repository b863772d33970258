/*
 * xperf_tasks.c - processes and threads that begin, end, or were there all the time.
 *
 * DCStart and DCEnd are the rundowns at the beginning and the end of a recording: the
 * process or thread is alive.
 */
#include "formats/etw/xperf.h"

/* xperf writes <none> for what is empty. */
static struct str text_of(struct xperf *x, struct str text)
{
	if (text.len == 0 || str_equal(text, STR("<none>")))
		return STR_NONE;
	return xperf_text(&x->texts, text);
}

static void emit_process_row(struct xperf *x, const struct xperf_view *view,
			     const struct task_process_event *process)
{
	static const struct xperf_number numbers[] = {
		XPERF_NUMBER(etw_process, parent_pid, COLUMN_PARENT),
		XPERF_NUMBER(etw_process, session_id, COLUMN_SESSION),
		XPERF_NUMBER(etw_process, exit_status, COLUMN_STATUS),
		XPERF_NUMBER(etw_process, flags, COLUMN_FLAGS),
		XPERF_NUMBER(etw_process, unique_key, COLUMN_KEY),
		XPERF_NUMBER(etw_process, directory_table_base, COLUMN_TABLE_BASE),
	};
	struct etw_process_row row = {
		.ts_ns = process->ts_ns,
		.event = view->class->name,
		.pid = process->pid,
		.sid = text_of(x, xperf_get(view, COLUMN_SID)),
		.image = process->name,
		.command = process->command,
		.package = text_of(x, xperf_get(view, COLUMN_PACKAGE)),
		.application_id = text_of(x, xperf_get(view, COLUMN_APPLICATION)),
	};

	xperf_get_numbers(view, numbers, sizeof(numbers) / sizeof(numbers[0]), &row);
	xperf_emit_row(x, TABLE_etw_process, &row);
}

void xperf_on_process(struct xperf *x, const struct xperf_class *class,
		      const struct xperf_event *event)
{
	const struct xperf_view *view = &event->view;
	struct xperf_process known = { text_of(x, event->process.name),
				       event->process.pid };
	int64_t parent = xperf_get_number(view, COLUMN_PARENT);
	struct task_process_event process = {
		.ts_ns = xperf_ts_ns(x),
		.pid = known.pid,
		.parent_pid = parent < 0 ? INT_NONE : parent,
		.what = str_equal(class->name, STR("P-Start")) ? PROCESS_STARTED
			: str_equal(class->name, STR("P-End")) ? PROCESS_ENDED
							       : PROCESS_ALIVE,
		.name = known.name,
		.command = text_of(x, xperf_get(view, COLUMN_COMMAND)),
	};

	if (known.pid == INT_NONE)
		return;
	(void)xperf_is_news(&x->tasks, &known);
	xperf_emit_event(x, RECORD_TASK_PROCESS, &process, sizeof(process));
	if (x->want_rows)
		emit_process_row(x, view, &process);
}

/* --- whose a thread is --- */

/* Thread ids of Windows are multiples of 4. */
static size_t owner_at(int64_t tid)
{
	return (size_t)(tid / 4) & (XPERF_OWNERS - 1);
}

bool xperf_set_owner(struct xperf_tasks *tasks, int64_t tid, int64_t pid)
{
	size_t at;
	bool same;

	if (tid == INT_NONE || tid <= 0 || pid == INT_NONE || pid <= 0)
		return true;
	at = owner_at(tid);
	same = tasks->owners[at].tid != tid || tasks->owners[at].pid == pid;
	tasks->owners[at].tid = tid;
	tasks->owners[at].pid = pid;
	return same;
}

void xperf_forget_owner(struct xperf_tasks *tasks, int64_t tid)
{
	if (tid != INT_NONE && tid > 0 && tasks->owners[owner_at(tid)].tid == tid)
		tasks->owners[owner_at(tid)].tid = 0;
}

/* --- threads --- */

/* In quotes at the end of the line, if it is there. */
static struct str thread_name(struct xperf *x)
{
	struct str line = xperf_trim(x->line.raw), name;
	size_t from;

	if (line.len < 2 || line.ptr[line.len - 1] != '"')
		return STR_NONE;
	for (from = line.len - 1; from; from--) {
		struct str before = { line.ptr, from - 1 };

		if (line.ptr[from - 1] != '"')
			continue;
		before = xperf_trim(before);
		if (before.len && before.ptr[before.len - 1] == ',')
			break;
	}
	name = xperf_trim((struct str){ line.ptr + from, line.len - from - 1 });
	if (from == 0 || name.len == 0 || str_equal(name, STR("Unknown")))
		return STR_NONE;
	return xperf_text(&x->texts, name);
}

void xperf_on_thread(struct xperf *x, const struct xperf_class *class,
		     const struct xperf_event *event)
{
	bool starts = str_equal(class->name, STR("T-Start"));
	bool ends = str_equal(class->name, STR("T-End")), is_new = false;
	int64_t ts_ns = xperf_ts_ns(x), pid = event->process.pid, tid = event->tid;
	struct str name;

	if (tid == INT_NONE || tid == 0)
		return;
	name = thread_name(x);
	if (ends)
		xperf_forget_owner(&x->tasks, tid);
	else
		is_new = !xperf_set_owner(&x->tasks, tid, pid);
	xperf_emit_process(x, &event->process);
	if (starts || is_new) {
		struct task_fork_event fork = { ts_ns, pid, tid, INT_NONE, INT_NONE };

		xperf_emit_event(x, RECORD_TASK_FORK, &fork, sizeof(fork));
	}
	if (name.ptr || (!starts && !ends)) {
		struct task_comm_event comm = {
			.ts_ns = ts_ns, .pid = pid, .tid = tid, .name = name
		};

		xperf_emit_event(x, RECORD_TASK_COMM, &comm, sizeof(comm));
	}
	if (ends) {
		struct task_exit_event exit = { ts_ns, INT_NONE, pid, tid };

		xperf_emit_event(x, RECORD_TASK_EXIT, &exit, sizeof(exit));
	}
}
