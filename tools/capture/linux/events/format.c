/*
 * format.c - PMUs of sysfs, and the files below their format/ folder.
 *
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format of Linux.
 */
#include <stdlib.h>

#include "base/array.h"
#include "capture/linux/events/private.h"

/* Of a type file; they are never above INT_MAX. */
#define PMU_TYPE_MAX 0x7fffffff

/*
 * What tools/perf/util/pmu.c calls a core PMU: "cpu" of most, "cpum_cf" of s390, and
 * those that have a file of their CPUs (hybrid x86, all of arm; uncore has "cpumask"
 * instead).
 */
static bool is_core(const char *sysfs, const char *name)
{
	struct sysfs_text cpus;

	return strcmp(name, "cpu") == 0 || strcmp(name, "cpum_cf") == 0 ||
	       (sysfs_read(&cpus, NULL, 0, "%s/%s/cpus", sysfs, name) == ST_OK &&
		cpus.length);
}

/* A folder without a usable type is not a PMU; that is not the user's fault. */
static void pmu_list_add(struct pmu_list *list, const char *sysfs, const char *name)
{
	struct pmu *pmu = &list->pmus[list->count];
	struct sysfs_text text;
	uint64_t type;

	/* Probes are made through tracefs: their PMUs need the address of a text. */
	if (!sysfs_is_name(str_of(name)) || strcmp(name, "kprobe") == 0 ||
	    strcmp(name, "uprobe") == 0 ||
	    sysfs_read(&text, NULL, 0, "%s/%s/type", sysfs, name) != ST_OK ||
	    !event_number((struct str){ text.text, text.length }, &type) ||
	    type > PMU_TYPE_MAX)
		return;
	memcpy(pmu->name, name, strlen(name) + 1);
	pmu->type = (uint32_t)type;
	pmu->is_core = is_core(sysfs, name);
	list->cores += pmu->is_core;
	list->count++;
}

/* As the kernel numbered them: cpu_core before cpu_atom. */
static int compare(const void *a, const void *b)
{
	const struct pmu *first = a, *second = b;

	if (first->type != second->type)
		return first->type < second->type ? -1 : 1;
	return strverscmp(first->name, second->name);
}

enum status pmu_list_read(struct pmu_list *list, const char *sysfs, struct error *error,
			  uint64_t offset)
{
	struct sysfs_names names;
	enum status status;

	memset(list, 0, sizeof(*list));
	status = sysfs_list(&names, error, offset, "%s", sysfs);
	if (status != ST_OK)
		return status == ST_END ? ST_OK : status;
	list->room = names.count < EVENT_PMUS_MAX ? names.count : EVENT_PMUS_MAX;
	if (names.count > EVENT_PMUS_MAX) {
		status = error_set(error, ST_LIMIT, offset, "'%s' has more than %d PMUs",
				   sysfs, EVENT_PMUS_MAX);
	} else if (names.count) {
		list->pmus = calloc(list->room, sizeof(*list->pmus));
		if (!list->pmus)
			status = error_nomem(error);
	}
	for (size_t i = 0; status == ST_OK && i < names.count; i++)
		pmu_list_add(list, sysfs, names.names[i]);
	if (list->count)
		qsort(list->pmus, list->count, sizeof(*list->pmus), compare);
	sysfs_names_release(&names);
	return status;
}

void pmu_list_release(struct pmu_list *list)
{
	free(list->pmus);
	memset(list, 0, sizeof(*list));
}

bool pmu_is_event(const char *file)
{
	static const char *const others[] = { ".scale", ".unit", ".per-pkg",
					      ".snapshot" };
	size_t length = strlen(file);

	for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
		size_t end = strlen(others[i]);

		if (length > end && strcmp(file + length - end, others[i]) == 0)
			return false;
	}
	return file[0] != '.';
}

/* A number of at most two digits; NULL: there is none. */
static const char *parse_bit(const char *at, unsigned int *bit)
{
	unsigned int value = 0, digits = 0;

	for (; *at >= '0' && *at <= '9' && digits < 3; at++, digits++)
		value = 10 * value + (unsigned int)(*at - '0');
	*bit = value;
	return digits && value < 64 ? at : NULL;
}

bool pmu_format_parse(struct pmu_format *format, const char *text)
{
	const char *at = text;

	memset(format, 0, sizeof(*format));
	if (strncmp(at, "config", 6) != 0)
		return false;
	at += 6;
	if (*at >= '1' && *at <= '9')
		format->word = (unsigned int)(*at++ - '0');
	if (*at != ':')
		return false;
	do {
		unsigned int first, last;

		at = parse_bit(at + 1, &first);
		last = first;
		if (at && *at == '-')
			at = parse_bit(at + 1, &last);
		if (!at || last < first)
			return false;
		format->bits |= ~UINT64_C(0) >> (63 - (last - first)) << first;
	} while (*at == ',');
	return *at == '\0';
}

unsigned int pmu_format_width(const struct pmu_format *format)
{
	return (unsigned int)__builtin_popcountll(format->bits);
}

uint64_t pmu_format_write(const struct pmu_format *format, uint64_t word, uint64_t value)
{
	/*
	 * Ascending, however the ranges are written: the lowest bit of all gets bit 0.
	 */
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(format->bits >> bit & 1))
			continue;
		word &= ~(UINT64_C(1) << bit);
		word |= (value & 1) << bit;
		value >>= 1;
	}
	return word;
}

__u64 *event_config_word(struct perf_event_attr *attr, unsigned int word)
{
	switch (word) {
	case 0:
		return &attr->config;
	case 1:
		return &attr->config1;
	case 2:
		return &attr->config2;
#ifdef PERF_ATTR_SIZE_VER8
	case 3:
		return &attr->config3;
#endif
	default:
		return NULL;
	}
}
