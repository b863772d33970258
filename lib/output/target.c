/* target.c - writes outputs under temporary names and renames them. */
#include "output/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"
#include "output/partial.h"

#define NAME_TRIES 16

static enum status failed(struct error *error, const char *doing, const char *path)
{
	return error_set(error, errno == ENOMEM ? ST_NOMEM : ST_IO, ERROR_NO_OFFSET,
			 "%s %s: %s", doing, path, strerror(errno));
}

/* --- creating the partial output --- */

static enum status check_folder(const char *path, bool overwrite, struct error *error)
{
	DIR *folder = table_folder_open(path);
	enum table_folder kind;

	if (!folder)
		return failed(error, "cannot read the output directory", path);
	kind = table_folder_kind(folder);
	closedir(folder);
	if (kind == FOLDER_MIXED)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output directory %s contains other files than tables: "
				 "not replaced",
				 path);
	if (kind == FOLDER_OF_TABLES && !overwrite)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s exists already (--force replaces it)", path);
	return ST_OK;
}

/* Checks whether `path` may become a new output. */
static enum status check_free(const struct target *target, struct error *error)
{
	struct stat info;

	if (lstat(target->path, &info) != 0)
		return errno == ENOENT ? ST_OK
				       : failed(error, "cannot examine", target->path);
	if (S_ISDIR(info.st_mode) != target->directory)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s is %s, expected %s to write", target->path,
				 target->directory ? "not a directory" : "a directory",
				 target->directory ? "a directory" : "a file");
	if (target->directory)
		return check_folder(target->path, target->overwrite, error);
	if (!S_ISREG(info.st_mode))
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s is not a regular file", target->path);
	if (!target->overwrite)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s exists already (--force replaces it)",
				 target->path);
	return ST_OK;
}

/* Creates the partial output; fails if it exists.  -1 with errno set. */
static int create(const struct target *target)
{
	int fd;

	if (!target->directory)
		return open(target->partial,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mkdir(target->partial, 0700) != 0)
		return -1;
	fd = open(target->partial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		(void)rmdir(target->partial);
	return fd;
}

/* Another run treats an output that is not locked yet as that of a killed run. */
static bool is_still_there(const struct target *target)
{
	struct stat info, named;

	return fstat(target->lock_fd, &info) == 0 &&
	       lstat(target->partial, &named) == 0 && info.st_ino == named.st_ino &&
	       info.st_dev == named.st_dev;
}

static enum status make_partial(struct target *target, struct error *error)
{
	for (int tries = 0; tries < NAME_TRIES; tries++) {
		free(target->partial);
		target->partial = partial_new_path(target->path);
		if (!target->partial)
			return error_nomem(error);
		target->lock_fd = create(target);
		if (target->lock_fd < 0 && errno == EEXIST)
			continue;
		if (target->lock_fd < 0)
			return failed(error, "cannot create", target->partial);
		(void)flock(target->lock_fd, LOCK_EX | LOCK_NB);
		target->begun = is_still_there(target);
		if (target->begun)
			return ST_OK;
		close(target->lock_fd);
		target->lock_fd = -1;
	}
	return error_set(error, ST_IO, ERROR_NO_OFFSET,
			 "%s is being written by another process", target->path);
}

/* Opened here, so that removing the folder needs no memory. */
static enum status open_folder(struct target *target, struct error *error)
{
	if (target->directory)
		target->folder = table_folder_open(target->partial);
	if (!target->directory || target->folder)
		return ST_OK;
	(void)rmdir(target->partial);
	target->begun = false;
	return failed(error, "cannot open", target->partial);
}

/* A leading folder keeps SQLite from reading the name as a URI. */
static char *own_path(const char *path)
{
	size_t len = strlen(path);
	char *own;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (asprintf(&own, "%s%.*s", path[0] == '/' ? "" : "./", (int)len, path) < 0)
		return NULL;
	return own;
}

enum status target_begin(struct target *target, const struct sink_options *options,
			 bool directory, struct error *error)
{
	enum status status;

	*target = (struct target){ .path = own_path(options->path),
				   .directory = directory,
				   .overwrite = options->overwrite,
				   .sync = options->sync,
				   .mode = options->mode,
				   .lock_fd = -1 };
	if (!target->path)
		return error_nomem(error);
	status = check_free(target, error);
	if (status == ST_OK && partial_remove_stale(target->path))
		status =
			error_set(error, ST_IO, ERROR_NO_OFFSET,
				  "%s is being written by another process", target->path);
	if (status == ST_OK)
		status = make_partial(target, error);
	if (status == ST_OK)
		status = open_folder(target, error);
	if (status != ST_OK)
		target_release(target);
	return status;
}

/* --- mode and durability --- */

/* Some file systems have no fsync(). */
static bool sync_fd(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/* Adds search permission where a file is readable. */
static mode_t mode_of(const struct target *target, bool is_folder)
{
	mode_t mode = target->mode & 0777;

	return is_folder ? mode | (mode & 0444) >> 2 : mode;
}

static bool settle_tables(const struct target *target, DIR *folder, bool sync);

/* Sets the mode of a table of the folder, or of a tree's folder, and flushes it. */
static bool settle_entry(const struct target *target, DIR *folder, const char *name,
			 bool sync)
{
	int fd = openat(dirfd(folder), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;
	bool settled = fd >= 0 && fstat(fd, &info) == 0;
	DIR *inner = NULL;

	if (settled && S_ISDIR(info.st_mode)) {
		inner = fdopendir(fd);
		settled = inner && settle_tables(target, inner, sync);
	}
	settled = settled &&
		  (!target->mode ||
		   fchmod(fd, mode_of(target, S_ISDIR(info.st_mode))) == 0) &&
		  (!sync || sync_fd(fd));
	if (inner)
		closedir(inner);
	else if (fd >= 0)
		close(fd);
	return settled;
}

static bool settle_tables(const struct target *target, DIR *folder, bool sync)
{
	const struct dirent *entry;

	rewinddir(folder);
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' &&
		    !settle_entry(target, folder, entry->d_name, sync))
			return false;
	return true;
}

static enum status settle(const struct target *target, bool sync, struct error *error)
{
	bool settled = true;

	if (target->directory && (target->mode || sync))
		settled = settle_tables(target, target->folder, sync);
	if (settled && target->mode)
		settled =
			fchmod(target->lock_fd, mode_of(target, target->directory)) == 0;
	if (settled && sync)
		settled = sync_fd(target->lock_fd);
	return settled ? ST_OK : failed(error, "cannot complete", target->partial);
}

/* Flushes the folder, and with it the name, to the disk. */
static enum status sync_folder(const struct target *target, struct error *error)
{
	char *path = partial_folder(target->path);
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	enum status status = ST_OK;

	/* A writable folder need not be readable. */
	if (fd >= 0 && !sync_fd(fd))
		status = failed(error, "cannot make durable", target->path);
	if (fd >= 0)
		close(fd);
	free(path);
	return status;
}

/* --- the name --- */

/* In one step where the system supports it: a kill must not leave both names. */
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

/*
 * For file systems that cannot exchange names.  A run killed in between leaves the old
 * folder under a name that no later run removes.
 */
static int exchange_by_steps(struct target *target)
{
	char *old_name;
	int failure, number;

	if (asprintf(&old_name, "%s-old", target->partial) < 0)
		return -1;
	failure = rename(target->path, old_name);
	if (failure != 0) {
		free(old_name);
		return failure;
	}
	failure = rename(target->partial, target->path);
	number = errno;
	if (failure != 0) {
		(void)rename(old_name, target->path);
		free(old_name);
	} else {
		free(target->partial);
		target->partial = old_name;
	}
	errno = number;
	return failure;
}

/*
 * Exchanges the names of two folders; afterwards target->partial is that of the old one.
 */
static int exchange(struct target *target)
{
	int failure = renameat2(AT_FDCWD, target->partial, AT_FDCWD, target->path,
				RENAME_EXCHANGE);

	if (failure == 0 || (errno != EINVAL && errno != ENOSYS))
		return failure;
	return exchange_by_steps(target);
}

/* Replaces a folder of tables that has the name, and removes it. */
static enum status replace_folder(struct target *target, struct error *error)
{
	DIR *old = table_folder_open(target->path);
	enum table_folder kind = old ? table_folder_kind(old) : FOLDER_EMPTY;
	enum status status = ST_OK;

	if (!old && errno != ENOENT)
		return failed(error, "cannot replace", target->path);
	if (kind == FOLDER_MIXED)
		status = error_set(
			error, ST_IO, ERROR_NO_OFFSET,
			"output directory %s now contains other files than tables",
			target->path);
	else if ((kind == FOLDER_EMPTY ? rename(target->partial, target->path)
				       : exchange(target)) != 0)
		status = failed(error, "cannot name the output", target->path);
	else
		target->begun = false;
	if (status == ST_OK && kind == FOLDER_OF_TABLES &&
	    !table_folder_remove(old, target->partial))
		status = error_set(error, ST_IO, ERROR_NO_OFFSET,
				   "%s is complete, but the output it replaced is left "
				   "as %s: cannot remove it: %s",
				   target->path, target->partial, strerror(errno));
	if (old)
		closedir(old);
	return status;
}

/* A file that another process created meanwhile stays, unless it may be replaced. */
static enum status give_name(struct target *target, struct error *error)
{
	int failure;

	if (target->directory && target->overwrite)
		return replace_folder(target, error);
	if (target->directory || target->overwrite) /* over an empty folder, or a file */
		failure = rename(target->partial, target->path);
	else
		failure = rename_if_free(target);
	if (failure != 0)
		return failed(error, "cannot name the output", target->path);
	target->begun = false;
	return ST_OK;
}

enum status target_commit(struct target *target, struct error *error)
{
	struct stat info;
	bool sync = target->sync == SYNC_ALWAYS ||
		    (target->sync == SYNC_REPLACING && target->overwrite &&
		     lstat(target->path, &info) == 0);
	enum status status = settle(target, sync, error);

	if (status == ST_OK && memory_failed())
		status = error_nomem(error);
	if (status == ST_OK && os_interrupted())
		return error_set(error, ST_INTERRUPTED, ERROR_NO_OFFSET, "interrupted");
	if (status == ST_OK)
		status = give_name(target, error);
	if (status == ST_OK && sync)
		status = sync_folder(target, error);
	return status;
}

/* --- the rest --- */

bool target_is(const char *path, const char *input)
{
	struct stat info, in;

	return stat(input, &in) == 0 && stat(path, &info) == 0 &&
	       info.st_ino == in.st_ino && info.st_dev == in.st_dev;
}

void target_release(struct target *target)
{
	if (target->begun && target->folder)
		(void)table_folder_remove(target->folder, target->partial);
	else if (target->begun)
		(void)unlink(target->partial);
	if (target->folder)
		closedir(target->folder);
	if (target->lock_fd >= 0)
		close(target->lock_fd);
	free(target->path);
	free(target->partial);
	*target = (struct target){ .lock_fd = -1 };
}
