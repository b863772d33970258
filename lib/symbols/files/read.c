/* read.c - opens files below the root, enters the sandbox, and reads them. */
#include "symbols/files/read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "base/sanitizer.h"
#include "base/text.h"

#define MEMORY_BYTES_MAX ((rlim_t)2 << 30)
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

/* As in linux/openat2.h, which older systems do not have. */
#define OPENAT2 437
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_IN_ROOT 0x10
struct how {
	uint64_t flags, mode, resolve;
};

/* Without openat2(): the real path must begin with that of the root. */
static int open_real(int root_fd, const char *path)
{
	char link[64], joined[PATH_MAX + FILE_PATH_BYTES_MAX + 2], root[PATH_MAX],
		real[PATH_MAX];
	ssize_t length;
	size_t len;

	text_print(link, sizeof(link), "/proc/self/fd/%d", root_fd);
	length = readlink(link, root, sizeof(root) - 1);
	if (length < 0)
		return -1;
	root[length] = '\0';
	len = strcmp(root, "/") == 0 ? 0 : (size_t)length;
	root[len] = '\0';
	text_print(joined, sizeof(joined), "%s/%s", root, path);
	if (!realpath(joined, real))
		return -1;
	if (strncmp(real, root, len) != 0 || real[len] != '/') {
		errno = EXDEV;
		return -1;
	}
	return open(real, OPEN_FLAGS | O_NOFOLLOW);
}

int open_below(int root_fd, const char *path)
{
	const struct how how = { .flags = OPEN_FLAGS,
				 .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	struct stat info;
	int fd = (int)syscall(OPENAT2, root_fd, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open_real(root_fd, path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

/* Where Debian and others install debug information. */
static int open_debug(int root_fd, const struct file_request *request)
{
	char path[64 + 2 * FILE_BUILD_ID_BYTES_MAX];
	size_t at = text_print(path, sizeof(path), "usr/lib/debug/.build-id/");

	for (uint32_t i = 0; i < request->build_id_bytes; i++)
		at += text_print(path + at, sizeof(path) - at, i == 1 ? "/%02x" : "%02x",
				 request->build_id[i]);
	text_print(path + at, sizeof(path) - at, ".debug");
	return open_below(root_fd, path);
}

/* From here on the process can use what is open, and its memory, and no more. */
static void drop_permissions(void)
{
	struct sandbox sandbox;
	char missing[128];

#ifndef __SANITIZE_ADDRESS__ /* which reserves more than that */
	const struct rlimit memory = { MEMORY_BYTES_MAX, MEMORY_BYTES_MAX };

	(void)setrlimit(RLIMIT_AS, &memory);
#endif
	const struct rlimit none = { 0, 0 };
	const struct rlimit time = { READ_SECONDS_MAX, READ_SECONDS_MAX };

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)setrlimit(RLIMIT_CPU, &time);
	(void)setrlimit(RLIMIT_FSIZE, &none);
	(void)alarm(READ_SECONDS_MAX);
	sandbox_begin(&sandbox);
	(void)sandbox_enter(&sandbox, missing, sizeof(missing));
}

static enum file_result error_result(void)
{
	return errno == ENOENT || errno == ENOTDIR ? FILE_NONE : FILE_UNREADABLE;
}

static enum file_result read_kernel(int root_fd, const struct file_request *request,
				    struct bytes *answer)
{
	int kallsyms = open_below(root_fd, "proc/kallsyms");
	int notes = open_below(root_fd, "sys/kernel/notes");
	enum file_result result = FILE_NONE;

	drop_permissions();
	if (kallsyms >= 0 && notes >= 0)
		result = kernel_names(kallsyms, notes, request, answer);
	if (kallsyms >= 0)
		close(kallsyms);
	if (notes >= 0)
		close(notes);
	return result;
}

/* ROOT/PATH; or PATH, which is below ROOT itself. */
static int open_named(int root_fd, const char *root, const char *path)
{
	size_t length = strlen(root);
	int fd = open_below(root_fd, path);

	while (length && root[length - 1] == '/')
		length--;
	if (fd < 0 && length && strncmp(path, root, length) == 0 && path[length] == '/')
		fd = open_below(root_fd, path + length);
	return fd;
}

enum file_result read_names(int root_fd, const char *root,
			    const struct file_request *request, struct bytes *answer)
{
	char path[FILE_PATH_BYTES_MAX + 1];
	enum file_result result;
	int fd, debug;

	if (request->kind == FILE_KERNEL)
		return read_kernel(root_fd, request, answer);
	if (request->path.len > FILE_PATH_BYTES_MAX ||
	    memchr(request->path.ptr, 0, request->path.len))
		return FILE_NONE;
	text_print(path, sizeof(path), "%.*s", (int)request->path.len, request->path.ptr);
	fd = open_named(root_fd, root, path);
	if (fd < 0)
		return error_result();
	debug = open_debug(root_fd, request);
	drop_permissions();
	result = elf_names(fd, debug, request, answer);
	close(fd);
	if (debug >= 0)
		close(debug);
	return result;
}
