/*
 * etl_kinds.c - see etl_kinds.h.  Nothing is dropped without being counted: the table
 * etw_event_count has a row for each kind of event.
 */
#include "formats/etw/etl_kinds.h"

#include "base/array.h"
#include "base/text.h"

static const struct kernel_kind {
	uint16_t hook;
	const char *name;
	const char *kept; /* the table that has its fields, NULL: none */
} kernel_kinds[] = {
#define EVENT(group, opcode, name, kept) { (group) << 8 | (opcode), name, kept },
#include "formats/etw/kernel_events.def"
#undef EVENT
};

/* --- counting --- */

static void make_key(const struct etl_event *event, uint64_t key[3])
{
	key[0] = (uint64_t)event->header_type | (uint64_t)event->header << 8 |
		 (uint64_t)event->opcode << 16 | (uint64_t)event->group << 24 |
		 (uint64_t)event->version << 32 | (uint64_t)event->id << 48;
	key[1] = key[2] = 0;
	if (event->guid) {
		memcpy(&key[1], event->guid, 8);
		memcpy(&key[2], event->guid + 8, 8);
	}
}

static bool same_key(const uint64_t a[3], const uint64_t b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* "{3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c}", or the group in hexadecimal. */
static struct str provider_name(struct etl_kinds *kinds, const struct etl_event *event)
{
	const uint8_t *g = event->guid;
	char text[64];

	if (!g)
		text_print(text, sizeof(text), "%02x", event->group);
	else
		text_guid(text, g);
	return arena_str(kinds->arena, str_of(text));
}

static void describe(struct etl_kinds *kinds, struct etl_kind *kind,
		     const struct etl_event *event)
{
	struct etw_event_count_row *row = &kind->row;
	unsigned int hook = (unsigned int)(event->group << 8 | event->opcode);

	row->header = str_of(etl_header_name(event));
	row->event_id = event->header == ETL_EVENT || event->header == ETL_MESSAGE
				? event->id
				: INT_NONE;
	row->opcode = row->version = INT_NONE;
	if (event->header < ETL_MESSAGE) {
		row->opcode = event->opcode;
		row->version = event->version;
	}
	if (event->is_kernel || event->guid)
		row->provider = provider_name(kinds, event);
	for (size_t i = 0; event->is_kernel && i < ARRAY_COUNT(kernel_kinds); i++) {
		if (kernel_kinds[i].hook != hook)
			continue;
		row->name = str_of(kernel_kinds[i].name);
		row->kept = str_of(kernel_kinds[i].kept);
	}
}

static struct etl_kind *new_kind(struct etl_kinds *kinds, const struct etl_event *event,
				 const uint64_t key[3], uint64_t hash,
				 struct etl_kind *same_hash)
{
	struct etl_kind *kind = arena_alloc(kinds->arena, sizeof(*kind));

	if (!kind)
		return NULL;
	memcpy(kind->key, key, 3 * sizeof(key[0]));
	kind->next = same_hash;
	if (!map_put(&kinds->map, hash, kind))
		return NULL;
	describe(kinds, kind, event);
	*kinds->tail = kind;
	kinds->tail = &kind->listed;
	kinds->count++;
	return kind;
}

/* Seeded, so that no file can be made whose kinds all collide. */
static uint64_t hash_of(const uint64_t key[3])
{
	return map_mix(map_mix(map_salt(), key[0], key[1]), key[2], 0);
}

static struct etl_kind *find_kind(struct etl_kinds *kinds, const struct etl_event *event,
				  const uint64_t key[3])
{
	uint64_t hash = hash_of(key);
	struct etl_kind *first = map_get(&kinds->map, hash);

	for (struct etl_kind *kind = first; kind; kind = kind->next)
		if (same_key(kind->key, key))
			return kind;
	if (kinds->count >= ETL_KINDS_MAX) {
		finding_add(kinds->findings, FINDING_FACT_LIMIT, event->offset, 1);
		return kinds->last;
	}
	return new_kind(kinds, event, key, hash, first);
}

struct etl_kind *etl_kind_count(struct etl_kinds *kinds, const struct etl_event *event)
{
	struct etl_kind *kind = kinds->last;
	uint64_t key[3];

	make_key(event, key);
	if (!kind || !same_key(kind->key, key))
		kind = find_kind(kinds, event, key);
	if (!kind)
		return NULL;
	kinds->last = kind;
	kind->row.events++;
	kind->row.bytes += event->size;
	return kind;
}

/* --- events of which only the number matters --- */

/* TimeStamp of a PERFINFO header. */
#define PERFINFO_TICKS_AT 8

/* The first walk has no other use for them, but for counting switches. */
static bool is_plain(const struct etl_event *event)
{
	switch (event->group << 8 | event->opcode) {
	case ETL_CSWITCH:
	case ETL_READY_THREAD:
	case ETL_SAMPLED_PROFILE:
	case ETL_PMC_INTERRUPT:
		return event->header == ETL_PERFINFO && !event->has_pebs &&
		       !event->odd_bits;
	default:
		return false;
	}
}

static size_t place_of(uint64_t head)
{
	return (head * UINT64_C(0x9E3779B97F4A7C15) >> 32) % ETL_PLAINS;
}

/* The size of an event, without padding. */
static size_t size_of(uint64_t head)
{
	return head >> 32 & 0xffff;
}

void etl_kind_remember(struct etl_kinds *kinds, const uint8_t *at,
		       const struct etl_event *event, struct etl_kind *kind)
{
	struct etl_plain *plain;
	uint64_t head;

	if (!is_plain(event))
		return;
	memcpy(&head, at, sizeof(head));
	plain = &kinds->plain[place_of(head)];
	*plain = (struct etl_plain){ .head = head, .kind = kind };
	if ((event->group << 8 | event->opcode) == ETL_CSWITCH)
		plain->switches = &kinds->switches_with[event->pmc_count];
}

uint64_t etl_plain_ticks(const uint8_t *at)
{
	uint64_t ticks;

	memcpy(&ticks, at + PERFINFO_TICKS_AT, sizeof(ticks));
	return ticks;
}

const struct etl_plain *etl_plain_skip(const struct etl_plain plains[ETL_PLAINS],
				       struct cursor *c)
{
	const struct etl_plain *plain;
	uint64_t head;
	size_t step;

	if (cursor_left(c) < sizeof(head))
		return NULL;
	memcpy(&head, c->pos, sizeof(head));
	plain = &plains[place_of(head)];
	step = (size_of(head) + 7) & ~(size_t)7;
	if (!plain->kind || plain->head != head || step > cursor_left(c))
		return NULL;
	c->pos += step;
	c->offset += step;
	return plain;
}

void etl_plain_count(const struct etl_plain *plain, uint32_t events)
{
	plain->kind->row.events += events;
	plain->kind->row.bytes += (int64_t)(events * size_of(plain->head));
	if (plain->switches)
		*plain->switches += events;
}
