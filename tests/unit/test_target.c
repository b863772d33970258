/* test_target.c - lib/output/target.h: a name only for what is complete. */
#include "output/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "unit.h"

static enum status begin(struct target *target, const char *path, bool directory,
			 bool overwrite, struct error *error)
{
	const struct sink_options options = { .path = path,
					      .overwrite = overwrite,
					      .overwrite_hint = ", says the test" };

	return target_begin(target, &options, directory, error);
}

static void assert_file(const char *name, const char *expected)
{
	size_t size;
	char *bytes = unit_read_file(unit_path(name), &size);

	if (!bytes)
		fail_msg("%s is missing", name);
	assert_string_equal(bytes, expected);
}

/* Writes the file, or a file in the directory, that a target stands for. */
static void fill(const struct target *target, const char *text)
{
	unit_write_file(target->directory ? unit_below(target->partial, "t.csv")
					  : target->partial,
			text, strlen(text));
}

UNIT_TEST(commit)
{
	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path(directory ? "d" : "f");
		struct error error = { ST_OK, 0, "" };
		struct target target;

		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		assert_false(unit_exists(path));
		assert_true(unit_exists(target.partial));
		fill(&target, "new");
		assert_int_equal(target_commit(&target, &error), ST_OK);
		target_release(&target);
		target_release(&target);
		assert_file(directory ? "d/t.csv" : "f", "new");
		assert_int_equal(unit_count(unit_path(""), directory ? "d" : "f"), 1);
	}
}

/* What lacked memory is not complete, wherever that was noticed. */
UNIT_TEST(without_memory)
{
	struct scope scope = { .stop = false }, *before = scope_enter(&scope);
	struct error error = { ST_OK, 0, "" };
	struct target target;

	assert_int_equal(begin(&target, unit_path("m"), false, false, &error), ST_OK);
	fill(&target, "new");
	memory_note_failure();
	assert_int_equal(target_commit(&target, &error), ST_NOMEM);
	target_release(&target);
	(void)scope_enter(before);
	assert_false(unit_exists(unit_path("m")));
	assert_int_equal(unit_count(unit_path(""), "m"), 0);
}

UNIT_TEST(released_instead)
{
	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path("out");
		struct error error = { ST_OK, 0, "" };
		struct target target;

		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		fill(&target, "half");
		target_release(&target);
		assert_false(unit_exists(path));
		assert_int_equal(unit_count(unit_path(""), "out"), 0);
	}
}

/* What is at the path already, and the message about it. */
static const struct {
	int line;
	const char *there; /* "file", "dir", "csvdir", "mixed", "link", "fifo" or "" */
	bool directory;
	bool overwrite;
	const char *says; /* part of the message; NULL: it may be replaced */
} ways[] = {
	{ ROW, "", false, false, NULL },
	{ ROW, "", true, false, NULL },
	{ ROW, "file", false, false, "exists already, says the test" },
	{ ROW, "file", false, true, NULL },
	{ ROW, "file", true, true, "is not a directory, expected a directory" },
	{ ROW, "dir", false, true, "is a directory, expected a file" },
	{ ROW, "dir", true, false, NULL },
	{ ROW, "csvdir", true, false, "exists already, says the test" },
	{ ROW, "csvdir", true, true, NULL },
	{ ROW, "csvdir", false, true, "is a directory, expected a file" },
	{ ROW, "mixed", true, false, "contains other files than tables: not replaced" },
	{ ROW, "mixed", true, true, "contains other files than tables: not replaced" },
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
		unit_write_file(unit_below(path, "old.csv"), "old", 3);
	if (strcmp(what, "mixed") == 0)
		unit_write_file(unit_below(path, "notes.txt"), "old", 3);
}

UNIT_TEST(ways)
{
	for (size_t i = 0; i < COUNT(ways); i++) {
		const char *path = unit_below(unit_directory(), "out");
		struct error error = { ST_OK, 0, "" };
		struct target target;
		enum status status;

		make(path, ways[i].there);
		status = begin(&target, path, ways[i].directory, ways[i].overwrite,
			       &error);
		ROW_INT(&ways[i], status, ways[i].says ? ST_IO : ST_OK);
		if (ways[i].says) {
			ROW_HAS(&ways[i], error.text, ways[i].says, path);
			ROW_INT(&ways[i], unit_count(unit_path(""), "out."), 0);
			ROW_TRUE(&ways[i], !*ways[i].there || unit_exists(path));
		} else {
			fill(&target, "new");
			ROW_INT(&ways[i], target_commit(&target, &error), ST_OK);
			assert_file(ways[i].directory ? "out/t.csv" : "out", "new");
			ROW_TRUE(&ways[i], !unit_exists(unit_path("out/old.csv")));
		}
		target_release(&target);
	}
}

/* Until the new one is complete the old one stays, whatever happens. */
UNIT_TEST(old_one_stays)
{
	const char *path = unit_path("keep");
	struct error error = { ST_OK, 0, "" };
	struct target target;

	unit_write_file(path, "old", 3);
	assert_int_equal(begin(&target, path, false, true, &error), ST_OK);
	fill(&target, "new");
	assert_file("keep", "old");
	target_release(&target);
	assert_file("keep", "old");
}

/* Like a run that is killed: what it wrote stays, the lock goes. */
static void kill_run(struct target *target)
{
	target->begun = false;
	target_release(target);
}

/* What killed runs left goes with the next run with that output, and nothing else. */
UNIT_TEST(left_over)
{
	static const char *const kept[] = { "crashed.partial",
					    "crashed.0123456789abcdef.partial",
					    "crashed.db.partial", "crashed-runs" };

	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path("crashed");
		struct error error = { ST_OK, 0, "" };
		struct target target, other;
		char *runs;

		for (size_t i = 0; i < COUNT(kept); i++)
			unit_write_file(unit_path(kept[i]), "mine", 4);
		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		assert_true(asprintf(&runs, "%s-runs", target.partial) > 0);
		unit_write_file(runs, "keys", 4);
		free(runs);
		fill(&target, "half an output");
		kill_run(&target);
		assert_int_equal(unit_count(unit_path(""), "crashed"), COUNT(kept) + 2);
		/* Another output's run leaves it alone. */
		assert_int_equal(begin(&other, unit_path("crashe"), directory, false,
				       &error),
				 ST_OK);
		target_release(&other);
		assert_int_equal(unit_count(unit_path(""), "crashed"), COUNT(kept) + 2);
		assert_int_equal(begin(&target, path, directory, false, &error), ST_OK);
		assert_int_equal(unit_count(unit_path(""), "crashed"), COUNT(kept) + 1);
		target_release(&target);
		assert_int_equal(unit_count(unit_path(""), "crashed"), COUNT(kept));
		for (size_t i = 0; i < COUNT(kept); i++)
			assert_file(kept[i], "mine");
	}
}

/* A tree of Parquet files, of a run killed while it made or removed its folders. */
UNIT_TEST(left_over_trees)
{
	static const char *const made[] = { "bill", "bill/host=a", "bill/host=a/date=b" };
	const char *path = unit_path("tree");
	struct error error = { ST_OK, 0, "" };
	struct target target;

	for (size_t folders = 1; folders <= COUNT(made); folders++) {
		assert_int_equal(begin(&target, path, true, false, &error), ST_OK);
		fill(&target, "a table");
		for (size_t i = 0; i < folders; i++)
			assert_int_equal(mkdir(unit_below(target.partial, made[i]), 0700),
					 0);
		kill_run(&target);
		assert_int_equal(unit_count(unit_path(""), "tree"), 1);
		assert_int_equal(begin(&target, path, true, false, &error), ST_OK);
		target_release(&target);
		assert_int_equal(unit_count(unit_path(""), "tree"), 0);
	}
}

/* What has the name of a killed run's output, but is not only that. */
UNIT_TEST(left_over_of_others)
{
	const char *path = unit_path("shared");
	struct error error = { ST_OK, 0, "" };
	struct target target;
	char *name;

	assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
	fill(&target, "precious");
	name = strdup(target.partial);
	kill_run(&target);
	assert_int_equal(link(name, unit_path("precious")), 0);
	assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
	target_release(&target);
	assert_true(unit_exists(name)); /* a hard link */
	assert_file("precious", "precious");
	assert_int_equal(unlink(name), 0);
	assert_int_equal(symlink("precious", name), 0);
	assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
	target_release(&target);
	assert_true(unit_exists(name));
	assert_file("precious", "precious");
	assert_int_equal(unlink(name), 0);
	unit_write_file(name, "theirs", 6);
	if (geteuid() == 0) { /* another user's */
		assert_int_equal(chown(name, 65534, 65534), 0);
		assert_int_equal(begin(&target, path, false, false, &error), ST_OK);
		target_release(&target);
		assert_true(unit_exists(name));
	}
	free(name);
}

UNIT_TEST(two_writers)
{
	for (int directory = 0; directory < 2; directory++) {
		const char *path = unit_path(directory ? "two-d" : "two-f");
		struct error error = { ST_OK, 0, "" };
		struct target first, second;

		assert_int_equal(begin(&first, path, directory, false, &error), ST_OK);
		fill(&first, "first");
		assert_int_equal(begin(&second, path, directory, true, &error), ST_IO);
		HAS(error.text, "is being written by another process");
		target_release(&second);
		/* The loser has not touched it. */
		error = (struct error){ ST_OK, 0, "" };
		assert_int_equal(target_commit(&first, &error), ST_OK);
		target_release(&first);
		assert_file(directory ? "two-d/t.csv" : "two-f", "first");
	}
}

/* An old folder of tables is there whole until the new one is. */
UNIT_TEST(folder_replaced)
{
	const char *path = unit_path("tables");
	const struct sink_options options = { .path = path,
					      .overwrite = true,
					      .mode = 0640 };
	struct error error = { ST_OK, 0, "" };
	struct target target;
	struct stat info;

	make(path, "csvdir");
	assert_int_equal(target_begin(&target, &options, true, &error), ST_OK);
	fill(&target, "new");
	assert_file("tables/old.csv", "old");
	assert_int_equal(target_commit(&target, &error), ST_OK);
	target_release(&target);
	assert_file("tables/t.csv", "new");
	assert_int_equal(unit_count(path, "old"), 0);
	assert_int_equal(unit_count(unit_path(""), "tables"), 1);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0750);
	assert_int_equal(stat(unit_below(path, "t.csv"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0640);
	/* Something else came into it meanwhile: all of it stays. */
	assert_int_equal(target_begin(&target, &options, true, &error), ST_OK);
	fill(&target, "newer");
	unit_write_file(unit_below(path, "notes.txt"), "mine", 4);
	assert_int_equal(target_commit(&target, &error), ST_IO);
	HAS(error.text, "now contains other files than tables", path);
	target_release(&target);
	assert_file("tables/notes.txt", "mine");
	assert_file("tables/t.csv", "new");
	assert_int_equal(unit_count(unit_path(""), "tables"), 1);
}

/* A file came where the folder is to be. */
UNIT_TEST(file_meanwhile)
{
	const char *path = unit_path("place");
	struct error error = { ST_OK, 0, "" };
	struct target target;

	assert_int_equal(begin(&target, path, true, true, &error), ST_OK);
	fill(&target, "new");
	unit_write_file(path, "theirs", 6);
	assert_int_equal(target_commit(&target, &error), ST_IO);
	HAS(error.text, "cannot replace", path, "Not a directory");
	target_release(&target);
	assert_file("place", "theirs");
}

/* mode, umask -> permissions of a file and of a folder */
UNIT_TEST(modes)
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
		const struct sink_options options = { .path = unit_below(unit_directory(),
									 "out"),
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
		ROW_INT(&modes[i / 2], stat(unit_path("out"), &info), 0);
		ROW_INT(&modes[i / 2], (int)(info.st_mode & 0777),
			(int)(directory ? modes[i / 2].folder : modes[i / 2].file));
	}
}

UNIT_TEST(slashes)
{
	struct error error = { ST_OK, 0, "" };
	struct target target;

	assert_int_equal(begin(&target, unit_path("slashes///"), true, false, &error),
			 ST_OK);
	assert_string_equal(target.path, unit_path("slashes"));
	assert_int_equal(target_commit(&target, &error), ST_OK);
	target_release(&target);
	assert_true(unit_exists(unit_path("slashes")));
	assert_int_equal(begin(&target, "/nonexistent/dir/out", false, false, &error),
			 ST_IO);
	HAS(error.text, "No such file or directory");
	/* A file where a folder is needed. */
	error = (struct error){ ST_OK, 0, "" };
	unit_write_file(unit_path("file"), "x", 1);
	assert_int_equal(begin(&target, unit_path("file/out"), false, false, &error),
			 ST_IO);
	HAS(error.text, "cannot examine", "Not a directory");
}

/* Root may write to every directory: then the test runs as another user. */
UNIT_TEST(read_only_directory)
{
	struct error error = { ST_OK, 0, "" };
	struct target target;
	bool root = geteuid() == 0;
	struct error closed = { ST_OK, 0, "" };
	enum status status, closed_status;

	unit_folder("closed");
	assert_int_equal(chmod(unit_path("closed"), 0), 0);
	assert_int_equal(chmod(unit_path(""), 0555), 0);
	if (root && seteuid(65534) != 0) /* a container may not allow it */
		skip();
	status = begin(&target, unit_path("no"), false, false, &error);
	target_release(&target);
	closed_status = begin(&target, unit_path("closed"), true, true, &closed);
	target_release(&target);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(unit_path(""), 0755), 0);
	assert_int_equal(status, ST_IO);
	HAS(error.text, "cannot create", "Permission denied");
	assert_int_equal(closed_status, ST_IO);
	HAS(closed.text, "cannot read the output directory", "Permission denied");
}

/* Only files are CSV files: a directory of such a name stays, and all beside it. */
UNIT_TEST(directory_called_csv)
{
	const char *path = unit_path("odd");
	struct error error = { ST_OK, 0, "" };
	struct target target;
	enum status status;
	char name[16];
	int left = 0;

	make(path, "dir");
	assert_int_equal(mkdir(unit_below(path, "sub.csv"), 0700), 0);
	for (int i = 0; i < 20; i++) { /* in any order, some before the directory */
		snprintf(name, sizeof(name), "%d.csv", i);
		unit_write_file(unit_below(path, name), "old", 3);
	}
	status = begin(&target, path, true, true, &error);
	if (status == ST_OK)
		status = target_commit(&target, &error);
	target_release(&target);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%d.csv", i);
		left += unit_exists(unit_below(path, name));
	}
	assert_int_equal(status, ST_IO);
	assert_int_equal(left, 20);
}
