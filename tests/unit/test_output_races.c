/*
 * test_output_races.c - lib/output: what other processes and the second thread do at the
 * worst moment; linked with --wrap for flock(), write(), fsync(), rename() and
 * renameat2().
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "output/outputs.h"
#include "output/target.h"
#include "rows.h"

/* --- calls --- */

static int steals; /* so many locks come too late: the file has another name by then */

/* Of context_switch.csv.  Jobs of the second thread may run in the first one. */
static struct {
	pthread_t first_thread;
	bool is_slow, fails;
	int passes;	/* so many more succeed before one fails */
	int signals;	/* so many more are interrupted before they begin */
	size_t at_once; /* bytes; 0: all */
} writes;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
static int syncs_left; /* so many calls of fsync() succeed; 0: all of them */

static int moves_left;	   /* the same of rename() */
static int exchange_error; /* of renameat2() with RENAME_EXCHANGE; 0: it succeeds */

int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_renameat2(int from_fd, const char *from, int to_fd, const char *to,
		     unsigned int flags);
int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to,
		     unsigned int flags);
ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);

/* The path of an open file. */
static void find_path(int fd, char path[4096])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, 4095);
	assert_true(length > 0);
	path[length] = '\0';
}

/* As another run does that removes what a killed run left. */
int __wrap_flock(int fd, int operation)
{
	char path[4096], stolen[4200];

	if (steals == 0)
		return __real_flock(fd, operation);
	find_path(fd, path);
	snprintf(stolen, sizeof(stolen), "%s.stolen%d", path, steals--);
	assert_int_equal(rename(path, stolen), 0);
	return __real_flock(fd, operation);
}

int __wrap_fsync(int fd)
{
	(void)fd;
	if (syncs_left == 0 || --syncs_left > 0)
		return 0;
	errno = EIO;
	return -1;
}

int __wrap_rename(const char *from, const char *to)
{
	if (moves_left == 0 || --moves_left > 0)
		return __real_rename(from, to);
	errno = EIO;
	return -1;
}

int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to,
		     unsigned int flags)
{
	if (!(flags & RENAME_EXCHANGE) || !exchange_error)
		return __real_renameat2(from_fd, from, to_fd, to, flags);
	errno = exchange_error;
	return -1;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	char path[4096];

	if (writes.signals > 0) {
		writes.signals--;
		errno = EINTR;
		return -1;
	}
	if (writes.at_once && size > writes.at_once)
		size = writes.at_once;
	if (writes.is_slow && !pthread_equal(pthread_self(), writes.first_thread))
		nanosleep(&pause, NULL);
	if (writes.fails)
		find_path(fd, path);
	if (writes.fails && strstr(path, "/context_switch.csv") && writes.passes-- == 0) {
		errno = ENOSPC;
		return -1;
	}
	return __real_write(fd, bytes, size);
}

/* --- whole writes --- */

/* Neither a signal nor a file that accepts less at once ends what is written whole. */
UNIT_TEST(written_whole)
{
	const char *path = unit_path("whole");
	int fd = os_open(path, OS_CREATE);
	char *text;

	assert_true(fd >= 0);
	for (size_t at_once = 0; at_once < 3; at_once++) {
		writes.signals = 2;
		writes.at_once = at_once;
		assert_true(os_write_all(fd, "abcde", 5));
		assert_int_equal(writes.signals, 0);
	}
	writes.at_once = 0;
	assert_true(os_close(fd));
	text = unit_read_file(path, NULL);
	assert_string_equal(text, "abcdeabcdeabcde");
}

/* --- names --- */

static enum status begin(struct target *target, const char *path, struct error *error)
{
	const struct sink_options options = { .path = path };

	return target_begin(target, &options, false, error);
}

/* Another process renames the file before it is locked: another one is made. */
UNIT_TEST(taken_before_locked)
{
	struct error error = { ST_OK, 0, "" };
	struct target target;

	steals = 1;
	assert_int_equal(begin(&target, unit_path("taken"), &error), ST_OK);
	assert_int_equal(steals, 0);
	assert_true(unit_exists(target.partial));
	assert_int_equal(target_commit(&target, &error), ST_OK);
	target_release(&target);
	assert_true(unit_exists(unit_path("taken")));
	/* Each of them. */
	steals = 1000;
	assert_int_equal(begin(&target, unit_path("always"), &error), ST_IO);
	steals = 0;
	HAS(error.text, "is being written by another process");
	target_release(&target);
	assert_false(unit_exists(unit_path("always")));
}

/* Another process makes a file of that name meanwhile: it stays. */
UNIT_TEST(name_used_meanwhile)
{
	const char *path = unit_path("meanwhile");
	struct error error = { ST_OK, 0, "" };
	struct target target;

	assert_int_equal(begin(&target, path, &error), ST_OK);
	unit_write_file(path, "theirs", 6);
	assert_int_equal(target_commit(&target, &error), ST_IO);
	HAS(error.text, "cannot name the output", "File exists");
	target_release(&target);
	assert_string_equal(unit_read_file(path, NULL), "theirs");
	assert_int_equal(unit_count(unit_path(""), "meanwhile."), 0);
}

/* A disk that cannot flush the file, or then its folder. */
UNIT_TEST(not_durable)
{
	static const char *const messages[] = { "cannot complete",
						"cannot make durable" };
	const char *path = unit_path("durable");
	const struct sink_options options = { .path = path, .sync = SYNC_ALWAYS };

	for (int i = 0; i < 2; i++) {
		struct error error = { ST_OK, 0, "" };
		struct target target;

		assert_int_equal(target_begin(&target, &options, false, &error), ST_OK);
		syncs_left = 1 + i;
		assert_int_equal(target_commit(&target, &error), ST_IO);
		syncs_left = 0;
		HAS(error.text, messages[i], path, "Input/output error");
		target_release(&target);
		assert_int_equal(unit_count(unit_path(""), "durable."), 0);
	}
}

/* By default only an output that replaces another is flushed. */
UNIT_TEST(durable_if_replacing)
{
	static const struct {
		int line;
		enum sink_sync sync;
		bool has_old, overwrite;
		enum status status;
	} rows[] = {
		{ ROW, SYNC_REPLACING, true, true, ST_IO },
		{ ROW, SYNC_REPLACING, false, true, ST_OK },
		{ ROW, SYNC_REPLACING, false, false, ST_OK },
		{ ROW, SYNC_NEVER, true, true, ST_OK },
		{ ROW, SYNC_ALWAYS, false, false, ST_IO },
	};
	const char *path = unit_path("replacing");

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct sink_options options = { .path = path,
						      .overwrite = rows[i].overwrite,
						      .sync = rows[i].sync };
		struct error error = { ST_OK, 0, "" };
		struct target target;

		(void)remove(path);
		if (rows[i].has_old)
			unit_write_file(path, "old", 3);
		ROW_INT(&rows[i], target_begin(&target, &options, false, &error), ST_OK);
		unit_write_file(target.partial, "new", 3);
		syncs_left = 1;
		ROW_INT(&rows[i], target_commit(&target, &error), rows[i].status);
		ROW_INT(&rows[i], syncs_left, rows[i].status == ST_OK);
		syncs_left = 0;
		target_release(&target);
		ROW_INT(&rows[i], unit_count(unit_path(""), "replacing"),
			rows[i].status == ST_OK || rows[i].has_old);
		if (unit_exists(path))
			assert_string_equal(unit_read_file(path, NULL),
					    rows[i].status == ST_OK ? "new" : "old");
	}
}

/* --- file systems that cannot exchange two names --- */

/* Replaces a folder that has an old table by one that has a new table. */
static enum status replace_folder(const char *path, struct error *error)
{
	const struct sink_options options = { .path = path, .overwrite = true };
	struct target target;
	enum status status;

	unit_folder("steps");
	unit_write_file(unit_below(path, "old.csv"), "old", 3);
	assert_int_equal(target_begin(&target, &options, true, error), ST_OK);
	unit_write_file(unit_below(target.partial, "new.csv"), "new", 3);
	status = target_commit(&target, error);
	target_release(&target);
	return status;
}

/* Under the name is one table, and nothing is left beside it. */
static void assert_one_table(const char *path, const char *name)
{
	assert_int_equal(unit_count(unit_path(""), "steps"), 1);
	assert_int_equal(unit_count(path, "old.csv") + unit_count(path, "new.csv"), 1);
	assert_true(unit_exists(unit_below(path, name)));
}

UNIT_TEST(exchanged_by_steps)
{
	static const int errors[] = { EINVAL, ENOSYS };
	const char *path = unit_path("steps");

	for (size_t i = 0; i < COUNT(errors); i++) {
		struct error error = { ST_OK, 0, "" };

		exchange_error = errors[i];
		moves_left = 3; /* there are two moves */
		assert_int_equal(replace_folder(path, &error), ST_OK);
		assert_int_equal(moves_left, 1);
		assert_one_table(path, "new.csv");
		assert_int_equal(remove(unit_below(path, "new.csv")), 0);
	}
	exchange_error = moves_left = 0;
}

/* The first move fails, or the second one: the old folder gets its name back. */
UNIT_TEST(steps_that_fail)
{
	const char *path = unit_path("steps");

	for (int fails = 1; fails <= 2; fails++) {
		struct error error = { ST_OK, 0, "" };

		exchange_error = EINVAL;
		moves_left = fails;
		assert_int_equal(replace_folder(path, &error), ST_IO);
		assert_int_equal(moves_left, 0);
		HAS(error.text, "cannot name the output", path, "Input/output error");
		assert_one_table(path, "old.csv");
	}
	exchange_error = 0;
}

/* An exchange that fails for another reason is not tried by steps. */
UNIT_TEST(exchange_fails)
{
	const char *path = unit_path("steps");
	struct error error = { ST_OK, 0, "" };

	exchange_error = EACCES;
	moves_left = 1;
	assert_int_equal(replace_folder(path, &error), ST_IO);
	assert_int_equal(moves_left, 1);
	exchange_error = moves_left = 0;
	HAS(error.text, "cannot name the output", path, "Permission denied");
	assert_one_table(path, "old.csv");
}

/* --- the second thread --- */

/* What csv_finish() came to, after so many switches. */
static enum status write_switches(const char *path, int64_t count)
{
	const struct sink_options options = { .path = path };
	struct rows rows = { NULL, 0, 0 };
	enum status status = ST_OK;
	struct sink sink;

	rows_add_group(&rows, 1, 3);
	for (int64_t i = 1; i <= count; i++)
		rows_add_switch(&rows, i, 1, 3, i * 1000000007);
	writes.first_thread = pthread_self();
	assert_int_equal(sink_open(&sink, &csv_writer, &options), ST_OK);
	for (size_t i = 0; i < rows.count && status == ST_OK; i++)
		status = sink_put(&sink, &rows.records[i]);
	if (status == ST_OK)
		status = sink_finish(&sink);
	sink_close(&sink);
	return status;
}

/* The last switches are still being written when the output ends. */
UNIT_TEST(slow_thread)
{
	char *text;
	int64_t lines = 0;

	writes.is_slow = true;
	assert_int_equal(write_switches(unit_path("slow"), 8000), ST_OK);
	writes.is_slow = false;
	text = unit_read_file(unit_path("slow/context_switch.csv"), NULL);
	assert_non_null(text);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 8001);
	HAS(text, "\n8000,9000,");
}

/* The switches of another group come while those of the first are being written. */
UNIT_TEST(slow_thread_and_other_group)
{
	const struct sink_options options = { .path = unit_path("groups") };
	struct rows rows = { NULL, 0, 0 };
	const int64_t each = 8000;
	int64_t id = 1;
	char *text;

	rows_add_group(&rows, 1, 3);
	rows_add_group(&rows, 2, 5);
	for (; id <= each; id++)
		rows_add_switch(&rows, id, 1, 3, id);
	for (; id <= 2 * each; id++)
		rows_add_switch(&rows, id, 2, 5, id);
	writes.first_thread = pthread_self();
	writes.is_slow = true;
	rows_write(&rows, &csv_writer, &options);
	writes.is_slow = false;
	text = unit_read_file(unit_path("groups/context_switch.csv"), NULL);
	assert_non_null(text);
	id = 0;
	for (char *at = text; (at = strchr(at, '\n')) && at[1];)
		assert_int_equal(strtoll(++at, NULL, 10), ++id);
	assert_int_equal(id, 2 * each);
}

/* One write fails, and all others succeed: no output, whichever it was. */
UNIT_TEST(failing_thread)
{
	for (int passes = 0; passes < 8; passes += 2) {
		writes.fails = true;
		writes.passes = passes;
		assert_int_equal(write_switches(unit_path("failing"), 30000), ST_IO);
		assert_true(writes.passes < 0);
		writes.fails = false;
		assert_false(unit_exists(unit_path("failing")));
	}
}
