/*
 * trace_contents.h - what a trace has, for the warning of an output that has none of it.
 */
#ifndef PERFTAB_TRACE_CONTENTS_H
#define PERFTAB_TRACE_CONTENTS_H

#include "model/sink.h"

/* Of one trace. */
struct trace_contents {
	bool has_switches, has_switch_records, has_samples, has_counts, has_values;
};

static inline void trace_contents_on_row(struct trace_contents *contents,
					 const struct record *record)
{
	switch ((int)record->kind) {
	case RECORD_context_switch:
		contents->has_switches = true;
		break;
	case RECORD_switch_record:
		contents->has_switch_records = true;
		break;
	case RECORD_sample:
		contents->has_samples = true;
		break;
	case RECORD_stat:
		contents->has_counts = true;
		break;
	case RECORD_perflib_raw:
	case RECORD_perflib_cooked:
		contents->has_values = true;
		break;
	default:
		break;
	}
}

/* Warns that the output is empty, in the words of `text`, and says what the trace has. */
void trace_contents_warn(const struct trace_contents *contents,
			 const struct sink_options *options,
			 const struct trace_row *trace, const char *text);

#endif
