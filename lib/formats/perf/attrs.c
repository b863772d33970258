/* attrs.c - perf_event_attr, the ids of events, their names and roles. */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"

/*
 * The head of perf_event_attr that matters, in order: type u32, size u32, config u64,
 * period u64, sample_type u64, read_format u64, flags u64, wakeup u32, bp_type u32,
 * config1 u64 (64 bytes so far, the oldest), config2 u64, branch_sample_type u64,
 * sample_regs_user u64, sample_stack_user u32, clockid s32, sample_regs_intr u64.  Fields
 * that an older writer left out read as zero; newer fields are ignored.
 */
#define ATTR_BYTES 104
#define ATTR_BYTES_OLDEST 64

size_t perf_attr_size(struct cursor attr, size_t room)
{
	size_t size;

	cursor_skip(&attr, 4);
	size = cursor_u32(&attr);
	if (size == 0)
		size = ATTR_BYTES_OLDEST;
	return size < room ? size : room;
}

/*
 * The flags are C bit-fields: a big-endian compiler puts the first one into the highest
 * bit.  The two bits of precise_ip keep their order.
 */
#define PRECISE_IP_SHIFT 15

static uint64_t first_bit_lowest(uint64_t flags)
{
	uint64_t turned = 0, precise;

	for (int i = 0; i < 64; i++)
		turned |= (flags >> i & 1) << (63 - i);
	precise = turned >> PRECISE_IP_SHIFT & 3;
	turned &= ~(UINT64_C(3) << PRECISE_IP_SHIFT);
	return turned | (precise >> 1 | (precise & 1) << 1) << PRECISE_IP_SHIFT;
}

static void decode_attr(struct cursor *attr, struct perf_event *event)
{
	uint8_t whole[ATTR_BYTES] = { 0 };
	size_t have = cursor_left(attr) < ATTR_BYTES ? cursor_left(attr) : ATTR_BYTES;
	struct cursor c;

	if (have)
		memcpy(whole, attr->pos, have);
	c = cursor_over(whole, ATTR_BYTES, attr->offset, attr->big_endian);
	event->type = cursor_u32(&c);
	cursor_skip(&c, 4); /* size */
	event->config = cursor_u64(&c);
	event->period = cursor_u64(&c);
	event->sample_type = cursor_u64(&c);
	event->read_format = cursor_u64(&c);
	event->flags = cursor_u64(&c);
	if (attr->big_endian)
		event->flags = first_bit_lowest(event->flags);
	cursor_skip(&c, 4 + 4 + 8 + 8);
	event->branch_sample_type = cursor_u64(&c);
	event->regs_user = cursor_u64(&c);
	cursor_skip(&c, 4);
	event->clockid = (int32_t)cursor_u32(&c);
	event->regs_intr = cursor_u64(&c);
}

struct perf_event *perf_add_event(struct perf_catalog *catalog, struct cursor *attr)
{
	struct perf_event *event;

	if (catalog->event_count == PERF_EVENTS_MAX)
		return NULL;
	if (!ARRAY_GROW(catalog->events, catalog->event_room, catalog->event_count))
		return NULL;
	event = arena_alloc(&catalog->arena, sizeof(*event));
	if (!event)
		return NULL;
	decode_attr(attr, event);
	event->number = catalog->event_count;
	catalog->events[catalog->event_count++] = event;
	return event;
}

bool perf_add_id(struct perf_catalog *catalog, struct perf_event *event, uint64_t id)
{
	struct perf_stream *stream;

	if (++catalog->ids > PERF_IDS_MAX)
		return false;
	stream = map_get(&catalog->streams, id);
	if (stream && stream->event == event)
		return true;
	if (stream) { /* two events with one id: the last one counts from here on */
		*stream = (struct perf_stream){ .event = event,
						.next = stream->next,
						.number = -1,
						.task = stream->task,
						.cpu = stream->cpu };
		return true;
	}
	stream = arena_alloc(&catalog->arena, sizeof(*stream));
	if (!stream)
		return false;
	stream->event = event;
	stream->number = -1;
	stream->task = stream->cpu = INT_NONE;
	*(event->streams ? &event->last_stream->next : &event->streams) = stream;
	event->last_stream = stream;
	event->id_count++;
	return map_put(&catalog->streams, id, stream);
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

static const char *const cache_names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					   "iTLB",	"branch",    "node" };
static const char *const cache_operations[] = { "load", "store", "prefetch" };

/* PERF_TYPE_HW_CACHE: cache | operation << 8 | result << 16, as perf list has it. */
static bool cache_name(uint64_t config, char *name, size_t size)
{
	uint64_t cache = config & 0xff, operation = config >> 8 & 0xff,
		 result = config >> 16 & 0xff;

	if (cache >= ARRAY_COUNT(cache_names) ||
	    operation >= ARRAY_COUNT(cache_operations) || result > 1 ||
	    config >> 24 & 0xff)
		return false;
	text_print(name, size, "%s-%s%s", cache_names[cache], cache_operations[operation],
		   result	    ? "-misses"
		   : operation == 2 ? "es"
				    : "s");
	return true;
}

/* attr flag bits, from bit 0 */
enum {
	FLAG_EXCLUDE_USER = 4,
	FLAG_EXCLUDE_KERNEL = 5,
	FLAG_EXCLUDE_HV = 6,
	FLAG_PRECISE = 15, /* two bits */
	FLAG_EXCLUDE_HOST = 19,
	FLAG_EXCLUDE_GUEST = 20,
};

/*
 * The letters after a name, as perf makes them up: the modes that are counted where
 * others are excluded, then precision, then host and guest where that is not the default.
 */
static void add_modifiers(const struct perf_event *event, char *name, size_t size)
{
	static const struct {
		int excluded;
		char letter;
	} modes[] = { { FLAG_EXCLUDE_KERNEL, 'k' },
		      { FLAG_EXCLUDE_USER, 'u' },
		      { FLAG_EXCLUDE_HV, 'h' },
		      { FLAG_EXCLUDE_HOST, 'H' },
		      { FLAG_EXCLUDE_GUEST, 'G' } };
	uint64_t flags = event->flags;
	bool some_excluded = (flags >> FLAG_EXCLUDE_USER & 7) != 0;
	bool guest_excluded = flags >> FLAG_EXCLUDE_GUEST & 1;
	bool show_host =
		flags >> FLAG_EXCLUDE_HOST & 1 || guest_excluded == some_excluded;
	size_t begin = strlen(name), at = begin;

	if (begin + 12 > size)
		return;
	name[at++] = ':';
	for (size_t i = 0; i < 3 && some_excluded; i++)
		if (!(flags >> modes[i].excluded & 1))
			name[at++] = modes[i].letter;
	for (uint64_t p = flags >> FLAG_PRECISE & 3; p; p--)
		name[at++] = 'p';
	for (size_t i = 3; i < 5 && show_host; i++)
		if (!(flags >> modes[i].excluded & 1))
			name[at++] = modes[i].letter;
	name[at == begin + 1 ? begin : at] = '\0';
}

/*
 * Hybrid CPUs have one core PMU for each kind of core; the upper half of the config names
 * it.
 */
#define HYBRID_PMU_SHIFT 32

static struct str pmu_name(const struct perf_catalog *catalog, uint64_t type)
{
	return str_of(map_get(&catalog->pmus, type));
}

/* "cpu_core/cycles/"; the plain name where there is only one core PMU. */
static void add_pmu(const struct perf_catalog *catalog, const struct perf_event *event,
		    char *name, size_t size)
{
	struct str pmu = pmu_name(catalog, event->config >> HYBRID_PMU_SHIFT);
	char plain[64];

	if (event->config >> HYBRID_PMU_SHIFT == 0 || !pmu.ptr)
		return;
	text_print(plain, sizeof(plain), "%s", name);
	text_print(name, size, "%.*s/%s/", (int)(pmu.len < 48 ? pmu.len : 48), pmu.ptr,
		   plain);
}

/* The name that perf list has for it; false: none. */
static bool known_name(const struct perf_catalog *catalog, const struct perf_event *event,
		       char *name, size_t size)
{
	uint64_t config = event->config & UINT32_MAX;
	const char *known = NULL;

	if (event->type == PERF_TYPE_HARDWARE && config < ARRAY_COUNT(hardware_names))
		known = hardware_names[config];
	if (event->type == PERF_TYPE_SOFTWARE &&
	    event->config < ARRAY_COUNT(software_names))
		known = software_names[event->config];
	if (known)
		text_print(name, size, "%s", known);
	else if (event->type != PERF_TYPE_HW_CACHE || !cache_name(config, name, size))
		return false;
	if (event->type != PERF_TYPE_SOFTWARE)
		add_pmu(catalog, event, name, size);
	add_modifiers(event, name, size);
	return true;
}

static struct str made_name(struct perf_catalog *catalog, const struct perf_event *event)
{
	struct str pmu = pmu_name(catalog, event->type);
	char name[160];

	if (known_name(catalog, event, name, sizeof(name)))
		return arena_str(&catalog->arena, str_of(name));
	if (event->format) {
		text_print(name, sizeof(name), "%.*s:%.*s",
			   (int)event->format->system.len, event->format->system.ptr,
			   (int)event->format->name.len, event->format->name.ptr);
	} else if (event->type == PERF_TYPE_TRACEPOINT) {
		text_print(name, sizeof(name), "tracepoint:%llu",
			   (unsigned long long)event->config);
	} else if (event->type == PERF_TYPE_RAW) {
		text_print(name, sizeof(name), "raw 0x%llx",
			   (unsigned long long)event->config);
		add_modifiers(event, name, sizeof(name));
	} else if (pmu.ptr) {
		text_print(name, sizeof(name), "%.*s/config=0x%llx/",
			   (int)(pmu.len < 48 ? pmu.len : 48), pmu.ptr,
			   (unsigned long long)event->config);
	} else {
		text_print(name, sizeof(name), "type%u:0x%llx", event->type,
			   (unsigned long long)event->config);
	}
	return arena_str(&catalog->arena, str_of(name));
}

/* --- unique names: a repeated one gets #2, #3, ... --- */

/* SQLite compares column names without regard to the case of ASCII letters. */
static uint64_t name_hash(struct str name)
{
	uint64_t hash = map_salt();

	for (size_t i = 0; i < name.len; i++) {
		char c = ascii_lower(name.ptr[i]);

		hash = map_hash_text(hash, (struct str){ &c, 1 });
	}
	return hash;
}

/*
 * Returns the number of counters with this name, by its hash in names_taken; NULL or 0:
 * it is unused.
 */
static unsigned int *find_taken(const struct perf_catalog *catalog, struct str name)
{
	return map_get(&catalog->names_taken, name_hash(name));
}

static bool is_taken(const struct perf_catalog *catalog, struct str name)
{
	const unsigned int *asked = find_taken(catalog, name);

	return asked && *asked;
}

static struct str unique_name(struct perf_catalog *catalog, struct str name)
{
	unsigned int *asked = find_taken(catalog, name);
	char text[512];
	struct str numbered = { text, 0 };

	if (is_taken(catalog, name)) {
		do
			numbered.len = text_print(text, sizeof(text), "%.*s#%u",
						  (int)(name.len < 480 ? name.len : 480),
						  name.ptr, ++*asked);
		while (is_taken(catalog, numbered));
		name = arena_str(&catalog->arena, numbered);
		asked = name.ptr ? find_taken(catalog, name) : NULL;
	}
	if (!asked && name.ptr) {
		asked = arena_alloc(&catalog->arena, sizeof(*asked));
		if (asked && !map_put(&catalog->names_taken, name_hash(name), asked))
			asked = NULL;
	}
	if (!asked)
		return STR_NONE;
	*asked = 1;
	return name;
}

static void release_name(struct perf_catalog *catalog, struct str name)
{
	unsigned int *asked = find_taken(catalog, name);

	if (asked)
		*asked = 0;
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

void perf_rename_event(struct perf_catalog *catalog, struct perf_event *event,
		       struct str name)
{
	if (event->emitted || name.len == 0)
		return;
	if (name.len > PERF_NAME_BYTES_MAX)
		name.len = PERF_NAME_BYTES_MAX;
	if (event->named && str_equal(name, event->name))
		return;
	name = text_valid_utf8(&catalog->arena, name);
	if (!name.ptr || (event->named && str_equal(name, event->name)))
		return;
	event->name = name;
	event->named = true;
	if (event->counter_name.ptr) { /* settled already, perhaps under another name */
		release_name(catalog, event->counter_name);
		event->counter_name = unique_name(catalog, name);
	}
}

void perf_find_role(struct reader *reader, struct perf_event *event)
{
	bool was = event->is_switch;

	event->is_switch = fires_at_switches(event);
	perf_find_edge(&((struct perf *)reader->state)->catalog, event);
	if (event->is_switch && !was && event->period != 0 && /* 0: it only counts */
	    (event->period != 1 || event->flags & PERF_FLAG_FREQ))
		finding_add(&reader->findings, FINDING_LEADER_PERIOD, ERROR_NO_OFFSET, 1);
}

static void find_sample_places(struct perf_event *event)
{
	static const uint64_t order[] = { PERF_IDENTIFIER, PERF_IP,   PERF_TID,
					  PERF_TIME,	   PERF_ADDR, PERF_ID,
					  PERF_STREAM_ID,  PERF_CPU,  PERF_PERIOD };
	struct perf_layout *layout = &event->layout;
	int *places[] = { NULL, &layout->ip, &layout->tid, &layout->time,  &layout->addr,
			  NULL, NULL,	     &layout->cpu, &layout->period };

	layout->bytes = 0;
	for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
		bool there = event->sample_type & order[i];

		if (places[i])
			*places[i] = there ? (int)layout->bytes : -1;
		layout->bytes += there ? 8 : 0;
	}
}

enum status perf_settle_event(struct reader *reader, struct perf_event *event)
{
	struct perf *perf = reader->state;

	event->named = event->name.ptr != NULL;
	if (!event->named)
		event->name = made_name(&perf->catalog, event);
	if (event->name.ptr)
		event->counter_name = unique_name(&perf->catalog, event->name);
	if (!event->counter_name.ptr)
		return error_nomem(&reader->error);
	perf_find_role(reader, event);
	find_sample_places(event);
	return ST_OK;
}
