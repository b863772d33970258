/*
 * pfm_library.c - functions of libpfm, which is loaded when one is asked for.
 *
 * Its tables have 41,000 relocations: 6 ms of each start, also of programs that never
 * ask.
 */
#include "capture/linux/events/private.h"

#include <dlfcn.h>

void *event_pfm_function(const char *name)
{
	static void *library;

	if (!library)
		library = dlopen(PERFTAB_PFM_NAME, RTLD_NOW | RTLD_LOCAL);
	return library ? dlsym(library, name) : NULL;
}
