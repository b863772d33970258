/*
 * events/pfm_library.c - libpfm's functions, of a shared library that is loaded when the
 * first of them is asked for.
 *
 * Its tables have 41,000 relocations: 6 ms of each start, also of programs that never
 * ask.  A static build has linked it.
 */
#include "capture/linux/events/parts.h"

#ifdef PERFTAB_PFM_SHARED

#include <dlfcn.h>

void *event_pfm_function(const char *name)
{
	static void *library;

	if (!library)
		library = dlopen(PERFTAB_PFM_NAME, RTLD_NOW | RTLD_LOCAL);
	return library ? dlsym(library, name) : NULL;
}

#elif defined(PERFTAB_HAVE_PFM)

#include <perfmon/pfmlib_perf_event.h>

void *event_pfm_function(const char *name)
{
#define ENTRY(function)                                \
	{                                              \
#function, (void *)(uintptr_t)function \
	}
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		ENTRY(pfm_initialize),
		ENTRY(pfm_strerror),
		ENTRY(pfm_get_os_event_encoding),
		ENTRY(pfm_get_event_next),
		ENTRY(pfm_get_event_info),
		ENTRY(pfm_get_pmu_info),
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].function;
	return NULL;
}

#endif
