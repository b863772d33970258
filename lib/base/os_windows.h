/*
 * os_windows.h - functions of os_windows*.c beyond os.h.
 */
#ifndef PERFTAB_OS_WINDOWS_H
#define PERFTAB_OS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "base/os.h"

/* A HANDLE to wait for, set by the first interrupt; NULL before os_catch_interrupts(). */
void *os_interrupt_event(void);

/* Switches the console to UTF-8, and back. */
void os_begin_console(void);
void os_end_console(void);

/* Returns text in UTF-16 as UTF-8, to be freed; NULL: out of memory. */
char *os_utf8_of(const wchar_t *wide);
/*
 * Returns a path for functions of Windows, of any length, to be freed; that of a file in
 * `folder` unless it is NULL.  NULL: failed, with errno set.
 */
wchar_t *os_wide_path(const char *path);
wchar_t *os_wide_path_in(const struct os_folder *folder, const char *name);
/* Sets errno from GetLastError(); returns false. */
bool os_set_errno(void);

/* Set errno as their counterparts in os.h.  They free the path, which may be NULL. */
int os_open_wide(wchar_t *wide, enum os_access access);
bool os_inspect_wide(wchar_t *wide, bool follow, struct os_info *info);
bool os_move_wide(wchar_t *from, wchar_t *to, bool replace);
bool os_remove_wide(wchar_t *wide, bool is_folder);
bool os_make_folder_wide(wchar_t *wide);

#endif
