/* source.c - the layers together: from their stream back to the input, and the end. */
#include "formats/perf/source.h"

uint64_t perf_place(const struct perf_source *source, uint64_t offset)
{
	if (source->in == source->input)
		return offset;
	if (source->order)
		offset = perf_order_place(source->order, offset);
	if (source->merge)
		return perf_merge_place(source->merge, offset);
	return source->expand ? perf_expand_place(source->expand, offset) : offset;
}

void perf_source_close(struct perf_source *source)
{
	perf_order_close(source->order);
	perf_merge_close(source->merge);
	perf_expand_close(source->expand);
}
