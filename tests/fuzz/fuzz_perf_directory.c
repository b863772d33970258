/*
 * fuzz_perf_directory.c - any bytes as the files of a `perf record --threads` directory:
 * merged, and decompressed below that.
 *
 * A file is u16 little-endian of its size and its bytes: `data` first, then data.0 and
 * data.1; the last one goes to the end of the input.
 */
#include <string.h>

#include "formats/formats.h"
#include "harness.h"
#include "mutate_perf.h"
#include "scratch.h"

#define FILES 3
#define FILE_BYTES_MAX 65535

static const char *const names[FILES] = { "data", "data.0", "data.1" };

struct part {
	size_t at, size; /* of its bytes */
};

static size_t find_files(const uint8_t *data, size_t size, struct part *parts)
{
	size_t count = 0, at = 0;

	while (count < FILES && size - at >= 2) {
		size_t bytes = (size_t)(data[at] | data[at + 1] << 8);
		size_t left = size - at - 2;

		if (bytes > left || count == FILES - 1)
			bytes = left;
		parts[count++] = (struct part){ at + 2, bytes };
		at += 2 + bytes;
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	static const struct reader_options options = { .want_rows = true };
	struct part parts[FILES] = { { 0, 0 } };
	size_t count = find_files(data, size, parts);

	for (size_t i = 0; i < FILES; i++)
		scratch_save(names[i], data + parts[i].at, i < count ? parts[i].size : 0);
	(void)harness_run_path(scratch_folder(), &options, formats);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	static uint8_t copy[FILE_BYTES_MAX];
	struct mutant m = mutant_over(data, size, max_size, seed);
	struct part parts[FILES];
	size_t count = find_files(data, size, parts), i = mutant_choose(&m, count);
	struct mutant file;

	if (count == 0 || parts[i].size > sizeof(copy)) {
		mutant_change_all(&m, 0);
		return m.size;
	}
	memcpy(copy, data + parts[i].at, parts[i].size);
	file = mutant_over(copy, parts[i].size, sizeof(copy), seed + 1);
	if (i == 0)
		mutate_perf_file(&file);
	else
		mutate_perf_records(&file, 0);
	if (mutant_replace(&m, parts[i].at, parts[i].size, copy, file.size))
		mutant_put(&m, parts[i].at - 2, 2, file.size);
	return m.size;
}
