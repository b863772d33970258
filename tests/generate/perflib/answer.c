/* One answer of PerfQueryCounterData: rules V1 to V26 and V29. */
#include <string.h>

#include "perflib/build.h"

struct answer {
	struct build *build;
	struct faulty *fault;
	struct byte_buf p;
	unsigned int block;
	bool shifted; /* the four blocks after this one, and the end */
};

static bool is(const struct answer *a, const char *name)
{
	return is_now(a->fault, name);
}

/* Only the identifiers tell which counter a block without a list has. */
static unsigned int counter_of(const struct answer *a, unsigned int id)
{
	if (a->build->is_bare || is_case(a->fault, "bad-v7-none") ||
	    (a->block == 3 && is_case(a->fault, "bad-v7-index")))
		return 0;
	return id;
}

/* --- values --- */

static void note(struct answer *a, const char *name, unsigned int ordinal,
		 unsigned int counter, unsigned int bytes, unsigned long long value)
{
	struct byte_buf *values = &a->build->values;

	if (a->fault->lost)
		return;
	buf_text(values, "%u|%u|%s|%u|", a->build->snapshot, a->block, name, ordinal);
	if (counter)
		buf_text(values, "%u", counter);
	buf_text(values, "|%u|", bytes);
	if (bytes == 4 || bytes == 8)
		buf_text(values, "%llu", value);
	buf_text(values, "\n");
}

/* A PERF_COUNTER_DATA. */
static void buf_value(struct answer *a, unsigned int bytes, unsigned long long value)
{
	struct byte_buf *p = &a->p;
	size_t at = p->size;

	BUF(p, "44", bytes, 16);
	if (bytes == 4 || bytes == 8)
		buf_number(p, value, bytes);
	else
		for (unsigned int i = 0; i < bytes; i++)
			buf_u8(p, (uint8_t)i);
	buf_align(p, at, 8);
	buf_set_size(p, at + 4, at);
}

/* --- lists --- */

static size_t buf_ids(struct answer *a, const unsigned int *ids, unsigned int count)
{
	struct byte_buf *p = &a->p;
	size_t at = p->size;

	BUF(p, "44", 0, count);
	for (unsigned int i = 0; i < count; i++)
		buf_u32(p, ids[i]);
	if (count % 2)
		buf_u32(p, 0);
	if (a->block == 0 && is(a, "bad-v13-unaligned")) {
		p->size -= 4;
		a->shifted = true;
	}
	if (a->block == 0 && is(a, "bad-v14"))
		buf_zero(p, 8);
	buf_set_size(p, at, at);
	if (a->block == 0)
		spoil(a->fault, PLACE_LIST, p, at);
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

	BUF(p, "44", 0, id);
	for (unsigned int i = 0; i < name->length; i++)
		buf_u16(p, 'x');
	buf_wide_z(p, name->length ? "" : name->text);
	end = p->size;
	buf_align(p, at, 8);
	if (a->block == 0 && id == 1 && is(a, "bad-v21-name")) {
		buf_zero(p, 8);
		p->data[end + 1] = 'p';
		find(a->fault, "perflib_v21", end);
	}
	buf_set_size(p, at, at);
	return at;
}

/* --- blocks --- */

static size_t begin_block(struct answer *a, unsigned int type, unsigned int status)
{
	size_t at = a->p.size;

	BUF(&a->p, "4444", status, type, 0, 0);
	return at;
}

static void end_block(struct answer *a, size_t at)
{
	buf_set_size(&a->p, at + 8, at);
	a->block++;
}

/* From here on nothing of the block is read. */
static void lose(struct answer *a)
{
	static const char *const rules[] = { "bad-v16", "bad-v17", "bad-v18", "bad-v22",
					     "bad-v29" };

	for (size_t i = 0; i < COUNT(rules); i++)
		a->fault->lost |= a->fault->is_now && is_case_of(a->fault, rules[i]);
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
		bool is_spoilt = a->block == 0 && instance == 0;

		if (is_spoilt && counter == 2) {
			bytes = is(a, "bad-v23-sixteen") ? 16
				: is(a, "bad-v23-none")	 ? 0
				: is(a, "bad-v24")	 ? 8
							 : bytes;
			spoil(a->fault, PLACE_VALUE, &a->p, a->p.size);
		}
		if (bytes == 4)
			value &= 0xffffffff;
		buf_value(a, bytes, value);
		if (is_spoilt)
			spoil(a->fault, PLACE_VALUE_SIZED, &a->p, a->p.size - 16);
		note(a, name->text, name->ordinal, counter, bytes, value);
	}
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
	if (is_case(a->fault, "good-same-name"))
		names[1].text = "0,0";
}

static void buf_instances(struct answer *a, const unsigned int *ids, unsigned int count)
{
	struct name names[] = { { "0,0", 0, 0 }, { "_Total", 0, 0 } };
	unsigned int instances = is(a, "good-churn") || is(a, "bad-v25-churn") ? 1 : 2;
	size_t at;

	BUF(&a->p, "44", 0, instances);
	choose_names(a, names);
	for (unsigned int i = 0; i < instances; i++) {
		at = buf_instance(a, is(a, "bad-v20") ? 1 : 1 + i, &names[i]);
		spoil(a->fault, i == 0 ? PLACE_INSTANCE : PLACE_INSTANCE_2, &a->p, at);
		/* What is written over a name, as a reader shows it. */
		if (i == 0 && is(a, "bad-v19-surrogate"))
			names[0].text = "\\xed\\xb0\\x80,0";
		if (i == 0 && is(a, "bad-v19-no-end"))
			names[0].text = "yyyy";
		at = a->p.size;
		buf_values(a, i, &names[i], ids, count);
		if (i == 0)
			spoil(a->fault, PLACE_VALUES, &a->p, at);
		/* A value that alone is wrong costs its instance alone. */
		if (is(a, "bad-v22-data"))
			a->fault->lost = false;
	}
}

static void buf_countersets(struct answer *a)
{
	unsigned int ids[] = { 1, 2, 3 }, count = 3;
	size_t block = begin_block(a, 6, 0), list, instances;
	bool is_unknown = is_case(a->fault, "bad-v15-unknown");
	bool is_twice = is_case(a->fault, "bad-v15-twice");

	ids[2] = is_unknown ? 77 : is_twice ? 1 : 3;
	if (is(a, "bad-v26-list") || is_case(a->fault, "good-two-counters"))
		count = 2;
	if (is_case(a->fault, "bad-v22-data"))
		count = 1;
	list = buf_ids(a, ids, count);
	if (is_unknown || is_twice)
		find(a->fault, "perflib_v15", list + 16);
	/* Changed, and changed back. */
	if (is_case(a->fault, "bad-v26-list") && a->build->snapshot > 1)
		find(a->fault, "perflib_v26", list);
	lose(a);
	instances = a->p.size;
	buf_instances(a, ids, count);
	if (is(a, "bad-v25-instances") || is(a, "bad-v25-churn")) {
		find(a->fault, "perflib_v25", a->p.size);
		buf_zero(&a->p, 16);
	}
	buf_set_size(&a->p, instances, instances);
	spoil(a->fault, PLACE_INSTANCES, &a->p, instances);
	if (is(a, "bad-v25-block")) {
		find(a->fault, "perflib_v25", a->p.size);
		buf_zero(&a->p, 16);
	}
	a->fault->lost = false;
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
		find(a->fault, "perflib_v25", a->p.size);
		buf_zero(&a->p, 8);
	}
	end_block(a, block);
}

static void buf_one_counter(struct answer *a)
{
	static const struct name names[] = { { "0,0", 0, 0 }, { "_Total", 0, 0 } };
	size_t block = begin_block(a, 4, 0), list = a->p.size;

	BUF(&a->p, "44", 0, 2);
	for (unsigned int i = 0; i < 2; i++) {
		unsigned long long value = value_of(a, i, 2) & 0xffffffff;

		(void)buf_instance(a, 1 + i, &names[i]);
		buf_value(a, 4, value);
		note(a, names[i].text, 0, counter_of(a, 2), 4, value);
	}
	buf_set_size(&a->p, list, list);
	end_block(a, block);
}

static void buf_error(struct answer *a)
{
	bool is_type = is(a, "bad-v10-three") || is(a, "bad-v10-seven");
	unsigned int type = is(a, "bad-v10-three")   ? 3
			    : is(a, "bad-v10-seven") ? 7
			    : is(a, "bad-v9")	     ? 6
						     : 0;
	size_t block =
		begin_block(a, type, is_type || is(a, "bad-v11-no-error") ? 0 : 0x1068);

	spoil(a->fault, PLACE_ERROR, &a->p, block);
	if (is(a, "bad-v9") || is(a, "bad-v11-behind") || is_type)
		buf_zero(&a->p, 24);
	end_block(a, block);
}

/* --- the whole --- */

static void buf_header(struct answer *a)
{
	unsigned int n = a->build->snapshot;

	BUF(&a->p, "44888", 0, 5, TICKS * (100ull + n),
	    134397325643644257ull + TICKS * (n - 1ull), TICKS);
	BUF(&a->p, "22222222", 2026, 11, 6, 21, 11, 2, 43 + n, 364);
	spoil(a->fault, PLACE_HEADER, &a->p, 0);
}

/* The size of the whole, and that which the call reports. */
static size_t spoil_sizes(struct answer *a, size_t last_block)
{
	struct byte_buf *p = &a->p;
	size_t size = p->size;

	spoil(a->fault, PLACE_ANSWER, p, 0);
	spoil(a->fault, PLACE_LAST_BLOCK, p, last_block);
	if (is(a, "bad-v2-large"))
		buf_set_u32(p, 0, (uint32_t)size + 8), find(a->fault, "perflib_v2", 0);
	if (is(a, "bad-v2-tail")) {
		find(a->fault, "perflib_v2", size);
		buf_zero(p, 8);
	}
	if (is(a, "bad-v3-total")) {
		find(a->fault, "perflib_v3", 0);
		buf_set_u32(p, 0, (uint32_t)size + 4);
		buf_zero(p, 4);
	}
	if (is(a, "bad-v6-few"))
		buf_set_u32(p, 4, 4), find(a->fault, "perflib_v6", last_block);
	if (is(a, "bad-v1"))
		p->size = 40, find(a->fault, "perflib_v1", 0);
	if (!is(a, "bad-v2-call"))
		return p->size;
	find(a->fault, "perflib_v2", 0);
	return size + 8;
}

static void finish_answer(struct answer *a, size_t reported)
{
	unsigned int snapshot = a->build->snapshot;
	size_t at = 0;

	if (a->build->is_bare)
		buf_append(&a->build->out, &a->p);
	else
		at = put_data(a->build, reported, &a->p);
	expect_found(a->build, at);
	if (a->shifted)
		expect(a->build, "perflib_v3", 5, at);
	if (is_case(a->fault, "bad-v7-count") || is_case(a->fault, "bad-v7-size") ||
	    (is_case(a->fault, "bad-v7-none") && snapshot == 1))
		expect(a->build, "perflib_v7", 1, at + 4);
	/* The clock changes back. */
	if (snapshot == 3 &&
	    (is_case(a->fault, "bad-v26-freq") || is_case(a->fault, "bad-v5-freq")))
		expect(a->build, "perflib_v26", 1, at + 24);
}

void put_answer(struct build *build)
{
	static const unsigned int system[] = { 10, 11 };
	struct answer a = { .build = build, .fault = &build->fault };
	size_t last;

	a.fault->lost = is(&a, "bad-v1") || is(&a, "bad-v2-small");
	buf_header(&a);
	if (!a.fault->lost)
		buf_countersets(&a);
	else
		a.block++;
	buf_system(&a, system, 2, true);
	buf_one_counter(&a);
	spoil(a.fault, PLACE_SINGLE, &a.p, a.p.size);
	buf_system(&a, system, 1, is(&a, "bad-v12"));
	last = a.p.size;
	buf_error(&a);
	buf_set_size(&a.p, 0, 0);
	finish_answer(&a, spoil_sizes(&a, last));
	buf_release(&a.p);
}
