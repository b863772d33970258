/* os_windows_folders.c - folders of os.h on Windows: paths, and a list of entries. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/array.h"
#include "base/os_windows.h"

struct os_folder {
	wchar_t *path;
	HANDLE find; /* NULL: not begun, or at the end */
	bool is_done;
	HANDLE lock; /* NULL: not locked */
	char *name;  /* of the last entry */
};

/* "PATH\NAME", to be freed; frees the second. */
static wchar_t *join(const wchar_t *path, wchar_t *name)
{
	size_t units = name ? wcslen(path) + wcslen(name) + 2 : 0;
	wchar_t *joined = units ? malloc(units * sizeof(*joined)) : NULL;

	if (joined) {
		wcscpy(joined, path);
		wcscat(joined, L"\\");
		wcscat(joined, name);
		for (wchar_t *at = joined; *at; at++) /* long paths know only these */
			*at = *at == L'/' ? L'\\' : *at;
	} else if (name) {
		errno = ENOMEM;
	}
	free(name);
	return joined;
}

wchar_t *os_wide_path_in(const struct os_folder *folder, const char *name)
{
	wchar_t *wide = os_wide_path(name);
	wchar_t *joined = folder ? join(folder->path, wide) : wide;
	char *text;

	if (!folder || !joined || wcslen(joined) < 240 ||
	    wcsncmp(joined, L"\\\\?\\", 4) == 0)
		return joined;
	text = os_utf8_of(joined); /* so long that it needs a prefix */
	free(joined);
	wide = text ? os_wide_path(text) : NULL;
	free(text);
	return wide;
}

/* --- opening --- */

static struct os_folder *open_wide(wchar_t *wide, bool follow)
{
	struct os_info info;
	struct os_folder *folder = NULL;

	if (!wide || !os_inspect_wide(_wcsdup(wide), follow, &info)) {
		free(wide);
		return NULL;
	}
	if (info.kind == OS_FOLDER)
		folder = calloc(1, sizeof(*folder));
	else
		errno = ENOTDIR;
	if (folder)
		folder->path = wide;
	else
		free(wide);
	return folder;
}

struct os_folder *os_folder_open(const char *path)
{
	return open_wide(os_wide_path(path), true);
}

struct os_folder *os_folder_open_in(struct os_folder *folder, const char *name)
{
	return open_wide(os_wide_path_in(folder, name), false);
}

/* An open list keeps a folder from being renamed. */
static void end_list(struct os_folder *folder)
{
	if (folder->find)
		FindClose(folder->find);
	folder->find = NULL;
	free(folder->name);
	folder->name = NULL;
}

void os_folder_close(struct os_folder *folder)
{
	if (!folder)
		return;
	end_list(folder);
	if (folder->lock)
		CloseHandle(folder->lock);
	free(folder->path);
	free(folder);
}

void os_folder_moved(struct os_folder *folder, const char *path)
{
	wchar_t *wide = os_wide_path(path);

	if (!wide)
		return;
	free(folder->path);
	folder->path = wide;
}

/* --- entries --- */

static bool find_first(struct os_folder *folder, WIN32_FIND_DATAW *entry)
{
	wchar_t *all = join(folder->path, _wcsdup(L"*"));
	HANDLE find = all ? FindFirstFileW(all, entry) : INVALID_HANDLE_VALUE;

	free(all);
	folder->find = find == INVALID_HANDLE_VALUE ? NULL : find;
	return folder->find;
}

static bool is_dots(const wchar_t *name)
{
	return wcscmp(name, L".") == 0 || wcscmp(name, L"..") == 0;
}

const char *os_folder_next(struct os_folder *folder)
{
	WIN32_FIND_DATAW entry;
	bool is_there;

	do
		is_there = !folder->is_done &&
			   (folder->find ? FindNextFileW(folder->find, &entry)
					 : find_first(folder, &entry));
	while (is_there && is_dots(entry.cFileName));
	if (!is_there) {
		folder->is_done = true;
		end_list(folder);
		return NULL;
	}
	free(folder->name);
	folder->name = os_utf8_of(entry.cFileName);
	return folder->name;
}

void os_folder_rewind(struct os_folder *folder)
{
	end_list(folder);
	folder->is_done = false;
}

/* --- the folder --- */

bool os_folder_inspect(struct os_folder *folder, struct os_info *info)
{
	return os_inspect_wide(_wcsdup(folder->path), false, info);
}

/* Folders have no locks: a mutex that has the number of this one in its name. */
bool os_folder_lock(struct os_folder *folder)
{
	struct os_info info;
	wchar_t name[80];

	if (!os_folder_inspect(folder, &info))
		return false;
	_snwprintf(name, ARRAY_COUNT(name), L"Global\\perftab-%llx-%llx",
		   (unsigned long long)info.volume, (unsigned long long)info.number);
	folder->lock = CreateMutexW(NULL, FALSE, name);
	if (folder->lock && GetLastError() != ERROR_ALREADY_EXISTS)
		return true;
	if (folder->lock)
		CloseHandle(folder->lock);
	folder->lock = NULL;
	errno = EWOULDBLOCK;
	return false;
}

/* There is no such function. */
bool os_folder_sync(struct os_folder *folder)
{
	(void)folder;
	return true;
}

bool os_folder_set_mode(struct os_folder *folder, unsigned int mode)
{
	(void)folder;
	(void)mode;
	return true;
}

/* --- what is in it --- */

bool os_inspect_in(struct os_folder *folder, const char *name, struct os_info *info)
{
	return os_inspect_wide(os_wide_path_in(folder, name), false, info);
}

int os_open_in(struct os_folder *folder, const char *name, enum os_access access)
{
	return os_open_wide(os_wide_path_in(folder, name), access);
}

bool os_make_folder_in(struct os_folder *folder, const char *name)
{
	return os_make_folder_wide(os_wide_path_in(folder, name));
}

bool os_move_in(struct os_folder *folder, const char *from, const char *to)
{
	return os_move_wide(os_wide_path_in(folder, from), os_wide_path_in(folder, to),
			    true);
}

bool os_remove_file_in(struct os_folder *folder, const char *name)
{
	return os_remove_wide(os_wide_path_in(folder, name), false);
}

bool os_remove_folder_in(struct os_folder *folder, const char *name)
{
	return os_remove_wide(os_wide_path_in(folder, name), true);
}
