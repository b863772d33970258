/*
 * main.c - perftab-convert: traces in, one database or a directory of CSV out,
 * or a list of what is in them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "common/confine.h"
#include "formats/formats.h"
#include "list.h"
#include "options.h"
#include "output/outputs.h"
#include "pipeline/anonymous.h"
#include "pipeline/pipeline.h"
#include "symbols/files/files.h"
#include "symbols/symbols.h"

/* The position in each input while it is read. */
struct job {
	const struct convert_options *options;
	struct machines machines;
	struct progress progress;
	const char *path;
	const char *format;
	bool damaged;
	int64_t listed;		     /* --list: inputs printed */
	struct anonymous *anonymous; /* NULL: nothing is replaced */
	struct files *files;	     /* to name functions; NULL: the trace alone does */
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
	cli_finding(convert_cli.name, job->path, job->format, finding->text);
}

static void apply_machines(void *context, struct trace_row *row)
{
	struct job *job = context;

	machines_apply(&job->machines, job->path, row);
}

static enum status try_input(const struct convert_options *options, struct reader *reader,
			     const char *path, bool more_follow)
{
	struct reader_options input = options->input;
	enum status status;

	input.more_follow = more_follow;
	status = reader_open(reader, path, &input, all_formats);
	if (status == ST_OK && reader->ops->emits_rows) {
		status = error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "is a perftab database already, expected a trace");
		reader_close(reader);
	}
	return status;
}

/* False: it was reported why. */
static bool open_input(const struct convert_options *options, struct reader *reader,
		       const char *path, bool more_follow)
{
	enum status status = try_input(options, reader, path, more_follow);

	if (status != ST_OK && !os_interrupted()) /* Ctrl-C needs no message */
		cli_error(convert_cli.name, path, reader->error.text);
	return status == ST_OK;
}

/* An open input into the sink, and closed; false when the output cannot be finished. */
static bool convert(struct pipeline *pipeline, struct reader *reader, struct job *job,
		    struct sink *sink)
{
	struct pipeline_hooks hooks = { .progress = show_progress,
					.finding = report_finding,
					.trace = apply_machines,
					.context = job };
	enum status status;

	job->path = reader->path;
	job->format = reader->ops->name;
	progress_begin(&job->progress, convert_cli.name);
	status = pipeline_run(pipeline, reader, &hooks);
	progress_end(&job->progress);
	reader_close(reader);
	if (status != ST_OK && !os_interrupted())
		cli_error(convert_cli.name, job->path,
			  sink->error.status < ST_OK ? sink->error.text
						     : reader->error.text);
	return status == ST_OK;
}

static int exit_status(const struct job *job, bool done)
{
	if (done && memory_failed())
		cli_warn(convert_cli.name, "out of memory");
	if (!done || memory_failed())
		return EXIT_FAILED;
	return job->damaged ? (job->options->strict ? EXIT_FAILED : EXIT_DAMAGED)
			    : EXIT_DONE;
}

/* --- --anonymize --- */

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
	progress_begin(&job.progress, convert_cli.name);
	status = reader_open(&reader, path, &options->input, all_formats);
	if (status == ST_OK) {
		if (!reader.ops->emits_rows)
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
		if (reader_is_repeatable(*inputs))
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

	if (!open_input(job->options, &reader, path, false))
		return false;
	if (open_list(job->options, &sink, anonymous, path, &list) != ST_OK) {
		cli_error(convert_cli.name, path, sink.error.text);
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
			cli_warn(convert_cli.name, "out of memory");
			return false;
		}
	}
	done = list_with(path, job, anonymous);
	anonymous_free(anonymous);
	return done;
}

static int list_inputs(const struct convert_options *options, char **inputs)
{
	struct job job = { .options = options, .machines = options->machines };
	bool done = true;

	if (options->json)
		printf("{\"schema_version\": %d, \"inputs\": [", LIST_SCHEMA_VERSION);
	for (; *inputs && !os_interrupted(); inputs++)
		done &= list_one(*inputs, &job);
	if (options->json && !os_interrupted())
		puts("\n]}");
	done &= cli_close_stdout(convert_cli.name);
	os_die_of_interrupt();
	return exit_status(&job, done);
}

/* --- running --- */

/* The file or folder that is written; NULL: standard output, or nothing. */
static const char *output_file(const struct convert_options *options)
{
	const char *path = options->output.path;

	return path && strcmp(path, "-") != 0 ? path : NULL;
}

static void warn_symbols(void *context, const char *path, const char *text)
{
	(void)context;
	cli_error(convert_cli.name, path, text);
}

/* The writer, and what is in front of it. */
struct output {
	struct sink writer, symbols;
	struct sink *first; /* NULL: it is not open */
};

static enum status open_sinks(struct output *output, const struct job *job,
			      const struct sink_ops *writer, char **inputs)
{
	const struct convert_options *options = job->options;
	struct symbol_options symbols = {
		.ask = job->files ? files_ask : NULL,
		.files = job->files,
		.warn = warn_symbols,
	};
	enum status status =
		open_output(options, &output->writer, writer, job->anonymous, inputs);

	if (status != ST_OK) {
		if (!os_interrupted())
			cli_warn(convert_cli.name, output->writer.error.text);
		return status;
	}
	output->first = &output->writer;
	if (writer == &null_writer && !job->files)
		return ST_OK;
	status = symbols_open(&output->symbols, &output->writer, &symbols);
	if (status == ST_OK)
		output->first = &output->symbols;
	else
		cli_warn(convert_cli.name, output->symbols.error.text);
	return status;
}

static void close_sinks(struct output *output)
{
	if (output->first == &output->symbols)
		sink_close(&output->symbols);
	if (output->first)
		sink_close(&output->writer);
}

/*
 * Opens an input before its turn, so that its first bytes are read while another one is
 * converted.  False: it is opened in its turn, as pipes are, which could block.
 */
static bool open_ahead(const struct job *job, struct reader *reader, char **inputs)
{
	return *inputs && reader_is_repeatable(*inputs) &&
	       try_input(job->options, reader, *inputs, inputs[1]) == ST_OK;
}

/* All inputs; readers[0] has the first one open. */
static bool convert_inputs(struct pipeline *pipeline, struct job *job,
			   struct reader readers[2], struct sink *sink, char **inputs)
{
	for (size_t i = 0; *inputs; i++) {
		struct reader *next = &readers[(i + 1) % 2];
		bool is_ahead = open_ahead(job, next, inputs + 1);

		pipeline->is_last = !inputs[1];
		if (!convert(pipeline, &readers[i % 2], job, sink)) {
			if (is_ahead)
				reader_close(next);
			return false;
		}
		if (*++inputs && !is_ahead &&
		    !open_input(job->options, next, *inputs, inputs[1]))
			return false;
	}
	return true;
}

/* With a first input that is open, if there is one. */
static bool convert_all(struct job *job, struct reader readers[2], struct sink *sink,
			char **inputs)
{
	struct pipeline pipeline;
	bool done;

	pipeline_init(&pipeline, sink, 1);
	pipeline.is_merged = *inputs && inputs[1];
	done = convert_inputs(&pipeline, job, readers, sink, inputs);
	if (done && sink_finish(sink) != ST_OK) {
		done = false;
		if (!os_interrupted())
			cli_warn(convert_cli.name, sink->error.text);
	}
	if (done)
		cli_end_at_interrupts(convert_cli.name, output_file(job->options), true);
	pipeline_release(&pipeline);
	return done;
}

static int run_with(struct job *job, const struct sink_ops *writer, char **inputs)
{
	const struct convert_options *options = job->options;
	struct output output = { .first = NULL };
	struct reader readers[2];
	bool done;

	/* The first input first: it is being read while the output is made ready. */
	if (*inputs && !open_input(options, readers, *inputs, inputs[1])) {
		cli_end_if_interrupted(convert_cli.name, output_file(options), false);
		return EXIT_FAILED;
	}
	if (open_sinks(&output, job, writer, inputs) != ST_OK) {
		close_sinks(&output);
		if (*inputs)
			reader_close(readers);
		cli_end_if_interrupted(convert_cli.name, output_file(options), false);
		return EXIT_FAILED;
	}
	done = convert_all(job, readers, output.first, inputs);
	close_sinks(&output);
	cli_end_if_interrupted(convert_cli.name, output_file(options), done);
	return exit_status(job, done);
}

static int run(const struct convert_options *options, const struct sink_ops *writer,
	       struct files *files, char **inputs)
{
	struct job job = { .options = options,
			   .machines = options->machines,
			   .files = files };
	int result;

	if (options->anonymize || options->anonymize_names) {
		job.anonymous = anonymous_new(options->anonymize_names);
		if (!job.anonymous) {
			cli_warn(convert_cli.name, "out of memory");
			return EXIT_FAILED;
		}
	}
	result = run_with(&job, writer, inputs);
	if (result == EXIT_DONE || result == EXIT_DAMAGED)
		machines_warn(&convert_cli, &job.machines);
	anonymous_free(job.anonymous);
	return result;
}

static void enter_sandbox(const struct convert_options *options, char **inputs,
			  size_t count)
{
	const char *path = output_file(options);
	const struct confinement allowed = {
		.inputs = inputs,
		.input_count = count,
		.tracefs = options->input.tracefs,
		.output = path,
		.temporaries = options->output.path && !path,
	};

	if (!options->no_sandbox)
		confine(convert_cli.name, &allowed, options->verbose);
}

int main(int argc, char **argv)
{
	struct convert_options options;
	const struct sink_ops *writer;
	struct files *files = NULL;
	struct error error = { .status = ST_OK };
	int first, result;

	os_fill_standard();
	result = parse_options(&options, &writer, argc, argv, &first);
	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	background_set_threads((size_t)options.threads);
	if (options.symbols) { /* before the sandbox, in which nothing can be started */
		files = files_start(options.symbols[0] ? options.symbols : "/", &error);
		if (!files) {
			cli_warn(convert_cli.name, error.text);
			return EXIT_FAILED;
		}
	}
	os_use_large_pages();
	sqlite_configure();
	enter_sandbox(&options, argv + first, (size_t)(argc - first));
	os_catch_interrupts();
	cli_end_at_interrupts(convert_cli.name,
			      options.is_list ? NULL : output_file(&options), false);
	if (options.is_list) {
		options.input.want_rows = options.anonymize || options.anonymize_names;
		return list_inputs(&options, argv + first);
	}
	result = run(&options, writer, files, argv + first);
	files_stop(files);
	return result;
}
