/* folders.c - names of folders and files of a fleet; see folders.h. */
#include "output/parquet/folders.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/crc32c.h"
#include "base/file_name.h"
#include "base/os.h"
#include "base/text.h"

/* What Hive, and so everyone, calls the folder of rows without a value. */
#define NO_VALUE "__HIVE_DEFAULT_PARTITION__"
#define NS_PER_SECOND INT64_C(1000000000)
/* Of a long text; the digits of its sum follow. */
#define SHORT_BYTES 96
#define PATH_BYTES (4 * FOLDER_VALUE_BYTES + 256)

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("-._,", c));
}

void fleet_escape(char to[FOLDER_VALUE_BYTES], struct str text)
{
	size_t at = 0, i = 0;

	for (; i < text.len && at < SHORT_BYTES; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		/* Not "." or "..", no device, and no point at the end. */
		if (is_plain(c) &&
		    !(i == 0 && (c == '.' || file_name_is_reserved(text))) &&
		    !(i == text.len - 1 && c == '.'))
			to[at++] = (char)c;
		else
			at += text_print(to + at, 4, "%%%02X", c);
	}
	to[at] = '\0';
	if (i < text.len)
		text_print(to + at, 16, "-%08x", crc32c(0, text.ptr, text.len));
}

/* --- the place of a trace --- */

static struct str base_name(struct str path)
{
	size_t at = path.len;

	while (at && !os_is_separator(path.ptr[at - 1]))
		at--;
	return (struct str){ path.ptr + at, path.len - at };
}

static uint32_t sum_text(uint32_t sum, struct str text)
{
	return text.len ? crc32c(sum, text.ptr, text.len) : sum;
}

/* The same trace of the same machine has the same name in every tree. */
static uint32_t sum_of(const struct trace_row *trace, size_t number)
{
	const int64_t numbers[] = { trace->bytes, trace->first_ns, trace->last_ns,
				    trace->wall_offset_ns, (int64_t)number };
	uint32_t sum = crc32c(0, numbers, sizeof(numbers));

	sum = sum_text(sum, trace->host);
	return sum_text(sum, base_name(trace->path));
}

static void set_date(char date[16], const struct trace_row *trace)
{
	int64_t first = trace->first_ns == INT_NONE ? 0 : trace->first_ns;
	int64_t utc;
	time_t seconds;
	struct tm day;

	text_print(date, 16, "%s", "");
	if (trace->wall_offset_ns == INT_NONE ||
	    __builtin_add_overflow(first, trace->wall_offset_ns, &utc))
		return;
	seconds = (time_t)(utc / NS_PER_SECOND);
	if (gmtime_r(&seconds, &day))
		(void)strftime(date, 16, "%Y-%m-%d", &day);
}

void fleet_place(struct fleet_place *place, const struct trace_row *trace, size_t number)
{
	size_t at;

	fleet_escape(place->host, trace->host.ptr ? trace->host : STR_NONE);
	set_date(place->date, trace);
	fleet_escape(place->trace, base_name(trace->path));
	at = strlen(place->trace);
	text_print(place->trace + at, FOLDER_VALUE_BYTES - at, "%s%08x", at ? "-" : "",
		   sum_of(trace, number));
}

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
		for (ptrdiff_t done = 0, wrote; done < got; done += wrote) {
			wrote = os_write(to, buffer + done, (size_t)(got - done));
			if (wrote < 0)
				return false;
		}
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

enum status fleet_begin(struct fleet *fleet, struct fleet_file *file)
{
	text_print(file->name, sizeof(file->name), "%zu.parquet", ++fleet->files);
	file->fd = os_open_in(fleet->folder, file->name, OS_CREATE);
	return file->fd < 0 ? failed(fleet->error, "create", file->name) : ST_OK;
}

enum status fleet_finish(struct fleet *fleet, struct fleet_file *file, const char *table,
			 const char *counters, size_t suffix)
{
	const struct fleet_place *place = &fleet->place;
	char path[PATH_BYTES], number[24] = "";
	bool is_closed = os_close(file->fd);
	enum status status;

	file->fd = -1;
	if (!is_closed)
		return failed(fleet->error, "write", table);
	if (suffix)
		text_print(number, sizeof(number), "-%zu", suffix);
	text_print(path, sizeof(path), "%s%s%s%s/host=%s/date=%s/%s%s.parquet", table,
		   file_name_suffix(table), counters ? "/counters=" : "",
		   counters ? counters : "", place->host[0] ? place->host : NO_VALUE,
		   place->date[0] ? place->date : NO_VALUE, place->trace, number);
	status = make_folders(fleet->folder, path, fleet->error);
	if (status == ST_OK && !os_move_in(fleet->folder, file->name, path) &&
	    (errno != EXDEV || !move_by_copying(fleet->folder, file->name, path)))
		status = failed(fleet->error, "name", path);
	return status;
}

void fleet_close(struct fleet_file *file)
{
	if (file->fd >= 0)
		(void)os_close(file->fd);
	file->fd = -1;
}
