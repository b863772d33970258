/* session.c - starts, arms, queries and stops a session; see session.h. */
#include "capture/windows/etw/session.h"

#include <string.h>

#include "base/array.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/etw/refusal.h"
#include "capture/windows/utf16.h"

#define STOP_ATTEMPTS 3

/* SystemTraceControlGuid: the NT Kernel Logger. */
static const struct win_guid kernel_guid = { 0x9e814aad,
					     0x3204,
					     0x11d2,
					     { 0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69,
					       0x39 } };
/* GUID of the private sessions of perftab. */
static const struct win_guid own_guid = { 0x6f0d7a3e,
					  0x52c4,
					  0x4b7e,
					  { 0x9a, 0x51, 0x0c, 0x3f, 0x7d, 0x2b, 0xe8,
					    0xa4 } };
/* CSwitch: type 36 of the Thread class. */
static const struct etw_event_id cswitch_id = {
	{ 0x3d6fa8d1,
	  0xfe05,
	  0x11d0,
	  { 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c } },
	36,
	{ 0 },
};

/*
 * Recording to a disk of a busy machine lost nothing with 512 to 2,048 buffers of 1 MiB
 * (rust-lang/rustc-perf#1346).  Buffers are non-paged memory, so the maximum is an eighth
 * of the memory; but each CPU needs two: it fills one while another is written.
 */
void etw_size_buffers(const struct win_machine *machine, uint32_t memory_mib,
		      uint32_t *minimum, uint32_t *maximum)
{
	uint64_t most = machine->memory_mib / 8;
	uint32_t least = machine->cpus < 2048 ? 2 * machine->cpus + 2 : 4098;

	if (memory_mib)
		most = memory_mib;
	else if (most > 2048)
		most = 2048;
	*maximum = most < least ? least : (uint32_t)most;
	*minimum = *maximum / 4 < least ? least : *maximum / 4;
}

/* --- starting --- */

/* For every call: Windows returns the names in it. */
static struct etw_properties *request_begin(struct etw_session *session)
{
	struct etw_request *request = &session->request;

	memset(&request->properties, 0, sizeof(request->properties));
	request->properties.buffer_size = sizeof(*request);
	request->properties.flags = WIN_WNODE_FLAG_TRACED_GUID;
	request->properties.logger_name_offset =
		offsetof(struct etw_request, logger_name);
	request->properties.log_file_name_offset =
		offsetof(struct etw_request, file_name);
	return &request->properties;
}

static uint32_t control(struct etw_session *session, uint32_t code)
{
	uint16_t name[ETW_PATH_UNITS];

	if (session->running)
		return session->api->control(session->handle, NULL,
					     request_begin(session), code);
	(void)utf16_of(name, ETW_PATH_UNITS, session->name);
	return session->api->control(0, name, request_begin(session), code);
}

static uint32_t start_once(struct etw_session *session,
			   const struct etw_session_options *options,
			   const struct win_machine *machine, const uint16_t *path,
			   bool kernel_logger)
{
	struct etw_properties *p = request_begin(session);
	uint16_t name[ETW_PATH_UNITS];
	uint32_t number;

	session->name = kernel_logger ? "NT Kernel Logger" : "perftab-capture";
	(void)utf16_of(name, ETW_PATH_UNITS, session->name);
	memset(session->request.logger_name, 0, sizeof(session->request.logger_name));
	memcpy(session->request.file_name, path, sizeof(session->request.file_name));
	p->guid = kernel_logger ? kernel_guid : own_guid;
	p->client_context = WIN_CLOCK_QPC;
	p->buffer_kib = ETW_BUFFER_KIB;
	etw_size_buffers(machine, options->memory_mib, &p->minimum_buffers,
			 &p->maximum_buffers);
	p->log_file_mode =
		WIN_FILE_MODE_SEQUENTIAL | (kernel_logger ? 0 : WIN_SYSTEM_LOGGER_MODE);
	p->enable_flags = WIN_FLAG_PROCESS | WIN_FLAG_THREAD | WIN_FLAG_IMAGE_LOAD;
	number = session->api->start(&session->handle, name, p);
	session->running = number == WIN_OK;
	return number;
}

static uint32_t start_kind(struct etw_session *session,
			   const struct etw_session_options *options,
			   const struct win_machine *machine, const uint16_t *path,
			   bool kernel_logger)
{
	uint32_t number = start_once(session, options, machine, path, kernel_logger);

	if (number != WIN_ALREADY_EXISTS || !options->stop_existing)
		return number;
	session->number = control(session, WIN_CONTROL_STOP);
	return start_once(session, options, machine, path, kernel_logger);
}

enum status etw_session_start(struct etw_session *session, const struct etw_api *api,
			      const struct etw_session_options *options,
			      const struct win_machine *machine, const uint16_t *path,
			      struct error *error)
{
	struct etw_refusal refusal = { .step = ETW_START, .machine = machine };

	memset(session, 0, sizeof(*session));
	session->api = api;
	refusal.number =
		start_kind(session, options, machine, path, options->kernel_logger);
	/* Private sessions are unsupported or all in use: try the NT Kernel Logger. */
	if (!options->kernel_logger && (refusal.number == WIN_INVALID_PARAMETER ||
					refusal.number == WIN_NOT_SUPPORTED ||
					refusal.number == WIN_NO_SYSTEM_RESOURCES))
		refusal.number = start_kind(session, options, machine, path, true);
	if (refusal.number == WIN_OK)
		return ST_OK;
	refusal.what = session->name;
	if (refusal.number == WIN_ALREADY_EXISTS && session->number != WIN_OK) {
		refusal.step = ETW_STOP;
		refusal.number = session->number;
	}
	return etw_report_refusal(&refusal, error);
}

enum status etw_session_arm(struct etw_session *session, const uint32_t *ids,
			    size_t count, const uint32_t *more, enum etw_step *failed)
{
	uint32_t sources[ETW_COUNTERS_MAX];
	uint32_t flags[8] = { WIN_FLAG_PROCESS | WIN_FLAG_THREAD | WIN_FLAG_IMAGE_LOAD |
				      WIN_FLAG_CSWITCH | more[0],
			      more[1] };
	struct etw_event_id event = cswitch_id;
	const struct {
		enum etw_step step;
		uint32_t kind;
		void *information;
		size_t size;
	} steps[] = {
		{ ETW_COUNTERS, WIN_TRACE_PMC_COUNTERS, sources, count * sizeof(*ids) },
		{ ETW_EVENTS, WIN_TRACE_PMC_EVENTS, &event, sizeof(event) },
		{ ETW_SWITCHES, WIN_TRACE_ENABLE_FLAGS, flags, sizeof(flags) },
	};

	memcpy(sources, ids, count * sizeof(*ids));
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		session->number =
			session->api->set(session->handle, steps[i].kind,
					  steps[i].information, (uint32_t)steps[i].size);
		*failed = steps[i].step;
		if (session->number != WIN_OK)
			return ST_UNSUPPORTED;
	}
	return ST_OK;
}

/* --- state and end --- */

bool etw_session_gone(struct etw_session *session)
{
	return control(session, WIN_CONTROL_QUERY) == WIN_WMI_INSTANCE_NOT_FOUND;
}

/* WIN_MORE_DATA: stopped, but the names did not fit. */
static bool has_stopped(uint32_t number)
{
	return number == WIN_OK || number == WIN_MORE_DATA ||
	       number == WIN_WMI_INSTANCE_NOT_FOUND;
}

enum status etw_session_stop(struct etw_session *session, struct error *error)
{
	struct etw_refusal refusal = { .step = ETW_STOP, .what = session->name };

	for (int i = 0; session->running && i < STOP_ATTEMPTS; i++) {
		refusal.number = control(session, WIN_CONTROL_STOP);
		session->running = !has_stopped(refusal.number);
	}
	return session->running ? etw_report_refusal(&refusal, error) : ST_OK;
}

bool etw_session_named(struct etw_session *session, char *to, size_t size)
{
	uint32_t number;

	memset(session->request.logger_name, 0, sizeof(session->request.logger_name));
	memset(session->request.file_name, 0, sizeof(session->request.file_name));
	number = control(session, WIN_CONTROL_QUERY);
	utf16_to_utf8(to, size, session->request.logger_name, ETW_PATH_UNITS);
	return number == WIN_OK && to[0];
}
