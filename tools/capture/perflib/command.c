/*
 * command.c - perftab-capture perflib: options, capture, closing report; see command.h.
 */
#include "capture/perflib/command.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/os.h"
#include "base/text.h"
#include "capture/perflib/bundle_out.h"
#include "capture/perflib/session.h"
#include "version.h"

#define COMMAND_LINE_BYTES 4096
#define INTERVAL_NS_DEFAULT INT64_C(1000000000)

struct perflib_command {
	struct option_texts countersets;
	struct perflib_input input;
	struct session_options session;
	const char *output;
	int64_t interval_ns;
	bool quiet;
};

#define AT(member) OPTION_AT(struct perflib_command, member)

/* On systems without --replay and --proc the table ends before these two. */
static struct option_spec options[] = {
	{ OPTION_TEXTS, 'c', "counterset", "COUNTERSET", NULL, AT(countersets), 0 },
	{ OPTION_DURATION, 'i', "interval", "DURATION",
	  "time between snapshots, as 100ms or 2s (default: 1s)", AT(interval_ns), 0 },
	{ OPTION_INT, 'n', "snapshots", "NUMBER", "stop after NUMBER snapshots",
	  AT(session.snapshots), 1 },
	{ OPTION_TEXT, 'o', "output", "FILE",
	  "output file (default: perflib.plb); -: standard output", AT(output), 0 },
	{ OPTION_FLAG, 'q', "quiet", NULL, "print only warnings and errors", AT(quiet),
	  0 },
	{ OPTION_TEXT, 0, "replay", "BUNDLE",
	  "capture from a bundle instead of this machine", AT(input.bundle), 0 },
	{ OPTION_TEXTS, 0, "proc", "DIR",
	  "capture from a copy of /proc instead of this machine, or\nfrom several in DIR/1, DIR/2, ...; repeatable",
	  AT(input.trees), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};
#define COUNTERSET_OPTION 0
#define REPLAY_OPTION (ARRAY_COUNT(options) - 3)

static struct cli cli = {
	.name = "perftab-capture perflib",
	.usage = (const char *const[]){ "[OPTIONS]", NULL },
	.summary =
		"Captures snapshots of performance counters in the format of Windows PerfLib, for\n"
		"perftab-convert and perftab-analyze.  Stops after -n snapshots, or at Ctrl-C.",
	.options = options,
	.exits = "0 done, 1 failed, 2 wrong usage, 3 done, but some\n"
		 "counters or snapshots are missing",
};

static void warn(const char *text)
{
	char words[600];

	text_shown(words, sizeof(words), str_of(text), 580);
	fprintf(stderr, "perftab-capture: %s\n", words);
}

static int report_error(const struct error *error)
{
	warn(error->text);
	return EXIT_FAILED;
}

enum status perflib_input_open(const struct perflib_input *from,
			       const struct perflib_system *system, struct source *source,
			       struct error *error)
{
	*source = (struct source){ 0 };
	if (from->bundle)
		return system->replay(source, from->bundle, error);
	return system->open(system->context, source, &from->trees, error);
}

/* --- messages --- */

static void report_end(const struct perflib_command *command,
		       const struct session *session, const struct bundle_out *out)
{
	char count[32], answers[32], path[300];

	if (session->stats.missed)
		fprintf(stderr,
			"perftab-capture: %lld scheduled snapshots were skipped: a "
			"snapshot took longer than the interval\n",
			(long long)session->stats.missed);
	if (session->stats.failed)
		fprintf(stderr, "perftab-capture: %lld of %lld snapshots failed\n",
			(long long)session->stats.failed,
			(long long)session->stats.snapshots);
	if (command->quiet)
		return;
	text_grouped(count, sizeof(count), session->stats.snapshots);
	text_grouped(answers, sizeof(answers), (int64_t)session->stats.answer_bytes);
	text_shown(path, sizeof(path),
		   str_of(strcmp(out->path, "-") == 0 ? "standard output" : out->path),
		   200);
	fprintf(stderr,
		"perftab-capture: %s: %s snapshot%s of %zu counterset%s, %s bytes of "
		"answers\n",
		path, count, session->stats.snapshots == 1 ? "" : "s",
		session->selection.set_count,
		session->selection.set_count == 1 ? "" : "s", answers);
}

/* --- the capture --- */

static void join_words(char to[COMMAND_LINE_BYTES], char **words)
{
	size_t at = 0;

	to[0] = '\0';
	for (size_t i = 0; words[i]; i++)
		at += text_print(to + at, COMMAND_LINE_BYTES - at, "%s%s", i ? " " : "",
				 words[i]);
}

static enum status record(const struct perflib_command *command, struct session *session,
			  struct bundle_out *out, struct error *error)
{
	const char *output = command->output;
	enum status status = bundle_out_open(out, output, error);
	const struct session_out calls = bundle_out_calls(out);

	if (status != ST_OK)
		return status;
	if (!command->quiet && os_is_terminal(2))
		fprintf(stderr, "perftab-capture: capturing to %s; Ctrl-C ends it\n",
			strcmp(output, "-") == 0 ? "standard output" : output);
	status = session_record(session, &calls, error);
	if (bundle_out_close(out, error) != ST_OK && status == ST_OK)
		status = error->status;
	return status;
}

static int run(const struct perflib_system *system, const struct perflib_command *command)
{
	struct error error = { .status = ST_OK };
	struct bundle_out out = { 0 };
	struct session session;
	struct source source;
	enum status status = perflib_input_open(&command->input, system, &source, &error);
	bool is_malformed = false;
	int result = EXIT_DONE;

	if (status == ST_OK) {
		status = session_open(&session, &source, &command->session, &error);
		if (status == ST_OK)
			status = record(command, &session, &out, &error);
		if (status == ST_OK && !out.reader_closed)
			report_end(command, &session, &out);
		if (session.stats.failed || session.stats.refused)
			result = EXIT_DAMAGED;
		is_malformed = session.selection.is_malformed;
		session_close(&session);
	}
	if (source.ops)
		source.ops->release(source.state);
	if (status != ST_OK) {
		result = is_malformed ? EXIT_USAGE : EXIT_FAILED;
		if (!out.reader_closed)
			report_error(&error);
	}
	return result;
}

int perflib_capture(int argc, char **argv, char **words,
		    const struct perflib_system *system)
{
	char command_line[COMMAND_LINE_BYTES];
	const struct session_fact facts[] = { { "VERSION",
						"perftab-capture " PERFTAB_VERSION },
					      { "CMDLINE", command_line } };
	struct perflib_command command = {
		.session = { .requests = system->defaults,
			     .request_count = system->default_count,
			     .requests_are_optional = true,
			     .facts = facts,
			     .fact_count = ARRAY_COUNT(facts),
			     .warn = warn },
		.output = "perflib.plb",
		.interval_ns = INTERVAL_NS_DEFAULT,
	};
	int first, result;

	options[COUNTERSET_OPTION].help = system->counterset_help;
	cli.examples = system->examples;
	if (!system->replay)
		options[REPLAY_OPTION].kind = OPTION_END;
	result = cli_parse(&cli, &command, argc, argv, &first);
	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	if (first < argc)
		return cli_wrong_usage(&cli, "'%s' is not an option", argv[first]);
	if (command.input.bundle && command.input.trees.count)
		return cli_wrong_usage(&cli, "--replay and --proc exclude one another");
	command.session.interval = (double)command.interval_ns / 1e9;
	if (command.countersets.count) {
		command.session.requests = command.countersets.texts;
		command.session.request_count = command.countersets.count;
		command.session.requests_are_optional = false;
	}
	if (command.input.bundle) /* it has its own facts */
		command.session.fact_count = 0;
	join_words(command_line, words);
	os_catch_interrupts();
	os_ignore_closed_pipes();
	return run(system, &command);
}
