/* main.c - perftab-analyze: what each process, thread or CPU cost. */
#include <stdio.h>

#include "base/background.h"
#include "base/os.h"
#include "common/confine.h"
#include "diff.h"
#include "html.h"
#include "run_file.h"
#include "sql.h"
#ifdef PERFTAB_LIVE /* where there is a recorder */
#include "live_main.h"
#endif

static int run_query(const struct analyze_options *options, const char *path)
{
	const struct sql_options sql = { options->query, options->form == FORM_JSON,
					 options->csv_safe, options->no_sandbox };
	struct error error = { .status = ST_OK };
	bool is_damaged = false;
	enum status status = sql_print(path, &sql, &is_damaged, &error);

	if (!cli_close_stdout(analyze_cli.name))
		return EXIT_FAILED;
	if (status != ST_OK)
		cli_error(analyze_cli.name, path, error.text);
	if (status != ST_OK || (is_damaged && options->strict))
		return EXIT_FAILED;
	return is_damaged ? EXIT_DAMAGED : EXIT_DONE;
}

/* Not while recording: that starts programs, and asks for counters. */
static void enter_sandbox(const struct analyze_options *options, char **inputs,
			  size_t count)
{
	const struct confinement rights = { .inputs = inputs,
					    .input_count = count,
					    .tracefs = options->input.tracefs,
					    .output = html_file(options),
					    .temporaries = options->query != NULL ||
							   options->interval_ns };

	if (!options->no_sandbox)
		confine(analyze_cli.name, &rights, options->verbose);
}

static int compare_sides(const struct analyze_options *options, char **inputs,
			 size_t count)
{
	int result;

	if (!options->runs_a || options->runs_a == count)
		return cli_wrong_usage(&analyze_cli, "--diff needs A... --with B...");
	enter_sandbox(options, inputs, count);
	os_catch_interrupts();
	cli_end_at_interrupts(analyze_cli.name, html_file(options), false);
	result = run_diff(options, inputs, options->runs_a, count - options->runs_a);
	cli_end_if_interrupted(analyze_cli.name, html_file(options),
			       result != EXIT_FAILED && result != EXIT_USAGE);
	return result;
}

/* An option whose output has room for one trace. */
static const char *single_option(const struct analyze_options *options)
{
	return options->query		   ? "--sql"
	       : options->html		   ? "--html"
	       : options->form == FORM_CSV ? "--csv"
					   : NULL;
}

int main(int argc, char **argv)
{
	struct analyze_options options;
	int first, result;

	os_fill_standard();
	result = parse_options(&options, argc, argv, &first);
	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	os_use_large_pages();
	background_set_threads((size_t)options.threads);
#ifdef PERFTAB_LIVE
	if (options.is_live) {
		os_catch_interrupts();
		return run_live(&options, argc, argv, first);
	}
#endif
	if (options.is_diff)
		return compare_sides(&options, argv + first, (size_t)(argc - first));
	if (argc == first)
		return cli_wrong_usage(&analyze_cli, "no input given");
	if (argc - first > 1 && single_option(&options))
		return cli_wrong_usage(&analyze_cli,
				       "%s reads one input, not %d; to compare: "
				       "--diff A... --with B...",
				       single_option(&options), argc - first);
	enter_sandbox(&options, argv + first, (size_t)(argc - first));
	if (options.query)
		return run_query(&options, argv[first]);
	os_catch_interrupts();
	cli_end_at_interrupts(analyze_cli.name, html_file(&options), false);
	result = run_files(&options, argv + first, (size_t)(argc - first), 0);
	cli_end_if_interrupted(analyze_cli.name, html_file(&options),
			       result == EXIT_DONE || result == EXIT_DAMAGED);
	return result;
}
