/*
 * test_etl_event.c - lib/formats/etw/etl.h: headers of events, and where payloads begin.
 */
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

#include <string.h>

#include "unit.h"

/*
 * Recorded on Windows 10 or 11 and published in snail-server's unit tests: a switch with
 * two counters.
 */
static const uint8_t published[] = {
	0x04, 0x02, 0x11, 0xc0, 0x38, 0x00, 0x24, 0x05, 0xff, 0x2e, 0xfc, 0xcd,
	0x61, 0x01, 0x00, 0x00, 0x38, 0x0f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0xb8, 0x24, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0x3b, 0x00, 0x00,
	0x48, 0x55, 0x00, 0x00, 0x09, 0x08, 0x00, 0x00, 0x1f, 0x00, 0x01, 0x02,
	0x1f, 0x00, 0x00, 0x00, 0x85, 0x53, 0x00, 0x00,
};

static uint64_t value_at(const uint8_t *at)
{
	struct cursor c = cursor_over(at, 8, 0, false);

	return cursor_u64(&c);
}

UNIT_TEST(published)
{
	struct cursor c = cursor_over(published, sizeof(published), 0x48, false), p;
	struct etl_event event;

	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_EVENT);
	assert_string_equal(etl_header_name(&event), "PERFINFO64");
	assert_int_equal(event.offset, 0x48);
	assert_int_equal(event.size, 0x38);
	assert_true(event.is_kernel);
	assert_int_equal(event.group << 8 | event.opcode, ETL_CSWITCH);
	assert_int_equal(event.version, 4);
	assert_int_equal(event.ticks, 0x161cdfc2eff);
	assert_int_equal(event.pmc_count, 2);
	assert_int_equal(value_at(event.pmcs), 3896);
	assert_int_equal(value_at(event.pmcs + 8), 9400);
	p = event.payload;
	assert_int_equal(cursor_left(&p), 24);
	assert_int_equal(cursor_u32(&p), 15296);
	assert_int_equal(cursor_u32(&p), 21832);
	cursor_skip(&p, 4);
	ASSERT_STR(etw_wait_reason(cursor_u8(&p)), "WrDispatchInt");
	cursor_skip(&p, 1);
	ASSERT_STR(etw_thread_state(cursor_u8(&p)), "Ready");
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_END);
}

/* Any counter count, with and without the PEBS index, which comes first. */
UNIT_TEST(extension)
{
	for (unsigned int n = 0; n <= ETL_PMCS_MAX; n++)
		for (unsigned int pebs = 0; pebs < 2; pebs++) {
			uint8_t bytes[16 + 8 + 8 * ETL_PMCS_MAX + 24] = { 4, 0, 0x11,
									  0xc0 };
			size_t size = 16 + 8 * pebs + 8 * n + 24;
			struct cursor c = cursor_over(bytes, size, 0, false);
			struct etl_event event;

			bytes[1] = (uint8_t)(n | pebs << 7);
			bytes[4] = (uint8_t)size;
			bytes[6] = 0x24;
			bytes[7] = 5;
			for (unsigned int i = 0; i < n; i++)
				bytes[16 + 8 * pebs + 8 * i] = (uint8_t)(i + 1);
			assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_EVENT);
			assert_int_equal(event.version, 4);
			assert_int_equal(event.pmc_count, n);
			for (unsigned int i = 0; i < n; i++)
				assert_int_equal(value_at(event.pmcs + 8 * i), i + 1);
			assert_int_equal(cursor_left(&event.payload), 24);
			/* Its fields do not fit: no event. */
			bytes[4] = (uint8_t)(16 + 8 * pebs + 8 * n - 1);
			c = cursor_over(bytes, size, 0, false);
			assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_BAD);
		}
}

/* Unknown bits: counted, but what follows is not guessed at. */
UNIT_TEST(spare_bits)
{
	for (int bit = 11; bit <= 14; bit++) {
		uint8_t bytes[sizeof(published)];
		struct cursor c = cursor_over(bytes, sizeof(bytes), 0, false);
		struct etl_event event;

		memcpy(bytes, published, sizeof(bytes));
		bytes[1] |= (uint8_t)(1 << (bit - 8));
		assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_EVENT);
		assert_true(event.odd_bits);
		assert_int_equal(event.pmc_count, 0);
	}
}

/* The header's first word, the size of the event, and what must come of it. */
struct header_case {
	int line;
	uint8_t first[4];
	size_t header_bytes;
	bool size_after;
	const char *name;
	unsigned int pointer_bytes;
	bool has_ids, has_guid, has_ticks;
};

static const struct header_case headers[] = {
	{ ROW, { 2, 0, 0x01, 0xc0 }, 0x20, true, "SYSTEM32", 4, true, false, true },
	{ ROW, { 2, 0, 0x02, 0xc0 }, 0x20, true, "SYSTEM64", 8, true, false, true },
	{ ROW, { 2, 0, 0x03, 0xc0 }, 0x18, true, "COMPACT32", 4, true, false, true },
	{ ROW, { 2, 0, 0x04, 0xc0 }, 0x18, true, "COMPACT64", 8, true, false, true },
	{ ROW, { 0, 0, 0x0a, 0xc0 }, 0x30, false, "FULL32", 4, true, true, true },
	{ ROW, { 0, 0, 0x14, 0xc0 }, 0x30, false, "FULL64", 8, true, true, true },
	{ ROW, { 0, 0, 0x0b, 0xc0 }, 0x48, false, "INSTANCE32", 4, true, true, true },
	{ ROW, { 0, 0, 0x15, 0xc0 }, 0x48, false, "INSTANCE64", 8, true, true, true },
	{ ROW, { 0, 0, 0x0c, 0xc0 }, 8, false, "TIMED", 8, false, false, false },
	{ ROW, { 0, 0, 0x0d, 0xc0 }, 8, false, "ERROR", 8, false, false, false },
	{ ROW, { 0, 0, 0x0e, 0xc0 }, 8, false, "WNODE", 8, false, false, false },
	{ ROW, { 2, 0, 0x10, 0xc0 }, 0x10, true, "PERFINFO32", 4, false, false, true },
	{ ROW, { 2, 0, 0x11, 0xc0 }, 0x10, true, "PERFINFO64", 8, false, false, true },
	{ ROW, { 0, 0, 0x12, 0xc0 }, 0x50, false, "EVENT32", 4, true, true, true },
	{ ROW, { 0, 0, 0x13, 0xc0 }, 0x50, false, "EVENT64", 8, true, true, true },
	{ ROW, { 0, 0, 0x00, 0x90 }, 8, false, "MESSAGE", 8, false, false, false },
	{ ROW, { 0, 0, 0x00, 0xb0 }, 8, false, "ULONG32_TIME", 8, false, false, false },
};

UNIT_TEST(headers)
{
	for (size_t i = 0; i < COUNT(headers); i++) {
		const struct header_case *row = &headers[i];
		uint8_t bytes[0x60] = { 0 };
		size_t size = row->header_bytes + 5;
		struct cursor c = cursor_over(bytes, sizeof(bytes), 0, false);
		struct etl_event event;

		memcpy(bytes, row->first, 4);
		bytes[row->size_after ? 4 : 0] = (uint8_t)size;
		ROW_INT(row, etl_decode_event(&c, &event), ETL_WALK_EVENT);
		ROW_TEXT(row, etl_header_name(&event), row->name);
		ROW_INT(row, event.size, size);
		ROW_INT(row, event.pointer_bytes, row->pointer_bytes);
		ROW_INT(row, event.tid != INT_NONE, row->has_ids);
		ROW_INT(row, event.guid != NULL, row->has_guid);
		ROW_INT(row, event.has_ticks, row->has_ticks);
		if (row->has_ticks)
			ROW_INT(row, cursor_left(&event.payload), 5);
		ROW_INT(row, c.offset, (size + 7) & ~(size_t)7);
		/* One byte less than the header. */
		bytes[row->size_after ? 4 : 0] = (uint8_t)(row->header_bytes - 1);
		c = cursor_over(bytes, sizeof(bytes), 0, false);
		if (row->has_ticks)
			ROW_INT(row, etl_decode_event(&c, &event), ETL_WALK_BAD);
		/* More bytes than there are. */
		bytes[row->size_after ? 4 : 0] = 0x61;
		c = cursor_over(bytes, sizeof(bytes), 0, false);
		ROW_INT(row, etl_decode_event(&c, &event), ETL_WALK_BAD);
		/* None at all. */
		bytes[row->size_after ? 4 : 0] = 0;
		c = cursor_over(bytes, sizeof(bytes), 0, false);
		ROW_INT(row, etl_decode_event(&c, &event), ETL_WALK_BAD);
	}
}

/* What follows the last event is 0xff; other markers are unknown. */
UNIT_TEST(no_events)
{
	static const uint8_t end[8] = { 0xff, 0xff, 0xff, 0xff };
	static const uint8_t unknown[8] = { 8, 0, 0x7f, 0xc0 }, zero[8] = { 0 };
	static const uint8_t other[8] = { 8, 0, 0x11, 0x42 };
	static const uint8_t bit_40[8] = { 8, 0, 0, 0xd0 }; /* else a message's */
	struct etl_event event;
	struct cursor c = cursor_over(end, 8, 0, false);

	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_END);
	c = cursor_over(zero, 8, 0, false); /* a page that was lost */
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_BAD);
	c = cursor_over(unknown, 8, 0, false);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_BAD);
	c = cursor_over(other, 8, 0, false);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_BAD);
	c = cursor_over(bit_40, 8, 0, false);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_BAD);
	c = cursor_over(published, 7, 0, false);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_END);
}

/* Counters as an extended item of an event header: possible, never seen. */
UNIT_TEST(items)
{
	uint8_t bytes[0x50 + 24 + 24 + 4] = { sizeof(bytes), 0, 0x13, 0xc0, 1 };
	uint8_t *related = bytes + 0x50, *pmc = related + 24;
	struct cursor c = cursor_over(bytes, sizeof(bytes), 0, false);
	struct etl_event event;

	memcpy(related, "\x18\0\x01\0\x01\0\x10\0", 8);
	memcpy(pmc, "\x18\0\x08\0\0\0\x10\0\x07\0\0\0\0\0\0\0\x09", 17);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_EVENT);
	assert_int_equal(event.pmc_count, 2);
	assert_int_equal(value_at(event.pmcs), 7);
	assert_int_equal(value_at(event.pmcs + 8), 9);
	assert_int_equal(cursor_left(&event.payload), 4);
	/* Counters that claim more bytes than their item. */
	pmc[6] = 0x18;
	c = cursor_over(bytes, sizeof(bytes), 0, false);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_EVENT);
	assert_int_equal(event.pmc_count, 0);
	assert_int_equal(cursor_left(&event.payload), 4);
	/* An item smaller than its own header would never end. */
	related[0] = 7;
	c = cursor_over(bytes, sizeof(bytes), 0, false);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_BAD);
}

/* What a message has before its text, by its options: a GUID replaces the component. */
UNIT_TEST(messages)
{
	static const struct {
		int line;
		uint8_t options;
		size_t ticks_at; /* 0: none */
	} rows[] = {
		{ ROW, 0x00, 0 },      { ROW, 0x08, 8 },      { ROW, 0x09, 8 + 4 },
		{ ROW, 0x0a, 8 + 16 }, { ROW, 0x0c, 8 + 4 },  { ROW, 0x0e, 8 + 16 },
		{ ROW, 0x0f, 8 + 20 }, { ROW, 0x2f, 8 + 20 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t bytes[0x48] = { sizeof(bytes), 0, 0, 0x90, 7, 0 };
		struct cursor c = cursor_over(bytes, sizeof(bytes), 0, false);
		struct etl_event event;

		bytes[6] = rows[i].options;
		for (size_t k = 8; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)k;
		ROW_INT(&rows[i], etl_decode_event(&c, &event), ETL_WALK_EVENT);
		ROW_INT(&rows[i], event.id, 7);
		ROW_INT(&rows[i], event.has_ticks, rows[i].ticks_at != 0);
		if (event.has_ticks)
			ROW_INT(&rows[i], event.ticks & 0xff, rows[i].ticks_at);
		ROW_INT(&rows[i], event.tid != INT_NONE, rows[i].options >> 5 & 1);
	}
}

/* Classic events of merged files are the kernel's. */
UNIT_TEST(classic)
{
	uint8_t bytes[0x30] = { sizeof(bytes), 0, 0x14, 0xc0, 36 };
	static const uint8_t thread[16] = { 0xd1, 0xa8, 0x6f, 0x3d, 0x05, 0xfe,
					    0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0,
					    0x4f, 0xd7, 0xba, 0x7c };
	struct cursor c = cursor_over(bytes, sizeof(bytes), 0, false);
	struct etl_event event;

	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_EVENT);
	assert_false(event.is_kernel);
	memcpy(bytes + 0x18, thread, sizeof(thread));
	c = cursor_over(bytes, sizeof(bytes), 0, false);
	assert_int_equal(etl_decode_event(&c, &event), ETL_WALK_EVENT);
	assert_true(event.is_kernel);
	assert_int_equal(event.group << 8 | event.opcode, ETL_CSWITCH);
}

/* Processor numbers before and since Windows 8. */
UNIT_TEST(buffer_header)
{
	uint8_t bytes[ETL_BUFFER_HEADER_BYTES] = { 0x00, 0x10 };
	struct etl_buffer_header header;

	bytes[0x18] = 9;
	bytes[0x28] = 5;
	bytes[0x29] = 8;
	bytes[0x31] = 8;
	header = etl_decode_buffer_header(bytes);
	assert_true(etl_is_buffer(&header));
	assert_int_equal(header.size, 0x1000);
	assert_int_equal(header.filled, 0x800);
	assert_int_equal(header.sequence, 9);
	assert_int_equal(header.cpu, 5);
	bytes[0x34] = ETL_BUFFER_PROC_INDEX;
	bytes[0x29] = 0xfa; /* 11 bits count */
	header = etl_decode_buffer_header(bytes);
	assert_int_equal(header.cpu, 0x205);
	bytes[1] = 0;
	bytes[0] = ETL_BUFFER_HEADER_BYTES - 1;
	header = etl_decode_buffer_header(bytes);
	assert_false(etl_is_buffer(&header));
	bytes[3] = 0x7f;
	header = etl_decode_buffer_header(bytes);
	assert_false(etl_is_buffer(&header));
}

/* FILETIME, and texts of the code page. */
UNIT_TEST(etw_values)
{
	struct arena arena = { NULL };

	assert_int_equal(etw_unix_ns(UINT64_C(116444736000000000)), 0);
	assert_int_equal(etw_unix_ns(UINT64_C(132675686690347142)), 1623095069034714200);
	assert_int_equal(etw_unix_ns(UINT64_MAX), INT_NONE);
	assert_int_equal(etw_unix_ns(INT64_MAX), INT_NONE);
	ASSERT_STR(etw_ansi_text(&arena, STR("plain")), "plain");
	ASSERT_STR(etw_ansi_text(&arena, STR("caf\xe9 \x80\x81")), "café €\xef\xbf\xbd");
	assert_int_equal(etw_thread_state_number(STR("Waiting")), 5);
	assert_int_equal(etw_thread_state_number(STR("<out of range>")), INT_NONE);
	ASSERT_STR(etw_wait_reason(43), NULL);
	ASSERT_STR(etw_wait_reason(-1), NULL);
	arena_release(&arena);
}
