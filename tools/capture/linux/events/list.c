/* list.c - the list of events, and what all kinds of names need. */
#include <stdarg.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "capture/linux/events/private.h"

#define SHOWN_COLUMNS 48

struct event_shown event_shown(struct str text)
{
	struct event_shown shown;

	text_shown(shown.text, sizeof(shown.text), text, SHOWN_COLUMNS);
	return shown;
}

enum status event_fail(struct event_scope *scope, enum status status, const char *format,
		       ...)
{
	char text[sizeof(scope->error->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error_set(scope->error, status, scope->offset, "%s", text);
}

static bool number(struct str text, unsigned int base, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		unsigned int digit = c >= '0' && c <= '9'   ? (unsigned int)(c - '0')
				     : c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10
				     : c >= 'A' && c <= 'F' ? (unsigned int)(c - 'A') + 10
							    : base;

		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return text.len > 0;
}

bool event_hex(struct str text, uint64_t *value)
{
	return number(text, 16, value);
}

bool event_number(struct str text, uint64_t *value)
{
	if (text.len > 2 && text.ptr[0] == '0' &&
	    (text.ptr[1] == 'x' || text.ptr[1] == 'X'))
		return number((struct str){ text.ptr + 2, text.len - 2 }, 16, value);
	return number(text, 10, value);
}

char *event_copy(struct str text)
{
	char *copy = malloc(text.len + 1);

	if (!copy)
		return NULL;
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	return copy;
}

char *event_join(const char *a, const char *slash, struct str b, const char *end)
{
	char *joined;

	if (asprintf(&joined, "%s%s%.*s%s", a, slash, (int)b.len, b.ptr, end) < 0)
		return NULL;
	return joined;
}

enum status event_add(struct event_scope *scope, struct str name, uint32_t type,
		      uint64_t config, struct capture_event **event)
{
	struct event_list *list = scope->list;
	struct capture_event *added;

	*event = NULL;
	if (list->count == EVENT_LIST_MAX)
		return event_fail(scope, ST_LIMIT, "more than %d events", EVENT_LIST_MAX);
	if (!ARRAY_GROW(list->events, list->room, list->count))
		return error_nomem(scope->error);
	added = &list->events[list->count];
	memset(added, 0, sizeof(*added));
	added->name = event_copy(name);
	if (!added->name)
		return error_nomem(scope->error);
	added->scale = 1;
	added->attr.size = sizeof(added->attr);
	added->attr.type = type;
	added->attr.config = config;
	list->count++;
	*event = added;
	return ST_OK;
}

void event_list_cut(struct event_list *list, size_t count)
{
	while (list->count > count) {
		struct capture_event *event = &list->events[--list->count];

		free(event->name);
		free(event->pmu);
		free(event->unit);
		free(event->cpus);
		free(event->tracepoint_system);
		free(event->tracepoint_name);
	}
}

void event_list_release(struct event_list *list)
{
	event_list_cut(list, 0);
	free(list->events);
	memset(list, 0, sizeof(*list));
}
