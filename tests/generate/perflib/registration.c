/* Facts, clocks, registration, identifiers: rules V7, V27 and V28. */
#include <string.h>

#include "perflib/build.h"

static void put_fact(struct build *build, const char *key, const char *value)
{
	struct byte_buf p = { 0 };

	buf_u32(&p, (uint32_t)strlen(key));
	buf_text(&p, "%s%s", key, value);
	put_record(build, 1, &p);
	buf_release(&p);
}

static void put_clock(struct build *build)
{
	struct byte_buf p = { 0 };

	BUF(&p, "888844", 1000, 1010, TICKS, 134397325643644257, (uint32_t)-60, 0);
	put_record(build, 2, &p);
	buf_release(&p);
}

static void put_structure(struct build *build, unsigned int set, unsigned int instances,
			  const struct counter *counters, unsigned int count)
{
	struct byte_buf p = { 0 };

	buf_counterset(&p, set, count, instances);
	for (unsigned int i = 0; i < count; i++)
		buf_counter(&p, &counters[i], (uint32_t)-2, 1);
	if (set == SET_PROCESSOR) {
		spoil(&build->fault, PLACE_STRUCTURE, &p, 0);
		if (is_now(&build->fault, "bad-v27-tail")) {
			find(&build->fault, "perflib_v27", p.size);
			buf_u64(&p, 0);
		}
		if (is_now(&build->fault, "bad-v27-short")) {
			find(&build->fault, "perflib_v27", 0);
			p.size = 24;
		}
	}
	expect_found(build, put_result(build, set, 1, 0, &p));
	buf_release(&p);
}

/* --- strings --- */

/* Those of rule V28 that are not of a number alone. */
static void spoil_names(struct faulty *fault, struct byte_buf *p)
{
	uint32_t size = (uint32_t)p->size;

	spoil(fault, PLACE_NAMES, p, 0);
	if (is_now(fault, "bad-v28-size")) {
		buf_set_u32(p, 0, size + 8);
		find(fault, "perflib_v28", 0);
	}
	if (is_now(fault, "bad-v28-high")) {
		buf_set_u32(p, 12, size);
		find(fault, "perflib_v28", 12);
	}
	if (is_now(fault, "bad-v28-no-end")) {
		buf_set_u32(p, 12, size);
		buf_u16(p, 'x');
		buf_set_u32(p, 0, size + 2);
		find(fault, "perflib_v28", size);
	}
	if (is_now(fault, "bad-v28-short")) {
		p->size = 4;
		find(fault, "perflib_v28", 0);
	}
}

static void put_names(struct build *build, unsigned int set, unsigned int request,
		      const struct counter *counters, unsigned int count)
{
	struct byte_buf p = { 0 };

	buf_names(&p, counters, count);
	if (request == 5)
		spoil_names(&build->fault, &p);
	expect_found(build, put_result(build, set, request, 0, &p));
	buf_release(&p);
}

static void put_string(struct build *build, unsigned int set, unsigned int request,
		       const char *text)
{
	struct byte_buf p = { 0 };

	buf_wide_z(&p, text);
	put_result(build, set, request, 0, &p);
	buf_release(&p);
}

/* --- identifiers --- */

static void buf_identifier(struct byte_buf *p, unsigned int set, unsigned int status,
			   unsigned int counter, const char *name, unsigned int index)
{
	size_t start = p->size;

	buf_guid(p, set);
	BUF(p, "444444", status, 0, counter, NONE, index, 0);
	if (name)
		buf_wide_z(p, name);
	buf_align(p, 0, 8);
	buf_set_size(p, start + 20, start);
}

static void put_identifiers(struct build *build, unsigned int type)
{
	struct byte_buf p = { 0 };
	size_t fourth;

	BUF(&p, "44", 0, 0);
	buf_identifier(&p, SET_PROCESSOR, 0, NONE, "*", 0);
	buf_identifier(&p, SET_SYSTEM, 0, NONE, NULL, 1);
	buf_identifier(&p, SET_PROCESSOR, 0, 2, "*", 2);
	fourth = p.size;
	buf_identifier(&p, SET_SYSTEM, 0, 10, NULL, 3);
	if (!is_case(&build->fault, "bad-v7-count"))
		buf_identifier(&p, SET_ABSENT, 0x1068, NONE, NULL, 4);
	if (type == 5)
		spoil(&build->fault, PLACE_IDENTIFIERS, &p, fourth);
	expect_found(build, put_record(build, type, &p));
	buf_release(&p);
}

/* 100NSEC_TIMER, RAWCOUNT, AVERAGE_BULK, AVERAGE_BASE; one more name. */
static const struct counter english[] = {
	{ 1, 0x20510500, { NONE, NONE, NONE, NONE }, "% Processor Time" },
	{ 2, 0x00010000, { NONE, NONE, NONE, NONE }, "Counter" },
	{ 3, 0x40020500, { 4, NONE, NONE, NONE }, "Bytes" },
	{ 4, 0x40030402, { NONE, NONE, NONE, NONE }, "Base" },
	{ 1, 0, { 0 }, "again" },
};
static const struct counter local[] = {
	{ 1, 0, { 0 }, "% Prozessorzeit" }, { 2, 0, { 0 }, "Z\xe4hler" },
	{ 3, 0, { 0 }, "Bytes" },	    { 4, 0, { 0 }, NULL },
	{ 1, 0, { 0 }, "again" },
};
/* LARGE_RAWCOUNT, RAWCOUNT. */
static const struct counter system_counters[] = {
	{ 10, 0x00010100, { NONE, NONE, NONE, NONE }, NULL },
	{ 11, 0x00010000, { NONE, NONE, NONE, NONE }, NULL },
};

void put_known(struct build *build)
{
	struct byte_buf none = { 0 };

	build->fault.is_now = true;
	put_fact(build, "HOSTNAME", "made-up");
	put_fact(build, "SOURCE", "make_plb");
	put_clock(build);
	put_structure(build, SET_PROCESSOR, 2, english, 4);
	put_string(build, SET_PROCESSOR, 3, "Prozessor");
	put_string(build, SET_PROCESSOR, 9, "Processor");
	put_names(build, SET_PROCESSOR, 5, local, 5);
	put_names(build, SET_PROCESSOR, 10, english, 5);
	put_result(build, SET_PROCESSOR, 6, 1168, &none);
	put_structure(build, SET_SYSTEM, 0, system_counters, 2);
	put_string(build, SET_SYSTEM, 9, "System");
	put_result(build, SET_ABSENT, 1, 0x1068, &none);
	if (is_case(&build->fault, "bad-v7-none"))
		return;
	put_identifiers(build, 4);
	put_identifiers(build, 5);
}
