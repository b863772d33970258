/* partial.c - makes names of partial outputs, and removes those of killed runs. */
#include "output/partial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/os.h"

#define TOKEN_DIGITS 16
/* Bytes of the output's name: with the rest it must fit into NAME_MAX. */
#define BASE_BYTES_MAX 200
#define ENDING ".partial"
/* Folders in the folder of a Parquet output: TABLE/counters=/host=/date= */
#define TREE_DEPTH_MAX 4

/* --- names --- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "<base>.<16 digits>.partial" */
static size_t print_name(char to[NAME_MAX + 1], const char *path, uint32_t random)
{
	const char *base = base_of(path);
	uint32_t check = crc32c(0, base, strlen(base));

	check = crc32c(check, &random, sizeof(random));
	return (size_t)snprintf(to, NAME_MAX + 1, "%.*s.%08x%08x%s", BASE_BYTES_MAX, base,
				random, check, ENDING);
}

/* Whether print_name() makes `name` for this path, or for its sort file. */
static bool is_partial_of(const char *path, const char *name)
{
	size_t base = strnlen(base_of(path), BASE_BYTES_MAX), length;
	char expected[NAME_MAX + 1], digits[9] = "";
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
	const char *base = base_of(path);

	if (base == path)
		return strdup(".");
	return strndup(path, base - path > 1 ? (size_t)(base - path - 1) : 1);
}

char *partial_new_path(const char *path)
{
	char name[NAME_MAX + 1], *made;

	print_name(name, path, (uint32_t)os_random());
	if (asprintf(&made, "%.*s%s", (int)(base_of(path) - path), path, name) < 0)
		return NULL;
	return made;
}

/* --- folders of tables --- */

static bool has_ending(const char *name, const char *ending)
{
	size_t len = strlen(name), bytes = strlen(ending);

	return len > bytes && strcmp(name + len - bytes, ending) == 0;
}

static bool is_table(int folder, const char *name)
{
	struct stat info;

	return (has_ending(name, ".csv") || has_ending(name, ".parquet")) &&
	       fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(info.st_mode);
}

/* The next entry but . and .., or NULL. */
static const struct dirent *next_entry(DIR *folder)
{
	const struct dirent *entry;

	do {
		entry = readdir(folder);
	} while (entry &&
		 (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry;
}

static DIR *open_at(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *opened = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !opened)
		close(fd);
	return opened;
}

DIR *table_folder_open(const char *path)
{
	return open_at(AT_FDCWD, path);
}

/* A folder of a tree: "x=y", or of tables whose names are the first folders. */
static enum table_folder kind_of(DIR *folder, size_t depth)
{
	const struct dirent *entry;
	enum table_folder kind = FOLDER_EMPTY;

	rewinddir(folder);
	while (kind != FOLDER_MIXED && (entry = next_entry(folder))) {
		DIR *inner = depth < TREE_DEPTH_MAX
				     ? open_at(dirfd(folder), entry->d_name)
				     : NULL;

		if (inner)
			kind = kind_of(inner, depth + 1) == FOLDER_OF_TABLES
				       ? FOLDER_OF_TABLES
				       : FOLDER_MIXED;
		else
			kind = is_table(dirfd(folder), entry->d_name) ? FOLDER_OF_TABLES
								      : FOLDER_MIXED;
		if (inner)
			closedir(inner);
	}
	return kind;
}

enum table_folder table_folder_kind(DIR *folder)
{
	return kind_of(folder, 0);
}

/* Everything in the folder. */
static bool empty(DIR *folder, size_t depth)
{
	const struct dirent *entry;
	bool done = true;

	rewinddir(folder);
	while (done && (entry = next_entry(folder))) {
		DIR *inner = depth < TREE_DEPTH_MAX
				     ? open_at(dirfd(folder), entry->d_name)
				     : NULL;

		if (inner) {
			done = empty(inner, depth + 1) &&
			       unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR) == 0;
			closedir(inner);
		} else {
			done = is_table(dirfd(folder), entry->d_name) &&
			       unlinkat(dirfd(folder), entry->d_name, 0) == 0;
		}
	}
	return done;
}

bool table_folder_remove(DIR *folder, const char *path)
{
	return empty(folder, 0) && rmdir(path) == 0;
}

/* --- partial outputs of killed runs --- */

/* Returns true if another process is writing it. */
static bool remove_stale(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_written = false;
	struct stat info;
	DIR *folder;

	if (fd < 0)
		return false;
	if (fstat(fd, &info) != 0 || info.st_uid != geteuid()) {
		close(fd);
		return false;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		is_written = errno == EWOULDBLOCK;
	} else if (S_ISREG(info.st_mode) && info.st_nlink == 1) {
		(void)unlink(path);
	} else if (S_ISDIR(info.st_mode)) {
		folder = table_folder_open(path);
		if (folder && table_folder_kind(folder) != FOLDER_MIXED)
			(void)table_folder_remove(folder, path);
		if (folder)
			closedir(folder);
	}
	close(fd);
	return is_written;
}

bool partial_remove_stale(const char *path)
{
	char *folder_path = partial_folder(path);
	DIR *folder = folder_path ? opendir(folder_path) : NULL;
	const struct dirent *entry;
	bool is_written = false;
	char *stale;

	while (folder && (entry = readdir(folder))) {
		if (!is_partial_of(path, entry->d_name) ||
		    asprintf(&stale, "%s/%s", folder_path, entry->d_name) < 0)
			continue;
		is_written |= remove_stale(stale);
		free(stale);
	}
	if (folder)
		closedir(folder);
	free(folder_path);
	return is_written;
}
