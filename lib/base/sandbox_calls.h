/*
 * sandbox_calls.h - the system calls that the sandbox allows.
 */
#ifndef PERFTAB_SANDBOX_CALLS_H
#define PERFTAB_SANDBOX_CALLS_H

/* Installs the filter; returns 0, or errno if the kernel cannot. */
int sandbox_restrict_calls(void);

#endif
