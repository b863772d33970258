/* target.c - see target.h. */
#include "output/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status failed(struct error *error, const char *doing, const char *path)
{
	return error_set(error, ST_IO, ERROR_NO_OFFSET, "%s %s: %s", doing, path,
			 strerror(errno));
}

static bool is_csv(int dir_fd, const char *name)
{
	size_t len = strlen(name);
	struct stat info;

	return len > 4 && strcmp(name + len - 4, ".csv") == 0 &&
	       fstatat(dir_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(info.st_mode);
}

/* Removes a directory of CSV files; with any == false only says whether it is one. */
static bool csv_directory(const char *path, bool remove, bool *empty)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool only_csv = true;

	*empty = true;
	if (!dir)
		return false;
	while (only_csv && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		*empty = false;
		only_csv = is_csv(dirfd(dir), entry->d_name) &&
			   (!remove || unlinkat(dirfd(dir), entry->d_name, 0) == 0);
	}
	closedir(dir);
	return only_csv && (!remove || rmdir(path) == 0);
}

/* May `path` be given to a new output? */
static enum status check_free(const struct target *target, bool overwrite,
			      struct error *error)
{
	struct stat info;
	bool empty;

	if (lstat(target->path, &info) != 0)
		return errno == ENOENT ? ST_OK
				       : failed(error, "cannot look at", target->path);
	if (S_ISDIR(info.st_mode) != target->directory)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s is %s, expected %s to write", target->path,
				 target->directory ? "not a directory" : "a directory",
				 target->directory ? "a directory" : "a file");
	if (!target->directory && !S_ISREG(info.st_mode))
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s is not a regular file", target->path);
	if (target->directory) {
		bool ours = csv_directory(target->path, false, &empty);

		if (empty)
			return ST_OK;
		if (!ours)
			return error_set(
				error, ST_IO, ERROR_NO_OFFSET,
				"output directory %s holds more than .csv files and "
				"is left alone",
				target->path);
	}
	if (!overwrite)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s exists already (--force replaces it)",
				 target->path);
	return ST_OK;
}

/* Creates the partial output, or takes over one that nobody is writing any more. */
static enum status make_partial(struct target *target, struct error *error)
{
	int flags = target->directory ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT;
	struct stat info, named;
	bool empty;

	if (target->directory && mkdir(target->partial, 0777) != 0 && errno != EEXIST)
		return failed(error, "cannot create", target->partial);
	target->lock_fd = open(target->partial, flags | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (target->lock_fd < 0)
		return failed(error, "cannot create", target->partial);
	if (flock(target->lock_fd, LOCK_EX | LOCK_NB) != 0)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "%s is being written by another process",
				 target->partial);
	/* Whoever had the lock may have given the file its name meanwhile: then it is not
	 * ours. */
	if (fstat(target->lock_fd, &info) != 0 || lstat(target->partial, &named) != 0 ||
	    info.st_ino != named.st_ino || info.st_dev != named.st_dev)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "%s is being written by another process",
				 target->partial);
	if (!(target->directory ? csv_directory(target->partial, false, &empty) || empty
				: S_ISREG(info.st_mode)))
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "%s is in the way",
				 target->partial);
	target->begun = true;
	if (!target->directory && ftruncate(target->lock_fd, 0) != 0)
		return failed(error, "cannot write", target->partial);
	return ST_OK;
}

enum status target_begin(struct target *target, const char *path, bool directory,
			 bool overwrite, struct error *error)
{
	/* With a folder before it no name is an SQLite URI. */
	const char *folder = path[0] == '/' ? "" : "./";
	size_t len = strlen(path);
	enum status status;

	*target = (struct target){ .directory = directory,
				   .overwrite = overwrite,
				   .lock_fd = -1 };
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (asprintf(&target->path, "%s%.*s", folder, (int)len, path) < 0)
		target->path = NULL;
	if (asprintf(&target->partial, "%s%.*s.partial", folder, (int)len, path) < 0)
		target->partial = NULL;
	if (!target->path || !target->partial) {
		target_release(target);
		return error_nomem(error);
	}
	status = check_free(target, overwrite, error);
	if (status == ST_OK)
		status = make_partial(target, error);
	if (status != ST_OK)
		target_release(target);
	return status;
}

/* In one step where the system can: a kill must not leave both names. */
static int rename_if_free(const struct target *target)
{
	int failure = renameat2(AT_FDCWD, target->partial, AT_FDCWD, target->path,
				RENAME_NOREPLACE);

	if (failure == 0 || (errno != EINVAL && errno != ENOSYS))
		return failure;
	failure = link(target->partial, target->path);
	if (failure == 0)
		(void)unlink(target->partial);
	else if (errno == EPERM || errno == EOPNOTSUPP) /* no links here */
		failure = rename(target->partial, target->path);
	return failure;
}

enum status target_commit(struct target *target, struct error *error)
{
	bool empty;
	int failure;

	/* What somebody put there meanwhile stays, unless it may be replaced. */
	if (target->overwrite) {
		if (target->directory && csv_directory(target->path, false, &empty))
			(void)csv_directory(target->path, true, &empty);
		failure = rename(target->partial, target->path);
	} else if (target->directory) { /* takes the place of an empty one only */
		failure = rename(target->partial, target->path);
	} else {
		failure = rename_if_free(target);
	}
	if (failure != 0)
		return failed(error, "cannot name the output", target->path);
	target->begun = false;
	return ST_OK;
}

bool target_is(const char *path, const char *input)
{
	struct stat info, in;
	char *partial;
	bool same;

	if (stat(input, &in) != 0)
		return false;
	if (stat(path, &info) == 0 && info.st_ino == in.st_ino &&
	    info.st_dev == in.st_dev)
		return true;
	if (asprintf(&partial, "%s.partial", path) < 0)
		return false;
	same = stat(partial, &info) == 0 && info.st_ino == in.st_ino &&
	       info.st_dev == in.st_dev;
	free(partial);
	return same;
}

void target_release(struct target *target)
{
	bool empty;

	if (target->begun && target->directory)
		(void)csv_directory(target->partial, true, &empty);
	else if (target->begun)
		(void)unlink(target->partial);
	if (target->lock_fd >= 0)
		close(target->lock_fd);
	free(target->path);
	free(target->partial);
	*target = (struct target){ .lock_fd = -1 };
}
