/* os_windows.c - os.h for Windows. */
#include <io.h>
#include <windows.h>

/* behind windows.h: RtlGenRandom */
#include <ntsecapi.h>

#include "core/os.h"
#include "core/os_windows.h"

static HANDLE interrupt_event;

/*
 * In a thread of its own.  Of Ctrl-C and Ctrl-Break nothing is left to the system, how
 * often they come.  When the window is closed, it ends the program as soon as this
 * returns, or after some seconds: so it does not return, and the program ends itself.
 */
static BOOL WINAPI on_control(DWORD kind)
{
	SetEvent(interrupt_event);
	if (kind != CTRL_C_EVENT && kind != CTRL_BREAK_EVENT)
		Sleep(INFINITE);
	return TRUE;
}

void os_catch_interrupts(void)
{
	if (interrupt_event)
		return;
	interrupt_event = CreateEventW(NULL, TRUE, FALSE, NULL);
	if (interrupt_event)
		SetConsoleCtrlHandler(on_control, TRUE);
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
	if (os_interrupted())
		ExitProcess(0xc000013au); /* STATUS_CONTROL_C_EXIT */
}

double os_seconds(void)
{
	LARGE_INTEGER now, frequency;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&now);
	return (double)now.QuadPart / (double)frequency.QuadPart;
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
