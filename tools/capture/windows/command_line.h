/*
 * command_line.h - joins words to the command line that Windows starts a program with.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_COMMAND_LINE_H
#define PERFTAB_CAPTURE_WINDOWS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Quotes the words by the rules of CommandLineToArgvW, so that a C program gets them
 * unchanged.  False: they do not fit.
 */
bool command_line_join(char *to, size_t size, char *const *words);

#endif
