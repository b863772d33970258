/* os_posix_files.c - files and folders of os.h for Linux and other POSIX systems. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "base/bytes.h"
#include "base/memory.h"
#include "base/os.h"

#define PATH_BYTES 4096

/* --- names --- */

bool os_is_absolute(const char *path)
{
	return path[0] == '/';
}

bool os_is_separator(char c)
{
	return c == '/';
}

const char *os_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The folders of SQLite's temporary files; on a disk rather than in memory. */
const char *os_temporary_folder(size_t number)
{
	const char *folders[OS_TEMPORARY_FOLDERS] = { getenv("SQLITE_TMPDIR"),
						      getenv("TMPDIR"), "/var/tmp",
						      "/tmp" };
	const char *folder = number < OS_TEMPORARY_FOLDERS ? folders[number] : NULL;

	return folder && folder[0] ? folder : NULL;
}

bool os_set_environment(const char *name, const char *value)
{
	return setenv(name, value, 1) == 0;
}

/* --- opening --- */

FILE *os_create_file(const char *path)
{
	return fopen(path, "wb");
}

FILE *os_open_stream(const char *path)
{
	return fopen(path, "rbe");
}

FILE *os_stream_of(int fd)
{
	int copy = dup(fd);
	FILE *stream = copy >= 0 ? fdopen(copy, "wb") : NULL;

	if (copy >= 0 && !stream)
		close(copy);
	return stream;
}

/*
 * Not open_memstream(): of glibc's a text that found no memory is cut, and ferror() does
 * not say so.
 */
struct text {
	struct bytes bytes;
	char **text;
	size_t *size;
};

static ssize_t add_text(void *cookie, const char *from, size_t count)
{
	struct text *text = cookie;

	bytes_put(&text->bytes, from, count);
	return text->bytes.failed ? 0 : (ssize_t)count;
}

static int end_text(void *cookie)
{
	struct text *text = cookie;
	bool failed;

	bytes_put(&text->bytes, "", 1);
	failed = text->bytes.failed;
	*text->text = (char *)text->bytes.data;
	*text->size = failed ? 0 : text->bytes.size - 1;
	free(text);
	return failed ? -1 : 0;
}

FILE *os_open_text(char **text, size_t *size)
{
	const cookie_io_functions_t calls = { .write = add_text, .close = end_text };
	struct text *cookie = memory_alloc_zeroed(1, sizeof(*cookie));
	FILE *stream = cookie ? fopencookie(cookie, "w", calls) : NULL;

	*text = NULL;
	*size = 0;
	if (stream)
		*cookie = (struct text){ .text = text, .size = size };
	else
		free(cookie);
	return stream;
}

bool os_close_text(FILE *stream, char **text, size_t *size)
{
	bool failed = ferror(stream) != 0;

	(void)text;
	(void)size;
	return fclose(stream) == 0 && !failed;
}

static int open_at(int folder, const char *name, enum os_access access)
{
	static const int flags[] = {
		[OS_READ] = O_RDONLY,
		[OS_READ_AT_ONCE] = O_RDONLY | O_NONBLOCK,
		[OS_READ_PLAIN] = O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
		[OS_CHANGE] = O_RDWR | O_NOFOLLOW,
		[OS_CREATE] = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
	};

	return openat(folder, name, flags[access] | O_CLOEXEC, 0600);
}

int os_open(const char *path, enum os_access access)
{
	return open_at(AT_FDCWD, path, access);
}

int os_create_hidden(const char *path)
{
	int fd = os_open(path, OS_CREATE);

	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

int os_create_temporary(const char *folder)
{
	char path[PATH_BYTES];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || strlen(folder) + 32 > sizeof(path))
		return fd;
	/* Some file systems have no such files. */
	snprintf(path, sizeof(path), "%s/perftab-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

bool os_close(int fd)
{
	return close(fd) == 0;
}

/* --- bytes --- */

ptrdiff_t os_read(int fd, void *to, size_t size)
{
	return read(fd, to, size);
}

bool os_wait_to_read(int fd, int milliseconds)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };

	return poll(&wanted, 1, milliseconds) > 0;
}

ptrdiff_t os_write(int fd, const void *from, size_t size)
{
	return write(fd, from, size);
}

ptrdiff_t os_read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return pread(fd, to, size, (off_t)offset);
}

ptrdiff_t os_write_at(int fd, const void *from, size_t size, uint64_t offset)
{
	return pwrite(fd, from, size, (off_t)offset);
}

_Static_assert(sizeof(struct os_piece) == sizeof(struct iovec) &&
		       offsetof(struct os_piece, bytes) ==
			       offsetof(struct iovec, iov_base) &&
		       offsetof(struct os_piece, size) == offsetof(struct iovec, iov_len),
	       "pieces are passed on without copies");

/*
 * Linux may have memory in one piece for each write, as large as the write.  On 6.18 in a
 * virtual machine, databases of 600 MB on ext4 took 0.57 to 0.68 of the time in writes of
 * 32 to 512 KiB that they took in writes of 1 MiB; in memory the same.
 */
#define PIECES_BYTES ((size_t)128 << 10)

ptrdiff_t os_write_pieces_at(int fd, const struct os_piece *pieces, size_t count,
			     uint64_t offset)
{
	size_t few = 1, bytes = pieces->size;

	while (few < count && bytes + pieces[few].size <= PIECES_BYTES)
		bytes += pieces[few++].size;
	return pwritev(fd, (const struct iovec *)pieces, (int)few, (off_t)offset);
}

bool os_seek(int fd, uint64_t offset)
{
	return lseek(fd, (off_t)offset, SEEK_SET) >= 0;
}

uint64_t os_position(int fd)
{
	off_t here = lseek(fd, 0, SEEK_CUR);

	return here > 0 ? (uint64_t)here : 0;
}

#ifdef __linux__
/* Of smaller files it gains nothing; never much more than what is there already. */
#define RESERVE_FROM_BYTES (UINT64_C(4) << 20)
#define RESERVED_BYTES_MAX (UINT64_C(8) << 20)

/* Elsewhere it was not measured, and btrfs does not compress what has such room. */
static bool is_ext4(int fd)
{
	struct statfs info;

	return fstatfs(fd, &info) == 0 && info.f_type == EXT4_SUPER_MAGIC;
}

void os_reserve(int fd, struct os_room *room, uint64_t end)
{
	uint64_t more = end / 8 < RESERVED_BYTES_MAX ? end / 8 : RESERVED_BYTES_MAX;

	if (end <= room->end || end < RESERVE_FROM_BYTES || room->is_refused)
		return;
	room->is_refused = (!room->end && !is_ext4(fd)) ||
			   fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)room->end,
				     (off_t)(end + more - room->end)) != 0;
	if (!room->is_refused)
		room->end = end + more;
}

void os_give_back(int fd, struct os_room *room)
{
	struct stat info;

	if (room->end && fstat(fd, &info) == 0 && (uint64_t)info.st_size < room->end)
		(void)!ftruncate(fd, info.st_size);
	room->end = 0;
}
#else
void os_reserve(int fd, struct os_room *room, uint64_t end)
{
	(void)fd;
	(void)end;
	room->is_refused = true;
}

void os_give_back(int fd, struct os_room *room)
{
	(void)fd;
	(void)room;
}
#endif

void os_expect_sequential(int fd)
{
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

/* --- what a file is --- */

static bool fill_info(int failure, const struct stat *from, struct os_info *info)
{
	if (failure != 0)
		return false;
	info->kind = S_ISREG(from->st_mode)   ? OS_FILE
		     : S_ISDIR(from->st_mode) ? OS_FOLDER
		     : S_ISLNK(from->st_mode) ? OS_LINK
					      : OS_OTHER;
	info->is_own = from->st_uid == geteuid();
	info->size = (uint64_t)from->st_size;
	info->volume = from->st_dev;
	info->number = from->st_ino;
	info->names = from->st_nlink;
	return true;
}

bool os_inspect(int fd, struct os_info *info)
{
	struct stat from;
	int failure = fstat(fd, &from);

	return fill_info(failure, &from, info);
}

bool os_inspect_path(const char *path, struct os_info *info)
{
	struct stat from;
	int failure = stat(path, &from);

	return fill_info(failure, &from, info);
}

bool os_inspect_name(const char *path, struct os_info *info)
{
	struct stat from;
	int failure = lstat(path, &from);

	return fill_info(failure, &from, info);
}

bool os_is_same(const struct os_info *a, const struct os_info *b)
{
	return a->number == b->number && a->volume == b->volume;
}

bool os_lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Some file systems have no fsync(). */
bool os_sync(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool os_set_mode(int fd, unsigned int mode)
{
	return fchmod(fd, (mode_t)mode) == 0;
}

/* --- names of files --- */

bool os_move(const char *from, const char *to)
{
	return rename(from, to) == 0;
}

bool os_move_if_free(const char *from, const char *to)
{
	int failure = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);

	if (failure == 0 || (errno != EINVAL && errno != ENOSYS))
		return failure == 0;
	failure = link(from, to);
	if (failure == 0)
		(void)unlink(from);
	else if (errno == EPERM || errno == EOPNOTSUPP) /* no links here */
		failure = rename(from, to);
	return failure == 0;
}

bool os_exchange(const char *one, const char *other)
{
	return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0;
}

bool os_remove_file(const char *path)
{
	return unlink(path) == 0;
}

bool os_remove_folder(const char *path)
{
	return rmdir(path) == 0;
}

bool os_make_folder(const char *path)
{
	return mkdir(path, 0700) == 0;
}

bool os_is_writable_folder(const char *path)
{
	return access(path, W_OK | X_OK) == 0;
}

bool os_sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_synced;

	/* A writable folder need not be readable. */
	if (fd < 0)
		return true;
	is_synced = os_sync(fd);
	close(fd);
	return is_synced;
}

/* --- folders --- */

/* Is a DIR, so that opening one needs no memory of ours. */
static DIR *stream_of(struct os_folder *folder)
{
	return (DIR *)folder;
}

static int fd_of(struct os_folder *folder)
{
	return folder ? dirfd(stream_of(folder)) : AT_FDCWD;
}

struct os_folder *os_folder_open(const char *path)
{
	return (struct os_folder *)opendir(path);
}

struct os_folder *os_folder_open_in(struct os_folder *folder, const char *name)
{
	int fd = openat(fd_of(folder), name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *opened = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !opened)
		close(fd);
	return (struct os_folder *)opened;
}

void os_folder_close(struct os_folder *folder)
{
	if (folder)
		closedir(stream_of(folder));
}

const char *os_folder_next(struct os_folder *folder)
{
	const struct dirent *entry;

	do {
		entry = readdir(stream_of(folder));
	} while (entry &&
		 (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry ? entry->d_name : NULL;
}

void os_folder_rewind(struct os_folder *folder)
{
	rewinddir(stream_of(folder));
}

/* Does nothing: an open folder does not need its path. */
void os_folder_moved(struct os_folder *folder, const char *path)
{
	(void)folder;
	(void)path;
}

bool os_folder_inspect(struct os_folder *folder, struct os_info *info)
{
	return os_inspect(fd_of(folder), info);
}

bool os_folder_lock(struct os_folder *folder)
{
	return os_lock(fd_of(folder));
}

bool os_folder_sync(struct os_folder *folder)
{
	return os_sync(fd_of(folder));
}

bool os_folder_set_mode(struct os_folder *folder, unsigned int mode)
{
	return os_set_mode(fd_of(folder), mode);
}

bool os_inspect_in(struct os_folder *folder, const char *name, struct os_info *info)
{
	struct stat from;
	int failure = fstatat(fd_of(folder), name, &from, AT_SYMLINK_NOFOLLOW);

	return fill_info(failure, &from, info);
}

int os_open_in(struct os_folder *folder, const char *name, enum os_access access)
{
	return open_at(fd_of(folder), name, access);
}

bool os_make_folder_in(struct os_folder *folder, const char *name)
{
	return mkdirat(fd_of(folder), name, 0700) == 0;
}

bool os_move_in(struct os_folder *folder, const char *from, const char *to)
{
	return renameat(fd_of(folder), from, fd_of(folder), to) == 0;
}

bool os_remove_file_in(struct os_folder *folder, const char *name)
{
	return unlinkat(fd_of(folder), name, 0) == 0;
}

bool os_remove_folder_in(struct os_folder *folder, const char *name)
{
	return unlinkat(fd_of(folder), name, AT_REMOVEDIR) == 0;
}
