/*
 * os_windows.h - functions of os_windows.c beyond os.h, for our Windows programs.
 */
#ifndef PERFTAB_OS_WINDOWS_H
#define PERFTAB_OS_WINDOWS_H

/* A HANDLE to wait for, set by the first interrupt; NULL before os_catch_interrupts(). */
void *os_interrupt_event(void);

#endif
