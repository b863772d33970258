/* etw.c - the mock of the event tracing functions. */
#include "mock.h"

#include <stdio.h>
#include <string.h>

#include "capture/windows/api/numbers.h"
#include "capture/windows/utf16.h"

/* --- sessions --- */

static struct mock_session *find(uint64_t handle, const char *name)
{
	struct mock_session *sessions = mock.sessions;

	if (mock.now_ms >= mock.gone_ms)
		return NULL;
	for (size_t i = 0; i < MOCK_SESSIONS; i++)
		if (sessions[i].handle && (handle ? sessions[i].handle == handle
						  : strcmp(sessions[i].name, name) == 0))
			return &sessions[i];
	return NULL;
}

/* Checks the offsets of the names and the flags. */
static bool good_properties(const struct etw_properties *p)
{
	return p->buffer_size > sizeof(*p) && p->logger_name_offset >= sizeof(*p) &&
	       p->logger_name_offset < p->buffer_size &&
	       p->log_file_name_offset >= sizeof(*p) &&
	       p->log_file_name_offset < p->buffer_size &&
	       p->flags == WIN_WNODE_FLAG_TRACED_GUID;
}

static void text_at(char *to, size_t size, const struct etw_properties *p,
		    uint32_t offset)
{
	const void *text = (const uint8_t *)p + offset;

	mock_text(to, size, text);
}

static uint32_t begin_session(uint64_t *handle, const char *name, const char *file)
{
	struct mock_session *sessions = mock.sessions;

	if (mock.privileges == 0)
		return WIN_PRIVILEGE_NOT_HELD;
	if (find(0, name))
		return WIN_ALREADY_EXISTS;
	if (!mock_has_file(file))
		return mock_fault("the session's file was not tried before");
	for (size_t i = 0; i < MOCK_SESSIONS; i++)
		if (!sessions[i].handle) {
			snprintf(sessions[i].name, MOCK_NAME, "%s", name);
			sessions[i].handle = *handle = 0x1000 + i;
			sessions[i].ours = true;
			return WIN_OK;
		}
	return WIN_NO_SYSTEM_RESOURCES;
}

static uint32_t start(uint64_t *session, const uint16_t *name,
		      struct etw_properties *properties)
{
	static struct etw_properties last;
	uint32_t number = mock_enter("StartTraceW");
	char text[MOCK_NAME], file[MOCK_NAME] = "";

	mock_text(text, sizeof(text), name);
	if (!good_properties(properties))
		number = mock_fault("EVENT_TRACE_PROPERTIES");
	else
		text_at(file, sizeof(file), properties, properties->log_file_name_offset);
	if (number == WIN_OK)
		number = begin_session(session, text, file);
	mock_log("StartTraceW \"%s\" to \"%s\" = %u", text, file, number);
	if (number == WIN_OK)
		mock_log(", session 0x%llx", (unsigned long long)*session);
	mock_log("\n");
	mock_log_properties(properties, &last);
	return number;
}

static uint32_t control(uint64_t handle, const uint16_t *name,
			struct etw_properties *properties, uint32_t code)
{
	static struct etw_properties last;
	const char *what = code == WIN_CONTROL_STOP ? "STOP" : "QUERY";
	uint32_t number = mock_enter("ControlTraceW");
	struct mock_session *session;
	char text[MOCK_NAME];

	mock_text(text, sizeof(text), name);
	if (!good_properties(properties))
		number = mock_fault("EVENT_TRACE_PROPERTIES");
	session = find(handle, text);
	if (number == WIN_OK && !session)
		number = WIN_WMI_INSTANCE_NOT_FOUND;
	mock_log("ControlTraceW 0x%llx \"%s\" %s = %u\n", (unsigned long long)handle,
		 text, what, number);
	mock_log_properties(properties, &last);
	if (number != WIN_OK)
		return number;
	(void)utf16_of((void *)((uint8_t *)properties + properties->logger_name_offset),
		       MOCK_NAME, session->name);
	if (code == WIN_CONTROL_STOP) {
		properties->events_lost = mock.events_lost;
		properties->log_buffers_lost = mock.buffers_lost;
		properties->buffers_written = 12;
		session->handle = 0;
	}
	return WIN_OK;
}

/* --- TraceSetInformation --- */

static uint32_t set_counters(struct mock_session *session, uint32_t size)
{
	if (size == 0 || size % 4)
		return mock_fault("size of the list of counters");
	if (session->has_counters)
		return mock_fault("a second list of counters");
	session->has_counters = true;
	return WIN_OK;
}

static uint32_t set_events(struct mock_session *session, uint32_t size)
{
	if (size == 0 || size % sizeof(struct etw_event_id))
		return mock_fault("size of the list of events");
	if (!session->has_counters)
		return mock_fault("events before counters");
	session->has_events = true;
	return WIN_OK;
}

/* The intervals of the machine; they must be as before at the end. */
#define INTERVAL_BEFORE 65536

static uint32_t set_interval(const struct etw_profile_interval *set, uint32_t size)
{
	if (size != sizeof(*set) || set->source >= 32 || set->interval < 1221)
		return mock_fault("TRACE_PROFILE_INTERVAL");
	mock.intervals[set->source] =
		set->interval == INTERVAL_BEFORE ? 0 : set->interval;
	return WIN_OK;
}

static uint32_t set_sources(uint32_t size)
{
	if (size == 0 || size % 4)
		return mock_fault("size of the list of sampled sources");
	mock.sampled = true;
	return WIN_OK;
}

static uint32_t set_flags(const struct mock_session *session, const uint32_t *flags,
			  uint32_t size)
{
	if (size != 32)
		return mock_fault("size of the flags");
	if (flags[1] & WIN_GROUP1_PMC_PROFILE && !mock.sampled)
		return mock_fault("samples of no source");
	return session->has_events ? WIN_OK : mock_fault("switches before counters");
}

static uint32_t set(uint64_t handle, uint32_t kind, void *information, uint32_t size)
{
	uint32_t number = mock_enter("TraceSetInformation");
	struct mock_session *session = find(handle, "");

	/* Intervals and sources are of the machine, not of a session. */
	if (number == WIN_OK && handle == 0)
		number = mock.privileges == 0 ? WIN_PRIVILEGE_NOT_HELD
			 : kind == WIN_TRACE_SAMPLE_INTERVAL
				 ? set_interval(information, size)
			 : kind == WIN_TRACE_SAMPLE_SOURCES
				 ? set_sources(size)
				 : mock_fault("class of information");
	else if (number == WIN_OK && !session)
		number = mock_fault("no such session");
	else if (number == WIN_OK)
		number = kind == WIN_TRACE_PMC_COUNTERS ? set_counters(session, size)
			 : kind == WIN_TRACE_PMC_EVENTS ? set_events(session, size)
			 : kind == WIN_TRACE_ENABLE_FLAGS
				 ? set_flags(session, information, size)
				 : mock_fault("class of information");
	mock_log("TraceSetInformation 0x%llx class %u, %u bytes = %u:",
		 (unsigned long long)handle, kind, size, number);
	if (kind == WIN_TRACE_PMC_EVENTS && size == sizeof(struct etw_event_id))
		mock_log_event(information);
	else
		mock_log_numbers(information, size);
	mock_log("\n");
	return number;
}

/* --- TraceQueryInformation --- */

static uint32_t fill(void *to, uint32_t room, const void *bytes, size_t size,
		     uint32_t *returned)
{
	*returned = (uint32_t)size;
	if (room < size)
		return WIN_INSUFFICIENT_BUFFER;
	memcpy(to, bytes, size);
	return WIN_OK;
}

/* The list, or a fault that the script demands. */
static uint32_t query_list(void *to, uint32_t room, uint32_t *returned)
{
	static uint8_t bytes[1 << 20];
	const char *how = mock.list;
	size_t size = mock_source_list(bytes, sizeof(bytes));
	unsigned asked = ++mock.lists;

	*returned = 0;
	if (strcmp(how, "endless") == 0)
		return WIN_INSUFFICIENT_BUFFER;
	if (strcmp(how, "short") == 0 && asked == 1) {
		*returned = 100; /* less than there was room for */
		return WIN_BAD_LENGTH;
	}
	if (strcmp(how, "growing") == 0 && asked < 4) {
		*returned = room + 5000;
		return WIN_MORE_DATA;
	}
	if (strcmp(how, "lying") == 0) {
		(void)fill(to, room, bytes, size, returned);
		*returned = room + 1;
		return WIN_OK;
	}
	return fill(to, room, bytes, size, returned);
}

/* ETW_PMC_SESSION_INFO of the first session, and ETW_PMC_COUNTER_OWNERSHIP_STATUS. */
static uint32_t query_held(uint32_t kind, void *to, uint32_t room, uint32_t *returned)
{
	static const uint32_t sessions[] = { 0, 0x21, 2, 1, 19, 6, 0x0524 };
	static const uint32_t owners[] = { 0, 3, 0, 0, 0, 1, 0, 0, 3, 6, 0x54445653 };

	*returned = 0;
	if (!mock.held)
		return WIN_NOT_SUPPORTED;
	return kind == WIN_TRACE_PMC_SESSIONS
		       ? fill(to, room, sessions, sizeof(sessions), returned)
		       : fill(to, room, owners, sizeof(owners), returned);
}

static uint32_t query_interval(struct etw_profile_interval *interval, uint32_t room,
			       uint32_t *returned)
{
	struct etw_profile_interval answer = *interval;

	if (answer.source >= 32)
		return mock_fault("the source of an interval");
	answer.interval = mock.intervals[answer.source] ? mock.intervals[answer.source]
							: INTERVAL_BEFORE;
	return fill(interval, room, &answer, sizeof(answer), returned);
}

static uint32_t query(uint64_t handle, uint32_t kind, void *information, uint32_t size,
		      uint32_t *returned)
{
	uint32_t number = mock_enter("TraceQueryInformation");

	*returned = 0;
	if (number == WIN_OK && kind == WIN_TRACE_SOURCE_LIST)
		number = query_list(information, size, returned);
	else if (number == WIN_OK && kind == WIN_TRACE_MAX_PMC_COUNTERS)
		number = mock.limit ? fill(information, size, &mock.limit, 4, returned)
				    : WIN_INVALID_PARAMETER;
	else if (number == WIN_OK && kind == WIN_TRACE_SAMPLE_INTERVAL)
		number = query_interval(information, size, returned);
	else if (number == WIN_OK)
		number = query_held(kind, information, size, returned);
	mock_log(
		"TraceQueryInformation 0x%llx class %u, room for %u bytes = %u, %u bytes\n",
		(unsigned long long)handle, kind, size, number, *returned);
	return number;
}

void mock_etw(struct etw_api *api)
{
	api->start = mock_is_missing("StartTraceW") ? NULL : start;
	api->control = mock_is_missing("ControlTraceW") ? NULL : control;
	api->set = mock_is_missing("TraceSetInformation") ? NULL : set;
	api->query = mock_is_missing("TraceQueryInformation") ? NULL : query;
}

void mock_api(struct windows_api *api)
{
	mock_etw(&api->etw);
	mock_perflib(&api->perflib);
	mock_system(&api->system);
}
