/*
 * main.c - perftab-convert: traces in, one database or a directory of CSV out,
 * or a list of what is in them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/code_page.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "common/cli.h"
#include "common/confine.h"
#include "formats/formats.h"
#include "list.h"
#include "output/outputs.h"
#include "output/target.h"
#include "output_name.h"
#include "pipeline/anonymous.h"
#include "pipeline/pipeline.h"

/* Less holds no more than the page cache and the batches. */
#define MEMORY_MIB_MIN 16

struct convert_options {
	const char *to; /* NULL: the default */
	struct sink_options output;
	struct reader_options input;
	bool strict, no_indexes, is_list, json, verbose;
	bool anonymize, anonymize_names, no_sandbox;
	const char *mode;
	int loader; /* 1: sql */
	int64_t memory_mib;
	int verify, sync;
	int parquet_encoding; /* 1: plain */
};

#define AT(member) OPTION_AT(struct convert_options, member)

static const struct option_spec specs[] = {
	{ OPTION_TEXT, 'o', "output", "PATH",
	  "the database file, the directory for CSV or Parquet,\nor - for a Perfetto trace to standard output",
	  AT(output.path), 0 },
	{ OPTION_TEXT, 't', "to", "FORMAT",
	  "sqlite (default), csv, parquet (a tree for DuckDB and\nothers), perfetto (for ui.perfetto.dev), or null: read\nand attribute, write nothing",
	  AT(to), 0 },
	{ OPTION_FLAG, 'l', "list", NULL, "convert nothing: show what is in each input",
	  AT(is_list), 0 },
	{ OPTION_FLAG, 'j', "json", NULL, "with --list: as one JSON document", AT(json),
	  0 },
	{ OPTION_FLAG, 'f', "force", NULL, "replace an output that exists",
	  AT(output.overwrite), 0 },
	{ OPTION_TEXT, 0, "mode", "MODE",
	  "permissions of the output, octal, for example 640\n(default: 600, less the "
	  "umask)",
	  AT(mode), 0 },
	{ OPTION_CHOICE, 0, "sync", NULL,
	  "have the output on the disk before it gets its name\n(default when it replaces "
	  "another)",
	  AT(sync), SYNC_ALWAYS },
	{ OPTION_CHOICE, 0, "no-sync", NULL, "leave that to the system", AT(sync),
	  SYNC_NEVER },
	{ OPTION_FLAG, 0, "csv-safe", NULL,
	  "put ' before texts that a spreadsheet would take for\na formula",
	  AT(output.csv_safe), 0 },
	{ OPTION_FLAG, 0, "all-tables", NULL,
	  "Parquet: every table of the database as well", AT(output.all_tables), 0 },
	{ OPTION_WORD, 0, "parquet-encoding", "delta|plain",
	  "numbers as differences (default) or plain, for old\nreaders of Parquet",
	  AT(parquet_encoding), 0 },
	{ OPTION_FLAG, 0, "anonymize", NULL,
	  "to share the output: hosts, users, SIDs, command lines,\npaths become short "
	  "tokens; names of processes stay;\nwith --list: show what would stay",
	  AT(anonymize), 0 },
	{ OPTION_FLAG, 0, "anonymize-names", NULL,
	  "the same, and names of processes and threads as well", AT(anonymize_names),
	  0 },
	{ OPTION_FLAG, 0, "no-indexes", NULL, "leave out the database's indexes",
	  AT(no_indexes), 0 },
	{ OPTION_WORD, 0, "loader", "bulk|sql",
	  "how rows get into the database: bulk (default), written\nas pages, or sql, "
	  "inserted",
	  AT(loader), 0 },
	{ OPTION_INT, 0, "memory", "MIB",
	  "memory for sorting the database's indexes and all\naround it (default 128)",
	  AT(memory_mib), MEMORY_MIB_MIN },
	{ OPTION_CHOICE, 0, "verify", NULL,
	  "have SQLite check the database before it gets its name,\nwhatever its size (by "
	  "default if neither it nor the\ninputs have 256 MiB)",
	  AT(verify), VERIFY_ALWAYS },
	{ OPTION_CHOICE, 0, "no-verify", NULL, "check the database's pages only",
	  AT(verify), VERIFY_NEVER },
	{ OPTION_FLAG, 'v', "verbose", NULL, "tell what was done another way, and why",
	  AT(verbose), 0 },
	{ OPTION_TEXT, 0, "events", "NAMES",
	  "names for events that a perf.data does not name, in\norder, as after perf record -e",
	  AT(input.events), 0 },
	{ OPTION_TEXT, 0, "tracefs", "DIR",
	  "tracepoint formats that a perf.data lacks, from a copy\nof /sys/kernel/tracing",
	  AT(input.tracefs), 0 },
	{ OPTION_INT, 0, "code-page", "NUMBER",
	  "the code page of names in a PDH-CSV, such as 1251", AT(input.code_page), 1 },
	{ OPTION_FLAG, 0, "no-sandbox", NULL,
	  "read the inputs with all rights of the user", AT(no_sandbox), 0 },
	{ OPTION_FLAG, 0, "strict", NULL, "exit with 1, not 3, when an input was damaged",
	  AT(strict), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli cli = {
	.name = "perftab-convert",
	.usage = (const char *const[]){ "INPUT... -o OUT.db",
					"INPUT... --to csv|parquet -o DIR",
					"--list [--json] INPUT...", NULL },
	.summary =
		"Turns performance traces (perf.data) into one SQLite database, or one CSV file a\n"
		"table, and charges every counter's deltas to the threads they belong to.  --list\n"
		"shows what is in them: form, events, counts of records, header, problems.",
	.options = specs,
	.examples =
		(const char *const[]){
			"a trace into a database", "perftab-convert perf.data -o perf.db",
			"several traces into one database",
			"perftab-convert before.data after.data -o both.db",
			"a trace into CSV files, one a table",
			"perftab-convert perf.data --to csv -o tables",
			"traces into a tree of Parquet files",
			"perftab-convert *.data --to parquet -o fleet",
			"the same without names, paths and command lines, to share it",
			"perftab-convert --anonymize perf.data -o shared.db",
			"what is in a trace, and what is wrong with it",
			"perftab-convert --list perf.data", NULL },
};

/* The position in each input while it is read. */
struct job {
	const struct convert_options *options;
	struct progress progress;
	const char *path;
	const char *format;
	bool damaged;
	int64_t listed; /* --list: inputs printed */
};

static void show_progress(void *context, const struct reader *reader)
{
	struct job *job = context;

	progress_show(&job->progress, reader_done_bytes(reader),
		      reader_all_bytes(reader));
}

static void report_finding(void *context, const struct finding_row *finding)
{
	struct job *job = context;

	if (!str_equal(finding->severity, STR("damage")))
		return;
	job->damaged = true;
	if (job->options->is_list) /* it is part of the list */
		return;
	progress_end(&job->progress);
	cli_finding(cli.name, job->path, job->format, finding->text);
}

/* False: it was reported why. */
static bool open_input(const struct convert_options *options, struct reader *reader,
		       const char *path)
{
	enum status status = reader_open(reader, path, &options->input, all_formats);

	if (status == ST_OK && reader->ops->gives_rows) {
		status = error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "is a perftab database already, expected a trace");
		reader_close(reader);
	}
	if (status != ST_OK && !os_interrupted()) /* Ctrl-C needs no message */
		cli_error(cli.name, path, reader->error.text);
	return status == ST_OK;
}

/* An open input into the sink, and closed; false when the output cannot be finished. */
static bool convert(struct pipeline *pipeline, struct reader *reader, struct job *job,
		    struct sink *sink)
{
	struct pipeline_hooks hooks = { .progress = show_progress,
					.finding = report_finding,
					.context = job };
	enum status status;

	job->path = reader->path;
	job->format = reader->ops->name;
	progress_begin(&job->progress, cli.name);
	status = pipeline_run(pipeline, reader, &hooks);
	progress_end(&job->progress);
	reader_close(reader);
	if (status != ST_OK && !os_interrupted())
		cli_error(cli.name, job->path,
			  sink->error.status < ST_OK ? sink->error.text
						     : reader->error.text);
	return status == ST_OK;
}

static int exit_status(const struct job *job, bool done)
{
	if (done && memory_failed())
		cli_warn(cli.name, "out of memory");
	if (!done || memory_failed())
		return EXIT_FAILED;
	return job->damaged ? (job->options->strict ? EXIT_FAILED : EXIT_DAMAGED)
			    : EXIT_DONE;
}

/* --- conversion --- */

static const struct sink_ops *find_writer(const char *name)
{
	for (size_t i = 0; writers[i]; i++)
		if (strcmp(writers[i]->name, name) == 0)
			return writers[i];
	return NULL;
}

/* A hint for the writer; what cannot be looked at counts as nothing. */
static uint64_t bytes_of(char **inputs)
{
	uint64_t bytes = 0;
	struct stat info;

	for (; *inputs; inputs++)
		if (stat(*inputs, &info) == 0 && S_ISREG(info.st_mode))
			bytes += (uint64_t)info.st_size;
	return bytes;
}

static void print_note(void *context, const char *text)
{
	const struct convert_options *options = context;

	if (options->verbose)
		cli_warn(cli.name, text);
}

/* Permissions in octal, as chmod accepts them; false: something else. */
static bool parse_mode(const char *text, unsigned int *value)
{
	char *end;
	unsigned long number = strtoul(text, &end, 8);

	*value = (unsigned int)number;
	return text[0] >= '0' && text[0] <= '7' && *end == '\0' && number != 0 &&
	       number <= 0777;
}

/* The options of the output; the exit status of wrong usage, or EXIT_DONE. */
static int set_output(struct convert_options *options, char **inputs)
{
	struct sink_options *output = &options->output;

	if (options->mode && !parse_mode(options->mode, &output->mode))
		return cli_wrong_usage(
			&cli,
			"invalid mode '%s': expected an octal number, for example 640",
			options->mode);
	output->sync = (enum sink_sync)options->sync;
	output->by_sql = options->loader == 1;
	output->indexes = !options->no_indexes;
	output->parquet_plain = options->parquet_encoding == 1;
	output->memory_bytes = (uint64_t)options->memory_mib << 20;
	output->verify = (enum sink_verify)options->verify;
	output->note = print_note;
	output->context = options;
	output->input_bytes = bytes_of(inputs);
	return EXIT_DONE;
}

/* --- --anonymize --- */

/* Standard input and pipes can be read only once. */
static bool is_readable_twice(const char *path)
{
	struct stat info;

	return strcmp(path, "-") != 0 && stat(path, &info) == 0 &&
	       (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

/* Problems of the input are reported when it is converted. */
static enum status learn_from(const struct convert_options *options,
			      struct anonymous *anonymous, const char *path,
			      struct error *error)
{
	struct job job = { .options = options, .path = path };
	struct pipeline_hooks hooks = { .progress = show_progress, .context = &job };
	struct pipeline pipeline;
	struct reader reader;
	struct sink sink;
	enum status status = anonymous_learn(&sink, anonymous);

	if (status != ST_OK) {
		*error = sink.error;
		return status;
	}
	pipeline_init(&pipeline, &sink, 1);
	progress_begin(&job.progress, cli.name);
	status = reader_open(&reader, path, &options->input, all_formats);
	if (status == ST_OK) {
		if (!reader.ops->gives_rows)
			status = pipeline_run(&pipeline, &reader, &hooks);
		reader_close(&reader);
	}
	progress_end(&job.progress);
	if (status != ST_OK) /* as far as it could be read */
		status = sink.error.status;
	*error = sink.error;
	pipeline_release(&pipeline);
	sink_close(&sink);
	return status;
}

/* The writer's sink; with --anonymize the one that removes texts feeds it. */
static enum status open_output(const struct convert_options *options, struct sink *sink,
			       const struct sink_ops *writer, struct anonymous *anonymous,
			       char **inputs)
{
	struct error error = { .status = ST_OK };
	enum status status = ST_OK;

	if (!anonymous)
		return sink_open(sink, writer, &options->output);
	for (; *inputs && status == ST_OK && !os_interrupted(); inputs++)
		if (is_readable_twice(*inputs))
			status = learn_from(options, anonymous, *inputs, &error);
	if (status != ST_OK) {
		sink->error = error;
		return status;
	}
	return anonymous_open(sink, anonymous, writer, &options->output);
}

/* --- --list --- */

static void print_listing(void *context, const struct listing *listing)
{
	struct job *job = context;

	progress_end(&job->progress);
	if (job->options->json) {
		fputs(job->listed ? ",\n" : "\n", stdout);
		list_print_json(stdout, listing);
	} else {
		fputs(job->listed ? "\n" : "", stdout);
		list_print_text(stdout, listing);
	}
	job->listed++;
	fflush(stdout); /* messages on the next input follow it */
}

/* The sink of the listing; with --anonymize the one that removes texts feeds it. */
static enum status open_list(const struct convert_options *options, struct sink *sink,
			     struct anonymous *anonymous, const char *path,
			     struct list_sink **list)
{
	char *inputs[] = { (char *)(uintptr_t)path, NULL };
	enum status status =
		open_output(options, sink, &list_sink_ops, anonymous, inputs);

	if (status == ST_OK)
		*list = anonymous ? anonymous_inner_state(sink) : sink->state;
	return status;
}

static bool list_with(const char *path, struct job *job, struct anonymous *anonymous)
{
	struct pipeline pipeline;
	struct list_sink *list;
	struct reader reader;
	struct sink sink;
	bool done;

	if (!open_input(job->options, &reader, path))
		return false;
	if (open_list(job->options, &sink, anonymous, path, &list) != ST_OK) {
		cli_error(cli.name, path, sink.error.text);
		reader_close(&reader);
		return false;
	}
	list->done = print_listing;
	list->context = job;
	list->listing.anonymous = anonymous;
	pipeline_init(&pipeline, &sink, 1);
	done = convert(&pipeline, &reader, job, &sink);
	pipeline_release(&pipeline);
	sink_close(&sink);
	return done;
}

/* What is left of an input that failed must not meet the next one: all is made anew. */
static bool list_one(const char *path, struct job *job)
{
	struct anonymous *anonymous = NULL;
	bool done;

	if (job->options->anonymize || job->options->anonymize_names) {
		anonymous = anonymous_new(job->options->anonymize_names);
		if (!anonymous) {
			cli_warn(cli.name, "out of memory");
			return false;
		}
	}
	done = list_with(path, job, anonymous);
	anonymous_free(anonymous);
	return done;
}

static int list_inputs(const struct convert_options *options, char **inputs)
{
	struct job job = { .options = options };
	bool done = true;

	if (options->json)
		printf("{\"schema_version\": %d, \"inputs\": [", LIST_SCHEMA_VERSION);
	for (; *inputs && !os_interrupted(); inputs++)
		done &= list_one(*inputs, &job);
	if (options->json && !os_interrupted())
		puts("\n]}");
	done &= cli_close_stdout(cli.name);
	os_die_of_interrupt();
	return exit_status(&job, done);
}

/* --- running --- */

/* SIGINT or SIGTERM: says what became of the output, and ends the program by it. */
static void end_if_interrupted(const char *path, bool done)
{
	if (os_interrupted() && path && done)
		fprintf(stderr, "%s: interrupted, but %s is complete\n", cli.name, path);
	else if (os_interrupted() && path)
		fprintf(stderr, "%s: interrupted, nothing was written\n", cli.name);
	os_die_of_interrupt();
}

static int run_with(const struct convert_options *options, const struct sink_ops *writer,
		    struct anonymous *anonymous, char **inputs)
{
	struct pipeline pipeline;
	struct job job = { .options = options };
	struct reader reader;
	struct sink sink;
	bool done = true;

	/* The first input first: it is being read while the output is made ready. */
	if (!open_input(options, &reader, *inputs)) {
		end_if_interrupted(options->output.path, false);
		return EXIT_FAILED;
	}
	if (open_output(options, &sink, writer, anonymous, inputs) != ST_OK) {
		if (!os_interrupted())
			cli_warn(cli.name, sink.error.text);
		reader_close(&reader);
		end_if_interrupted(options->output.path, false);
		return EXIT_FAILED;
	}
	pipeline_init(&pipeline, &sink, 1);
	done = convert(&pipeline, &reader, &job, &sink);
	while (done && *++inputs)
		done = open_input(options, &reader, *inputs) &&
		       convert(&pipeline, &reader, &job, &sink);
	if (done && sink_finish(&sink) != ST_OK) {
		done = false;
		if (!os_interrupted())
			cli_warn(cli.name, sink.error.text);
	}
	pipeline_release(&pipeline);
	sink_close(&sink);
	end_if_interrupted(options->output.path, done);
	return exit_status(&job, done);
}

static int run(const struct convert_options *options, const struct sink_ops *writer,
	       char **inputs)
{
	struct anonymous *anonymous = NULL;
	int result;

	if (options->anonymize || options->anonymize_names) {
		anonymous = anonymous_new(options->anonymize_names);
		if (!anonymous) {
			fprintf(stderr, "%s: out of memory\n", cli.name);
			return EXIT_FAILED;
		}
	}
	result = run_with(options, writer, anonymous, inputs);
	anonymous_free(anonymous);
	return result;
}

static int wrong_format(const char *name)
{
	char words[200] = "";
	size_t at = 0;

	for (size_t i = 0; writers[i]; i++)
		at += text_print(words + at, sizeof(words) - at, "%s%s", i ? "|" : "",
				 writers[i]->name);
	return cli_wrong_word(&cli, "unknown output format", name, words);
}

static bool is_to_stdout(const struct convert_options *options)
{
	return options->output.path && strcmp(options->output.path, "-") == 0;
}

static void enter_sandbox(const struct convert_options *options, char **inputs,
			  size_t count)
{
	bool to_stdout = is_to_stdout(options);
	const struct confinement rights = {
		.inputs = inputs,
		.input_count = count,
		.tracefs = options->input.tracefs,
		.output = to_stdout ? NULL : options->output.path,
		.temporaries = to_stdout,
	};

	if (!options->no_sandbox)
		confine(cli.name, &rights, options->verbose);
}

int main(int argc, char **argv)
{
	struct convert_options options = {
		.input = { .want_rows = true },
		.verify = VERIFY_SMALL,
		.sync = SYNC_REPLACING,
	};
	int first, result = cli_parse_into(&cli, &options, argc, argv, &first);
	const struct sink_ops *writer;

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	if (options.input.code_page && !code_page_is_known(options.input.code_page))
		return cli_wrong_usage(&cli, "unsupported code page %lld: expected %s",
				       (long long)options.input.code_page,
				       code_page_numbers());
	writer = options.to ? find_writer(options.to) : &sqlite_writer;
	if (!writer)
		return wrong_format(options.to);
	if (options.is_list && options.output.csv_safe)
		return cli_wrong_usage(&cli,
				       "--list prints text or --json: no --csv-safe");
	if (options.is_list && (options.output.path || options.to))
		return cli_wrong_usage(&cli, "--list converts nothing: no %s",
				       options.to ? "--to" : "-o");
	if (options.json && !options.is_list)
		return cli_wrong_usage(&cli, "--json goes with --list");
	if (first == argc)
		return cli_wrong_usage(&cli, "no input given");
	if (options.is_list) {
		options.input.want_rows = options.anonymize || options.anonymize_names;
		enter_sandbox(&options, argv + first, (size_t)(argc - first));
		os_catch_interrupts();
		return list_inputs(&options, argv + first);
	}
	if (!options.output.path && writer != &null_writer)
		return argc - first > 1 && access(argv[argc - 1], F_OK) != 0
			       ? cli_wrong_usage(&cli,
						 "no output given: did you mean -o %s?",
						 argv[argc - 1])
			       : cli_wrong_usage(&cli, "no output given: -o PATH");
	if (is_to_stdout(&options) && !writer->to_stdout)
		return cli_wrong_usage(&cli, "a %s cannot be written to standard output",
				       writer == &csv_writer ? "directory" : "database");
	for (int i = first; options.output.path && i < argc; i++)
		if (target_is(options.output.path, argv[i]))
			return cli_wrong_usage(
				&cli, "the output would be written over the input %s",
				argv[i]);
	if (!options.to && output_name_hint(options.output.path))
		return cli_wrong_usage(&cli, "'%s' would be an SQLite database; %s",
				       options.output.path,
				       output_name_hint(options.output.path));
	result = set_output(&options, argv + first);
	if (result != EXIT_DONE)
		return result;
	enter_sandbox(&options, argv + first, (size_t)(argc - first));
	os_catch_interrupts();
	return run(&options, writer, argv + first);
}
