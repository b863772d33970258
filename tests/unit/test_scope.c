/* test_scope.c - a scope answers for its threads alone, in the background too. */
#include "base/background.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/scope.h"
#include "unit.h"

UNIT_TEST(a_scope_is_stopped_alone)
{
	struct scope scope = { .stop = false }, *before;

	before = scope_enter(&scope);
	assert_null(before);
	assert_ptr_equal(scope_current(), &scope);
	assert_false(os_interrupted());
	scope.stop = true;
	assert_true(os_interrupted());
	assert_ptr_equal(scope_enter(before), &scope);
	assert_false(os_interrupted());
}

UNIT_TEST(a_failed_allocation_is_the_scopes)
{
	struct scope scope = { .stop = false }, *before = scope_enter(&scope);

	memory_note_failure();
	assert_true(memory_failed());
	(void)scope_enter(before);
	assert_false(memory_failed());
}

static void fail_in_job(void *context)
{
	memory_note_failure();
	*(bool *)context = os_interrupted();
}

UNIT_TEST(a_job_is_in_the_scope_that_queued_it)
{
	struct scope scope = { .stop = false }, *before = scope_enter(&scope);
	struct background *worker = background_start(BACKGROUND_WORKS);
	bool stopped = false;

	assert_non_null(worker);
	scope.stop = true;
	background_run(worker, fail_in_job, &stopped);
	background_stop(worker);
	assert_true(stopped);
	assert_true(scope.failed);
	(void)scope_enter(before);
	assert_false(memory_failed());
}
