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

/* UTF-8 for text in UTF-16, to be freed; NULL: out of memory. */
char *os_utf8_of(const wchar_t *wide);
/*
 * A path for functions of Windows, to be freed: relative to a folder unless it is NULL,
 * and of any length.  NULL with errno set.
 */
wchar_t *os_wide_path(const char *path);
wchar_t *os_wide_path_in(const struct os_folder *folder, const char *name);
/* Sets errno from GetLastError(); returns false. */
bool os_set_errno(void);

/* Each with the errors of the function of os.h; `wide` is freed, and may be NULL. */
int os_open_wide(wchar_t *wide, enum os_access access);
bool os_inspect_wide(wchar_t *wide, bool follow, struct os_info *info);
bool os_move_wide(wchar_t *from, wchar_t *to, bool replace);
bool os_remove_wide(wchar_t *wide, bool is_folder);
bool os_make_folder_wide(wchar_t *wide);

#endif
