/*
 * perfetto.c - writes a trace for Perfetto's UI and trace processor: who was on each CPU,
 * processes and threads, counters over time, losses and findings.
 *
 * Switches are written as the kernel's ftrace reports them, in compact form, after all
 * rows have been seen: only then are the numbers and names of threads final.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "model/read_class.h"
#include "output/outputs.h"
#include "output/perfetto/packets.h"
#include "output/perfetto/slices.h"
#include "output/perfetto/tasks.h"
#include "output/perfetto/tracks.h"
#include "output/target.h"
#include "output/trace_contents.h"

#define SEQUENCE_CLEARED 1 /* the packets need nothing from before */
#define BLOCK_SWITCHES 1024
#define NORMAL_PRIORITY 120
#define FINDINGS_TRACK 1
#define LOSSES_TRACK 2
#define FIRST_COUNTER_TRACK 16

struct counter_name {
	int64_t counter_id;
	struct str name, unit;
};

/* Switches of a CPU that become one packet. */
struct block {
	int64_t cpu;
	size_t count;
	int64_t ts_ns[BLOCK_SWITCHES];
	int32_t prev_state[BLOCK_SWITCHES];
	const struct task *next_task[BLOCK_SWITCHES];
	struct block *next;
};

struct note {	       /* a loss, or a finding */
	int64_t ts_ns; /* INT_NONE: of the whole trace */
	int64_t track;
	struct str text;
	struct note *next;
};

struct perfetto {
	struct target target;
	bool is_stdout;
	struct packets packets;
	struct slices slices;
	struct tracks tracks;
	struct tasks tasks;
	struct map interrupts; /* of read_class() */
	struct arena arena;
	struct trace_row trace;
	struct trace_contents contents;
	bool has_trace, has_more;
	bool has_groups;     /* that were read at switches */
	struct map counters; /* struct counter_name by counter_id */
	struct map by_slot;  /* the same by slot_key() */
	struct note *notes, **last_note;
	int64_t read_ts_ns, read_cpu; /* of the last group_read row */
	int64_t first_ns;	      /* of all switches, INT_NONE: there is none */
	int64_t first_record_ns;      /* the same of SWITCH records */
};

/* --- opening --- */

static enum status perfetto_open(struct sink *sink)
{
	struct perfetto *p = sink->state;
	enum status status = ST_OK;

	p->first_ns = p->first_record_ns = INT_NONE;
	p->last_note = &p->notes;
	p->target.lock_fd = -1;
	p->slices.fd = -1;
	p->is_stdout = strcmp(sink->options.path, "-") == 0;
	if (!p->is_stdout)
		status = target_begin(&p->target, &sink->options, false, &sink->error);
	p->packets = (struct packets){
		.fd = p->is_stdout ? OS_STDOUT : p->target.lock_fd,
		.error = &sink->error,
	};
	return status == ST_OK ? slices_open(&p->slices, &sink->error) : status;
}

/* --- rows --- */

static uint64_t slot_key(int64_t group_id, int64_t slot)
{
	return (uint64_t)group_id * GROUP_COUNTERS_MAX + (uint64_t)slot;
}

static enum status keep_counter(struct sink *sink, const struct counter_row *row)
{
	struct perfetto *p = sink->state;
	struct counter_name *counter = arena_alloc(&p->arena, sizeof(*counter));

	if (!counter)
		return error_nomem(&sink->error);
	*counter = (struct counter_name){
		.counter_id = row->counter_id,
		.name = row->name.ptr ? arena_str(&p->arena, row->name) : STR("?"),
		.unit = row->unit.ptr ? arena_str(&p->arena, row->unit) : STR_NONE,
	};
	return counter->name.ptr &&
			       map_put(&p->counters, (uint64_t)row->counter_id,
				       counter) &&
			       map_put(&p->by_slot, slot_key(row->group_id, row->slot),
				       counter)
		       ? ST_OK
		       : error_nomem(&sink->error);
}

static enum status keep_note(struct sink *sink, int64_t track, int64_t ts_ns,
			     struct str text)
{
	struct perfetto *p = sink->state;
	struct note *note = arena_alloc(&p->arena, sizeof(*note));

	if (!note)
		return error_nomem(&sink->error);
	*note = (struct note){ .track = track,
			       .ts_ns = ts_ns,
			       .text = arena_str(&p->arena, text) };
	*p->last_note = note;
	p->last_note = &note->next;
	return note->text.ptr ? ST_OK : error_nomem(&sink->error);
}

static enum status keep_loss(struct sink *sink, const struct lost_row *row)
{
	char text[128], cpu[32] = "", count[32] = "an unknown number";

	if (row->events != INT_NONE)
		text_grouped(count, sizeof(count), row->events);
	if (row->cpu != INT_NONE)
		text_print(cpu, sizeof(cpu), " of CPU %lld", (long long)row->cpu);
	text_print(text, sizeof(text), "lost: %s events%s", count, cpu);
	return keep_note(sink, LOSSES_TRACK, row->ts_ns, str_of(text));
}

/*
 * The time that the bill gives to the thread, also where idle shares its counts; other
 * intervals have no known beginning.
 */
static int64_t billed_ns(int64_t status, int64_t on_cpu_ns)
{
	return status == CHARGE_CHARGED || status == CHARGE_WITH_IDLE ? on_cpu_ns
								      : INT_NONE;
}

static enum status add_switch(struct sink *sink, const struct record *record)
{
	const struct context_switch_row *row = record->data;
	struct perfetto *p = sink->state;
	const struct slice_end end = {
		.group_id = row->group_id,
		.cpu = row->cpu,
		.ts_ns = row->ts_ns,
		.on_cpu_ns = billed_ns(row->status, row->on_cpu_ns),
		.thread_id = row->prev_thread_id == INT_NONE ? 0 : row->prev_thread_id,
		.prev_state = row->prev_state,
	};

	if (row->cpu == INT_NONE || row->ts_ns == INT_NONE || row->ts_ns < 0)
		return ST_OK;
	p->has_groups = true;
	if (p->first_ns == INT_NONE || row->ts_ns < p->first_ns)
		p->first_ns = row->ts_ns;
	for (size_t i = 0; i < record->slots; i++) {
		const struct counter_name *counter =
			map_get(&p->by_slot, slot_key(row->group_id, (int64_t)i));

		if (counter && !tracks_add(&p->tracks, counter->counter_id, row->cpu,
					   row->ts_ns, record->deltas[i]))
			return error_nomem(&sink->error);
	}
	return slices_add(&p->slices, &end);
}

static enum status add_read(struct sink *sink, const struct group_read_row *row)
{
	struct perfetto *p = sink->state;
	bool of_thread = read_class(&p->interrupts, row) != CLASS_INTERRUPT;
	const struct slice_end end = {
		.group_id = row->group_id,
		.cpu = row->cpu,
		.ts_ns = row->ts_ns,
		.on_cpu_ns =
			of_thread ? billed_ns(row->status, row->on_cpu_ns) : INT_NONE,
		.thread_id = row->thread_id == INT_NONE ? 0 : row->thread_id,
		.stays = true,
	};

	p->read_ts_ns = row->ts_ns;
	p->read_cpu = row->cpu;
	if (row->cpu == INT_NONE || row->ts_ns == INT_NONE || row->ts_ns < 0)
		return ST_OK;
	return slices_add(&p->slices, &end);
}

/* Time on the CPU that SWITCH records know, where no group reads at switches. */
static enum status add_on_cpu(struct sink *sink, const struct switch_record_row *row)
{
	struct perfetto *p = sink->state;
	const struct slice_end end = {
		.group_id = INT_NONE,
		.cpu = row->cpu,
		.ts_ns = row->ts_ns,
		.on_cpu_ns = row->on_cpu_ns,
		.thread_id = row->thread_id,
	};

	if (p->has_groups || row->on_cpu_ns == INT_NONE || row->thread_id == INT_NONE ||
	    row->cpu == INT_NONE || row->ts_ns == INT_NONE || row->ts_ns < 0)
		return ST_OK;
	if (p->first_record_ns == INT_NONE || row->ts_ns < p->first_record_ns)
		p->first_record_ns = row->ts_ns;
	return slices_add(&p->slices, &end);
}

static enum status keep_trace(struct sink *sink, const struct trace_row *row)
{
	struct perfetto *p = sink->state;

	p->has_more |= p->has_trace && row->trace_id != p->trace.trace_id;
	p->has_trace = true;
	p->trace = *row;
	p->trace.path = arena_str(&p->arena, row->path);
	p->trace.os_release = arena_str(&p->arena, row->os_release);
	p->trace.arch = arena_str(&p->arena, row->arch);
	return p->has_more ? error_set(&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				       "a Perfetto trace holds one trace: give one input")
			   : ST_OK;
}

static enum status perfetto_put(struct sink *sink, const struct record *record)
{
	struct perfetto *p = sink->state;
	bool kept = true;

	trace_contents_on_row(&p->contents, record);
	switch (record->kind) {
	case RECORD_trace:
		return keep_trace(sink, record->data);
	case RECORD_counter:
		return keep_counter(sink, record->data);
	case RECORD_context_switch:
		return add_switch(sink, record);
	case RECORD_interrupt:
		kept = read_class_add(&p->interrupts, record->data);
		break;
	case RECORD_group_read:
		return add_read(sink, record->data);
	case RECORD_switch_record:
		return add_on_cpu(sink, record->data);
	case RECORD_group_read_value: {
		const struct group_read_value_row *row = record->data;

		kept = p->read_cpu == INT_NONE ||
		       tracks_add(&p->tracks, row->counter_id, p->read_cpu, p->read_ts_ns,
				  row->delta);
		break;
	}
	case RECORD_process:
		kept = tasks_add_process(&p->tasks, record->data);
		break;
	case RECORD_thread:
		kept = tasks_add_thread(&p->tasks, record->data);
		break;
	case RECORD_lost:
		return keep_loss(sink, record->data);
	case RECORD_finding:
		return keep_note(sink, FINDINGS_TRACK, INT_NONE,
				 RECORD_DATA(record, finding)->text);
	default:
		break;
	}
	return kept ? ST_OK : error_nomem(&sink->error);
}

/* --- packets of a whole trace --- */

static void write_clock(struct packets *to, int64_t clock, int64_t ts_ns)
{
	size_t place = packets_begin(to, SNAPSHOT_CLOCK);

	packets_int(to, CLOCK_NUMBER, clock);
	packets_int(to, CLOCK_TIME, ts_ns);
	packets_end(to, place);
}

/* What the clock of the trace showed at what time of the day. */
static void write_clocks(struct perfetto *p)
{
	size_t packet = packets_begin_packet(&p->packets, p->first_ns), place;

	packets_int(&p->packets, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	if (p->trace.wall_offset_ns != INT_NONE) {
		place = packets_begin(&p->packets, PACKET_CLOCK_SNAPSHOT);
		write_clock(&p->packets, CLOCK_IS_BOOTTIME, p->first_ns);
		write_clock(&p->packets, CLOCK_IS_REALTIME,
			    p->first_ns + p->trace.wall_offset_ns);
		packets_end(&p->packets, place);
	}
	packets_end(&p->packets, packet);
}

static void write_system(struct perfetto *p)
{
	size_t packet = packets_begin_packet(&p->packets, p->first_ns);
	size_t info = packets_begin(&p->packets, PACKET_SYSTEM_INFO);
	size_t name = packets_begin(&p->packets, INFO_UTSNAME);

	if (p->trace.os_release.ptr)
		packets_text(&p->packets, UTSNAME_RELEASE, p->trace.os_release);
	if (p->trace.arch.ptr)
		packets_text(&p->packets, UTSNAME_MACHINE, p->trace.arch);
	packets_end(&p->packets, name);
	packets_end(&p->packets, info);
	packets_end(&p->packets, packet);
}

/* --- switches --- */

/* Names stand once in a block; the number of the name of each next thread. */
static void write_names(struct packets *to, const struct block *block,
			uint16_t numbers[BLOCK_SWITCHES])
{
	static const struct task no_task;
	const struct task *seen[BLOCK_SWITCHES];
	size_t count = 0;

	for (size_t i = 0; i < block->count; i++) {
		const struct task *task =
			block->next_task[i] ? block->next_task[i] : &no_task;
		size_t k = 0;

		while (k < count && seen[k] != task)
			k++;
		if (k == count) {
			seen[count++] = task;
			packets_text(to, SCHED_INTERN_TABLE,
				     task->name.ptr ? task->name : STR("swapper"));
		}
		numbers[i] = (uint16_t)k;
	}
}

static void write_packed(struct packets *to, unsigned int field,
			 const struct block *block, const uint16_t *numbers)
{
	size_t place = packets_begin(to, field);
	int64_t before = 0;

	for (size_t i = 0; i < block->count; i++)
		switch (field) {
		case SCHED_TIMESTAMP:
			packets_number(to, (uint64_t)(block->ts_ns[i] - before));
			before = block->ts_ns[i];
			break;
		case SCHED_PREV_STATE:
			packets_number(to, (uint64_t)block->prev_state[i]);
			break;
		case SCHED_NEXT_PID:
			packets_number(to, block->next_task[i]
						   ? (uint64_t)block->next_task[i]->tid
						   : 0);
			break;
		case SCHED_NEXT_PRIO:
			packets_number(to, NORMAL_PRIORITY);
			break;
		default:
			packets_number(to, numbers[i]);
			break;
		}
	packets_end(to, place);
}

static enum status write_block(struct perfetto *p, struct block *block)
{
	size_t packet = packets_begin_packet(&p->packets, p->first_ns);
	size_t bundle = packets_begin(&p->packets, PACKET_FTRACE_EVENTS), sched;
	uint16_t numbers[BLOCK_SWITCHES];

	packets_int(&p->packets, BUNDLE_CPU, block->cpu);
	sched = packets_begin(&p->packets, BUNDLE_COMPACT_SCHED);
	write_names(&p->packets, block, numbers);
	for (unsigned int field = SCHED_TIMESTAMP; field <= SCHED_NEXT_PRIO; field++)
		write_packed(&p->packets, field, block, numbers);
	write_packed(&p->packets, SCHED_NEXT_COMM_INDEX, block, numbers);
	packets_end(&p->packets, sched);
	packets_end(&p->packets, bundle);
	packets_end(&p->packets, packet);
	block->count = 0;
	return packets_write(&p->packets, false);
}

static enum status write_switches(struct sink *sink)
{
	struct perfetto *p = sink->state;
	struct map by_cpu = { NULL, 0, 0 };
	struct block *blocks = NULL, **last = &blocks;
	struct slice_start start;
	enum status status = slices_finish(&p->slices);

	while (status == ST_OK && (status = slices_next(&p->slices, &start)) == ST_OK) {
		struct block *block = map_get(&by_cpu, (uint64_t)start.cpu);

		if (!block) {
			block = arena_alloc(&p->arena, sizeof(*block));
			if (!block || !map_put(&by_cpu, (uint64_t)start.cpu, block)) {
				status = error_nomem(&sink->error);
				break;
			}
			block->cpu = start.cpu;
			*last = block;
			last = &block->next;
		}
		block->ts_ns[block->count] = start.ts_ns;
		block->prev_state[block->count] = start.prev_state;
		block->next_task[block->count++] = tasks_find(&p->tasks, start.thread_id);
		if (block->count == BLOCK_SWITCHES)
			status = write_block(p, block);
	}
	if (status == ST_END)
		status = ST_OK;
	for (struct block *block = blocks; block && status == ST_OK; block = block->next)
		if (block->count)
			status = write_block(p, block);
	map_release(&by_cpu);
	return status;
}

/* --- tracks --- */

static void write_track(struct perfetto *p, int64_t uuid, struct str name,
			const struct counter_name *counter)
{
	size_t packet = packets_begin_packet(&p->packets, p->first_ns), place;
	size_t track = packets_begin(&p->packets, PACKET_TRACK_DESCRIPTOR);

	packets_int(&p->packets, TRACK_UUID, uuid);
	packets_text(&p->packets, TRACK_NAME, name);
	if (counter) {
		place = packets_begin(&p->packets, TRACK_COUNTER);
		if (counter->unit.ptr)
			packets_text(&p->packets, COUNTER_UNIT_NAME, counter->unit);
		packets_end(&p->packets, place);
	}
	packets_end(&p->packets, track);
	packets_end(&p->packets, packet);
}

static void write_value(struct perfetto *p, int64_t uuid, int64_t ts_ns, int64_t value)
{
	size_t packet = packets_begin_packet(&p->packets, ts_ns);
	size_t event = packets_begin(&p->packets, PACKET_TRACK_EVENT);

	packets_int(&p->packets, TRACK_EVENT_TYPE, TYPE_COUNTER);
	packets_int(&p->packets, TRACK_EVENT_TRACK, uuid);
	packets_int(&p->packets, TRACK_EVENT_VALUE, value);
	packets_end(&p->packets, event);
	packets_end(&p->packets, packet);
}

/* A value holds until the next one; after the last bucket there is nothing more. */
static enum status write_counter(struct perfetto *p, const struct track *track,
				 int64_t uuid)
{
	const struct counter_name *counter =
		map_get(&p->counters, (uint64_t)track->counter_id);
	int64_t before = 0;
	char name[256];

	if (!counter)
		return ST_OK;
	text_print(name, sizeof(name), "%.*s of CPU %lld", (int)counter->name.len,
		   counter->name.ptr, (long long)track->cpu);
	write_track(p, uuid, str_of(name), counter);
	for (size_t i = 0; i <= track->used; i++) {
		int64_t value = i < track->used ? track->sums[i] : 0;

		/* Each sum is written once, so that they add up to the total. */
		if (value || before)
			write_value(p, uuid,
				    track->begin_ns + ((int64_t)i << track->shift),
				    value);
		before = value;
	}
	return packets_write(&p->packets, false);
}

static enum status write_counters(struct perfetto *p)
{
	int64_t uuid = FIRST_COUNTER_TRACK;
	enum status status = ST_OK;

	for (const struct track *track = p->tracks.first; track && status == ST_OK;
	     track = track->next)
		status = write_counter(p, track, uuid++);
	return status;
}

static enum status write_notes(struct perfetto *p)
{
	enum status status = ST_OK;

	if (p->notes) {
		write_track(p, FINDINGS_TRACK, STR("findings"), NULL);
		write_track(p, LOSSES_TRACK, STR("losses"), NULL);
	}
	for (const struct note *note = p->notes; note && status == ST_OK;
	     note = note->next) {
		size_t packet =
			packets_begin_packet(&p->packets, note->ts_ns < p->first_ns
								  ? p->first_ns
								  : note->ts_ns);
		size_t event = packets_begin(&p->packets, PACKET_TRACK_EVENT);

		packets_int(&p->packets, TRACK_EVENT_TYPE, TYPE_INSTANT);
		packets_int(&p->packets, TRACK_EVENT_TRACK, note->track);
		packets_text(&p->packets, TRACK_EVENT_NAME, note->text);
		packets_end(&p->packets, event);
		packets_end(&p->packets, packet);
		status = packets_write(&p->packets, false);
	}
	return status;
}

/* --- finishing --- */

static enum status perfetto_finish(struct sink *sink)
{
	struct perfetto *p = sink->state;
	enum status status;

	if (p->first_ns == INT_NONE)
		p->first_ns = p->first_record_ns;
	if (p->first_ns == INT_NONE)
		p->first_ns = p->trace.first_ns > 0 ? p->trace.first_ns : 0;
	if (p->tracks.full && sink->options.note)
		sink->options.note(
			sink->options.context,
			"more counters and CPUs than tracks: some are left out");
	if (p->has_trace && !p->slices.first && !p->tracks.first)
		trace_contents_warn(
			&p->contents, &sink->options, &p->trace,
			"no thread was seen on a CPU and no counter over time, so the "
			"output has neither");
	write_clocks(p);
	write_system(p);
	status = task_tracks_write(&p->tasks, &p->packets, p->first_ns);
	if (status == ST_OK)
		status = write_switches(sink);
	if (status == ST_OK)
		slices_warn(&p->slices, &sink->options, p->trace.path);
	if (status == ST_OK)
		status = write_counters(p);
	if (status == ST_OK)
		status = write_notes(p);
	if (status == ST_OK)
		status = packets_write(&p->packets, true);
	return status == ST_OK && !p->is_stdout ? target_commit(&p->target, &sink->error)
						: status;
}

static void perfetto_close(struct sink *sink)
{
	struct perfetto *p = sink->state;

	packets_release(&p->packets);
	slices_close(&p->slices);
	tracks_release(&p->tracks);
	tasks_release(&p->tasks);
	map_release(&p->interrupts);
	map_release(&p->counters);
	map_release(&p->by_slot);
	arena_release(&p->arena);
	if (!p->is_stdout)
		target_release(&p->target);
}

const struct sink_ops perfetto_writer = {
	.name = "perfetto",
	.state_size = sizeof(struct perfetto),
	.to_stdout = true,
	.open = perfetto_open,
	.put = perfetto_put,
	.finish = perfetto_finish,
	.close = perfetto_close,
};
