/*
 * fault.c - a library to preload: the nth call of some functions fails, is short, or is
 * met by a signal.
 *
 *   FAULT=CALL[,CALL]  malloc read write open rename unlink mkdir ftruncate fallocate
 *                      fsync close mmap
 *   FAULT_AT=N         which one; 0: none, count them
 *   FAULT_AFTER=1      and all after it
 *   FAULT_HOW=ERRNO    a number, "short" (half of a read or write), or "signal9"
 *   FAULT_COUNT=FILE   at the end: how many calls there were
 *   FAULT_LATER=FILE   a byte for each call of the main thread after its signal
 *
 * The files are opened at the start: later a sandbox may refuse them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define COUNT_FD 900
#define LATER_FD 901

static bool ready, after, shortened, signalled;
static int failure = ENOMEM, signal_number;
static long wanted, calls;
static char names[128];

/* --- which call --- */

/* Counts the call; true: it is to fail. */
static bool is_hit(const char *name)
{
	char key[32];
	long number;

	if (!ready)
		return false;
	snprintf(key, sizeof(key), ",%s,", name);
	if (!strstr(names, key))
		return false;
	if (signalled && gettid() == getpid())
		syscall(SYS_write, LATER_FD, "x", 1);
	number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (!wanted || (number != wanted && !(after && number > wanted)))
		return false;
	if (signal_number) {
		signalled = gettid() == getpid();
		/* To the main thread; kill() is refused in the sandbox. */
		syscall(SYS_tgkill, getpid(), getpid(), signal_number);
		return false;
	}
	return true;
}

static void open_as(const char *path, int number)
{
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd >= 0) {
		dup2(fd, number);
		close(fd);
	}
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FAULT"), *how = getenv("FAULT_HOW");

	if (!text)
		return;
	snprintf(names, sizeof(names), ",%s,", text);
	text = getenv("FAULT_AT");
	wanted = text ? atol(text) : 0;
	after = getenv("FAULT_AFTER") != NULL;
	if (how && strcmp(how, "short") == 0)
		shortened = true;
	else if (how && strncmp(how, "signal", 6) == 0)
		signal_number = atoi(how + 6);
	else if (how)
		failure = atoi(how);
	open_as(getenv("FAULT_COUNT"), COUNT_FD);
	open_as(getenv("FAULT_LATER"), LATER_FD);
	unsetenv("LD_PRELOAD"); /* not for programs that this one starts */
	ready = true;
}

__attribute__((destructor)) static void end(void)
{
	char text[24];
	int length = snprintf(text, sizeof(text), "%ld\n", calls);

	ready = false;
	if (write(COUNT_FD, text, (size_t)length) < 0)
		return;
}

#define REAL(function)                     \
	static __typeof__(&function) real; \
	if (!real)                         \
	real = (__typeof__(&function))(uintptr_t)dlsym(RTLD_NEXT, #function)

#define FAILS(name)              \
	if (is_hit(name)) {      \
		errno = failure; \
		return -1;       \
	}

/* --- memory: through whatever allocator comes next, that of a sanitizer too --- */

/* For dlsym(), which allocates while the allocator is being looked for. */
static _Alignas(16) char early[1 << 16];
static size_t early_used;
static void *(*next_malloc)(size_t), *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);

static void *early_alloc(size_t size)
{
	void *at = early + early_used;

	early_used += (size + 15) & ~(size_t)15;
	return early_used <= sizeof(early) ? at : NULL;
}

static bool is_early(const void *at)
{
	return (const char *)at >= early && (const char *)at < early + sizeof(early);
}

static bool find_allocator(void)
{
	static bool looking;

	if (next_free || looking)
		return next_free != NULL;
	looking = true;
	next_malloc = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_NEXT, "malloc");
	next_calloc = (void *(*)(size_t, size_t))(uintptr_t)dlsym(RTLD_NEXT, "calloc");
	next_realloc = (void *(*)(void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "realloc");
	next_free = (void (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "free");
	looking = false;
	return true;
}

static bool no_memory(void)
{
	if (!is_hit("malloc"))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	if (!find_allocator())
		return early_alloc(size);
	return no_memory() ? NULL : next_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (!find_allocator())
		return early_alloc(count * size);
	return no_memory() ? NULL : next_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
	void *made;

	if (!find_allocator())
		return early_alloc(size);
	if (no_memory())
		return NULL;
	if (!is_early(at))
		return next_realloc(at, size);
	made = next_malloc(size);
	if (made)
		memcpy(made, at, size);
	return made;
}

void free(void *at)
{
	if (at && !is_early(at) && find_allocator())
		next_free(at);
}

/* aligned_alloc() and its kin are rare: only the count of malloc() has them. */
void *aligned_alloc(size_t alignment, size_t size)
{
	REAL(aligned_alloc);
	return no_memory() ? NULL : real(alignment, size);
}

/* --- reading and writing --- */

ssize_t write(int fd, const void *from, size_t size)
{
	REAL(write);
	if (fd != STDERR_FILENO && is_hit("write")) {
		if (!shortened) {
			errno = failure;
			return -1;
		}
		size = size > 1 ? size / 2 : size;
	}
	return real(fd, from, size);
}

#define WRITE_AT(name, offset_type)                                         \
	ssize_t name(int fd, const void *from, size_t size, offset_type at) \
	{                                                                   \
		REAL(name);                                                 \
		if (is_hit("write")) {                                      \
			if (!shortened) {                                   \
				errno = failure;                            \
				return -1;                                  \
			}                                                   \
			size = size > 1 ? size / 2 : size;                  \
		}                                                           \
		return real(fd, from, size, at);                            \
	}
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

#define WRITE_PIECES(name, parameters, arguments) \
	ssize_t name parameters                   \
	{                                         \
		REAL(name);                       \
		FAILS("write");                   \
		return real arguments;            \
	}
WRITE_PIECES(writev, (int fd, const struct iovec *v, int count), (fd, v, count))
WRITE_PIECES(pwritev, (int fd, const struct iovec *v, int count, off_t at),
	     (fd, v, count, at))
WRITE_PIECES(pwritev64, (int fd, const struct iovec *v, int count, off64_t at),
	     (fd, v, count, at))

/* A stream that is written: the C library's own would not come by here. */
static ssize_t stream_write(void *fd, const char *from, size_t size)
{
	ssize_t written = write((int)(intptr_t)fd, from, size);

	return written < 0 ? 0 : written; /* a cookie's error */
}

static int stream_close(void *fd)
{
	return close((int)(intptr_t)fd);
}

FILE *fdopen(int fd, const char *mode)
{
	static const cookie_io_functions_t functions = { .write = stream_write,
							 .close = stream_close };

	REAL(fdopen);
	return ready && mode[0] == 'w'
		       ? fopencookie((void *)(intptr_t)fd, mode, functions)
		       : real(fd, mode);
}

ssize_t read(int fd, void *to, size_t size)
{
	REAL(read);
	if (is_hit("read")) {
		if (!shortened) {
			errno = failure;
			return -1;
		}
		size = size > 1 ? size / 2 : size;
	}
	return real(fd, to, size);
}

#define READ_AT(name, offset_type)                                  \
	ssize_t name(int fd, void *to, size_t size, offset_type at) \
	{                                                           \
		REAL(name);                                         \
		if (is_hit("read")) {                               \
			if (!shortened) {                           \
				errno = failure;                    \
				return -1;                          \
			}                                           \
			size = size > 1 ? size / 2 : size;          \
		}                                                   \
		return real(fd, to, size, at);                      \
	}
READ_AT(pread, off_t)
READ_AT(pread64, off64_t)

/* --- files and names --- */

#define PLAIN(function, parameters, arguments, name) \
	int function parameters                      \
	{                                            \
		REAL(function);                      \
		FAILS(name);                         \
		return real arguments;               \
	}
PLAIN(fsync, (int fd), (fd), "fsync")
PLAIN(fdatasync, (int fd), (fd), "fsync")
PLAIN(ftruncate, (int fd, off_t size), (fd, size), "ftruncate")
PLAIN(ftruncate64, (int fd, off64_t size), (fd, size), "ftruncate")
PLAIN(fallocate, (int fd, int mode, off_t from, off_t size), (fd, mode, from, size),
      "fallocate")
PLAIN(fallocate64, (int fd, int mode, off64_t from, off64_t size), (fd, mode, from, size),
      "fallocate")
PLAIN(rename, (const char *from, const char *to), (from, to), "rename")
PLAIN(renameat2,
      (int from_fd, const char *from, int to_fd, const char *to, unsigned int flags),
      (from_fd, from, to_fd, to, flags), "rename")
PLAIN(unlink, (const char *path), (path), "unlink")
PLAIN(unlinkat, (int fd, const char *path, int flags), (fd, path, flags), "unlink")
PLAIN(rmdir, (const char *path), (path), "unlink")
PLAIN(mkdir, (const char *path, mode_t mode), (path, mode), "mkdir")
PLAIN(close, (int fd), (fd), "close")

#define OPEN(function, parameters, arguments) \
	int function parameters               \
	{                                     \
		REAL(function);               \
		va_list more;                 \
		mode_t mode;                  \
		va_start(more, flags);        \
		mode = va_arg(more, mode_t);  \
		va_end(more);                 \
		FAILS("open");                \
		return real arguments;        \
	}
#undef open
#undef open64
#undef openat
#undef openat64
OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int fd, const char *path, int flags, ...), (fd, path, flags, mode))
OPEN(openat64, (int fd, const char *path, int flags, ...), (fd, path, flags, mode))

int posix_fallocate(int fd, off_t offset, off_t size)
{
	REAL(posix_fallocate);
	return is_hit("write") ? failure : real(fd, offset, size);
}

#define MAP(function, offset_type)                                               \
	void *function(void *at, size_t size, int protection, int flags, int fd, \
		       offset_type offset)                                       \
	{                                                                        \
		REAL(function);                                                  \
		if (is_hit("mmap")) {                                            \
			errno = failure;                                         \
			return MAP_FAILED;                                       \
		}                                                                \
		return real(at, size, protection, flags, fd, offset);            \
	}
MAP(mmap, off_t)
MAP(mmap64, off64_t)
