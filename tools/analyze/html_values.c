/* html_values.c - the document of a page of PerfLib values: series, and their points. */
#include "base/memory.h"
#include "common/json.h"
#include "html.h"
#include "output/html/blocks.h"

#define SERIES_MAX 20000
#define BLOCK_BYTES_MAX ((size_t)3 << 20) /* before it is deflated */

void html_add_value(void *context, const struct value_line *line)
{
	struct html *html = context;

	if (perf_counter_has_value(line->result.status) && line->to_ns != INT_NONE &&
	    !points_add(&html->points, line->state, line->to_ns, line->result.value))
		memory_note_failure();
}

static void write_real(FILE *to, const char *name, double value)
{
	fprintf(to, ", \"%s\": ", name);
	print_real(to, value);
}

static void write_series(FILE *to, const struct value_state *state)
{
	const struct value_totals *totals = &state->totals;
	const struct perflib_instance_row *row = &state->incarnation->row;

	fputs("{\"counterset\": ", to);
	json_text(to, state->counter->set->shown);
	json_member_text(to, "instance", row->name);
	json_member_number(to, "instance_id", row->number);
	json_member_number(to, "incarnation", row->instance);
	json_member_text(to, "counter", state->counter->shown);
	json_member_text(to, "unit",
			 state->counter->type ? str_of(state->counter->type->unit)
					      : STR_NONE);
	json_member_number(to, "values", totals->values);
	if (totals->values) {
		write_real(to, "mean", totals->sum / (double)totals->values);
		write_real(to, "min", totals->min);
		write_real(to, "max", totals->max);
		write_real(to, "last", totals->last);
	}
	fputs("}", to);
}

/* Series in the order of the text report, as many as fit. */
static void write_all(struct html *html, const struct values *values, struct bytes *block)
{
	FILE *to = html->page.document;
	size_t count = 0, left_out = 0;

	fputs(",\n\"series\": [", to);
	for (const struct value_set *set = values->sets; set; set = set->next)
		for (const struct value_incarnation *incarnation = set->first_incarnation;
		     incarnation; incarnation = incarnation->next)
			for (const struct value_state *s = incarnation->first; s;
			     s = s->next) {
				if (!value_is_shown(s))
					continue;
				if (count == SERIES_MAX ||
				    block->size > BLOCK_BYTES_MAX) {
					left_out++;
					continue;
				}
				fputs(count++ ? ",\n " : "\n ", to);
				write_series(to, s);
				points_pack(&html->points, points_find(&html->points, s),
					    block);
			}
	fprintf(to, "],\n\"left_out\": %zu", left_out);
}

static void write_statuses(FILE *to, const struct values *values)
{
	const char *comma = "";

	fputs(",\n\"notes\": [", to);
	for (int s = 0; s < PERF_STATUSES; s++) {
		if (values->statuses[s] == 0 || s == PERF_STATUS_OK ||
		    s == PERF_STATUS_PARTNER || s == PERF_STATUS_NO_NUMBER)
			continue;
		fprintf(to, "%s{\"status\": ", comma);
		comma = ", ";
		json_text(to,
			  str_of(perf_counter_status_name((enum perf_counter_status)s)));
		json_member_text(
			to, "words",
			str_of(perf_counter_status_words((enum perf_counter_status)s)));
		json_member_number(to, "count", values->statuses[s]);
		fputs("}", to);
	}
	fputs("]", to);
}

static void write_ns(FILE *to, const char *name, int64_t ns)
{
	fprintf(to, ", \"%s\": ", name);
	if (ns == INT_NONE)
		fputs("null", to);
	else
		fprintf(to, "\"%lld\"", (long long)ns);
}

static void write_page(FILE *to, const struct html *html, const struct totals *totals)
{
	const struct points *points = &html->points;
	bool any = points->first <= points->last;

	fprintf(to, ",\n\"page\": {\"top\": %lld",
		(long long)(html->options->top < 0 ? 0 : html->options->top));
	write_ns(to, "first_ns", totals->trace.first_ns);
	write_ns(to, "last_ns", totals->trace.last_ns);
	write_ns(to, "wall_offset_ns", totals->trace.wall_offset_ns);
	if (any)
		fprintf(to,
			", \"points\": {\"block\": \"points\", \"shift\": %u, "
			"\"first\": \"%lld\", \"buckets\": %lld}",
			points->shift, (long long)points->first,
			(long long)(points->last - points->first + 1));
	fputs("}", to);
}

enum status html_write_values(struct html *html, const struct values *values,
			      const struct totals *totals, struct error *error)
{
	struct bytes block = { .data = NULL }, deflated = { .data = NULL };
	FILE *to = html->page.document;
	bool done;

	page_begin(&html->page);
	fputs("{\"kind\": \"values\",\n\"report\": {", to);
	json_trace(to, totals);
	fprintf(to, ", \"snapshots\": %lld", (long long)values->snapshots);
	json_member_text(to, "multi_timer",
			 str_of(perf_counter_variant_name(values->options.variant)));
	json_findings(to, totals);
	fputs("}", to);
	write_page(to, html, totals);
	write_statuses(to, values);
	write_all(html, values, &block);
	fputs("}\n", to);
	done = !block.failed &&
	       block_deflate(&deflated, block.data, block.size, SIZE_MAX);
	if (done)
		block_write(html->page.to, "points", &deflated);
	bytes_release(&block);
	bytes_release(&deflated);
	return done ? ST_OK : error_nomem(error);
}
