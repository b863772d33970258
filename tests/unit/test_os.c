/* test_os.c - lib/base/os.h: what a recording may be written to, and what
 * signals end. */
#include "base/os.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

/*
 * What has the name; what is said of it (NULL: it is opened), what is there afterwards.
 */
static const struct {
	int line;
	const char *there;
	const char *says;
	const char *old; /* contents of NAME.old, NULL: there is none */
} outputs[] = {
	{ ROW, "", NULL, NULL },
	{ ROW, "file", NULL, "precious" },
	{ ROW, "file with .old", NULL, "precious" },
	{ ROW, "hard link", NULL, "precious" },
	{ ROW, "empty", NULL, NULL },
	{ ROW, "empty hard link", "an empty file with more than one name", NULL },
	{ ROW, "empty of another", "an empty file of another user", NULL },
	{ ROW, "link to file", "a symbolic link, expected a new name", NULL },
	{ ROW, "link to empty", "a symbolic link, expected a new name", NULL },
	{ ROW, "dangling link", "a symbolic link, expected a new name", NULL },
	{ ROW, "folder", "Is a directory", NULL },
	{ ROW, "no folder", "No such file or directory", NULL },
	{ ROW, "device", NULL, NULL },
	{ ROW, "link to device", NULL, NULL },
};

static bool is(size_t i, const char *what)
{
	return strcmp(outputs[i].there, what) == 0;
}

static void make(size_t i, const char *path)
{
	const char *other = unit_path("other");
	bool made = true;

	unit_write_file(other, "precious", is(i, "link to empty") ? 0 : 8);
	if (is(i, "file") || is(i, "file with .old"))
		unit_write_file(path, "precious", 8);
	if (is(i, "file with .old"))
		unit_write_file(unit_path("out.old"), "older", 5);
	if (is(i, "empty") || is(i, "empty of another") || is(i, "empty hard link"))
		unit_write_file(path, "", 0);
	if (is(i, "empty of another"))
		made = chown(path, 65534, 65534) == 0;
	if (is(i, "empty hard link"))
		made = link(path, unit_path("also")) == 0;
	if (is(i, "hard link"))
		made = link(other, path) == 0;
	if (is(i, "link to file") || is(i, "link to empty"))
		made = symlink("other", path) == 0;
	if (is(i, "dangling link"))
		made = symlink("nowhere", path) == 0;
	if (is(i, "link to device"))
		made = symlink("/dev/null", path) == 0;
	if (is(i, "folder"))
		made = mkdir(path, 0700) == 0;
	ROW_TRUE(&outputs[i], made);
}

static void check_new_file(size_t i, const char *path, int fd)
{
	struct stat info, named;

	ROW_INT(&outputs[i], fstat(fd, &info), 0);
	ROW_INT(&outputs[i], lstat(path, &named), 0);
	ROW_TRUE(&outputs[i], info.st_ino == named.st_ino && info.st_nlink == 1);
	ROW_INT(&outputs[i], info.st_mode & 0777, 0600);
	ROW_INT(&outputs[i], info.st_uid, geteuid());
	ROW_INT(&outputs[i], info.st_size, 0);
}

static void check(size_t i, const char *path, const char *why, int fd)
{
	const char *old = unit_path("out.old");
	size_t size;

	if (outputs[i].says) {
		ROW_INT(&outputs[i], fd, -1);
		ROW_TEXT(&outputs[i], why, outputs[i].says);
	} else {
		ROW_TRUE(&outputs[i], fd >= 0);
		if (!strstr(outputs[i].there, "device"))
			check_new_file(i, path, fd);
		close(fd);
	}
	ROW_INT(&outputs[i], unit_exists(old), outputs[i].old != NULL);
	ROW_TEXT(&outputs[i],
		 unit_read_file(outputs[i].old ? old : unit_path("other"), &size),
		 is(i, "link to empty") ? "" : "precious");
}

UNIT_TEST(outputs)
{
	for (size_t i = 0; i < COUNT(outputs); i++) {
		const char *path = unit_below(unit_directory(),
					      is(i, "no folder") ? "no/where" : "out");
		const char *why = NULL;
		int fd;

		if (is(i, "device"))
			path = "/dev/null";
		if (!is(i, "empty of another") || geteuid() == 0) {
			make(i, path);
			fd = os_open_output(path, &why);
			check(i, path, why, fd);
		}
	}
}

/* --- signals --- */

enum how { ENDS, COMES_FIRST, IS_HELD, RESUMES, IS_FLAG };

struct signalled {
	const char *path, *text;
	enum how how;
};

static int raise_it(void *context)
{
	const struct signalled *signalled = context;

	os_catch_interrupts();
	os_remove_at_interrupts(signalled->path);
	if (signalled->how == COMES_FIRST)
		raise(SIGTERM);
	if (signalled->how != IS_FLAG)
		os_end_at_interrupts(signalled->text);
	os_hold_interrupts();
	if (signalled->how == ENDS)
		os_resume_interrupts();
	raise(SIGTERM);
	if (signalled->how == RESUMES || signalled->how == IS_FLAG)
		os_resume_interrupts();
	return os_interrupted() ? 3 : 4;
}

/* A folder of tables and folders, as deep as those of Parquet. */
static void make_tree(const char *path)
{
	static const char *const folders[] = { "", "/bill", "/bill/counters=1",
					       "/bill/counters=1/host=a",
					       "/bill/counters=1/host=a/date=1" };
	char name[4096];

	for (size_t i = 0; i < COUNT(folders); i++) {
		snprintf(name, sizeof(name), "%s%s", path, folders[i]);
		assert_true(os_make_folder(name));
		for (size_t file = 0; file < 200; file++) {
			snprintf(name, sizeof(name), "%s%s/table-%zu.csv", path,
				 folders[i], file);
			unit_write_file(name, "half", 4);
		}
	}
}

/* Ended by the signal, at once, without the file or folder that was being written. */
UNIT_TEST(ended_at_once)
{
	const char *text = "nothing is left\n";
	const struct {
		int line;
		const char *path, *text;
		enum how how;
		int status;
		const char *says;
		bool is_left;
	} rows[] = {
		{ ROW, "file 1", text, ENDS, 143, text, false },
		{ ROW, "file 2", text, COMES_FIRST, 143, text, false },
		{ ROW, "file 3", text, RESUMES, 143, text, false },
		{ ROW, "file 4", NULL, ENDS, 143, "", false },
		{ ROW, "file 5", text, IS_HELD, 3, "", true },
		{ ROW, "file 6", NULL, IS_FLAG, 3, "", true },
		{ ROW, "tree 1", text, ENDS, 143, text, false },
		{ ROW, "tree 2", text, IS_HELD, 3, "", true },
		{ ROW, NULL, text, ENDS, 143, text, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *path = rows[i].path ? unit_path(rows[i].path) : NULL;
		struct signalled how = { path, rows[i].text, rows[i].how };
		struct unit_output output;

		if (path && rows[i].path[0] == 'f')
			unit_write_file(path, "half", 4);
		else if (path)
			make_tree(path);
		unit_capture(raise_it, &how, &output);
		ROW_INT(&rows[i], output.status, rows[i].status);
		ROW_TEXT(&rows[i], output.err, rows[i].says);
		if (path)
			ROW_INT(&rows[i], unit_exists(path), rows[i].is_left);
	}
}

/* A text in memory, with a NUL after it, that is longer than any buffer of the stream. */
UNIT_TEST(texts)
{
	char *text;
	size_t size;
	FILE *stream = os_open_text(&text, &size);

	assert_non_null(stream);
	for (int i = 0; i < 20000; i++)
		fprintf(stream, "%05d\n", i);
	assert_true(os_close_text(stream, &text, &size));
	assert_int_equal(size, 120000);
	assert_int_equal(text[size], '\0');
	for (int i = 0; i < 20000; i++)
		assert_int_equal(atoi(text + (size_t)i * 6), i);
	free(text);
	stream = os_open_text(&text, &size);
	assert_non_null(stream);
	assert_int_equal(fclose(stream), 0);
	free(text);
}

static uint64_t disk_bytes(int fd)
{
	struct stat info;

	assert_int_equal(fstat(fd, &info), 0);
	return (uint64_t)info.st_blocks * 512;
}

/* Room for what comes next is on the disk, then given back; no byte is different. */
UNIT_TEST(reserved)
{
	static char block[1 << 20];
	int fd = os_create_temporary(unit_directory());
	struct os_room room = { 0 };
	struct stat info;

	assert_true(fd >= 0);
	for (uint64_t end = sizeof(block); end <= 16 * sizeof(block);
	     end += sizeof(block)) {
		memset(block, (int)(end >> 20), sizeof(block));
		os_reserve(fd, &room, end);
		assert_true(os_write_all(fd, block, sizeof(block)));
		if (room.is_refused)
			continue; /* the file system has no such call */
		assert_int_equal(room.end != 0, end >= 4 * sizeof(block));
		if (room.end)
			assert_in_range(disk_bytes(fd), room.end, UINT64_MAX);
	}
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(info.st_size, 16 * sizeof(block));
	os_give_back(fd, &room);
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(info.st_size, 16 * sizeof(block));
	assert_in_range(disk_bytes(fd), 0, 16 * sizeof(block) + 65536);
	for (int i = 1; i <= 16; i++) {
		assert_true(os_read_all_at(fd, block, sizeof(block),
					   (uint64_t)(i - 1) * sizeof(block)));
		assert_true(block[0] == i && block[sizeof(block) - 1] == i);
	}
	assert_true(os_close(fd));
}

/* Where room cannot be asked for, it is asked for once, and nothing else fails. */
UNIT_TEST(refused)
{
	struct os_room room = { 0 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	os_reserve(ends[1], &room, 1 << 30);
	assert_true(room.is_refused);
	assert_int_equal(room.end, 0);
	os_give_back(ends[1], &room);
	close(ends[0]);
	close(ends[1]);
}

/* Their contents are gone at once, not when they are freed. */
UNIT_TEST(dropped_pages)
{
	const size_t bytes = (size_t)2 << 20;
	unsigned char *memory = os_alloc_aligned(bytes, bytes);

	assert_non_null(memory);
	memset(memory, 1, bytes);
	os_drop_pages(memory, bytes / 2);
	assert_int_equal(memory[0], 0);
	assert_int_equal(memory[bytes / 2 - 1], 0);
	assert_int_equal(memory[bytes / 2], 1);
	free(memory);
}
