/* test_target.c - lib/output/target.h: a name only for what is complete. */
#include "output/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static enum status begin(struct target *target, const char *path, bool directory,
			 bool overwrite, struct error *error)
{
	const struct sink_options options = { .path = path, .overwrite = overwrite };

	return target_begin(target, &options, directory, error);
}

static int setup(void **state)
{
	*state = unit_directory();
	return 0;
}

static int teardown(void **state)
{
	unit_remove(*state);
	return 0;
}

static void assert_file(const char *directory, const char *name, const char *expected)
{
	size_t size;
	char *bytes = unit_read_file(unit_path(directory, name), &size);

	if (!bytes)
		fail_msg("%s is missing", name);
	assert_string_equal(bytes, expected);
	free(bytes);
}

/* Writes the file, or a file in the directory, that a target stands for. */
static void fill(const struct target *target, const char *text)
{
	unit_write_file(target->directory ? unit_path(target->partial, "t.csv")
					  : target->partial,
			text, strlen(text));
}

static void test_commit(void **state)
{
	char *dir = *state;

	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path(dir, directory ? "d" : "f");
		struct error error = { ST_OK, 0, "" };
		struct target target;

		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		assert_false(unit_exists(path));
		assert_true(unit_exists(target.partial));
		fill(&target, "new");
		assert_int_equal(target_commit(&target, &error), ST_OK);
		target_release(&target);
		target_release(&target);
		assert_file(dir, directory ? "d/t.csv" : "f", "new");
		assert_int_equal(unit_count(dir, directory ? "d" : "f"), 1);
	}
}

static void test_released_instead(void **state)
{
	char *dir = *state;

	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path(dir, "out");
		struct error error = { ST_OK, 0, "" };
		struct target target;

		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		fill(&target, "half");
		target_release(&target);
		assert_false(unit_exists(path));
		assert_int_equal(unit_count(dir, "out"), 0);
	}
}

/* What stands in the way, and what is said about it. */
static const struct {
	int line;
	const char *there; /* "file", "dir", "csvdir", "mixed", "link", "fifo" or "" */
	bool directory;
	bool overwrite;
	const char *says; /* part of the message; NULL: it may be replaced */
} ways[] = {
	{ ROW, "", false, false, NULL },
	{ ROW, "", true, false, NULL },
	{ ROW, "file", false, false, "exists already (--force replaces it)" },
	{ ROW, "file", false, true, NULL },
	{ ROW, "file", true, true, "is not a directory, expected a directory" },
	{ ROW, "dir", false, true, "is a directory, expected a file" },
	{ ROW, "dir", true, false, NULL },
	{ ROW, "csvdir", true, false, "exists already (--force replaces it)" },
	{ ROW, "csvdir", true, true, NULL },
	{ ROW, "csvdir", false, true, "is a directory, expected a file" },
	{ ROW, "mixed", true, false, "contains other files than .csv: not replaced" },
	{ ROW, "mixed", true, true, "contains other files than .csv: not replaced" },
	{ ROW, "link", false, true, "is not a regular file" },
	{ ROW, "link", true, true, "is not a directory" },
	{ ROW, "fifo", false, true, "is not a regular file" },
};

static void make(const char *path, const char *what)
{
	bool made = true;

	if (strcmp(what, "file") == 0)
		unit_write_file(path, "old", 3);
	else if (strcmp(what, "link") == 0)
		made = symlink("/etc/passwd", path) == 0;
	else if (strcmp(what, "fifo") == 0)
		made = mkfifo(path, 0600) == 0;
	else if (*what)
		made = mkdir(path, 0700) == 0;
	assert_true(made);
	if (strcmp(what, "csvdir") == 0 || strcmp(what, "mixed") == 0)
		unit_write_file(unit_path(path, "old.csv"), "old", 3);
	if (strcmp(what, "mixed") == 0)
		unit_write_file(unit_path(path, "notes.txt"), "old", 3);
}

static void test_ways(void **state)
{
	for (size_t i = 0; i < COUNT(ways); i++) {
		char *dir = unit_directory();
		const char *path = unit_path(dir, "out");
		struct error error = { ST_OK, 0, "" };
		struct target target;
		enum status status;

		make(path, ways[i].there);
		status = begin(&target, path, ways[i].directory, ways[i].overwrite,
			       &error);
		ROW_INT(&ways[i], status, ways[i].says ? ST_IO : ST_OK);
		if (ways[i].says) {
			ROW_TRUE(&ways[i], strstr(error.text, ways[i].says) != NULL);
			ROW_TRUE(&ways[i], strstr(error.text, path) != NULL);
			ROW_INT(&ways[i], unit_count(dir, "out."), 0);
			ROW_TRUE(&ways[i], !*ways[i].there || unit_exists(path));
		} else {
			fill(&target, "new");
			ROW_INT(&ways[i], target_commit(&target, &error), ST_OK);
			assert_file(dir, ways[i].directory ? "out/t.csv" : "out", "new");
			ROW_TRUE(&ways[i], !unit_exists(unit_path(dir, "out/old.csv")));
		}
		target_release(&target);
		unit_remove(dir);
	}
	(void)state;
}

/* Until the new one is complete the old one stays, whatever happens. */
static void test_old_one_stays(void **state)
{
	char *dir = *state;
	const char *path = unit_path(dir, "keep");
	struct error error = { ST_OK, 0, "" };
	struct target target;

	unit_write_file(path, "old", 3);
	assert_int_equal(begin(&target, path, false, true, &error), ST_OK);
	fill(&target, "new");
	assert_file(dir, "keep", "old");
	target_release(&target);
	assert_file(dir, "keep", "old");
}

/* Like a run that is killed: what it wrote stays, the lock goes. */
static void kill_run(struct target *target)
{
	target->begun = false;
	target_release(target);
}

/* What killed runs left goes with the next run with that output, and nothing else. */
static void test_left_over(void **state)
{
	static const char *const kept[] = { "crashed.partial",
					    "crashed.0123456789abcdef.partial",
					    "crashed.db.partial", "crashed-runs" };
	char *dir = *state;

	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path(dir, "crashed");
		struct error error = { ST_OK, 0, "" };
		struct target target, other;
		char *runs;

		for (size_t i = 0; i < COUNT(kept); i++)
			unit_write_file(unit_path(dir, kept[i]), "mine", 4);
		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		assert_true(asprintf(&runs, "%s-runs", target.partial) > 0);
		unit_write_file(runs, "keys", 4);
		free(runs);
		fill(&target, "half an output");
		kill_run(&target);
		assert_int_equal(unit_count(dir, "crashed"), COUNT(kept) + 2);
		/* Another output's run leaves it alone. */
		assert_int_equal(begin(&other, unit_path(dir, "crashe"), directory, false,
				       &error),
				 ST_OK);
		target_release(&other);
		assert_int_equal(unit_count(dir, "crashed"), COUNT(kept) + 2);
		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		assert_int_equal(unit_count(dir, "crashed"), COUNT(kept) + 1);
		target_release(&target);
		assert_int_equal(unit_count(dir, "crashed"), COUNT(kept));
		for (size_t i = 0; i < COUNT(kept); i++)
			assert_file(dir, kept[i], "mine");
	}
}

/* What has the name of a killed run's output, but is not only that. */
static void test_left_over_of_others(void **state)
{
	char *dir = unit_directory();
	const char *path = unit_path(dir, "shared");
	struct error error = { ST_OK, 0, "" };
	struct target target;
	char *name;

	assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
	fill(&target, "precious");
	name = strdup(target.partial);
	kill_run(&target);
	assert_int_equal(link(name, unit_path(dir, "precious")), 0);
	assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
	target_release(&target);
	assert_true(unit_exists(name)); /* a hard link */
	assert_file(dir, "precious", "precious");
	assert_int_equal(unlink(name), 0);
	assert_int_equal(symlink("precious", name), 0);
	assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
	target_release(&target);
	assert_true(unit_exists(name));
	assert_file(dir, "precious", "precious");
	assert_int_equal(unlink(name), 0);
	unit_write_file(name, "theirs", 6);
	if (geteuid() == 0) { /* another user's */
		assert_int_equal(chown(name, 65534, 65534), 0);
		assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
		target_release(&target);
		assert_true(unit_exists(name));
	}
	free(name);
	unit_remove(dir);
	(void)state;
}

static void test_two_writers(void **state)
{
	char *dir = *state;

	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path(dir, directory ? "two-d" : "two-f");
		struct error error = { ST_OK, 0, "" };
		struct target first, second;

		assert_int_equal(begin(&first, path, directory, false, &error), ST_OK);
		fill(&first, "first");
		assert_int_equal(begin(&second, path, directory, true, &error), ST_IO);
		assert_non_null(
			strstr(error.text, "is being written by another process"));
		target_release(&second);
		/* The loser has not touched it. */
		error = (struct error){ ST_OK, 0, "" };
		assert_int_equal(target_commit(&first, &error), ST_OK);
		target_release(&first);
		assert_file(dir, directory ? "two-d/t.csv" : "two-f", "first");
	}
}

/* An old folder of tables is there whole until the new one is. */
static void test_folder_replaced(void **state)
{
	char *dir = *state;
	const char *path = unit_path(dir, "tables");
	const struct sink_options options = { .path = path,
					      .overwrite = true,
					      .mode = 0640 };
	struct error error = { ST_OK, 0, "" };
	struct target target;
	struct stat info;

	make(path, "csvdir");
	assert_int_equal(target_begin(&target, &options, true, &error), ST_OK);
	fill(&target, "new");
	assert_file(dir, "tables/old.csv", "old");
	assert_int_equal(target_commit(&target, &error), ST_OK);
	target_release(&target);
	assert_file(dir, "tables/t.csv", "new");
	assert_int_equal(unit_count(path, "old"), 0);
	assert_int_equal(unit_count(dir, "tables"), 1);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0750);
	assert_int_equal(stat(unit_path(path, "t.csv"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0640);
	/* Something else came into it meanwhile: all of it stays. */
	assert_int_equal(target_begin(&target, &options, true, &error), ST_OK);
	fill(&target, "newer");
	unit_write_file(unit_path(path, "notes.txt"), "mine", 4);
	assert_int_equal(target_commit(&target, &error), ST_IO);
	target_release(&target);
	assert_file(dir, "tables/notes.txt", "mine");
	assert_file(dir, "tables/t.csv", "new");
	assert_int_equal(unit_count(dir, "tables"), 1);
}

/* mode, umask -> permissions of a file and of a folder */
static void test_modes(void **state)
{
	static const struct {
		int line;
		unsigned int mode, mask, file, folder;
	} modes[] = {
		{ ROW, 0, 022, 0600, 0700 },	{ ROW, 0, 0277, 0400, 0500 },
		{ ROW, 0644, 022, 0644, 0755 }, { ROW, 0640, 077, 0640, 0750 },
		{ ROW, 0666, 077, 0666, 0777 },
	};

	for (size_t i = 0; i < 2 * COUNT(modes); i++) {
		bool directory = i % 2;
		char *dir = unit_directory();
		const struct sink_options options = { .path = unit_path(dir, "out"),
						      .mode = modes[i / 2].mode };
		struct error error = { ST_OK, 0, "" };
		struct target target;
		struct stat info;
		mode_t before = umask(modes[i / 2].mask);

		ROW_INT(&modes[i / 2], target_begin(&target, &options, directory, &error),
			ST_OK);
		umask(before);
		ROW_INT(&modes[i / 2], target_commit(&target, &error), ST_OK);
		target_release(&target);
		ROW_INT(&modes[i / 2], stat(unit_path(dir, "out"), &info), 0);
		ROW_INT(&modes[i / 2], (int)(info.st_mode & 0777),
			(int)(directory ? modes[i / 2].folder : modes[i / 2].file));
		unit_remove(dir);
	}
	(void)state;
}

static void test_slashes(void **state)
{
	char *dir = *state;
	struct error error = { ST_OK, 0, "" };
	struct target target;

	assert_int_equal(
		begin(&target, unit_path(dir, "slashes///"), true, false, &error), ST_OK);
	assert_string_equal(target.path, unit_path(dir, "slashes"));
	assert_int_equal(target_commit(&target, &error), ST_OK);
	target_release(&target);
	assert_true(unit_exists(unit_path(dir, "slashes")));
	assert_int_equal(begin(&target, "/nonexistent/dir/out", false, false, &error),
			 ST_IO);
	assert_non_null(strstr(error.text, "No such file or directory"));
}

/* As root every directory can be written: then as nobody. */
static void test_read_only_directory(void **state)
{
	char *dir = *state;
	struct error error = { ST_OK, 0, "" };
	struct target target;
	bool root = geteuid() == 0;
	enum status status;

	assert_int_equal(chmod(dir, 0555), 0);
	if (root && seteuid(65534) != 0) /* a container may not allow it */
		skip();
	status = begin(&target, unit_path(dir, "no"), false, false, &error);
	target_release(&target);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(status, ST_IO);
	assert_non_null(strstr(error.text, "cannot create"));
	assert_non_null(strstr(error.text, "Permission denied"));
}

/* Only files are CSV files: a directory of such a name is somebody's, and all beside it.
 */
static void test_directory_called_csv(void **state)
{
	char *dir = *state;
	const char *path = unit_path(dir, "odd");
	struct error error = { ST_OK, 0, "" };
	struct target target;
	enum status status;
	char name[16];
	int left = 0;

	make(path, "dir");
	assert_int_equal(mkdir(unit_path(path, "sub.csv"), 0700), 0);
	for (int i = 0; i < 20; i++) { /* in any order, some before the directory */
		snprintf(name, sizeof(name), "%d.csv", i);
		unit_write_file(unit_path(path, name), "old", 3);
	}
	status = begin(&target, path, true, true, &error);
	if (status == ST_OK)
		status = target_commit(&target, &error);
	target_release(&target);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%d.csv", i);
		left += unit_exists(unit_path(path, name));
	}
	assert_int_equal(status, ST_IO);
	assert_int_equal(left, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_released_instead),
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_old_one_stays),
		cmocka_unit_test(test_left_over),
		cmocka_unit_test(test_two_writers),
		cmocka_unit_test(test_left_over_of_others),
		cmocka_unit_test(test_folder_replaced),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_slashes),
		cmocka_unit_test(test_read_only_directory),
		cmocka_unit_test(test_directory_called_csv),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
