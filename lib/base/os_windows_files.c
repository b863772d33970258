/*
 * os_windows_files.c - files of os.h on Windows: descriptors of the C library around
 * handles that others may rename and delete.
 */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/file_name.h"
#include "base/os_windows.h"

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
/* Bytes of one call. */
#define CALL_BYTES ((size_t)1 << 30)
/* Scanners open new files for a moment. */
#define TRIES 10
#define TRY_AGAIN_MS 20

static HANDLE handle_of(int fd)
{
	return (HANDLE)_get_osfhandle(fd);
}

/* --- opening --- */

/* Closes the handle if there is no descriptor for it. */
static int descriptor_of(HANDLE handle, int flags)
{
	int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);

	if (fd < 0)
		CloseHandle(handle);
	return fd;
}

static int create_file(wchar_t *wide, DWORD rights, DWORD how, DWORD flags)
{
	HANDLE handle =
		wide ? CreateFileW(wide, rights, SHARE_ALL, NULL, how, flags, NULL)
		     : INVALID_HANDLE_VALUE;
	bool is_there = wide;

	free(wide);
	if (handle != INVALID_HANDLE_VALUE)
		return descriptor_of(handle,
				     rights & GENERIC_WRITE ? _O_RDWR : _O_RDONLY);
	if (is_there)
		os_set_errno();
	return -1;
}

int os_open_wide(wchar_t *wide, enum os_access access)
{
	struct os_info info;

	switch (access) {
	case OS_CREATE:
		return create_file(wide, GENERIC_READ | GENERIC_WRITE, CREATE_NEW,
				   FILE_ATTRIBUTE_NORMAL);
	case OS_READ_AT_ONCE:
	case OS_READ: /* folders as well, which the caller refuses */
		return create_file(wide, GENERIC_READ, OPEN_EXISTING,
				   FILE_FLAG_BACKUP_SEMANTICS);
	default:
		break;
	}
	if (wide && os_inspect_wide(_wcsdup(wide), false, &info) &&
	    info.kind == OS_LINK) {
		free(wide);
		errno = ELOOP;
		return -1;
	}
	return create_file(
		wide, access == OS_CHANGE ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ,
		OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
}

/* Returns whether a path is a device, to which writes would be lost. */
static bool is_device(const char *path)
{
	if (!file_name_is_reserved(str_of(os_base_name(path))))
		return false;
	errno = EINVAL;
	return true;
}

int os_open(const char *path, enum os_access access)
{
	if (access == OS_CREATE && is_device(path))
		return -1;
	return os_open_wide(os_wide_path(path), access);
}

int os_create_hidden(const char *path)
{
	if (is_device(path))
		return -1;
	return create_file(os_wide_path(path), GENERIC_READ | GENERIC_WRITE | DELETE,
			   CREATE_NEW,
			   FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
}

int os_create_temporary(const char *folder)
{
	size_t length = strlen(folder);
	char *path = malloc(length + 40);
	int fd;

	if (!path)
		return -1;
	snprintf(path, length + 40, "%s\\perftab-%016llx", folder,
		 (unsigned long long)os_random());
	fd = os_create_hidden(path);
	free(path);
	return fd;
}

bool os_close(int fd)
{
	return _close(fd) == 0;
}

FILE *os_create_file(const char *path)
{
	wchar_t *wide = is_device(path) ? NULL : os_wide_path(path);
	FILE *file = wide ? _wfopen(wide, L"wb") : NULL;

	free(wide);
	return file;
}

FILE *os_open_stream(const char *path)
{
	wchar_t *wide = os_wide_path(path);
	FILE *file = wide ? _wfopen(wide, L"rb") : NULL;

	free(wide);
	return file;
}

FILE *os_stream_of(int fd)
{
	int copy = _dup(fd);
	FILE *stream = copy >= 0 ? _fdopen(copy, "wb") : NULL;

	if (copy >= 0 && !stream)
		_close(copy);
	return stream;
}

/* --- streams into memory: here a file, which has room for more --- */

FILE *os_open_text(char **text, size_t *size)
{
	const char *folder = os_temporary_folder(2);
	int fd = folder ? os_create_temporary(folder) : -1;
	FILE *stream = fd >= 0 ? _fdopen(fd, "w+b") : NULL;

	*text = NULL;
	*size = 0;
	if (fd >= 0 && !stream)
		_close(fd);
	return stream;
}

bool os_close_text(FILE *stream, char **text, size_t *size)
{
	bool is_read = fflush(stream) == 0 && !ferror(stream);
	long long bytes = is_read ? _ftelli64(stream) : -1;

	*text = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
	rewind(stream);
	is_read = *text && fread(*text, 1, (size_t)bytes, stream) == (size_t)bytes;
	if (is_read) {
		(*text)[bytes] = '\0';
		*size = (size_t)bytes;
	}
	return fclose(stream) == 0 && is_read;
}

/* --- bytes --- */

static DWORD call_bytes(size_t size)
{
	return (DWORD)(size < CALL_BYTES ? size : CALL_BYTES);
}

static OVERLAPPED place_of(uint64_t offset)
{
	return (OVERLAPPED){ .Offset = (DWORD)offset,
			     .OffsetHigh = (DWORD)(offset >> 32) };
}

static ptrdiff_t read_from(int fd, void *to, size_t size, OVERLAPPED *place)
{
	DWORD got = 0;

	if (ReadFile(handle_of(fd), to, call_bytes(size), &got, place))
		return (ptrdiff_t)got;
	if (GetLastError() == ERROR_HANDLE_EOF || GetLastError() == ERROR_BROKEN_PIPE)
		return 0;
	os_set_errno();
	return -1;
}

static ptrdiff_t write_to(int fd, const void *from, size_t size, OVERLAPPED *place)
{
	DWORD wrote = 0;

	if (WriteFile(handle_of(fd), from, call_bytes(size), &wrote, place))
		return (ptrdiff_t)wrote;
	os_set_errno();
	return -1;
}

ptrdiff_t os_read(int fd, void *to, size_t size)
{
	return read_from(fd, to, size, NULL);
}

bool os_wait_to_read(int fd, int milliseconds)
{
	(void)fd;
	(void)milliseconds;
	return true;
}

ptrdiff_t os_write(int fd, const void *from, size_t size)
{
	return write_to(fd, from, size, NULL);
}

ptrdiff_t os_read_at(int fd, void *to, size_t size, uint64_t offset)
{
	OVERLAPPED place = place_of(offset);

	return read_from(fd, to, size, &place);
}

ptrdiff_t os_write_at(int fd, const void *from, size_t size, uint64_t offset)
{
	OVERLAPPED place = place_of(offset);

	return write_to(fd, from, size, &place);
}

/* One call is faster than one for each piece, although the bytes are copied for it. */
ptrdiff_t os_write_pieces_at(int fd, const struct os_piece *pieces, size_t count,
			     uint64_t offset)
{
	size_t bytes = 0;
	ptrdiff_t wrote;
	char *all;

	for (size_t i = 0; i < count; i++)
		bytes += pieces[i].size;
	all = malloc(bytes ? bytes : 1);
	if (!all)
		return os_write_at(fd, pieces[0].bytes, pieces[0].size, offset);
	bytes = 0;
	for (size_t i = 0; i < count; i++) {
		memcpy(all + bytes, pieces[i].bytes, pieces[i].size);
		bytes += pieces[i].size;
	}
	wrote = os_write_at(fd, all, bytes, offset);
	free(all);
	return wrote;
}

bool os_seek(int fd, uint64_t offset)
{
	LARGE_INTEGER to = { .QuadPart = (LONGLONG)offset };

	return SetFilePointerEx(handle_of(fd), to, NULL, FILE_BEGIN) || os_set_errno();
}

uint64_t os_position(int fd)
{
	LARGE_INTEGER none = { .QuadPart = 0 }, here;

	return SetFilePointerEx(handle_of(fd), none, &here, FILE_CURRENT)
		       ? (uint64_t)here.QuadPart
		       : 0;
}

/* Does nothing: its gain on NTFS was never measured. */
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

void os_expect_sequential(int fd)
{
	(void)fd;
}

/* --- what a file is --- */

/* Files of OneDrive are reparse points as well, but not links. */
static bool is_link(HANDLE handle)
{
	FILE_ATTRIBUTE_TAG_INFO tag;

	return GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag,
					    sizeof(tag)) &&
	       (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
	       (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
		tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

static bool inspect_handle(HANDLE handle, struct os_info *info)
{
	BY_HANDLE_FILE_INFORMATION from;
	LARGE_INTEGER size;

	*info = (struct os_info){ .kind = OS_OTHER, .is_own = true, .names = 1 };
	if (GetFileType(handle) != FILE_TYPE_DISK)
		return true;
	if (!GetFileInformationByHandle(handle, &from)) {
		/* Wine cannot look at standard input, which is a file nevertheless. */
		if (!GetFileSizeEx(handle, &size))
			return os_set_errno();
		info->kind = OS_FILE;
		info->size = (uint64_t)size.QuadPart;
		return true;
	}
	info->kind = is_link(handle)					? OS_LINK
		     : from.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? OS_FOLDER
									: OS_FILE;
	info->size = (uint64_t)from.nFileSizeHigh << 32 | from.nFileSizeLow;
	info->volume = from.dwVolumeSerialNumber;
	info->number = (uint64_t)from.nFileIndexHigh << 32 | from.nFileIndexLow;
	info->names = from.nNumberOfLinks;
	return true;
}

bool os_inspect(int fd, struct os_info *info)
{
	return inspect_handle(handle_of(fd), info);
}

bool os_inspect_wide(wchar_t *wide, bool follow, struct os_info *info)
{
	DWORD flags =
		FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
	HANDLE handle =
		wide ? CreateFileW(wide, 0, SHARE_ALL, NULL, OPEN_EXISTING, flags, NULL)
		     : INVALID_HANDLE_VALUE;
	bool is_there = wide, done;

	free(wide);
	if (handle == INVALID_HANDLE_VALUE) {
		if (is_there)
			os_set_errno();
		return false;
	}
	done = inspect_handle(handle, info);
	CloseHandle(handle);
	return done;
}

bool os_inspect_path(const char *path, struct os_info *info)
{
	return os_inspect_wide(os_wide_path(path), true, info);
}

bool os_inspect_name(const char *path, struct os_info *info)
{
	return os_inspect_wide(os_wide_path(path), false, info);
}

/* Number 0 is that of no file. */
bool os_is_same(const struct os_info *a, const struct os_info *b)
{
	return a->number && a->number == b->number && a->volume == b->volume;
}

/* A byte far beyond the end: others can neither read nor write locked bytes. */
bool os_lock(int fd)
{
	OVERLAPPED place = place_of(UINT64_C(1) << 62);

	return LockFileEx(handle_of(fd),
			  LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
			  &place) ||
	       os_set_errno();
}

bool os_sync(int fd)
{
	return FlushFileBuffers(handle_of(fd)) || os_set_errno();
}

bool os_set_mode(int fd, unsigned int mode)
{
	(void)fd;
	(void)mode;
	return true;
}

/* --- names of files --- */

static bool is_busy(DWORD code)
{
	return code == ERROR_ACCESS_DENIED || code == ERROR_SHARING_VIOLATION;
}

static bool move_file(const wchar_t *from, const wchar_t *to, DWORD flags)
{
	for (int tries = 1; !MoveFileExW(from, to, flags); tries++) {
		if (tries == TRIES || !is_busy(GetLastError()))
			return os_set_errno();
		Sleep(TRY_AGAIN_MS);
	}
	return true;
}

static bool is_folder(const wchar_t *wide)
{
	DWORD attributes = GetFileAttributesW(wide);

	return attributes != INVALID_FILE_ATTRIBUTES &&
	       (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool os_move_wide(wchar_t *from, wchar_t *to, bool replace)
{
	bool done = from && to;

	/* A folder replaces an empty one, as on POSIX. */
	if (done && replace && is_folder(from) && is_folder(to))
		done = RemoveDirectoryW(to) || os_set_errno();
	done = done && move_file(from, to, replace ? MOVEFILE_REPLACE_EXISTING : 0);
	free(from);
	free(to);
	return done;
}

bool os_move(const char *from, const char *to)
{
	return !is_device(to) && os_move_wide(os_wide_path(from), os_wide_path(to), true);
}

bool os_move_if_free(const char *from, const char *to)
{
	return !is_device(to) &&
	       os_move_wide(os_wide_path(from), os_wide_path(to), false);
}

bool os_exchange(const char *one, const char *other)
{
	(void)one;
	(void)other;
	errno = ENOSYS;
	return false;
}

bool os_remove_wide(wchar_t *wide, bool is_folder)
{
	bool done = wide && (is_folder ? RemoveDirectoryW(wide) : DeleteFileW(wide));

	if (wide && !done)
		os_set_errno();
	free(wide);
	return done;
}

bool os_remove_file(const char *path)
{
	return os_remove_wide(os_wide_path(path), false);
}

bool os_remove_folder(const char *path)
{
	return os_remove_wide(os_wide_path(path), true);
}

bool os_make_folder_wide(wchar_t *wide)
{
	bool done = wide && CreateDirectoryW(wide, NULL);

	if (wide && !done)
		os_set_errno();
	free(wide);
	return done;
}

bool os_make_folder(const char *path)
{
	return !is_device(path) && os_make_folder_wide(os_wide_path(path));
}

/* Rights are seen when a file is made. */
bool os_is_writable_folder(const char *path)
{
	struct os_info info;

	return os_inspect_path(path, &info) && info.kind == OS_FOLDER;
}

bool os_sync_folder(const char *path)
{
	(void)path;
	return true;
}
