/*
 * xperf_tasks.c - processes and threads that begin, end, or were there all the time.
 *
 * DCStart and DCEnd are the rundowns at the beginning and the end of a recording: the
 * process or thread is alive.
 */
#include "base/array.h"
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

	xperf_get_numbers(view, numbers, ARRAY_COUNT(numbers), &row);
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

/* NULL: it is not known. */
static struct xperf_owner *find_owner(struct xperf_tasks *tasks, int64_t tid)
{
	struct xperf_owner *owner = &tasks->owners[owner_at(tid)];

	return tid != INT_NONE && tid > 0 && owner->tid == tid ? owner : NULL;
}

bool xperf_set_owner(struct xperf_tasks *tasks, int64_t tid, int64_t pid, int64_t ts_ns)
{
	struct xperf_owner *owner = find_owner(tasks, tid);
	bool same = !owner || owner->pid == pid;

	if (tid == INT_NONE || tid <= 0 || pid == INT_NONE || pid <= 0)
		return true;
	tasks->owners[owner_at(tid)] = (struct xperf_owner){
		.tid = tid,
		.pid = pid,
		.named_ns = ts_ns,
		.cpu = owner ? owner->cpu : INT_NONE,
	};
	return same;
}

void xperf_set_cpu(struct xperf_tasks *tasks, int64_t tid, int64_t cpu)
{
	struct xperf_owner *owner = find_owner(tasks, tid);

	if (owner)
		owner->cpu = cpu;
}

void xperf_forget_owner(struct xperf_tasks *tasks, int64_t tid)
{
	struct xperf_owner *owner = find_owner(tasks, tid);

	if (owner)
		owner->tid = 0;
}

/*
 * Whether the end or the rundown of a thread names another process than the line before:
 * its number passed on between the two, and the lines that show it were lost.  No switch
 * of it is in between; where it seems to run since, it is in doubt which of the two does.
 */
static bool is_handed_over(struct xperf *x, const struct xperf_class *class,
			   const struct xperf_event *event)
{
	const struct xperf_owner *owner = find_owner(&x->tasks, event->tid);
	int64_t ts_ns = xperf_ts_ns(x), pid = event->process.pid;

	if (!owner || pid == INT_NONE || pid <= 0 || pid == owner->pid ||
	    ts_ns < owner->named_ns)
		return false;
	finding_report(x->findings, FINDING_HANDED_OVER, x->line.offset,
		       "thread %lld is of process %lld, later of process %lld, and no "
		       "line shows the change: unattributed between %lld and %lld ns",
		       (long long)event->tid, (long long)owner->pid, (long long)pid,
		       (long long)owner->named_ns, (long long)ts_ns);
	if (owner->cpu != INT_NONE)
		xperf_emit_loss(x, owner->cpu, class->name);
	return true;
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
	bool ends = str_equal(class->name, STR("T-End")), is_new;
	int64_t ts_ns = xperf_ts_ns(x), pid = event->process.pid, tid = event->tid;
	struct str name;

	if (tid == INT_NONE || tid == 0)
		return;
	name = thread_name(x);
	is_new = starts || is_handed_over(x, class, event);
	if (ends)
		xperf_forget_owner(&x->tasks, tid);
	else
		(void)xperf_set_owner(&x->tasks, tid, pid, ts_ns);
	xperf_emit_process(x, &event->process);
	if (is_new) {
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
