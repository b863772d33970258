/* os_windows_paths.c - paths in UTF-16, errors, and the functions of os.h for names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/array.h"
#include "base/os_windows.h"

/* Longer ones need the prefix that turns off the limit of 260 units. */
#define SHORT_PATH_UNITS 240

bool os_set_errno(void)
{
	static const struct {
		DWORD code;
		int number;
	} errors[] = {
		{ ERROR_FILE_NOT_FOUND, ENOENT },
		{ ERROR_PATH_NOT_FOUND, ENOENT },
		{ ERROR_BAD_NETPATH, ENOENT },
		{ ERROR_BAD_NET_NAME, ENOENT },
		{ ERROR_BAD_PATHNAME, ENOENT },
		{ ERROR_INVALID_DRIVE, ENOENT },
		{ ERROR_INVALID_NAME, EINVAL },
		{ ERROR_INVALID_PARAMETER, EINVAL },
		{ ERROR_FILE_EXISTS, EEXIST },
		{ ERROR_ALREADY_EXISTS, EEXIST },
		{ ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
		{ ERROR_DIRECTORY, ENOTDIR },
		{ ERROR_ACCESS_DENIED, EACCES },
		{ ERROR_SHARING_VIOLATION, EACCES },
		{ ERROR_WRITE_PROTECT, EROFS },
		{ ERROR_LOCK_VIOLATION, EWOULDBLOCK },
		{ ERROR_DISK_FULL, ENOSPC },
		{ ERROR_HANDLE_DISK_FULL, ENOSPC },
		{ ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
		{ ERROR_OUTOFMEMORY, ENOMEM },
		{ ERROR_TOO_MANY_OPEN_FILES, EMFILE },
		{ ERROR_INVALID_HANDLE, EBADF },
		{ ERROR_BROKEN_PIPE, EPIPE },
		{ ERROR_NO_DATA, EPIPE },
		{ ERROR_OPERATION_ABORTED, EINTR },
		{ ERROR_NOT_SAME_DEVICE, EXDEV },
		{ ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
	};
	DWORD code = GetLastError();

	errno = EIO;
	for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
		if (errors[i].code == code)
			errno = errors[i].number;
	return false;
}

/* --- UTF-8 and UTF-16 --- */

char *os_utf8_of(const wchar_t *wide)
{
	int bytes = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
	char *text = bytes > 0 ? malloc((size_t)bytes) : NULL;

	if (text)
		WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, bytes, NULL, NULL);
	return text;
}

static wchar_t *wide_of(const char *path)
{
	int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
	wchar_t *wide = units > 0 ? malloc((size_t)units * sizeof(*wide)) : NULL;

	if (wide)
		MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, units);
	else
		errno = units > 0 ? ENOMEM : ENOENT;
	return wide;
}

/* Frees the path; "\\?\C:\..." and "\\?\UNC\server\share\..." have no limit. */
static wchar_t *unlimited(wchar_t *wide)
{
	static const wchar_t prefix[] = L"\\\\?\\", unc[] = L"\\\\?\\UNC\\";
	DWORD units = GetFullPathNameW(wide, 0, NULL, NULL);
	size_t room = (size_t)units + ARRAY_COUNT(unc);
	wchar_t *full = units ? malloc(room * sizeof(*full)) : NULL;
	wchar_t *path = units ? malloc(room * sizeof(*path)) : NULL;

	if (full && path) {
		GetFullPathNameW(wide, units, full, NULL);
		if (wcsncmp(full, L"\\\\", 2) == 0) {
			wcscpy(path, unc);
			wcscat(path, full + 2);
		} else {
			wcscpy(path, prefix);
			wcscat(path, full);
		}
	} else {
		free(path);
		path = NULL;
		errno = ENOMEM;
	}
	free(full);
	free(wide);
	return path;
}

wchar_t *os_wide_path(const char *path)
{
	wchar_t *wide = wide_of(path);
	bool is_verbatim = wide && (wcsncmp(wide, L"\\\\?\\", 4) == 0 ||
				    wcsncmp(wide, L"\\\\.\\", 4) == 0);

	return wide && !is_verbatim && wcslen(wide) > SHORT_PATH_UNITS ? unlimited(wide)
								       : wide;
}

/* --- names --- */

bool os_is_separator(char c)
{
	return c == '/' || c == '\\';
}

/* "C:\...", and "\..." or "\\server\share" as well. */
bool os_is_absolute(const char *path)
{
	char letter = path[0] | 0x20;

	return os_is_separator(path[0]) ||
	       (letter >= 'a' && letter <= 'z' && path[1] == ':');
}

const char *os_base_name(const char *path)
{
	const char *base = path;

	for (const char *at = path; *at; at++)
		if (os_is_separator(*at))
			base = at + 1;
	return base;
}

static const char *environment(const wchar_t *name, char **kept)
{
	const wchar_t *value = _wgetenv(name);

	if (!*kept && value && value[0])
		*kept = os_utf8_of(value);
	return *kept;
}

static const char *system_folder(void)
{
	static char *kept;
	wchar_t wide[MAX_PATH + 2];
	DWORD units = kept ? 0 : GetTempPathW(MAX_PATH + 1, wide);

	if (units && units <= MAX_PATH)
		kept = os_utf8_of(wide);
	return kept;
}

const char *os_temporary_folder(size_t number)
{
	static char *sqlite_folder, *folder;

	switch (number) {
	case 0:
		return environment(L"SQLITE_TMPDIR", &sqlite_folder);
	case 1:
		return environment(L"TMPDIR", &folder);
	case 2:
		return system_folder();
	default:
		return NULL;
	}
}

bool os_set_environment(const char *name, const char *value)
{
	wchar_t *wide_name = wide_of(name), *wide_value = wide_of(value);

	bool done = wide_name && wide_value && _wputenv_s(wide_name, wide_value) == 0;

	free(wide_name);
	free(wide_value);
	return done;
}
