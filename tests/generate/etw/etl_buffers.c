/* Buffers of an .etl file: their headers, what they hold, and which of them are lost. */
#include <stdlib.h>

#include "etw/etl_write.h"
#include "etw/xpress.h"

enum {
	BUFFER_STATE_FLUSH = 3,
	BUFFER_STATE_HUFFMAN = 4, /* of a compressed buffer, the method */
	LOGGER_ID = 0x14,
	FILL = 0xff,
	HUGE_BYTES = 0x40000,
	NAMES_BYTES = 0x1000,
	LOSS_BYTES = 0x400,
};

static uint32_t choose_buffer_bytes(const struct etw_plan *plan,
				    const struct etw_form *form)
{
	unsigned losses = FAULT_LOST_BUFFER | FAULT_EVENTS_LOST | FAULT_TRUNCATED;

	if (plan->dress & DRESS_HUGE)
		return HUGE_BYTES;
	/* A command line must fit; and where buffers are lost, there must be several. */
	if (plan->tasks & TASKS_ODD_NAMES)
		return NAMES_BYTES;
	return plan->faults & losses ? LOSS_BYTES : form->buffer_bytes;
}

void etl_open(struct etl *etl, const struct etw_plan *plan, const struct etw_form *form,
	      struct etw_ledger *ledger, const char *path, uint64_t seed)
{
	bool merged = plan->dress & DRESS_MERGED && form->order == ORDER_WRITTEN;

	*etl = (struct etl){
		.plan = plan,
		.form = form,
		.ledger = ledger,
		.clock = { .hz = plan->clock_hz },
		.rng = { rng_seed(seed, "container") },
		.fault_rng = { rng_seed(seed, "faults") },
		.buffer_bytes = choose_buffer_bytes(plan, form),
		.pointer_bytes = form->events32 ? 4 : 8,
	};
	etl->clock.base_ticks = rng_range(&etl->rng, 1u << 20, 1u << 30) * 1000;
	store_open(&etl->store, path, merged ? ORDER_SHUFFLED : form->order,
		   rng_seed(seed, "order"));
	for (unsigned cpu = 0; cpu < CPU_MAX; cpu++) {
		etl->cpus[cpu].doom_in = (unsigned)rng_range(&etl->fault_rng, 1, 3);
		etl->cpus[cpu].lose_in = (unsigned)rng_range(&etl->fault_rng, 0, 2);
	}
	etl_put_head(etl, 0);
}

static bool packs_this_buffer(struct etl *etl)
{
	if (etl->form->packing == PACK_SOME)
		return rng_chance(&etl->rng, 2);
	return etl->form->packing != PACK_NONE;
}

static void put_buffer_head(struct etl *etl, unsigned cpu, uint64_t us, bool packed,
			    struct byte_buf *out)
{
	const struct etl_cpu *on = &etl->cpus[cpu];
	uint32_t used = BUFFER_HEAD_BYTES + (uint32_t)on->events.size;
	bool merged = etl->plan->dress & DRESS_MERGED;
	uint16_t flags = on->flags;

	if (!etl->form->windows7)
		flags |= BUFFER_PROC_INDEX;
	if (packed)
		flags |= BUFFER_COMPRESSED;
	buf_u32(out, 0);
	buf_u32(out, used);
	buf_u32(out, used + 0x98); /* with the event that did not fit */
	buf_u32(out, 0);
	buf_u64(out, merged ? clock_filetime(us) : clock_ticks(&etl->clock, us));
	buf_u64(out, etl->next_sequence);
	buf_u64(out, rng_chance(&etl->rng, 2) ? 0 : 0xffff9987da1d7020u);
	BUF(out, "22442288", (uint16_t)(etl->form->windows7 ? 0x0800u | cpu : cpu),
	    merged ? 0 : LOGGER_ID,
	    packed && etl->form->packing == PACK_HUFFMAN ? BUFFER_STATE_HUFFMAN
							 : BUFFER_STATE_FLUSH,
	    used, flags, 0, 0xffffa80324803f38u, 0xffffa80325e28f38u);
}

/* The bytes of the present buffer as the file has them. */
static void make_buffer(struct etl *etl, unsigned cpu, uint64_t us, struct byte_buf *out)
{
	const struct byte_buf *events = &etl->cpus[cpu].events;
	bool packed = packs_this_buffer(etl);
	uint32_t whole = etl->buffer_bytes;

	put_buffer_head(etl, cpu, us, packed, out);
	if (packed && etl->form->packing == PACK_HUFFMAN) {
		xpress_pack_huffman(out, events->data, events->size);
	} else if (packed) {
		xpress_pack(out, events->data, events->size);
	} else {
		if (etl->form->padded)
			whole *= (uint32_t)rng_range(&etl->rng, 1, 4);
		buf_bytes(out, events->data, events->size);
		if (out->size < whole)
			buf_fill(out, FILL, whole - out->size);
	}
	buf_set_u32(out, 0, (uint32_t)out->size);
}

/*
 * What a reader can know of losses before this buffer: a number missing since the CPU's
 * last buffer, or a flag on one of the two.
 */
static void write_losses(struct etl *etl, unsigned cpu)
{
	const struct etl_cpu *on = &etl->cpus[cpu];

	if (!on->stored)
		return;
	if (etl->last_missing > on->last_sequence || on->flags || on->last_flags)
		etw_ledger_disturb(etl->ledger, MEDIUM_ETL, cpu);
}

static void enter_switches(struct etl *etl, unsigned cpu)
{
	struct etl_cpu *on = &etl->cpus[cpu];

	write_losses(etl, cpu);
	for (size_t i = 0; i < on->entry_count; i++)
		etw_ledger_enter(etl->ledger, MEDIUM_ETL, &on->entries[i]);
	on->stored = true;
	on->last_sequence = etl->next_sequence;
	on->last_flags = on->flags;
}

static void begin_buffer(struct etl_cpu *on)
{
	on->events.size = 0;
	on->entry_count = 0;
	on->flags = 0;
	on->doomed = false;
	on->pinned = false;
}

static void write_buffer(struct etl *etl, unsigned cpu, uint64_t us)
{
	struct byte_buf bytes = { 0 };

	if (etl->cpus[cpu].doomed) {
		etl->last_missing = etl->next_sequence;
		etl->buffers_lost++;
	} else {
		make_buffer(etl, cpu, us, &bytes);
		enter_switches(etl, cpu);
		store_buffer(&etl->store, &bytes, cpu);
	}
	etl->next_sequence++;
	begin_buffer(&etl->cpus[cpu]);
}

/* Events lost between two buffers are in the one before them or the one after. */
static uint16_t plan_events_lost(struct etl *etl, struct etl_cpu *on)
{
	if (!(etl->plan->faults & FAULT_EVENTS_LOST) || on->lose_in--)
		return 0;
	on->lose_in = (unsigned)rng_range(&etl->fault_rng, 1, 4);
	on->lose_left = (unsigned)rng_range(&etl->fault_rng, 1, 4);
	return rng_chance(&etl->fault_rng, 3) ? BUFFER_BUFFER_LOST : BUFFER_EVENTS_LOST;
}

static bool next_is_doomed(struct etl *etl, struct etl_cpu *on)
{
	if (!(etl->plan->faults & FAULT_LOST_BUFFER) || on->doom_in--)
		return false;
	on->doom_in = (unsigned)rng_range(&etl->fault_rng, 1, 4);
	return true;
}

/* The present buffer is full. */
static void turn_buffer(struct etl *etl, unsigned cpu, uint64_t us)
{
	struct etl_cpu *on = &etl->cpus[cpu];
	bool doomed = next_is_doomed(etl, on);
	uint16_t lost = on->doomed || doomed ? 0 : plan_events_lost(etl, on);
	bool reported_before = lost && rng_chance(&etl->fault_rng, 2);

	if (reported_before)
		on->flags |= lost;
	write_buffer(etl, cpu, us);
	if (!reported_before)
		on->flags |= lost;
	on->doomed = doomed;
}

void etl_make_room(struct etl *etl, unsigned cpu, size_t size, bool pin)
{
	struct etl_cpu *on = &etl->cpus[cpu];
	size_t room = etl->buffer_bytes - BUFFER_HEAD_BYTES;

	if (size > room)
		die("%s: an event of %zu bytes fits no buffer", etl->plan->name, size);
	if (on->events.size && (on->events.size + size > room || (pin && on->doomed)))
		turn_buffer(etl, cpu, etl->event_us);
	if (pin) {
		on->doomed = false;
		on->pinned = true;
	}
}

void etl_flush(struct etl *etl, uint64_t us)
{
	for (unsigned cpu = 0; cpu < etl->plan->cpu_count; cpu++) {
		if (etl->cpus[cpu].events.size)
			write_buffer(etl, cpu, us);
		etl->cpus[cpu].doomed = false;
		etl->cpus[cpu].lose_left = 0;
	}
}

/* The buffer that will be cut off: one with switches and nothing else. */
static unsigned choose_cut(const struct etl *etl)
{
	for (unsigned cpu = etl->plan->cpu_count; cpu-- > 0;)
		if (etl->cpus[cpu].entry_count && !etl->cpus[cpu].pinned)
			return cpu;
	die("%s: no buffer can be cut off", etl->plan->name);
}

static void correct_heads(struct etl *etl, uint64_t us)
{
	size_t shift = etl->form->header32 ? 0 : 8;

	for (unsigned i = 0; i < etl->head_count; i++) {
		uint64_t at = etl->head_offsets[i] + BUFFER_HEAD_BYTES + 0x20;

		if (!(etl->plan->faults & FAULT_TRUNCATED))
			store_correct(&etl->store, at + 0x10, clock_filetime(us), 8);
		store_correct(&etl->store, at + 0x24, etl->store.buffer_count, 4);
		store_correct(&etl->store, at + 0x30, etl->events_lost, 4);
		store_correct(&etl->store, at + 0x10c + shift, etl->buffers_lost, 4);
	}
}

void etl_close(struct etl *etl, uint64_t us)
{
	struct byte_buf bytes = { 0 };

	if (etl->plan->faults & FAULT_TRUNCATED) {
		unsigned cpu = choose_cut(etl);
		struct etl_cpu on = etl->cpus[cpu];

		etl->cpus[cpu].events.size = 0;
		etl_flush(etl, us);
		etl->cpus[cpu].events.size = on.events.size;
		make_buffer(etl, cpu, us, &bytes);
		/* Half of its events: a packed one is cut within them, a raw one too. */
		store_cut(&etl->store, &bytes,
			  BUFFER_HEAD_BYTES + (bytes.size < on.events.size
						       ? bytes.size / 3
						       : on.events.size / 2));
	} else {
		etl_flush(etl, us);
	}
	store_flush(&etl->store);
	correct_heads(etl, us);
	store_close(&etl->store);
	for (unsigned cpu = 0; cpu < CPU_MAX; cpu++) {
		buf_release(&etl->cpus[cpu].events);
		free(etl->cpus[cpu].entries);
	}
	buf_release(&etl->event);
}
