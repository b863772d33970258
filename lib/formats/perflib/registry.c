/* registry.c - finds countersets, counters and instances by id and emits their rows. */
#include "formats/perflib/registry.h"

#include "base/cursor.h"
#include "base/text.h"

/* Of a value that is kept as bytes. */
#define VALUE_BYTES_MAX ((uint32_t)65536)

void registry_init(struct registry *registry, struct findings *findings,
		   struct emit *emit)
{
	registry->findings = findings;
	registry->emit = emit;
}

void registry_release(struct registry *registry)
{
	map_release(&registry->map);
	arena_release(&registry->arena);
}

/* --- texts --- */

/* So many more bytes of text are kept; false: too many. */
static bool add_text(struct registry *registry, size_t bytes, uint64_t offset)
{
	if (bytes > REGISTRY_TEXT_BYTES_MAX - registry->text_bytes) {
		finding_add(registry->findings, FINDING_PERFLIB_LIMIT, offset, 1);
		return false;
	}
	registry->text_bytes += bytes;
	return true;
}

struct str registry_copy_text(struct registry *registry, struct str text, uint64_t offset)
{
	struct str copy;

	if (!text.ptr || !add_text(registry, text.len, offset))
		return STR_NONE;
	copy = arena_str(&registry->arena, text);
	registry->out_of_memory |= !copy.ptr;
	return copy;
}

struct str registry_utf8(struct registry *registry, const uint8_t *at, size_t bytes,
			 uint64_t offset)
{
	char one[TEXT_SAFE_UTF8_MAX], *copy;
	size_t length = 0, used;

	for (size_t i = 0; bytes - i >= 2; i += used)
		length += text_write_safe_utf8(
			one, text_utf16_character(at + i, bytes - i, &used));
	if (!add_text(registry, length, offset))
		return STR_NONE;
	copy = arena_alloc(&registry->arena, length + 1);
	if (!copy) {
		registry->out_of_memory = true;
		return STR_NONE;
	}
	length = 0;
	for (size_t i = 0; bytes - i >= 2; i += used)
		length += text_write_safe_utf8(
			copy + length, text_utf16_character(at + i, bytes - i, &used));
	return (struct str){ copy, length };
}

/* --- nodes --- */

static uint64_t hash_of(const struct registry_id *id)
{
	uint64_t hash = map_salt() ^ (uint64_t)id->kind;

	for (size_t i = 0; i < 4; i++)
		hash = map_mix(hash, id->numbers[i], i);
	return map_hash_text(hash, id->text);
}

static bool is_same(const struct registry_id *a, const struct registry_id *b)
{
	return a->kind == b->kind &&
	       memcmp(a->numbers, b->numbers, sizeof(a->numbers)) == 0 &&
	       !a->text.ptr == !b->text.ptr && str_equal(a->text, b->text);
}

void *registry_find(const struct registry *registry, const struct registry_id *id)
{
	struct registry_node *node = map_get(&registry->map, hash_of(id));

	while (node && !is_same(&node->id, id))
		node = node->same_hash;
	return node;
}

/* One more of a kind; 0: that would be too many. */
static int64_t count(struct registry *registry, enum record_kind kind, uint64_t offset)
{
	size_t *counted = kind == RECORD_perflib_counterset ? &registry->set_count
			  : kind == RECORD_perflib_counter  ? &registry->counter_count
							    : &registry->instance_count;
	size_t most = kind == RECORD_perflib_counterset ? REGISTRY_SETS_MAX
		      : kind == RECORD_perflib_counter	? REGISTRY_COUNTERS_MAX
							: REGISTRY_INSTANCES_MAX;

	if (*counted == most) {
		finding_add(registry->findings, FINDING_PERFLIB_LIMIT, offset, 1);
		return 0;
	}
	return (int64_t)++ * counted;
}

static void begin_row(struct registry_node *node, int64_t number)
{
	if (node->id.kind == RECORD_perflib_counterset) {
		struct registry_set *set = (struct registry_set *)node;

		row_clear(&tables[RECORD_perflib_counterset], &set->row);
		set->row.counterset = number;
	} else if (node->id.kind == RECORD_perflib_counter) {
		struct registry_counter *counter = (struct registry_counter *)node;

		row_clear(&tables[RECORD_perflib_counter], &counter->row);
		counter->row.counterset = (int64_t)node->id.numbers[0];
	}
}

void *registry_add(struct registry *registry, const struct registry_id *id, size_t size,
		   uint64_t offset)
{
	uint64_t hash = hash_of(id);
	int64_t number = count(registry, id->kind, offset);
	struct registry_node *node;

	if (!number)
		return NULL;
	node = arena_alloc(&registry->arena, size);
	if (!node) {
		registry->out_of_memory = true;
		return NULL;
	}
	node->id = *id;
	node->id.text = registry_copy_text(registry, id->text, offset);
	if (id->text.ptr && !node->id.text.ptr)
		return NULL;
	node->same_hash = map_get(&registry->map, hash);
	if (!map_put(&registry->map, hash, node))
		registry->out_of_memory = true;
	begin_row(node, number);
	return node;
}

static const void *row_of(const struct registry_node *node)
{
	if (node->id.kind == RECORD_perflib_counterset)
		return &((const struct registry_set *)node)->row;
	return &((const struct registry_counter *)node)->row;
}

void registry_emit(struct registry *registry, const struct registry_node *node)
{
	emit_push(registry->emit,
		  &(struct record){ .kind = node->id.kind, .data = row_of(node) });
}

/* --- instances --- */

/* Its row, for an incarnation that begins now. */
static void begin_incarnation(struct registry *registry,
			      struct registry_instance *instance,
			      const struct registry_who *who, int64_t ordinal)
{
	instance->row = (struct perflib_instance_row){
		.instance = (int64_t)registry->instance_count,
		.counterset = who->counterset,
		.query = who->query,
		.block = who->block,
		.number = who->number,
		.name = instance->row.name,
		.ordinal = ordinal,
		.parent_title = who->parent_title,
		.parent_number = who->parent_number,
		.parent_name = instance->row.parent_name,
		.first_snapshot = who->snapshot,
	};
	emit_push_row(registry->emit, RECORD_perflib_instance, 0, &instance->row);
}

static struct registry_instance *new_instance(struct registry *registry,
					      const struct registry_id *id,
					      const struct registry_who *who,
					      uint64_t offset)
{
	struct registry_instance *instance =
		registry_add(registry, id, sizeof(*instance), offset);
	const struct str *name = &who->name;

	if (!instance)
		return NULL;
	instance->row.name = instance->node.id.text;
	if (who->is_utf16 && name->ptr)
		instance->row.name = registry_utf8(registry, (const uint8_t *)name->ptr,
						   name->len, offset);
	instance->row.parent_name = registry_copy_text(registry, who->parent, offset);
	return instance;
}

/* The one with that ordinal, in this incarnation. */
static struct registry_instance *meet(struct registry *registry,
				      const struct registry_who *who, int64_t ordinal,
				      uint64_t offset)
{
	struct registry_id id = {
		RECORD_perflib_instance,
		{ who->place, (uint64_t)who->number, (uint64_t)ordinal,
		  (uint64_t)who->parent_title << 32 ^ (uint64_t)who->parent_number },
		who->name,
	};
	struct registry_instance *instance = registry_find(registry, &id);

	if (instance && instance->visit >= who->visits->last_whole &&
	    instance->row.counterset == who->counterset)
		return instance;
	if (!instance)
		instance = new_instance(registry, &id, who, offset);
	else if (!count(registry, RECORD_perflib_instance, offset))
		return NULL;
	if (instance)
		begin_incarnation(registry, instance, who, ordinal);
	return instance;
}

struct registry_instance *registry_instance(struct registry *registry,
					    const struct registry_who *who,
					    uint64_t offset)
{
	struct registry_instance *first = meet(registry, who, 0, offset);
	struct registry_instance *instance = first;

	if (first && first->visit == who->visits->now)
		instance = meet(registry, who, ++first->repeats, offset);
	else if (first)
		first->repeats = 0;
	if (instance)
		instance->visit = who->visits->now;
	return instance;
}

/* --- values --- */

void registry_set_value(struct perflib_raw_row *row, const uint8_t *at, uint32_t bytes)
{
	struct cursor value = cursor_over(at, bytes, 0, false);
	struct str raw = { (const char *)at,
			   bytes < VALUE_BYTES_MAX ? bytes : VALUE_BYTES_MAX };

	row->bytes = bytes;
	row->value = INT_NONE;
	if (bytes == 4)
		row->value = cursor_u32(&value);
	else if (bytes == 8)
		row->value = (int64_t)cursor_u64(&value);
	row->raw = row->value == INT_NONE ? raw : STR_NONE;
}
