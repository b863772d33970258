/* answer.c - see answer.h. */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PATH_BYTES_MAX 4096

const char *answer_path;

static FILE *begin_file(const char *suffix)
{
	char path[PATH_BYTES_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", answer_path, suffix);
	file = fopen(path, "wb");
	if (file)
		return file;
	perror(path);
	exit(1);
}

static void end_file(FILE *file)
{
	if (ferror(file) || fclose(file) != 0) {
		perror(answer_path);
		exit(1);
	}
}

void answer_keep(const void *bytes, size_t size)
{
	FILE *file;

	if (!answer_path)
		return;
	file = begin_file("");
	fwrite(bytes, 1, size, file);
	end_file(file);
}

static void copy(const char *from, const char *suffix)
{
	char command[2 * PATH_BYTES_MAX];

	snprintf(command, sizeof(command), "cp -r '%s' '%s%s'", from, answer_path,
		 suffix);
	if (system(command) != 0)
		exit(1);
}

void answer_keep_path(const char *path, const char *tracefs, const char *events)
{
	FILE *file;

	if (!answer_path)
		return;
	copy(path, "");
	if (tracefs)
		copy(tracefs, ".tracefs");
	if (!events)
		return;
	file = begin_file(".events");
	fputs(events, file);
	end_file(file);
}

void answer_text(int exit_status, const char *format, ...)
{
	va_list args;
	FILE *file;

	if (!answer_path)
		return;
	file = begin_file(".text");
	fprintf(file, "%d\t", exit_status);
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	fputc('\n', file);
	end_file(file);
}
