/* perflib.c - calls the PerfLib functions of advapi32; see perflib.h. */
#include "capture/windows/api/perflib.h"

#include <string.h>
#include <windows.h>

#include "capture/perflib/source.h"

#define SAME(what, ours, theirs) _Static_assert((ours) == (theirs), what)

SAME("GUID", sizeof(struct win_guid), sizeof(GUID));
SAME("ERROR_FILE_NOT_FOUND", CODE_FILE_NOT_FOUND, ERROR_FILE_NOT_FOUND);
SAME("ERROR_ACCESS_DENIED", CODE_ACCESS_DENIED, ERROR_ACCESS_DENIED);
SAME("ERROR_NOT_ENOUGH_MEMORY", CODE_NOT_ENOUGH_MEMORY, ERROR_NOT_ENOUGH_MEMORY);
SAME("ERROR_OUTOFMEMORY", CODE_OUT_OF_MEMORY, ERROR_OUTOFMEMORY);
SAME("ERROR_READ_FAULT", CODE_READ_FAULT, ERROR_READ_FAULT);
SAME("ERROR_INVALID_PARAMETER", CODE_INVALID_PARAMETER, ERROR_INVALID_PARAMETER);
SAME("ERROR_PROC_NOT_FOUND", CODE_NO_FUNCTION, ERROR_PROC_NOT_FOUND);
SAME("ERROR_NO_MORE_ITEMS", CODE_NO_MORE_ITEMS, ERROR_NO_MORE_ITEMS);
SAME("ERROR_NOT_FOUND", CODE_NOT_FOUND, ERROR_NOT_FOUND);
SAME("ERROR_WMI_GUID_NOT_FOUND", CODE_SET_NOT_FOUND, ERROR_WMI_GUID_NOT_FOUND);
SAME("ERROR_WMI_INSTANCE_NOT_FOUND", CODE_INSTANCE_NOT_FOUND,
     ERROR_WMI_INSTANCE_NOT_FOUND);
SAME("ERROR_WMI_ITEMID_NOT_FOUND", CODE_COUNTER_NOT_FOUND, ERROR_WMI_ITEMID_NOT_FOUND);

/*
 * mingw-w64's perflib.h declares only the functions for providers, so those for consumers
 * are declared here as documented.  The LPCWSTR is a machine; NULL: this one.
 */
static struct {
	ULONG(WINAPI *enumerate)(LPCWSTR, struct win_guid *, DWORD, DWORD *);
	ULONG(WINAPI *instances)
	(LPCWSTR, const struct win_guid *, void *, DWORD, DWORD *);
	ULONG(WINAPI *registration)
	(LPCWSTR, const struct win_guid *, DWORD, DWORD, void *, DWORD, DWORD *);
	ULONG(WINAPI *open)(LPCWSTR, HANDLE *);
	ULONG(WINAPI *add)(HANDLE, void *, DWORD);
	ULONG(WINAPI *query_info)(HANDLE, void *, DWORD, DWORD *);
	ULONG(WINAPI *query_data)(HANDLE, void *, DWORD, DWORD *);
	ULONG(WINAPI *close)(HANDLE);
} calls;

static HANDLE handle_of(uint64_t number)
{
	return (HANDLE)(uintptr_t)number;
}

static uint32_t enumerate(struct win_guid *sets, uint32_t room, uint32_t *count)
{
	DWORD got = 0;
	ULONG code = calls.enumerate(NULL, sets, room, &got);

	*count = got;
	return code;
}

static uint32_t instances(const struct win_guid *set, void *bytes, uint32_t room,
			  uint32_t *size)
{
	DWORD got = 0;
	ULONG code = calls.instances(NULL, set, bytes, room, &got);

	*size = got;
	return code;
}

static uint32_t registration(const struct win_guid *set, uint32_t request,
			     uint32_t argument, void *bytes, uint32_t room,
			     uint32_t *size)
{
	DWORD got = 0;
	ULONG code = calls.registration(NULL, set, request, argument, bytes, room, &got);

	*size = got;
	return code;
}

static uint32_t open_query(uint64_t *query)
{
	HANDLE handle = NULL;
	ULONG code = calls.open(NULL, &handle);

	*query = (uintptr_t)handle;
	return code;
}

static uint32_t add(uint64_t query, void *identifiers, uint32_t size)
{
	return calls.add(handle_of(query), identifiers, size);
}

static uint32_t query_info(uint64_t query, void *bytes, uint32_t room, uint32_t *size)
{
	DWORD got = 0;
	ULONG code = calls.query_info(handle_of(query), bytes, room, &got);

	*size = got;
	return code;
}

static uint32_t query_data(uint64_t query, void *bytes, uint32_t room, uint32_t *size)
{
	DWORD got = 0;
	ULONG code = calls.query_data(handle_of(query), bytes, room, &got);

	*size = got;
	return code;
}

static uint32_t close_query(uint64_t query)
{
	return calls.close(handle_of(query));
}

/* Looked up at run time, not linked, in the DLL of the system folder only. */
void perflib_api_windows(struct perflib_api *api)
{
	HMODULE advapi =
		LoadLibraryExW(L"advapi32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);

	*api = (struct perflib_api){ 0 };
	if (!advapi)
		return;
#define FIND(member, name)                                          \
	{                                                           \
		void *found = (void *)GetProcAddress(advapi, name); \
		memcpy(&calls.member, &found, sizeof(found));       \
	}
	PERFLIB_FUNCTIONS(FIND)
#undef FIND
	api->enumerate = calls.enumerate ? enumerate : NULL;
	api->instances = calls.instances ? instances : NULL;
	api->registration = calls.registration ? registration : NULL;
	api->open = calls.open ? open_query : NULL;
	api->add = calls.add ? add : NULL;
	api->query_info = calls.query_info ? query_info : NULL;
	api->query_data = calls.query_data ? query_data : NULL;
	api->close = calls.close ? close_query : NULL;
}
