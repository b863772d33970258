/* plb_answer.c - one answer of PerfQueryCounterData: rules V1 to V26 and V29. */
#include <string.h>

#include "plb_build.h"

#define TICKS 10000000u

/* What is found is told at places of the answer; where that is comes out at the end. */
struct answer {
	struct build *build;
	struct byte_buf p;
	struct {
		const char *kind;
		size_t at;
	} told[4];
	size_t told_count;
	unsigned int block;
	unsigned int reported;
	bool shifted; /* the four blocks behind this one, and the end */
};

static bool is(const struct answer *a, const char *name)
{
	return is_now(a->build, name);
}

static void tell(struct answer *a, const char *kind, size_t at)
{
	if (a->told_count == 4)
		die("too many findings");
	a->told[a->told_count].kind = kind;
	a->told[a->told_count++].at = at;
}

/* Only the identifiers tell which counter a block without a list has. */
static unsigned int counter_of(const struct answer *a, unsigned int id)
{
	if (a->build->is_bare || is_case(a->build, "bad-v7-none") ||
	    (a->block == 3 && is_case(a->build, "bad-v7-index")))
		return 0;
	return id;
}

/* --- values --- */

static void note(struct answer *a, const char *name, unsigned int ordinal,
		 unsigned int counter, unsigned int bytes, unsigned long long value)
{
	if (a->build->lost)
		return;
	buf_text(&a->build->truth.values, "%u|%u|%s|%u|", a->build->snapshot, a->block,
		 name, ordinal);
	if (counter)
		buf_text(&a->build->truth.values, "%u", counter);
	buf_text(&a->build->truth.values, "|%u|", bytes);
	if (bytes == 4 || bytes == 8)
		buf_text(&a->build->truth.values, "%llu", value);
	buf_text(&a->build->truth.values, "\n");
}

/* A PERF_COUNTER_DATA; the first of a unit may be wrong. */
static void buf_value(struct answer *a, unsigned int bytes, unsigned long long value)
{
	struct byte_buf *p = &a->p;
	size_t at = p->size;

	buf_u32(p, bytes);
	buf_u32(p, 16);
	if (bytes == 4 || bytes == 8)
		buf_number(p, value, bytes);
	else
		for (unsigned int i = 0; i < bytes; i++)
			buf_u8(p, (uint8_t)i);
	while ((p->size - at) % 8)
		buf_u8(p, 0);
	buf_set_u32(p, at + 4, (uint32_t)(p->size - at));
}

/* Two counters that may be wrong, of the first instance of the first block. */
static void wrong_values(struct answer *a, size_t first)
{
	struct byte_buf *p = &a->p;
	size_t second = first + 16;

	if (is(a, "bad-v21-value"))
		p->data[second + 13] = 0x55, tell(a, "perflib_v21", second + 12);
	if (is(a, "bad-v22-zero"))
		buf_set_u32(p, first + 4, 0), tell(a, "perflib_v22", first);
	if (is(a, "bad-v22-seven"))
		buf_set_u32(p, first + 4, 7), tell(a, "perflib_v22", first);
	if (is(a, "bad-v22-billions"))
		buf_set_u32(p, first + 4, 0xffffffff), tell(a, "perflib_v22", first);
	if (is(a, "bad-v29")) {
		buf_set_u32(p, second + 4, 0xfffffff8);
		tell(a, "perflib_v22", second);
		tell(a, "perflib_v29", first);
	}
}

/* --- lists --- */

static size_t buf_ids(struct answer *a, const unsigned int *ids, unsigned int count)
{
	struct byte_buf *p = &a->p;
	size_t at = p->size, padded;

	buf_u32(p, 0);
	buf_u32(p, count);
	for (unsigned int i = 0; i < count; i++)
		buf_u32(p, ids[i]);
	padded = p->size;
	if (count % 2)
		buf_u32(p, 0);
	if (a->block == 0) {
		if (is(a, "bad-v21-list"))
			buf_set_u32(p, padded, 1), tell(a, "perflib_v21", padded);
		if (is(a, "bad-v13-unaligned")) {
			p->size -= 4;
			tell(a, "perflib_v13", at);
			a->shifted = true;
		}
		if (is(a, "bad-v14")) {
			buf_zero(p, 8);
			tell(a, "perflib_v14", padded);
		}
	}
	buf_set_u32(p, at, (uint32_t)(p->size - at));
	if (a->block != 0)
		return at;
	if (is(a, "bad-v13-small"))
		buf_set_u32(p, at, 4), tell(a, "perflib_v13", at);
	if (is(a, "bad-v13-billions"))
		buf_set_u32(p, at, 0xffffffff), tell(a, "perflib_v13", at);
	if (is(a, "bad-v13-count"))
		buf_set_u32(p, at + 4, 0xffffffff), tell(a, "perflib_v13", at);
	return at;
}

struct name {
	const char *text;
	unsigned int ordinal, length; /* length: of x's, instead */
};

static size_t buf_instance(struct answer *a, unsigned int id, const struct name *name)
{
	struct byte_buf *p = &a->p;
	size_t at = p->size, end;

	buf_u32(p, 0);
	buf_u32(p, id);
	for (unsigned int i = 0; i < name->length; i++)
		buf_u16(p, 'x');
	for (const char *c = name->length ? "" : name->text; *c; c++)
		buf_u16(p, (uint8_t)*c);
	buf_u16(p, 0);
	end = p->size;
	while ((p->size - at) % 8)
		buf_u8(p, 0);
	if (a->block == 0 && id == 1 && is(a, "bad-v21-name")) {
		buf_zero(p, 8);
		p->data[end + 1] = 'p';
		tell(a, "perflib_v21", end);
	}
	buf_set_u32(p, at, (uint32_t)(p->size - at));
	return at;
}

/* The first instance of the first block. */
static void wrong_instance(struct answer *a, size_t at)
{
	struct byte_buf *p = &a->p;

	if (is(a, "bad-v18-zero"))
		buf_set_u32(p, at, 0), tell(a, "perflib_v18", at);
	if (is(a, "bad-v18-nine"))
		buf_set_u32(p, at, 9), tell(a, "perflib_v18", at);
	if (is(a, "bad-v18-billions"))
		buf_set_u32(p, at, 0xffffffff), tell(a, "perflib_v18", at);
}

/* --- blocks --- */

static size_t begin_block(struct answer *a, unsigned int type, unsigned int status)
{
	size_t at = a->p.size;

	buf_u32(&a->p, status);
	buf_u32(&a->p, type);
	buf_u32(&a->p, 0);
	buf_u32(&a->p, 0);
	return at;
}

static void end_block(struct answer *a, size_t at)
{
	buf_set_u32(&a->p, at + 8, (uint32_t)(a->p.size - at));
	a->block++;
}

/* From here on nothing of the block is read. */
static void lose(struct answer *a, const char *prefix)
{
	const char *wrong = a->build->wrong;
	bool harmless = strstr(wrong, "unaligned") != NULL;

	if (is_now(a->build, wrong) && strncmp(wrong, prefix, strlen(prefix)) == 0 &&
	    !harmless)
		a->build->lost = true;
}

static unsigned long long value_of(const struct answer *a, unsigned int instance,
				   unsigned int counter)
{
	return 0xfffffff0u + a->build->snapshot * 1000ull + instance * 100ull + counter;
}

/* The counters of an instance of the first block, 1 and 2 and 3, and of the third, 2. */
static void buf_values(struct answer *a, unsigned int instance, const struct name *name,
		       const unsigned int *ids, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		unsigned int counter = ids[i], bytes = counter == 2 ? 4 : 8;
		unsigned long long value = value_of(a, instance, counter);

		if (a->block == 0 && instance == 0 && counter == 2 &&
		    is(a, "bad-v23-sixteen"))
			bytes = 16, tell(a, "perflib_v23", a->p.size);
		if (a->block == 0 && instance == 0 && counter == 2 &&
		    is(a, "bad-v23-none"))
			bytes = 0, tell(a, "perflib_v23", a->p.size);
		if (a->block == 0 && instance == 0 && counter == 2 && is(a, "bad-v24"))
			bytes = 8, tell(a, "perflib_v24", a->p.size);
		if (bytes == 4)
			value &= 0xffffffff;
		buf_value(a, bytes, value);
		if (a->block == 0 && instance == 0 && is(a, "bad-v22-data")) {
			buf_set_u32(&a->p, a->p.size - 16, 9);
			tell(a, "perflib_v22", a->p.size - 16);
		}
		note(a, name->text, name->ordinal, counter, bytes, value);
	}
}

/* Names that are wrong, or only look so, of the first instance of the first block. */
static void wrong_name(struct answer *a, size_t at, struct name *name)
{
	struct byte_buf *p = &a->p;

	if (is(a, "bad-v19-surrogate")) {
		buf_set_u16(p, at + 8, 0xdc00);
		name->text = "\\xed\\xb0\\x80,0";
	}
	if (is(a, "bad-v19-no-end")) {
		buf_set_u32(p, at + 8, 0x790079);
		buf_set_u32(p, at + 12, 0x790079);
		name->text = "yyyy";
	}
	if (is(a, "bad-v19-surrogate") || is(a, "bad-v19-no-end") ||
	    is(a, "bad-v19-empty") || is(a, "bad-v19-long"))
		tell(a, "perflib_v19", at + 8);
}

static void choose_names(struct answer *a, struct name *names)
{
	static char longest[1025];

	memset(longest, 'x', sizeof(longest) - 1);
	if (is(a, "good-name-1023"))
		names[0] = (struct name){ longest + 1, 0, 1023 };
	if (is(a, "bad-v19-long"))
		names[0] = (struct name){ longest, 0, 1024 };
	if (is(a, "bad-v19-empty"))
		names[0].text = "";
	if (is(a, "bad-v20"))
		names[1] = (struct name){ "0,0", 1, 0 };
	if (is_case(a->build, "good-same-name"))
		names[1].text = "0,0";
}

static void buf_instances(struct answer *a, const unsigned int *ids, unsigned int count)
{
	struct name names[] = { { "0,0", 0, 0 }, { "_Total", 0, 0 } };
	unsigned int instances = is(a, "good-churn") ? 1 : 2;
	size_t at;

	buf_u32(&a->p, 0);
	buf_u32(&a->p, instances);
	choose_names(a, names);
	for (unsigned int i = 0; i < instances; i++) {
		at = buf_instance(a, is(a, "bad-v20") ? 1 : 1 + i, &names[i]);
		if (i == 0) {
			wrong_instance(a, at);
			wrong_name(a, at, &names[0]);
		} else if (is(a, "bad-v20")) {
			tell(a, "perflib_v20", at);
		}
		at = a->p.size;
		buf_values(a, i, &names[i], ids, count);
		if (i == 0)
			wrong_values(a, at);
		/* A value that alone is wrong costs its instance alone. */
		if (is(a, "bad-v22-data"))
			a->build->lost = false;
	}
}

static void buf_countersets(struct answer *a)
{
	unsigned int ids[] = { 1, 2, 3 }, count = 3;
	size_t block = begin_block(a, 6, 0), list, instances;

	if (is_case(a->build, "bad-v15-unknown"))
		ids[2] = 77;
	if (is_case(a->build, "bad-v15-twice"))
		ids[2] = 1;
	if (is(a, "bad-v26-list") || is_case(a->build, "good-two-counters"))
		count = 2;
	if (is_case(a->build, "bad-v22-data"))
		count = 1;
	list = buf_ids(a, ids, count);
	if (is_case(a->build, "bad-v15-unknown") || is_case(a->build, "bad-v15-twice"))
		tell(a, "perflib_v15", list + 16);
	/* Changed, and changed back. */
	if (is_case(a->build, "bad-v26-list") && a->build->snapshot > 1)
		tell(a, "perflib_v26", list);
	lose(a, "bad-v13");
	lose(a, "bad-v16");
	lose(a, "bad-v17");
	lose(a, "bad-v18");
	lose(a, "bad-v22");
	lose(a, "bad-v29");
	instances = a->p.size;
	buf_instances(a, ids, count);
	buf_set_u32(&a->p, instances, (uint32_t)(a->p.size - instances));
	if (is(a, "bad-v16-small"))
		buf_set_u32(&a->p, instances, 4), tell(a, "perflib_v16", instances);
	if (is(a, "bad-v16-billions"))
		buf_set_u32(&a->p, instances, 0xffffffff),
			tell(a, "perflib_v16", instances);
	if (is(a, "bad-v17"))
		buf_set_u32(&a->p, instances + 4, 4000000000),
			tell(a, "perflib_v17", instances + 4);
	if (is(a, "bad-v25-instances")) {
		tell(a, "perflib_v25", a->p.size);
		buf_zero(&a->p, 16);
		buf_set_u32(&a->p, instances, (uint32_t)(a->p.size - instances));
	}
	if (is(a, "bad-v25-block")) {
		tell(a, "perflib_v25", a->p.size);
		buf_zero(&a->p, 16);
	}
	a->build->lost = false;
	end_block(a, block);
}

static void buf_system(struct answer *a, const unsigned int *ids, unsigned int count,
		       bool has_list)
{
	size_t block = begin_block(a, has_list ? 2 : 1, 0);

	if (has_list)
		(void)buf_ids(a, ids, count);
	for (unsigned int i = 0; i < count; i++) {
		unsigned int bytes = ids[i] == 10 ? 8 : 4;
		unsigned long long value = value_of(a, 7, ids[i]);

		if (bytes == 4)
			value &= 0xffffffff;
		buf_value(a, bytes, value);
		note(a, "", 0, has_list ? ids[i] : counter_of(a, ids[i]), bytes, value);
	}
	if (!has_list && is(a, "bad-v25-single")) {
		tell(a, "perflib_v25", a->p.size);
		buf_zero(&a->p, 8);
	}
	end_block(a, block);
}

static void buf_one_counter(struct answer *a)
{
	static const struct name names[] = { { "0,0", 0, 0 }, { "_Total", 0, 0 } };
	size_t block = begin_block(a, 4, 0), list = a->p.size;

	buf_u32(&a->p, 0);
	buf_u32(&a->p, 2);
	for (unsigned int i = 0; i < 2; i++) {
		(void)buf_instance(a, 1 + i, &names[i]);
		buf_value(a, 4, value_of(a, i, 2) & 0xffffffff);
		note(a, names[i].text, 0, counter_of(a, 2), 4,
		     value_of(a, i, 2) & 0xffffffff);
	}
	buf_set_u32(&a->p, list, (uint32_t)(a->p.size - list));
	end_block(a, block);
}

static void buf_error(struct answer *a)
{
	bool is_type = is(a, "bad-v10-three") || is(a, "bad-v10-seven");
	unsigned int type = is(a, "bad-v10-three") ? 3 : is(a, "bad-v10-seven") ? 7 : 0;
	size_t block;

	if (is(a, "bad-v9"))
		type = 6;
	block = begin_block(a, type, is_type || is(a, "bad-v11-no-error") ? 0 : 0x1068);
	if (is_type)
		tell(a, "perflib_v10", block + 4);
	if (is(a, "bad-v9") || is(a, "bad-v11-behind") || is_type)
		buf_zero(&a->p, 24);
	if (is(a, "bad-v9"))
		tell(a, "perflib_v9", block);
	if (is(a, "bad-v11-behind") || is(a, "bad-v11-no-error"))
		tell(a, "perflib_v11", block);
	end_block(a, block);
}

/* --- the header --- */

static void buf_header(struct answer *a)
{
	unsigned int n = a->build->snapshot;
	unsigned long long time = TICKS * (100ull + n), freq = TICKS;
	unsigned long long wall = 134397325643644257ull + TICKS * (n - 1ull);
	unsigned int second = 44 + n - 1, month = 11;

	if (is(a, "bad-v26-time"))
		time -= TICKS, tell(a, "perflib_v26", 8);
	if (is(a, "bad-v26-wall"))
		wall -= 2ull * TICKS, tell(a, "perflib_v26", 16);
	if (is(a, "bad-v26-freq"))
		freq *= 2, tell(a, "perflib_v26", 24);
	if (is(a, "bad-v5-freq")) {
		freq = 0;
		tell(a, "perflib_v5", 24);
		tell(a, "perflib_v26", 24);
	}
	if (is(a, "bad-v5-date"))
		month = 13, tell(a, "perflib_v5", 32);
	if (is(a, "bad-v5-apart"))
		month = 10, tell(a, "perflib_v5", 32);
	buf_u32(&a->p, 0);
	buf_u32(&a->p, 5);
	buf_u64(&a->p, time);
	buf_u64(&a->p, wall);
	buf_u64(&a->p, freq);
	buf_u16(&a->p, 2026);
	buf_u16(&a->p, (uint16_t)month);
	buf_u16(&a->p, 6);
	buf_u16(&a->p, 21);
	buf_u16(&a->p, 11);
	buf_u16(&a->p, 2);
	buf_u16(&a->p, (uint16_t)second);
	buf_u16(&a->p, 364);
}

/* The sizes of the whole. */
static void wrong_sizes(struct answer *a, size_t last_block)
{
	struct byte_buf *p = &a->p;

	a->reported = (unsigned int)p->size;
	if (is(a, "bad-v2-large"))
		buf_set_u32(p, 0, (uint32_t)p->size + 8), tell(a, "perflib_v2", 0);
	if (is(a, "bad-v2-small"))
		buf_set_u32(p, 0, 40), tell(a, "perflib_v2", 0);
	if (is(a, "bad-v2-tail")) {
		tell(a, "perflib_v2", p->size);
		buf_zero(p, 8);
		a->reported += 8;
	}
	if (is(a, "bad-v2-call"))
		a->reported += 8, tell(a, "perflib_v2", 0);
	if (is(a, "bad-v3-total")) {
		buf_set_u32(p, 0, (uint32_t)p->size + 4);
		buf_zero(p, 4);
		a->reported += 4;
		tell(a, "perflib_v3", 0);
	}
	if (is(a, "bad-v4"))
		buf_set_u32(p, 0, 0x80000000), tell(a, "perflib_v4", 0);
	if (is(a, "bad-v6-few"))
		buf_set_u32(p, 4, 4), tell(a, "perflib_v6", last_block);
	if (is(a, "bad-v6-many"))
		buf_set_u32(p, 4, 6), tell(a, "perflib_v6", 4);
	if (is(a, "bad-v6-billions"))
		buf_set_u32(p, 4, 0xffffffff), tell(a, "perflib_v6", 4);
	if (is(a, "bad-v8-zero"))
		buf_set_u32(p, last_block + 8, 0), tell(a, "perflib_v8", last_block);
	if (is(a, "bad-v8-fifteen"))
		buf_set_u32(p, last_block + 8, 15), tell(a, "perflib_v8", last_block);
	if (is(a, "bad-v8-billions"))
		buf_set_u32(p, last_block + 8, 0xffffffff),
			tell(a, "perflib_v8", last_block);
	if (is(a, "bad-v1"))
		p->size = 40, a->reported = 40, tell(a, "perflib_v1", 0);
}

static void put_data(struct answer *a)
{
	struct byte_buf record = { 0 };
	size_t at = 0;

	if (a->build->is_bare) {
		buf_bytes(&a->build->out, a->p.data, a->p.size);
	} else {
		buf_u32(&record, 0);
		buf_u32(&record, 0);
		buf_u32(&record, a->reported);
		buf_u32(&record, 0);
		buf_u64(&record, 1);
		buf_u64(&record, 2);
		buf_bytes(&record, a->p.data, a->p.size);
		at = put_record(a->build, 6, &record) + 32;
		buf_release(&record);
	}
	for (size_t i = 0; i < a->told_count; i++)
		expect(a->build, a->told[i].kind, 1, at + a->told[i].at);
	if (a->shifted)
		expect(a->build, "perflib_v3", 5, at);
	if (is_case(a->build, "bad-v7-count") || is_case(a->build, "bad-v7-size"))
		expect(a->build, "perflib_v7", 1, at + 4);
	if (is_case(a->build, "bad-v7-none") && a->build->snapshot == 1)
		expect(a->build, "perflib_v7", 1, at + 4);
	if ((is_case(a->build, "bad-v26-freq") || is_case(a->build, "bad-v5-freq")) &&
	    a->build->snapshot == 3)
		expect(a->build, "perflib_v26", 1, at + 24);
}

void put_answer(struct build *build)
{
	static const unsigned int system[] = { 10, 11 };
	struct answer a = { .build = build };
	size_t last;

	build->lost = is_now(build, "bad-v1") || is_now(build, "bad-v2-small");
	buf_header(&a);
	if (!build->lost)
		buf_countersets(&a);
	else
		a.block++;
	buf_system(&a, system, 2, true);
	buf_one_counter(&a);
	if (is(&a, "bad-v12"))
		tell(&a, "perflib_v12", a.p.size + 4);
	buf_system(&a, system, 1, is(&a, "bad-v12"));
	last = a.p.size;
	buf_error(&a);
	buf_set_u32(&a.p, 0, (uint32_t)a.p.size);
	wrong_sizes(&a, last);
	put_data(&a);
	buf_release(&a.p);
}
