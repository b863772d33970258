/* html.c - opens the page, and writes the document of a bill: its JSON and its blocks. */
#include "html.h"

#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "common/json.h"
#include "output/html/pack.h"

#define LINES_DEFAULT 100

/* "-" would be shown as standard input. */
static const char *shown_path(const struct analyze_options *options)
{
	return strcmp(options->html, "-") == 0 ? "--html" : options->html;
}

const char *html_file(const struct analyze_options *options)
{
	return options->html && strcmp(options->html, "-") != 0 ? options->html : NULL;
}

bool html_begin(struct html *html, const struct analyze_options *options, char **inputs,
		size_t count)
{
	const char *path = options->html;
	struct error error = { .status = ST_OK };

	*html = (struct html){ .options = options };
	html->page.target.lock_fd = -1;
	if (!page_is_possible()) {
		cli_error(
			analyze_cli.name, shown_path(options),
			"this build has no pages: uPlot was missing when it was configured "
			"(scripts/install-packages html)");
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(path, "-") != 0 && target_is(path, inputs[i])) {
			cli_error(analyze_cli.name, shown_path(options), "is the input");
			return false;
		}
	points_begin(&html->points);
	collect_begin(&html->collect, &options->rule, options->from_ns, options->to_ns);
	if (page_open(&html->page, path, str_of(os_base_name(inputs[0])), &error) ==
	    ST_OK)
		return true;
	cli_warn(analyze_cli.name, error.text);
	html_end(html);
	return false;
}

/* --- members of the document that describe the report --- */

static void write_statuses(FILE *to)
{
	fputs(",\n \"statuses\": {", to);
	for (int s = 0; s < CHARGE_STATUSES; s++)
		fprintf(to, "%s\"%s %s\": \"%s\"", s ? ", " : "",
			charge_status_words[s].name, charge_status_words[s].reason,
			charge_status_words[s].words);
	fputs("}", to);
}

static void write_metrics(FILE *to, const struct bill *bill)
{
	const char *separator = "\n";

	fputs(",\n \"metrics\": [", to);
	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];

		if (use->metric->of_idle) /* no quotient of two columns */
			continue;
		fprintf(to, "%s  {\"name\": ", separator);
		separator = ",\n";
		json_text(to, str_of(use->name));
		json_member_text(to, "unit", str_of(use->metric->unit));
		fprintf(to,
			", \"numerator\": %zu, \"denominator\": %zu, \"scale\": %.9g}",
			use->numerator, use->denominator, use->metric->scale);
	}
	fputs("]", to);
}

/* Which counters say no more than `switches`, and the ids that books have. */
static void write_counters(FILE *to, const struct bill *bill)
{
	const struct totals *totals = bill->totals;

	fputs(",\n \"plain\": [", to);
	for (size_t i = 0; i < totals->counter_count; i++)
		fprintf(to, "%s%s", i ? ", " : "",
			bill_is_leader(totals, i) || bill_is_edge(totals, i) ? "true"
									     : "false");
	fputs("],\n \"groups\": [", to);
	for (size_t g = 0; g < totals->group_count; g++)
		fprintf(to, "%s{\"id\": \"%lld\", \"first\": %zu, \"slots\": %zu}",
			g ? ", " : "", (long long)totals->groups[g].row.group_id,
			totals->groups[g].first, totals->groups[g].slots);
	fputs("]", to);
	if (totals->reference)
		fprintf(to, ",\n \"reference\": %zu",
			(size_t)(totals->reference - totals->groups));
	if (bill->heaviest != SIZE_MAX)
		fprintf(to, ",\n \"heaviest\": %zu", bill->heaviest);
}

static void write_events(FILE *to, const struct estimate *estimate)
{
	fputs(",\n \"events\": [", to);
	for (size_t i = 0; i < estimate->event_count; i++)
		fprintf(to, "%s{\"id\": \"%lld\", \"periods\": %s}", i ? ", " : "",
			(long long)estimate->events[i]->row.counter_id,
			estimate_has_periods(estimate, i) ? "true" : "false");
	fputs("]", to);
}

/* A number of nanoseconds, which JavaScript cannot read exactly as a number. */
static void write_ns(FILE *to, const char *name, int64_t ns)
{
	fprintf(to, ",\n \"%s\": ", name);
	if (ns == INT_NONE || ns == INT64_MAX)
		fputs("null", to);
	else
		fprintf(to, "\"%lld\"", (long long)ns);
}

static void write_members(FILE *to, const struct html *html, const struct pages *pages)
{
	const struct bill *bill = pages->bill;
	const struct trace_row *trace = &bill->totals->trace;
	int64_t top = html->options->top;

	fprintf(to, "\"slots\": %d, \"top\": %lld", COLOUR_TASKS,
		(long long)(top < 0 ? LINES_DEFAULT : top));
	write_ns(to, "first_ns", trace->first_ns);
	write_ns(to, "last_ns", trace->last_ns);
	write_ns(to, "wall_offset_ns", trace->wall_offset_ns);
	write_ns(to, "from_ns", html->options->from_ns);
	write_ns(to, "to_ns", html->options->to_ns);
	write_counters(to, bill);
	write_metrics(to, bill);
	write_statuses(to);
	if (pages->estimate)
		write_events(to, pages->estimate);
}

/* --- writing pages --- */

/* What lines the page is of: those of the bill, else those of the samples. */
static const struct view *main_view(const struct pages *pages)
{
	return pages->bill->totals->group_count || !pages->estimate
		       ? &pages->bill->view
		       : &pages->estimate->view;
}

enum status html_write_bill(struct html *html, const struct pages *pages,
			    const struct render_options *options, struct error *error)
{
	struct render_options all = *options;
	struct pages tasks = *pages; /* functions or modules have a table of their own */
	FILE *to = html->page.document;
	struct colours colours;
	struct packing packing = { .to = html->page.to,
				   .document = to,
				   .colours = &colours,
				   .collect = &html->collect };
	bool done;

	all.top = 0;
	tasks.by_place = PLACE_NONE;
	tasks.places = NULL;
	page_begin(&html->page);
	fputs("{\"kind\": \"bill\",\n\"report\":\n", to);
	render_json(to, &tasks, &all);
	if (pages->places) {
		fprintf(to, ",\n   \"places\": [");
		render_json_lines(to, pages->places, all.top, "    ");
		fputs("]", to);
	}
	done = html_write_cut(to, pages, html->options);
	fputs("},\n\"page\": {", to);
	write_members(to, html, pages);
	done = done &&
	       colours_make(&colours, pages->bill->totals, main_view(pages),
			    &html->options->filter, pages->bill->by) &&
	       pack_lanes(&packing);
	collect_end_lanes(&html->collect);
	done = done && pack_books(&packing) && pack_switches(&packing);
	colours_end(&colours);
	fputs("}}\n", to);
	return done ? ST_OK : error_nomem(error);
}

void html_write_diff(struct html *html, void (*write)(FILE *to, const void *context),
		     const void *context)
{
	page_begin(&html->page);
	fputs("{\"kind\": \"diff\",\n\"diff\": ", html->page.document);
	write(html->page.document, context);
	fputs("}\n", html->page.document);
}

int html_finish(struct html *html, int result)
{
	struct error error = { .status = ST_OK };

	if (result != EXIT_DONE && result != EXIT_DAMAGED)
		return result;
	if (page_finish(&html->page, &error) == ST_OK) {
		cli_end_at_interrupts(analyze_cli.name, html_file(html->options), true);
		return result;
	}
	if (error.status != ST_INTERRUPTED)
		cli_warn(analyze_cli.name, error.text);
	return EXIT_FAILED;
}

void html_end(struct html *html)
{
	page_close(&html->page);
	collect_end(&html->collect);
	points_end(&html->points);
}
