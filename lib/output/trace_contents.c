/* trace_contents.c - words for what a trace has. */
#include "output/trace_contents.h"

#include "base/array.h"
#include "base/text.h"

void trace_contents_warn(const struct trace_contents *contents,
			 const struct sink_options *options,
			 const struct trace_row *trace, const char *text)
{
	const struct {
		const char *name;
		bool is_there;
	} kinds[] = {
		{ "context switches", contents->has_switches },
		{ "SWITCH records", contents->has_switch_records },
		{ "samples", contents->has_samples },
		{ "counts of perf stat", contents->has_counts },
		{ "values of PerfLib", contents->has_values },
	};
	char list[120] = "", message[600], path[200] = "";
	size_t at = 0;

	if (!options->warn)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (kinds[i].is_there)
			at += text_print(list + at, sizeof(list) - at, "%s%s",
					 at ? ", " : "", kinds[i].name);
	if (trace->path.ptr)
		text_shown(path, sizeof(path), trace->path, 120);
	text_print(message, sizeof(message), "%s: %s; the trace has %s", path, text,
		   at ? list : "neither switches nor samples nor values");
	options->warn(options->context, message);
}
