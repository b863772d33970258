/*
 * perftab_convert.c - perftab-convert: traces in, one database or a directory of CSV out,
 * or a list of what is in them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/os.h"
#include "common/cli.h"
#include "formats/formats.h"
#include "list.h"
#include "output/outputs.h"
#include "output/target.h"
#include "pipeline/anonymous.h"
#include "pipeline/pipeline.h"

/* Less holds no more than the page cache and the batches. */
#define MEMORY_MIB_MIN 16

static const char *to;
static struct sink_options output;
static struct reader_options input = { .want_rows = true };
static bool strict, no_indexes, list_wanted, json, verbose;
static bool anonymize, anonymize_names;
static const char *loader;
static int64_t memory_mib;
static int verify = VERIFY_SMALL;

static const struct option_spec options[] = {
	{ OPTION_TEXT, 'o', "output", "PATH",
	  "the database file, or the directory for CSV", &output.path, 0 },
	{ OPTION_TEXT, 't', "to", "FORMAT",
	  "sqlite (default), csv, or null: read and attribute,\nwrite nothing", &to, 0 },
	{ OPTION_FLAG, 'l', "list", NULL, "convert nothing: show what is in each input",
	  &list_wanted, 0 },
	{ OPTION_FLAG, 'j', "json", NULL, "with --list: as one JSON document", &json, 0 },
	{ OPTION_FLAG, 'f', "force", NULL, "replace an output that exists",
	  &output.overwrite, 0 },
	{ OPTION_FLAG, 0, "csv-safe", NULL,
	  "put ' before texts that a spreadsheet would take for\na formula",
	  &output.csv_safe, 0 },
	{ OPTION_FLAG, 0, "anonymize", NULL,
	  "to share the output: hosts, users, SIDs, command lines,\npaths become short "
	  "tokens; names of processes stay",
	  &anonymize, 0 },
	{ OPTION_FLAG, 0, "anonymize-names", NULL,
	  "the same, and names of processes and threads as well", &anonymize_names, 0 },
	{ OPTION_FLAG, 0, "no-indexes", NULL, "leave out the database's indexes",
	  &no_indexes, 0 },
	{ OPTION_TEXT, 0, "loader", "NAME",
	  "how rows get into the database: bulk (default), laid\ndown as pages, or sql, "
	  "inserted",
	  &loader, 0 },
	{ OPTION_INT, 0, "memory", "MIB",
	  "memory for sorting the database's indexes and all\naround it (default 128)",
	  &memory_mib, MEMORY_MIB_MIN },
	{ OPTION_CHOICE, 0, "verify", NULL,
	  "have SQLite check the database before it gets its name,\nwhatever its size (by "
	  "default if neither it nor the\ninputs have 256 MiB)",
	  &verify, VERIFY_ALWAYS },
	{ OPTION_CHOICE, 0, "no-verify", NULL, "check the database's pages only", &verify,
	  VERIFY_NEVER },
	{ OPTION_FLAG, 'v', "verbose", NULL, "tell what was done another way, and why",
	  &verbose, 0 },
	{ OPTION_TEXT, 0, "events", "NAMES",
	  "names for events that a perf.data does not name, in\norder, as after perf record -e",
	  &input.events, 0 },
	{ OPTION_TEXT, 0, "tracefs", "DIR",
	  "tracepoint formats that a perf.data lacks, from a copy\nof /sys/kernel/tracing",
	  &input.tracefs, 0 },
	{ OPTION_FLAG, 0, "strict", NULL, "exit with 1, not 3, when an input was damaged",
	  &strict, 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli cli = {
	.name = "perftab-convert",
	.usage = (const char *const[]){ "INPUT... -o OUT.db", "INPUT... --to csv -o DIR",
					"--list [--json] INPUT...", NULL },
	.summary =
		"Turns performance traces (perf.data) into one SQLite database, or one CSV file a\n"
		"table, and charges every counter's deltas to the threads they belong to.  --list\n"
		"shows what is in them: form, events, counts of records, header, problems.",
	.options = options,
	.examples =
		(const char *const[]){
			"a trace into a database", "perftab-convert perf.data -o perf.db",
			"several traces into one database",
			"perftab-convert before.data after.data -o both.db",
			"a trace into CSV files, one a table",
			"perftab-convert perf.data --to csv -o tables",
			"the same without names, paths and command lines, to share it",
			"perftab-convert --anonymize perf.data -o shared.db",
			"what is in a trace, and what is wrong with it",
			"perftab-convert --list perf.data", NULL },
};

/* What is told about each input while it is read. */
struct talk {
	struct progress progress;
	const char *path;
	const char *format;
	bool damaged;
	int64_t listed; /* --list: inputs printed */
};

static void show_progress(void *context, const struct reader *reader)
{
	struct talk *talk = context;

	progress_show(&talk->progress, reader_done_bytes(reader),
		      reader_all_bytes(reader));
}

static void tell_finding(void *context, const struct finding_row *finding)
{
	struct talk *talk = context;
	char text[256];

	if (!str_equal(finding->severity, STR("damage")))
		return;
	talk->damaged = true;
	if (list_wanted) /* it is part of the list */
		return;
	progress_end(&talk->progress);
	snprintf(text, sizeof(text), "%s: %.*s", talk->format, (int)finding->text.len,
		 finding->text.ptr);
	cli_error(cli.name, talk->path, text);
}

/* False: told why. */
static bool open_input(struct reader *reader, const char *path)
{
	enum status status = reader_open(reader, path, &input, all_formats);

	if (status == ST_OK && reader->ops->gives_rows) {
		status = error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "is a perftab database already, expected a trace");
		reader_close(reader);
	}
	if (status != ST_OK && !os_interrupted()) /* whoever pressed Ctrl-C knows */
		cli_error(cli.name, path, reader->error.text);
	return status == ST_OK;
}

/* An open input into the sink, and closed; false when the output cannot be finished. */
static bool convert(struct pipeline *pipeline, struct reader *reader, struct talk *talk,
		    struct sink *sink)
{
	struct pipeline_hooks hooks = { show_progress, tell_finding, talk };
	enum status status;

	talk->path = reader->path;
	talk->format = reader->ops->name;
	progress_begin(&talk->progress, cli.name);
	status = pipeline_run(pipeline, reader, &hooks);
	progress_end(&talk->progress);
	reader_close(reader);
	if (status != ST_OK && !os_interrupted())
		cli_error(cli.name, talk->path,
			  sink->error.status < ST_OK ? sink->error.text
						     : reader->error.text);
	return status == ST_OK;
}

static int exit_status(const struct talk *talk, bool done)
{
	if (!done)
		return EXIT_FAILED;
	return talk->damaged ? (strict ? EXIT_FAILED : EXIT_DAMAGED) : EXIT_DONE;
}

/* --- --list --- */

static void print_listing(void *context, const struct listing *listing)
{
	struct talk *talk = context;

	progress_end(&talk->progress);
	if (json) {
		fputs(talk->listed ? ",\n" : "\n", stdout);
		list_print_json(stdout, listing);
	} else {
		fputs(talk->listed ? "\n" : "", stdout);
		list_print_text(stdout, listing);
	}
	talk->listed++;
	fflush(stdout); /* what is told about the next input stands behind it */
}

/* What is left of an input that failed must not meet the next one: all is made anew. */
static bool list_one(const char *path, struct talk *talk)
{
	struct pipeline pipeline;
	struct list_sink *list;
	struct reader reader;
	struct sink sink;
	bool done;

	if (!open_input(&reader, path))
		return false;
	if (sink_open(&sink, &list_sink_ops, NULL) != ST_OK) {
		cli_error(cli.name, path, sink.error.text);
		reader_close(&reader);
		return false;
	}
	list = sink.state;
	list->done = print_listing;
	list->context = talk;
	pipeline_init(&pipeline, &sink, 1);
	done = convert(&pipeline, &reader, talk, &sink);
	pipeline_release(&pipeline);
	sink_close(&sink);
	return done;
}

static int list_inputs(char **inputs)
{
	struct talk talk = { .damaged = false };
	bool done = true;

	input.want_rows = false;
	if (json)
		printf("{\"schema_version\": %d, \"inputs\": [", LIST_SCHEMA_VERSION);
	for (; *inputs && !os_interrupted(); inputs++)
		done &= list_one(*inputs, &talk);
	if (json && !os_interrupted())
		puts("\n]}");
	done &= cli_close_stdout(cli.name);
	os_die_of_interrupt();
	return exit_status(&talk, done);
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

static void tell_note(void *context, const char *text)
{
	(void)context;
	if (verbose)
		fprintf(stderr, "%s: %s\n", cli.name, text);
}

/* --loader, and what else is said with numbers; false: wrong usage. */
static bool set_output(char **inputs)
{
	if (loader && strcmp(loader, "bulk") != 0 && strcmp(loader, "sql") != 0)
		return false;
	output.by_sql = loader && strcmp(loader, "sql") == 0;
	output.indexes = !no_indexes;
	output.memory_bytes = (uint64_t)memory_mib << 20;
	output.verify = (enum sink_verify)verify;
	output.note = tell_note;
	output.input_bytes = bytes_of(inputs);
	return true;
}

/* --- --anonymize --- */

/* Standard input and pipes can be read only once. */
static bool is_readable_twice(const char *path)
{
	struct stat info;

	return strcmp(path, "-") != 0 && stat(path, &info) == 0 &&
	       (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

/* What is wrong with the input is told when it is converted. */
static enum status learn_from(struct anonymous *anonymous, const char *path,
			      struct error *error)
{
	struct talk talk = { .path = path };
	struct pipeline_hooks hooks = { show_progress, NULL, &talk };
	struct pipeline pipeline;
	struct reader reader;
	struct sink sink;
	enum status status = anonymous_learn(&sink, anonymous);

	if (status != ST_OK) {
		*error = sink.error;
		return status;
	}
	pipeline_init(&pipeline, &sink, 1);
	progress_begin(&talk.progress, cli.name);
	status = reader_open(&reader, path, &input, all_formats);
	if (status == ST_OK) {
		if (!reader.ops->gives_rows)
			status = pipeline_run(&pipeline, &reader, &hooks);
		reader_close(&reader);
	}
	progress_end(&talk.progress);
	if (status != ST_OK) /* as far as it could be read */
		status = sink.error.status;
	*error = sink.error;
	pipeline_release(&pipeline);
	sink_close(&sink);
	return status;
}

/* The writer's sink; with --anonymize behind the one that takes texts away. */
static enum status open_output(struct sink *sink, const struct sink_ops *writer,
			       struct anonymous *anonymous, char **inputs)
{
	struct error error = { .status = ST_OK };
	enum status status = ST_OK;

	if (!anonymous)
		return sink_open(sink, writer, &output);
	for (; *inputs && status == ST_OK && !os_interrupted(); inputs++)
		if (is_readable_twice(*inputs))
			status = learn_from(anonymous, *inputs, &error);
	if (status != ST_OK) {
		sink->error = error;
		return status;
	}
	return anonymous_open(sink, anonymous, writer, &output);
}

static int run_with(const struct sink_ops *writer, struct anonymous *anonymous,
		    char **inputs)
{
	struct pipeline pipeline;
	struct talk talk = { .damaged = false };
	struct reader reader;
	struct sink sink;
	bool done = true;

	/* The first input first: it is being read while the output is made ready. */
	if (!open_input(&reader, *inputs)) {
		os_die_of_interrupt();
		return EXIT_FAILED;
	}
	if (open_output(&sink, writer, anonymous, inputs) != ST_OK) {
		if (!os_interrupted())
			fprintf(stderr, "%s: %s\n", cli.name, sink.error.text);
		reader_close(&reader);
		os_die_of_interrupt();
		return EXIT_FAILED;
	}
	pipeline_init(&pipeline, &sink, 1);
	done = convert(&pipeline, &reader, &talk, &sink);
	while (done && *++inputs)
		done = open_input(&reader, *inputs) &&
		       convert(&pipeline, &reader, &talk, &sink);
	if (done && sink_finish(&sink) != ST_OK) {
		done = false;
		if (!os_interrupted())
			fprintf(stderr, "%s: %s\n", cli.name, sink.error.text);
	}
	pipeline_release(&pipeline);
	sink_close(&sink);
	os_die_of_interrupt();
	return exit_status(&talk, done);
}

static int run(const struct sink_ops *writer, char **inputs)
{
	struct anonymous *anonymous = NULL;
	int result;

	if (anonymize || anonymize_names) {
		anonymous = anonymous_new(anonymize_names);
		if (!anonymous) {
			fprintf(stderr, "%s: out of memory\n", cli.name);
			return EXIT_FAILED;
		}
	}
	result = run_with(writer, anonymous, inputs);
	anonymous_free(anonymous);
	return result;
}

int main(int argc, char **argv)
{
	const struct sink_ops *writer;
	int first, result = cli_parse(&cli, argc, argv, &first);

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	writer = to ? find_writer(to) : &sqlite_writer;
	if (!writer)
		return cli_wrong_usage(&cli, "unknown output format '%s'", to);
	if (list_wanted && (output.path || to))
		return cli_wrong_usage(&cli, "--list converts nothing: no %s",
				       to ? "--to" : "-o");
	if (list_wanted && (anonymize || anonymize_names))
		return cli_wrong_usage(&cli,
				       "--list shows what is there: no --anonymize");
	if (json && !list_wanted)
		return cli_wrong_usage(&cli, "--json goes with --list");
	if (first == argc)
		return cli_wrong_usage(&cli, "no input given");
	if (list_wanted) {
		os_catch_interrupts();
		return list_inputs(argv + first);
	}
	if (!output.path && writer != &null_writer)
		return cli_wrong_usage(&cli, "no output given: -o PATH");
	if (output.path && strcmp(output.path, "-") == 0)
		return cli_wrong_usage(&cli, "a %s cannot be written to standard output",
				       writer == &csv_writer ? "directory" : "database");
	for (int i = first; output.path && i < argc; i++)
		if (target_is(output.path, argv[i]))
			return cli_wrong_usage(
				&cli, "the output would be written over the input %s",
				argv[i]);
	if (!set_output(argv + first))
		return cli_wrong_usage(&cli, "unknown loader '%s'", loader);
	os_catch_interrupts();
	return run(writer, argv + first);
}
