/* functions.c - puts functions in order and finds those of places. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/files/read.h"

void functions_add(struct functions *functions, const struct function *function)
{
	if (functions->count == FUNCTIONS_MAX ||
	    !ARRAY_GROW(functions->list, functions->room, functions->count)) {
		functions->failed = true;
		return;
	}
	functions->list[functions->count++] = *function;
}

/* Of several at a place the best one is the last. */
static int compare(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return -strcmp(a->name, b->name);
}

bool functions_answer(struct functions *functions, const uint64_t *places, uint32_t count,
		      struct bytes *answer)
{
	const struct function *list = functions->list;
	size_t at = 0;

	if (functions->count)
		qsort(functions->list, functions->count, sizeof(*list), compare);
	for (uint32_t i = 0; i < count; i++) {
		size_t length;

		if (places[i] == UINT64_MAX || !functions->count)
			continue;
		if (i && at && places[i] < list[at - 1].start)
			at = 0;
		while (at < functions->count && list[at].start <= places[i])
			at++;
		if (!at || (list[at - 1].bytes &&
			    places[i] - list[at - 1].start >= list[at - 1].bytes))
			continue;
		length = strnlen(list[at - 1].name, NAME_BYTES_MAX);
		bytes_u32(answer, i);
		bytes_u32(answer, (uint32_t)length);
		bytes_u64(answer, places[i] - list[at - 1].start);
		bytes_put(answer, list[at - 1].name, length);
		if (answer->failed || answer->size > ANSWER_BYTES_MAX)
			return false;
	}
	return true;
}
