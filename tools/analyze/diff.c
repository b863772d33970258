/* diff.c - reads the runs of both sides, adds them up by name, and has them compared. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "diff_print.h"
#include "formats/formats.h"
#include "html.h"
#include "pipeline/pipeline.h"

/* Names below this share of the whole are left out. */
#define SHARE_MIN 0.01

/* --- names --- */

static struct diff_name *intern_name(struct diff *diff, struct str name)
{
	uint64_t key = map_hash_text(map_salt(), name);
	struct diff_name *found;

	MAP_FIND(&diff->by_name, key, found, str_equal(found->name, name));
	if (found)
		return found;
	found = arena_alloc(&diff->arena, sizeof(*found));
	if (!found)
		return NULL;
	found->name = arena_str(&diff->arena, name);
	if (!found->name.ptr || !map_put(&diff->by_name, key, found))
		return NULL;
	found->previous = diff->last_name;
	diff->last_name = found;
	diff->name_count++;
	return found;
}

/* Runs without the name cost nothing: a trace can hold many names, a side many runs. */
static bool add(struct diff *diff, struct str name, int64_t number)
{
	struct diff_name *found = intern_name(diff, name);
	size_t run = diff->runs[diff->side];
	struct diff_value *value;

	if (!found || number <= 0)
		return found != NULL;
	value = found->values[diff->side];
	if (!value || value->run != run) {
		value = arena_alloc(&diff->arena, sizeof(*value));
		if (!value)
			return false;
		value->run = run;
		value->previous = found->values[diff->side];
		found->values[diff->side] = value;
		found->counts[diff->side]++;
	}
	value->number += (double)number;
	return true;
}

/* --- the counter --- */

static const struct view_column *event_column(const struct view *view, struct str name)
{
	for (size_t i = 0; i < view->column_count; i++)
		if (view->columns[i].is_event && view->columns[i].forms & VIEW_CSV &&
		    str_equal(view->columns[i].name, name))
			return &view->columns[i];
	return NULL;
}

/* Instructions vary least from run to run; else what the lines are ranked by. */
static struct str default_counter(const struct bill *bill, const struct view *view)
{
	const struct totals *totals = bill->totals;

	for (size_t i = 0; i < totals->counter_count; i++) {
		const struct role_found found =
			role_find(&bill->metrics.counters[i].counter, totals->trace.arch,
				  totals->trace.cpu_model);

		if (found.role == ROLE_INSTRUCTIONS)
			return totals->counters[i].row.name;
	}
	if (view->first_key == VIEW_NO_CELL || !view->columns[view->first_key].is_event)
		return STR_NONE;
	return view->columns[view->first_key].name;
}

static const struct view_column *choose_counter(struct diff *diff,
						const struct bill *bill,
						const struct view *view,
						struct error *error)
{
	const char *wanted = diff->options->values.counter;
	const struct view_column *column;

	if (!diff->counter.ptr) {
		struct str name = wanted ? str_of(wanted) : default_counter(bill, view);

		diff->counter = arena_str(&diff->arena, name);
		if (name.ptr && !diff->counter.ptr) {
			(void)error_nomem(error);
			return NULL;
		}
	}
	column = diff->counter.ptr ? event_column(view, diff->counter) : NULL;
	if (!column)
		(void)error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			diff->counter.ptr && diff->counter.len
				? "has no counter '%.*s'; all runs must have it"
				: "%.*shas no counters of switches or samples to compare",
			(int)diff->counter.len,
			diff->counter.ptr ? diff->counter.ptr : "");
	return column;
}

/* --- the command --- */

static bool is_recorder(struct str name)
{
	return str_equal(name, STR("perf")) || str_equal(name, STR("perftab-capture")) ||
	       str_equal(name, STR("simpleperf"));
}

/* Is the name, which the kernel cuts at 15 letters, the program of a word? */
static bool is_in_command(struct str name, struct str command)
{
	for (size_t at = 0, end; at < command.len; at = end + 1) {
		size_t from = at;

		for (end = at; end < command.len && command.ptr[end] != ' '; end++)
			if (command.ptr[end] == '/')
				from = end + 1;
		if (name.len && end - from >= name.len &&
		    (end - from == name.len || name.len == 15) &&
		    memcmp(command.ptr + from, name.ptr, name.len) == 0)
			return true;
	}
	return false;
}

/* What a recorder's process started. */
struct recorder {
	bool any, of_command;
};

/* By pid; false: out of memory. */
static bool list_recorders(struct arena *arena, struct map *recorders,
			   const struct totals *totals)
{
	for (const struct totals_process *p = totals->processes; p; p = p->next) {
		uint64_t pid = (uint64_t)p->row.pid;
		struct recorder *recorder;

		if (!is_recorder(p->row.name) || map_get(recorders, pid))
			continue;
		recorder = arena_alloc(arena, sizeof(*recorder));
		if (!recorder || !map_put(recorders, pid, recorder))
			return false;
	}
	return true;
}

static void find_children(const struct map *recorders, const struct totals *totals)
{
	for (const struct totals_process *c = totals->processes; c; c = c->next) {
		struct recorder *parent = map_get(recorders, (uint64_t)c->row.parent_pid);

		if (!parent || c->row.parent_pid == c->row.pid)
			continue;
		parent->any = true;
		if (!parent->of_command && !is_recorder(c->row.name))
			parent->of_command =
				is_in_command(c->row.name, totals->trace.command);
	}
}

/*
 * *root is the recorder's process, if it started others that are in the trace, else
 * INT_NONE.  Several may have run at a time: then the one that started what the trace's
 * own command line names.  False: out of memory.
 */
static bool find_root(const struct totals *totals, int64_t *root)
{
	int64_t any = INT_NONE, named = INT_NONE;
	struct arena arena = { .blocks = NULL };
	struct map recorders = { .count = 0 };
	bool done = list_recorders(&arena, &recorders, totals);

	if (done)
		find_children(&recorders, totals);
	for (const struct totals_process *p = totals->processes; p && done; p = p->next) {
		const struct recorder *found =
			is_recorder(p->row.name)
				? map_get(&recorders, (uint64_t)p->row.pid)
				: NULL;

		if (found && found->any && any == INT_NONE)
			any = p->row.pid;
		if (found && found->of_command)
			named = p->row.pid;
	}
	map_release(&recorders);
	arena_release(&arena);
	*root = named != INT_NONE ? named : any;
	return done;
}

/* --- one run --- */

static enum status add_lines(struct diff *diff, const struct bill *bill,
			     const struct view *view, struct error *error)
{
	const struct view_column *column = choose_counter(diff, bill, view, error);
	int64_t all = 0;

	if (!column)
		return error->status;
	for (size_t i = 0; i < view->line_count; i++) {
		const struct view_line *line = view->lines[i];

		if (line->kind != LINE_TASK)
			continue;
		all += view_number(column, line) > 0 ? view_number(column, line) : 0;
		if (!add(diff, line->texts[CUT_PROCESS], view_number(column, line)))
			return error_nomem(error);
	}
	return add(diff, STR("(all)"), all) ? ST_OK : error_nomem(error);
}

static enum status on_totals(void *context, struct sink *sink, struct totals *totals)
{
	struct diff *diff = context;
	const struct analyze_options *options = diff->options;
	struct cut_filter filter = options->filter;
	struct estimate estimate = { .totals = NULL };
	struct bill bill;
	enum status status;
	bool made;

	if (diff->runs[diff->side] == COMPARE_RUNS_MAX)
		return error_set(&sink->error, ST_LIMIT, ERROR_NO_OFFSET,
				 "more than %d runs of one side", COMPARE_RUNS_MAX);
	if (!find_root(totals, &filter.root))
		return error_nomem(&sink->error);
	diff->of_all += filter.root == INT_NONE;
	made = bill_make(&bill, totals, BY_COMM, options->rule, &filter) &&
	       (totals->group_count ||
		estimate_make(&estimate, totals, BY_COMM, &filter));
	status = made ? add_lines(diff, &bill,
				  totals->group_count ? &bill.view : &estimate.view,
				  &sink->error)
		      : error_nomem(&sink->error);
	diff->runs[diff->side]++;
	bill_release(&bill);
	estimate_release(&estimate);
	return status;
}

/* A trace that is read. */
struct being_read {
	const char *path;
	const struct reader *reader;
};

static void report_damage(void *context, const struct finding_row *finding)
{
	const struct being_read *run = context;

	if (str_equal(finding->severity, STR("damage")))
		cli_finding(analyze_cli.name, run->path, run->reader->ops->name,
			    finding->text);
}

/* False: it was reported why. */
static bool read_run(struct diff *diff, const char *path)
{
	struct pipeline pipeline;
	struct totals_sink *totals;
	struct reader reader;
	struct sink sink;
	struct being_read run = { path, &reader };
	const struct pipeline_hooks hooks = { .finding = report_damage, .context = &run };
	enum status status =
		reader_open(&reader, path, &diff->options->input, all_formats);

	if (status != ST_OK) {
		if (status != ST_INTERRUPTED)
			cli_error(analyze_cli.name, path, reader.error.text);
		return false;
	}
	status = sink_open(&sink, &totals_sink_ops, NULL);
	if (status == ST_OK) {
		totals = sink.state;
		totals->done = on_totals;
		totals->context = diff;
		pipeline_init(&pipeline, &sink, 1);
		status = pipeline_run(&pipeline, &reader, &hooks);
		pipeline_release(&pipeline);
	}
	if (status == ST_OK)
		diff->is_damaged |= findings_damaged(&reader.findings);
	else if (reader.error.status != ST_INTERRUPTED)
		cli_error(analyze_cli.name, path,
			  sink.error.status < ST_OK ? sink.error.text
						    : reader.error.text);
	sink_close(&sink);
	reader_close(&reader);
	return status == ST_OK;
}

/* --- the comparison --- */

static double share(const struct compare_line *line, const struct compare_line *all)
{
	double a = all->median_a > 0 ? line->median_a / all->median_a : 0;
	double b = all->median_b > 0 ? line->median_b / all->median_b : 0;

	return a > b ? a : b;
}

static int by_weight(const void *x, const void *y)
{
	const struct compare_line *a = x, *b = y;
	double one = a->median_a > a->median_b ? a->median_a : a->median_b;
	double other = b->median_a > b->median_b ? b->median_a : b->median_b;

	if (one != other)
		return one > other ? -1 : 1;
	return str_compare(a->name, b->name);
}

/* The numbers of all runs of a side. */
static void fill_runs(const struct diff *diff, const struct diff_name *name, int side,
		      double *runs)
{
	memset(runs, 0, diff->runs[side] * sizeof(*runs));
	for (const struct diff_value *v = name->values[side]; v; v = v->previous)
		runs[v->run] = v->number;
}

/* 0 without looking, if more than half of the runs lack the name. */
static double find_median(const struct diff *diff, const struct diff_name *name, int side,
			  double *runs)
{
	if (2 * name->counts[side] < diff->runs[side])
		return 0;
	fill_runs(diff, name, side, runs);
	return compare_median(runs, diff->runs[side]);
}

static double *make_runs(struct diff *diff, const struct diff_name *name, int side)
{
	double *runs = arena_alloc(&diff->arena, (diff->runs[side] + 1) * sizeof(*runs));

	if (runs)
		fill_runs(diff, name, side, runs);
	return runs;
}

/* Medians first: names that hardly count are not tested, so others are found. */
static bool make_lines(struct diff *diff)
{
	struct compare_line *lines =
		memory_alloc_zeroed(diff->name_count + 1, sizeof(*lines));
	double runs[COMPARE_RUNS_MAX];
	struct compare_line all = { .name = STR_NONE };
	size_t i = 0, kept = 0;

	diff->lines = lines;
	if (!lines)
		return false;
	for (const struct diff_name *n = diff->last_name; n; n = n->previous, i++) {
		lines[i].name = n->name;
		lines[i].median_a = find_median(diff, n, 0, runs);
		lines[i].median_b = find_median(diff, n, 1, runs);
		if (str_equal(n->name, STR("(all)")))
			all = lines[i];
	}
	i = 0;
	for (const struct diff_name *n = diff->last_name; n; n = n->previous, i++) {
		if (share(&lines[i], &all) < SHARE_MIN)
			continue;
		lines[kept] = lines[i];
		lines[kept].a = make_runs(diff, n, 0);
		lines[kept].b = make_runs(diff, n, 1);
		if (!lines[kept].a || !lines[kept].b)
			return false;
		kept++;
	}
	diff->line_count = kept;
	qsort(lines, kept, sizeof(*lines), by_weight);
	return compare(lines, kept, diff->runs[0], diff->runs[1]);
}

/* "dearer", "dearer=2%" */
static bool parse_fail_on(const char *text, double *least)
{
	char *end;

	*least = 0;
	if (strcmp(text, "dearer") == 0)
		return true;
	if (strncmp(text, "dearer=", 7) != 0)
		return false;
	*least = strtod(text + 7, &end) / 100;
	return end != text + 7 && *least >= 0 && (strcmp(end, "%") == 0 || *end == '\0');
}

static bool is_dearer(const struct diff *diff, double least)
{
	for (size_t i = 0; i < diff->line_count; i++)
		if (diff->lines[i].verdict == COMPARE_DEARER &&
		    diff->lines[i].change >= least)
			return true;
	return false;
}

static void write_json(FILE *to, const void *diff)
{
	diff_print_json(to, diff);
}

static int report_nomem(void)
{
	fprintf(stderr, "%s: out of memory\n", analyze_cli.name);
	return EXIT_FAILED;
}

static int finish(struct diff *diff, struct html *html, double least)
{
	if (!make_lines(diff))
		return report_nomem();
	if (html)
		html_write_diff(html, write_json, diff);
	else
		diff_print(stdout, diff, (enum form)diff->options->form);
	if (html && html_finish(html, EXIT_DONE) != EXIT_DONE)
		return EXIT_FAILED;
	if (!html_file(diff->options) && !cli_close_stdout(analyze_cli.name))
		return EXIT_FAILED;
	if (memory_failed())
		return report_nomem();
	if (diff->options->fail_on && is_dearer(diff, least))
		return EXIT_DEARER;
	if (diff->is_damaged)
		return diff->options->strict ? EXIT_FAILED : EXIT_DAMAGED;
	return EXIT_DONE;
}

/* Twice the same run would count as two that agree.  NULL: there is none. */
static const char *find_repeated(char **inputs, size_t count)
{
	struct os_info *infos = memory_alloc_zeroed(count + 1, sizeof(*infos));
	const char *found = NULL;

	for (size_t i = 0; infos && i < count && !found; i++) {
		if (!os_inspect_path(inputs[i], &infos[i]) || infos[i].kind == OS_OTHER)
			infos[i].names = 0; /* no file: reading it says why */
		for (size_t k = 0; k < i && infos[i].names && !found; k++)
			if (infos[k].names && os_is_same(&infos[k], &infos[i]))
				found = inputs[i];
	}
	free(infos);
	return found;
}

int run_diff(const struct analyze_options *options, char **inputs, size_t runs_a,
	     size_t runs_b)
{
	struct diff diff = { .options = options };
	const char *repeated = find_repeated(inputs, runs_a);
	struct html html;
	double least = 0;
	bool done = true;
	int result = EXIT_FAILED;

	if (options->fail_on && !parse_fail_on(options->fail_on, &least))
		return cli_wrong_usage(&analyze_cli,
				       "invalid --fail-on '%s': expected e.g. dearer=2%%",
				       options->fail_on);
	if (!repeated)
		repeated = find_repeated(inputs + runs_a, runs_b);
	if (repeated)
		return cli_wrong_usage(&analyze_cli,
				       "'%s' is on one side twice: each run counts once",
				       repeated);
	if (options->html && !html_begin(&html, options, inputs, runs_a + runs_b))
		return EXIT_FAILED;
	for (size_t i = 0; i < runs_a + runs_b && done; i++) {
		diff.side = i >= runs_a;
		done = read_run(&diff, inputs[i]);
	}
	if (done)
		result = finish(&diff, options->html ? &html : NULL, least);
	if (options->html)
		html_end(&html);
	free(diff.lines);
	map_release(&diff.by_name);
	arena_release(&diff.arena);
	return result;
}
