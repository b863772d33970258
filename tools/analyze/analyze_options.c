/* analyze_options.c - see analyze_options.h. */
#include "analyze_options.h"

#include <string.h>

struct analyze_options asked = { .from_ns = INT64_MIN, .to_ns = INT64_MAX, .top = -1 };

static const struct option_spec options[] = {
	{ OPTION_TEXT, 'b', "by", "WHAT",
	  "a line for each process (default), thread or cpu", &asked.by_name, 0 },
	{ OPTION_CHOICE, 0, "csv", NULL, "print CSV", &asked.format, FORMAT_CSV },
	{ OPTION_CHOICE, 0, "json", NULL, "print one JSON document", &asked.format,
	  FORMAT_JSON },
	{ OPTION_FLAG, 0, "check", NULL,
	  "print whether the books balance; exit with 1 if not", &asked.check, 0 },
	{ OPTION_FLAG, 'm', "metrics", NULL,
	  "add ratios (IPC, miss rates) where counters allow",
	  &asked.print_options.metrics, 0 },
	{ OPTION_TEXT, 'u', "unproven", "RULE",
	  "separate (default): intervals without proof are\n(unattributed); switched-out: charge them to the\nthread switched out, as perf script does",
	  &asked.rule_name, 0 },
	{ OPTION_INT, 0, "from", "NS", "only switches at or after this time of the trace",
	  &asked.from_ns, INT64_MIN },
	{ OPTION_INT, 0, "to", "NS", "only switches before this time of the trace",
	  &asked.to_ns, INT64_MIN },
	{ OPTION_TEXT, 's', "sort", "COLUMN",
	  "sort by this column, as --csv names it (default: the\nheaviest counter)",
	  &asked.sort_column, 0 },
	{ OPTION_INT, 'n', "top", "N",
	  "at most N lines, 0: all (default: text 25, else all)", &asked.top, 0 },
	{ OPTION_TEXT, 0, "events", "NAMES",
	  "names for events that a perf.data does not name, in\norder, as after perf record -e",
	  &asked.input.events, 0 },
	{ OPTION_TEXT, 0, "tracefs", "DIR",
	  "tracepoint formats that a perf.data lacks, from a copy\nof /sys/kernel/tracing",
	  &asked.input.tracefs, 0 },
	{ OPTION_TEXT, 0, "counterset", "NAME",
	  "PerfLib: only countersets of this name; * and ? stand\nfor others",
	  &asked.value_options.counterset, 0 },
	{ OPTION_TEXT, 0, "instance", "NAME", "PerfLib: only instances of this name",
	  &asked.value_options.instance, 0 },
	{ OPTION_TEXT, 0, "counter", "NAME", "PerfLib: only counters of this name",
	  &asked.value_options.counter, 0 },
	{ OPTION_TEXT, 0, "language", "WHICH",
	  "PerfLib: names in english (default) or local", &asked.language, 0 },
	{ OPTION_TEXT, 0, "multi-timer", "VARIANT",
	  "PerfLib: share (default), ce, kit, sdk or pcq: which of\nthe published formulas",
	  &asked.variant_name, 0 },
	{ OPTION_INT, 0, "trace", "ID",
	  "only this trace of a database that holds several", &asked.trace_id, 1 },
	{ OPTION_TEXT, 0, "sql", "QUERY",
	  "print the rows of one SELECT from a DATABASE, as CSV or\n--json; the views of PerfLib work here",
	  &asked.query, 0 },
	{ OPTION_FLAG, 0, "csv-safe", NULL,
	  "put ' before texts that a spreadsheet would take for\na formula",
	  &asked.print_options.csv_safe, 0 },
	{ OPTION_FLAG, 0, "no-sandbox", NULL,
	  "read the input with all rights of the user", &asked.no_sandbox, 0 },
	{ OPTION_FLAG, 'v', "verbose", NULL, "say what the sandbox lacks here",
	  &asked.verbose, 0 },
	{ OPTION_FLAG, 0, "strict", NULL,
	  "exit with 1, not 3, when the input was damaged", &asked.strict, 0 },
#ifdef PERFTAB_LIVE
	{ OPTION_FLAG, 'l', "live", NULL,
	  "count now, and bill from memory; with a COMMAND: its\nprocesses, when it has ended",
	  &asked.live_wanted, 0 },
	{ OPTION_TEXTS, 'e', "event", "EVENTS",
	  "live: what to count, as perftab-capture perf -e", &asked.event_texts, 0 },
	{ OPTION_FLAG, 'a', "all-cpus", NULL, "live: all processes, with a COMMAND too",
	  &asked.all_cpus, 0 },
	{ OPTION_INT, 'p', "pid", "PID", "live: only this process and what it starts",
	  &asked.pid, 1 },
	{ OPTION_TEXT, 'i', "interval", "SECONDS",
	  "live: a bill for each of them (default without a\nCOMMAND: 1)",
	  &asked.interval_text, 0 },
	{ OPTION_TEXT, 'd', "duration", "SECONDS", "live: end after so long",
	  &asked.duration_text, 0 },
	{ OPTION_FLAG, 0, "multiplex", NULL, "live: as perftab-capture perf --multiplex",
	  &asked.multiplex, 0 },
#endif
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

const struct cli analyze_cli = {
	.name = "perftab-analyze",
	.usage =
		(const char *const[]){ "[OPTIONS] TRACE|DATABASE",
				       "--sql QUERY [--csv|--json] [--csv-safe] DATABASE",
				       "--live [OPTIONS] [-- COMMAND ...]", NULL },
	.summary =
		"Prints what each process cost: the deltas of every counter, charged to the thread\n"
		"that was switched out, with what could not be proven kept apart.  Of PerfLib, the\n"
		"value of each counter in each interval.",
	.options = options,
	.examples =
		(const char *const[]){
			"the bill of a trace, with IPC and miss rates where it has the counters",
			"perftab-analyze --metrics perf.data",
			"threads as CSV, from a database made by perftab-convert",
			"perftab-analyze --by thread --csv perf.db",
			"counters of Windows, or of perftab-capture perflib, as CSV",
			"perftab-analyze --csv --counterset Processor counters.plb",
			"values of PerfLib in SQL, from a database",
			"perftab-analyze --sql 'SELECT * FROM perflib_value' perf.db",
			"do the books balance?", "perftab-analyze --check perf.data",
			"what each process of a command costs",
			"perftab-analyze --live -- sh -c 'ls -l | sort'", NULL },
};

/* --- the choices, as numbers --- */

/* The first is the default. */
static int find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!word || strcmp(word, words[i]) == 0)
			return i;
	return -1;
}

/* What only a live bill can have. */
static const char *live_option(void)
{
	return asked.event_texts.count ? "-e"
	       : asked.all_cpus	       ? "-a"
	       : asked.pid	       ? "-p"
	       : asked.interval_text   ? "-i"
	       : asked.duration_text   ? "-d"
	       : asked.multiplex       ? "--multiplex"
				       : NULL;
}
/* What has no meaning for a query. */
static const char *bill_option(void)
{
	const struct {
		const char *name;
		bool given;
	} others[] = {
		{ "--by", asked.by_name },
		{ "--check", asked.check },
		{ "--metrics", asked.print_options.metrics },
		{ "--unproven", asked.rule_name },
		{ "--from", asked.from_ns != INT64_MIN },
		{ "--to", asked.to_ns != INT64_MAX },
		{ "--sort", asked.sort_column },
		{ "--top", asked.top >= 0 },
		{ "--events", asked.input.events },
		{ "--tracefs", asked.input.tracefs },
		{ "--counterset", asked.value_options.counterset },
		{ "--instance", asked.value_options.instance },
		{ "--counter", asked.value_options.counter },
		{ "--language", asked.language },
		{ "--multi-timer", asked.variant_name },
		{ "--trace", asked.trace_id },
		{ "--strict", asked.strict },
		{ "--live", asked.live_wanted },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return others[i].name;
	return NULL;
}

static int find_choices(void)
{
	static const char *const bys[] = { "process", "thread", "cpu", NULL };
	static const char *const rules[] = { "separate", "switched-out", NULL };
	static const char *const languages[] = { "english", "local", NULL };
	int by = find_word(asked.by_name, bys);
	int rule = find_word(asked.rule_name, rules);
	int local = find_word(asked.language, languages);

	if (by < 0)
		return cli_wrong_usage(&analyze_cli,
				       "--by takes process, thread or cpu, not '%s'",
				       asked.by_name);
	if (local < 0)
		return cli_wrong_usage(&analyze_cli,
				       "--language takes english or local, not '%s'",
				       asked.language);
	if (asked.variant_name &&
	    !perf_counter_variant_of(asked.variant_name, &asked.value_options.variant))
		return cli_wrong_usage(
			&analyze_cli,
			"--multi-timer takes share, ce, kit, sdk or pcq, not '%s'",
			asked.variant_name);
	if (rule < 0)
		return cli_wrong_usage(
			&analyze_cli,
			"--unproven takes separate or switched-out, not '%s'",
			asked.rule_name);
	asked.by = (enum bill_by)by;
	asked.rule = (enum bill_rule)rule;
	asked.value_options.local = local == 1;
	return EXIT_DONE;
}

int analyze_options(int argc, char **argv, int *operands)
{
	int result = cli_parse(&analyze_cli, argc, argv, operands);

	if (result == EXIT_DONE)
		result = find_choices();
	if (result != EXIT_DONE)
		return result;
	if (asked.query && bill_option())
		return cli_wrong_usage(&analyze_cli, "--sql and %s exclude one another",
				       bill_option());
	if (!asked.live_wanted && live_option())
		return cli_wrong_usage(&analyze_cli, "%s goes with --live",
				       live_option());
	return EXIT_DONE;
}
