/* target.c - writes outputs under temporary names and renames them. */
#include "output/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "output/partial.h"

#define NAME_TRIES 16

static enum status failed(struct error *error, const char *doing, const char *path)
{
	return error_set(error, errno == ENOMEM ? ST_NOMEM : ST_IO, ERROR_NO_OFFSET,
			 "%s %s: %s", doing, path, strerror(errno));
}

enum status target_write_failed(int fd, struct error *error)
{
	return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot write%s: %s",
			 fd == OS_STDOUT ? " to standard output" : "", strerror(errno));
}

/* --- creating the partial output --- */

static enum status refuse_old(const struct target *target, struct error *error)
{
	return error_set(error, ST_IO, ERROR_NO_OFFSET, "output %s exists already%s",
			 target->path, target->hint ? target->hint : "");
}

static enum status check_folder(const struct target *target, struct error *error)
{
	struct os_folder *folder = os_folder_open_in(NULL, target->path);
	enum table_folder kind;

	if (!folder)
		return failed(error, "cannot read the output directory", target->path);
	kind = table_folder_kind(folder);
	os_folder_close(folder);
	if (kind == FOLDER_MIXED)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output directory %s contains other files than tables: "
				 "not replaced",
				 target->path);
	if (kind == FOLDER_OF_TABLES && !target->overwrite)
		return refuse_old(target, error);
	return ST_OK;
}

/* Checks whether `path` may become a new output. */
static enum status check_free(const struct target *target, struct error *error)
{
	struct os_info info;

	if (!os_inspect_name(target->path, &info))
		return errno == ENOENT ? ST_OK
				       : failed(error, "cannot examine", target->path);
	if ((info.kind == OS_FOLDER) != target->directory)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s is %s, expected %s to write", target->path,
				 target->directory ? "not a directory" : "a directory",
				 target->directory ? "a directory" : "a file");
	if (target->directory)
		return check_folder(target, error);
	if (info.kind != OS_FILE)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s is not a regular file", target->path);
	if (!target->overwrite)
		return refuse_old(target, error);
	return ST_OK;
}

/*
 * Creates the partial output; EEXIST if there is one, or if another run took the folder
 * for that of a killed run and removed it.  A folder is opened here, so that removing it
 * needs no memory.  False with errno set.
 */
static bool create(struct target *target)
{
	if (!target->directory) {
		target->lock_fd = os_open(target->partial, OS_CREATE);
		return target->lock_fd >= 0;
	}
	if (!os_make_folder(target->partial))
		return false;
	target->folder = os_folder_open_in(NULL, target->partial);
	if (!target->folder) {
		int number = errno;

		(void)os_remove_folder(target->partial);
		errno = number == ENOENT ? EEXIST : number;
	}
	return target->folder;
}

static void close_partial(struct target *target)
{
	os_folder_close(target->folder);
	target->folder = NULL;
	if (target->lock_fd >= 0)
		(void)os_close(target->lock_fd);
	target->lock_fd = -1;
}

/*
 * Locks the partial output.  Another run treats an output that is not locked yet as that
 * of a killed run: false if it is gone.
 */
static bool lock(const struct target *target)
{
	struct os_info info, named;

	(void)(target->folder ? os_folder_lock(target->folder)
			      : os_lock(target->lock_fd));
	return (target->folder ? os_folder_inspect(target->folder, &info)
			       : os_inspect(target->lock_fd, &info)) &&
	       os_inspect_name(target->partial, &named) && os_is_same(&info, &named);
}

static enum status make_partial(struct target *target, struct error *error)
{
	for (int tries = 0; tries < NAME_TRIES; tries++) {
		bool is_created;

		os_remove_at_interrupts(NULL);
		free(target->partial);
		target->partial = partial_new_path(target->path);
		if (!target->partial)
			return error_nomem(error);
		os_hold_interrupts();
		is_created = create(target);
		if (is_created)
			os_remove_at_interrupts(target->partial);
		os_resume_interrupts();
		if (!is_created && errno == EEXIST)
			continue;
		if (!is_created)
			return failed(error, "cannot create", target->path);
		target->begun = lock(target);
		if (target->begun)
			return ST_OK;
		close_partial(target);
	}
	return error_set(error, ST_IO, ERROR_NO_OFFSET,
			 "%s is being written by another process", target->path);
}

/* A leading folder keeps SQLite from reading the name as a URI. */
static char *own_path(const char *path)
{
	size_t len = strlen(path);
	char *own;

	while (len > 1 && os_is_separator(path[len - 1]))
		len--;
	if (asprintf(&own, "%s%.*s", os_is_absolute(path) ? "" : "./", (int)len, path) <
	    0)
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
				   .hint = options->overwrite_hint,
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
	if (status != ST_OK)
		target_release(target);
	return status;
}

/* --- mode and durability --- */

/* Adds search permission where a file is readable. */
static unsigned int mode_of(const struct target *target, bool is_folder)
{
	unsigned int mode = target->mode & 0777;

	return is_folder ? mode | (mode & 0444) >> 2 : mode;
}

/* Sets the mode of a table of the folder, and flushes it. */
static bool settle_file(const struct target *target, struct os_folder *folder,
			const char *name, bool sync)
{
	int fd = os_open_in(folder, name, OS_CHANGE);
	bool settled = fd >= 0 &&
		       (!target->mode || os_set_mode(fd, mode_of(target, false))) &&
		       (!sync || os_sync(fd));

	if (fd >= 0)
		(void)os_close(fd);
	return settled;
}

/* The same with all in the folder, and with the folder. */
static bool settle_folder(const struct target *target, struct os_folder *folder,
			  bool sync)
{
	bool settled = true;
	const char *name;

	os_folder_rewind(folder);
	while (settled && (name = os_folder_next(folder))) {
		struct os_folder *inner = os_folder_open_in(folder, name);

		settled = inner ? settle_folder(target, inner, sync)
				: settle_file(target, folder, name, sync);
		os_folder_close(inner);
	}
	return settled &&
	       (!target->mode || os_folder_set_mode(folder, mode_of(target, true))) &&
	       (!sync || os_folder_sync(folder));
}

static enum status settle(const struct target *target, bool sync, struct error *error)
{
	bool settled = true;

	if (target->directory) {
		if (target->mode || sync)
			settled = settle_folder(target, target->folder, sync);
	} else {
		if (target->mode)
			settled = os_set_mode(target->lock_fd, mode_of(target, false));
		if (settled && sync)
			settled = os_sync(target->lock_fd);
	}
	return settled ? ST_OK : failed(error, "cannot complete", target->partial);
}

/* Flushes the folder, and with it the name, to the disk. */
static enum status sync_folder(const struct target *target, struct error *error)
{
	char *path = partial_folder(target->path);
	enum status status = ST_OK;

	if (path && !os_sync_folder(path))
		status = failed(error, "cannot make durable", target->path);
	free(path);
	return status;
}

/* --- the name --- */

/*
 * For file systems that cannot exchange names.  A run killed in between leaves the old
 * folder under a name that no later run removes.
 */
static bool exchange_by_steps(struct target *target)
{
	char *old_name;
	int number;

	if (asprintf(&old_name, "%s-old", target->partial) < 0)
		return false;
	if (!os_move(target->path, old_name)) {
		free(old_name);
		return false;
	}
	if (os_move(target->partial, target->path)) {
		free(target->partial);
		target->partial = old_name;
		return true;
	}
	number = errno;
	(void)os_move(old_name, target->path);
	free(old_name);
	errno = number;
	return false;
}

/*
 * Exchanges the names of two folders; afterwards target->partial is that of the old one.
 */
static bool exchange(struct target *target)
{
	if (os_exchange(target->partial, target->path))
		return true;
	return (errno == EINVAL || errno == ENOSYS) && exchange_by_steps(target);
}

/* Replaces a folder of tables that has the name, and removes it. */
static enum status replace_folder(struct target *target, struct error *error)
{
	struct os_folder *old = os_folder_open_in(NULL, target->path);
	enum table_folder kind = old ? table_folder_kind(old) : FOLDER_EMPTY;
	enum status status = ST_OK;

	if (!old && errno != ENOENT)
		return failed(error, "cannot replace", target->path);
	if (kind == FOLDER_MIXED)
		status = error_set(
			error, ST_IO, ERROR_NO_OFFSET,
			"output directory %s now contains other files than tables",
			target->path);
	else if (!(kind == FOLDER_EMPTY ? os_move(target->partial, target->path)
					: exchange(target)))
		status = failed(error, "cannot name the output", target->path);
	else
		target->begun = false;
	if (status == ST_OK && kind == FOLDER_OF_TABLES)
		os_folder_moved(old, target->partial);
	if (status == ST_OK && kind == FOLDER_OF_TABLES &&
	    !table_folder_remove(old, target->partial))
		status = error_set(error, ST_IO, ERROR_NO_OFFSET,
				   "%s is complete, but the output it replaced is left "
				   "as %s: cannot remove it: %s",
				   target->path, target->partial, strerror(errno));
	os_folder_close(old);
	return status;
}

/* A file that another process created meanwhile stays, unless it may be replaced. */
static enum status give_name(struct target *target, struct error *error)
{
	bool is_named;

	if (target->directory && target->overwrite)
		return replace_folder(target, error);
	if (target->directory || target->overwrite) /* over an empty folder, or a file */
		is_named = os_move(target->partial, target->path);
	else
		is_named = os_move_if_free(target->partial, target->path);
	if (!is_named)
		return failed(error, "cannot name the output", target->path);
	target->begun = false;
	return ST_OK;
}

enum status target_commit(struct target *target, struct error *error)
{
	struct os_info info;
	bool sync = target->sync == SYNC_ALWAYS ||
		    (target->sync == SYNC_REPLACING && target->overwrite &&
		     os_inspect_name(target->path, &info));
	enum status status = settle(target, sync, error);

	if (status == ST_OK && memory_failed())
		status = error_nomem(error);
	os_hold_interrupts(); /* the name: whole or not at all */
	if (status == ST_OK && os_interrupted())
		return error_set(error, ST_INTERRUPTED, ERROR_NO_OFFSET, "interrupted");
	if (status == ST_OK)
		status = give_name(target, error);
	if (status == ST_OK && sync)
		status = sync_folder(target, error);
	return status;
}

/* --- comparing, releasing --- */

bool target_is(const char *path, const char *input)
{
	struct os_info info, in;

	return os_inspect_path(input, &in) && os_inspect_path(path, &info) &&
	       os_is_same(&info, &in);
}

void target_release(struct target *target)
{
	if (target->begun && target->folder)
		(void)table_folder_remove(target->folder, target->partial);
	else if (target->begun)
		(void)os_remove_file(target->partial);
	close_partial(target);
	os_remove_at_interrupts(NULL);
	free(target->path);
	free(target->partial);
	*target = (struct target){ .lock_fd = -1 };
}
