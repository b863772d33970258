/*
 * fuzz_elf.c - any bytes as an ELF file that is asked for names, in the processes that
 * do so: a crash of one costs that file its names, and nothing else.
 *
 * The build id of the request is the first one in the bytes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "base/text.h"
#include "harness.h"
#include "symbols/files/files.h"

#define PLACES 4096 /* each byte of the seeds is one */
#define ID_BYTES 20

/* A crash inside libelf ends that process; one that a sanitizer found has status 1. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0";
}

static char folder[] = "/tmp/perftab-fuzz-elf.XXXXXX";

static void remove_folder(void)
{
	char path[sizeof(folder) + 8];

	snprintf(path, sizeof(path), "%s/file", folder);
	unlink(path);
	rmdir(folder);
}

static struct files *reader(void)
{
	static struct files *files;
	struct error error = { .status = ST_OK };

	if (files)
		return files;
	if (!mkdtemp(folder) || atexit(remove_folder) != 0)
		abort();
	files = files_start(folder, &error);
	if (!files)
		abort();
	return files;
}

static void write_file(const uint8_t *data, size_t size)
{
	char path[sizeof(folder) + 8];
	int fd;

	snprintf(path, sizeof(path), "%s/file", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	close(fd);
}

/* The first name, and how many there are. */
static void answer(enum file_result result, const struct file_name *names)
{
	static const char *const words[] = {
#define RESULT(enumerator, words) #enumerator,
		FILE_RESULTS(RESULT)
#undef RESULT
	};
	struct str first = STR("-");
	size_t count = 0;

	for (size_t i = 0; i < PLACES; i++)
		if (names[i].name.ptr && !count++)
			first = names[i].name;
	answer_text(result == FILE_NAMED ? 0 : 1,
		    "%s: %zu of %d places named, first %.*s", words[result], count,
		    PLACES, (int)first.len, first.ptr);
}

static const uint8_t *find_id(const uint8_t *data, size_t size)
{
	static const uint8_t none[ID_BYTES] = { 1 };

	for (size_t i = 0; i + 4 + ID_BYTES <= size; i++)
		if (memcmp(data + i, "GNU", 4) == 0)
			return data + i + 4;
	return none;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct files *files = reader();
	static struct file_name names[PLACES];
	static uint64_t places[PLACES];
	struct arena arena = { NULL };
	const struct file_request request = {
		.kind = FILE_ELF,
		.path = STR("/file"),
		.build_id = find_id(data, size),
		.build_id_bytes = ID_BYTES,
		.count = PLACES,
		.places = places,
	};
	enum file_result result;

	for (size_t i = 0; i < PLACES; i++)
		places[i] = size * i / PLACES;
	memset(names, 0, sizeof(names));
	write_file(data, size);
	result = files_ask(files, &request, &arena, names);
	if (result == FILE_GONE || result == FILE_KERNEL_NAMED || result == FILE_NONE)
		abort();
	for (size_t i = 0; i < PLACES; i++)
		if (names[i].name.ptr &&
		    (result != FILE_NAMED || !text_is_valid(names[i].name)))
			abort();
	answer(result, names);
	arena_release(&arena);
	return 0;
}

/* Words of headers and tables become 0, all ones, their half, or another place. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	uint64_t random = (seed + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
	size_t width = (size_t)1 << (random >> 60 & 3);
	size_t at, from;

	(void)max_size;
	if (size < 16)
		return size;
	if (seed % 11 == 10)
		return (size_t)(random >> 20) % size;
	at = (size_t)(random >> 20) % (seed % 3 || size < 72 ? size - 8 : 64);
	from = (size_t)(random >> 8) % (size - 8);
	switch (seed % 4) {
	case 0:
		memset(data + at, 0xff, width);
		break;
	case 1:
		memset(data + at, 0, width);
		break;
	case 2:
		data[at] ^= (uint8_t)(1u << (random >> 4 & 7));
		break;
	default:
		memmove(data + at, data + from, width);
	}
	return size;
}
