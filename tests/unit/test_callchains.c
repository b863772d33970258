/* test_callchains.c - lib/attribution/callchains.h: each chain once, as JSON. */
#include "attribution/callchains.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define KERNEL ((uint64_t)-128)
#define USER ((uint64_t)-512)

/* The id, and whether there was a row for it. */
static int64_t ask(struct callchains *chains, const uint64_t *ips, size_t count,
		   bool *is_new)
{
	struct callchain_row row = { .callchain_id = -7 };
	int64_t id;

	*is_new = true; /* must be set either way */
	id = callchain_id(chains, ips, count, &row, is_new);
	if (*is_new) {
		assert_int_equal(row.callchain_id, id);
		assert_int_equal(row.depth, count);
	}
	return id;
}

/* --- the text --- */

static const struct {
	int line;
	uint64_t ips[4];
	size_t count;
	const char *frames;
} texts[] = {
	{ ROW, { 0x10 }, 1, "[\"0x10\"]" },
	{ ROW, { 0 }, 1, "[\"0x0\"]" },
	{ ROW, { 1, 1 }, 2, "[\"0x1\",\"0x1\"]" },
	{ ROW,
	  { KERNEL, 0xffffffff81000000, USER, 0xabc },
	  4,
	  "[\"kernel\",\"0xffffffff81000000\",\"user\",\"0xabc\"]" },
	{ ROW,
	  { UINT64_MAX, INT64_MAX },
	  2,
	  "[\"0xffffffffffffffff\",\"0x7fffffffffffffff\"]" },
	{ ROW,
	  { (uint64_t)-32, (uint64_t)-640 },
	  2,
	  "[\"hypervisor\",\"user deferred\"]" },
	{ ROW,
	  { (uint64_t)-2048, (uint64_t)-2176, (uint64_t)-2560 },
	  3,
	  "[\"guest\",\"guest kernel\",\"guest user\"]" },
	/* Next to a mark is none. */
	{ ROW,
	  { (uint64_t)-127, (uint64_t)-129 },
	  2,
	  "[\"0xffffffffffffff81\",\"0xffffffffffffff7f\"]" },
	{ ROW,
	  { 0x2222222222222222, 0x3333333333333333, 0x4444444444444444,
	    0x5555555555555555 },
	  4,
	  "[\"0x2222222222222222\",\"0x3333333333333333\",\"0x4444444444444444\","
	  "\"0x5555555555555555\"]" },
};

UNIT_TEST(text)
{
	struct callchains chains = { .last_id = 0 };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct callchain_row row = { .trace_id = 5 };
		bool is_new = false;

		ROW_INT(&texts[i],
			callchain_id(&chains, texts[i].ips, texts[i].count, &row,
				     &is_new),
			i + 1);
		ROW_TRUE(&texts[i], is_new);
		ROW_STR(&texts[i], row.frames, texts[i].frames);
		ROW_INT(&texts[i], row.depth, texts[i].count);
		ROW_INT(&texts[i], row.trace_id, 5); /* the caller's */
	}
	assert_false(chains.out_of_memory);
	callchains_release(&chains);
}

/* As many frames as a record can hold, the widest there are. */
UNIT_TEST(long)
{
	static uint64_t ips[8192];
	struct callchains chains = { .last_id = 0 };
	struct callchain_row row;
	bool is_new;

	memset(ips, 0xff, sizeof(ips));
	assert_int_equal(callchain_id(&chains, ips, COUNT(ips), &row, &is_new), 1);
	assert_int_equal(row.depth, COUNT(ips));
	assert_int_equal(row.frames.len, COUNT(ips) * 21 + 1);
	assert_int_equal(row.frames.ptr[0], '[');
	assert_memory_equal(row.frames.ptr + row.frames.len - 22,
			    ",\"0xffffffffffffffff\"]", 22);
	/* And a short one after it. */
	assert_int_equal(callchain_id(&chains, ips, 1, &row, &is_new), 2);
	ASSERT_STR(row.frames, "[\"0xffffffffffffffff\"]");
	callchains_release(&chains);
}

/* --- each once --- */

UNIT_TEST(interning)
{
	static const uint64_t a[] = { 1, 2, 3 }, b[] = { 3, 2, 1 };
	struct callchains chains = { .last_id = 41 };
	bool is_new;

	assert_int_equal(ask(&chains, a, 3, &is_new), 42);
	assert_true(is_new);
	assert_int_equal(ask(&chains, b, 3, &is_new), 43);
	assert_true(is_new);
	assert_int_equal(ask(&chains, a, 2, &is_new), 44); /* the beginning of another */
	assert_true(is_new);
	assert_int_equal(ask(&chains, a + 1, 2, &is_new), 45); /* and the end */
	assert_true(is_new);
	assert_int_equal(ask(&chains, a, 3, &is_new), 42);
	assert_false(is_new);
	assert_int_equal(ask(&chains, b, 3, &is_new), 43);
	assert_false(is_new);
	assert_int_equal(ask(&chains, a, 2, &is_new), 44);
	assert_false(is_new);
	/* No chain at all is none. */
	assert_int_equal(ask(&chains, a, 0, &is_new), INT_NONE);
	assert_false(is_new);
	assert_int_equal(ask(&chains, NULL, 0, &is_new), INT_NONE);
	assert_false(is_new);
	assert_int_equal(chains.last_id, 45);
	callchains_release(&chains);
}

/* The next trace has its own, under ids of their own. */
UNIT_TEST(forget)
{
	static const uint64_t a[] = { 1, 2, 3 };
	struct callchains chains = { .last_id = 0 };
	bool is_new;

	assert_int_equal(ask(&chains, a, 3, &is_new), 1);
	callchains_forget(&chains);
	assert_int_equal(chains.bytes, 0);
	assert_int_equal(ask(&chains, a, 3, &is_new), 2);
	assert_true(is_new);
	assert_int_equal(ask(&chains, a, 3, &is_new), 2);
	assert_false(is_new);
	callchains_release(&chains);
	callchains_release(&chains);
	assert_int_equal(chains.last_id, 2);
}

/* Chains of one hash: with the salt in hand, the last product is made 0. */
UNIT_TEST(same_hash)
{
	struct callchains chains = { .last_id = 0 };
	uint64_t ips[8][2];
	bool is_new;

	for (uint64_t i = 0; i < COUNT(ips); i++) {
		ips[i][0] = i + 1;
		ips[i][1] = map_mix(map_salt(), i + 1, 2);
	}
	for (size_t i = 0; i < COUNT(ips); i++) {
		assert_int_equal(ask(&chains, ips[i], 2, &is_new), i + 1);
		assert_true(is_new);
	}
	/* That they share one slot shows that the hash is the one that was meant. */
	assert_int_equal(chains.known.count, 1);
	for (size_t i = 0; i < COUNT(ips); i++) {
		assert_int_equal(ask(&chains, ips[i], 2, &is_new), i + 1);
		assert_false(is_new);
	}
	callchains_release(&chains);
}

/* Memory is bounded: beyond the bound it begins anew, and no id comes twice. */
UNIT_TEST(bound)
{
	static uint64_t ips[1000];
	struct callchains chains = { .last_id = 0 };
	size_t most = 0, chain_bytes = sizeof(ips);
	int64_t count = 3 * (int64_t)(CALLCHAINS_BYTES_MAX / chain_bytes), last = 0;
	int begun = 0;
	bool is_new;

	for (int64_t i = 0; i < count; i++) {
		size_t before = chains.bytes;
		int64_t id;

		ips[0] = (uint64_t)i;
		id = ask(&chains, ips, COUNT(ips), &is_new);
		assert_true(is_new);
		assert_int_equal(id, last + 1);
		last = id;
		/* What was asked for last is known, whatever was forgotten. */
		assert_int_equal(ask(&chains, ips, COUNT(ips), &is_new), id);
		assert_false(is_new);
		begun += chains.bytes < before;
		most = chains.bytes > most ? chains.bytes : most;
	}
	assert_true(begun == 2 || begun == 3);
	assert_true(most <= CALLCHAINS_BYTES_MAX + chain_bytes);
	assert_true(most > CALLCHAINS_BYTES_MAX / 2);
	/* The first one is forgotten, and gets another row. */
	ips[0] = 0;
	assert_int_equal(ask(&chains, ips, COUNT(ips), &is_new), last + 1);
	assert_true(is_new);
	callchains_release(&chains);
}
