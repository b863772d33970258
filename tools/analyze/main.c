/* main.c - perftab-analyze: what each process, thread or CPU cost. */
#include <stdio.h>
#include <string.h>

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
	if (status != ST_OK)
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

/* Stands for --with among the operands, whose order getopt() keeps. */
static char with_mark[] = "--with";

static void mark_with(int argc, char **argv)
{
	bool is_diff = false;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		is_diff |= strcmp(argv[i], "--diff") == 0;
	if (!is_diff)
		return;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--with") == 0)
			argv[i] = with_mark + 2;
}

/* The operands, with the mark in between; its place is taken by the first of B. */
static int compare_sides(const struct analyze_options *options, char **operands)
{
	size_t runs_a = 0, runs_b = 0;
	int result;

	while (operands[runs_a] && operands[runs_a] != with_mark + 2)
		runs_a++;
	if (operands[runs_a])
		for (; operands[runs_a + runs_b + 1]; runs_b++)
			operands[runs_a + runs_b] = operands[runs_a + runs_b + 1];
	if (!runs_a || !runs_b)
		return cli_wrong_usage(&analyze_cli, "--diff needs A... --with B...");
	enter_sandbox(options, operands, runs_a + runs_b);
	os_catch_interrupts();
	cli_end_at_interrupts(analyze_cli.name, html_file(options), false);
	result = run_diff(options, operands, runs_a, runs_b);
	cli_end_if_interrupted(analyze_cli.name, html_file(options),
			       result != EXIT_FAILED && result != EXIT_USAGE);
	return result;
}

int main(int argc, char **argv)
{
	struct analyze_options options;
	int first, result;

	mark_with(argc, argv);
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
		return compare_sides(&options, argv + first);
	if (argc - first != 1)
		return cli_wrong_usage(&analyze_cli, argc == first
							     ? "no input given"
							     : "one input at a time; to "
							       "compare: --diff A... "
							       "--with B...");
	enter_sandbox(&options, argv + first, 1);
	if (options.query)
		return run_query(&options, argv[first]);
	os_catch_interrupts();
	cli_end_at_interrupts(analyze_cli.name, html_file(&options), false);
	result = run_file(&options, argv[first], 0);
	cli_end_if_interrupted(analyze_cli.name, html_file(&options),
			       result == EXIT_DONE || result == EXIT_DAMAGED);
	return result;
}
