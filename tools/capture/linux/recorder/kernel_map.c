/*
 * kernel_map.c - where the kernel's text is: perf report warns of files that do not say.
 *
 * The record that perf makes for it: MMAP of pid -1, named after a symbol whose address
 * is its pgoff.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/linux/recorder/tasks.h"

/*
 * Where the text begins: _text, or _stext where kallsyms has no other (arm64); x86 has
 * both, at one address and in either order.  Nothing after them is read: all of kallsyms
 * costs the kernel a quarter of a second on a slow machine.  0: hidden from us.
 */
static uint64_t text_address(const char *kallsyms, const char **found)
{
	FILE *file = fopen(kallsyms, "re");
	unsigned long long address = 0;
	char line[512];

	*found = NULL;
	while (file && fgets(line, sizeof(line), file)) {
		char *end, *name;
		unsigned long long at = strtoull(line, &end, 16);

		if (*found && at != address)
			break;
		name = strlen(end) > 3 ? end + 3 : end; /* " T name" */
		name[strcspn(name, "\t\n")] = '\0';
		if (strcmp(name, "_text") == 0)
			*found = "[kernel.kallsyms]_text";
		else if (!*found && strcmp(name, "_stext") == 0)
			*found = "[kernel.kallsyms]_stext";
		else
			continue;
		address = at;
	}
	if (file)
		fclose(file);
	return address;
}

void kernel_map_write(struct bytes *to, const char *kallsyms, const struct counters *c)
{
	static const uint16_t misc = PERF_RECORD_MISC_KERNEL;
	const char *name;
	uint64_t address = text_address(kallsyms, &name);
	size_t start, text;

	if (!address)
		return;
	start = perf_begin_record(to, PERF_RECORD_MMAP);
	if (!to->failed)
		memcpy(to->data + start + 4, &misc, sizeof(misc));
	bytes_u32(to, UINT32_MAX);
	bytes_u32(to, 0);
	bytes_u64(to, address);
	bytes_u64(to, UINT64_MAX - address); /* modules lie above it, or are unknown */
	bytes_u64(to, address);
	text = to->size;
	bytes_text(to, name);
	bytes_pad(to, text, 8);
	bytes_u64(to, 0); /* pid, tid */
	bytes_u64(to, 0);
	bytes_u64(to, 0);
	bytes_u64(to, counters_tracker(c)->ids[0]);
	(void)perf_end_record(to, start);
}
