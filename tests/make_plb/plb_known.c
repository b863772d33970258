/* plb_known.c - facts, clocks, registration, identifiers: rules V7, V27 and V28. */
#include <string.h>

#include "plb_build.h"

#define NONE 0xffffffff

void buf_guid(struct byte_buf *buf, unsigned int set)
{
	for (unsigned int i = 0; i < 16; i++)
		buf_u8(buf, (uint8_t)(set + i));
}

static void buf_utf16(struct byte_buf *buf, const char *text)
{
	for (; *text; text++)
		buf_u16(buf, (uint8_t)*text);
	buf_u16(buf, 0);
}

static void put_fact(struct build *build, const char *key, const char *value)
{
	struct byte_buf p = { 0 };

	buf_u32(&p, (uint32_t)strlen(key));
	buf_bytes(&p, key, strlen(key));
	buf_bytes(&p, value, strlen(value));
	put_record(build, 1, &p);
	buf_release(&p);
}

static void put_clock(struct build *build)
{
	struct byte_buf p = { 0 };

	buf_u64(&p, 1000);
	buf_u64(&p, 1010);
	buf_u64(&p, 10000000);
	buf_u64(&p, 134397325643644257);
	buf_u32(&p, (uint32_t)-60);
	buf_u32(&p, 0);
	put_record(build, 2, &p);
	buf_release(&p);
}

/* An answer of PerfQueryCounterSetRegistrationInfo; returns where it is in the file. */
static size_t put_answer_of(struct build *build, unsigned int set, unsigned int request,
			    unsigned int code, const struct byte_buf *answer)
{
	struct byte_buf p = { 0 };
	size_t at;

	buf_guid(&p, set);
	buf_u32(&p, request);
	buf_u32(&p, 0);
	buf_u32(&p, code);
	buf_u32(&p, 0);
	if (answer->size)
		buf_bytes(&p, answer->data, answer->size);
	at = put_record(build, 3, &p) + 32;
	buf_release(&p);
	return at;
}

/* --- structures --- */

struct counter {
	unsigned int id, type, base, time;
};

static void put_structure(struct build *build, unsigned int set, unsigned int instances,
			  struct counter *counters, unsigned int count)
{
	struct byte_buf p = { 0 };
	unsigned int claimed = count;
	bool is_first = set == SET_PROCESSOR;
	size_t at, wrong = 0;

	if (is_first && is_case(build, "bad-v27-count"))
		claimed = count + 1, wrong = 24;
	if (is_first && is_case(build, "bad-v27-billions"))
		claimed = 4000000000, wrong = 24;
	if (is_first && is_case(build, "bad-v27-twice"))
		counters[3].id = counters[2].id, counters[2].base = NONE,
		wrong = 32 + 3 * 48;
	if (is_first && is_case(build, "bad-v27-missing"))
		counters[2].base = 99, wrong = 32 + 2 * 48;
	if (is_first && is_case(build, "bad-v27-itself"))
		counters[0].time = counters[0].id, wrong = 32;
	if (is_first && is_case(build, "bad-v27-no-base"))
		counters[2].base = 1, wrong = 32 + 2 * 48;
	if (is_first && is_case(build, "bad-v27-cycle"))
		counters[0].time = 2, counters[1].time = 1, wrong = 32;
	buf_guid(&p, set);
	buf_u32(&p, 0);
	buf_u32(&p, 100);
	buf_u32(&p, claimed);
	buf_u32(&p, instances);
	for (unsigned int i = 0; i < count; i++) {
		buf_u32(&p, counters[i].id);
		buf_u32(&p, counters[i].type);
		buf_u64(&p, 0);
		buf_u32(&p, 100);
		buf_u32(&p, (uint32_t)-2);
		buf_u32(&p, counters[i].base);
		buf_u32(&p, counters[i].time);
		buf_u32(&p, NONE);
		buf_u32(&p, NONE);
		buf_u32(&p, 1);
		buf_u32(&p, 0);
	}
	if (is_first && is_case(build, "bad-v27-tail")) {
		wrong = p.size;
		buf_u64(&p, 0);
	}
	if (is_first && is_case(build, "bad-v27-short"))
		p.size = 24;
	at = put_answer_of(build, set, 1, 0, &p);
	if (is_first && strncmp(build->wrong, "bad-v27", 7) == 0)
		expect(build,
		       strstr(build->wrong, "missing") ||
				       strstr(build->wrong, "itself") ||
				       strstr(build->wrong, "no-base") ||
				       strstr(build->wrong, "cycle")
			       ? "perflib_v27_partner"
			       : "perflib_v27",
		       1, at + wrong);
	buf_release(&p);
}

/* --- strings --- */

static void put_names(struct build *build, unsigned int set, unsigned int request,
		      const unsigned int *ids, const char *const *names,
		      unsigned int count)
{
	struct byte_buf p = { 0 };
	bool is_wrong = set == SET_PROCESSOR && request == 5;
	unsigned int first = 8 + 8 * count;
	size_t at, wrong = 12;

	buf_u32(&p, 0);
	buf_u32(&p, count);
	for (unsigned int i = 0; i < count; i++) {
		buf_u32(&p, ids[i]);
		buf_u32(&p, NONE);
	}
	for (unsigned int i = 0; i < count; i++) {
		if (!names[i])
			continue;
		buf_set_u32(&p, 12 + 8 * i, (uint32_t)p.size);
		buf_utf16(&p, names[i]);
	}
	buf_set_u32(&p, 0, (uint32_t)p.size);
	if (is_wrong && is_case(build, "bad-v28-size"))
		buf_set_u32(&p, 0, (uint32_t)p.size + 8), wrong = 0;
	if (is_wrong && is_case(build, "bad-v28-count"))
		buf_set_u32(&p, 4, 0xffffffff), wrong = 4;
	if (is_wrong && is_case(build, "bad-v28-odd"))
		buf_set_u32(&p, 12, first + 1);
	if (is_wrong && is_case(build, "bad-v28-low")) /* as [MS-PCQ] has it */
		buf_set_u32(&p, 12, 0);
	if (is_wrong && is_case(build, "bad-v28-high"))
		buf_set_u32(&p, 12, (uint32_t)p.size);
	if (is_wrong && is_case(build, "bad-v28-no-end")) {
		wrong = p.size;
		buf_set_u32(&p, 12, (uint32_t)p.size);
		buf_u16(&p, 'x');
		buf_set_u32(&p, 0, (uint32_t)p.size);
	}
	if (is_wrong && is_case(build, "bad-v28-short"))
		p.size = 4, wrong = 0;
	at = put_answer_of(build, set, request, 0, &p);
	if (is_wrong && strncmp(build->wrong, "bad-v28", 7) == 0)
		expect(build, "perflib_v28", 1, at + wrong);
	buf_release(&p);
}

static void put_string(struct build *build, unsigned int set, unsigned int request,
		       const char *text)
{
	struct byte_buf p = { 0 };

	buf_utf16(&p, text);
	put_answer_of(build, set, request, 0, &p);
	buf_release(&p);
}

/* --- identifiers --- */

static void buf_identifier(struct byte_buf *p, unsigned int set, unsigned int status,
			   unsigned int counter, const char *name, unsigned int index)
{
	size_t start = p->size;

	buf_guid(p, set);
	buf_u32(p, status);
	buf_u32(p, 0);
	buf_u32(p, counter);
	buf_u32(p, NONE);
	buf_u32(p, index);
	buf_u32(p, 0);
	if (name)
		buf_utf16(p, name);
	while (p->size % 8)
		buf_u8(p, 0);
	buf_set_u32(p, start + 20, (uint32_t)(p->size - start));
}

static void put_identifiers(struct build *build, unsigned int type)
{
	struct byte_buf p = { 0 };
	bool is_index = type == 5 && is_case(build, "bad-v7-index");
	size_t at, last;

	buf_u32(&p, 0);
	buf_u32(&p, 0);
	buf_identifier(&p, SET_PROCESSOR, 0, NONE, "*", 0);
	buf_identifier(&p, SET_SYSTEM, 0, NONE, NULL, 1);
	buf_identifier(&p, SET_PROCESSOR, 0, 2, "*", 2);
	buf_identifier(&p, SET_SYSTEM, 0, 10, NULL, is_index ? 5 : 3);
	last = p.size;
	if (!is_case(build, "bad-v7-count"))
		buf_identifier(&p, SET_ABSENT, 0x1068, NONE, NULL, 4);
	if (type == 5 && is_case(build, "bad-v7-size"))
		buf_set_u32(&p, last + 20, 39);
	at = put_record(build, type, &p);
	if (is_index)
		expect(build, "perflib_v7", 1, at + last + 32);
	if (type == 5 && is_case(build, "bad-v7-size"))
		expect(build, "perflib_v7", 1, at + last);
	buf_release(&p);
}

void put_known(struct build *build)
{
	/* 100NSEC_TIMER, RAWCOUNT, AVERAGE_BULK, AVERAGE_BASE; LARGE_RAWCOUNT, RAWCOUNT
	 */
	struct counter processor[] = { { 1, 0x20510500, NONE, NONE },
				       { 2, 0x00010000, NONE, NONE },
				       { 3, 0x40020500, 4, NONE },
				       { 4, 0x40030402, NONE, NONE } };
	struct counter system[] = { { 10, 0x00010100, NONE, NONE },
				    { 11, 0x00010000, NONE, NONE } };
	static const unsigned int ids[] = { 1, 2, 3, 4, 1 };
	static const char *const local[] = { "% Prozessorzeit", "Z\xe4hler", "Bytes",
					     NULL, "again" };
	static const char *const english[] = { "% Processor Time", "Counter", "Bytes",
					       "Base", "again" };
	struct byte_buf none = { 0 };

	put_fact(build, "HOSTNAME", "made-up");
	put_fact(build, "SOURCE", "make_plb");
	put_clock(build);
	put_structure(build, SET_PROCESSOR, 2, processor, 4);
	put_string(build, SET_PROCESSOR, 3, "Prozessor");
	put_string(build, SET_PROCESSOR, 9, "Processor");
	put_names(build, SET_PROCESSOR, 5, ids, local, 5);
	put_names(build, SET_PROCESSOR, 10, ids, english, 5);
	put_answer_of(build, SET_PROCESSOR, 6, 1168, &none);
	put_structure(build, SET_SYSTEM, 0, system, 2);
	put_string(build, SET_SYSTEM, 9, "System");
	put_answer_of(build, SET_ABSENT, 1, 0x1068, &none);
	if (is_case(build, "bad-v7-none"))
		return;
	put_identifiers(build, 4);
	put_identifiers(build, 5);
}
