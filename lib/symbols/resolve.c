/* resolve.c - finds the mapping, or mappings, that each address was in. */
#include "symbols/resolve.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

/* An address of a process, NULL: the kernel. */
struct place {
	const struct space_process *process;
	uint64_t address;
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int64_t x = a->process ? a->process->process_id : INT_NONE;
	int64_t y = b->process ? b->process->process_id : INT_NONE;

	if (x != y)
		return x < y ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return 0;
}

/* The threads of a process see the same. */
static struct place *list_places(struct resolution *resolution,
				 const struct frames *frames, size_t *count)
{
	struct place *places = memory_alloc((frames->count + 1) * sizeof(*places));

	*count = 0;
	if (!places) {
		resolution->out_of_memory = true;
		return NULL;
	}
	for (size_t i = 0; i < frames->capacity; i++) {
		const struct frame *frame = &frames->places[i];
		struct place place = { NULL, frame->address };

		if (frame->owner > FRAME_OF_KERNEL)
			place.process = spaces_process(resolution->spaces,
						       (int64_t)(frame->owner - 2));
		if (frame->owner == FRAME_OF_KERNEL || place.process)
			places[(*count)++] = place;
	}
	qsort(places, *count, sizeof(*places), compare);
	return places;
}

static void add_answer(struct resolution *resolution, const struct place *place,
		       const struct version *version)
{
	if (!ARRAY_GROW(resolution->answers, resolution->room, resolution->count)) {
		resolution->out_of_memory = true;
		return;
	}
	resolution->answers[resolution->count++] = (struct answer){
		.process_id = place->process ? place->process->process_id : INT_NONE,
		.address = place->address,
		.from_ns = version->from_ns,
		.to_ns = version->to_ns,
		.mapping = version->mapping,
		.module = version->mapping->module,
	};
}

void resolve(struct resolution *resolution, const struct frames *frames)
{
	size_t count;
	struct place *places = list_places(resolution, frames, &count);

	for (size_t i = 0; i < count; i++) {
		struct version versions[MAPPING_VERSIONS_MAX];
		size_t found;

		if (i && compare(&places[i], &places[i - 1]) == 0)
			continue;
		found = spaces_find(resolution->spaces, places[i].process,
				    places[i].address, versions);
		for (size_t v = 0; v < found; v++)
			add_answer(resolution, &places[i], &versions[v]);
	}
	free(places);
	resolve_names(resolution);
}

void resolution_release(struct resolution *resolution)
{
	free(resolution->answers);
	map_release(&resolution->asked_by_path);
	arena_release(&resolution->arena);
}
