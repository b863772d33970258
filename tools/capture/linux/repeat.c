/* repeat.c - records commands A and B in turns: A B A B. */
#include "capture/linux/repeat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "common/cli.h"

#define WORDS_BEFORE 5 /* of the recorder, in the trace: see record_run() */

/* A command as execvp() has it. */
struct command {
	char **words;
	size_t count;
	char *text; /* the words of a line, each with its end; or NULL */
};

/* Do these characters need a shell? */
static bool needs_shell(const char *line)
{
	return strpbrk(line, "|&;<>()$`\\\"'*?[]#~=%!{}\n") != NULL;
}

/* At blanks; a line with more than words is a shell's. */
static bool split(struct command *command, const char *line)
{
	size_t room = strlen(line) / 2 + 4;
	char *rest = NULL;

	command->text = strdup(line);
	command->words = memory_alloc_zeroed(room, sizeof(*command->words));
	if (!command->text || !command->words)
		return false;
	if (needs_shell(line)) {
		static char shell[] = "/bin/sh", option[] = "-c";
		char *const words[] = { shell, option, command->text };

		memcpy(command->words, words, sizeof(words));
		command->count = 3;
		return true;
	}
	for (char *word = strtok_r(command->text, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest))
		command->words[command->count++] = word;
	return true;
}

static void release(struct command *command)
{
	free(command->text);
	free(command->words);
}

static size_t count_words(char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

/* One run; the trace names the command that it is of, not all of the options. */
static int record_run(const struct repeat *repeat, const struct recorder_options *options,
		      char *const *command, const char *path)
{
	static char program[] = "perftab-capture", perf[] = "perf", output[] = "-o",
		    end[] = "--";
	size_t count = count_words(command);
	char **words = memory_alloc_zeroed(WORDS_BEFORE + count + 1, sizeof(*words));
	struct recorder_options run = *options;
	int result = EXIT_FAILED;

	if (words) {
		char *const before[WORDS_BEFORE] = { program, perf, output,
						     (char *)(uintptr_t)path, end };

		memcpy(words, before, sizeof(before));
		memcpy(words + WORDS_BEFORE, command, count * sizeof(*words));
		run.command = command;
		run.words = words;
		result = repeat->run(repeat->context, &run, path);
	}
	free(words);
	return result;
}

static int record_turns(const struct repeat *repeat,
			const struct recorder_options *options, char *const *const *sides,
			int side_count)
{
	char path[4096];

	for (int64_t i = 1; i <= repeat->runs; i++)
		for (int side = 0; side < side_count; side++) {
			int result;

			text_print(path, sizeof(path), "%s/%c-%03d.data",
				   repeat->directory, 'a' + side, (int)i);
			if (!repeat->quiet && os_is_terminal(STDERR_FILENO))
				fprintf(stderr, "perftab-capture: %s: run %d of %d\n",
					path, (int)i, (int)repeat->runs);
			result = record_run(repeat, options, sides[side], path);
			if (result == EXIT_DONE && !os_interrupted())
				continue;
			fprintf(stderr,
				"perftab-capture: %s: stopped: this run ended with exit "
				"status %d\n",
				path, result);
			return result ? result : EXIT_FAILED;
		}
	return EXIT_DONE;
}

int repeat_record(const struct repeat *repeat, const struct recorder_options *options)
{
	struct command other = { .count = 0 };
	char *const *sides[2] = { options->command, NULL };
	int result = EXIT_FAILED;

	if (repeat->against && !split(&other, repeat->against)) {
		release(&other);
		fputs("perftab-capture: out of memory\n", stderr);
		return EXIT_FAILED;
	}
	sides[1] = other.words;
	if (mkdir(repeat->directory, 0777) != 0)
		fprintf(stderr,
			"perftab-capture: %s: cannot make a folder for the runs: %s\n",
			repeat->directory, strerror(errno));
	else
		result = record_turns(repeat, options, sides, repeat->against ? 2 : 1);
	if (result == EXIT_DONE && !repeat->quiet && repeat->against)
		fprintf(stderr,
			"perftab-capture: %d runs of each; compare them with\n"
			"perftab-analyze --diff %s/a-*.data --with %s/b-*.data\n",
			(int)repeat->runs, repeat->directory, repeat->directory);
	release(&other);
	return result;
}
