/*
 * test_library_nomem.c - a handle of the library where any one allocation fails; linked
 * with --wrap.  It ends with a status, or as if nothing had failed.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "perftab/perftab.h"
#include "unit.h"

#define SEED SEEDS_DIRECTORY "/good-basic.data"
#define ALLOCATIONS_MAX 4000

/* So many more succeed, in all threads; then one fails.  Negative: none does. */
static atomic_int left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static bool fails(void)
{
	return atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/* The rows, or the lines of a bill; the last status. */
static int read_all(bool bill, long *rows)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	struct perftab *trace;
	int status;

	options.cpu = bill ? 0 : -1;
	status = perftab_open(&trace, SEED, &options);
	*rows = 0;
	if (status == PERFTAB_OK && bill)
		status = perftab_bill(trace, "process");
	while (status >= PERFTAB_OK && (status = perftab_next(trace)) == PERFTAB_ROW)
		++*rows;
	perftab_close(trace);
	return status;
}

static void fail_each(bool bill)
{
	long wanted, rows;
	int refused = 0, n;

	assert_int_equal(read_all(bill, &wanted), PERFTAB_DONE);
	assert_true(wanted > 0);
	for (n = 0; n < ALLOCATIONS_MAX; n++) {
		int status;

		atomic_store(&left, n);
		status = read_all(bill, &rows);
		if (atomic_exchange(&left, -1) >= 0)
			break; /* there are no more */
		refused += status < PERFTAB_OK;
		if (status == PERFTAB_DONE) /* it was not needed */
			assert_int_equal(rows, wanted);
		else
			assert_true(status == PERFTAB_NOMEM || status == PERFTAB_LIMIT);
	}
	assert_true(n > 20 && n < ALLOCATIONS_MAX);
	assert_true(refused > n / 2);
	assert_int_equal(read_all(bill, &rows), PERFTAB_DONE);
	assert_int_equal(rows, wanted);
}

UNIT_TEST(rows)
{
	fail_each(false);
}

UNIT_TEST(a_bill)
{
	fail_each(true);
}
