/* PERF_DATA_BLOCK and what is in it. */
#include <string.h>

#include "winperf/build.h"

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
	return is_now(&build->fault, name);
}

/* --- values --- */

static void note(struct build *build, unsigned int block, const char *name,
		 unsigned int ordinal, unsigned int counter, unsigned int bytes,
		 unsigned long long value)
{
	if (!build->fault.lost)
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

	BUF(p, "4444", 0, 0, build->is_wide ? 80 : 64, title);
	buf_zero(p, pointer);
	buf_u32(p, title + 1);
	buf_zero(p, build->is_wide ? 12 : 4);
	BUF(p, "44444", 100, count, 0, instances, build->code_page);
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
		BUF(p, "44444", (uint32_t)-2, 100, counters[i].type, counters[i].size,
		    counters[i].at);
		buf_zero(p, (build->is_wide ? 56u : 40u) - (p->size - from));
	}
	buf_set_size(p, at + 4, at);
	return at;
}

static void end_object(struct byte_buf *p, size_t at)
{
	buf_align(p, 0, 8);
	buf_set_size(p, at, at);
}

static size_t buf_instance(const struct build *build, struct byte_buf *p,
			   unsigned int parent_title, unsigned int parent,
			   unsigned int number, const char *name)
{
	size_t at = p->size;

	BUF(p, "444444", 0, parent_title, parent, number, 24, 0);
	if (build->code_page)
		buf_bytes(p, name, strlen(name) + 1);
	else
		buf_utf16(p, name);
	buf_set_size(p, at + 20, at + 24);
	buf_align(p, 0, 8);
	buf_set_size(p, at, at);
	return at;
}

/* Three instances, two of which share a name: title 238, three counters. */
static const struct counter processor[] = {
	{ 6, TYPE_TIMER_INV, 8, 8 },
	{ 1350, TYPE_FRACTION, 4, 4 },
	{ 1350, TYPE_FRACTION_BASE, 4, 16 },
};

/* Those of instance `place`. */
static void put_values(struct build *build, struct byte_buf *p, const char *name,
		       unsigned int ordinal, unsigned int place)
{
	unsigned int seed = 10 * place + 100 * build->sample + 1;
	size_t at = p->size;

	BUF(p, "44844", 24, seed, (uint64_t)seed << 40, seed * 2, 0);
	spoil(&build->fault, PLACE_VALUES, p, at);
	if (place == 1)
		spoil(&build->fault, PLACE_VALUES_2, p, at);
	note(build, 0, name, ordinal, 0, 8, (unsigned long long)seed << 40);
	if (!is(build, "bad-value-outside"))
		note(build, 0, name, ordinal, 1, 4, seed);
	note(build, 0, name, ordinal, 2, 4, seed * 2);
}

static void put_processor(struct build *build, struct byte_buf *p)
{
	static const char *const names[] = { "0", "1", "1" };
	const char *last = build->code_page ? "caf\xe9" : "_Total";
	/* The last one is away for a time. */
	unsigned int count = is(build, "good-churn") && build->snapshot == 2 ? 3 : 4;
	size_t at = begin_object(build, p, 238, processor, 3, count), from, rest;

	spoil(&build->fault, PLACE_OBJECT, p, at);
	for (unsigned int i = 0; i < count; i++) {
		const char *name = i < 3 ? names[i] : last;
		bool odd = is(build, "odd-id") && (i == 1 || i == 2);

		from = buf_instance(build, p, 0, 0, odd ? 77 : NO_NUMBER, name);
		if (i == 0) {
			spoil(&build->fault, PLACE_INSTANCE, p, from);
			if (is(build, "bad-name-outside") || is(build, "bad-name-inside"))
				name = "";
		}
		if (i == 2 && is(build, "odd-id"))
			find(&build->fault, "perf_block_id", from);
		if (i == 3 && build->code_page == 1252)
			name = "caf\xc3\xa9";
		if (i == 3 && build->code_page == 1251)
			name = "caf\\xe9";
		if (i == 3 && build->code_page == 1251)
			find(&build->fault, "perf_block_code_page", from);
		put_values(build, p, name, i == 2, i);
	}
	rest = p->size;
	if (is(build, "bad-instances-billions")) {
		buf_set_u32(p, at + 40, 0x7fffffff);
		find(&build->fault, "perf_block_instance", rest);
	}
	if (is(build, "bad-rest") || is(build, "bad-rest-eight")) {
		buf_zero(p, is(build, "bad-rest") ? 16 : 8);
		find(&build->fault, "perf_block_rest", rest);
	}
	end_object(p, at);
	spoil(&build->fault, PLACE_OBJECT_END, p, at);
	build->fault.lost = false;
}

/* Without instances: title 2, two counters. */
static void put_system(struct build *build, struct byte_buf *p)
{
	static const struct counter system[] = { { 146, TYPE_COUNTER, 4, 4 },
						 { 148, TYPE_LARGE_RAW, 8, 8 } };
	size_t at = begin_object(build, p, 2, system, 2, NO_INSTANCES);

	BUF(p, "448", 16, 4000 + build->sample, (uint64_t)-5);
	note(build, 1, "", 0, 0, 4, 4000 + build->sample);
	if (!build->fault.lost)
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
	BUF(p, "44422222222488844", 104, objects, 238, 2007, 8, 2, 14, 15, 40,
	    (uint16_t)sample, 659, 0, (uint64_t)TICKS * (1000 + sample), TICKS,
	    UINT64_C(128315940000000000) + sample * UINT64_C(10000000),
	    2 * sizeof(machine), 88);
	buf_utf16(p, machine);
	return p->size;
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
	/* The second object cannot be found after the first one. */
	if (is(build, "bad-object-zero") || is(build, "bad-object-long"))
		build->values.size = values, build->fault.lost = true;
	put_system(build, p);
	build->fault.lost = false;
	if (is(build, "bad-objects-many"))
		buf_set_u32(p, 28, 1000000),
			find(&build->fault, "perf_block_objects", p->size);
	if (is(build, "bad-objects-behind")) {
		find(&build->fault, "perf_block_objects", p->size);
		buf_zero(p, 24);
	}
	buf_set_size(p, 20, 0);
	spoil(&build->fault, PLACE_HEADER, p, 0);
	if (lost)
		build->values.size = values;
}

void put_heavy_block(struct byte_buf *p, unsigned int sample, unsigned int instances)
{
	struct build build = { .sample = sample, .fault = { .name = "", .lost = true } };
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
	buf_set_size(p, begin + 20, begin);
	buf_release(&build.values);
}
