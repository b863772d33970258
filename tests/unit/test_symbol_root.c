/*
 * test_symbol_root.c - lib/symbols/files: which files are opened below a root, on systems
 * without openat2() as well, and what there is without a process.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/files/files.h"
#include "symbols/files/read.h"
#include "unit.h"

/* --- below a root --- */

static int open_root(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY);

	assert_true(fd >= 0);
	return fd;
}

UNIT_TEST(links_stay_below_the_root)
{
	int root, fd;
	char found[8] = { 0 };

	unit_directory();
	unit_folder("root/inner");
	unit_write_file(unit_path("secret"), "outside", 7);
	unit_write_file(unit_path("root/file"), "inside", 6);
	assert_int_equal(symlink("/file", unit_path("root/inner/link")), 0);
	assert_int_equal(symlink("../../../secret", unit_path("root/inner/out")), 0);
	assert_int_equal(symlink(unit_path("secret"), unit_path("root/whole")), 0);
	root = open_root(unit_path("root"));
	fd = open_below(root, "inner/link");
	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, sizeof(found)), 6);
	assert_string_equal(found, "inside");
	close(fd);
	assert_int_equal(open_below(root, "inner/out"), -1);
	assert_int_equal(open_below(root, "whole"), -1);
	assert_int_equal(open_below(root, "../secret"), -1);
	close(root);
}

UNIT_TEST(only_regular_files_are_opened)
{
	int root;

	unit_directory();
	unit_folder("root/folder");
	assert_int_equal(mkfifo(unit_path("root/fifo"), 0600), 0);
	root = open_root(unit_path("root"));
	assert_int_equal(open_below(root, "fifo"), -1);
	assert_int_equal(open_below(root, "folder"), -1);
	close(root);
}

/* The linker gives the call to it: as Linux before 5.6, which lacks openat2(). */
static bool no_openat2;
long __wrap_syscall(long number, ...);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long words[4]; /* no call here has more */
	va_list args;

	va_start(args, number);
	for (size_t i = 0; i < COUNT(words); i++)
		words[i] = va_arg(args, long);
	va_end(args);
	if (!no_openat2 || number != 437)
		return __real_syscall(number, words[0], words[1], words[2], words[3]);
	errno = ENOSYS;
	return -1;
}

UNIT_TEST(links_stay_below_the_root_without_openat2)
{
	static const char *const outside[] = { "inner/out", "whole",
					       "../secret", "inner/../../secret",
					       "../rooted", "nothing",
					       "fifo",	    "inner" };
	char found[8] = { 0 };
	int root, fd;

	unit_directory();
	unit_folder("root/inner");
	unit_write_file(unit_path("secret"), "outside", 7);
	unit_write_file(unit_path("rooted"), "outside", 7); /* begins as the root does */
	unit_write_file(unit_path("root/file"), "inside", 6);
	assert_int_equal(mkfifo(unit_path("root/fifo"), 0600), 0);
	assert_int_equal(symlink("../file", unit_path("root/inner/near")), 0);
	assert_int_equal(symlink("../../secret", unit_path("root/inner/out")), 0);
	assert_int_equal(symlink(unit_path("secret"), unit_path("root/whole")), 0);
	root = open_root(unit_path("root"));
	no_openat2 = true;
	fd = open_below(root, "inner/near");
	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, sizeof(found)), 6);
	assert_string_equal(found, "inside");
	close(fd);
	for (size_t i = 0; i < COUNT(outside); i++)
		assert_int_equal(open_below(root, outside[i]), -1);
	no_openat2 = false;
	close(root);
}

/* --- the process --- */

static bool fork_fails;

/* The linker gives the call to it: no process where fork_fails says so. */
pid_t __wrap_fork(void);
pid_t __real_fork(void);
pid_t __wrap_fork(void)
{
	if (!fork_fails)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

UNIT_TEST(without_a_process_there_are_no_files)
{
	struct error error = { .status = ST_OK };
	int lowest = dup(0);

	close(lowest);
	fork_fails = true;
	assert_null(files_start("/", &error));
	fork_fails = false;
	assert_int_equal(error.status, ST_IO);
	assert_string_equal(error.text,
			    "no process to read symbols: Resource temporarily "
			    "unavailable");
	/* Nothing stays open. */
	assert_int_equal(dup(0), lowest);
	close(lowest);
}

UNIT_TEST(a_root_that_is_not_there_is_an_error)
{
	struct error error = { .status = ST_OK };

	unit_directory();
	assert_null(files_start(unit_path("nowhere"), &error));
	assert_int_equal(error.status, ST_IO);
	HAS(error.text, "--symbols=", "No such file or directory");
}
