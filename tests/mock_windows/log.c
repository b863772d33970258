/*
 * log.c - the call log: each call with every byte of its structures, by field.
 *
 * EVENT_TRACE_PROPERTIES are logged as the fields that differ from those of the last call
 * of the same function (zeros before the first).  Other structures are logged whole.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/text.h"
#include "capture/perflib/source.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/utf16.h"
#include "mock.h"

void mock_log(const char *format, ...)
{
	va_list args;

	if (mock.quiet)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

uint32_t mock_fault(const char *what)
{
	mock.faults++;
	printf("FAULT: %s\n", what);
	return WIN_INVALID_PARAMETER;
}

void mock_text(char *to, size_t size, const uint16_t *text)
{
	if (text)
		utf16_to_utf8(to, size, text, size);
	else
		snprintf(to, size, "(none)");
}

/* --- values --- */

static void log_bytes(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		mock_log(" %02x", bytes[i]);
}

static void log_guid(const uint8_t *guid)
{
	char text[TEXT_GUID_BYTES];

	text_guid(text, guid);
	mock_log(" %s", text);
}

static void log_number(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = size; i-- > 0;)
		value = value << 8 | bytes[i];
	mock_log(value < 65536 ? " %" PRIu64 : " 0x%" PRIx64, value);
}

void mock_log_numbers(const void *numbers, size_t size)
{
	const uint8_t *at = numbers;

	for (; size >= 4; size -= 4, at += 4)
		log_number(at, 4);
	log_bytes(at, size);
}

/* --- EVENT_TRACE_PROPERTIES --- */

static const struct {
	const char *name;
	size_t size;
} fields[] = {
	/* in order, without gaps */
	{ "buffer_size", 4 },
	{ "provider_id", 4 },
	{ "historical_context", 8 },
	{ "time_stamp", 8 },
	{ "guid", 16 },
	{ "client_context", 4 },
	{ "flags", 4 },
	{ "buffer_kib", 4 },
	{ "minimum_buffers", 4 },
	{ "maximum_buffers", 4 },
	{ "maximum_file_mib", 4 },
	{ "log_file_mode", 4 },
	{ "flush_timer", 4 },
	{ "enable_flags", 4 },
	{ "age_limit", 4 },
	{ "number_of_buffers", 4 },
	{ "free_buffers", 4 },
	{ "events_lost", 4 },
	{ "buffers_written", 4 },
	{ "log_buffers_lost", 4 },
	{ "real_time_buffers_lost", 4 },
	{ "logger_thread_id", 8 },
	{ "log_file_name_offset", 4 },
	{ "logger_name_offset", 4 },
};

void mock_log_properties(const struct etw_properties *properties,
			 struct etw_properties *last)
{
	const uint8_t *now = (const void *)properties;
	const uint8_t *before = (const void *)last;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t size = fields[i].size;

		if (memcmp(now + at, before + at, size) != 0) {
			mock_log("  %s", fields[i].name);
			if (size == 16)
				log_guid(now + at);
			else
				log_number(now + at, size);
			mock_log("\n");
		}
		at += size;
	}
	assert(at == sizeof(*properties));
	*last = *properties;
}

void mock_log_event(const struct etw_event_id *event)
{
	log_guid((const void *)&event->guid);
	mock_log(" type %u", event->type);
	for (size_t i = 0; i < sizeof(event->reserved); i++)
		if (event->reserved[i])
			mock_log(" reserved[%zu] %u", i, event->reserved[i]);
}

/* --- PERF_COUNTER_IDENTIFIER --- */

/* As text if the text has all of the bytes, else as bytes. */
static void log_name(const uint8_t *bytes, size_t size)
{
	uint16_t units[1024] = { 0 }, back[1024] = { 0 };
	char text[4096];

	memcpy(units, bytes, size < sizeof(units) ? size : sizeof(units));
	utf16_to_utf8(text, sizeof(text), units, 1024);
	if (size <= sizeof(units) && utf16_of(back, 1024, text) &&
	    memcmp(units, back, sizeof(units)) == 0)
		mock_log(" \"%s\"", text);
	else
		log_bytes(bytes, size);
}

void mock_log_identifiers(const uint8_t *identifiers, uint32_t size)
{
	static const char *const names[] = { "status",	 "size",  "counter",
					     "instance", "index", "reserved" };
	uint32_t at = 0, length;

	for (; size - at >= SOURCE_IDENTIFIER_BYTES; at += length) {
		const uint8_t *identifier = identifiers + at;

		length = le_u32(identifier + 20);
		if (length < SOURCE_IDENTIFIER_BYTES || length > size - at)
			break;
		mock_log(" ");
		log_guid(identifier);
		for (size_t i = 0; i < 6; i++) {
			mock_log(" %s", names[i]);
			log_number(identifier + 16 + 4 * i, 4);
		}
		if (length > SOURCE_IDENTIFIER_BYTES)
			log_name(identifier + SOURCE_IDENTIFIER_BYTES,
				 length - SOURCE_IDENTIFIER_BYTES);
		mock_log("\n");
	}
	if (at < size) {
		mock_log(" ");
		log_bytes(identifiers + at, size - at);
		mock_log("\n");
	}
}
