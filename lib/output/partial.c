/* partial.c - makes names of partial outputs, and removes those of killed runs. */
#include "output/partial.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/os.h"

#define TOKEN_DIGITS 16
/* Bytes of a name, and of the output's name in it: with the rest it must fit. */
#define NAME_BYTES_MAX 255
#define BASE_BYTES_MAX 200
#define ENDING ".partial"
/* Folders in the folder of a Parquet output: TABLE/counters=/host=/date= */
#define TREE_DEPTH_MAX 4

/* --- names --- */

/* "<base>.<16 digits>.partial" */
static size_t print_name(char to[NAME_BYTES_MAX + 1], const char *path, uint32_t random)
{
	const char *base = os_base_name(path);
	uint32_t check = crc32c(0, base, strlen(base));

	check = crc32c(check, &random, sizeof(random));
	return (size_t)snprintf(to, NAME_BYTES_MAX + 1, "%.*s.%08x%08x%s", BASE_BYTES_MAX,
				base, random, check, ENDING);
}

/* Whether print_name() makes `name` for this path, or for its sort file. */
static bool is_partial_of(const char *path, const char *name)
{
	size_t base = strnlen(os_base_name(path), BASE_BYTES_MAX), length;
	char expected[NAME_BYTES_MAX + 1], digits[9] = "";
	char *end;

	if (strlen(name) < base + 1 + TOKEN_DIGITS)
		return false;
	memcpy(digits, name + base + 1, 8);
	length = print_name(expected, path, (uint32_t)strtoul(digits, &end, 16));
	return *end == '\0' && strncmp(name, expected, length) == 0 &&
	       (name[length] == '\0' || strcmp(name + length, "-runs") == 0);
}

char *partial_folder(const char *path)
{
	const char *base = os_base_name(path);
	size_t length = (size_t)(base - path);
	char *folder = malloc(length + 2);

	if (!folder)
		return NULL;
	memcpy(folder, length ? path : ".", length ? length : 1);
	length -= length > 1;
	folder[length ? length : 1] = '\0';
	return folder;
}

char *partial_new_path(const char *path)
{
	char name[NAME_BYTES_MAX + 1], *made;

	print_name(name, path, (uint32_t)os_random());
	if (asprintf(&made, "%.*s%s", (int)(os_base_name(path) - path), path, name) < 0)
		return NULL;
	return made;
}

/* --- folders of tables --- */

static bool has_ending(const char *name, const char *ending)
{
	size_t len = strlen(name), bytes = strlen(ending);

	return len > bytes && strcmp(name + len - bytes, ending) == 0;
}

static bool is_table(struct os_folder *folder, const char *name)
{
	struct os_info info;

	return (has_ending(name, ".csv") || has_ending(name, ".parquet")) &&
	       os_inspect_in(folder, name, &info) && info.kind == OS_FILE;
}

/* NULL: the entry is not a folder, or too deep. */
static struct os_folder *open_inner(struct os_folder *folder, const char *name,
				    size_t depth)
{
	return depth < TREE_DEPTH_MAX ? os_folder_open_in(folder, name) : NULL;
}

/*
 * A folder of a tree: "x=y", or of tables whose names are the first folders.  Only a tree
 * that is being made or removed has empty ones: `of_empty` is what such a folder is.
 */
static enum table_folder kind_of(struct os_folder *folder, size_t depth,
				 enum table_folder of_empty)
{
	enum table_folder kind = depth ? of_empty : FOLDER_EMPTY;
	bool is_mixed = false;
	const char *name;

	os_folder_rewind(folder);
	while (!is_mixed && (name = os_folder_next(folder))) {
		struct os_folder *inner = open_inner(folder, name, depth);

		kind = FOLDER_OF_TABLES;
		is_mixed = inner ? kind_of(inner, depth + 1, of_empty) == FOLDER_MIXED
				 : !is_table(folder, name);
		os_folder_close(inner);
	}
	return is_mixed ? FOLDER_MIXED : kind;
}

enum table_folder table_folder_kind(struct os_folder *folder)
{
	return kind_of(folder, 0, FOLDER_MIXED);
}

/* Everything in the folder. */
static bool empty(struct os_folder *folder, size_t depth)
{
	bool done = true;
	const char *name;

	os_folder_rewind(folder);
	while (done && (name = os_folder_next(folder))) {
		struct os_folder *inner = open_inner(folder, name, depth);

		if (inner) {
			done = empty(inner, depth + 1);
			os_folder_close(inner);
			done = done && os_remove_folder_in(folder, name);
		} else {
			done = is_table(folder, name) && os_remove_file_in(folder, name);
		}
	}
	return done;
}

bool table_folder_remove(struct os_folder *folder, const char *path)
{
	return empty(folder, 0) && os_remove_folder(path);
}

/* --- partial outputs of killed runs --- */

/* Each returns true if another process is writing it. */
static bool remove_stale_file(const char *path)
{
	int fd = os_open(path, OS_READ_PLAIN);
	bool is_written = false;
	struct os_info info;

	if (fd < 0)
		return false;
	if (os_inspect(fd, &info) && info.is_own && info.kind == OS_FILE) {
		if (!os_lock(fd))
			is_written = errno == EWOULDBLOCK;
		else if (info.names == 1)
			(void)os_remove_file(path);
	}
	(void)os_close(fd);
	return is_written;
}

static bool remove_stale_folder(const char *path)
{
	struct os_folder *folder = os_folder_open_in(NULL, path);
	bool is_written = false;
	struct os_info info;

	if (!folder)
		return false;
	if (os_folder_inspect(folder, &info) && info.is_own) {
		if (!os_folder_lock(folder))
			is_written = errno == EWOULDBLOCK;
		else if (kind_of(folder, 0, FOLDER_OF_TABLES) != FOLDER_MIXED)
			(void)table_folder_remove(folder, path);
	}
	os_folder_close(folder);
	return is_written;
}

bool partial_remove_stale(const char *path)
{
	char *folder_path = partial_folder(path);
	struct os_folder *folder = folder_path ? os_folder_open(folder_path) : NULL;
	bool is_written = false;
	struct os_info info;
	const char *name;
	char *stale;

	while (folder && (name = os_folder_next(folder))) {
		if (!is_partial_of(path, name) ||
		    asprintf(&stale, "%s/%s", folder_path, name) < 0)
			continue;
		if (os_inspect_name(stale, &info))
			is_written |= info.kind == OS_FOLDER ? remove_stale_folder(stale)
							     : remove_stale_file(stale);
		free(stale);
	}
	os_folder_close(folder);
	free(folder_path);
	return is_written;
}
