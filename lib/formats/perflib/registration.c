/*
 * registration.c - what countersets are registered as: rules V27 and V28.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/perflib/perflib.h"

#define SET_BYTES 32
#define COUNTER_BYTES 48
#define STRINGS_HEADER_BYTES 8
#define STRINGS_ENTRY_BYTES 8
#define REQUESTS 11 /* they are numbered from 1 */

static int64_t partner(uint32_t id)
{
	return id == PERFLIB_NONE ? INT_NONE : (int64_t)id;
}

/* --- V27: structures --- */

/* A PERF_COUNTER_REG_INFO; NULL: it is there already, or there is no room. */
static struct perflib_counter *decode_counter(struct perflib *perflib,
					      struct perflib_set *set, struct cursor *c)
{
	uint64_t offset = c->offset;
	struct cursor fields = cursor_sub(c, COUNTER_BYTES);
	uint32_t id = cursor_u32(&fields);
	struct perflib_counter *counter =
		perflib_counter(&perflib->sets, set, id, offset);
	struct perflib_counter_row *row;

	if (!counter)
		return NULL;
	if (counter->registered) {
		finding_report(perflib->findings, FINDING_PERFLIB_V27, offset,
			       "V27: counter id %u is registered twice", id);
		return NULL;
	}
	counter->registered = true;
	row = &counter->known.row;
	counter->type = cursor_u32(&fields);
	row->type = counter->type;
	row->attributes = (int64_t)cursor_u64(&fields);
	row->detail_level = cursor_u32(&fields);
	row->default_scale = (int32_t)cursor_u32(&fields);
	row->base_counter = partner(cursor_u32(&fields));
	row->time_counter = partner(cursor_u32(&fields));
	row->freq_counter = partner(cursor_u32(&fields));
	row->multi_counter = partner(cursor_u32(&fields));
	row->aggregate = cursor_u32(&fields);
	return counter;
}

/* The four ids of partners, by number. */
static int64_t partner_of(const struct perflib_counter *counter, int which)
{
	const int64_t ids[] = { counter->known.row.base_counter,
				counter->known.row.time_counter,
				counter->known.row.freq_counter,
				counter->known.row.multi_counter };

	return ids[which];
}

static struct perflib_counter *find_partner(struct perflib *perflib,
					    const struct perflib_set *set,
					    const struct perflib_counter *counter,
					    int which)
{
	int64_t id = partner_of(counter, which);
	struct perflib_counter *found;

	if (id == INT_NONE)
		return NULL;
	found = perflib_find_counter(&perflib->sets, set, (uint32_t)id);
	return found && found->registered ? found : NULL;
}

static void check_partners_of(struct perflib *perflib, const struct perflib_set *set,
			      const struct perflib_counter *counter, uint64_t offset)
{
	static const char *const names[] = { "base", "time", "frequency", "multi" };

	for (int which = 0; which < 4; which++) {
		int64_t id = partner_of(counter, which);
		const struct perflib_counter *found =
			find_partner(perflib, set, counter, which);
		const char *wrong = NULL;

		if (id == INT_NONE)
			continue;
		if (!found)
			wrong = "is not registered";
		else if (found == counter)
			wrong = "is the counter itself";
		else if (which == 0 && !registry_is_base(found->type))
			wrong = "is not of a base type";
		if (wrong)
			finding_report(perflib->findings, FINDING_PERFLIB_V27_PARTNER,
				       offset, "V27: the %s of counter %u, %lld, %s",
				       names[which], counter->id, (long long)id, wrong);
	}
}

/*
 * Partners that lead back to where they began.  Each counter has at most one partner of a
 * kind, so it is enough to walk from each and to mark what was walked; longer than
 * themselves, which is reported above.
 */
static void check_cycles(struct perflib *perflib, const struct perflib_set *set,
			 struct perflib_counter *const *counters, size_t count,
			 uint64_t first_offset, int which, uint32_t *walked)
{
	for (size_t i = 0; i < count; i++)
		walked[i] = 0;
	for (size_t i = 0; i < count; i++) {
		const struct perflib_counter *at = counters[i];
		uint32_t walk = (uint32_t)i + 1;

		while (at && walked[at->index] == 0) {
			walked[at->index] = walk;
			at = find_partner(perflib, set, at, which);
		}
		if (at && walked[at->index] == walk &&
		    partner_of(at, which) != (int64_t)at->id)
			finding_report(perflib->findings, FINDING_PERFLIB_V27_PARTNER,
				       first_offset + at->index * COUNTER_BYTES,
				       "V27: the partners of counter %u lead back to it",
				       at->id);
	}
}

static void decode_counters(struct perflib *perflib, struct perflib_set *set,
			    struct cursor *c, uint32_t count)
{
	uint64_t first_offset = c->offset;
	struct perflib_counter **counters = memory_alloc_zeroed(count, sizeof(*counters));
	uint32_t *walked = memory_alloc_zeroed(count, sizeof(*walked));
	size_t known = 0;

	for (uint32_t i = 0; counters && walked && i < count; i++) {
		struct perflib_counter *counter = decode_counter(perflib, set, c);

		if (!counter)
			continue;
		counter->index = (uint32_t)known;
		counters[known++] = counter;
	}
	for (size_t i = 0; counters && walked && i < known; i++)
		check_partners_of(perflib, set, counters[i],
				  first_offset + i * COUNTER_BYTES);
	for (int which = 0; counters && walked && which < 4; which++)
		check_cycles(perflib, set, counters, known, first_offset, which, walked);
	perflib->sets.registry.out_of_memory |= !counters || !walked;
	free(counters);
	free(walked);
}

/* PERF_COUNTERSET_REG_INFO and its counters. */
static void on_set(struct perflib *perflib, struct perflib_set *set, struct cursor c)
{
	uint64_t offset = c.offset;
	size_t length = cursor_left(&c);
	uint32_t count;

	if (length < SET_BYTES) {
		finding_report(perflib->findings, FINDING_PERFLIB_V27, offset,
			       "V27: a registration of %zu bytes, expected at least %d",
			       length, SET_BYTES);
		return;
	}
	cursor_skip(&c, PLB_GUID_BYTES + 4);
	if (!set->registered)
		set->known.row.detail_level = cursor_u32(&c);
	else
		cursor_skip(&c, 4);
	count = cursor_u32(&c);
	if (count > cursor_left(&c) / COUNTER_BYTES || count > PERFLIB_SET_COUNTERS_MAX) {
		finding_report(perflib->findings, FINDING_PERFLIB_V27, offset + 24,
			       "V27: %u counters claimed, but there is room for %zu",
			       count, cursor_left(&c) / COUNTER_BYTES);
		return;
	}
	if (set->registered) /* the same again, as after a second query */
		return;
	set->registered = true;
	set->known.row.counters = count;
	set->known.row.instance_type = cursor_u32(&c);
	if (count)
		decode_counters(perflib, set, &c, count);
	if (count * (uint64_t)COUNTER_BYTES + SET_BYTES != length)
		finding_report(
			perflib->findings, FINDING_PERFLIB_V27,
			offset + SET_BYTES + count * (uint64_t)COUNTER_BYTES,
			"V27: a registration of %zu bytes, expected %llu for its %u "
			"counters",
			length, SET_BYTES + count * (unsigned long long)COUNTER_BYTES,
			count);
}

static void on_counter(struct perflib *perflib, struct perflib_set *set, struct cursor c)
{
	struct cursor id = c;
	const struct perflib_counter *known;

	if (cursor_left(&c) != COUNTER_BYTES) {
		finding_report(perflib->findings, FINDING_PERFLIB_V27, c.offset,
			       "V27: a counter of %zu bytes, expected %d",
			       cursor_left(&c), COUNTER_BYTES);
		return;
	}
	known = perflib_find_counter(&perflib->sets, set, cursor_u32(&id));
	if (!known || !known->registered)
		(void)decode_counter(perflib, set, &c);
}

/* --- V28: strings --- */

static void on_string(struct perflib *perflib, struct str *text, struct cursor c)
{
	size_t length, bytes = cursor_left(&c);

	if (!perflib_nul(c.pos, bytes, &length))
		finding_report(perflib->findings, FINDING_PERFLIB_V28, c.offset,
			       "V28: a text of %zu bytes that is not terminated", bytes);
	if (!text->ptr)
		*text = registry_utf8(&perflib->sets.registry, c.pos, length, c.offset);
}

static struct str *name_of(struct perflib_counter *counter, uint32_t request)
{
	switch (request) {
	case PLB_COUNTER_NAMES:
		return &counter->known.row.name;
	case PLB_COUNTER_ENGLISH_NAMES:
		return &counter->known.row.english_name;
	default:
		return &counter->known.row.help;
	}
}

/* The string of one entry; `block` is all of it, since offsets count from its start. */
static void decode_string(struct perflib *perflib, struct perflib_set *set,
			  uint32_t request, struct cursor block, uint32_t count,
			  struct cursor *entries)
{
	uint64_t offset = entries->offset, from = block.offset;
	size_t length = cursor_left(&block), first, bytes;
	uint32_t id = cursor_u32(entries), at = cursor_u32(entries);
	struct perflib_counter *counter;

	if (at == PERFLIB_NONE)
		return;
	first = STRINGS_HEADER_BYTES + count * (size_t)STRINGS_ENTRY_BYTES;
	if (at < first || at >= length || at % 2 != 0) {
		finding_report(
			perflib->findings, FINDING_PERFLIB_V28, offset + 4,
			"V28: the text of counter %u is at %u, expected an even offset from %zu to %zu",
			id, at, first, length);
		return;
	}
	cursor_skip(&block, at);
	if (!perflib_nul(block.pos, cursor_left(&block), &bytes)) {
		finding_report(perflib->findings, FINDING_PERFLIB_V28, from + at,
			       "V28: the text of counter %u is not terminated", id);
		return;
	}
	counter = perflib_counter(&perflib->sets, set, id, offset);
	/* Ids may stand here twice: the first one counts. */
	if (counter && !name_of(counter, request)->ptr)
		*name_of(counter, request) = registry_utf8(&perflib->sets.registry,
							   block.pos, bytes, from + at);
}

static void on_strings(struct perflib *perflib, struct perflib_set *set, uint32_t request,
		       struct cursor c)
{
	struct cursor entries = c;
	size_t length = cursor_left(&c);
	uint32_t size, count;

	if (length < STRINGS_HEADER_BYTES) {
		finding_report(perflib->findings, FINDING_PERFLIB_V28, c.offset,
			       "V28: strings of %zu bytes, expected at least %d", length,
			       STRINGS_HEADER_BYTES);
		return;
	}
	size = cursor_u32(&entries);
	count = cursor_u32(&entries);
	if (count > (length - STRINGS_HEADER_BYTES) / STRINGS_ENTRY_BYTES) {
		finding_report(perflib->findings, FINDING_PERFLIB_V28, c.offset + 4,
			       "V28: %u strings claimed, but there is room for %zu",
			       count,
			       (length - STRINGS_HEADER_BYTES) / STRINGS_ENTRY_BYTES);
		return;
	}
	if (size != length)
		finding_report(perflib->findings, FINDING_PERFLIB_V28, c.offset,
			       "V28: strings of %zu bytes whose header states %u", length,
			       size);
	for (uint32_t i = 0; i < count; i++)
		decode_string(perflib, set, request, c, count, &entries);
}

/* --- the record --- */

static void on_guid(struct perflib *perflib, struct perflib_set *set, struct cursor c)
{
	const uint8_t *guid = cursor_bytes(&c, PLB_GUID_BYTES);

	if (!guid || cursor_left(&c))
		finding_add(perflib->findings, FINDING_SHORT_RECORD, c.offset, 1);
	else if (!set->known.row.provider_guid.ptr)
		set->known.row.provider_guid =
			perflib_guid_text(&perflib->sets.registry, guid);
}

static void on_result(struct perflib *perflib, struct perflib_set *set, uint32_t request,
		      struct cursor c)
{
	switch (request) {
	case PLB_COUNTERSET_STRUCT:
		on_set(perflib, set, c);
		break;
	case PLB_COUNTER_STRUCT:
		on_counter(perflib, set, c);
		break;
	case PLB_COUNTERSET_NAME:
		on_string(perflib, &set->known.row.name, c);
		break;
	case PLB_COUNTERSET_HELP:
		on_string(perflib, &set->known.row.help, c);
		break;
	case PLB_PROVIDER_NAME:
		on_string(perflib, &set->known.row.provider, c);
		break;
	case PLB_COUNTERSET_ENGLISH_NAME:
		on_string(perflib, &set->known.row.english_name, c);
		break;
	case PLB_COUNTER_NAMES:
	case PLB_COUNTER_HELPS:
	case PLB_COUNTER_ENGLISH_NAMES:
		on_strings(perflib, set, request, c);
		break;
	case PLB_PROVIDER_GUID:
		on_guid(perflib, set, c);
		break;
	default: /* its row is all */
		break;
	}
}

/* Of a set whose row is out.  False: it was asked before, as for another query. */
static bool is_news(struct perflib *perflib, const struct perflib_set *set,
		    uint32_t request, uint32_t argument)
{
	const struct perflib_counter *counter;

	if (request == PLB_COUNTERSET_STRUCT)
		return !set->registered;
	if (request != PLB_COUNTER_STRUCT)
		return request < REQUESTS && !(set->answered & 1u << request);
	counter = perflib_find_counter(&perflib->sets, set, argument);
	return !counter || !counter->registered;
}

/* --- which instances there were --- */

static void check_instance(struct perflib *perflib, struct cursor instance)
{
	size_t length, bytes;
	bool has_end;

	if (cursor_left(&instance) % 8 != 0)
		finding_report(perflib->findings, FINDING_PERFLIB_V18, instance.offset,
			       "V18: an instance of %zu bytes, expected a multiple of 8",
			       cursor_left(&instance));
	cursor_skip(&instance, PERFLIB_INSTANCE_HEADER_BYTES);
	bytes = cursor_left(&instance);
	has_end = perflib_nul(instance.pos, bytes, &length);
	perflib_check_name(perflib->findings, instance.pos, bytes, length, has_end,
			   instance.offset);
}

/* PERF_INSTANCE_HEADER blocks up to the end. */
static void check_instances(struct perflib *perflib, struct cursor c)
{
	while (cursor_left(&c) > 0) {
		struct cursor head = c;
		size_t left = cursor_left(&c);
		uint32_t size = cursor_u32(&head);

		if (head.overrun || size < PERFLIB_INSTANCE_BYTES_MIN || size > left) {
			finding_gap(perflib->findings, FINDING_PERFLIB_V18, c.offset,
				    c.offset + left,
				    "V18: an instance of %u bytes where %zu are left, "
				    "expected at least %d",
				    size, left, PERFLIB_INSTANCE_BYTES_MIN);
			return;
		}
		check_instance(perflib, cursor_sub(&c, size));
	}
}

/* The counterset that was asked about. */
static struct perflib_set *begin_answer(struct perflib *perflib, const uint8_t *guid,
					const struct cursor *payload, uint64_t offset)
{
	if (payload->overrun) {
		finding_add(perflib->findings, FINDING_SHORT_RECORD, offset, 1);
		return NULL;
	}
	return perflib_set(&perflib->sets, guid, offset);
}

static void emit_answer(struct perflib *perflib, struct perflib_answer_row row,
			const struct perflib_set *set, const struct cursor *payload)
{
	row.counterset = set->known.row.counterset;
	row.bytes = (int64_t)cursor_left(payload);
	row.record_offset = (int64_t)payload->offset;
	emit_push_row(&perflib->emit, RECORD_perflib_answer, payload->offset, &row);
}

void perflib_on_instances(struct perflib *perflib, struct cursor payload)
{
	uint64_t offset = payload.offset;
	const uint8_t *guid = cursor_bytes(&payload, PLB_GUID_BYTES);
	struct perflib_answer_row asked = { .code = cursor_u32(&payload) };
	const struct perflib_set *set;

	cursor_skip(&payload, 4);
	set = begin_answer(perflib, guid, &payload, offset);
	if (!set)
		return;
	if (asked.code == 0)
		check_instances(perflib, payload);
	emit_answer(perflib, asked, set, &payload);
}

/* --- what was asked --- */

/* The set that the answer is about from now on; NULL: there are too many. */
static struct perflib_set *use_successor(struct perflib *perflib, struct perflib_set *set,
					 uint64_t offset)
{
	finding_report(
		perflib->findings, FINDING_PERFLIB_LATE, offset,
		"counterset %s was registered after its first data: the values before belong to counterset %lld, without names",
		set->known.row.guid.ptr, (long long)set->known.row.counterset);
	return perflib_successor(&perflib->sets, set, offset);
}

void perflib_on_registration(struct perflib *perflib, struct cursor payload)
{
	uint64_t offset = payload.offset;
	const uint8_t *guid = cursor_bytes(&payload, PLB_GUID_BYTES);
	struct perflib_answer_row asked = { .request = cursor_u32(&payload) };
	uint32_t request = (uint32_t)asked.request, argument = cursor_u32(&payload);
	struct perflib_set *set, *named;

	asked.argument = argument;
	asked.code = cursor_u32(&payload);
	cursor_skip(&payload, 4);
	set = named = begin_answer(perflib, guid, &payload, offset);
	if (!set)
		return;
	if (asked.code == 0 &&
	    (!set->emitted || is_news(perflib, set, request, argument))) {
		if (set->emitted)
			named = use_successor(perflib, set, offset);
		if (named && request < REQUESTS)
			named->answered |= 1u << request;
		if (named)
			on_result(perflib, named, request, payload);
	}
	emit_answer(perflib, asked, named ? named : set, &payload);
}
