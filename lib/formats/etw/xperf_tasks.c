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

static void put_process_row(struct xperf *x, const struct xperf_view *view,
			    const struct xperf_process *process, struct str command)
{
	x->row.process = (struct etw_process_row){
		.ts_ns = xperf_ts_ns(x),
		.event = view->class->name,
		.pid = process->pid,
		.parent_pid = xperf_get_number(view, COLUMN_PARENT),
		.session_id = xperf_get_number(view, COLUMN_SESSION),
		.exit_status = xperf_get_number(view, COLUMN_STATUS),
		.flags = xperf_get_number(view, COLUMN_FLAGS),
		.unique_key = xperf_get_number(view, COLUMN_KEY),
		.directory_table_base = xperf_get_number(view, COLUMN_TABLE_BASE),
		.sid = text_of(x, xperf_get(view, COLUMN_SID)),
		.image = process->name,
		.command = command,
		.package = text_of(x, xperf_get(view, COLUMN_PACKAGE)),
		.application_id = text_of(x, xperf_get(view, COLUMN_APPLICATION)),
	};
	xperf_put_row(x, TABLE_etw_process, &x->row.process);
}

void xperf_take_process(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_process process;
	struct xperf_view view;
	struct str command;
	int64_t parent;

	if (!xperf_view(&view, class, &x->line) ||
	    !xperf_get_process(&view, COLUMN_PROCESS, &process)) {
		xperf_bad_line(reader, "a line of a process without the process");
		return;
	}
	if (process.pid == INT_NONE)
		return;
	process.name = text_of(x, process.name);
	command = text_of(x, xperf_get(&view, COLUMN_COMMAND));
	parent = xperf_get_number(&view, COLUMN_PARENT);
	(void)xperf_is_news(x, &process);
	x->process_events[0] = (struct task_process_event){
		.ts_ns = xperf_ts_ns(x),
		.pid = process.pid,
		.parent_pid = parent < 0 ? INT_NONE : parent,
		.what = str_equal(class->name, STR("P-Start")) ? PROCESS_STARTED
			: str_equal(class->name, STR("P-End")) ? PROCESS_ENDED
							       : PROCESS_ALIVE,
		.name = process.name,
		.command = command,
	};
	xperf_put(x, RECORD_TASK_PROCESS, &x->process_events[0]);
	if (reader->options.want_rows)
		put_process_row(x, &view, &process, command);
}

/* --- whose a thread is --- */

/* Thread ids of Windows are multiples of 4. */
static size_t owner_at(int64_t tid)
{
	return (size_t)(tid / 4) & (XPERF_OWNERS - 1);
}

bool xperf_own(struct xperf *x, int64_t tid, int64_t pid)
{
	size_t at;
	bool same;

	if (tid == INT_NONE || tid <= 0 || pid == INT_NONE || pid <= 0)
		return true;
	at = owner_at(tid);
	same = x->owners[at].tid != tid || x->owners[at].pid == pid;
	x->owners[at].tid = tid;
	x->owners[at].pid = pid;
	return same;
}

void xperf_disown(struct xperf *x, int64_t tid)
{
	if (tid != INT_NONE && tid > 0 && x->owners[owner_at(tid)].tid == tid)
		x->owners[owner_at(tid)].tid = 0;
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

void xperf_take_thread(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	bool starts = str_equal(class->name, STR("T-Start"));
	bool ends = str_equal(class->name, STR("T-End")), is_new = false;
	struct xperf_process process;
	struct xperf_view view;
	struct str name;
	int64_t tid;

	if (!xperf_view(&view, class, &x->line) ||
	    !xperf_get_process(&view, COLUMN_PROCESS, &process) ||
	    !xperf_get_thread(&view, COLUMN_THREAD, &tid)) {
		xperf_bad_line(reader,
			       "a line of a thread that does not fit its columns");
		return;
	}
	if (tid == INT_NONE || tid == 0)
		return;
	name = thread_name(x);
	if (ends)
		xperf_disown(x, tid);
	else
		is_new = !xperf_own(x, tid, process.pid);
	xperf_tell_process(x, 0, &process);
	if (starts || is_new) {
		x->fork = (struct task_fork_event){ .ts_ns = xperf_ts_ns(x),
						    .pid = process.pid,
						    .tid = tid,
						    .parent_pid = INT_NONE,
						    .parent_tid = INT_NONE };
		xperf_put(x, RECORD_TASK_FORK, &x->fork);
	}
	if (name.ptr || (!starts && !ends)) {
		x->comm = (struct task_comm_event){ .ts_ns = xperf_ts_ns(x),
						    .pid = process.pid,
						    .tid = tid,
						    .name = name };
		xperf_put(x, RECORD_TASK_COMM, &x->comm);
	}
	if (ends) {
		x->exit = (struct task_exit_event){ .ts_ns = xperf_ts_ns(x),
						    .cpu = INT_NONE,
						    .pid = process.pid,
						    .tid = tid };
		xperf_put(x, RECORD_TASK_EXIT, &x->exit);
	}
}
