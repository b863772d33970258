/* Events of an .etl file: their headers, and the context switch. */
#include "etw/etl_write.h"

enum {
	SYSTEM32 = 0x01,
	SYSTEM64 = 0x02,
	FULL32 = 0x0a,
	PERFINFO32 = 0x10,
	PERFINFO64 = 0x11,
	FULL64 = 0x14,
	MARK = 0xc0,
	TYPE_CSWITCH = 0x24,
};

static void put_mark(struct etl *etl, uint8_t narrow, uint8_t wide)
{
	buf_u8(&etl->event, etl->pointer_bytes == 4 ? narrow : wide);
	buf_u8(&etl->event, MARK);
}

/* GUIDs of the classic events differ in one byte or so. */
static void put_group_guid(struct byte_buf *out, uint8_t group)
{
	uint8_t process[16] = { 0xd0, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11,
				0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c };

	if (group == GROUP_THREAD)
		process[0]++;
	else if (group != GROUP_PROCESS)
		die("group %u has no classic GUID here", group);
	buf_bytes(out, process, sizeof(process));
}

static void put_full_head(struct etl *etl, const struct etw_stamp *stamp,
			  struct event_id id)
{
	struct byte_buf *out = &etl->event;

	buf_u16(out, 0);
	put_mark(etl, FULL32, FULL64);
	BUF(out, "112448", id.type, 0, id.version, stamp->tid, stamp->pid,
	    etl->event_ticks);
	put_group_guid(out, id.group);
	buf_u32(out, 3);
	buf_u32(out, 1);
}

static void put_system_head(struct etl *etl, const struct etw_stamp *stamp,
			    struct event_id id)
{
	struct byte_buf *out = &etl->event;

	buf_u16(out, id.version);
	put_mark(etl, SYSTEM32, SYSTEM64);
	BUF(out, "21144844", 0, id.type, id.group, stamp->tid, stamp->pid,
	    etl->event_ticks, 2, 5);
}

static void put_perfinfo_head(struct etl *etl, struct event_id id)
{
	struct byte_buf *out = &etl->event;

	buf_u16(out, id.version);
	put_mark(etl, PERFINFO32, PERFINFO64);
	BUF(out, "2118", 0, id.type, id.group, etl->event_ticks);
}

static size_t size_offset(enum head head)
{
	return head == HEAD_FULL ? 0 : 4;
}

void etl_begin_loose(struct etl *etl, unsigned cpu, uint64_t us, uint64_t ticks,
		     size_t size_at)
{
	etl->event.size = 0;
	etl->event_cpu = etl->plan->dress & DRESS_SINGLE_STREAM ? 0 : cpu;
	etl->event_us = us;
	etl->event_ticks = ticks;
	etl->event_size_at = size_at;
}

static void place_event(struct etl *etl)
{
	struct etl_cpu *on = &etl->cpus[etl->event_cpu];

	if (etl->event_ticks < on->last_ticks)
		die("%s: an event is earlier than the one before", etl->plan->name);
	on->last_ticks = etl->event_ticks;
	buf_bytes(&on->events, etl->event.data, etl->event.size);
}

static void close_event(struct etl *etl)
{
	if (etl->event.size > UINT16_MAX)
		die("%s: an event of %zu bytes", etl->plan->name, etl->event.size);
	buf_set_u16(&etl->event, etl->event_size_at, (uint16_t)etl->event.size);
	buf_zero(&etl->event, -etl->event.size & 7);
}

bool etl_end_loose(struct etl *etl)
{
	close_event(etl);
	etl_make_room(etl, etl->event_cpu, etl->event.size, false);
	place_event(etl);
	return !etl->cpus[etl->event_cpu].doomed;
}

void etl_end(struct etl *etl)
{
	close_event(etl);
	etl_make_room(etl, etl->event_cpu, etl->event.size, true);
	place_event(etl);
}

void etl_begin(struct etl *etl, const struct etw_stamp *stamp, struct event_id id)
{
	uint64_t ticks = clock_ticks(&etl->clock, stamp->us);
	bool strange = (etl->form->strange || etl->plan->dress & DRESS_STRANGE) &&
		       !(etl->plan->dress & DRESS_SINGLE_STREAM);

	/* The tick before is nobody's: the machine's events are two or more apart. */
	if (strange && ticks - 1 > etl->cpus[stamp->cpu].last_ticks &&
	    rng_chance(&etl->rng, 4))
		etl_put_strange(etl, stamp->cpu, stamp->us, ticks - 1);
	etl_begin_loose(etl, stamp->cpu, stamp->us, ticks, size_offset(id.head));
	if (id.head == HEAD_FULL)
		put_full_head(etl, stamp, id);
	else if (id.head == HEAD_SYSTEM)
		put_system_head(etl, stamp, id);
	else
		put_perfinfo_head(etl, id);
}

void etl_pointer(struct etl *etl, uint64_t value)
{
	buf_number(&etl->event, value, etl->pointer_bytes);
}

static void put_switch_payload(struct etl *etl, const struct etw_switch *sw)
{
	struct byte_buf *out = &etl->event;
	bool is_first_version = etl->plan->cswitch_version == 1;

	BUF(out, "4411111111", sw->new_tid, sw->old_tid, sw->new_priority,
	    sw->old_priority, is_first_version ? 6 : sw->c_state,
	    is_first_version ? 12 : 0, sw->reason, 1, sw->state, sw->ideal_cpu);
	if (is_first_version)
		return;
	BUF(out, "44", sw->wait_time, sw->quantum);
	if (etl->plan->cswitch_version > 4)
		buf_u32(out, 0x6e65776e);
}

static void note_switch(struct etl *etl, const struct etw_switch *sw)
{
	struct etl_cpu *on = &etl->cpus[etl->event_cpu];
	struct etw_entry entry = {
		.cpu = sw->cpu,
		.time_ns = clock_ns(&etl->clock, etl->event_ticks),
		.account = sw->old_account,
		.new_tid = sw->new_tid,
		.dropped = sw->dropped,
		.counter_count = sw->counter_count,
	};

	for (unsigned i = 0; i < sw->counter_count && i < COUNTER_MAX; i++)
		entry.values[i] = sw->values[i];
	on->entries =
		grow_array(on->entries, on->entry_count, &on->entry_room, sizeof(entry));
	on->entries[on->entry_count++] = entry;
}

bool etl_put_switch(struct etl *etl, const struct etw_switch *sw)
{
	struct etw_stamp stamp = { .us = sw->us, .cpu = sw->cpu };
	struct etl_cpu *on;
	bool pebs = etl->plan->dress & DRESS_PEBS;
	struct event_id id = { HEAD_PERFINFO, GROUP_THREAD, TYPE_CSWITCH,
			       (uint16_t)(etl->plan->cswitch_version |
					  sw->counter_count << VERSION_COUNTERS_SHIFT) };

	if (pebs)
		id.version |= VERSION_PEBS;
	etl_begin(etl, &stamp, id);
	if (pebs)
		buf_u64(&etl->event, etl->event_ticks ^ 0x5045425349445821u);
	for (unsigned i = 0; i < sw->counter_count; i++)
		buf_u64(&etl->event, sw->values[i]);
	put_switch_payload(etl, sw);
	close_event(etl);
	etl_make_room(etl, etl->event_cpu, etl->event.size, false);
	on = &etl->cpus[etl->event_cpu];
	if (on->lose_left) {
		on->lose_left--;
		etl->events_lost++;
		return false;
	}
	place_event(etl);
	note_switch(etl, sw);
	return !on->doomed;
}
