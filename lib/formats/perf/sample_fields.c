/*
 * sample_fields.c - the fields of a sample that only its own row needs: the call chain,
 * and those after RAW.
 *
 * In this order, each present if its bit of sample_type is set: BRANCH_STACK (u64 count,
 * u64 hw_idx if asked for, {from, to, flags} u64 each, u64 counters each if asked for) |
 * REGS_USER (u64 abi, then u64 for each bit of the mask, unless abi is 0) | STACK_USER
 * (u64 size, bytes, u64 used, unless size is 0) | WEIGHT or WEIGHT_STRUCT | DATA_SRC |
 * TRANSACTION | REGS_INTR (as REGS_USER) | PHYS_ADDR | CGROUP | DATA_PAGE_SIZE |
 * CODE_PAGE_SIZE | AUX (u64 size, bytes).
 */
#include <stdlib.h>

#include "formats/perf/sample.h"

/* --- room, allocated for the first sample that needs it --- */

static void *room(struct perf_scratch *scratch, void *have, size_t bytes)
{
	return have ? have : arena_alloc(&scratch->arena, bytes);
}

/* --- the parts --- */

const uint64_t *perf_load_chain(struct perf_scratch *scratch, const uint8_t *at,
				size_t count, bool big_endian)
{
	struct cursor c = cursor_over(at, count * 8, 0, big_endian);

	scratch->chain =
		room(scratch, scratch->chain, PERF_CHAIN_MAX * sizeof(*scratch->chain));
	for (size_t i = 0; scratch->chain && i < count; i++)
		scratch->chain[i] = cursor_u64(&c);
	return scratch->chain;
}

static bool decode_chain(struct perf_scratch *scratch, const struct perf_sample *sample,
			 bool big_endian, struct sampled_event *out)
{
	if (sample->chain_count == 0)
		return true;
	out->chain =
		perf_load_chain(scratch, sample->chain, sample->chain_count, big_endian);
	out->chain_count = out->chain ? sample->chain_count : 0;
	return out->chain != NULL;
}

/*
 * Bit-fields as well: mispredicted, predicted, in transaction, abort (1 bit each), cycles
 * (16), type (4), speculation (2), new type (4), privilege (3), the rest.  Returned as a
 * little-endian machine has them, the first one lowest.
 */
static uint64_t branch_flags(uint64_t flags, bool big_endian)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t turned = 0;
	int at = 0;

	if (!big_endian)
		return flags;
	for (size_t i = 0; i < sizeof(widths); i++) {
		uint64_t mask = (UINT64_C(1) << widths[i]) - 1;

		turned |= (flags >> (64 - at - widths[i]) & mask) << at;
		at += widths[i];
	}
	return turned;
}

static bool decode_branches(struct perf_scratch *scratch, const struct perf_event *event,
			    struct cursor *c, struct sampled_event *out)
{
	uint64_t count = cursor_u64(c);
	bool counters = event->branch_sample_type & PERF_BRANCH_COUNTERS;

	if (event->branch_sample_type & PERF_BRANCH_HW_INDEX)
		cursor_skip(c, 8);
	if (c->overrun || count > PERF_BRANCHES_MAX || count > cursor_left(c) / 24)
		return false;
	if (!out) {
		cursor_skip(c, (size_t)count * (counters ? 32 : 24));
		return !c->overrun;
	}
	scratch->branches = room(scratch, scratch->branches,
				 PERF_BRANCHES_MAX * sizeof(*scratch->branches));
	if (!scratch->branches)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct sample_branch_row *row = &scratch->branches[i];

		row->position = (int64_t)i;
		row->from_ip = (int64_t)cursor_u64(c);
		row->to_ip = (int64_t)cursor_u64(c);
		row->flags = (int64_t)branch_flags(cursor_u64(c), c->big_endian);
	}
	if (counters)
		cursor_skip(c, (size_t)count * 8);
	out->branches = scratch->branches;
	out->branch_count = (size_t)count;
	return !c->overrun;
}

static bool decode_registers(struct perf_scratch *scratch, uint64_t mask, const char *at,
			     struct cursor *c, struct sampled_event *out)
{
	uint64_t abi = cursor_u64(c);

	if (abi == 0) /* none available: a kernel thread */
		return !c->overrun;
	if (!out) {
		cursor_skip(c, (size_t)__builtin_popcountll(mask) * 8);
		return !c->overrun;
	}
	scratch->registers = room(scratch, scratch->registers,
				  PERF_REGISTERS_MAX * sizeof(*scratch->registers));
	if (!scratch->registers)
		return false;
	for (int i = 0; i < 64; i++) {
		struct sample_register_row *row =
			&scratch->registers[out->register_count];

		if (!(mask >> i & 1))
			continue;
		row->at = str_of(at);
		row->number = i;
		row->value = (int64_t)cursor_u64(c);
		out->register_count += !c->overrun;
	}
	out->registers = scratch->registers;
	return !c->overrun;
}

static bool decode_stack(struct cursor *c, struct sampled_event *out)
{
	uint64_t size = cursor_u64(c), used;

	if (c->overrun || size > cursor_left(c))
		return false;
	if (size == 0)
		return true;
	cursor_skip(c, (size_t)size);
	used = cursor_u64(c);
	if (out)
		out->row.stack_bytes = (int64_t)used;
	return !c->overrun;
}

static bool skip_aux(struct cursor *c, struct sampled_event *out)
{
	uint64_t size = cursor_u64(c);

	if (c->overrun || size > cursor_left(c))
		return false;
	cursor_skip(c, (size_t)size);
	if (out)
		out->row.aux_bytes = (int64_t)size;
	return true;
}

/* --- the tail --- */

/* One u64 into a column, if its bit is set. */
static void decode_number(const struct perf_event *event, uint64_t bits, struct cursor *c,
			  int64_t *column)
{
	if (event->sample_type & bits)
		*column = (int64_t)cursor_u64(c);
}

/* `out` NULL: skips them. */
static bool decode_tail(struct perf_scratch *scratch, const struct perf_event *event,
			struct cursor *c, struct sampled_event *out)
{
	struct sample_row unused, *row = out ? &out->row : &unused;
	uint64_t type = event->sample_type;

	if (type & PERF_BRANCH_STACK && !decode_branches(scratch, event, c, out))
		return false;
	if (type & PERF_REGS_USER &&
	    !decode_registers(scratch, event->regs_user, "user", c, out))
		return false;
	if (type & PERF_STACK_USER && !decode_stack(c, out))
		return false;
	decode_number(event, PERF_WEIGHT | PERF_WEIGHT_STRUCT, c, &row->weight);
	decode_number(event, PERF_DATA_SRC, c, &row->data_src);
	decode_number(event, PERF_TRANSACTION, c, &row->hw_transaction);
	if (type & PERF_REGS_INTR &&
	    !decode_registers(scratch, event->regs_intr, "interrupt", c, out))
		return false;
	decode_number(event, PERF_PHYS_ADDR, c, &row->phys_addr);
	decode_number(event, PERF_CGROUP, c, &row->cgroup_id);
	decode_number(event, PERF_DATA_PAGE_SIZE, c, &row->data_page_bytes);
	decode_number(event, PERF_CODE_PAGE_SIZE, c, &row->code_page_bytes);
	if (type & PERF_AUX && !skip_aux(c, out))
		return false;
	return !c->overrun;
}

bool perf_decode_tail(struct perf_scratch *scratch, const struct perf_event *event,
		      struct cursor *c, const struct perf_sample *sample,
		      struct sampled_event *out)
{
	return decode_chain(scratch, sample, c->big_endian, out) &&
	       decode_tail(scratch, event, c, out);
}

bool perf_decode_later(struct perf_scratch *scratch, const struct perf_event *event,
		       struct cursor *c, struct sampled_event *out)
{
	return decode_tail(scratch, event, c, out);
}

bool perf_skip_tail(const struct perf_event *event, struct cursor *c)
{
	return decode_tail(NULL, event, c, NULL);
}
