/* main.c - perftab-analyze: what each process, thread or CPU cost. */
#include <stdio.h>

#include "base/os.h"
#include "formats/formats.h"
#include "job.h"
#include "sql.h"
#ifdef PERFTAB_LIVE /* where there is a recorder: Linux */
#include "live_main.h"
#endif

static int run_file(const struct analyze_options *options, const char *path)
{
	struct job job = { .options = options, .path = path };
	struct reader reader;
	int result;

	if (reader_open(&reader, path, &options->input, all_formats) != ST_OK) {
		if (reader.error.status != ST_INTERRUPTED)
			cli_error(analyze_cli.name, path, reader.error.text);
		return EXIT_FAILED;
	}
	if (options->form == FORM_CSV && reader.trace_count > 1) {
		cli_error(
			analyze_cli.name, path,
			"holds several traces, and CSV shows one: choose it with --trace ID");
		reader_close(&reader);
		return EXIT_USAGE;
	}
	result = job_run(&job, &reader);
	reader_close(&reader);
	return job_finish(&job, result);
}

static int run_query(const struct analyze_options *options, const char *path)
{
	const struct sql_options sql = { options->query, options->form == FORM_JSON,
					 options->csv_safe };
	struct error error = { .status = ST_OK };
	enum status status = sql_print(path, &sql, &error);

	if (!cli_close_stdout(analyze_cli.name))
		return EXIT_FAILED;
	if (status != ST_OK)
		cli_error(analyze_cli.name, path, error.text);
	return status == ST_OK ? EXIT_DONE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct analyze_options options;
	int first, result = parse_options(&options, argc, argv, &first);

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
#ifdef PERFTAB_LIVE
	if (options.is_live) {
		os_catch_interrupts();
		return run_live(&options, argc, argv, first);
	}
#endif
	if (argc - first != 1)
		return cli_wrong_usage(&analyze_cli, argc == first
							     ? "no input given"
							     : "one input at a time");
	if (options.query)
		return run_query(&options, argv[first]);
	os_catch_interrupts();
	result = run_file(&options, argv[first]);
	os_die_of_interrupt();
	return result;
}
