/* scope.c - the scope of each thread. */
#include "base/scope.h"

static _Thread_local struct scope *current;

struct scope *scope_enter(struct scope *scope)
{
	struct scope *before = current;

	current = scope;
	return before;
}

struct scope *scope_current(void)
{
	return current;
}
