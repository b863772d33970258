/*
 * values_lines.c - values of PerfLib one by one, as CSV and JSON:
 * docs/man/perftab-analyze.1 lists the columns and members.
 */
#include "common/json.h"
#include "render.h"

static int64_t interval_of(const struct value_line *line)
{
	if (line->from_ns == INT_NONE || line->to_ns == INT_NONE)
		return INT_NONE;
	return (int64_t)((uint64_t)line->to_ns - (uint64_t)line->from_ns);
}

static const char *unit_of(const struct value_line *line)
{
	const struct perf_counter_type *type = line->state->counter->type;

	return type && type->unit[0] ? type->unit : NULL;
}

/* --- CSV --- */

void csv_value_names(FILE *to)
{
	fputs("snapshot_from,snapshot_to,ts_ns,interval_ns,counterset,instance,"
	      "instance_id,ordinal,incarnation,counter,counter_id,value,unit,status,"
	      "base_source,time_source,utc\n",
	      to);
}

static void csv_numbers(FILE *to, const int64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		csv_number(to, numbers[i]);
		fputc(',', to);
	}
}

void csv_value_line(FILE *to, const struct value_line *line, const char *utc,
		    const struct render_options *options)
{
	const struct value_counter *counter = line->state->counter;
	const struct perflib_instance_row *row = &line->state->incarnation->row;
	const int64_t when[] = { line->from_snapshot, line->to_snapshot, line->to_ns,
				 interval_of(line) };
	const int64_t who[] = { row->number, row->ordinal, row->instance };
	const char *words[] = { unit_of(line),
				perf_counter_status_name(line->result.status),
				line->base_source, line->time_source };

	csv_numbers(to, when, 4);
	csv_cell(to, counter->set->shown, options->csv_safe);
	fputc(',', to);
	csv_cell(to, row->name, options->csv_safe);
	fputc(',', to);
	csv_numbers(to, who, 3);
	csv_cell(to, counter->shown, options->csv_safe);
	fputc(',', to);
	csv_numbers(to, &counter->row.counter, 1);
	if (perf_counter_has_value(line->result.status))
		print_real(to, line->result.value);
	for (size_t i = 0; i < 4; i++) {
		fputc(',', to);
		csv_cell(to, str_of(words[i]), false);
	}
	fprintf(to, ",%s\n", utc);
}

/* --- JSON --- */

void json_value_line(FILE *to, const struct value_line *line, const char *utc)
{
	const struct value_counter *counter = line->state->counter;
	const struct perflib_instance_row *row = &line->state->incarnation->row;

	fputs("    {\"snapshot_from\": ", to);
	json_number(to, line->from_snapshot);
	json_member_number(to, "snapshot_to", line->to_snapshot);
	json_member_number(to, "ts_ns", line->to_ns);
	json_member_number(to, "interval_ns", interval_of(line));
	json_member_text(to, "counterset", counter->set->shown);
	json_member_text(to, "instance", row->name);
	json_member_number(to, "instance_id", row->number);
	json_member_number(to, "ordinal", row->ordinal);
	json_member_number(to, "incarnation", row->instance);
	json_member_text(to, "counter", counter->shown);
	json_member_number(to, "counter_id", counter->row.counter);
	fputs(", \"value\": ", to);
	if (perf_counter_has_value(line->result.status))
		print_real(to, line->result.value);
	else
		fputs("null", to);
	json_member_text(to, "unit", str_of(unit_of(line)));
	json_member_text(to, "status",
			 str_of(perf_counter_status_name(line->result.status)));
	json_member_text(to, "base_source", str_of(line->base_source));
	json_member_text(to, "time_source", str_of(line->time_source));
	json_member_text(to, "utc", utc[0] ? str_of(utc) : STR_NONE);
	fputs("}", to);
}

void json_values_end(FILE *to, const struct totals *totals, const struct values *values)
{
	fputs("],\n   ", to);
	json_trace(to, totals);
	fprintf(to, ",\n   \"snapshots\": %lld", (long long)values->snapshots);
	json_member_text(to, "multi_timer",
			 str_of(perf_counter_variant_name(values->options.variant)));
	json_findings(to, totals);
}
