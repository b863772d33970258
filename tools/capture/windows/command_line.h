/*
 * command_line.h - words as the one text that Windows starts programs with.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_COMMAND_LINE_H
#define PERFTAB_CAPTURE_WINDOWS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The words, quoted so that a C program gets them back as they are (the rules of
 * CommandLineToArgvW).  False: they do not fit.
 */
bool command_line_join(char *to, size_t size, char *const *words);

#endif
