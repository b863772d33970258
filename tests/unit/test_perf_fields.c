/*
 * test_perf_fields.c - lib/formats/perf/sample_fields.c: the call chain and the fields
 * after RAW, decoded and skipped, of writers of either byte order.
 */
#include <string.h>

#include "formats/perf/perf.h"
#include "unit.h"

struct fixture {
	struct perf_scratch scratch;
	struct perf_event event;
	struct perf_sample sample;
	struct sampled_event out;
	uint8_t bytes[512];
	size_t size;
	bool is_big;
};

static void setup(struct fixture *f)
{
	row_clear(&tables[RECORD_sample], &f->out.row);
}

static void teardown(struct fixture *f)
{
	arena_release(&f->scratch.arena);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static void put(struct fixture *f, uint64_t value)
{
	uint64_t written = f->is_big ? __builtin_bswap64(value) : value;

	assert_true(f->size + 8 <= sizeof(f->bytes));
	memcpy(f->bytes + f->size, &written, 8);
	f->size += 8;
}

/* All of the bytes are fields, decoded as well as skipped. */
static void decode(struct fixture *f)
{
	struct cursor c = cursor_over(f->bytes, f->size, 0, f->is_big), again = c;

	assert_true(perf_skip_tail(&f->event, &c));
	assert_int_equal(cursor_left(&c), 0);
	assert_true(
		perf_decode_tail(&f->scratch, &f->event, &again, &f->sample, &f->out));
	assert_int_equal(cursor_left(&again), 0);
}

/* With a word less they do not fit. */
static void assert_cut(struct fixture *f)
{
	for (size_t size = 0; size < f->size; size += 8) {
		struct cursor c = cursor_over(f->bytes, size, 0, f->is_big), again = c;

		assert_false(perf_skip_tail(&f->event, &c));
		assert_false(perf_decode_tail(&f->scratch, &f->event, &again, &f->sample,
					      &f->out));
	}
}

/* --- branches --- */

static void put_branches(struct fixture *f, uint64_t count)
{
	put(f, count);
	if (f->event.branch_sample_type & PERF_BRANCH_HW_INDEX)
		put(f, 77);
	for (uint64_t i = 0; i < count; i++) {
		put(f, 0x1000 + i);
		put(f, 0x2000 + i);
		put(f, 1);
	}
	for (uint64_t i = 0;
	     i < count && f->event.branch_sample_type & PERF_BRANCH_COUNTERS; i++)
		put(f, 5);
}

UNIT_TEST(branches)
{
	static const uint64_t forms[] = { 0, PERF_BRANCH_HW_INDEX, PERF_BRANCH_COUNTERS,
					  PERF_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS };

	for (size_t i = 0; i < COUNT(forms); i++) {
		struct fixture *f = unit_alloc(sizeof(*f));

		setup(f);
		f->event.sample_type = PERF_BRANCH_STACK | PERF_CGROUP;
		f->event.branch_sample_type = forms[i];
		put_branches(f, 3);
		put(f, 99);
		decode(f);
		assert_int_equal(f->out.branch_count, 3);
		assert_int_equal(f->out.branches[2].position, 2);
		assert_int_equal(f->out.branches[2].from_ip, 0x1002);
		assert_int_equal(f->out.branches[2].to_ip, 0x2002);
		assert_int_equal(f->out.row.cgroup_id, 99);
		assert_cut(f);
		teardown(f);
	}
}

/* A count that the sample has no room for, and one over the maximum. */
UNIT_CASE(too_many_branches, struct fixture *f)
{
	struct cursor c;

	f->event.sample_type = PERF_BRANCH_STACK;
	put(f, UINT64_MAX);
	put(f, 0);
	c = cursor_over(f->bytes, f->size, 0, false);
	assert_false(perf_skip_tail(&f->event, &c));
	c = cursor_over(f->bytes, f->size, 0, false);
	assert_false(perf_decode_tail(&f->scratch, &f->event, &c, &f->sample, &f->out));
}

/* A big-endian machine has the first bit-field at the top. */
UNIT_TEST(flags_of_branches)
{
	static const struct {
		int line;
		uint64_t written, flags;
	} rows[] = {
		{ ROW, UINT64_C(1) << 63, 1 },				/* mispredicted */
		{ ROW, UINT64_C(1) << 60, 8 },				/* abort */
		{ ROW, UINT64_C(0x1234) << 44, UINT64_C(0x1234) << 4 }, /* cycles */
		{ ROW, UINT64_C(9) << 40, UINT64_C(9) << 20 },		/* type */
		{ ROW, UINT64_C(2) << 38, UINT64_C(2) << 24 },		/* speculation */
		{ ROW, UINT64_C(11) << 34, UINT64_C(11) << 26 },	/* new type */
		{ ROW, UINT64_C(5) << 31, UINT64_C(5) << 30 },		/* privilege */
		{ ROW, UINT64_C(0x12345678), UINT64_C(0x12345678) << 33 }, /* the rest */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fixture *f = unit_alloc(sizeof(*f));

		setup(f);
		f->is_big = true;
		f->event.sample_type = PERF_BRANCH_STACK;
		put(f, 1);
		put(f, 0x10);
		put(f, 0x20);
		put(f, rows[i].written);
		decode(f);
		ROW_TRUE(&rows[i], (uint64_t)f->out.branches[0].flags == rows[i].flags);
		teardown(f);
	}
}

/* --- registers and stacks --- */

UNIT_CASE(registers, struct fixture *f)
{
	f->event.sample_type = PERF_REGS_USER | PERF_REGS_INTR;
	f->event.regs_user = UINT64_C(1) << 63 | 1 << 3;
	f->event.regs_intr = 1 << 8;
	put(f, 2); /* of 64 bits */
	put(f, 0x33);
	put(f, 0x63);
	put(f, 2);
	put(f, 0x88);
	decode(f);
	assert_int_equal(f->out.register_count, 3);
	ASSERT_STR(f->out.registers[0].at, "user");
	assert_int_equal(f->out.registers[0].number, 3);
	assert_int_equal(f->out.registers[0].value, 0x33);
	assert_int_equal(f->out.registers[1].number, 63);
	assert_int_equal(f->out.registers[1].value, 0x63);
	ASSERT_STR(f->out.registers[2].at, "interrupt");
	assert_int_equal(f->out.registers[2].number, 8);
	f->out.register_count = 0;
	assert_cut(f);
}

/* A kernel thread has no registers of a user. */
UNIT_CASE(no_registers, struct fixture *f)
{
	f->event.sample_type = PERF_REGS_USER | PERF_DATA_SRC;
	f->event.regs_user = 0xff;
	put(f, 0);
	put(f, 42);
	decode(f);
	assert_int_equal(f->out.register_count, 0);
	assert_int_equal(f->out.row.data_src, 42);
}

/* Its bytes, and how many of them are in use; without bytes there is no such number. */
UNIT_CASE(stacks, struct fixture *f)
{
	f->event.sample_type = PERF_STACK_USER | PERF_WEIGHT;
	put(f, 16);
	put(f, 1);
	put(f, 2);
	put(f, 12);
	put(f, 42);
	decode(f);
	assert_int_equal(f->out.row.stack_bytes, 12);
	assert_int_equal(f->out.row.weight, 42);
	assert_cut(f);
	f->size = 0;
	put(f, 0);
	put(f, 43);
	decode(f);
	assert_int_equal(f->out.row.weight, 43);
}

/* --- all the others --- */

/* In the order of the format, which is not that of the bits. */
UNIT_TEST(numbers)
{
	for (int is_big = 0; is_big < 2; is_big++) {
		struct fixture *f = unit_alloc(sizeof(*f));

		setup(f);
		f->is_big = is_big;
		f->event.sample_type = PERF_WEIGHT_STRUCT | PERF_DATA_SRC |
				       PERF_TRANSACTION | PERF_PHYS_ADDR | PERF_CGROUP |
				       PERF_DATA_PAGE_SIZE | PERF_CODE_PAGE_SIZE |
				       PERF_AUX;
		for (uint64_t i = 1; i <= 7; i++)
			put(f, i);
		put(f, 8); /* bytes of AUX */
		put(f, 0);
		decode(f);
		assert_int_equal(f->out.row.weight, 1);
		assert_int_equal(f->out.row.data_src, 2);
		assert_int_equal(f->out.row.hw_transaction, 3);
		assert_int_equal(f->out.row.phys_addr, 4);
		assert_int_equal(f->out.row.cgroup_id, 5);
		assert_int_equal(f->out.row.data_page_bytes, 6);
		assert_int_equal(f->out.row.code_page_bytes, 7);
		assert_int_equal(f->out.row.aux_bytes, 8);
		assert_cut(f);
		teardown(f);
	}
}

/* What was not recorded stays unknown. */
UNIT_CASE(no_numbers, struct fixture *f)
{
	decode(f);
	assert_int_equal(f->out.row.weight, INT_NONE);
	assert_int_equal(f->out.row.cgroup_id, INT_NONE);
	assert_int_equal(f->out.row.stack_bytes, INT_NONE);
	assert_int_equal(f->out.row.aux_bytes, INT_NONE);
	assert_int_equal(f->out.branch_count, 0);
	assert_int_equal(f->out.chain_count, 0);
}

UNIT_TEST(chains)
{
	for (int is_big = 0; is_big < 2; is_big++) {
		struct fixture *f = unit_alloc(sizeof(*f));

		setup(f);
		f->is_big = is_big;
		put(f, 0x1234);
		put(f, UINT64_MAX - 511); /* a mark: in user space */
		f->sample.chain = f->bytes;
		f->sample.chain_count = 2;
		f->size = 0;
		decode(f);
		assert_int_equal(f->out.chain_count, 2);
		assert_true(f->out.chain[0] == 0x1234);
		assert_true(f->out.chain[1] == UINT64_MAX - 511);
		teardown(f);
	}
}
