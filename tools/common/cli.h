/*
 * cli.h - one table of options per program: parsing, --help and messages come from it.
 *
 * Also what every program of ours does alike: exit statuses, how errors and findings are
 * put on stderr, progress on a terminal.
 */
#ifndef PERFTAB_CLI_H
#define PERFTAB_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum cli_exit {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_DAMAGED = 3, /* done, but the input was damaged, partial or partly skipped */
};

enum option_kind {
	OPTION_END,	   /* ends the table */
	OPTION_FLAG,	   /* bool *target becomes true */
	OPTION_TEXT,	   /* const char **target */
	OPTION_MAYBE,	   /* the same with an argument that may be missing: "" */
	OPTION_TEXTS,	   /* struct option_texts *target; may be given several times */
	OPTION_INT,	   /* int64_t *target, at least `value` */
	OPTION_CHOICE,	   /* int *target becomes `value` */
	OPTION_DURATION,   /* int64_t *target: nanoseconds above 0, of "500ms" or "1.5" */
	OPTION_WORD,	   /* int or enum *target: `value` + index in `argument`, "a|b" */
	OPTION_MAYBE_WORD, /* the same; without an argument the first word */
};

#define OPTION_TEXTS_MAX 1024

struct option_texts {
	const char *texts[OPTION_TEXTS_MAX];
	size_t count;
};

struct option_spec {
	enum option_kind kind;
	char short_name; /* or 0 */
	const char *long_name;
	const char *argument; /* its name in the help, NULL: it has none */
	const char *help;     /* '\n' breaks it */
	void *target;	      /* a place in the options: OPTION_AT() */
	int64_t value;
};

#define OPTION_AT(type, member) ((void *)offsetof(type, member))

struct cli {
	const char *name;
	const char *const *usage; /* lines after the name; ends with NULL */
	const char *summary;
	const struct option_spec *options;
	const char *const *examples; /* a comment, a command, ...; ends with NULL */
	const char *exits;   /* what the exit statuses mean; NULL: as of readers */
	bool before_command; /* options end with the first operand: the rest is another's
			      */
};

/*
 * Parses argv into `options`, the struct that the table's targets are places in;
 * *operands is where the positional arguments begin.  Returns EXIT_DONE to go on, -1 when
 * --help or --version was answered, EXIT_USAGE after a message.
 */
int cli_parse(const struct cli *cli, void *options, int argc, char **argv, int *operands);
/*
 * For a tool of several commands: `what` is none of them, `words` has them all.  Answers
 * --help and --version; else reports what is wrong ("" is nothing at all).  Returns the
 * exit status.
 */
int cli_no_command(const char *tool, const char *help, const char *words,
		   const char *what);
/*
 * "<tool>: <what> 'word'", the words there are, separated by '|' in `words`, and the one
 * that was meant, perhaps; returns EXIT_USAGE.
 */
int cli_wrong_word(const struct cli *cli, const char *what, const char *word,
		   const char *words);
/* "<tool>: <message>" and a pointer to --help; returns EXIT_USAGE. */
int cli_wrong_usage(const struct cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);

/* "<tool>: <file>: <text>" on stderr. */
void cli_error(const char *tool, const char *file, const char *text);
/* "<tool>: <file>: <format>: <text>": what was found in an input. */
void cli_finding(const char *tool, const char *file, const char *format, struct str text);
/* "<tool>: <text>" on stderr. */
void cli_warn(const char *tool, const char *text);
/*
 * From here on SIGINT or SIGTERM ends the program at once, and says what became of the
 * output at `path` (NULL: nothing is said).
 */
void cli_end_at_interrupts(const char *tool, const char *path, bool done);
/* The same for a signal that came while they were held, and on Windows. */
void cli_end_if_interrupted(const char *tool, const char *path, bool done);

/*
 * Flushes, or flushes and closes, stdout; false when not all of it could be written,
 * after a message unless the reader closed the pipe.
 */
bool cli_flush_stdout(const char *tool);
bool cli_close_stdout(const char *tool);

/* Bytes, rate and time left of a long read, on stderr when that is a terminal. */
struct progress {
	const char *tool;
	bool shown;
	double started, last;
};
void progress_begin(struct progress *progress, const char *tool);
/* all_bytes: 0 is unknown. */
void progress_show(struct progress *progress, uint64_t done_bytes, uint64_t all_bytes);
void progress_end(struct progress *progress);

#endif
