/* test_emit_nomem.c - lib/model/emit.h when an allocation fails; linked with --wrap. */
#include <stdlib.h>

#include "model/emit.h"
#include "unit.h"

/* So many more succeed; -1: all. */
static int allocations = -1;

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool may_allocate(void)
{
	return allocations < 0 || allocations-- > 0;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

static void push_fact(struct emit *emit, uint64_t offset, const char *value)
{
	const struct header_fact_row row = { .key = STR("key"),
					     .value = emit_text(emit, str_of(value)) };

	emit_push_row(emit, RECORD_header_fact, offset, &row);
}

/* Out of memory anywhere: the next pop says so. */
UNIT_TEST(no_memory)
{
	for (int first = 0; first < 4; first++) {
		struct emit emit = { .records = NULL };
		struct error error = { .status = ST_OK };
		struct record record;

		allocations = first;
		for (int i = 0; i < 2000; i++)
			push_fact(&emit, 0, "text");
		allocations = -1;
		assert_int_equal(emit_pop(&emit, &record, &error), ST_NOMEM);
		assert_int_equal(error.status, ST_NOMEM);
		emit_release(&emit);
	}
}
