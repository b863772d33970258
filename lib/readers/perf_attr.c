/* perf_attr.c - perf_event_attr, the ids of events, their names and roles. */
#include <stdlib.h>

#include "core/text.h"
#include "readers/perf.h"

/*
 * The head of perf_event_attr that matters, in order: type u32, size u32, config u64,
 * period u64, sample_type u64, read_format u64, flags u64, wakeup u32, bp_type u32,
 * config1 u64 (64 bytes so far, the oldest), config2 u64, branch_sample_type u64,
 * sample_regs_user u64, sample_stack_user u32, clockid s32.  What an older writer left
 * out reads as zero, what a newer one added is not looked at.
 */
void perf_attr_read(struct cursor *attr, struct perf_event *event)
{
	struct cursor c = *attr;

	event->type = cursor_u32(&c);
	cursor_skip(&c, 4); /* size: told by the file header as well, see perf_file.c */
	event->config = cursor_u64(&c);
	event->period = cursor_u64(&c);
	event->sample_type = cursor_u64(&c);
	event->read_format = cursor_u64(&c);
	event->flags = cursor_u64(&c);
	cursor_skip(&c, 4 + 4 + 8 + 8 + 8 + 8 + 4);
	event->clockid = (int32_t)cursor_u32(&c);
}

bool perf_event_add_id(struct perf *perf, struct perf_event *event, uint64_t id)
{
	struct perf_stream *stream;

	if (++perf->ids > PERF_IDS_MAX)
		return false;
	stream = map_get(&perf->streams, id);
	if (stream) { /* two events with one id: the last one counts */
		stream->event = event;
		return true;
	}
	stream = arena_alloc(&perf->arena, sizeof(*stream));
	if (!stream)
		return false;
	stream->event = event;
	stream->number = -1;
	stream->task = stream->cpu = INT_NONE;
	return map_put(&perf->streams, id, stream);
}

/* --- names for events that the file does not name --- */

static const char *const hardware_names[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct str made_name(struct perf *perf, const struct perf_event *event)
{
	char name[128];
	const char *known = NULL;

	if (event->type == PERF_TYPE_HARDWARE && event->config < COUNT(hardware_names))
		known = hardware_names[event->config];
	if (event->type == PERF_TYPE_SOFTWARE && event->config < COUNT(software_names))
		known = software_names[event->config];
	if (known)
		return str_of(known);
	if (event->format)
		text_print(name, sizeof(name), "%.*s:%.*s",
			   (int)event->format->system.len, event->format->system.ptr,
			   (int)event->format->name.len, event->format->name.ptr);
	else if (event->type == PERF_TYPE_TRACEPOINT)
		text_print(name, sizeof(name), "tracepoint:%llu",
			   (unsigned long long)event->config);
	else
		text_print(name, sizeof(name), "type%u:0x%llx", event->type,
			   (unsigned long long)event->config);
	return arena_str(&perf->arena, str_of(name));
}

/* --- unique names: a repeated one gets #2, #3, ... --- */

/* SQLite compares column names without regard to the case of ASCII letters. */
static uint64_t name_hash(struct str name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		c = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
		hash = (hash ^ (uint8_t)c) * UINT64_C(0x100000001b3);
	}
	return hash;
}

/* `taken` maps the hash of every name given out to how often it was asked for. */
static struct str unique_name(struct perf *perf, struct map *taken, struct str name)
{
	unsigned int *asked = map_get(taken, name_hash(name));
	char numbered[512];

	while (asked) {
		size_t len = text_print(numbered, sizeof(numbered), "%.*s#%u",
					(int)(name.len < 480 ? name.len : 480), name.ptr,
					++*asked);

		if (!map_get(taken, name_hash((struct str){ numbered, len }))) {
			name = arena_str(&perf->arena, (struct str){ numbered, len });
			break;
		}
	}
	asked = arena_alloc(&perf->arena, sizeof(*asked));
	if (!asked || !name.ptr || !map_put(taken, name_hash(name), asked))
		return STR_NONE;
	*asked = 1;
	return name;
}

/* --- roles --- */

static bool fires_at_switches(const struct perf_event *event)
{
	if (event->type == PERF_TYPE_SOFTWARE)
		return event->config == PERF_SW_CONTEXT_SWITCHES;
	return event->type == PERF_TYPE_TRACEPOINT && event->format &&
	       str_equal(event->format->name, STR("sched_switch")) &&
	       event->format->prev_pid.size && event->format->next_pid.size &&
	       event->sample_type & PERF_RAW;
}

/* Bytes of the fixed 8-byte fields of `bits` that stand before the id. */
static int fields_before(uint64_t sample_type, uint64_t bits)
{
	int count = 0;

	for (uint64_t bit = 1; bit <= PERF_ID; bit <<= 1)
		count += (sample_type & bits & bit) != 0;
	return count * 8;
}

/* How samples and other records name their event, when all events agree on it. */
static void find_id_places(struct perf *perf)
{
	uint64_t all = ~UINT64_C(0);
	int in_sample = -1, in_trailer = -1;

	perf->same_sample_type = true;
	for (size_t i = 0; i < perf->event_count; i++) {
		all &= perf->events[i].sample_type;
		perf->same_sample_type &=
			perf->events[i].sample_type == perf->events[0].sample_type;
	}
	if (all & PERF_IDENTIFIER) {
		in_sample = 0;
		in_trailer = 8;
	} else if (all & PERF_ID) {
		uint64_t type = perf->events[0].sample_type;

		in_sample =
			fields_before(type, PERF_IP | PERF_TID | PERF_TIME | PERF_ADDR);
		in_trailer = 8 + ((type & PERF_STREAM_ID) ? 8 : 0) +
			     ((type & PERF_CPU) ? 8 : 0);
	}
	perf->id_in_sample = in_sample;
	perf->id_in_trailer = in_trailer;
}

enum status perf_events_settle(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct map taken = { NULL, 0, 0 };

	for (size_t i = 0; i < perf->event_count; i++) {
		struct perf_event *event = &perf->events[i];

		event->named = event->name.ptr != NULL;
		if (!event->named) {
			event->name = made_name(perf, event);
			finding_add(&reader->findings, FINDING_NAMELESS, ERROR_NO_OFFSET,
				    1);
		}
		if (event->name.ptr)
			event->counter_name = unique_name(perf, &taken, event->name);
		if (!event->counter_name.ptr) {
			map_release(&taken);
			return error_nomem(&reader->error);
		}
		event->is_switch = fires_at_switches(event);
		perf_sample_layout(event);
		if (event->is_switch &&
		    (event->period != 1 || event->flags & PERF_FLAG_FREQ))
			finding_add(&reader->findings, FINDING_LEADER_PERIOD,
				    ERROR_NO_OFFSET, 1);
	}
	map_release(&taken);
	find_id_places(perf);
	return ST_OK;
}
