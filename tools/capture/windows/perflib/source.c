/* source.c - calls PerfLib of Windows, and logs the calls; see source.h. */
#include "capture/windows/perflib/source.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

#define OUR_QUERY 1 /* number of the query in the bundle */
#define FACT_BYTES 64

struct perflib_source {
	struct perflib_source_options options;
	struct win_machine machine;
	uint64_t query;
	bool is_open;
	char fact[FACT_BYTES];
};

/* --- the log --- */

/* Flushed before the call: if it does not return, it is the last line of the log. */
static void log_call(const struct perflib_source *perflib, const char *format, ...)
	PRINTF_LIKE(2, 3);

static void log_call(const struct perflib_source *perflib, const char *format, ...)
{
	va_list args;

	if (!perflib->options.log)
		return;
	va_start(args, format);
	vfprintf(perflib->options.log, format, args);
	va_end(args);
	fflush(perflib->options.log);
}

static uint32_t log_result(const struct perflib_source *perflib, uint32_t code,
			   const struct source_buffer *buffer)
{
	if (buffer)
		log_call(perflib, " of %u = %u, %u bytes\n", buffer->room, code,
			 buffer->size);
	else
		log_call(perflib, " = %u\n", code);
	return code;
}

static const char *guid_text(char to[TEXT_GUID_BYTES], const uint8_t *guid)
{
	text_guid(to, guid);
	return to;
}

/* --- calls --- */

/* An aligned copy. */
static struct win_guid guid_of(const uint8_t *bytes)
{
	struct win_guid guid;

	memcpy(&guid, bytes, sizeof(guid));
	return guid;
}

static uint32_t enumerate(void *state, struct source_buffer *buffer)
{
	struct perflib_source *perflib = state;
	uint32_t count = 0, code = CODE_NO_FUNCTION;

	log_call(perflib, "PerfEnumerateCounterSet");
	if (perflib->options.api->enumerate)
		code = perflib->options.api->enumerate(
			(void *)buffer->bytes, buffer->room / PLB_GUID_BYTES, &count);
	buffer->size =
		count < UINT32_MAX / PLB_GUID_BYTES ? count * PLB_GUID_BYTES : UINT32_MAX;
	return log_result(perflib, code, buffer);
}

static uint32_t registration(void *state, const uint8_t *bytes, uint32_t request,
			     uint32_t argument, struct source_buffer *buffer)
{
	struct perflib_source *perflib = state;
	struct win_guid guid = guid_of(bytes);
	uint32_t code = CODE_NO_FUNCTION;
	char text[TEXT_GUID_BYTES];

	log_call(perflib, "PerfQueryCounterSetRegistrationInfo %s %u %u",
		 guid_text(text, bytes), request, argument);
	if (perflib->options.api->registration)
		code = perflib->options.api->registration(&guid, request, argument,
							  buffer->bytes, buffer->room,
							  &buffer->size);
	return log_result(perflib, code, buffer);
}

static uint32_t instances(void *state, const uint8_t *bytes, struct source_buffer *buffer)
{
	struct perflib_source *perflib = state;
	struct win_guid guid = guid_of(bytes);
	uint32_t code = CODE_NO_FUNCTION;
	char text[TEXT_GUID_BYTES];

	log_call(perflib, "PerfEnumerateCounterSetInstances %s", guid_text(text, bytes));
	if (perflib->options.api->instances)
		code = perflib->options.api->instances(&guid, buffer->bytes, buffer->room,
						       &buffer->size);
	return log_result(perflib, code, buffer);
}

static uint32_t open_query(void *state, uint32_t *query)
{
	struct perflib_source *perflib = state;
	uint32_t code = CODE_NO_FUNCTION;

	log_call(perflib, "PerfOpenQueryHandle");
	if (perflib->options.api->open)
		code = perflib->options.api->open(&perflib->query);
	perflib->is_open = code == CODE_DONE;
	*query = OUR_QUERY;
	return log_result(perflib, code, NULL);
}

static uint32_t add(void *state, uint32_t query, uint8_t *identifiers, uint32_t size)
{
	struct perflib_source *perflib = state;
	uint32_t code = CODE_NO_FUNCTION;

	(void)query;
	log_call(perflib, "PerfAddCounters, %u bytes", size);
	if (perflib->options.api->add)
		code = perflib->options.api->add(perflib->query, identifiers, size);
	return log_result(perflib, code, NULL);
}

static uint32_t query_info(void *state, uint32_t query, struct source_buffer *buffer)
{
	struct perflib_source *perflib = state;
	uint32_t code = CODE_NO_FUNCTION;

	(void)query;
	log_call(perflib, "PerfQueryCounterInfo");
	if (perflib->options.api->query_info)
		code = perflib->options.api->query_info(perflib->query, buffer->bytes,
							buffer->room, &buffer->size);
	return log_result(perflib, code, buffer);
}

static uint32_t query_data(void *state, uint32_t query, struct source_buffer *buffer)
{
	struct perflib_source *perflib = state;
	uint32_t code = CODE_NO_FUNCTION;

	(void)query;
	log_call(perflib, "PerfQueryCounterData");
	if (perflib->options.api->query_data)
		code = perflib->options.api->query_data(perflib->query, buffer->bytes,
							buffer->room, &buffer->size);
	return log_result(perflib, code, buffer);
}

static uint32_t close_query(void *state, uint32_t query)
{
	struct perflib_source *perflib = state;
	uint32_t code = CODE_NO_FUNCTION;

	(void)query;
	if (!perflib->is_open)
		return CODE_DONE;
	log_call(perflib, "PerfCloseQueryHandle");
	if (perflib->options.api->close)
		code = perflib->options.api->close(perflib->query);
	perflib->is_open = false;
	return log_result(perflib, code, NULL);
}

/* --- clock and facts --- */

static int64_t ticks(void *state)
{
	const struct perflib_source *perflib = state;

	return perflib->options.system->ticks();
}

static void read_clock(void *state, struct plb_clock *clock)
{
	const struct system_api *system =
		((struct perflib_source *)state)->options.system;

	clock->ticks_per_second = system->ticks_per_second();
	clock->minutes_west = system->minutes_west();
	clock->ticks_before = system->ticks();
	clock->wall_100ns = system->wall_100ns();
	clock->ticks_after = system->ticks();
}

/* By index of the keys below; "": unknown. */
static void make_fact(struct perflib_source *perflib, size_t which)
{
	const struct win_machine *machine = &perflib->machine;
	char *to = perflib->fact;

	to[0] = '\0';
	if (which == 0)
		text_print(to, FACT_BYTES, "perflib");
	else if (which == 1 && !perflib->options.anonymous)
		text_print(to, FACT_BYTES, "%s", machine->host);
	else if (which == 2 && machine->build)
		text_print(to, FACT_BYTES, "Windows %u.%u.%u", machine->major,
			   machine->minor, machine->build);
	else if (which == 3)
		text_print(to, FACT_BYTES, "x86_64");
	else if (which == 4)
		text_print(to, FACT_BYTES, "%s", machine->processor);
	else if (which == 5 && machine->cpus)
		text_print(to, FACT_BYTES, "%u", machine->cpus);
}

static bool fact(void *state, size_t number, const char **key, const char **value)
{
	static const char *const keys[] = { "SOURCE", "HOSTNAME", "OSRELEASE",
					    "ARCH",   "CPUDESC",  "NRCPUS online" };
	struct perflib_source *perflib = state;

	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		make_fact(perflib, i);
		if (!perflib->fact[0] || number-- > 0)
			continue;
		*key = keys[i];
		*value = perflib->fact;
		return true;
	}
	return false;
}

static void release(void *state)
{
	(void)close_query(state, OUR_QUERY);
	free(state);
}

static const struct source_ops perflib_ops = {
	.name = "perflib",
	.is_recorded = false,
	.enumerate = enumerate,
	.registration = registration,
	.instances = instances,
	.open = open_query,
	.add = add,
	.query_info = query_info,
	.query_data = query_data,
	.close = close_query,
	.clock = read_clock,
	.ticks = ticks,
	.fact = fact,
	.release = release,
};

enum status perflib_source_open(struct source *source,
				const struct perflib_source_options *options,
				struct error *error)
{
	struct perflib_source *perflib = calloc(1, sizeof(*perflib));

	if (!perflib)
		return error_nomem(error);
	perflib->options = *options;
	options->system->read_machine(&perflib->machine);
	*source = (struct source){ &perflib_ops, perflib };
	return ST_OK;
}
