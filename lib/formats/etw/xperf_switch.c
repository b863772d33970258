/*
 * xperf_switch.c - counters and the switches they were read at.
 *
 * A Pmc line belongs to the event on the next line.  It has no CPU and names the thread
 * that comes, not the one that pays; so it is a switch's only where time and new thread
 * are the same.  Its values are cumulative, of the CPU that the switch tells.
 */
#include "base/text.h"
#include "formats/etw/xperf.h"

/* Looked through for the first Pmc line, which tells how many counters there are. */
#define LOOK_AHEAD_BYTES INPUT_BUFFER_BYTES
#define LOOK_AHEAD_LINES 64u
#define PMC_VALUES_AT 3 /* behind name, time and thread */

/* --- which counters --- */

/* Counters of a Pmc line, if this is one; 0: it is not. */
static size_t count_values(const char *line, const char *end)
{
	struct str text = xperf_trim((struct str){ line, (size_t)(end - line) });
	size_t fields = 0;
	const char *comma;

	if (text.len < 4 || memcmp(text.ptr, "Pmc,", 4) != 0)
		return 0;
	for (const char *at = text.ptr + 4; at; at = comma ? comma + 1 : NULL) {
		const char *stop = text.ptr + text.len;
		int64_t number;

		comma = memchr(at, ',', (size_t)(stop - at));
		if (comma)
			stop = comma;
		while (stop > at && stop[-1] == '\r')
			stop--;
		if (!xperf_number(xperf_trim((struct str){ at, (size_t)(stop - at) }),
				  &number) &&
		    fields < PMC_VALUES_AT - 1)
			return 0;
		fields++;
	}
	return fields > PMC_VALUES_AT - 1 ? fields - (PMC_VALUES_AT - 1) : 0;
}

/*
 * Names may hold commas: where values are near, they say how many counters there are.  It
 * is as many as there are names, if any line has so many values; else the first line
 * decides.  What was read of the line before is gone after this.
 */
static void look_ahead(struct reader *reader)
{
	struct xperf *x = reader->state;
	struct input *in = &reader->input;
	size_t have =
		in->is_live ? input_buffered(in) : input_peek_some(in, LOOK_AHEAD_BYTES);
	const char *line = (const char *)in->pos, *end = line + have, *stop;

	/* No byte is looked at twice, however many column lines there are. */
	if (x->looked_to > in->offset && x->looked_to - in->offset <= have)
		line += x->looked_to - in->offset;
	for (size_t lines = 0, count = 0;
	     line < end && lines < LOOK_AHEAD_LINES && count != x->name_count;
	     line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			break;
		count = count_values(line, stop);
		lines += count > 0;
		if (count && (x->values_seen == 0 || count == x->name_count))
			x->values_seen = count;
	}
	x->looked_to = in->offset + (uint64_t)(line - (const char *)in->pos);
}

static bool same_names(const struct xperf *x, const struct xperf_line *line)
{
	size_t count = line->count > PMC_VALUES_AT ? line->count - PMC_VALUES_AT : 0;

	if (count != x->name_count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!str_equal(x->names[i], xperf_field(line, i + PMC_VALUES_AT)))
			return false;
	return true;
}

void xperf_define_pmc(struct reader *reader)
{
	struct xperf *x = reader->state;
	const struct xperf_line *line = &x->line;

	if (line->count > XPERF_FIELDS_MAX) {
		xperf_bad_line(reader, "too many counters");
		return;
	}
	if (x->declared) {
		if (!same_names(x, line))
			finding_add(&reader->findings, FINDING_OTHER_COUNTERS,
				    line->offset, 1);
		return;
	}
	arena_release(&x->names_arena);
	x->name_count = 0;
	for (size_t i = PMC_VALUES_AT; i < line->count; i++) {
		struct str name = arena_str(&x->names_arena, line->fields[i]);

		if (!name.ptr)
			return;
		x->names[x->name_count++] = name;
	}
	if (x->values_seen == 0)
		look_ahead(reader);
	x->counters = x->values_seen ? x->values_seen : x->name_count;
	if (x->counters > GROUP_COUNTERS_MAX)
		x->counters = 0;
}

/* --- the group --- */

/* Names that are too many are one with commas: the first. */
static struct str joined_name(struct xperf *x, size_t count)
{
	size_t bytes = 0, at = 0;
	char *text;

	for (size_t i = 0; i < count; i++)
		bytes += x->names[i].len + 2;
	text = arena_alloc(&x->names_arena, bytes);
	if (!text)
		return STR_NONE;
	for (size_t i = 0; i < count; i++) {
		if (i) {
			memcpy(text + at, ", ", 2);
			at += 2;
		}
		if (x->names[i].len)
			memcpy(text + at, x->names[i].ptr, x->names[i].len);
		at += x->names[i].len;
	}
	return (struct str){ text, at };
}

static struct str numbered_name(struct xperf *x, size_t slot)
{
	char text[32] = "Pmc ";
	size_t length = 4 + text_int(text + 4, (int64_t)slot + 1);

	return arena_str(&x->names_arena, (struct str){ text, length });
}

static struct str counter_name(struct xperf *x, size_t slot)
{
	size_t more = x->name_count > x->counters ? x->name_count - x->counters : 0;

	if (slot + more >= x->name_count)
		return numbered_name(x, slot);
	if (more && slot == 0)
		return joined_name(x, more + 1);
	return x->names[slot + more];
}

static void declare(struct reader *reader)
{
	struct xperf *x = reader->state;

	x->declared = x->declaring = true;
	if (x->name_count > x->counters && x->counters)
		finding_report(
			&reader->findings, FINDING_OTHER_COUNTERS, ERROR_NO_OFFSET,
			"%zu names for the %zu counters of Pmc lines: the first contains "
			"commas",
			x->name_count, x->counters);
	else if (x->name_count < x->counters)
		finding_add(&reader->findings, FINDING_NAMELESS, ERROR_NO_OFFSET,
			    (int64_t)(x->counters - x->name_count));
}

bool xperf_declare_next(struct xperf *x, struct record *out)
{
	size_t next = x->declare_next++;
	struct str name;

	if (next == 0) {
		x->group_row = (struct counter_group_row){
			.group_id = 1,
			.leader = STR("CSwitch"),
			.counters = (int64_t)x->counters,
			.scope = STR("cpu"),
			.has_times = STR("no"),
		};
		*out = (struct record){ .kind = RECORD_counter_group,
					.data = &x->group_row };
		return true;
	}
	if (next > x->counters) {
		x->declaring = false;
		return false;
	}
	name = xperf_text(&x->names_arena, counter_name(x, next - 1));
	x->counter_row = (struct counter_row){
		.counter_id = ++x->last_counter_id,
		.group_id = 1,
		.slot = (int64_t)next - 1,
		.name = name,
		.event = name,
		.source = STR("etw"),
		.type = INT_NONE,
		.config = INT_NONE,
		.period = INT_NONE,
	};
	*out = (struct record){ .kind = RECORD_counter, .data = &x->counter_row };
	return true;
}

/* --- Pmc lines --- */

void xperf_drop_pmc(struct reader *reader)
{
	struct xperf *x = reader->state;

	if (x->pmc.waits)
		finding_add(&reader->findings, FINDING_UNPAIRED, x->pmc.offset, 1);
	x->pmc.waits = false;
}

/* The first line with values decides how many there are. */
static bool right_count(struct reader *reader, size_t count)
{
	struct xperf *x = reader->state;

	if (x->values_seen == 0 && count) {
		x->values_seen = count;
		if (!x->declared && count <= GROUP_COUNTERS_MAX)
			x->counters = count;
	}
	if (count == x->counters)
		return true;
	finding_add(&reader->findings, FINDING_OTHER_VALUES, x->line.offset, 1);
	return false;
}

void xperf_take_pmc(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	const struct xperf_line *line = &x->line;
	int64_t tid;

	(void)class; /* its columns are fixed but for the counters */
	xperf_drop_pmc(reader);
	if (line->count < PMC_VALUES_AT || line->count > XPERF_FIELDS_MAX ||
	    !xperf_number(line->fields[2], &tid)) {
		xperf_bad_line(reader, "a Pmc line without a thread");
		return;
	}
	for (size_t i = PMC_VALUES_AT; i < line->count; i++) {
		uint64_t value;

		if (!xperf_count(line->fields[i], &value)) {
			xperf_bad_line(reader, "a counter value that is not a number");
			return;
		}
		if (i - PMC_VALUES_AT < GROUP_COUNTERS_MAX)
			x->values[i - PMC_VALUES_AT] = value;
	}
	x->pmc = (struct xperf_pmc){
		.waits = true,
		.fits = right_count(reader, line->count - PMC_VALUES_AT),
		.offset = line->offset,
		.us = x->us,
		.tid = tid == -1 || tid == UINT32_MAX ? INT_NONE : tid,
	};
}

void xperf_settle_pmc(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_view view;
	int64_t tid;

	if (!x->pmc.waits)
		return;
	/* Counters may be read at other events too; one without a thread proves nothing.
	 */
	if (x->pmc.us == x->us && xperf_view(&view, class, &x->line) &&
	    xperf_get_thread(&view, COLUMN_THREAD, &tid) && tid == x->pmc.tid)
		x->pmc.waits = false;
	xperf_drop_pmc(reader);
}

/* --- switches --- */

static void put_loss(struct xperf *x, int64_t cpu)
{
	x->loss = (struct loss_event){ .ts_ns = xperf_ts_ns(x),
				       .cpu = cpu,
				       .counter_id = INT_NONE,
				       .events = 0, /* not the recorder's doing */
				       .record = STR("CSwitch") };
	xperf_put(x, RECORD_LOSS, &x->loss);
}

/*
 * A switch that cannot be read took place all the same: whoever seems to have run on
 * since the one before it need not have.
 */
static void miss_switch(struct reader *reader, const char *why)
{
	struct xperf *x = reader->state;

	xperf_bad_line(reader, why);
	xperf_drop_pmc(reader);
	if (x->switch_missing || !x->declared)
		return;
	x->switch_missing = true;
	put_loss(x, INT_NONE);
}

static struct str short_text(struct str text)
{
	if (text.len > XPERF_DETAIL_BYTES_MAX)
		text.len = XPERF_DETAIL_BYTES_MAX;
	return text;
}

/* The row of what else the line tells, unless it was put out before. */
static int64_t detail_of(struct reader *reader, const struct xperf_view *view)
{
	struct xperf *x = reader->state;
	struct etw_switch_detail_row *row = &x->row.detail;
	bool is_new;
	int64_t id;

	if (!reader->options.want_rows)
		return INT_NONE;
	*row = (struct etw_switch_detail_row){
		.prev_state = short_text(xperf_get(view, COLUMN_STATE)),
		.wait_reason = short_text(xperf_get(view, COLUMN_REASON)),
		.wait_mode = short_text(xperf_get(view, COLUMN_MODE)),
		.prev_priority = xperf_get_number(view, COLUMN_OLD_PRIORITY),
		.next_priority = xperf_get_number(view, COLUMN_NEW_PRIORITY),
		.previous_c_state = xperf_get_number(view, COLUMN_C_STATE),
		.ideal_cpu = xperf_get_number(view, COLUMN_IDEAL_CPU),
	};
	id = etw_detail(&x->details, row, &is_new);
	if (is_new)
		xperf_put_row(x, TABLE_etw_switch_detail, row);
	return id;
}

/* The counters of this switch were read: the Pmc line before it was for it. */
static bool pair(struct reader *reader, int64_t new_tid)
{
	struct xperf *x = reader->state;
	bool mine = x->pmc.waits && x->pmc.us == x->us && x->pmc.tid == new_tid;

	if (!mine) {
		xperf_drop_pmc(reader);
		return x->counters == 0;
	}
	x->pmc.waits = false;
	x->paired += x->pmc.fits;
	return x->pmc.fits;
}

/*
 * Beginnings and ends of threads are not in every trace, and numbers are used again: a
 * thread of another process than before is another thread.
 */
static bool see_owner(struct xperf *x, int which, int64_t tid,
		      const struct xperf_process *process)
{
	if (xperf_own(x, tid, process->pid))
		return true;
	x->new_lives[which] = (struct task_fork_event){ .ts_ns = xperf_ts_ns(x),
							.pid = process->pid,
							.tid = tid,
							.parent_pid = INT_NONE,
							.parent_tid = INT_NONE };
	xperf_put(x, RECORD_TASK_FORK, &x->new_lives[which]);
	return false;
}

/* By whether the line of columns was seen. */
static const char *const misfits[] = { "a CSwitch line before its column line",
				       "a CSwitch line that does not fit its columns" };

void xperf_take_switch(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_process old, new;
	struct xperf_view view;
	int64_t old_tid, new_tid, cpu, state;
	bool is_read;

	if (!xperf_view(&view, class, &x->line) ||
	    !xperf_get_process(&view, COLUMN_PROCESS, &new) ||
	    !xperf_get_process(&view, COLUMN_PROCESS_2, &old) ||
	    !xperf_get_thread(&view, COLUMN_THREAD, &new_tid) ||
	    !xperf_get_thread(&view, COLUMN_THREAD_2, &old_tid)) {
		miss_switch(reader, misfits[class->has_columns]);
		return;
	}
	cpu = xperf_get_number(&view, COLUMN_CPU);
	if (!xperf_see_cpu(x, cpu)) {
		miss_switch(reader, "a CSwitch line without a CPU");
		return;
	}
	is_read = pair(reader, new_tid);
	if (!x->declared)
		declare(reader);
	x->switches++;
	x->switch_missing = false;
	xperf_tell_process(x, 0, &old);
	xperf_tell_process(x, 1, &new);
	if (!see_owner(x, 0, old_tid, &old))
		put_loss(x, cpu); /* the switch that let this one in was not seen */
	(void)see_owner(x, 1, new_tid, &new);
	state = etw_thread_state_number(xperf_get(&view, COLUMN_STATE));
	if (state == ETW_STATE_TERMINATED)
		xperf_disown(x, old_tid);
	if (!is_read)
		memset(x->values, 0, x->counters * sizeof(x->values[0]));
	x->switched = (struct switch_event){
		.ts_ns = xperf_ts_ns(x),
		.cpu = cpu,
		.stream = cpu,
		.group_id = 1,
		.prev_tid = old_tid,
		.next_tid = new_tid,
		.next_pid = new.pid == INT_NONE ? 0 : new.pid,
		.prev_state = state,
		.prev_exited = state == ETW_STATE_TERMINATED,
		.never_rotated = true,
		.every_switch = true,
		.unread = !is_read,
		.suspect = x->suspect[cpu / 8] >> (cpu % 8) & 1,
		.sample_pid = old.pid,
		.sample_tid = old.pid == INT_NONE ? INT_NONE : old_tid,
		.enabled_ns = INT_NONE,
		.running_ns = INT_NONE,
		.leader_lost = INT_NONE,
		.detail_id = detail_of(reader, &view),
		.values = x->values,
		.count = x->counters,
	};
	xperf_put(x, RECORD_SWITCH, &x->switched);
}

void xperf_take_unreadable(struct reader *reader, struct str name, const char *why)
{
	if (str_equal(name, STR("CSwitch"))) {
		miss_switch(reader, why);
		return;
	}
	xperf_bad_line(reader, why);
	xperf_drop_pmc(reader);
}

void xperf_take_corruption(struct reader *reader, const struct xperf_class *class)
{
	struct xperf *x = reader->state;
	struct xperf_view view;
	int64_t cpu;

	if (!xperf_view(&view, class, &x->line)) {
		xperf_bad_line(reader, "a PmcCorruptionStatus line without columns");
		return;
	}
	cpu = xperf_get_number(&view, COLUMN_INDEX);
	if (cpu < 0 || cpu >= CPU_MAX)
		xperf_bad_line(reader, "a PmcCorruptionStatus line without a CPU");
	else if (xperf_get_number(&view, COLUMN_SOURCES) != 0)
		x->suspect[cpu / 8] |= (uint8_t)(1u << (cpu % 8));
}
