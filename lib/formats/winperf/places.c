/*
 * places.c - where in the input the bytes stand that are being read, which may have been
 * put together; see winperf.h.
 */
#include "formats/winperf/winperf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

uint64_t winperf_place(const struct winperf *w, uint64_t offset)
{
	size_t low = 0, high = w->stretch_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (w->stretches[middle].at <= offset)
			low = middle;
		else
			high = middle;
	}
	if (w->stretch_count == 0)
		return offset;
	return w->stretches[low].is_exact
		       ? w->stretches[low].source + offset - w->stretches[low].at
		       : w->stretches[low].source;
}

void winperf_stretch(struct winperf *w, uint64_t at, uint64_t source, bool is_exact)
{
	if (at == 0)
		w->stretch_count = 0;
	if (!ARRAY_GROW(w->stretches, w->stretch_room, w->stretch_count)) {
		w->registry.out_of_memory = true;
		return;
	}
	w->stretches[w->stretch_count++] =
		(struct winperf_stretch){ at, source, is_exact };
}

void winperf_gap(struct winperf *w, enum finding_kind kind, uint64_t offset, size_t bytes,
		 const char *format, ...)
{
	uint64_t from = winperf_place(w, offset);
	uint64_t to = bytes ? winperf_place(w, offset + bytes - 1) + 1 : from;
	char text[168];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (from < to)
		finding_gap(w->registry.findings, kind, from, to, "%s", text);
	else
		finding_report(w->registry.findings, kind, from, "%s", text);
}
