/* registry.c - countersets, counters and instances of older logs; see winperf.h. */
#include "formats/winperf/winperf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/os.h"

void winperf_init(struct winperf *w, struct findings *findings)
{
	w->findings = findings;
	w->seed = os_random();
	w->unsent_tail = &w->unsent;
	w->first_ns = w->last_ns = w->wall_offset_ns = INT_NONE;
}

void winperf_describe(const struct winperf *w, struct trace_row *trace)
{
	trace->first_ns = w->first_ns;
	trace->last_ns = w->last_ns;
	trace->wall_offset_ns = w->wall_offset_ns;
	if (!trace->host.ptr)
		trace->host = w->host;
}

void winperf_release(struct winperf *w)
{
	free(w->walk.objects);
	free(w->stretches);
	map_release(&w->map);
	map_release(&w->titles);
	arena_release(&w->scratch);
	arena_release(&w->arena);
}

/* --- places --- */

uint64_t winperf_place(const struct winperf *w, uint64_t offset)
{
	size_t low = 0, high = w->stretch_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (w->stretches[middle].at <= offset)
			low = middle;
		else
			high = middle;
	}
	if (w->stretch_count == 0)
		return offset;
	return w->stretches[low].is_exact
		       ? w->stretches[low].source + offset - w->stretches[low].at
		       : w->stretches[low].source;
}

void winperf_stretch(struct winperf *w, uint64_t at, uint64_t source, bool is_exact)
{
	if (at == 0)
		w->stretch_count = 0;
	if (w->stretch_count == w->stretch_room) {
		size_t room = w->stretch_room ? w->stretch_room * 2 : 16;
		struct winperf_stretch *stretches =
			memory_resize(w->stretches, room * sizeof(*stretches));

		if (!stretches) {
			w->out_of_memory = true;
			return;
		}
		w->stretches = stretches;
		w->stretch_room = room;
	}
	w->stretches[w->stretch_count++] =
		(struct winperf_stretch){ at, source, is_exact };
}

void winperf_gap(struct winperf *w, enum finding_kind kind, uint64_t offset, size_t bytes,
		 const char *format, ...)
{
	uint64_t from = winperf_place(w, offset);
	uint64_t to = bytes ? winperf_place(w, offset + bytes - 1) + 1 : from;
	char text[168];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (from < to)
		finding_gap(w->findings, kind, from, to, "%s", text);
	else
		finding_report(w->findings, kind, from, "%s", text);
}

/* --- nodes --- */

static uint64_t hash_of(const struct winperf *w, const struct winperf_id *id)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ w->seed ^ (uint64_t)id->kind;

	for (size_t i = 0; i < 4; i++)
		hash = (hash ^ id->numbers[i]) * UINT64_C(0x9E3779B97F4A7C15);
	for (size_t i = 0; i < id->text.len; i++)
		hash = (hash ^ (uint8_t)id->text.ptr[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static bool is_same(const struct winperf_id *a, const struct winperf_id *b)
{
	return a->kind == b->kind &&
	       memcmp(a->numbers, b->numbers, sizeof(a->numbers)) == 0 &&
	       !a->text.ptr == !b->text.ptr && str_equal(a->text, b->text);
}

struct str winperf_keep(struct winperf *w, struct str text, uint64_t offset)
{
	struct str copy;

	if (!text.ptr)
		return STR_NONE;
	if (text.len > WINPERF_TEXT_BYTES_MAX - w->text_bytes) {
		finding_add(w->findings, FINDING_PERFLIB_LIMIT, winperf_place(w, offset),
			    1);
		return STR_NONE;
	}
	copy = arena_str(&w->arena, text);
	w->out_of_memory |= !copy.ptr;
	w->text_bytes += text.len;
	return copy;
}

/* One more of a kind; false: that would be too many. */
static bool count(struct winperf *w, enum record_kind kind)
{
	size_t *counted = kind == RECORD_perflib_counterset ? &w->set_count
			  : kind == RECORD_perflib_counter  ? &w->counter_count
							    : &w->instance_count;
	size_t most = kind == RECORD_perflib_counterset ? WINPERF_SETS_MAX
		      : kind == RECORD_perflib_counter	? WINPERF_COUNTERS_MAX
							: WINPERF_INSTANCES_MAX;

	if (*counted == most)
		return false;
	++*counted;
	return true;
}

void *winperf_node(struct winperf *w, const struct winperf_id *id, size_t size,
		   uint64_t offset, bool *is_new)
{
	uint64_t hash = hash_of(w, id);
	struct winperf_node *first = map_get(&w->map, hash), *node;

	*is_new = false;
	for (node = first; node; node = node->same_hash)
		if (is_same(&node->id, id))
			return node;
	if (!count(w, id->kind)) {
		finding_add(w->findings, FINDING_PERFLIB_LIMIT, winperf_place(w, offset),
			    1);
		return NULL;
	}
	node = arena_alloc(&w->arena, size);
	if (!node) {
		w->out_of_memory = true;
		return NULL;
	}
	node->id = *id;
	node->id.text = winperf_keep(w, id->text, offset);
	if (id->text.ptr && !node->id.text.ptr)
		return NULL;
	node->same_hash = first;
	if (!map_put(&w->map, hash, node))
		w->out_of_memory = true;
	*is_new = true;
	return node;
}

void winperf_send(struct winperf *w, struct winperf_node *node)
{
	node->unsent = NULL;
	*w->unsent_tail = node;
	w->unsent_tail = &node->unsent;
}

static const void *row_of(const struct winperf_node *node)
{
	if (node->id.kind == RECORD_perflib_counterset)
		return &((const struct winperf_set *)node)->row;
	if (node->id.kind == RECORD_perflib_counter)
		return &((const struct winperf_counter *)node)->row;
	return &((const struct winperf_instance *)node)->row;
}

bool winperf_next_unsent(struct winperf *w, struct record *out)
{
	struct winperf_node *node = w->unsent;

	if (!node)
		return false;
	w->unsent = node->unsent;
	if (!w->unsent)
		w->unsent_tail = &w->unsent;
	*out = (struct record){ .kind = node->id.kind, .data = row_of(node) };
	return true;
}

/* --- countersets, counters --- */

struct winperf_set *winperf_set(struct winperf *w, const struct winperf_id *id,
				uint64_t offset, bool *is_new)
{
	struct winperf_set *set =
		winperf_node(w, id, sizeof(struct winperf_set), offset, is_new);

	if (!*is_new)
		return set;
	set->row = (struct perflib_counterset_row){
		.counterset = (int64_t)w->set_count,
		.instance_type = INT_NONE,
		.detail_level = INT_NONE,
		.counters = INT_NONE,
		.title = INT_NONE,
	};
	winperf_send(w, &set->node);
	return set;
}

static struct winperf_counter *counter_of(struct winperf *w, const struct winperf_id *id,
					  uint32_t position, uint64_t offset,
					  bool *is_new)
{
	struct winperf_counter *counter =
		winperf_node(w, id, sizeof(struct winperf_counter), offset, is_new);

	if (!*is_new)
		return counter;
	row_clear(&tables[RECORD_perflib_counter], &counter->row);
	counter->row.counterset = (int64_t)id->numbers[0];
	counter->row.counter = position;
	counter->row.name = counter->node.id.text;
	winperf_send(w, &counter->node);
	return counter;
}

struct winperf_counter *winperf_counter(struct winperf *w, const struct winperf_set *set,
					uint32_t position, uint64_t offset, bool *is_new)
{
	struct winperf_id id = { RECORD_perflib_counter,
				 { (uint64_t)set->row.counterset, position },
				 STR_NONE };

	return counter_of(w, &id, position, offset, is_new);
}

struct winperf_counter *winperf_named_counter(struct winperf *w, struct winperf_set *set,
					      struct str name, uint64_t offset,
					      bool *is_new)
{
	struct winperf_id id = { RECORD_perflib_counter,
				 { (uint64_t)set->row.counterset },
				 name };
	struct winperf_counter *counter = counter_of(w, &id, set->named, offset, is_new);

	set->named += *is_new;
	return counter;
}

struct winperf_set *winperf_named_set(struct winperf *w, struct str machine,
				      struct str object, uint64_t offset)
{
	struct winperf_id id = { .kind = RECORD_perflib_counterset };
	struct winperf_set *set;
	char *path;
	bool is_new;

	path = arena_alloc(&w->scratch, machine.len + object.len + 1);
	if (!path) {
		w->out_of_memory = true;
		return NULL;
	}
	if (machine.len)
		memcpy(path, machine.ptr, machine.len);
	if (object.len)
		memcpy(path + machine.len + 1, object.ptr, object.len);
	id.text = (struct str){ path, machine.len + object.len + 1 };
	set = winperf_set(w, &id, offset, &is_new);
	if (!is_new)
		return set;
	set->row.machine = winperf_keep(w, machine, offset);
	set->row.name = winperf_keep(w, object, offset);
	if (!w->host.ptr)
		w->host = set->row.machine;
	return set;
}

/* --- titles --- */

static uint64_t title_key(struct str machine, uint32_t number)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < machine.len; i++)
		hash = (hash ^ (uint8_t)machine.ptr[i]) * UINT64_C(0x100000001b3);
	return (hash & ~(uint64_t)UINT32_MAX) | number;
}

struct str winperf_title(const struct winperf *w, struct str machine, uint32_t number)
{
	const struct str *name = map_get(&w->titles, title_key(machine, number));

	return name ? *name : STR_NONE;
}

void winperf_set_title(struct winperf *w, struct str machine, uint32_t number,
		       struct str name, uint64_t offset)
{
	struct str *kept;

	if (map_get(&w->titles, title_key(machine, number)))
		return;
	kept = arena_alloc(&w->arena, sizeof(*kept));
	if (!kept) {
		w->out_of_memory = true;
		return;
	}
	*kept = winperf_keep(w, name, offset);
	if (kept->ptr && !map_put(&w->titles, title_key(machine, number), kept))
		w->out_of_memory = true;
}

/* --- instances --- */

/* Its row, for a life that begins now. */
static void begin_life(struct winperf *w, struct winperf_instance *instance,
		       const struct winperf_set *set, const struct winperf_who *who,
		       int64_t ordinal)
{
	instance->row = (struct perflib_instance_row){
		.instance = (int64_t)w->instance_count,
		.counterset = set->row.counterset,
		.query = who->query,
		.block = who->block,
		.number = who->number,
		.name = instance->row.name,
		.ordinal = ordinal,
		.parent_title = who->parent_title,
		.parent_number = who->parent_number,
		.parent_name = instance->row.parent_name,
		.first_snapshot = w->snapshots ? w->snapshots : 1,
	};
	winperf_send(w, &instance->node);
}

/* The one with that ordinal, in this life. */
static struct winperf_instance *meet(struct winperf *w, const struct winperf_set *set,
				     const struct winperf_who *who, int64_t ordinal,
				     uint64_t offset)
{
	struct winperf_id id = {
		RECORD_perflib_instance,
		{ (uint64_t)set->row.counterset << 32 ^ who->place, (uint64_t)who->number,
		  (uint64_t)ordinal,
		  (uint64_t)who->parent_title << 32 ^ (uint64_t)who->parent_number },
		who->name,
	};
	bool is_new, is_older;
	struct winperf_instance *instance =
		winperf_node(w, &id, sizeof(struct winperf_instance), offset, &is_new);

	if (!instance)
		return NULL;
	is_older = !is_new && instance->stamp < set->last_whole;
	if (is_older && !count(w, RECORD_perflib_instance)) {
		finding_add(w->findings, FINDING_PERFLIB_LIMIT, winperf_place(w, offset),
			    1);
		return NULL;
	}
	if (is_new) {
		instance->row.name = instance->node.id.text;
		instance->row.parent_name = winperf_keep(w, who->parent, offset);
	}
	if (is_new || is_older)
		begin_life(w, instance, set, who, ordinal);
	return instance;
}

struct winperf_instance *winperf_instance(struct winperf *w, struct winperf_set *set,
					  const struct winperf_who *who, uint64_t offset)
{
	struct winperf_instance *first = meet(w, set, who, 0, offset), *instance = first;

	if (first && first->stamp == set->stamp)
		instance = meet(w, set, who, ++first->repeats, offset);
	else if (first)
		first->repeats = 0;
	if (instance)
		instance->stamp = set->stamp;
	return instance;
}
