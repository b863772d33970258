/* owners.c - names the sessions and drivers that hold counters, for an error message. */
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/etw/session.h"
#include "capture/windows/utf16.h"

#define ANSWER_BYTES 8192
#define OWNER_TAGGED 2 /* EtwPmcOwnerTagged; 3: with the source */

struct names {
	char *to;
	size_t size, at, count;
};

static void add(struct names *names, const char *kind, const char *name)
{
	char shown[160];

	text_shown(shown, sizeof(shown), str_of(name), 40);
	if (names->count == 3 || strstr(names->to, shown))
		return;
	names->at +=
		text_print(names->to + names->at, names->size - names->at, "%s %s '%s'",
			   names->count++ ? "," : "; held by", kind, shown);
}

/* Sessions: a list of ETW_PMC_SESSION_INFO. */
static void add_sessions(const struct etw_api *api, struct names *names)
{
	uint8_t bytes[ANSWER_BYTES];
	uint32_t returned = 0, next;
	struct cursor left;

	if (api->query(0, WIN_TRACE_PMC_SESSIONS, bytes, sizeof(bytes), &returned) !=
		    WIN_OK ||
	    returned > sizeof(bytes))
		return;
	left = cursor_over(bytes, returned, 0, false);
	do {
		struct cursor entry = left;
		struct etw_session session = { .api = api, .running = true };
		char name[128];
		uint32_t sources;

		next = cursor_u32(&entry);
		session.handle = cursor_u16(&entry);
		(void)cursor_u16(&entry);
		sources = cursor_u32(&entry);
		if (!entry.overrun && sources &&
		    etw_session_named(&session, name, sizeof(name)))
			add(names, "session", name);
		cursor_skip(&left, next);
	} while (next && !left.overrun);
}

/* Drivers: their pool tags, from the first CPU. */
static void add_drivers(const struct etw_api *api, struct names *names)
{
	uint8_t bytes[ANSWER_BYTES];
	uint32_t returned = 0, count;
	struct cursor left;

	if (api->query(0, WIN_TRACE_PMC_OWNERS, bytes, sizeof(bytes), &returned) !=
		    WIN_OK ||
	    returned > sizeof(bytes))
		return;
	left = cursor_over(bytes, returned, 0, false);
	(void)cursor_u32(&left);
	count = cursor_u32(&left);
	while (count-- && cursor_left(&left) >= 12) {
		uint32_t kind = cursor_u32(&left);
		char tag[5] = { 0 };

		(void)cursor_u32(&left);
		memcpy(tag, cursor_bytes(&left, 4), 4);
		if (kind >= OWNER_TAGGED)
			add(names, "driver", tag);
	}
}

void etw_counter_owners(const struct etw_api *api, char *to, size_t size)
{
	struct names names = { to, size, 0, 0 };

	to[0] = '\0';
	add_sessions(api, &names);
	add_drivers(api, &names);
}
