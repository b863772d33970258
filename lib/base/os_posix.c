/* os_posix.c - os.h for Linux and other POSIX systems. */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WALL_1970_100NS INT64_C(116444736000000000)

void os_ignore_closed_pipes(void)
{
	signal(SIGPIPE, SIG_IGN);
}

bool os_is_closed_pipe(FILE *file, int number)
{
	(void)file;
	return number == EPIPE;
}

bool os_is_unread(int fd)
{
	struct pollfd end = { .fd = fd };

	return poll(&end, 1, 0) == 1 && end.revents & POLLERR;
}

void os_fill_standard(void)
{
	/* open() returns the lowest free number; the other direction makes use fail */
	for (int fd = OS_STDIN; fd <= OS_STDERR; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == OS_STDIN ? O_WRONLY : O_RDONLY);
}

double os_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void os_sleep_until(double seconds)
{
	struct timespec until = { .tv_sec = (time_t)seconds };

	until.tv_nsec = (long)((seconds - (double)until.tv_sec) * 1e9);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int64_t os_wall_100ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return WALL_1970_100NS + (int64_t)now.tv_sec * 10000000 + now.tv_nsec / 100;
}

int32_t os_minutes_west(void)
{
	time_t now = time(NULL);
	struct tm local;

	return localtime_r(&now, &local) ? (int32_t)(-local.tm_gmtoff / 60) : 0;
}

/* --- the file of a recording --- */

/* Opens a pipe or device, not a regular file. */
static int open_stream(const char *path, int flags, const char **why)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	struct stat info;

	if (fd >= 0 && fstat(fd, &info) == 0 && !S_ISREG(info.st_mode))
		return fd;
	*why = fd < 0 ? strerror(errno) : "a file has replaced it";
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Frees the name; false: *why. */
static bool move_away(const char *path, const struct stat *info, const char **why)
{
	char old[PATH_MAX];
	bool moved;

	if (info->st_size == 0 && (info->st_uid != geteuid() || info->st_nlink != 1)) {
		*why = info->st_nlink != 1 ? "an empty file with more than one name"
					   : "an empty file of another user";
		return false;
	}
	if (info->st_size == 0) {
		moved = unlink(path) == 0;
	} else if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >= sizeof(old)) {
		errno = ENAMETOOLONG;
		moved = false;
	} else {
		moved = rename(path, old) == 0;
	}
	if (!moved)
		*why = strerror(errno);
	return moved;
}

int os_open_output(const char *path, const char **why)
{
	struct stat info;
	bool is_there = lstat(path, &info) == 0;
	int fd;

	if (is_there && S_ISLNK(info.st_mode)) {
		if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
			return open_stream(path, 0, why);
		*why = "a symbolic link, expected a new name";
		return -1;
	}
	if (is_there && !S_ISREG(info.st_mode))
		return open_stream(path, O_NOFOLLOW, why);
	if (is_there && !move_away(path, &info, why))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		*why = strerror(errno);
	return fd;
}

uint64_t os_random(void)
{
	uint64_t bits = 0;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits))
		bits = (uint64_t)(os_seconds() * 1e9);
	return bits;
}

bool os_is_terminal(int fd)
{
	return isatty(fd) == 1;
}

void os_terminal_size(int fd, int *columns, int *lines)
{
	struct winsize size;

	*columns = *lines = 0;
	if (ioctl(fd, TIOCGWINSZ, &size) != 0)
		return;
	*columns = size.ws_col;
	*lines = size.ws_row;
}

/* --- CPUs, signals of threads --- */

size_t os_cpu_count(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (size_t)CPU_COUNT(&cpus)
							      : 0;
}

_Static_assert(sizeof(sigset_t) <= sizeof(struct os_signals), "room for all signals");

void os_block_signals(struct os_signals *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, (sigset_t *)before);
}

void os_restore_signals(const struct os_signals *before)
{
	pthread_sigmask(SIG_SETMASK, (const sigset_t *)before, NULL);
}

/* The locale "C" is one that is never freed. */
void os_use_c_locale(void)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (c)
		(void)uselocale(c);
}
