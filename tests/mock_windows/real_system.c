/*
 * real_system.c - mocks of tracing and PerfLib for perftab-capture.exe and --live of
 * perftab-analyze.exe, with the files, processes and waiting of the system they run on.
 * For Wine, which has no counters.
 */
#include <stddef.h>
#include <string.h>
#include <windows.h>

#include "capture/windows/api/numbers.h"
#include "capture/windows/capture.h"

static bool runs;

static uint32_t write_trace(const WCHAR *path)
{
	HANDLE file = CreateFileW(path, GENERIC_WRITE, FILE_SHARE_READ, NULL,
				  CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
	DWORD written;

	if (file == INVALID_HANDLE_VALUE)
		return GetLastError();
	WriteFile(file, "trace\n", 6, &written, NULL);
	CloseHandle(file);
	return WIN_OK;
}

/* Like Windows: replaces the file.  PERFTAB_TRACE is a trace to copy. */
static uint32_t start(uint64_t *session, const uint16_t *name,
		      struct etw_properties *properties)
{
	const void *path = (uint8_t *)properties + properties->log_file_name_offset;
	WCHAR given[MAX_PATH] = L"";
	uint32_t number;

	(void)name;
	if (GetEnvironmentVariableW(L"PERFTAB_TRACE", given, MAX_PATH))
		number = CopyFileW(given, path, FALSE) ? WIN_OK : GetLastError();
	else
		number = write_trace(path);
	if (number != WIN_OK)
		return number;
	*session = 1;
	runs = true;
	return WIN_OK;
}

static uint32_t control(uint64_t session, const uint16_t *name,
			struct etw_properties *properties, uint32_t code)
{
	(void)session;
	(void)name;
	(void)properties;
	if (!runs)
		return WIN_WMI_INSTANCE_NOT_FOUND;
	runs = code != WIN_CONTROL_STOP;
	return WIN_OK;
}

static uint32_t set(uint64_t session, uint32_t kind, void *information, uint32_t size)
{
	(void)session;
	(void)kind;
	(void)information;
	(void)size;
	return WIN_OK;
}

static uint32_t query(uint64_t session, uint32_t kind, void *information, uint32_t size,
		      uint32_t *returned)
{
	static const WCHAR name[] = L"TotalCycles";
	uint8_t list[24 + sizeof(name)] = { [4] = 19 };

	(void)session;
	if (kind != WIN_TRACE_SOURCE_LIST || size < sizeof(list))
		return WIN_INVALID_PARAMETER;
	memcpy(list + 24, name, sizeof(name));
	memcpy(information, list, sizeof(list));
	*returned = sizeof(list);
	return WIN_OK;
}

void etw_api_windows(struct etw_api *api)
{
	*api = (struct etw_api){ start, control, set, query };
}

/* --- a PerfLib that accepts any counter and has no values --- */

static uint32_t open_query(uint64_t *query)
{
	*query = 1;
	return WIN_OK;
}

static uint32_t add(uint64_t query, void *identifiers, uint32_t size)
{
	(void)query;
	(void)identifiers;
	(void)size;
	return WIN_OK;
}

/* PERF_DATA_HEADER */
static uint32_t query_data(uint64_t query, void *bytes, uint32_t room, uint32_t *size)
{
	struct {
		uint32_t total, blocks;
		LARGE_INTEGER ticks;
		FILETIME wall;
		LARGE_INTEGER frequency;
		SYSTEMTIME calendar;
	} header = { .total = sizeof(header) };

	(void)query;
	*size = sizeof(header);
	if (room < sizeof(header))
		return WIN_NOT_ENOUGH_MEMORY;
	QueryPerformanceCounter(&header.ticks);
	QueryPerformanceFrequency(&header.frequency);
	GetSystemTimeAsFileTime(&header.wall);
	FileTimeToSystemTime(&header.wall, &header.calendar);
	memcpy(bytes, &header, sizeof(header));
	return WIN_OK;
}

static uint32_t close_query(uint64_t query)
{
	(void)query;
	return WIN_OK;
}

void perflib_api_windows(struct perflib_api *api)
{
	*api = (struct perflib_api){ .open = open_query,
				     .add = add,
				     .query_data = query_data,
				     .close = close_query };
}
