/* etw.c - calls the event tracing functions of advapi32; see etw.h. */
#include "capture/windows/api/etw.h"

#include <stddef.h>
#include <windows.h>

/* after windows.h */
#include <evntrace.h>
#include <wmistr.h>

#include "capture/windows/api/numbers.h"

/* --- checks against the headers of Windows --- */

#define SAME(what, ours, theirs) _Static_assert((ours) == (theirs), what)
#define SAME_PLACE(ours, theirs)                                  \
	SAME(#theirs, offsetof(struct etw_properties, ours),      \
	     offsetof(EVENT_TRACE_PROPERTIES, theirs));           \
	SAME(#theirs, sizeof(((struct etw_properties *)0)->ours), \
	     sizeof(((EVENT_TRACE_PROPERTIES *)0)->theirs))

SAME("EVENT_TRACE_PROPERTIES", sizeof(struct etw_properties),
     sizeof(EVENT_TRACE_PROPERTIES));
SAME_PLACE(buffer_size, Wnode.BufferSize);
SAME_PLACE(provider_id, Wnode.ProviderId);
SAME_PLACE(historical_context, Wnode.HistoricalContext);
SAME_PLACE(time_stamp, Wnode.TimeStamp);
SAME_PLACE(guid, Wnode.Guid);
SAME_PLACE(client_context, Wnode.ClientContext);
SAME_PLACE(flags, Wnode.Flags);
SAME_PLACE(buffer_kib, BufferSize);
SAME_PLACE(minimum_buffers, MinimumBuffers);
SAME_PLACE(maximum_buffers, MaximumBuffers);
SAME_PLACE(maximum_file_mib, MaximumFileSize);
SAME_PLACE(log_file_mode, LogFileMode);
SAME_PLACE(flush_timer, FlushTimer);
SAME_PLACE(enable_flags, EnableFlags);
SAME_PLACE(age_limit, AgeLimit);
SAME_PLACE(number_of_buffers, NumberOfBuffers);
SAME_PLACE(free_buffers, FreeBuffers);
SAME_PLACE(events_lost, EventsLost);
SAME_PLACE(buffers_written, BuffersWritten);
SAME_PLACE(log_buffers_lost, LogBuffersLost);
SAME_PLACE(real_time_buffers_lost, RealTimeBuffersLost);
SAME_PLACE(logger_thread_id, LoggerThreadId);
SAME_PLACE(log_file_name_offset, LogFileNameOffset);
SAME_PLACE(logger_name_offset, LoggerNameOffset);
SAME("CLASSIC_EVENT_ID", sizeof(struct etw_event_id), sizeof(CLASSIC_EVENT_ID));
SAME("EventGuid", offsetof(struct etw_event_id, guid),
     offsetof(CLASSIC_EVENT_ID, EventGuid));
SAME("Type", offsetof(struct etw_event_id, type), offsetof(CLASSIC_EVENT_ID, Type));
SAME("TRACE_PROFILE_INTERVAL", sizeof(struct etw_profile_interval),
     sizeof(TRACE_PROFILE_INTERVAL));
SAME("Interval", offsetof(struct etw_profile_interval, interval),
     offsetof(TRACE_PROFILE_INTERVAL, Interval));
SAME("WCHAR", sizeof(uint16_t), sizeof(WCHAR));
SAME("TRACEHANDLE", sizeof(uint64_t), sizeof(TRACEHANDLE));

SAME("WNODE_FLAG_TRACED_GUID", WIN_WNODE_FLAG_TRACED_GUID, WNODE_FLAG_TRACED_GUID);
SAME("sequential", WIN_FILE_MODE_SEQUENTIAL, EVENT_TRACE_FILE_MODE_SEQUENTIAL);
SAME("system logger", WIN_SYSTEM_LOGGER_MODE, EVENT_TRACE_SYSTEM_LOGGER_MODE);
SAME("PROCESS", WIN_FLAG_PROCESS, EVENT_TRACE_FLAG_PROCESS);
SAME("THREAD", WIN_FLAG_THREAD, EVENT_TRACE_FLAG_THREAD);
SAME("IMAGE_LOAD", WIN_FLAG_IMAGE_LOAD, EVENT_TRACE_FLAG_IMAGE_LOAD);
SAME("CSWITCH", WIN_FLAG_CSWITCH, EVENT_TRACE_FLAG_CSWITCH);
SAME("DPC", WIN_FLAG_DPC, EVENT_TRACE_FLAG_DPC);
SAME("INTERRUPT", WIN_FLAG_INTERRUPT, EVENT_TRACE_FLAG_INTERRUPT);
SAME("PROFILE", WIN_FLAG_PROFILE, EVENT_TRACE_FLAG_PROFILE);
SAME("query", WIN_CONTROL_QUERY, EVENT_TRACE_CONTROL_QUERY);
SAME("stop", WIN_CONTROL_STOP, EVENT_TRACE_CONTROL_STOP);
SAME("enable flags", WIN_TRACE_ENABLE_FLAGS, (unsigned)TraceSystemTraceEnableFlagsInfo);
SAME("sample interval", WIN_TRACE_SAMPLE_INTERVAL,
     (unsigned)TraceSampledProfileIntervalInfo);
SAME("sample sources", WIN_TRACE_SAMPLE_SOURCES, (unsigned)TraceProfileSourceConfigInfo);
SAME("source list", WIN_TRACE_SOURCE_LIST, (unsigned)TraceProfileSourceListInfo);
SAME("PMC events", WIN_TRACE_PMC_EVENTS, (unsigned)TracePmcEventListInfo);
SAME("PMC counters", WIN_TRACE_PMC_COUNTERS, (unsigned)TracePmcCounterListInfo);

SAME("ERROR_INVALID_FUNCTION", WIN_INVALID_FUNCTION, ERROR_INVALID_FUNCTION);
SAME("ERROR_ACCESS_DENIED", WIN_ACCESS_DENIED, ERROR_ACCESS_DENIED);
SAME("ERROR_NOT_ENOUGH_MEMORY", WIN_NOT_ENOUGH_MEMORY, ERROR_NOT_ENOUGH_MEMORY);
SAME("ERROR_BAD_LENGTH", WIN_BAD_LENGTH, ERROR_BAD_LENGTH);
SAME("ERROR_NOT_SUPPORTED", WIN_NOT_SUPPORTED, ERROR_NOT_SUPPORTED);
SAME("ERROR_INVALID_PARAMETER", WIN_INVALID_PARAMETER, ERROR_INVALID_PARAMETER);
SAME("ERROR_CALL_NOT_IMPLEMENTED", WIN_CALL_NOT_IMPLEMENTED, ERROR_CALL_NOT_IMPLEMENTED);
SAME("ERROR_INSUFFICIENT_BUFFER", WIN_INSUFFICIENT_BUFFER, ERROR_INSUFFICIENT_BUFFER);
SAME("ERROR_BAD_PATHNAME", WIN_BAD_PATHNAME, ERROR_BAD_PATHNAME);
SAME("ERROR_BUSY", WIN_BUSY, ERROR_BUSY);
SAME("ERROR_ALREADY_EXISTS", WIN_ALREADY_EXISTS, ERROR_ALREADY_EXISTS);
SAME("ERROR_MORE_DATA", WIN_MORE_DATA, ERROR_MORE_DATA);
SAME("ERROR_NO_SYSTEM_RESOURCES", WIN_NO_SYSTEM_RESOURCES, ERROR_NO_SYSTEM_RESOURCES);
SAME("ERROR_WMI_INSTANCE_NOT_FOUND", WIN_WMI_INSTANCE_NOT_FOUND,
     ERROR_WMI_INSTANCE_NOT_FOUND);

/* --- calls --- */

typedef ULONG(WINAPI *start_call)(PTRACEHANDLE, LPCWSTR, PEVENT_TRACE_PROPERTIES);
typedef ULONG(WINAPI *control_call)(TRACEHANDLE, LPCWSTR, PEVENT_TRACE_PROPERTIES, ULONG);
typedef ULONG(WINAPI *set_call)(TRACEHANDLE, TRACE_INFO_CLASS, PVOID, ULONG);
typedef ULONG(WINAPI *query_call)(TRACEHANDLE, TRACE_INFO_CLASS, PVOID, ULONG, PULONG);

static start_call start_trace;
static control_call control_trace;
static set_call trace_set;
static query_call trace_query;

static uint32_t start(uint64_t *session, const uint16_t *name,
		      struct etw_properties *properties)
{
	TRACEHANDLE handle = 0;
	ULONG number = start_trace(&handle, name, (void *)properties);

	*session = handle;
	return number;
}

static uint32_t control(uint64_t session, const uint16_t *name,
			struct etw_properties *properties, uint32_t code)
{
	return control_trace(session, name, (void *)properties, code);
}

static uint32_t set(uint64_t session, uint32_t kind, void *information, uint32_t size)
{
	return trace_set(session, (TRACE_INFO_CLASS)kind, information, size);
}

static uint32_t query(uint64_t session, uint32_t kind, void *information, uint32_t size,
		      uint32_t *returned)
{
	ULONG bytes = 0;
	ULONG number =
		trace_query(session, (TRACE_INFO_CLASS)kind, information, size, &bytes);

	*returned = bytes;
	return number;
}

/*
 * Looked up at run time, not linked: a program that imports a missing function does not
 * start.  Other imports have loaded advapi32 already, from the system folder.
 */
void etw_api_windows(struct etw_api *api)
{
	HMODULE advapi = GetModuleHandleW(L"advapi32.dll");

	*api = (struct etw_api){ 0 };
	if (!advapi)
		return;
	start_trace = (start_call)(void *)GetProcAddress(advapi, "StartTraceW");
	control_trace = (control_call)(void *)GetProcAddress(advapi, "ControlTraceW");
	trace_set = (set_call)(void *)GetProcAddress(advapi, "TraceSetInformation");
	trace_query = (query_call)(void *)GetProcAddress(advapi, "TraceQueryInformation");
	api->start = start_trace ? start : NULL;
	api->control = control_trace ? control : NULL;
	api->set = trace_set ? set : NULL;
	api->query = trace_query ? query : NULL;
}
