/* options.c - the option table of perftab-analyze, and what contradicts what. */
#include "options.h"
#include "base/array.h"
#include "base/code_page.h"

#include <string.h>

#define AT(member) OPTION_AT(struct analyze_options, member)

static const struct option_spec specs[] = {
	{ OPTION_WORD, 'b', "by", BY_WORDS,
	  "a line for each process (default), thread or cpu; comm:\nfor each program name; tree: for each process below its\nparent, with sums; cgroup: for each control group;\ninterrupt: for each kind and vector; symbol, module:\nfor each function or file that was sampled",
	  AT(by_word), 0 },
	{ OPTION_CHOICE, 0, "csv", NULL, "print CSV", AT(form), FORM_CSV },
	{ OPTION_CHOICE, 0, "json", NULL, "print one JSON document", AT(form),
	  FORM_JSON },
	{ OPTION_TEXT, 0, "html", "FILE",
	  "write one page that needs nothing else, with lanes of the\nCPUs, counters over time and the table; -: to stdout",
	  AT(html), 0 },
	{ OPTION_FLAG, 0, "check", NULL,
	  "print whether the books balance; exit with 1 if not", AT(check), 0 },
	{ OPTION_FLAG, 'm', "metrics", NULL,
	  "add ratios (IPC, miss rates) where counters allow", AT(ratios), 0 },
	{ OPTION_WORD, 'u', "unproven", "separate|switched-out",
	  "separate (default): intervals without proof are\n(unattributed); switched-out: charge them to the\nthread switched out, as perf script does",
	  AT(unproven), 0 },
	{ OPTION_WORD, 0, "with-idle", "separate|thread",
	  "separate (default): intervals of a thread and of idle,\nwhose end was not recorded, are (with idle); thread:\ncharge them to the thread",
	  AT(with_idle), 0 },
	{ OPTION_WORD, 0, "interrupts", "separate|thread",
	  "separate (default): what recorded interrupts cost is in\nthe line (interrupts); thread: charge it to the thread\nthat was interrupted",
	  AT(interrupts), 0 },
	{ OPTION_TEXT, 0, "from", "TIME",
	  "only switches at or after this time: +500ms from the\nstart, 2026-11-22T10:00:00Z, or ns of the trace's clock",
	  AT(from_text), 0 },
	{ OPTION_TEXT, 0, "to", "TIME", "only switches before this time", AT(to_text),
	  0 },
	{ OPTION_DURATION, 'i', "interval", "DURATION",
	  "a bill for each of these, as 100ms or 2s; live: by\ndefault, without a COMMAND, 1s",
	  AT(interval_ns), 0 },
	{ OPTION_TEXT, 0, "process", "NAME",
	  "only processes of this name, all others as one line;\n* and ? stand for others",
	  AT(filter.process), 0 },
	{ OPTION_INT, 'p', "pid", "PID",
	  "only the process with this pid; live: and what it starts", AT(filter.pid), 1 },
	{ OPTION_INT, 0, "tid", "TID", "only the thread with this tid", AT(filter.tid),
	  1 },
	{ OPTION_TEXT, 'C', "cpu", "CPUS", "only what these CPUs did, such as 0-3,8",
	  AT(cpus_text), 0 },
	{ OPTION_TEXT, 's', "sort", "COLUMN",
	  "sort by this column, as --csv names it (default: the\nheaviest counter)",
	  AT(sort_column), 0 },
	{ OPTION_INT, 'n', "top", "N",
	  "at most N lines, 0: all (default: text 25, else all)", AT(top), 0 },
#include "common/input_options.def"
	{ OPTION_TEXT, 0, "counterset", "NAME",
	  "PerfLib: only countersets of this name; * and ? stand\nfor others",
	  AT(values.counterset), 0 },
	{ OPTION_TEXT, 0, "instance", "NAME", "PerfLib: only instances of this name",
	  AT(values.instance), 0 },
	{ OPTION_TEXT, 0, "counter", "NAME", "PerfLib: only counters of this name",
	  AT(values.counter), 0 },
	{ OPTION_WORD, 0, "language", "english|local",
	  "PerfLib: names in English (default), or in the language\nof the capture",
	  AT(language), 0 },
	{ OPTION_WORD, 0, "multi-timer", "share|ce|kit|sdk|pcq",
	  "PerfLib: which of the published formulas; share is the\ndefault", AT(variant),
	  0 },
	{ OPTION_INT, 0, "trace", "ID",
	  "only this trace of a database that holds several", AT(trace_id), 1 },
	{ OPTION_FLAG, 0, "diff", NULL,
	  "compare runs: the inputs before --with and those\nafter it, by program name and one --counter",
	  AT(is_diff), 0 },
	{ OPTION_FLAG, 0, "with", NULL, "diff: the runs of the other side follow",
	  AT(has_with), 0 },
	{ OPTION_TEXT, 0, "fail-on", "dearer=N%",
	  "diff: exit with 4 if a program is dearer by that much", AT(fail_on), 0 },
	{ OPTION_TEXT, 0, "sql", "QUERY",
	  "print the rows of one SELECT from a TRACE or DATABASE,\nas CSV or --json; the functions of perftab.so work here",
	  AT(query), 0 },
	{ OPTION_FLAG, 0, "csv-safe", NULL,
	  "put ' before texts that a spreadsheet would take for\na formula", AT(csv_safe),
	  0 },
	{ OPTION_FLAG, 0, "no-sandbox", NULL,
	  "read the input with all rights of the user", AT(no_sandbox), 0 },
	{ OPTION_FLAG, 0, "no-runs", NULL,
	  "handle every switch by itself (tests): the result is the\nsame",
	  AT(input.no_runs), 0 },
	{ OPTION_INT, 0, "threads", "N",
	  "how many threads work at once, the first included\n(default: as many as there are CPUs, but 2 to 16)",
	  AT(threads), 1 },
	{ OPTION_FLAG, 'v', "verbose", NULL, "say what the sandbox lacks here",
	  AT(verbose), 0 },
	{ OPTION_FLAG, 0, "strict", NULL,
	  "exit with 1, not 3, when the input was damaged", AT(strict), 0 },
#ifdef PERFTAB_LIVE
	{ OPTION_FLAG, 'l', "live", NULL,
	  "count now, and bill from memory; with a COMMAND: its\nprocesses, when it has ended",
	  AT(is_live), 0 },
	{ OPTION_TEXTS, 'e', "event", "EVENTS",
	  "live: what to count, as perftab-capture perf -e", AT(event_texts), 0 },
	{ OPTION_FLAG, 'a', "all-cpus", NULL, "live: all processes, with a COMMAND too",
	  AT(all_cpus), 0 },
	{ OPTION_DURATION, 'd', "duration", "DURATION",
	  "live: end after so long, as 500ms or 10s", AT(duration_ns), 0 },
	{ OPTION_FLAG, 0, "multiplex", NULL, "live: as perftab-capture perf --multiplex",
	  AT(multiplex), 0 },
#endif
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

const struct cli analyze_cli = {
	.name = "perftab-analyze",
	.usage =
		(const char *const[]){
			"[OPTIONS] TRACE|DATABASE...",
			"--diff [OPTIONS] A... --with B...",
			"--sql QUERY [--csv|--json] [--csv-safe] [--strict] TRACE|DATABASE",
			"--live [OPTIONS] [-- COMMAND ...]", NULL },
	.summary =
		"Prints what each process cost: the deltas of every counter, charged to the thread\n"
		"that was switched out, with what could not be proven kept apart.  Of PerfLib, the\n"
		"value of each counter in each interval.",
	.options = specs,
	.exits = "0 done, 1 failed, 2 wrong usage, 3 done but the input was damaged,\n"
		 "partial or partly skipped, 4 --fail-on found something",
	.examples =
		(const char *const[]){
			"the bill of a trace, with IPC and miss rates where it has the counters",
			"perftab-analyze --metrics perf.data",
			"threads as CSV, from a database made by perftab-convert",
			"perftab-analyze --by thread --csv perf.db",
			"counters of Windows, or of perftab-capture perflib, as CSV",
			"perftab-analyze --csv --counterset '*disk*' counters.plb",
			"the bill by program name in SQL, from a database",
			"perftab-analyze --sql 'SELECT * FROM comm_bill' perf.db",
			"one program over time, as bars",
			"perftab-analyze --process 'sum*' --interval 10ms perf.data",
			"did the change help?  5 runs or more a side give verdicts",
			"perftab-analyze --diff before.data --with after.data",
			"as a page for the browser, with what happened when",
			"perftab-analyze --html bill.html perf.data",
			"do the books balance?", "perftab-analyze --check perf.data",
			"what each process of a command costs",
			"perftab-analyze --live -- sh -c 'ls -l | sort'", NULL },
};

/* --- what does not go together --- */

/* An option that only a live bill can have. */
static const char *live_option(const struct analyze_options *o)
{
	return o->event_texts.count ? "-e"
	       : o->all_cpus	    ? "-a"
	       : o->duration_ns	    ? "-d"
	       : o->multiplex	    ? "--multiplex"
				    : NULL;
}
/* An option that chooses some of the processes. */
static const char *filter_option(const struct analyze_options *o)
{
	return o->filter.process	   ? "--process"
	       : o->filter.pid != INT_NONE ? "--pid"
	       : o->filter.tid != INT_NONE ? "--tid"
					   : NULL;
}

const char *lines_option(const struct analyze_options *o)
{
	return o->by_word >= 0	    ? "--by"
	       : o->ratios	    ? "--metrics"
	       : o->unproven >= 0   ? "--unproven"
	       : o->with_idle >= 0  ? "--with-idle"
	       : o->interrupts >= 0 ? "--interrupts"
	       : o->sort_column	    ? "--sort"
				    : filter_option(o);
}

/* An option that has no meaning for a query. */
static const char *bill_option(const struct analyze_options *o)
{
	const struct {
		const char *name;
		bool given;
	} others[] = {
		{ "--check", o->check },
		{ "--html", o->html },
		{ "--from", o->from_text },
		{ "--to", o->to_text },
		{ "--interval", o->interval_ns },
		{ "--cpu", o->cpus_text },
		{ "--top", o->top >= 0 },
		{ "--events", o->input.events },
		{ "--tracefs", o->input.tracefs },
		{ "--code-page", o->input.code_page },
		{ "--counterset", o->values.counterset },
		{ "--instance", o->values.instance },
		{ "--counter", o->values.counter },
		{ "--language", o->language >= 0 },
		{ "--multi-timer", o->variant >= 0 },
		{ "--trace", o->trace_id },
		{ "--live", o->is_live },
	};

	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (others[i].given)
			return others[i].name;
	return lines_option(o);
}

/* An option for another form, or for what has no page. */
static const char *other_form(const struct analyze_options *o)
{
	return o->form == FORM_CSV    ? "--csv"
	       : o->form == FORM_JSON ? "--json"
	       : o->check	      ? "--check"
	       : o->interval_ns	      ? "--interval"
	       : o->is_live	      ? "--live"
				      : NULL;
}

static int wrong_time(const char *option, const char *text)
{
	return cli_wrong_usage(&analyze_cli,
			       "invalid time '%s' for %s: expected e.g. +500ms, "
			       "2026-11-22T10:00:00Z or nanoseconds of the trace's clock",
			       text, option);
}

/* The bit map is the program's. */
static int parse_cpus(struct analyze_options *o)
{
	static bool chosen[CPU_LIST_MAX];
	struct error error = { .status = ST_OK };
	struct cpu_list list;

	if (!o->cpus_text)
		return EXIT_DONE;
	if (cpu_list_parse(&list, o->cpus_text, &error) != ST_OK)
		return cli_wrong_usage(&analyze_cli, "%s", error.text);
	memset(chosen, 0, sizeof(chosen));
	for (size_t i = 0; i < list.count; i++)
		chosen[list.cpus[i]] = true;
	cpu_list_release(&list);
	o->cpus = chosen;
	return EXIT_DONE;
}

static int parse_times(struct analyze_options *o)
{
	if (o->from_text && !when_parse(o->from_text, &o->from))
		return wrong_time("--from", o->from_text);
	if (o->to_text && !when_parse(o->to_text, &o->to))
		return wrong_time("--to", o->to_text);
	return EXIT_DONE;
}

static void set_lines(struct analyze_options *o)
{
	switch (o->by_word) {
	case BY_INTERRUPT:
		o->by_interrupt = true;
		break;
	case BY_SYMBOL:
		o->by_place = PLACE_SYMBOL;
		break;
	case BY_MODULE:
		o->by_place = PLACE_MODULE;
		break;
	default:
		o->by = o->by_word < 0 ? BY_PROCESS : (enum cut_by)o->by_word;
	}
}

static void set_choices(struct analyze_options *o)
{
	set_lines(o);
	o->rule.unproven_to_threads = o->unproven == 1;
	o->rule.with_idle_to_threads = o->with_idle == 1;
	o->rule.interrupts_to_threads = o->interrupts == 1;
	o->values.local = o->language == 1;
	if (o->variant >= 0)
		o->values.variant = (enum perf_counter_variant)o->variant;
}

/* What a reader has to give. */
static void set_input(struct analyze_options *options)
{
	bool is_part = options->from_text || options->to_text || options->interval_ns ||
		       options->cpus;

	if (options->from.kind == WHEN_CLOCK)
		options->from_ns = options->from.ns;
	if (options->to.kind == WHEN_CLOCK)
		options->to_ns = options->to.ns;
	options->input.want_values = !options->check && !options->is_live;
	options->input.want_rows = options->input.want_frames = options->by_place;
	options->input.want_switches = options->check || options->by_place ||
				       (options->html && !options->is_diff) ||
				       (is_part && !options->is_live);
	options->input.want_sums = (options->interval_ns || options->html) &&
				   !options->from_text && !options->to_text &&
				   !options->cpus;
	if (options->html)
		options->form = FORM_HTML;
	options->input.trace_id = options->trace_id;
}

static int check_code_page(const struct analyze_options *o)
{
	if (!o->input.code_page || code_page_is_known(o->input.code_page))
		return EXIT_DONE;
	return cli_wrong_usage(&analyze_cli, "unsupported code page %lld: expected %s",
			       (long long)o->input.code_page, code_page_numbers());
}

/* What a check of the books, which are of CPUs, has no use for; JSON has the bill too. */
static const char *unchecked_option(const struct analyze_options *options)
{
	return options->interval_ns ? "--interval"
	       : options->top >= 0  ? "--top"
				    : lines_option(options);
}

static int check_lines(const struct analyze_options *options)
{
	if (options->check && options->form != FORM_JSON && !options->is_live &&
	    !options->by_interrupt && !options->by_place && unchecked_option(options))
		return cli_wrong_usage(&analyze_cli,
				       "--check adds up what each CPU counted: no %s",
				       unchecked_option(options));
	if (options->unproven == 1 && options->with_idle == 0)
		return cli_wrong_usage(&analyze_cli,
				       "--unproven switched-out includes --with-idle "
				       "thread: no --with-idle separate");
	if (options->csv_safe && options->form != FORM_CSV &&
	    (!options->query || options->form == FORM_JSON))
		return cli_wrong_usage(&analyze_cli, "--csv-safe goes with --csv");
	if (options->by == BY_CPU && !options->is_live && filter_option(options))
		return cli_wrong_usage(&analyze_cli,
				       "--by cpu and %s exclude one another: what a CPU "
				       "counted is not kept by thread",
				       filter_option(options));
	if (options->html && other_form(options))
		return cli_wrong_usage(&analyze_cli, "--html and %s exclude one another",
				       other_form(options));
	return EXIT_DONE;
}

/*
 * The inputs before --with are counted where those words are parsed alone: among all
 * words getopt() has inputs follow options.
 */
static int parse_words(struct analyze_options *options, int argc, char **argv,
		       int *operands)
{
	static const struct analyze_options unset = {
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.top = -1,
		.by_word = -1,
		.unproven = -1,
		.with_idle = -1,
		.interrupts = -1,
		.language = -1,
		.variant = -1,
		.filter = { .pid = INT_NONE, .tid = INT_NONE, .root = INT_NONE },
	};
	size_t runs_a = 0;
	int end = 1, result = EXIT_DONE;

	while (end < argc && strcmp(argv[end], "--with") != 0 &&
	       strcmp(argv[end], "--") != 0)
		end++;
	*options = unset;
	if (end < argc && strcmp(argv[end], "--with") == 0) {
		result = cli_parse(&analyze_cli, options, end, argv, operands);
		runs_a = (size_t)(end - *operands);
		*options = unset;
	}
	if (result == EXIT_DONE)
		result = cli_parse(&analyze_cli, options, argc, argv, operands);
	options->runs_a = runs_a;
	return result;
}

int parse_options(struct analyze_options *options, int argc, char **argv, int *operands)
{
	int result = parse_words(options, argc, argv, operands);

	if (result != EXIT_DONE)
		return result;
	set_choices(options);
	result = parse_times(options);
	if (result == EXIT_DONE)
		result = parse_cpus(options);
	if (result == EXIT_DONE)
		result = check_code_page(options);
	if (result != EXIT_DONE)
		return result;
	if (options->query && bill_option(options))
		return cli_wrong_usage(&analyze_cli, "--sql and %s exclude one another",
				       bill_option(options));
	result = check_lines(options);
	if (result != EXIT_DONE)
		return result;
	if (options->by_place &&
	    (options->is_live || options->check || options->interval_ns))
		return cli_wrong_usage(
			&analyze_cli,
			"--by symbol and --by module are tables of what was "
			"sampled: no %s",
			options->is_live ? "--live"
			: options->check ? "--check"
					 : "--interval");
	if (options->by_interrupt && (options->is_live || options->check ||
				      options->interval_ns || filter_option(options)))
		return cli_wrong_usage(&analyze_cli,
				       "--by interrupt is a table of the whole trace or "
				       "of a window: no %s",
				       options->is_live	      ? "--live"
				       : options->check	      ? "--check"
				       : options->interval_ns ? "--interval"
							      : filter_option(options));
	if ((options->fail_on || options->has_with) && !options->is_diff)
		return cli_wrong_usage(&analyze_cli, "%s goes with --diff",
				       options->has_with ? "--with" : "--fail-on");
	if (options->is_diff &&
	    (options->is_live || options->check || options->query ||
	     options->interval_ns || options->from_text || options->to_text ||
	     options->cpus || options->by_word >= 0))
		return cli_wrong_usage(&analyze_cli,
				       "--diff compares whole runs by program name: no "
				       "other cuts, times, checks or queries");
	if (!options->is_live && live_option(options))
		return cli_wrong_usage(&analyze_cli, "%s goes with --live",
				       live_option(options));
	set_input(options);
	return EXIT_DONE;
}
