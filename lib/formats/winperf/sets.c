/*
 * sets.c - countersets, counters and instances of older logs, and the titles of a log;
 * see winperf.h.
 */
#include "formats/winperf/winperf.h"

#include <stdlib.h>

void winperf_init(struct winperf *w, struct findings *findings, struct emit *emit)
{
	registry_init(&w->registry, findings, emit);
	w->first_ns = w->last_ns = w->wall_offset_ns = INT_NONE;
}

void winperf_describe(const struct winperf *w, struct trace_row *trace)
{
	trace->first_ns = w->first_ns;
	trace->last_ns = w->last_ns;
	trace->wall_offset_ns = w->wall_offset_ns;
	trace->wall_offset_end_ns = INT_NONE;
	if (!trace->host.ptr)
		trace->host = w->host;
}

void winperf_release(struct winperf *w)
{
	free(w->walk.objects);
	free(w->stretches);
	map_release(&w->titles);
	arena_release(&w->scratch);
	registry_release(&w->registry);
}

struct str winperf_copy_text(struct winperf *w, struct str text, uint64_t offset)
{
	return registry_copy_text(&w->registry, text, winperf_place(w, offset));
}

/* --- countersets, counters --- */

static void *find_or_add(struct winperf *w, const struct registry_id *id, size_t size,
			 uint64_t offset, bool *is_new)
{
	void *node = registry_find(&w->registry, id);

	*is_new = false;
	if (node)
		return node;
	node = registry_add(&w->registry, id, size, winperf_place(w, offset));
	*is_new = node;
	if (node)
		registry_emit(&w->registry, node);
	return node;
}

struct winperf_set *winperf_set(struct winperf *w, const struct registry_id *id,
				uint64_t offset, bool *is_new)
{
	return find_or_add(w, id, sizeof(struct winperf_set), offset, is_new);
}

static struct winperf_counter *find_counter(struct winperf *w,
					    const struct registry_id *id,
					    uint32_t position, uint64_t offset,
					    bool *is_new)
{
	struct winperf_counter *counter =
		find_or_add(w, id, sizeof(struct winperf_counter), offset, is_new);

	if (*is_new) {
		counter->known.row.counter = position;
		counter->known.row.name = counter->known.node.id.text;
	}
	return counter;
}

struct winperf_counter *winperf_counter(struct winperf *w, const struct winperf_set *set,
					uint32_t position, uint64_t offset, bool *is_new)
{
	struct registry_id id = { RECORD_perflib_counter,
				  { (uint64_t)set->known.row.counterset, position },
				  STR_NONE };

	return find_counter(w, &id, position, offset, is_new);
}

struct winperf_counter *winperf_named_counter(struct winperf *w, struct winperf_set *set,
					      struct str name, uint64_t offset,
					      bool *is_new)
{
	struct registry_id id = { RECORD_perflib_counter,
				  { (uint64_t)set->known.row.counterset },
				  name };
	struct winperf_counter *counter =
		find_counter(w, &id, set->named, offset, is_new);

	set->named += *is_new;
	return counter;
}

struct winperf_set *winperf_named_set(struct winperf *w, struct str machine,
				      struct str object, uint64_t offset)
{
	struct registry_id id = { .kind = RECORD_perflib_counterset };
	struct winperf_set *set;
	char *path;
	bool is_new;

	path = arena_alloc(&w->scratch, machine.len + object.len + 1);
	if (!path) {
		w->registry.out_of_memory = true;
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
	set->known.row.machine = winperf_copy_text(w, machine, offset);
	set->known.row.name = winperf_copy_text(w, object, offset);
	if (!w->host.ptr)
		w->host = set->known.row.machine;
	return set;
}

/* --- titles --- */

static uint64_t title_key(struct str machine, uint32_t number)
{
	uint64_t hash = map_hash_text(map_salt(), machine);

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
	kept = arena_alloc(&w->registry.arena, sizeof(*kept));
	if (!kept) {
		w->registry.out_of_memory = true;
		return;
	}
	*kept = winperf_copy_text(w, name, offset);
	if (kept->ptr && !map_put(&w->titles, title_key(machine, number), kept))
		w->registry.out_of_memory = true;
}

/* --- instances --- */

struct registry_instance *winperf_instance(struct winperf *w,
					   const struct winperf_set *set,
					   struct registry_who *who, uint64_t offset)
{
	who->visits = &set->visits;
	who->counterset = set->known.row.counterset;
	who->place ^= (uint64_t)who->counterset << 32;
	who->snapshot = w->snapshots ? w->snapshots : 1;
	return registry_instance(&w->registry, who, winperf_place(w, offset));
}
