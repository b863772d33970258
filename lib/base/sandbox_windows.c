/* sandbox_windows.c - sandbox.h for Windows, which has none that a process can enter. */
#include <stdio.h>

#include "base/sandbox.h"

void sandbox_begin(struct sandbox *sandbox)
{
	*sandbox = (struct sandbox){ .rules = -1 };
}

void sandbox_allow_read(struct sandbox *sandbox, const char *path)
{
	(void)sandbox;
	(void)path;
}

void sandbox_allow_write(struct sandbox *sandbox, const char *folder)
{
	(void)sandbox;
	(void)folder;
}

bool sandbox_enter(struct sandbox *sandbox, char *missing, size_t size)
{
	(void)sandbox;
	snprintf(missing, size, "no sandbox: this system has none for a running process");
	return false;
}
