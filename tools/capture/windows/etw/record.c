/* record.c - the steps of a recording, and their cleanup; see record.h. */
#include "capture/windows/etw/record.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/command_line.h"
#include "capture/windows/etw/counters.h"
#include "capture/windows/etw/refusal.h"
#include "capture/windows/etw/samples.h"
#include "capture/windows/utf16.h"

#define COMMAND_UNITS 32767 /* the limit of CreateProcessW, its NUL included */
#define CHECK_MS 1000	    /* interval of checks that the session still runs */
#define COMMAND_MS 5000	    /* for the command to end after Ctrl-C */
#define RENAME_ATTEMPTS 20
#define RENAME_MS 100
#define EVENT_COUNTERS 7 /* three bits in the header of an event */
#define LITTLE_SPACE ((uint64_t)64 << 20)
#define COMMAND_NOT_FOUND 127
#define COMMAND_NOT_EXECUTABLE 126

struct recording {
	const struct windows_api *api;
	const struct etw_record_options *options;
	struct etw_record_result *result;
	struct error *error;

	uint64_t token; /* 0: the privilege is not enabled */
	struct win_privilege privilege;
	uint16_t path[ETW_PATH_UNITS], partial[ETW_PATH_UNITS];
	bool created; /* the partial file exists */
	struct profile_sources sources;
	struct etw_counters counters;
	struct etw_samples samples;
	struct etw_session session;
	double began;
	bool under_way;	  /* counters are on and the command runs */
	uint64_t process; /* 0: none */
	bool interrupted;
	uint16_t command[COMMAND_UNITS];
	char text[COMMAND_UNITS];
};

static enum status refused(struct recording *r, enum etw_step step, uint32_t number,
			   const char *what, const char *why)
{
	struct etw_refusal refusal = { step, number, what, why, &r->result->machine };

	return etw_report_refusal(&refusal, r->error);
}

/* --- preparation --- */

static enum status check_functions(const struct etw_api *api, struct error *error)
{
	if (api->start && api->control && api->set && api->query)
		return ST_OK;
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "this Windows has no %s: counters at context switches need "
			 "Windows 8 or later (Wine has none)",
			 !api->query	 ? "TraceQueryInformation"
			 : !api->set	 ? "TraceSetInformation"
			 : !api->control ? "ControlTraceW"
					 : "StartTraceW");
}

/* The trace is recorded under another name: a file of the final name is complete. */
static enum status prepare_output(struct recording *r)
{
	const struct system_api *system = &r->api->system;
	uint16_t name[ETW_PATH_UNITS];
	uint64_t file = 0;
	uint32_t number;

	if (!utf16_of(name, ETW_PATH_UNITS, r->options->output))
		return refused(r, ETW_OUTPUT, WIN_BAD_PATHNAME, r->options->output, NULL);
	number = system->full_path(name, r->path, ETW_PATH_UNITS - 10);
	if (number != WIN_OK)
		return refused(r, ETW_OUTPUT, number, r->options->output, NULL);
	utf16_to_utf8(r->text, sizeof(r->text) - 10, r->path, ETW_PATH_UNITS);
	strcat(r->text, ".partial");
	(void)utf16_of(r->partial, ETW_PATH_UNITS, r->text);
	number = system->create_file(r->partial, &file);
	if (number != WIN_OK)
		return refused(r, ETW_OUTPUT, number, r->options->output, NULL);
	system->close_handle(file);
	r->created = true;
	return ST_OK;
}

static uint32_t enable_privilege(struct recording *r)
{
	const struct system_api *system = &r->api->system;
	uint16_t name[32];
	uint64_t token = 0;
	uint32_t number = system->open_token(&token);

	if (number != WIN_OK)
		return number;
	(void)utf16_of(name, 32, "SeSystemProfilePrivilege");
	number = system->find_privilege(name, &r->privilege);
	r->privilege.count = 1;
	r->privilege.attributes = WIN_PRIVILEGE_ENABLED;
	if (number == WIN_OK)
		number = system->adjust_privilege(token, &r->privilege);
	if (number == WIN_OK)
		r->token = token;
	else
		system->close_handle(token);
	return number;
}

static void disable_privilege(struct recording *r)
{
	if (!r->token)
		return;
	r->privilege.attributes = 0;
	(void)r->api->system.adjust_privilege(r->token, &r->privilege);
	r->api->system.close_handle(r->token);
	r->token = 0;
}

static enum status read_sources(struct recording *r)
{
	enum status status = profile_sources_read(&r->sources, &r->api->etw, r->error);

	if (status == ST_UNSUPPORTED)
		return refused(r, ETW_LIST, r->sources.number, NULL, NULL);
	return status;
}

static enum status prepare(struct recording *r)
{
	const struct etw_record_options *o = r->options;
	enum status status = check_functions(&r->api->etw, r->error);
	uint32_t number;

	if (status != ST_OK)
		return status;
	number = enable_privilege(r);
	if (number != WIN_OK)
		return refused(r, ETW_PRIVILEGE, number, NULL, NULL);
	status = read_sources(r);
	if (status == ST_OK)
		status = etw_counters_choose(&r->counters, &r->sources, o->event_lists,
					     o->event_list_count, &r->result->machine,
					     r->error);
	if (status == ST_OK)
		status = etw_counters_limit(&r->counters, &r->api->etw,
					    &r->result->machine, r->error);
	if (status == ST_OK)
		status = etw_samples_choose(&r->samples, &r->sources, o->samples,
					    o->sample_count, r->error);
	if (status == ST_OK && r->counters.count > EVENT_COUNTERS)
		o->warn("more than 7 counters are untested: the known trace format holds "
			"7, and perftab reads no more");
	return status;
}

/* --- the session --- */

static enum status begin_samples(struct recording *r)
{
	if (etw_samples_begin(&r->samples, &r->api->etw) == ST_OK)
		return ST_OK;
	return refused(r, ETW_SAMPLES, r->samples.number, r->samples.failed, NULL);
}

static enum status arm_failed(struct recording *r, enum etw_step step)
{
	char owners[120], why[220];
	const char *reason = NULL;

	if (step == ETW_COUNTERS && r->session.number == WIN_BUSY) {
		etw_counter_owners(&r->api->etw, owners, sizeof(owners));
		text_print(why, sizeof(why),
			   "another profiler holds the counters%s; stop it and try again",
			   owners);
		reason = why;
	}
	return refused(r, step, r->session.number,
		       step == ETW_COUNTERS ? r->result->counters : NULL, reason);
}

/* Drops the last counter, if the user chose none; false: it would not help. */
static bool drop_counter(struct recording *r, enum etw_step failed)
{
	char text[200];

	if (r->counters.chosen || r->counters.count < 2 || failed != ETW_COUNTERS ||
	    (r->session.number != WIN_BUSY &&
	     r->session.number != WIN_NO_SYSTEM_RESOURCES &&
	     r->session.number != WIN_INVALID_PARAMETER))
		return false;
	r->counters.count--;
	text_print(text, sizeof(text),
		   "%s is left out: this machine cannot count it with the others now",
		   r->counters.sources[r->counters.count]->name);
	r->options->warn(text);
	return true;
}

static enum status begin_session(struct recording *r)
{
	uint32_t ids[ETW_COUNTERS_MAX], more[2] = { r->options->flags, 0 };
	enum etw_step failed = ETW_START;
	enum status status;

	etw_samples_flags(&r->samples, more);
	for (;;) {
		etw_counters_names(&r->counters, r->result->counters,
				   sizeof(r->result->counters));
		for (size_t i = 0; i < r->counters.count; i++)
			ids[i] = r->counters.sources[i]->id;
		status =
			etw_session_start(&r->session, &r->api->etw, &r->options->session,
					  &r->result->machine, r->partial, r->error);
		if (status != ST_OK ||
		    etw_session_arm(&r->session, ids, r->counters.count, more, &failed) ==
			    ST_OK)
			return status;
		/* A session accepts only one list of counters. */
		if (!drop_counter(r, failed))
			return arm_failed(r, failed);
		status = etw_session_stop(&r->session, r->error);
		if (status != ST_OK)
			return status;
	}
}

/* --- the command --- */

static enum status start_command(struct recording *r)
{
	char *const *words = r->options->command;
	uint32_t number;

	if (!words)
		return ST_OK;
	if (!command_line_join(r->text, sizeof(r->text), words) ||
	    !utf16_of(r->command, COMMAND_UNITS, r->text))
		return error_set(
			r->error, ST_LIMIT, ERROR_NO_OFFSET,
			"the command is too long: Windows accepts at most %d characters",
			COMMAND_UNITS - 1);
	number = r->api->system.start_process(r->command, &r->process);
	if (number == WIN_OK)
		return ST_OK;
	r->process = 0;
	r->result->exit_code =
		number == WIN_FILE_NOT_FOUND || number == WIN_PATH_NOT_FOUND
			? COMMAND_NOT_FOUND
			: COMMAND_NOT_EXECUTABLE;
	return refused(r, ETW_COMMAND, number, words[0], NULL);
}

/* Waits until the command ends, the time is over, or Ctrl-C. */
static enum status wait_for_end(struct recording *r)
{
	const struct system_api *system = &r->api->system;
	double end = r->began + r->options->seconds;

	for (;;) {
		double left = r->options->seconds > 0 ? end - system->seconds() : 1;

		if (left <= 0)
			return ST_OK;
		switch (system->wait(r->process, true,
				     left * 1000 < CHECK_MS ? (uint32_t)(left * 1000) + 1
							    : CHECK_MS)) {
		case WAIT_ENDED:
			r->result->command_ended = true;
			return ST_OK;
		case WAIT_INTERRUPT:
			r->interrupted = true;
			return ST_OK;
		case WAIT_REFUSED:
			return error_set(r->error, ST_IO, ERROR_NO_OFFSET,
					 "cannot wait for the end of the recording");
		case WAIT_TIME_OVER:
			break;
		}
		if (etw_session_gone(&r->session))
			return error_set(r->error, ST_IO, ERROR_NO_OFFSET,
					 "the session '%s' has ended: another program "
					 "stopped it, or Windows did (is the disk full?)",
					 r->session.name);
	}
}

/* Ctrl-C has reached the command too: it gets some time to end. */
static void end_command(struct recording *r)
{
	const struct system_api *system = &r->api->system;

	if (!r->process)
		return;
	if (!r->result->command_ended && r->interrupted)
		r->result->command_ended =
			system->wait(r->process, false, COMMAND_MS) == WAIT_ENDED;
	if (!r->result->command_ended)
		(void)system->end_process(r->process, 1);
	if (system->exit_code(r->process, &r->result->exit_code) != WIN_OK)
		r->result->exit_code = 1;
	r->result->command_ended = true;
	system->close_handle(r->process);
	r->process = 0;
}

/* --- the end --- */

static enum status rename_trace(struct recording *r)
{
	const struct system_api *system = &r->api->system;
	uint32_t number = WIN_SHARING_VIOLATION;
	char why[120];

	/* Windows or a virus scanner may keep the file open for a moment. */
	for (int i = 0; number == WIN_SHARING_VIOLATION && i < RENAME_ATTEMPTS; i++) {
		if (i)
			(void)system->wait(0, false, RENAME_MS);
		number = system->rename(r->partial, r->path);
	}
	r->result->named = number == WIN_OK;
	if (number == WIN_OK)
		return ST_OK;
	text_print(why, sizeof(why),
		   "the file cannot be replaced; the complete trace is in the file of "
		   "this name with .partial appended");
	return refused(r, ETW_OUTPUT, number, r->options->output, why);
}

static void report_losses(struct recording *r)
{
	const struct etw_properties *p = &r->session.request.properties;
	struct etw_record_result *result = r->result;
	uint64_t left = UINT64_MAX;
	char text[240];

	result->buffers = p->buffers_written;
	result->events_lost = p->events_lost;
	result->buffers_lost = p->log_buffers_lost;
	if (!result->events_lost && !result->buffers_lost)
		return;
	if (r->api->system.free_bytes(r->path, &left) != WIN_OK)
		left = UINT64_MAX;
	text_print(
		text, sizeof(text),
		"%u events and %u buffers were lost: %s; the bill lists the intervals "
		"with losses as unattributed",
		result->events_lost, result->buffers_lost,
		left < LITTLE_SPACE
			? "the disk is full; write to another disk with -o"
			: "the disk was too slow; write to another disk with -o, or allow "
			  "more memory with -m");
	r->options->warn(text);
}

/* The only place that undoes the steps. */
static enum status end_recording(struct recording *r, enum status status)
{
	enum status stopped = etw_session_stop(&r->session, r->error);

	if (r->under_way) {
		r->result->seconds = r->api->system.seconds() - r->began;
		r->result->recorded = stopped == ST_OK;
	}
	/* The trace first: after the window is closed, only some seconds remain. */
	if (r->result->recorded) {
		stopped = rename_trace(r);
		report_losses(r);
	} else if (r->created && stopped == ST_OK) {
		(void)r->api->system.remove(r->partial);
	}
	end_command(r);
	etw_samples_end(&r->samples, &r->api->etw);
	profile_sources_release(&r->sources);
	disable_privilege(r);
	return status != ST_OK ? status : stopped;
}

enum status etw_record(const struct windows_api *api,
		       const struct etw_record_options *options,
		       struct etw_record_result *result, struct error *error)
{
	static struct recording recording;
	struct recording *r = &recording;
	enum status status;

	memset(r, 0, sizeof(*r));
	memset(result, 0, sizeof(*result));
	r->api = api;
	r->options = options;
	r->result = result;
	r->error = error;
	api->system
		.catch_interrupts(); /* early: a Ctrl-C during the preparation counts */
	api->system.read_machine(&result->machine);
	status = prepare_output(r);
	if (status == ST_OK)
		status = prepare(r);
	if (status == ST_OK)
		status = begin_samples(r);
	if (status == ST_OK)
		status = begin_session(r);
	if (status == ST_OK) {
		r->began = api->system.seconds();
		status = start_command(r);
	}
	r->under_way = status == ST_OK;
	if (status == ST_OK)
		status = wait_for_end(r);
	return end_recording(r, status);
}

enum status etw_list_sources(const struct windows_api *api, struct profile_sources *list,
			     struct error *error)
{
	struct win_machine machine = { 0 };
	struct etw_refusal refusal = { .step = ETW_LIST, .machine = &machine };
	enum status status = check_functions(&api->etw, error);

	memset(list, 0, sizeof(*list));
	if (status != ST_OK)
		return status;
	status = profile_sources_read(list, &api->etw, error);
	refusal.number = list->number;
	return status == ST_UNSUPPORTED ? etw_report_refusal(&refusal, error) : status;
}
