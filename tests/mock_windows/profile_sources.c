/* profile_sources.c - writes lists of profile sources, valid and invalid ones. */
#include <string.h>

#include "capture/windows/utf16.h"
#include "mock.h"

static const struct {
	const char *name;
	uint32_t id, least, most;
} sources[] = {
	/* names and order as on Intel; the intervals are made up */
	{ "Timer", 0, 1221, 1000000 },
	{ "TotalIssues", 2, 4096, 2147483647 },
	{ "BranchInstructions", 6, 4096, 2147483647 },
	{ "CacheMisses", 10, 4096, 2147483647 },
	{ "BranchMispredictions", 11, 4096, 2147483647 },
	{ "TotalCycles", 19, 4096, 2147483647 },
	{ "UnhaltedCoreCycles", 25, 4096, 2147483647 },
	{ "InstructionRetired", 26, 4096, 2147483647 },
	{ "UnhaltedReferenceCycles", 27, 4096, 2147483647 },
	{ "LLCReference", 28, 4096, 2147483647 },
	{ "LLCMisses", 29, 4096, 2147483647 },
};

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

static void write_u32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* PROFILE_SOURCE_INFO: entries of multiples of 8 bytes. */
static size_t write_source(uint8_t *to, size_t source, bool last)
{
	uint16_t name[64];
	size_t units = strlen(sources[source].name) + 1;
	size_t size = (24 + 2 * units + 7) & ~(size_t)7;

	(void)utf16_of(name, 64, sources[source].name);
	memset(to, 0, size);
	write_u32(to, last ? 0 : (uint32_t)size);
	write_u32(to + 4, sources[source].id);
	write_u32(to + 8, sources[source].least);
	write_u32(to + 12, sources[source].most);
	for (size_t i = 0; i < units; i++) {
		to[24 + 2 * i] = (uint8_t)name[i];
		to[25 + 2 * i] = (uint8_t)(name[i] >> 8);
	}
	return size;
}

/* More entries than the limit, each with a valid offset of the next. */
static size_t write_long(uint8_t *to)
{
	size_t at = 0;

	for (int i = 0; i < 1100; i++)
		at += write_source(to + at, 1, i == 1099);
	return at;
}

size_t mock_source_list(uint8_t *to, size_t size)
{
	const char *which = mock.sources, *how = mock.list;
	size_t count = strcmp(which, "timer") == 0  ? 1
		       : strcmp(which, "none") == 0 ? 0
		       : strcmp(which, "few") == 0  ? 3
						    : SOURCES;
	size_t at = 0;

	(void)size;
	if (strcmp(how, "long") == 0)
		return write_long(to);
	for (size_t i = 0; i < count; i++)
		at += write_source(to + at, i, i + 1 == count);
	if (strcmp(how, "cut") == 0)
		return at - 60; /* within the last entry but one */
	if (strcmp(how, "loop") == 0)
		write_u32(to, 8); /* the next entry overlaps the first */
	if (strcmp(how, "jump") == 0)
		write_u32(to, 0x7fffffff);
	return at;
}
