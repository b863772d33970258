/* folders.c - names of folders and files of a fleet; see folders.h. */
#include "output/parquet/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* What Hive, and so everyone, calls the folder of rows without a value. */
#define NO_VALUE "__HIVE_DEFAULT_PARTITION__"
#define PATH_BYTES (4 * FLEET_TEXT_BYTES + 256)

/* --- files --- */

static enum status failed(struct error *error, const char *doing, const char *path)
{
	return error_set(error, errno == ENOMEM ? ST_NOMEM : ST_IO, ERROR_NO_OFFSET,
			 "cannot %s %s: %s", doing, path, strerror(errno));
}

/* Makes the folders of a path in the output. */
static enum status make_folders(int folder_fd, char *path, struct error *error)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		int made;

		*slash = '\0';
		made = mkdirat(folder_fd, path, 0700);
		if (made != 0 && errno != EEXIST)
			return failed(error, "create", path);
		*slash = '/';
	}
	return ST_OK;
}

static bool copy_bytes(int from, int to)
{
	char buffer[65536];
	ssize_t got;

	while ((got = read(from, buffer, sizeof(buffer))) > 0)
		for (ssize_t done = 0, wrote; done < got; done += wrote) {
			wrote = write(to, buffer + done, (size_t)(got - done));
			if (wrote < 0)
				return false;
		}
	return got == 0;
}

/* Where a sandbox of Linux 5.13 to 5.18 forbids moving files to other folders. */
static bool move_by_copying(int folder_fd, const char *from, const char *to)
{
	int in = openat(folder_fd, from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1
			 : openat(folder_fd, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				  0600);
	bool moved = out >= 0 && copy_bytes(in, out);

	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) != 0)
		moved = false;
	return moved && unlinkat(folder_fd, from, 0) == 0;
}

enum status folders_begin(struct folders *folders, struct folders_file *file)
{
	text_print(file->name, sizeof(file->name), "%zu.parquet", ++folders->files);
	file->fd = openat(folders->folder_fd, file->name,
			  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return file->fd < 0 ? failed(folders->error, "create", file->name) : ST_OK;
}

enum status folders_finish(struct folders *folders, struct folders_file *file,
			   const char *table, const char *counters, size_t suffix)
{
	const struct fleet_place *place = &folders->place;
	char path[PATH_BYTES], number[24] = "";
	int closed = close(file->fd);
	enum status status;

	file->fd = -1;
	if (closed != 0)
		return failed(folders->error, "write", table);
	if (suffix)
		text_print(number, sizeof(number), "-%zu", suffix);
	text_print(path, sizeof(path), "%s%s%s/host=%s/date=%s/%s%s.parquet", table,
		   counters ? "/counters=" : "", counters ? counters : "",
		   place->host[0] ? place->host : NO_VALUE,
		   place->date[0] ? place->date : NO_VALUE, place->trace, number);
	status = make_folders(folders->folder_fd, path, folders->error);
	if (status == ST_OK &&
	    renameat(folders->folder_fd, file->name, folders->folder_fd, path) != 0 &&
	    (errno != EXDEV || !move_by_copying(folders->folder_fd, file->name, path)))
		status = failed(folders->error, "name", path);
	return status;
}

void folders_close(struct folders_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
