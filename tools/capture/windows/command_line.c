/* command_line.c - quotes words for a command line; see command_line.h. */
#include "capture/windows/command_line.h"

#include <string.h>

struct line {
	char *to;
	size_t size, at;
};

/* Counts the bytes that do not fit, too. */
static void append(struct line *line, char byte, size_t times)
{
	for (; times; times--, line->at++)
		if (line->at < line->size)
			line->to[line->at] = byte;
}

/* Backslashes are literal, unless a quote follows: then they must be doubled. */
static void append_quoted(struct line *line, const char *word)
{
	size_t backslashes = 0;

	append(line, '"', 1);
	for (; *word; word++) {
		if (*word == '"')
			append(line, '\\', backslashes + 1);
		backslashes = *word == '\\' ? backslashes + 1 : 0;
		append(line, *word, 1);
	}
	append(line, '\\', backslashes);
	append(line, '"', 1);
}

bool command_line_join(char *to, size_t size, char *const *words)
{
	struct line line = { to, size, 0 };

	for (size_t i = 0; words[i]; i++) {
		if (i)
			append(&line, ' ', 1);
		if (words[i][0] && !strpbrk(words[i], " \t\n\v\""))
			for (const char *at = words[i]; *at; at++)
				append(&line, *at, 1);
		else
			append_quoted(&line, words[i]);
	}
	append(&line, '\0', 1);
	return line.at <= size;
}
