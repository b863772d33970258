/* winperf_blocks.c - PERF_DATA_BLOCK and what is in it. */
#include <string.h>

#include "winperf_build.h"

enum {
	TYPE_TIMER_INV = 0x21510500,
	TYPE_FRACTION = 0x20020400,
	TYPE_FRACTION_BASE = 0x40030403,
	TYPE_COUNTER = 0x10410400,
	TYPE_LARGE_RAW = 0x00010100,
	NO_INSTANCES = 0xffffffff,
	NO_NUMBER = 0xffffffff,
	TICKS = 3579545,
};

static bool is(const struct build *build, const char *name)
{
	return is_now(build, name);
}

static void pad(struct byte_buf *p)
{
	buf_zero(p, (8 - p->size % 8) % 8);
}

/* --- values --- */

static void note(struct build *build, unsigned int block, const char *name,
		 unsigned int ordinal, unsigned int counter, unsigned int bytes,
		 unsigned long long value)
{
	if (!build->lost)
		buf_text(&build->values, "%u|%u|%s|%u|%u|%u|%llu\n", build->snapshot,
			 block, name, ordinal, counter, bytes, value);
}

/* --- objects --- */

struct counter {
	unsigned int title, type, size, at;
};

/* Returns where it begins; its lengths are still to be set. */
static size_t begin_object(struct build *build, struct byte_buf *p, unsigned int title,
			   const struct counter *counters, unsigned int count,
			   unsigned int instances)
{
	size_t at = p->size, pointer = build->is_wide ? 8 : 4;

	buf_u32(p, 0);
	buf_u32(p, 0);
	buf_u32(p, build->is_wide ? 80 : 64);
	buf_u32(p, title);
	buf_zero(p, pointer);
	buf_u32(p, title + 1);
	buf_zero(p, build->is_wide ? 12 : 4);
	buf_u32(p, 100);
	buf_u32(p, count);
	buf_u32(p, 0);
	buf_u32(p, instances);
	buf_u32(p, build->code_page);
	if (build->is_wide)
		buf_u32(p, 0);
	buf_u64(p, 500 + build->sample);
	buf_u64(p, instances == NO_INSTANCES ? 0 : 10000000);
	for (unsigned int i = 0; i < count; i++) {
		size_t from = p->size;

		buf_u32(p, build->is_wide ? 56 : 40);
		buf_u32(p, counters[i].title);
		buf_zero(p, pointer);
		buf_u32(p, counters[i].title + 1);
		buf_zero(p, build->is_wide ? 12 : 4);
		buf_u32(p, (uint32_t)-2);
		buf_u32(p, 100);
		buf_u32(p, counters[i].type);
		buf_u32(p, counters[i].size);
		buf_u32(p, counters[i].at);
		buf_zero(p, (build->is_wide ? 56u : 40u) - (p->size - from));
	}
	buf_set_u32(p, at + 4, (uint32_t)(p->size - at));
	return at;
}

static void end_object(struct byte_buf *p, size_t at)
{
	pad(p);
	buf_set_u32(p, at, (uint32_t)(p->size - at));
}

static size_t buf_instance(const struct build *build, struct byte_buf *p,
			   unsigned int parent_title, unsigned int parent,
			   unsigned int number, const char *name)
{
	size_t at = p->size;

	buf_u32(p, 0);
	buf_u32(p, parent_title);
	buf_u32(p, parent);
	buf_u32(p, number);
	buf_u32(p, 24);
	buf_u32(p, 0);
	if (build->code_page)
		buf_bytes(p, name, strlen(name) + 1);
	else
		buf_utf16(p, name);
	buf_set_u32(p, at + 20, (uint32_t)(p->size - at - 24));
	pad(p);
	buf_set_u32(p, at, (uint32_t)(p->size - at));
	return at;
}

/* Three instances, two of which share a name: title 238, three counters. */
static const struct counter processor[] = {
	{ 6, TYPE_TIMER_INV, 8, 8 },
	{ 1350, TYPE_FRACTION, 4, 4 },
	{ 1350, TYPE_FRACTION_BASE, 4, 16 },
};

/* What is wrong with an instance, once it stands there. */
static void spoil_instance(struct build *build, struct byte_buf *p, size_t at)
{
	if (is(build, "bad-instance-short"))
		buf_set_u32(p, at, 16), tell(build, "perf_block_instance", at);
	if (is(build, "bad-instance-long"))
		buf_set_u32(p, at, 0xfffffff8), tell(build, "perf_block_instance", at);
	if (is(build, "bad-name-outside"))
		buf_set_u32(p, at + 16, 4000), tell(build, "perf_block_name", at);
	if (is(build, "bad-name-no-end"))
		buf_set_u32(p, at + 20, 2), tell(build, "perf_block_name", at);
	if (is(build, "bad-parent")) {
		buf_set_u32(p, at + 4, 238);
		buf_set_u32(p, at + 8, 7);
		tell(build, "perf_block_parent", at);
	}
}

/* Those of instance `place`. */
static void put_values(struct build *build, struct byte_buf *p, const char *name,
		       unsigned int ordinal, unsigned int place)
{
	unsigned int seed = 10 * place + 100 * build->sample + 1;
	size_t at = p->size;

	buf_u32(p, 24);
	buf_u32(p, seed);
	buf_u64(p, (uint64_t)seed << 40);
	buf_u32(p, seed * 2);
	buf_u32(p, 0);
	if (place == 1 && is(build, "bad-values-short"))
		buf_set_u32(p, at, 3), tell(build, "perf_block_instance", at),
			build->lost = true;
	if (place == 1 && is(build, "bad-values-long"))
		buf_set_u32(p, at, 0x7fffffff), tell(build, "perf_block_instance", at),
			build->lost = true;
	if (is(build, "bad-value-outside"))
		tell(build, "perf_block_value", at);
	note(build, 0, name, ordinal, 0, 8, (unsigned long long)seed << 40);
	if (!is(build, "bad-value-outside"))
		note(build, 0, name, ordinal, 1, 4, seed);
	note(build, 0, name, ordinal, 2, 4, seed * 2);
}

static void spoil_object(struct build *build, struct byte_buf *p, size_t at)
{
	if (is(build, "bad-counters-billions"))
		buf_set_u32(p, at + 32, 0xffffffff),
			tell(build, "perf_block_counters", at + 64), build->lost = true;
	if (is(build, "bad-counter-short"))
		buf_set_u32(p, at + 64, 8), tell(build, "perf_block_counters", at + 64),
			build->lost = true;
	if (is(build, "bad-definitions-short"))
		buf_set_u32(p, at + 4, 32), tell(build, "perf_block_object", at),
			build->lost = true;
	if (is(build, "bad-definitions-long"))
		buf_set_u32(p, at + 4, 0xffffff00), tell(build, "perf_block_object", at),
			build->lost = true;
	if (is(build, "bad-value-outside"))
		buf_set_u32(p, at + 64 + 40 + 36, 22);
}

static void put_processor(struct build *build, struct byte_buf *p)
{
	static const char *const names[] = { "0", "1", "1" };
	const char *last = build->code_page ? "caf\xe9" : "_Total";
	size_t at = begin_object(build, p, 238, processor, 3, 4), from, rest;

	spoil_object(build, p, at);
	for (unsigned int i = 0; i < 4; i++) {
		const char *name = i < 3 ? names[i] : last;
		bool odd = is(build, "odd-id") && (i == 1 || i == 2);

		from = buf_instance(build, p, 0, 0, odd ? 77 : NO_NUMBER, name);
		if (i == 0) {
			spoil_instance(build, p, from);
			build->lost |= is(build, "bad-instance-short") ||
				       is(build, "bad-instance-long");
			if (is(build, "bad-name-outside"))
				name = "";
		}
		if (i == 2 && is(build, "odd-id"))
			tell(build, "perf_block_id", from);
		if (i == 3 && build->code_page == 1252)
			name = "caf\xc3\xa9";
		if (i == 3 && build->code_page == 1251)
			name = "caf\\xe9";
		if (i == 3 && build->code_page == 1251)
			tell(build, "perf_block_code_page", from);
		put_values(build, p, name, i == 2, i);
	}
	rest = p->size;
	if (is(build, "bad-instances-billions")) {
		buf_set_u32(p, at + 40, 0x7fffffff);
		tell(build, "perf_block_instance", rest);
	}
	if (is(build, "bad-rest")) {
		buf_zero(p, 16);
		tell(build, "perf_block_rest", rest);
	}
	end_object(p, at);
	if (is(build, "bad-object-zero"))
		buf_set_u32(p, at, 0), tell(build, "perf_block_object", at);
	if (is(build, "bad-object-long"))
		buf_set_u32(p, at, 0x7ffffff8), tell(build, "perf_block_object", at);
	build->lost = false;
}

/* Without instances: title 2, two counters. */
static void put_system(struct build *build, struct byte_buf *p)
{
	static const struct counter system[] = { { 146, TYPE_COUNTER, 4, 4 },
						 { 148, TYPE_LARGE_RAW, 8, 8 } };
	size_t at = begin_object(build, p, 2, system, 2, NO_INSTANCES);

	buf_u32(p, 16);
	buf_u32(p, 4000 + build->sample);
	buf_u64(p, (uint64_t)-5);
	note(build, 1, "", 0, 0, 4, 4000 + build->sample);
	if (!build->lost)
		buf_text(&build->values, "%u|1||0|1|8|-5\n", build->snapshot);
	end_object(p, at);
}

/* --- the block --- */

static size_t begin_block(struct byte_buf *p, unsigned int sample, unsigned int objects)
{
	static const char machine[] = "MACHINE";

	buf_bytes(p, "P\0E\0R\0F\0", 8);
	buf_u32(p, 1); /* little-endian */
	buf_u32(p, 1);
	buf_u32(p, 1);
	buf_u32(p, 0); /* length: when it is known */
	buf_u32(p, 104);
	buf_u32(p, objects);
	buf_u32(p, 238);
	buf_u16(p, 2007);
	buf_u16(p, 8);
	buf_u16(p, 2);
	buf_u16(p, 14);
	buf_u16(p, 15);
	buf_u16(p, 40);
	buf_u16(p, (uint16_t)sample);
	buf_u16(p, 659);
	buf_u32(p, 0);
	buf_u64(p, (uint64_t)TICKS * (1000 + sample));
	buf_u64(p, TICKS);
	buf_u64(p, UINT64_C(128315940000000000) + sample * UINT64_C(10000000));
	buf_u32(p, 2 * sizeof(machine));
	buf_u32(p, 88);
	buf_utf16(p, machine);
	return p->size;
}

static void spoil_header(struct build *build, struct byte_buf *p)
{
	if (is(build, "bad-header-short"))
		buf_set_u32(p, 24, 40), tell(build, "perf_block_header", 0);
	if (is(build, "bad-header-long"))
		buf_set_u32(p, 24, 0xfffffff8), tell(build, "perf_block_header", 0);
	if (is(build, "bad-endian"))
		buf_set_u32(p, 8, 0), tell(build, "perf_block_header", 0);
	if (is(build, "bad-signature"))
		p->data[0] = 'Q', tell(build, "perf_block_header", 0);
	if (is(build, "bad-clock-freq"))
		buf_set_u64(p, 64, 0), tell(build, "perf_block_clock", 36);
	if (is(build, "bad-clock-date"))
		buf_set_u16(p, 38, 13), tell(build, "perf_block_clock", 36);
	if (is(build, "bad-machine"))
		buf_set_u32(p, 84, 0xffffff00), tell(build, "perf_block_name", 0);
}

static bool loses_all(const struct build *build)
{
	return is(build, "bad-header-short") || is(build, "bad-header-long") ||
	       is(build, "bad-endian") || is(build, "bad-signature") ||
	       is(build, "bad-size-billions");
}

void put_block(struct build *build, struct byte_buf *p)
{
	bool lost = loses_all(build);
	size_t values = build->values.size;

	begin_block(p, build->sample, 2);
	build->snapshot += !lost;
	put_processor(build, p);
	/* The second object cannot be found behind the first one. */
	if (is(build, "bad-object-zero") || is(build, "bad-object-long"))
		build->values.size = values, build->lost = true;
	put_system(build, p);
	build->lost = false;
	if (is(build, "bad-objects-many"))
		buf_set_u32(p, 28, 1000000), tell(build, "perf_block_objects", p->size);
	if (is(build, "bad-objects-behind")) {
		tell(build, "perf_block_objects", p->size);
		buf_zero(p, 24);
	}
	buf_set_u32(p, 20, (uint32_t)p->size);
	if (is(build, "bad-size-billions"))
		buf_set_u32(p, 20, 0xffffffff), tell(build, "perf_block_size", 0);
	spoil_header(build, p);
	if (lost)
		build->values.size = values;
}

void put_heavy_block(struct byte_buf *p, unsigned int sample, unsigned int instances)
{
	struct build build = { .wrong = "", .sample = sample, .lost = true };
	struct counter counters[28];
	size_t begin = p->size, at;
	char name[16] = "process000";

	for (unsigned int i = 0; i < 28; i++)
		counters[i] = (struct counter){ 6 + 2 * i, TYPE_TIMER_INV, 8, 8 + 8 * i };
	begin_block(p, sample % 60, 1);
	at = begin_object(&build, p, 230, counters, 28, instances);
	for (unsigned int i = 0; i < instances; i++) {
		name[7] = (char)('0' + i / 100 % 10);
		name[8] = (char)('0' + i / 10 % 10);
		name[9] = (char)('0' + i % 10);
		buf_instance(&build, p, 0, 0, NO_NUMBER, name);
		buf_u32(p, 8 + 8 * 28);
		buf_u32(p, 0);
		for (unsigned int k = 0; k < 28; k++)
			buf_u64(p, (uint64_t)sample * (i + 1) * (k + 1) * 12345);
	}
	end_object(p, at);
	buf_set_u32(p, begin + 20, (uint32_t)(p->size - begin));
	buf_release(&build.values);
}
