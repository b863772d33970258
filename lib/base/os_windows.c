/* os_windows.c - the system functions of os.h and os_windows.h, on Windows. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

/* after windows.h: RtlGenRandom */
#include <ntsecapi.h>

#include "base/os.h"
#include "base/os_windows.h"

static HANDLE interrupt_event, main_thread;
static UINT code_page; /* the console's; 0: there is none */

/*
 * Runs in a thread of its own and handles every Ctrl-C and Ctrl-Break.  When the window
 * is closed, Windows ends the program as soon as this returns, or after some seconds.  So
 * it does not return then, and the program ends itself.
 */
static BOOL WINAPI on_control(DWORD kind)
{
	SetEvent(interrupt_event);
	if (main_thread) /* which may wait for a pipe */
		CancelSynchronousIo(main_thread);
	if (kind != CTRL_C_EVENT && kind != CTRL_BREAK_EVENT)
		Sleep(INFINITE);
	return TRUE;
}

void os_catch_interrupts(void)
{
	if (interrupt_event)
		return;
	interrupt_event = CreateEventW(NULL, TRUE, FALSE, NULL);
	if (!interrupt_event)
		return;
	if (!DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
			     &main_thread, 0, FALSE, DUPLICATE_SAME_ACCESS))
		main_thread = NULL;
	SetConsoleCtrlHandler(on_control, TRUE);
}

void os_release_interrupts(void)
{
	if (!interrupt_event)
		return;
	SetConsoleCtrlHandler(on_control, FALSE);
	CloseHandle(interrupt_event);
	interrupt_event = NULL;
}

void os_end_at_interrupts(const char *text)
{
	(void)text;
}

void os_remove_at_interrupts(const char *path)
{
	(void)path;
}

void os_hold_interrupts(void)
{
}

void os_resume_interrupts(void)
{
}

void *os_interrupt_event(void)
{
	return interrupt_event;
}

bool os_interrupted(void)
{
	return interrupt_event &&
	       WaitForSingleObject(interrupt_event, 0) == WAIT_OBJECT_0;
}

void os_die_of_interrupt(void)
{
	if (!os_interrupted())
		return;
	fflush(NULL);
	os_end_console();
	ExitProcess(0xc000013au); /* STATUS_CONTROL_C_EXIT */
}

void os_begin_console(void)
{
	HANDLE screen = GetStdHandle(STD_OUTPUT_HANDLE);
	DWORD mode;

	code_page = GetConsoleOutputCP();
	SetConsoleOutputCP(CP_UTF8);
	/* For the sequence that clears the screen. */
	if (GetConsoleMode(screen, &mode))
		SetConsoleMode(screen, mode | 4 /* ..._VIRTUAL_TERMINAL_PROCESSING */);
}

void os_end_console(void)
{
	if (code_page)
		SetConsoleOutputCP(code_page);
}

/* Windows has no such signal: writing just fails. */
void os_ignore_closed_pipes(void)
{
}

/* The C library has no errno for it and sets EINVAL. */
bool os_is_closed_pipe(FILE *file, int number)
{
	HANDLE handle = (HANDLE)_get_osfhandle(_fileno(file));

	return number == EPIPE ||
	       (number == EINVAL && GetFileType(handle) == FILE_TYPE_PIPE);
}

bool os_is_unread(int fd)
{
	(void)fd;
	return false;
}

void os_fill_standard(void)
{
}

double os_seconds(void)
{
	LARGE_INTEGER now, frequency;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&now);
	return (double)now.QuadPart / (double)frequency.QuadPart;
}

void os_sleep_until(double seconds)
{
	double left = seconds - os_seconds();
	DWORD ms = left <= 0 ? 0 : left < 1e6 ? (DWORD)(left * 1000) + 1 : 1000000000;

	if (interrupt_event)
		WaitForSingleObject(interrupt_event, ms);
	else
		Sleep(ms);
}

int64_t os_wall_100ns(void)
{
	FILETIME now;

	GetSystemTimePreciseAsFileTime(&now);
	return (int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime);
}

int32_t os_minutes_west(void)
{
	TIME_ZONE_INFORMATION zone = { 0 };

	switch (GetTimeZoneInformation(&zone)) {
	case TIME_ZONE_ID_STANDARD:
		return zone.Bias + zone.StandardBias;
	case TIME_ZONE_ID_DAYLIGHT:
		return zone.Bias + zone.DaylightBias;
	case TIME_ZONE_ID_UNKNOWN: /* no daylight time */
		return zone.Bias;
	default:
		return 0;
	}
}

/* --- the file of a recording --- */

/* Folders have no such handles; NUL and the like are of another type. */
static bool is_plain_file(const WCHAR *wide)
{
	HANDLE file = CreateFileW(wide, 0,
				  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
				  NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
	bool is_plain =
		file != INVALID_HANDLE_VALUE && GetFileType(file) == FILE_TYPE_DISK;

	if (file != INVALID_HANDLE_VALUE)
		CloseHandle(file);
	return is_plain;
}

/* "<name>.old", to be freed; NULL: out of memory. */
static WCHAR *old_name(const WCHAR *wide)
{
	size_t units = wcslen(wide);
	WCHAR *old = malloc((units + 5) * sizeof(*old));

	if (old) {
		memcpy(old, wide, units * sizeof(*old));
		memcpy(old + units, L".old", 5 * sizeof(*old));
	}
	return old;
}

static bool move_away(const WCHAR *wide)
{
	WCHAR *old = old_name(wide);
	bool moved = old && MoveFileExW(wide, old, MOVEFILE_REPLACE_EXISTING);

	free(old);
	return moved;
}

int os_open_output(const char *path, const char **why)
{
	WCHAR *wide = os_wide_path(path);
	int fd = -1;

	if (!wide) {
		*why = "not a valid file name";
		return -1;
	}
	if (is_plain_file(wide) && !move_away(wide))
		*why = "cannot be renamed to .old";
	else
		fd = _wopen(wide, _O_WRONLY | _O_CREAT | _O_TRUNC | _O_BINARY,
			    _S_IREAD | _S_IWRITE);
	if (fd < 0 && !*why)
		*why = strerror(errno);
	free(wide);
	return fd;
}

uint64_t os_random(void)
{
	uint64_t bits = 0;

	if (!RtlGenRandom(&bits, sizeof(bits)))
		bits = (uint64_t)(os_seconds() * 1e9);
	return bits;
}

bool os_is_terminal(int fd)
{
	return _isatty(fd) != 0;
}

void os_terminal_size(int fd, int *columns, int *lines)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	*columns = *lines = 0;
	if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info))
		return;
	*columns = info.srWindow.Right - info.srWindow.Left + 1;
	*lines = info.srWindow.Bottom - info.srWindow.Top + 1;
}

/* --- memory, CPUs, signals of threads --- */

/* What _aligned_malloc() returns is not for free(). */
void *os_alloc_aligned(size_t alignment, size_t size)
{
	(void)alignment;
	return malloc(size ? size : 1);
}

void os_prefer_large_pages(void *memory, size_t size)
{
	(void)memory;
	(void)size;
}

void os_drop_pages(void *memory, size_t size)
{
	(void)memory;
	(void)size;
}

void os_use_large_pages(void)
{
}

void os_trim_heap(void)
{
}

void *os_alloc_large(size_t size)
{
	return calloc(1, size);
}

void os_free_large(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

size_t os_cpu_count(void)
{
	DWORD_PTR ours = 0, all = 0;

	if (GetActiveProcessorGroupCount() > 1)
		return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
	GetProcessAffinityMask(GetCurrentProcess(), &ours, &all);
	return (size_t)__builtin_popcountll(ours);
}

void os_block_signals(struct os_signals *before)
{
	(void)before;
}

void os_restore_signals(const struct os_signals *before)
{
	(void)before;
}

void os_use_c_locale(void)
{
	_configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
	(void)setlocale(LC_ALL, "C");
}
