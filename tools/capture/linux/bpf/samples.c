/*
 * samples.c - see samples.h.  Layouts of the records: perf_event_open(2), "MMAP layout";
 * which fields they have: set_common() and leader_attr() of counter_plan.c.
 */
#include "capture/linux/bpf/samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FORMAT_BYTES_MAX 8192
#define FIELD_OFFSET_MAX 4096
#define NO_PLACE SIZE_MAX
/* Time enabled is constant as long as the clock that counts it is: at most a jiffy. */
#define FROZEN_NS UINT64_C(20000000)
#define COMMON_PID_AT 4 /* of all tracepoints: u16 type, u8 flags, u8 preemption, pid */

/* <linux/sched.h>: what the tracepoint reports of a state, and how. */
#define STATE_REPORTED 0x7fu /* sleeping to parked */
#define STATE_DISK_SLEEP 0x2u
#define STATE_IDLE_SLEEP 0x402u /* UNINTERRUPTIBLE | NOLOAD */
#define STATE_RTLOCK 0x1000u
#define STATE_FROZEN 0x8000u
#define REPORT_IDLE_SLEEP 0x80u
#define REPORT_PREEMPTED 0x100u

/* --- the tracepoint's data --- */

static const char *const field_names[SWITCH_FIELDS] = {
	[FIELD_PREV_COMM] = " prev_comm[", [FIELD_PREV_PID] = " prev_pid;",
	[FIELD_PREV_PRIO] = " prev_prio;", [FIELD_PREV_STATE] = " prev_state;",
	[FIELD_NEXT_COMM] = " next_comm[", [FIELD_NEXT_PID] = " next_pid;",
	[FIELD_NEXT_PRIO] = " next_prio;",
};

static bool find_field(const char *format, const char *name, struct field_place *place)
{
	const char *at = strstr(format, name);

	at = at ? strchr(at, ';') : NULL;
	return at &&
	       sscanf(at, "; offset:%u; size:%u;", &place->offset, &place->size) == 2 &&
	       place->offset < FIELD_OFFSET_MAX && place->size <= BPF_COMM_BYTES;
}

bool switch_layout_parse(struct switch_layout *layout, const char *format)
{
	uint32_t end = 0;

	for (int i = 0; i < SWITCH_FIELDS; i++) {
		struct field_place *place = &layout->fields[i];

		if (!find_field(format, field_names[i], place))
			return false;
		if (place->offset + place->size > end)
			end = place->offset + place->size;
	}
	/* Its size precedes it, and both together end at a multiple of 8. */
	layout->bytes = (end + 4 + 7) / 8 * 8 - 4;
	return true;
}

bool edge_layout_parse(struct edge_layout *layout, const char *format)
{
	static const char *const numbers[] = { " irq;", " vec;", " vector;" };
	bool found = false;
	uint32_t end;

	layout->returned.size = layout->name.size = 0;
	for (size_t i = 0; i < ARRAY_COUNT(numbers) && !found; i++)
		found = find_field(format, numbers[i], &layout->number);
	if (!found)
		return false;
	end = layout->number.offset + layout->number.size;
	if (find_field(format, " ret;", &layout->returned))
		end = layout->returned.offset + layout->returned.size;
	if (find_field(format, " name;", &layout->name)) /* the text follows */
		end = layout->name.offset + layout->name.size + BPF_COMM_BYTES;
	layout->bytes = (end + 4 + 7) / 8 * 8 - 4;
	return true;
}

static void read_format(char *text, size_t room, const char *tracefs, const char *system,
			const char *name)
{
	char path[512];
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs, system, name);
	file = fopen(path, "re");
	if (file) {
		size = fread(text, 1, room - 1, file);
		fclose(file);
	}
	text[size] = '\0';
}

static enum status no_fields(const char *name, struct error *error)
{
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "BPF: cannot find the fields of %.60s in tracefs", name);
}

/* In the order in which programs.c gives them to the programs. */
static enum status read_edges(struct bpf_samples *s, struct error *error)
{
	const struct counters *c = s->counters;
	size_t others = BPF_EDGE_IRQ_EXIT + 1;
	char text[FORMAT_BYTES_MAX];

	for (size_t i = 0; i < c->event_count; i++) {
		const struct capture_event *asked = c->events[i].asked;
		size_t program;

		if (!counter_is_edge(&c->events[i]))
			continue;
		program = strcmp(asked->tracepoint_name, "irq_handler_entry") == 0
				  ? BPF_EDGE_IRQ_ENTRY
			  : strcmp(asked->tracepoint_name, "irq_handler_exit") == 0
				  ? BPF_EDGE_IRQ_EXIT
				  : others++;
		read_format(text, sizeof(text), c->request.tracefs,
			    asked->tracepoint_system, asked->tracepoint_name);
		if (program >= BPF_EDGES_MAX ||
		    !edge_layout_parse(&s->edges[program], text))
			return no_fields(c->events[i].name, error);
		s->edges[program].event = i;
		s->has_edges = true;
	}
	return ST_OK;
}

static enum status read_layouts(struct bpf_samples *s, struct error *error)
{
	char text[FORMAT_BYTES_MAX];

	read_format(text, sizeof(text), s->counters->request.tracefs, "sched",
		    "sched_switch");
	return switch_layout_parse(&s->layout, text) ? read_edges(s, error)
						     : no_fields("sched_switch", error);
}

uint64_t switch_state(uint32_t state, uint32_t exit_state, bool is_preempted)
{
	uint32_t reported = (state | exit_state) & STATE_REPORTED;

	if (is_preempted)
		return REPORT_PREEMPTED;
	if ((state & STATE_IDLE_SLEEP) == STATE_IDLE_SLEEP)
		return REPORT_IDLE_SLEEP;
	if (state & (STATE_RTLOCK | STATE_FROZEN))
		return STATE_DISK_SLEEP;
	while (reported & (reported - 1)) /* the highest of them */
		reported &= reported - 1;
	return reported;
}

static void set_number(uint8_t *data, const struct field_place *place, uint64_t value)
{
	const uint32_t half = (uint32_t)value;

	if (place->size == sizeof(value))
		memcpy(data + place->offset, &value, sizeof(value));
	else if (place->size == sizeof(half))
		memcpy(data + place->offset, &half, sizeof(half));
}

static void set_text(uint8_t *data, const struct field_place *place, const char *text)
{
	memcpy(data + place->offset, text, place->size);
}

/* u32 size, then what all tracepoints have; NULL: no memory. */
static uint8_t *begin_raw(struct bytes *to, uint32_t size, uint64_t tracepoint,
			  const struct bpf_record *record)
{
	const uint16_t type = (uint16_t)tracepoint;
	uint8_t *data;

	bytes_u32(to, size);
	data = bytes_extend(to, size);
	if (!data)
		return NULL;
	memset(data, 0, size);
	memcpy(data, &type, sizeof(type));
	memcpy(data + COMMON_PID_AT, &record->prev.tid, sizeof(record->prev.tid));
	return data;
}

/* The name is behind the fields; its field has where, and above that how long. */
static void put_edge_raw(struct bytes *to, const struct edge_layout *layout,
			 uint64_t tracepoint, const struct bpf_record *record)
{
	uint8_t *data = begin_raw(to, layout->bytes, tracepoint, record);
	uint32_t text = layout->name.offset + layout->name.size;

	if (!data)
		return;
	set_number(data, &layout->number, (uint64_t)record->edge.number);
	set_number(data, &layout->returned, (uint64_t)record->edge.returned);
	if (!layout->name.size)
		return;
	set_number(data, &layout->name,
		   text | (uint64_t)(strnlen(record->edge.name, BPF_COMM_BYTES - 1) + 1)
				   << 16);
	memcpy(data + text, record->edge.name, BPF_COMM_BYTES - 1);
}

static void put_switch_raw(const struct bpf_samples *s, struct bytes *to,
			   uint64_t tracepoint, const struct bpf_record *record)
{
	const struct field_place *fields = s->layout.fields;
	uint8_t *data = begin_raw(to, s->layout.bytes, tracepoint, record);

	if (!data)
		return;
	set_text(data, &fields[FIELD_PREV_COMM], record->prev.comm);
	set_text(data, &fields[FIELD_NEXT_COMM], record->next.comm);
	set_number(data, &fields[FIELD_PREV_PID], (uint64_t)record->prev.tid);
	set_number(data, &fields[FIELD_NEXT_PID], (uint64_t)record->next.tid);
	set_number(data, &fields[FIELD_PREV_PRIO], (uint64_t)record->prev.prio);
	set_number(data, &fields[FIELD_NEXT_PRIO], (uint64_t)record->next.prio);
	set_number(data, &fields[FIELD_PREV_STATE],
		   switch_state(record->prev_state, record->exit_state,
				record->is_preempted));
}

/* --- records --- */

static size_t begin_record(struct bytes *to, uint32_t type, uint16_t misc)
{
	size_t start = to->size;

	bytes_u32(to, type);
	bytes_u16(to, misc);
	bytes_u16(to, 0);
	return start;
}

static void end_record(struct bytes *to, size_t start)
{
	const uint16_t size = (uint16_t)(to->size - start);

	if (!to->failed)
		memcpy(to->data + start + 6, &size, sizeof(size));
}

/*
 * Where no tracepoint names it, a thread that is not of our PID namespace is not known: 0
 * would be idle.
 */
static void put_thread(struct bytes *to, const struct bpf_record *record)
{
	if (record->kind != BPF_RECORD_SWITCH && record->own_tid == 0 &&
	    record->prev.tid != 0) {
		bytes_u64(to, UINT64_MAX);
		return;
	}
	bytes_u32(to, (uint32_t)record->own_pid);
	bytes_u32(to, (uint32_t)record->own_tid);
}

/* What follows every record but samples: thread, time, CPU, id. */
static void put_trailer(struct bytes *to, const struct bpf_record *record, uint64_t id)
{
	put_thread(to, record);
	bytes_u64(to, record->time_ns);
	bytes_u32(to, record->cpu);
	bytes_u32(to, 0);
	bytes_u64(to, id);
}

/* One group of a CPU, and where its words are in the record. */
struct part {
	const struct counted_group *group;
	size_t place;
	const unsigned long long *words; /* NULL: it has a leader only */
};

static const struct counted_event *leader_of(const struct bpf_samples *s,
					     const struct part *part)
{
	return &s->counters->events[part->group->first];
}

/* How often the tracepoint was there on this CPU. */
static uint64_t edge_count(const struct bpf_samples *s, size_t event, size_t place)
{
	for (size_t i = 0; i < BPF_EDGES_MAX; i++)
		if (s->edges[i].bytes && s->edges[i].event == event)
			return s->edge_counts[place * BPF_EDGES_MAX + i];
	return 0;
}

/* nr, enabled, running, then value, id and perhaps lost of each member. */
static void put_values(const struct bpf_samples *s, struct bytes *to,
		       const struct part *part, const struct bpf_record *record)
{
	const struct counters *c = s->counters;
	const unsigned long long *values = part->words ? part->words + 2 : NULL;

	bytes_u64(to, part->group->count);
	bytes_u64(to, part->words ? part->words[0] : record->time_ns);
	bytes_u64(to, part->words ? part->words[1] : record->time_ns);
	for (size_t i = 0; i < part->group->count; i++) {
		size_t at = part->group->first + i;
		const struct counted_event *event = &c->events[at];

		if (event->is_leader)
			bytes_u64(to, record->switches);
		else if (counter_is_edge(event))
			bytes_u64(to, edge_count(s, at, part->place));
		else
			bytes_u64(to, values ? *values++ : 0);
		bytes_u64(to, event->ids[part->place]);
		if (c->supports.lost)
			bytes_u64(to, event->is_leader ? record->lost : 0);
	}
}

/* A sample up to its tracepoint's data. */
static size_t begin_sample(const struct bpf_samples *s, struct bytes *to,
			   const struct part *part, const struct counted_event *event,
			   const struct bpf_record *record)
{
	size_t start = begin_record(to, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	bytes_u64(to, event->ids[part->place]);
	put_thread(to, record);
	bytes_u64(to, record->time_ns);
	bytes_u32(to, record->cpu);
	bytes_u32(to, 0);
	put_values(s, to, part, record);
	return start;
}

static void put_sample(const struct bpf_samples *s, struct bytes *to,
		       const struct part *part, const struct bpf_record *record)
{
	const struct counted_event *leader = leader_of(s, part);
	size_t start = begin_sample(s, to, part, leader, record);

	put_switch_raw(s, to, leader->attr.config, record);
	if (s->counters->supports.cgroups)
		bytes_u64(to, record->cgroup_id);
	end_record(to, start);
}

/* Of the tracepoint that the program is at, which is a member of this group. */
static void put_edge(struct bpf_samples *s, struct bytes *to, const struct part *part,
		     const struct bpf_record *record)
{
	const struct edge_layout *edge;
	const struct counted_event *event;
	size_t start;

	if (record->edge.program >= BPF_EDGES_MAX)
		return;
	edge = &s->edges[record->edge.program];
	if (!edge->bytes || edge->event < part->group->first ||
	    edge->event >= part->group->first + part->group->count)
		return;
	event = &s->counters->events[edge->event];
	s->edge_counts[part->place * BPF_EDGES_MAX + record->edge.program]++;
	start = begin_sample(s, to, part, event, record);
	put_edge_raw(to, edge, event->attr.config, record);
	end_record(to, start);
}

static void put_read(const struct bpf_samples *s, struct bytes *to,
		     const struct part *part, const struct bpf_record *record)
{
	size_t start = begin_record(to, PERF_RECORD_READ, 0);

	put_thread(to, record);
	put_values(s, to, part, record);
	put_trailer(to, record, leader_of(s, part)->ids[part->place]);
	end_record(to, start);
}

/* Of the first leader of the CPU: id, how many. */
static void put_lost(const struct bpf_samples *s, struct bytes *to, size_t place,
		     const struct bpf_record *record, uint64_t lost)
{
	const struct counters *c = s->counters;
	uint64_t id = c->events[c->groups[0].first].ids[place];
	size_t start = begin_record(to, PERF_RECORD_LOST, 0);

	bytes_u64(to, id);
	bytes_u64(to, lost);
	put_trailer(to, record, id);
	end_record(to, start);
}

/* Members that are read, not counted by the programs. */
static size_t counters_of(const struct counters *c, const struct counted_group *group)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += !c->events[group->first + i].is_leader &&
			 !counter_is_edge(&c->events[group->first + i]);
	return count;
}

static size_t place_of(const struct bpf_samples *s, uint32_t cpu)
{
	return cpu < s->cpu_room ? s->place[cpu] : NO_PLACE;
}

static uint64_t put_losses(struct bpf_samples *s, struct bytes *to, size_t place,
			   const struct bpf_record *record)
{
	uint64_t lost = record->lost - s->lost[place];

	if (lost)
		put_lost(s, to, place, record, lost);
	s->lost[place] = record->lost;
	return lost;
}

/* Of the first group that has counters; 0: none has, or it waits for a control group. */
static uint64_t time_enabled(const struct counters *c, const struct bpf_record *record)
{
	bool any = false;

	for (size_t g = 0; g < c->group_count; g++)
		any |= counters_of(c, &c->groups[g]) != 0;
	return any && !c->request.follows_cgroup ? record->words[0] : 0;
}

bool bpf_samples_has_stopped(struct bpf_samples *s, const struct bpf_record *record)
{
	size_t place = place_of(s, record->cpu);
	uint64_t enabled = time_enabled(s->counters, record);
	struct bpf_counting *counting;

	if (place == NO_PLACE)
		return false;
	counting = &s->counting[place];
	if (counting->has_stopped || !enabled)
		return counting->has_stopped;
	if (counting->enabled != enabled) {
		counting->enabled = enabled;
		counting->since_ns = record->time_ns;
	}
	counting->has_stopped = record->time_ns > counting->since_ns + FROZEN_NS;
	return counting->has_stopped;
}

void bpf_samples_stop(struct bpf_samples *s, size_t place)
{
	s->counting[place].has_stopped = true;
}

uint64_t bpf_samples_put(struct bpf_samples *s, struct bytes *to,
			 const struct bpf_record *record)
{
	const struct counters *c = s->counters;
	const unsigned long long *words = record->words;
	size_t place = place_of(s, record->cpu);
	uint64_t lost;

	if (place == NO_PLACE)
		return 0;
	lost = put_losses(s, to, place, record);
	for (size_t g = 0; g < c->group_count; g++) {
		struct part part = { &c->groups[g], place, NULL };

		if (counters_of(c, part.group)) {
			part.words = words;
			words += counters_of(c, part.group) + 2;
		}
		if (record->kind == BPF_RECORD_SWITCH)
			put_sample(s, to, &part, record);
		else if (record->kind == BPF_RECORD_EDGE)
			put_edge(s, to, &part, record);
		else
			put_read(s, to, &part, record);
	}
	return lost;
}

uint64_t bpf_samples_lost(struct bpf_samples *s, struct bytes *to, int cpu,
			  uint64_t time_ns, uint64_t lost)
{
	struct bpf_record record = { .time_ns = time_ns,
				     .cpu = (uint32_t)cpu,
				     .lost = lost };
	size_t place = place_of(s, record.cpu);

	if (place == NO_PLACE || s->counting[place].has_stopped)
		return 0;
	return put_losses(s, to, place, &record);
}

/* --- opening --- */

enum status bpf_samples_open(struct bpf_samples *s, const struct counters *c,
			     struct error *error)
{
	const struct cpu_list *cpus = &c->request.cpus;

	*s = (struct bpf_samples){ .counters = c };
	s->cpu_room = (size_t)cpus->cpus[cpus->count - 1] + 1;
	s->lost = calloc(cpus->count, sizeof(*s->lost));
	s->counting = calloc(cpus->count, sizeof(*s->counting));
	s->place = malloc(s->cpu_room * sizeof(*s->place));
	s->edge_counts = calloc(cpus->count * BPF_EDGES_MAX, sizeof(*s->edge_counts));
	if (!s->lost || !s->counting || !s->place || !s->edge_counts)
		return error_nomem(error);
	for (size_t i = 0; i < s->cpu_room; i++)
		s->place[i] = NO_PLACE;
	for (size_t i = 0; i < cpus->count; i++)
		s->place[cpus->cpus[i]] = i;
	return read_layouts(s, error);
}

void bpf_samples_close(struct bpf_samples *s)
{
	free(s->lost);
	free(s->counting);
	free(s->place);
	free(s->edge_counts);
	*s = (struct bpf_samples){ .counters = NULL };
}
