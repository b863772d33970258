/*
 * fuzz_perf_tracefs.c - any bytes as a perf.data that lacks names and formats, and as the
 * format files that --tracefs names for it.
 *
 * An input is a byte of options (1: --tracefs, 2: --events), u16 little-endian of the
 * size of the format, the format, and the perf.data.
 */
#include <string.h>
#include <sys/stat.h>

#include "formats/formats.h"
#include "harness.h"
#include "mutate_perf.h"
#include "scratch.h"

#define HEADER_BYTES 3
#define FILE_BYTES_MAX 65535

enum option { WITH_TRACEFS = 1, WITH_EVENTS = 2 };

static void make_folders(void)
{
	static const char *const names[] = { "events", "events/sched",
					     "events/sched/sched_switch",
					     "events/sched/x" };
	static bool made;

	for (size_t i = 0; !made && i < sizeof(names) / sizeof(names[0]); i++)
		(void)mkdir(scratch_path(names[i]), 0700);
	made = true;
}

/* Of the format, in an input that has one. */
static size_t format_size(const uint8_t *data, size_t size)
{
	size_t bytes = (size_t)(data[1] | data[2] << 8);

	return bytes < size - HEADER_BYTES ? bytes : size - HEADER_BYTES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	struct reader_options options = { .want_rows = true };
	size_t bytes;

	if (size < HEADER_BYTES)
		return 0;
	make_folders();
	bytes = format_size(data, size);
	scratch_save("events/sched/sched_switch/format", data + HEADER_BYTES, bytes);
	scratch_save("events/sched/x/format", data + HEADER_BYTES + bytes / 2, bytes / 2);
	scratch_save("trace", data + HEADER_BYTES + bytes, size - HEADER_BYTES - bytes);
	if (data[0] & WITH_TRACEFS)
		options.tracefs = scratch_folder();
	if (data[0] & WITH_EVENTS)
		options.events = "{sched:sched_switch,cpu/event=1,umask=2/}:S,sched:x";
	(void)harness_run_path(scratch_path("trace"), &options, formats);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	static uint8_t copy[FILE_BYTES_MAX];
	struct mutant m = mutant_over(data, size, max_size, seed), file;
	size_t bytes, at;

	if (size < HEADER_BYTES || size > sizeof(copy) || mutant_choose(&m, 4) == 0) {
		mutant_change_all(&m, 0);
		return m.size;
	}
	bytes = format_size(data, size);
	at = HEADER_BYTES + bytes;
	memcpy(copy, data + at, size - at);
	file = mutant_over(copy, size - at, sizeof(copy), seed + 1);
	mutate_perf_file(&file);
	(void)mutant_replace(&m, at, size - at, copy, file.size);
	return m.size;
}
