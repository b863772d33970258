/* folders.c - names of folders and files of a fleet; see folders.h. */
#include "output/parquet/folders.h"

#include "base/file_name.h"
#include "base/os.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>

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
static enum status make_folders(struct os_folder *folder, char *path, struct error *error)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool is_made;

		*slash = '\0';
		is_made = os_make_folder_in(folder, path);
		if (!is_made && errno != EEXIST)
			return failed(error, "create", path);
		*slash = '/';
	}
	return ST_OK;
}

static bool copy_bytes(int from, int to)
{
	char buffer[65536];
	ptrdiff_t got;

	while ((got = os_read(from, buffer, sizeof(buffer))) > 0)
		if (!os_write_all(to, buffer, (size_t)got))
			return false;
	return got == 0;
}

/* Where a sandbox of Linux 5.13 to 5.18 forbids moving files to other folders. */
static bool move_by_copying(struct os_folder *folder, const char *from, const char *to)
{
	int in = os_open_in(folder, from, OS_READ);
	int out = in < 0 ? -1 : os_open_in(folder, to, OS_CREATE);
	bool moved = out >= 0 && copy_bytes(in, out);

	if (in >= 0)
		(void)os_close(in);
	if (out >= 0 && !os_close(out))
		moved = false;
	return moved && os_remove_file_in(folder, from);
}

enum status folders_begin(struct folders *folders, struct folders_file *file)
{
	text_print(file->name, sizeof(file->name), "%zu.parquet", ++folders->files);
	file->fd = os_open_in(folders->folder, file->name, OS_CREATE);
	return file->fd < 0 ? failed(folders->error, "create", file->name) : ST_OK;
}

enum status folders_finish(struct folders *folders, struct folders_file *file,
			   const char *table, const char *counters, size_t suffix)
{
	const struct fleet_place *place = &folders->place;
	char path[PATH_BYTES], number[24] = "";
	bool is_closed = os_close(file->fd);
	enum status status;

	file->fd = -1;
	if (!is_closed)
		return failed(folders->error, "write", table);
	if (suffix)
		text_print(number, sizeof(number), "-%zu", suffix);
	text_print(path, sizeof(path), "%s%s%s%s/host=%s/date=%s/%s%s.parquet", table,
		   file_name_suffix(table), counters ? "/counters=" : "",
		   counters ? counters : "", place->host[0] ? place->host : NO_VALUE,
		   place->date[0] ? place->date : NO_VALUE, place->trace, number);
	status = make_folders(folders->folder, path, folders->error);
	if (status == ST_OK && !os_move_in(folders->folder, file->name, path) &&
	    (errno != EXDEV || !move_by_copying(folders->folder, file->name, path)))
		status = failed(folders->error, "name", path);
	return status;
}

void folders_close(struct folders_file *file)
{
	if (file->fd >= 0)
		(void)os_close(file->fd);
	file->fd = -1;
}
