/*
 * breakpoint.c - parses the names of breakpoints: mem:ADDRESS[/LENGTH][:rwx][:modifiers].
 */
#include <linux/hw_breakpoint.h>

#include "capture/linux/events/private.h"

#define LENGTH_MAX 8 /* HW_BREAKPOINT_LEN_8 */

/*
 * The text before the first `c`; *text is moved past it, and is empty without one.
 */
static struct str next_part(struct str *text, char c)
{
	const char *at = text->len ? memchr(text->ptr, c, text->len) : NULL;
	struct str part = { text->ptr, at ? (size_t)(at - text->ptr) : text->len };
	size_t used = part.len + (at != NULL);

	text->ptr += used;
	text->len -= used;
	return part;
}

/* "rw": each letter once; 0: it is something else. */
static uint32_t access_of(struct str letters)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < letters.len; i++) {
		uint32_t kind = letters.ptr[i] == 'r'	? HW_BREAKPOINT_R
				: letters.ptr[i] == 'w' ? HW_BREAKPOINT_W
				: letters.ptr[i] == 'x' ? HW_BREAKPOINT_X
							: 0;

		if (!kind || kinds & kind)
			return 0;
		kinds |= kind;
	}
	return kinds;
}

static enum status parse_place(struct event_scope *scope, struct str place,
			       uint64_t *address, uint64_t *length)
{
	bool has_length = memchr(place.ptr, '/', place.len) != NULL;
	struct str number = next_part(&place, '/');

	if (!event_number(number, address))
		return event_fail(scope, ST_CORRUPT,
				  "breakpoint address '%s' is not a number",
				  event_shown(number).text);
	*length = 0;
	if (has_length &&
	    (!event_number(place, length) || *length < 1 || *length > LENGTH_MAX))
		return event_fail(scope, ST_CORRUPT,
				  "breakpoint length '%s' is not one of 1 to %d",
				  event_shown(place).text, LENGTH_MAX);
	return ST_OK;
}

enum status event_add_breakpoint(struct event_scope *scope, struct str text)
{
	struct str rest = { text.ptr + 4, text.len - 4 }; /* after "mem:" */
	struct str place = next_part(&rest, ':'), modifiers = rest;
	struct str name = { text.ptr, (size_t)(place.ptr + place.len - text.ptr) };
	struct str letters = next_part(&modifiers, ':');
	uint32_t kinds = access_of(letters);
	struct capture_event *event;
	uint64_t address, length;
	enum status status = parse_place(scope, place, &address, &length);

	if (status != ST_OK)
		return status;
	if (kinds)
		name.len = (size_t)(letters.ptr + letters.len - text.ptr);
	else
		modifiers = rest;
	if (modifiers.len && !event_are_modifiers(modifiers))
		return event_fail(scope, ST_CORRUPT,
				  "'%s' after a breakpoint is neither r, w, x nor a "
				  "modifier",
				  event_shown(modifiers).text);
	status = event_add(scope, name, PERF_TYPE_BREAKPOINT, 0, &event);
	if (status != ST_OK)
		return status;
	event->attr.bp_type = kinds ? kinds : HW_BREAKPOINT_RW;
	event->attr.bp_addr = address;
	if (!length) /* as perf does; the kernel accepts no other length for code */
		length = kinds == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event->attr.bp_len = length;
	return modifiers.len ? event_modify(scope, event, modifiers) : ST_OK;
}
