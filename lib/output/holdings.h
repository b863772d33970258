/*
 * holdings.h - what a trace has, for the warning of an output that holds none of it.
 */
#ifndef PERFTAB_HOLDINGS_H
#define PERFTAB_HOLDINGS_H

#include "model/sink.h"

/* Of one trace. */
struct holdings {
	bool has_switches, has_switch_records, has_samples, has_counts, has_values;
};

static inline void holdings_on_row(struct holdings *holdings, const struct record *record)
{
	switch ((int)record->kind) {
	case RECORD_context_switch:
		holdings->has_switches = true;
		break;
	case RECORD_switch_record:
		holdings->has_switch_records = true;
		break;
	case RECORD_sample:
		holdings->has_samples = true;
		break;
	case RECORD_stat:
		holdings->has_counts = true;
		break;
	case RECORD_perflib_raw:
	case RECORD_perflib_cooked:
		holdings->has_values = true;
		break;
	default:
		break;
	}
}

/* Warns that the output is empty, in the words of `text`, and says what the trace has. */
void holdings_warn(const struct holdings *holdings, const struct sink_options *options,
		   const struct trace_row *trace, const char *text);

#endif
