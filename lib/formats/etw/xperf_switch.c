/*
 * xperf_switch.c - CSwitch lines, with the counters that were read at them.
 *
 * The values of counters are cumulative, of the CPU that the switch names.
 */
#include "base/array.h"
#include "formats/etw/xperf.h"

/*
 * A switch that cannot be read took place all the same: the thread that seems to have run
 * since the one before it need not have.
 */
void xperf_miss_switch(struct xperf *x, const char *why)
{
	xperf_bad_line(x, why);
	xperf_drop_pmc(x);
	if (x->switch_missing || !x->counters.declared)
		return;
	x->switch_missing = true;
	xperf_emit_loss(x, INT_NONE, STR("CSwitch"));
}

static struct str short_text(struct str text)
{
	if (text.len > XPERF_DETAIL_BYTES_MAX)
		text.len = XPERF_DETAIL_BYTES_MAX;
	return text;
}

/* The row of what else the line says, unless it went out before. */
static int64_t detail_of(struct xperf *x, const struct xperf_view *view)
{
	static const struct xperf_number numbers[] = {
		XPERF_NUMBER(etw_switch_detail, prev_priority, COLUMN_OLD_PRIORITY),
		XPERF_NUMBER(etw_switch_detail, next_priority, COLUMN_NEW_PRIORITY),
		XPERF_NUMBER(etw_switch_detail, previous_c_state, COLUMN_C_STATE),
		XPERF_NUMBER(etw_switch_detail, ideal_cpu, COLUMN_IDEAL_CPU),
	};
	struct etw_switch_detail_row row = {
		.prev_state = short_text(xperf_get(view, COLUMN_STATE)),
		.wait_reason = short_text(xperf_get(view, COLUMN_REASON)),
		.wait_mode = short_text(xperf_get(view, COLUMN_MODE)),
	};
	bool is_new;
	int64_t id;

	xperf_get_numbers(view, numbers, ARRAY_COUNT(numbers), &row);
	id = etw_detail(&x->details, &row, &is_new);
	if (is_new)
		xperf_emit_row(x, TABLE_etw_switch_detail, &row);
	return id;
}

/*
 * Beginnings and ends of threads are not in every trace, and numbers are used again: a
 * thread of another process than before is another thread.
 */
static bool check_owner(struct xperf *x, int64_t tid, const struct xperf_process *process)
{
	struct task_fork_event fork;

	if (xperf_set_owner(&x->tasks, tid, process->pid, xperf_ts_ns(x)))
		return true;
	fork = (struct task_fork_event){ xperf_ts_ns(x), process->pid, tid, INT_NONE,
					 INT_NONE };
	xperf_emit_event(x, RECORD_TASK_FORK, &fork, sizeof(fork));
	return false;
}

static void emit_tasks(struct xperf *x, const struct xperf_event *event)
{
	xperf_emit_process(x, &event->process_2);
	xperf_emit_process(x, &event->process);
	if (!check_owner(x, event->tid_2, &event->process_2))
		/* The switch that let it in was not seen. */
		xperf_emit_loss(x, event->cpu, STR("CSwitch"));
	(void)check_owner(x, event->tid, &event->process);
	xperf_set_cpu(&x->tasks, event->tid_2, INT_NONE);
	xperf_set_cpu(&x->tasks, event->tid, event->cpu);
}

static void emit_switch(struct xperf *x, const struct xperf_event *event, bool is_read)
{
	const struct xperf_counters *counters = &x->counters;
	const struct xperf_process *old = &event->process_2, *new = &event->process;
	int64_t state = etw_thread_state_number(xperf_get(&event->view, COLUMN_STATE));
	int64_t cpu = event->cpu;

	x->switched = (struct switch_event){
		.ts_ns = xperf_ts_ns(x),
		.cpu = cpu,
		.stream = cpu,
		.group_id = 1,
		.prev_tid = event->tid_2,
		.next_tid = event->tid,
		.next_pid = new->pid == INT_NONE ? 0 : new->pid,
		.prev_state = state,
		.prev_exited = state == ETW_STATE_TERMINATED,
		.never_rotated = true,
		.every_switch = true,
		.unread = !is_read,
		.suspect = x->suspect[cpu / 8] >> (cpu % 8) & 1,
		.sample_pid = old->pid,
		.sample_tid = old->pid == INT_NONE ? INT_NONE : event->tid_2,
		.enabled_ns = INT_NONE,
		.running_ns = INT_NONE,
		.leader_lost = INT_NONE,
		.detail_id = x->want_rows ? detail_of(x, &event->view) : INT_NONE,
		.values = counters->values,
		.count = counters->count,
	};
	if (x->switched.prev_exited)
		xperf_forget_owner(&x->tasks, event->tid_2);
	emit_push(&x->emit, &(struct record){ .kind = RECORD_SWITCH,
					      .offset = x->line.offset,
					      .data = &x->switched });
}

void xperf_on_switch(struct xperf *x, const struct xperf_class *class,
		     const struct xperf_event *event)
{
	struct xperf_counters *counters = &x->counters;
	bool is_read = xperf_pair(x, event->tid);

	(void)class;
	if (!counters->declared)
		xperf_emit_group(x);
	x->switches++;
	x->switch_missing = false;
	if (!is_read)
		memset(counters->values, 0,
		       counters->count * sizeof(counters->values[0]));
	emit_tasks(x, event);
	emit_switch(x, event, is_read);
}

void xperf_on_bad_event(struct xperf *x, struct str name, const char *why)
{
	if (str_equal(name, STR("CSwitch"))) {
		xperf_miss_switch(x, why);
		return;
	}
	xperf_bad_line(x, why);
	xperf_drop_pmc(x);
}

void xperf_on_corruption(struct xperf *x, const struct xperf_class *class,
			 const struct xperf_event *event)
{
	int64_t cpu = xperf_get_number(&event->view, COLUMN_INDEX);

	(void)class;
	if (cpu < 0 || cpu >= CPU_MAX)
		xperf_bad_line(x, "a PmcCorruptionStatus line without a CPU");
	else if (xperf_get_number(&event->view, COLUMN_SOURCES) != 0)
		x->suspect[cpu / 8] |= (uint8_t)(1u << (cpu % 8));
}
