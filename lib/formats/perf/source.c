/* source.c - the layers together: from their stream back to the input, and the end. */
#include "formats/perf/source.h"

uint64_t perf_source_offset(const struct perf_source *source, uint64_t offset)
{
	if (source->in == source->input)
		return offset;
	if (source->order)
		offset = perf_order_offset(source->order, offset);
	if (source->merge)
		return perf_merge_offset(source->merge, offset);
	return source->decompressor
		       ? perf_decompressor_offset(source->decompressor, offset)
		       : offset;
}

void perf_source_close(struct perf_source *source)
{
	perf_order_close(source->order);
	perf_merge_close(source->merge);
	perf_decompressor_close(source->decompressor);
}
