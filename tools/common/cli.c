/* cli.c - parses options, prints help, errors and progress. */
#include "common/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "common/suggest.h"
#include "common/when.h"
#include "version.h"

#define OPTIONS_MAX 64
#define LONG_ONLY 256 /* getopt values of options without a letter: 256 + index */

static const struct option_spec help_option = {
	OPTION_FLAG, 'h', "help", NULL, "show this help and exit", NULL, 0
};
static const struct option_spec version_option = {
	OPTION_FLAG, 'V', "version", NULL, "show the version and exit", NULL, 0
};

/* --- help --- */

static bool may_lack_argument(const struct option_spec *option)
{
	return option->kind == OPTION_MAYBE || option->kind == OPTION_MAYBE_WORD;
}

static void print_option(FILE *to, const struct option_spec *option)
{
	const char *line = option->help;
	char left[160];

	snprintf(left, sizeof(left), "  %c%c%s--%s%s%s%s", option->short_name ? '-' : ' ',
		 option->short_name ? option->short_name : ' ',
		 option->short_name ? ", " : "  ", option->long_name,
		 !option->argument	     ? ""
		 : may_lack_argument(option) ? "[="
					     : " ",
		 option->argument ? option->argument : "",
		 may_lack_argument(option) ? "]" : "");
	fprintf(to, "%-29s ", left);
	if (strlen(left) > 28)
		fprintf(to, "\n%30s", "");
	while (line) {
		const char *end = strchr(line, '\n');

		fprintf(to, "%.*s\n", end ? (int)(end - line) : (int)strlen(line), line);
		line = end ? end + 1 : NULL;
		if (line)
			fprintf(to, "%30s", "");
	}
}

static void print_help(FILE *to, const struct cli *cli)
{
	for (size_t i = 0; cli->usage[i]; i++)
		fprintf(to, "%s %s %s\n", i ? "      " : "usage:", cli->name,
			cli->usage[i]);
	fprintf(to, "\n%s\n\nOptions:\n", cli->summary);
	for (const struct option_spec *o = cli->options; o->kind != OPTION_END; o++)
		print_option(to, o);
	print_option(to, &help_option);
	print_option(to, &version_option);
	fprintf(to, "\nExit status: %s.\n\nExamples:\n",
		cli->exits ? cli->exits
			   : "0 done, 1 failed, 2 wrong usage, 3 done but the input was "
			     "damaged,\npartial or partly skipped");
	for (size_t i = 0; cli->examples[i]; i += 2)
		fprintf(to, "  # %s\n  %s\n", cli->examples[i], cli->examples[i + 1]);
}

int cli_wrong_usage(const struct cli *cli, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", cli->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (try '%s --help')\n", cli->name);
	return EXIT_USAGE;
}

/*
 * Calls suggest_offer() with each word of "one|two=2", suggest_alias() with what other
 * programs call it; "one, two" to `listed`.
 */
static void list_words(const char *words, struct suggest *nearest, char *listed,
		       size_t size)
{
	size_t at = 0;

	listed[0] = '\0';
	while (*words) {
		size_t length = strcspn(words, "|=");
		char word[SUGGEST_LENGTH + 1], alias[SUGGEST_LENGTH + 1];

		text_print(word, sizeof(word), "%.*s", (int)length, words);
		suggest_offer(nearest, word);
		at += text_print(listed + at, size - at, "%s%s", at ? ", " : "", word);
		for (words += length; *words == '='; words += length) {
			length = strcspn(++words, "|=");
			text_print(alias, sizeof(alias), "%.*s", (int)length, words);
			suggest_alias(nearest, alias, word);
		}
		words += *words == '|';
	}
}

int cli_wrong_word(const struct cli *cli, const char *what, const char *word,
		   const char *words)
{
	char listed[2000], hint[SUGGEST_TEXT], shown[200];
	struct suggest nearest;

	suggest_begin(&nearest, str_of(word));
	list_words(words, &nearest, listed, sizeof(listed));
	suggest_text(&nearest, hint, sizeof(hint));
	text_shown(shown, sizeof(shown), str_of(word), 40);
	return cli_wrong_usage(cli, "%s '%s': expected one of %s%s", what, shown, listed,
			       hint);
}

/* --- parsing --- */

static bool parse_int(const char *text, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0';
}

static int add_text(const struct cli *cli, const struct option_spec *option, void *target,
		    const char *argument)
{
	struct option_texts *texts = target;

	if (texts->count == OPTION_TEXTS_MAX)
		return cli_wrong_usage(cli, "--%s can be given %d times",
				       option->long_name, OPTION_TEXTS_MAX);
	texts->texts[texts->count++] = argument;
	return EXIT_DONE;
}

/* Without an argument it is the first word. */
static int set_word(const struct cli *cli, const struct option_spec *option, int *target,
		    const char *argument)
{
	const char *words = option->argument;
	char what[80];

	for (int i = 0; *words; i++) {
		size_t length = strcspn(words, "|");

		if (!argument || (strlen(argument) == length &&
				  memcmp(words, argument, length) == 0)) {
			*target = (int)option->value + i;
			return EXIT_DONE;
		}
		words += length + (words[length] == '|');
	}
	text_print(what, sizeof(what), "invalid --%s", option->long_name);
	return cli_wrong_word(cli, what, argument, option->argument);
}

static int set_option(const struct cli *cli, const struct option_spec *option,
		      void *options, const char *argument)
{
	void *target = (char *)options + (uintptr_t)option->target;
	int64_t number;

	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)target = true;
		return EXIT_DONE;
	case OPTION_TEXT:
		*(const char **)target = argument;
		return EXIT_DONE;
	case OPTION_MAYBE:
		*(const char **)target = argument ? argument : "";
		return EXIT_DONE;
	case OPTION_TEXTS:
		return add_text(cli, option, target, argument);
	case OPTION_CHOICE:
		*(int *)target = (int)option->value;
		return EXIT_DONE;
	case OPTION_INT:
		if (!parse_int(argument, &number) || number < option->value)
			return cli_wrong_usage(
				cli, "--%s needs a whole number from %lld, not '%s'",
				option->long_name, (long long)option->value, argument);
		*(int64_t *)target = number;
		return EXIT_DONE;
	case OPTION_DURATION:
		if (!when_parse_duration(argument, target))
			return cli_wrong_usage(
				cli, "invalid --%s '%s': expected e.g. 500ms or 10s",
				option->long_name, argument);
		return EXIT_DONE;
	case OPTION_WORD:
	case OPTION_MAYBE_WORD:
		return set_word(cli, option, target, argument);
	case OPTION_END:
		break;
	}
	return EXIT_USAGE;
}

/* Our table in the form of getopt_long(). */
struct getopt_tables {
	struct option longs[OPTIONS_MAX + 1];
	char shorts[2 * OPTIONS_MAX + 3];
	const struct option_spec *specs[OPTIONS_MAX];
	const char *given[OPTIONS_MAX]; /* its argument, or "" of a choice; NULL: not */
};

static size_t index_of(const struct getopt_tables *made, const struct option_spec *option)
{
	size_t i = 0;

	while (made->specs[i] != option)
		i++;
	return i;
}

/* The same option with another argument, or two choices of one thing. */
static int check_again(const struct cli *cli, struct getopt_tables *made,
		       const struct option_spec *option, const char *argument)
{
	size_t own = index_of(made, option);

	if (option->argument && option->kind != OPTION_TEXTS && made->given[own] &&
	    strcmp(made->given[own], argument) != 0)
		return cli_wrong_usage(cli, "--%s is given twice: %s and %s",
				       option->long_name, made->given[own], argument);
	for (size_t i = 0; option->kind == OPTION_CHOICE && made->longs[i].name; i++)
		if (i != own && made->given[i] && made->specs[i]->kind == OPTION_CHOICE &&
		    made->specs[i]->target == option->target)
			return cli_wrong_usage(cli, "--%s and --%s exclude one another",
					       made->longs[i].name, option->long_name);
	made->given[own] = argument;
	return EXIT_DONE;
}

static void add_option(struct getopt_tables *made, size_t index,
		       const struct option_spec *option)
{
	size_t at = strlen(made->shorts);

	made->longs[index] = (struct option){
		.name = option->long_name,
		.has_arg = may_lack_argument(option) ? optional_argument
			   : option->argument	     ? required_argument
						     : no_argument,
		.val = LONG_ONLY + (int)index,
	};
	made->specs[index] = option;
	if (option->short_name) {
		made->shorts[at++] = option->short_name;
		made->shorts[at] = option->argument ? ':' : '\0';
		made->shorts[at + (option->argument ? 1 : 0)] = '\0';
	}
}

static const struct option_spec *find_option(const struct getopt_tables *made, int value)
{
	if (value >= LONG_ONLY)
		return made->specs[value - LONG_ONLY];
	for (size_t i = 0; made->longs[i].name; i++)
		if (made->specs[i]->short_name == value)
			return made->specs[i];
	return NULL;
}

static int getopt_complaint(const struct cli *cli, const struct getopt_tables *made,
			    int value, char **argv)
{
	const char *word = argv[optind - 1], *name = word + strspn(word, "-");
	struct suggest nearest;
	char hint[SUGGEST_TEXT];

	if (value == ':')
		return cli_wrong_usage(cli, "option '%s' needs an argument", word);
	if (optopt && optopt < LONG_ONLY)
		return cli_wrong_usage(cli, "unknown option '-%c'", optopt);
	if (optopt)
		return cli_wrong_usage(cli, "option '%s' accepts no argument", word);
	suggest_begin(&nearest, (struct str){ name, strcspn(name, "=") });
	nearest.prefix = "--";
	for (size_t i = 0; made->longs[i].name; i++)
		suggest_offer(&nearest, made->longs[i].name);
	suggest_text(&nearest, hint, sizeof(hint));
	return cli_wrong_usage(cli, "unknown or ambiguous option '%s'%s", word, hint);
}

int cli_parse(const struct cli *cli, void *options, int argc, char **argv, int *operands)
{
	struct getopt_tables made = { .shorts = "" };
	size_t count = 0;
	int value;

	optind = 0; /* begins anew: a program may parse its words in parts */
	/* '+': up to the first operand; ':': we do the complaining. */
	memcpy(made.shorts, cli->before_command ? "+:" : ":", 3 - !cli->before_command);
	for (const struct option_spec *o = cli->options; o->kind != OPTION_END; o++)
		add_option(&made, count++, o);
	add_option(&made, count++, &help_option);
	add_option(&made, count++, &version_option);
	opterr = 0;
	while ((value = getopt_long(argc, argv, made.shorts, made.longs, NULL)) != -1) {
		const struct option_spec *option;
		int result;

		if (value == '?' || value == ':')
			return getopt_complaint(cli, &made, value, argv);
		option = find_option(&made, value);
		if (option == &help_option) {
			print_help(stdout, cli);
			return cli_close_stdout(cli->name) ? -1 : EXIT_FAILED;
		}
		if (option == &version_option) {
			printf("%s %s\n", cli->name, PERFTAB_VERSION);
			return cli_close_stdout(cli->name) ? -1 : EXIT_FAILED;
		}
		result = check_again(cli, &made, option, optarg ? optarg : "");
		if (result == EXIT_DONE)
			result = set_option(cli, option, options, optarg);
		if (result != EXIT_DONE)
			return result;
	}
	*operands = optind;
	return EXIT_DONE;
}

/* --- talk --- */

void cli_finding(const char *tool, const char *file, const char *format, struct str text)
{
	char line[256];

	text_print(line, sizeof(line), "%s: %.*s", format, (int)text.len,
		   text.len ? text.ptr : "");
	cli_error(tool, file, line);
}

void cli_error(const char *tool, const char *file, const char *text)
{
	char shown[1024], words[1024];

	/* Names and findings come from input that is not trusted: no terminal escapes. */
	text_shown(shown, sizeof(shown), str_of(file), 800);
	text_shown(words, sizeof(words), str_of(text), 800);
	fprintf(stderr, "%s: %s: %s\n", tool,
		strcmp(file, "-") == 0 ? "standard input"
		: *file		       ? shown
				       : "''",
		words);
}

void cli_warn(const char *tool, const char *text)
{
	char words[1024];

	text_shown(words, sizeof(words), str_of(text), 800);
	fprintf(stderr, "%s: %s\n", tool, words);
}

int cli_no_command(const char *tool, const char *help, const char *words,
		   const char *what)
{
	char listed[200], hint[SUGGEST_TEXT];
	struct suggest nearest;
	bool is_help = strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0;

	if (is_help || strcmp(what, "--version") == 0 || strcmp(what, "-V") == 0) {
		if (is_help)
			fputs(help, stdout);
		else
			printf("%s %s\n", tool, PERFTAB_VERSION);
		return cli_close_stdout(tool) ? EXIT_DONE : EXIT_FAILED;
	}
	if (!what[0]) {
		fputs(help, stderr);
		return EXIT_USAGE;
	}
	suggest_begin(&nearest, str_of(what));
	list_words(words, &nearest, listed, sizeof(listed));
	suggest_text(&nearest, hint, sizeof(hint));
	fprintf(stderr,
		"%s: unknown command '%s': expected one of %s%s (try '%s --help')\n",
		tool, what, listed, hint, tool);
	return EXIT_USAGE;
}

#define LAST_WORDS_BYTES 8192
#define PROGRESS_COLUMNS 60

/* What a signal leaves at `path`. */
static void print_last_words(char words[LAST_WORDS_BYTES], const char *tool,
			     const char *path, bool done)
{
	char clear[PROGRESS_COLUMNS + 3] = "";

	if (os_is_terminal(OS_STDERR))
		snprintf(clear, sizeof(clear), "\r%*s\r", PROGRESS_COLUMNS, "");
	if (done)
		snprintf(words, LAST_WORDS_BYTES,
			 "%s%s: interrupted, but %s is complete\n", clear, tool, path);
	else
		snprintf(words, LAST_WORDS_BYTES,
			 "%s%s: interrupted, nothing was written\n", clear, tool);
}

void cli_end_at_interrupts(const char *tool, const char *path, bool done)
{
	static char words[2][LAST_WORDS_BYTES]; /* a signal may come between the two */

	if (path)
		print_last_words(words[done], tool, path, done);
	os_end_at_interrupts(path ? words[done] : NULL);
}

void cli_end_if_interrupted(const char *tool, const char *path, bool done)
{
	char words[LAST_WORDS_BYTES];

	if (os_interrupted() && path) {
		print_last_words(words, tool, path, done);
		fputs(words, stderr);
	}
	os_die_of_interrupt();
}

static bool stdout_failed(const char *tool)
{
	if (!os_is_closed_pipe(stdout, errno))
		fprintf(stderr, "%s: cannot write to standard output: %s\n", tool,
			strerror(errno));
	return false;
}

bool cli_flush_stdout(const char *tool)
{
	return (fflush(stdout) == 0 && !ferror(stdout)) || stdout_failed(tool);
}

bool cli_close_stdout(const char *tool)
{
	if (!cli_flush_stdout(tool))
		return false;
	return os_close(OS_STDOUT) || errno == EBADF || stdout_failed(tool);
}

void progress_begin(struct progress *progress, const char *tool)
{
	*progress = (struct progress){ .tool = tool };
	progress->started = progress->last = os_seconds();
}

void progress_show(struct progress *progress, uint64_t done_bytes, uint64_t all_bytes)
{
	double now = os_seconds();
	double done = (double)done_bytes, all = (double)all_bytes;
	double rate = now > progress->started ? done / (now - progress->started) : 0;

	if (now - progress->last < 0.25 || !os_is_terminal(OS_STDERR))
		return;
	progress->last = now;
	progress->shown = true;
	fprintf(stderr, "\r%s: %.0f MB", progress->tool, done / 1e6);
	if (all_bytes)
		fprintf(stderr, " of %.0f (%.0f %%), %.0f s left", all / 1e6,
			done * 100 / all, rate > 0 ? (all - done) / rate : 0);
	fprintf(stderr, ", %.0f MB/s  ", rate / 1e6);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r%*s\r", PROGRESS_COLUMNS, "");
	progress->shown = false;
}
