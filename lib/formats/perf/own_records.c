/*
 * own_records.c - records that perftab-capture adds: command lines, and the control group
 * that is followed; see layout.h.
 */
#include <string.h>

#include "base/text.h"
#include "formats/perf/records.h"

/* The words, each with its NUL, as one line: quoted where a shell needs it. */
static struct str join_words(struct perf_scratch *scratch, const char *words, size_t left)
{
	char *text = scratch->command;
	size_t at = 0, room = sizeof(scratch->command);

	while (left > 0 && at < room) {
		size_t length = strnlen(words, left);
		bool quote = length == 0 || memchr(words, ' ', length);

		at += text_print(text + at, room - at, "%s%s%.*s%s", at ? " " : "",
				 quote ? "'" : "", (int)length, words, quote ? "'" : "");
		length += length < left; /* the NUL */
		words += length;
		left -= length;
	}
	return (struct str){ text, at };
}

static bool decode_command(struct perf *perf, struct cursor *c, struct record *out)
{
	struct task_command_event *event = &perf->scratch.event.command;
	const uint8_t *words;
	uint32_t bytes;

	event->pid = (int32_t)cursor_u32(c);
	bytes = cursor_u32(c);
	event->ts_ns = (int64_t)cursor_u64(c);
	if (c->overrun || bytes > cursor_left(c) || bytes > PERF_COMMAND_BYTES_MAX)
		return false;
	words = cursor_bytes(c, bytes);
	event->command = join_words(&perf->scratch, (const char *)words, bytes);
	out->kind = RECORD_TASK_COMMAND;
	return true;
}

static bool decode_cgroup(struct perf *perf, struct cursor *c)
{
	uint32_t bytes = cursor_u32(c);

	cursor_skip(c, 4);
	if (c->overrun || bytes > cursor_left(c) || bytes > PERF_COMMAND_BYTES_MAX)
		return false;
	perf->catalog.scope.follows_cgroup = true;
	perf_emit_fact(&perf->rows, "CGROUP", cursor_padded_str(c, bytes));
	return true;
}

bool perf_decode_own(struct perf *perf, struct cursor *c, struct record *out,
		     bool *is_own)
{
	struct cursor body = *c;
	uint64_t mark = cursor_u64(&body);

	*is_own = mark == PERF_OWN_COMMAND || mark == PERF_OWN_CGROUP;
	if (!*is_own)
		return true;
	*c = body;
	return mark == PERF_OWN_COMMAND ? decode_command(perf, c, out)
					: decode_cgroup(perf, c);
}
