/*
 * test_etl_nomem.c - lib/formats/etw/etl_session.c, etl_log.c: out of memory is reported.
 *
 * Linked with --wrap.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"
#include "unit.h"

static bool is_out_of_memory;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return is_out_of_memory ? NULL : __real_realloc(old, size);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return is_out_of_memory ? NULL : __real_malloc(size);
}

/* LastDroppedTimes of CPU 0 to 2: never, at 5, at 7. */
static const uint8_t dropped[] = { 3, 0, 0, 0, 0, 0, 0, 0, /**/
				   0, 0, 0, 0, 0, 0, 0, 0, /**/
				   5, 0, 0, 0, 0, 0, 0, 0, /**/
				   7, 0, 0, 0, 0, 0, 0, 0 };

UNIT_TEST(dropped_times)
{
	static struct etl_texts texts;
	struct etl_cpu cpus[ETL_CPUS_MAX] = { 0 };
	struct etl_index index = { .texts = &texts, .cpus = cpus };
	struct etl_event event = {
		.is_kernel = true,
		.group = ETL_LAST_DROPPED >> 8,
		.opcode = ETL_LAST_DROPPED & 0xff,
		.payload = cursor_over(dropped, sizeof(dropped), 0, false),
	};

	is_out_of_memory = true;
	assert_false(etl_session_event(&index, &event));
	assert_int_equal(index.drop_count, 0);
	is_out_of_memory = false;
	memset(cpus, 0, sizeof(cpus));
	assert_true(etl_session_event(&index, &event));
	assert_int_equal(index.drop_count, 2);
	assert_int_equal(index.drops[1].cpu, 2);
	assert_int_equal(index.drops[1].ticks, 7);
	free(index.drops);
}

/* A text that does not fit the small room of an event. */
UNIT_TEST(long_text)
{
	enum { UNITS = 600 };
	static struct etl_texts texts;
	static uint8_t units[2 * UNITS];
	struct str text;

	for (size_t i = 0; i < UNITS; i++)
		units[2 * i] = 'a';
	is_out_of_memory = true;
	text = etl_utf16_units(&texts, units, UNITS);
	assert_true(text.len < UNITS);
	assert_true(texts.out_of_memory);
	is_out_of_memory = false;
	etl_texts_clear(&texts);
	text = etl_utf16_units(&texts, units, UNITS);
	assert_int_equal(text.len, UNITS);
	assert_int_equal(text.ptr[UNITS - 1], 'a');
	etl_texts_release(&texts);
}
