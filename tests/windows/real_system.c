/*
 * real_system.c - perftab-capture.exe with tracing played, and everything else that of
 * the system it runs on: files, processes, waiting.  For Wine, which has no counters.
 */
#include <stddef.h>
#include <string.h>
#include <windows.h>

#include "capture_windows.h"
#include "windows_numbers.h"

static bool runs;

/* As Windows does: over the file that is named. */
static uint32_t start(uint64_t *session, const uint16_t *name,
		      struct etw_properties *properties)
{
	const void *path = (uint8_t *)properties + properties->log_file_name_offset;
	HANDLE file = CreateFileW(path, GENERIC_WRITE, FILE_SHARE_READ, NULL,
				  CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
	DWORD written;

	(void)name;
	if (file == INVALID_HANDLE_VALUE)
		return GetLastError();
	WriteFile(file, "trace\n", 6, &written, NULL);
	CloseHandle(file);
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
