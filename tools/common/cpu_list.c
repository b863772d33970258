/* cpu_list.c - parses and prints lists of CPUs. */
#include "common/cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#define CPU_RANGE_BYTES sizeof(",16383-16383,...")

static enum status no_list(const char *text, struct error *error)
{
	return error_set(error, ST_CORRUPT, ERROR_NO_OFFSET,
			 "invalid CPU list '%.64s': expected e.g. 0-3,8 (below %d)", text,
			 CPU_LIST_MAX);
}

/* A number at *at, which moves past it; -1: there is none. */
static int parse_number(const char **at)
{
	char *end;
	long number;

	if (!isdigit((unsigned char)**at))
		return -1;
	errno = 0;
	number = strtol(*at, &end, 10);
	*at = end;
	return errno || number >= CPU_LIST_MAX ? -1 : (int)number;
}

/* Marks what `text` names; false: it is not a list. */
static bool mark(bool *wanted, const char *text)
{
	for (;;) {
		int first = parse_number(&text), last = first;

		if (*text == '-') {
			text++;
			last = parse_number(&text);
		}
		if (first < 0 || last < first)
			return false;
		for (int cpu = first; cpu <= last; cpu++)
			wanted[cpu] = true;
		if (*text != ',')
			return *text == '\0' || *text == '\n';
		text++;
	}
}

enum status cpu_list_parse(struct cpu_list *list, const char *text, struct error *error)
{
	bool *wanted = memory_alloc_zeroed(CPU_LIST_MAX, sizeof(*wanted));
	enum status status = ST_OK;

	*list = (struct cpu_list){ .count = 0 };
	if (!wanted)
		return error_nomem(error);
	if (!mark(wanted, text))
		status = no_list(text, error);
	for (int cpu = 0; cpu < CPU_LIST_MAX; cpu++)
		list->count += wanted[cpu];
	if (status == ST_OK) {
		list->cpus = memory_alloc(list->count * sizeof(*list->cpus));
		status = list->cpus ? ST_OK : error_nomem(error);
	}
	list->count = 0;
	for (int cpu = 0; cpu < CPU_LIST_MAX && status == ST_OK; cpu++)
		if (wanted[cpu])
			list->cpus[list->count++] = cpu;
	free(wanted);
	return status;
}

enum status cpu_list_read(struct cpu_list *list, const char *path, struct error *error)
{
	FILE *file = os_open_stream(path);
	char text[4096] = "";
	bool got = file && fgets(text, sizeof(text), file);

	*list = (struct cpu_list){ .count = 0 };
	if (file)
		fclose(file);
	if (!got)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot read %s: %s",
				 path, strerror(errno));
	return cpu_list_parse(list, text, error);
}

void cpu_list_print(char *text, size_t size, const bool *cpus)
{
	size_t at = text_print(text, size, "%s", "");

	for (int cpu = 0, last; cpu < CPU_LIST_MAX; cpu = last + 1) {
		last = cpu;
		if (!cpus[cpu])
			continue;
		while (last + 1 < CPU_LIST_MAX && cpus[last + 1])
			last++;
		if (size - at < CPU_RANGE_BYTES) {
			text_print(text + at, size - at, ",...");
			return;
		}
		at += text_print(text + at, size - at, at ? ",%d" : "%d", cpu);
		if (last > cpu)
			at += text_print(text + at, size - at, "-%d", last);
	}
}

bool cpu_list_has(const struct cpu_list *list, int cpu)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->cpus[i] == cpu)
			return true;
	return false;
}

void cpu_list_release(struct cpu_list *list)
{
	free(list->cpus);
	*list = (struct cpu_list){ .count = 0 };
}
