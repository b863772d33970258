/* sysfs.c - reads small files and folder lists, with limits. */
#include "capture/linux/events/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

bool sysfs_is_name(struct str name)
{
	if (name.len == 0 || name.len > NAME_MAX || name.ptr[0] == '.')
		return false;
	return !memchr(name.ptr, '/', name.len) && !memchr(name.ptr, '\0', name.len);
}

/* Nothing there, as opposed to something that cannot be read. */
static bool is_absent(int number)
{
	return number == ENOENT || number == ENOTDIR || number == ELOOP ||
	       number == ENAMETOOLONG;
}

static enum status refuse(struct error *error, uint64_t offset, const char *path)
{
	if (is_absent(errno))
		return ST_END;
	return error_set(error, ST_IO, offset, "'%s' cannot be read: %s", path,
			 strerror(errno));
}

static enum status read_all(struct sysfs_text *to, int file, const char *path,
			    struct error *error, uint64_t offset)
{
	struct stat info;

	to->length = 0;
	if (fstat(file, &info) < 0)
		return refuse(error, offset, path);
	if (!S_ISREG(info.st_mode))
		return error_set(error, ST_CORRUPT, offset, "'%s' is not a file", path);
	for (;;) {
		ssize_t got =
			read(file, to->text + to->length, sizeof(to->text) - to->length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return refuse(error, offset, path);
		if (got == 0)
			break;
		to->length += (size_t)got;
		if (to->length > EVENT_FILE_MAX)
			return error_set(error, ST_LIMIT, offset,
					 "'%s' has more than %d bytes", path,
					 EVENT_FILE_MAX);
	}
	if (memchr(to->text, '\0', to->length))
		return error_set(error, ST_CORRUPT, offset, "'%s' is not text", path);
	while (to->length && strchr(" \t\n", to->text[to->length - 1]))
		to->length--;
	to->text[to->length] = '\0';
	return ST_OK;
}

static enum status format_path(char *path, const char *format, va_list args)
{
	int length = vsnprintf(path, PATH_MAX, format, args);

	return length < 0 || length >= PATH_MAX ? ST_END : ST_OK;
}

enum status sysfs_read(struct sysfs_text *to, struct error *error, uint64_t offset,
		       const char *format, ...)
{
	char path[PATH_MAX];
	enum status status;
	va_list args;
	int file;

	va_start(args, format);
	status = format_path(path, format, args);
	va_end(args);
	if (status != ST_OK)
		return status;
	/* Not blocking: a FIFO in the place of a file must not be waited for. */
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return refuse(error, offset, path);
	status = read_all(to, file, path, error, offset);
	close(file);
	return status;
}

static enum status names_add(struct sysfs_names *names, const char *name)
{
	char *copy;

	if (!ARRAY_GROW(names->names, names->room, names->count))
		return ST_NOMEM;
	copy = strdup(name);
	if (!copy)
		return ST_NOMEM;
	names->names[names->count++] = copy;
	return ST_OK;
}

static int compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static enum status list_all(struct sysfs_names *names, DIR *folder, const char *path,
			    struct error *error, uint64_t offset)
{
	const struct dirent *entry;

	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		if (names->count == EVENT_ENTRIES_MAX)
			return error_set(error, ST_LIMIT, offset,
					 "'%s' has more than %d entries", path,
					 EVENT_ENTRIES_MAX);
		if (names_add(names, entry->d_name) != ST_OK)
			return error_nomem(error);
	}
	if (names->count)
		qsort(names->names, names->count, sizeof(*names->names), compare);
	return ST_OK;
}

enum status sysfs_list(struct sysfs_names *names, struct error *error, uint64_t offset,
		       const char *format, ...)
{
	char path[PATH_MAX];
	enum status status;
	va_list args;
	DIR *folder;

	memset(names, 0, sizeof(*names));
	va_start(args, format);
	status = format_path(path, format, args);
	va_end(args);
	if (status != ST_OK)
		return status;
	folder = opendir(path);
	if (!folder)
		return refuse(error, offset, path);
	status = list_all(names, folder, path, error, offset);
	closedir(folder);
	if (status != ST_OK)
		sysfs_names_release(names);
	return status;
}

void sysfs_names_release(struct sysfs_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	memset(names, 0, sizeof(*names));
}
