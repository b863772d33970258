/*
 * sandbox_calls.h - the system calls that are left in the sandbox.
 */
#ifndef PERFTAB_SANDBOX_CALLS_H
#define PERFTAB_SANDBOX_CALLS_H

/* Installs the filter; 0, or errno of what the kernel lacks. */
int sandbox_restrict_calls(void);

#endif
