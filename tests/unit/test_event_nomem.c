/*
 * test_event_nomem.c - tools/capture/linux/events/event.h: memory runs out, at every
 * allocation in turn.
 *
 * Linked with --wrap: what libc allocates itself (folders, streams) does not fail.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "event_words.h"
#include "unit.h"

#define EVERYTHING                                                                   \
	"{cycles:u,cpu/mem-loads,name=mine/}:p,energy-pkg,imc/cas_count_read/k,tsc," \
	"mem:0x1000:w:u,sched:*:k,cpu/L1-dcache-loads/"

static size_t left = SIZE_MAX; /* allocations that succeed */

static bool may_allocate(void)
{
	return left > 0 && left-- > 0;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	return may_allocate() ? __real_strdup(text) : NULL;
}

int __wrap_asprintf(char **to, const char *format, ...) PRINTF_LIKE(2, 3);
int __wrap_asprintf(char **to, const char *format, ...)
{
	va_list args;
	int length = -1;

	va_start(args, format);
	if (may_allocate())
		length = vasprintf(to, format, args);
	va_end(args);
	return length;
}

UNIT_TEST(everywhere)
{
	enum status status = ST_NOMEM;
	size_t failures = 0;

	event_machine_make(TREE_INTEL);
	while (status != ST_OK) {
		struct event_list list = { .count = 0 };
		struct error error = { .status = ST_OK };

		left = failures;
		status = event_list_parse(&list, &event_machine, EVERYTHING, &error);
		left = SIZE_MAX;
		if (status != ST_OK) {
			assert_int_equal(status, ST_NOMEM);
			assert_string_equal(error.text, "out of memory");
			assert_int_equal(list.count, 0);
			failures++;
		}
		event_list_release(&list);
	}
	assert_true(failures > 50);
}
