/* test_cli.c - tools/common/cli.h: every kind of option, wrong usage, and what is
 * printed. */
#include "common/cli.h"

#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "version.h"

enum { CHOICE_NONE, CHOICE_RED, CHOICE_BLUE };

struct parsed {
	bool verbose, all;
	const char *name;
	int64_t count;
	int choice, colour;
	int64_t length_ns;
};

static struct parsed parsed;

#define AT(member) OPTION_AT(struct parsed, member)

static const struct option_spec options[] = {
	{ OPTION_FLAG, 'v', "verbose", NULL, "say more", AT(verbose), 0 },
	{ OPTION_FLAG, 0, "all", NULL, "everything\nin two lines", AT(all), 0 },
	{ OPTION_TEXT, 'n', "name", "NAME", "its name", AT(name), 0 },
	{ OPTION_INT, 'c', "count", "N", "how many", AT(count), -5 },
	{ OPTION_CHOICE, 0, "red", NULL, "red", AT(choice), CHOICE_RED },
	{ OPTION_CHOICE, 'b', "blue", NULL, "blue", AT(choice), CHOICE_BLUE },
	{ OPTION_TEXT, 0, "a-very-long-option-name", "ARGUMENT", "on a line of its own",
	  AT(name), 0 },
	{ OPTION_DURATION, 'd', "length", "DURATION", "how long", AT(length_ns), 0 },
	{ OPTION_MAYBE_WORD, 0, "colour", "grey|green", "which", AT(colour), 3 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const char *const usage[] = { "[OPTION...] FILE", "--list", NULL };
static const char *const examples[] = { "the usual", "tool x", "more", "tool -v x",
					NULL };
static const struct cli cli = { .name = "tool",
				.usage = usage,
				.summary = "Does things.",
				.options = options,
				.examples = examples };

/* argv, NULL-terminated; "tool" is put in front. */
struct call {
	const char *words[8];
	int operands;
	int result;
};

static void parse(struct call *call)
{
	/* A copy, as getopt_long() moves operands after options. */
	static char words[9][64];
	char *argv[10] = { NULL };
	int argc = 1;

	snprintf(words[0], sizeof(words[0]), "tool");
	argv[0] = words[0];
	for (; argc < 9 && call->words[argc - 1]; argc++) {
		snprintf(words[argc], sizeof(words[0]), "%s", call->words[argc - 1]);
		argv[argc] = words[argc];
	}
	parsed = (struct parsed){ .count = 1 };
	optind = 0; /* glibc: begin anew */
	call->operands = -1;
	call->result = cli_parse(&cli, &parsed, argc, argv, &call->operands);
}

static int parse_in_child(void *context)
{
	struct call *call = context;

	parse(call);
	return call->result < 0 ? 100 : call->result;
}

static const struct {
	int line;
	struct call call;
	struct parsed parsed;
	int operands; /* index of the first */
} good[] = {
	{ ROW, { { "file" }, 0, 0 }, { .count = 1 }, 1 },
	{ ROW, { { NULL }, 0, 0 }, { .count = 1 }, 1 },
	{ ROW, { { "-v" }, 0, 0 }, { .verbose = true, .count = 1 }, 2 },
	{ ROW, { { "--verbose", "--all" }, 0, 0 }, { true, true, NULL, 1, 0, 0, 0 }, 3 },
	{ ROW, { { "file", "-v" }, 0, 0 }, { .verbose = true, .count = 1 }, 2 },
	{ ROW, { { "--", "-v" }, 0, 0 }, { .count = 1 }, 2 },
	{ ROW, { { "-" }, 0, 0 }, { .count = 1 }, 1 },
	{ ROW, { { "-nx" }, 0, 0 }, { .name = "x", .count = 1 }, 2 },
	{ ROW, { { "-n", "-v" }, 0, 0 }, { .name = "-v", .count = 1 }, 3 },
	{ ROW, { { "--name=" }, 0, 0 }, { .name = "", .count = 1 }, 2 },
	{ ROW, { { "--name", "x", "--name=x" }, 0, 0 }, { .name = "x", .count = 1 }, 4 },
	{ ROW, { { "--na", "x" }, 0, 0 }, { .name = "x", .count = 1 }, 3 },
	{ ROW, { { "-c", "7" }, 0, 0 }, { .count = 7 }, 3 },
	{ ROW, { { "--count=-5" }, 0, 0 }, { .count = -5 }, 2 },
	{ ROW, { { "--count=9223372036854775807" }, 0, 0 }, { .count = INT64_MAX }, 2 },
	{ ROW, { { "--red" }, 0, 0 }, { .count = 1, .choice = CHOICE_RED }, 2 },
	{ ROW, { { "--red", "--red" }, 0, 0 }, { .count = 1, .choice = CHOICE_RED }, 3 },
	{ ROW, { { "-d", "1.5" }, 0, 0 }, { .count = 1, .length_ns = 1500000000 }, 3 },
	{ ROW,
	  { { "--length=500ms" }, 0, 0 },
	  { .count = 1, .length_ns = 500000000 },
	  2 },
	{ ROW, { { "--colour", "--colour" }, 0, 0 }, { .count = 1, .colour = 3 }, 3 },
	{ ROW, { { "--colour=green" }, 0, 0 }, { .count = 1, .colour = 4 }, 2 },
	{ ROW, { { "-vbc3" }, 0, 0 }, { true, false, NULL, 3, CHOICE_BLUE, 0, 0 }, 2 },
};

UNIT_TEST(good)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		struct call call = good[i].call;

		parse(&call);
		ROW_INT(&good[i], call.result, EXIT_DONE);
		ROW_INT(&good[i], call.operands, good[i].operands);
		ROW_INT(&good[i], parsed.verbose, good[i].parsed.verbose);
		ROW_INT(&good[i], parsed.all, good[i].parsed.all);
		ROW_INT(&good[i], parsed.count, good[i].parsed.count);
		ROW_INT(&good[i], parsed.choice, good[i].parsed.choice);
		ROW_INT(&good[i], parsed.colour, good[i].parsed.colour);
		ROW_INT(&good[i], parsed.length_ns, good[i].parsed.length_ns);
		ROW_INT(&good[i], parsed.name == NULL, good[i].parsed.name == NULL);
		if (parsed.name)
			ROW_TEXT(&good[i], parsed.name, good[i].parsed.name);
	}
}

static const struct {
	int line;
	struct call call;
	const char *says; /* between "tool: " and " (try ..." */
} wrong[] = {
	{ ROW, { { "-x" }, 0, 0 }, "unknown option '-x'" },
	{ ROW, { { "-vx" }, 0, 0 }, "unknown option '-x'" },
	{ ROW, { { "--nonsense" }, 0, 0 }, "unknown or ambiguous option '--nonsense'" },
	{ ROW,
	  { { "--"
	      "ver" },
	    0,
	    0 },
	  "unknown or ambiguous option '--ver'" },
	{ ROW, { { "-n" }, 0, 0 }, "option '-n' needs an argument" },
	{ ROW, { { "--name" }, 0, 0 }, "option '--name' needs an argument" },
	{ ROW,
	  { { "--verbose=yes" }, 0, 0 },
	  "option '--verbose=yes' accepts no argument" },
	{ ROW, { { "-c", "x" }, 0, 0 }, "--count needs a whole number from -5, not 'x'" },
	{ ROW, { { "-c", "" }, 0, 0 }, "--count needs a whole number from -5, not ''" },
	{ ROW,
	  { { "-c", "3x" }, 0, 0 },
	  "--count needs a whole number from -5, not '3x'" },
	{ ROW,
	  { { "-c", "1.5" }, 0, 0 },
	  "--count needs a whole number from -5, not '1.5'" },
	{ ROW,
	  { { "-c", "-6" }, 0, 0 },
	  "--count needs a whole number from -5, not '-6'" },
	{ ROW,
	  { { "-c", "9223372036854775808" }, 0, 0 },
	  "--count needs a whole number from -5, not '9223372036854775808'" },
	{ ROW,
	  { { "-d", "soon" }, 0, 0 },
	  "invalid --length 'soon': expected e.g. 500ms or 10s" },
	{ ROW,
	  { { "--colour=greem" }, 0, 0 },
	  "invalid --colour 'greem': expected one of grey, green; did you mean 'green'?" },
};

UNIT_TEST(wrong)
{
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct call call = wrong[i].call;
		struct unit_output output;
		char expected[256];

		unit_capture(parse_in_child, &call, &output);
		snprintf(expected, sizeof(expected), "tool: %s (try 'tool --help')\n",
			 wrong[i].says);
		ROW_TEXT(&wrong[i], output.err, expected);
		ROW_TEXT(&wrong[i], output.out, "");
		ROW_INT(&wrong[i], output.status, EXIT_USAGE);
	}
}

/* Help that was asked for is data: on stdout, and nothing else happens. */
UNIT_TEST(help)
{
	static const char *const has[] = {
		"usage: tool [OPTION...] FILE\n       tool --list\n\nDoes things.\n",
		"\n  -v, --verbose               say more\n",
		"\n      --all                   everything\n"
		"                              in two lines\n",
		"\n  -n, --name NAME             its name\n",
		"\n      --a-very-long-option-name ARGUMENT \n"
		"                              on a line",
		"\n      --colour[=grey|green]   which\n",
		"\n  -h, --help ",
		"\n  -V, --version ",
		"Exit status: 0 done, 1 failed, 2 wrong usage, 3 done but",
		"\n  # the usual\n  tool x\n  # more\n  tool -v x\n",
	};
	struct call calls[] = { { { "--help" }, 0, 0 }, { { "-v", "-h", "-x" }, 0, 0 } };

	for (size_t k = 0; k < COUNT(calls); k++) {
		struct unit_output output;

		unit_capture(parse_in_child, &calls[k], &output);
		assert_int_equal(output.status, 100);
		assert_string_equal(output.err, "");
		for (size_t i = 0; i < COUNT(has); i++)
			if (!strstr(output.out, has[i]))
				fail_msg("the help lacks '%s':\n%s", has[i], output.out);
	}
}

UNIT_TEST(version)
{
	struct call calls[] = { { { "-V" }, 0, 0 }, { { "--version" }, 0, 0 } };

	for (size_t k = 0; k < COUNT(calls); k++) {
		struct unit_output output;

		unit_capture(parse_in_child, &calls[k], &output);
		assert_int_equal(output.status, 100);
		assert_string_equal(output.out, "tool " PERFTAB_VERSION "\n");
		assert_string_equal(output.err, "");
	}
}

/* --- talk --- */

static int say_errors(void *unused)
{
	(void)unused;
	cli_error("tool", "a\x1b[31mb\nc", "is broken");
	cli_error("tool", "-", "is empty");
	cli_error("tool", "caf\xc3\xa9", "x");
	return cli_wrong_usage(&cli, "%s and %d", "one", 2);
}

UNIT_TEST(errors)
{
	struct unit_output output;

	unit_capture(say_errors, NULL, &output);
	assert_int_equal(output.status, EXIT_USAGE);
	assert_string_equal(output.out, "");
	assert_string_equal(output.err, "tool: a\\x1b[31mb\\x0ac: is broken\n"
					"tool: standard input: is empty\n"
					"tool: caf\xc3\xa9: x\n"
					"tool: one and 2 (try 'tool --help')\n");
}

static int close_good(void *unused)
{
	(void)unused;
	printf("data\n");
	return cli_close_stdout("tool") ? 0 : 1;
}

static int close_full(void *unused)
{
	int full = open("/dev/full", O_WRONLY);

	(void)unused;
	dup2(full, STDOUT_FILENO);
	printf("data\n");
	return cli_close_stdout("tool") ? 0 : 1;
}

static int close_closed(void *unused)
{
	(void)unused;
	close(STDOUT_FILENO);
	return cli_close_stdout("tool") ? 0 : 1;
}

UNIT_TEST(close_stdout)
{
	struct unit_output output;

	unit_capture(close_good, NULL, &output);
	assert_int_equal(output.status, 0);
	assert_string_equal(output.out, "data\n");
	unit_capture(close_full, NULL, &output);
	assert_int_equal(output.status, 1);
	assert_string_equal(output.err, "tool: cannot write to standard output: "
					"No space left on device\n");
	/* Who starts us without one, and nothing was to be said. */
	unit_capture(close_closed, NULL, &output);
	assert_int_equal(output.status, 0);
	assert_string_equal(output.err, "");
}

/* stderr is not a terminal here: progress says nothing at all. */
static int show_progress(void *unused)
{
	struct progress progress;

	(void)unused;
	progress_begin(&progress, "tool");
	progress.last -= 10;
	progress_show(&progress, 1000, 2000);
	progress_end(&progress);
	return progress.shown;
}

UNIT_TEST(progress)
{
	struct unit_output output;

	unit_capture(show_progress, NULL, &output);
	assert_int_equal(output.status, 0);
	assert_string_equal(output.out, "");
	assert_string_equal(output.err, "");
}
