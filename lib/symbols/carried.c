/* carried.c - keeps the functions that the trace names, and finds them. */
#include "symbols/carried.h"

#include <stdlib.h>

#include "base/array.h"

struct carried_symbol {
	uint64_t start, bytes; /* 0 bytes: up to the next one */
	struct str name;
};

struct carried_list {
	struct carried_symbol *symbols;
	size_t count, room;
};

struct carried_file {
	struct str filename;
	struct carried_list by_base[CARRIED_BASES];
	struct carried_file *next;
};

static struct carried_file *find_file(const struct carried *carried, struct str filename,
				      uint64_t *key)
{
	struct carried_file *file;

	*key = map_hash_text(map_salt(), filename);
	while ((file = map_get(&carried->files, *key)) != NULL &&
	       !str_equal(file->filename, filename))
		++*key;
	return file;
}

static struct carried_file *intern_file(struct carried *carried, struct str filename)
{
	uint64_t key;
	struct carried_file *file = find_file(carried, filename, &key);

	if (file)
		return file;
	file = arena_alloc(&carried->arena, sizeof(*file));
	if (!file || !map_put(&carried->files, key, file))
		return NULL;
	file->filename = arena_str(&carried->arena, filename);
	file->next = carried->first;
	carried->first = file;
	return file;
}

static enum carried_base base_of(struct str word)
{
	if (str_equal(word, STR("map")))
		return CARRIED_MAP;
	return str_equal(word, STR("address")) ? CARRIED_ADDRESS : CARRIED_FILE;
}

void carried_add(struct carried *carried, const struct file_symbol_row *row)
{
	struct carried_file *file;
	struct carried_list *list;

	if ((uint64_t)row->bytes == UINT64_MAX)
		return; /* all of memory: simpleperf's name of what has none */
	if (carried->count == CARRIED_MAX ||
	    carried->bytes + row->name.len > CARRIED_BYTES_MAX) {
		carried->limit_reached = true;
		return;
	}
	file = row->filename.ptr && row->name.ptr ? intern_file(carried, row->filename)
						  : NULL;
	if (!file)
		return;
	list = &file->by_base[base_of(row->base)];
	if (!ARRAY_GROW(list->symbols, list->room, list->count)) {
		carried->out_of_memory = true;
		return;
	}
	list->symbols[list->count++] = (struct carried_symbol){
		.start = (uint64_t)row->addr,
		.bytes = row->bytes == INT_NONE ? 0 : (uint64_t)row->bytes,
		.name = arena_str(&carried->arena, row->name),
	};
	carried->count++;
	carried->bytes += row->name.len;
}

void carried_release(struct carried *carried)
{
	for (struct carried_file *file = carried->first; file; file = file->next)
		for (size_t b = 0; b < CARRIED_BASES; b++)
			free(file->by_base[b].symbols);
	map_release(&carried->files);
	arena_release(&carried->arena);
	*carried = (struct carried){ .count = 0 };
}

static int compare(const void *left, const void *right)
{
	const struct carried_symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return str_compare(a->name, b->name);
}

void carried_settle(struct carried *carried)
{
	for (struct carried_file *file = carried->first; file; file = file->next)
		for (size_t b = 0; b < CARRIED_BASES; b++)
			if (file->by_base[b].count)
				qsort(file->by_base[b].symbols, file->by_base[b].count,
				      sizeof(struct carried_symbol), compare);
}

struct str carried_find(const struct carried *carried, struct str filename,
			const uint64_t places[CARRIED_BASES], uint64_t *offset)
{
	uint64_t key;
	const struct carried_file *file = find_file(carried, filename, &key);

	for (size_t b = 0; file && b < CARRIED_BASES; b++) {
		const struct carried_symbol *list = file->by_base[b].symbols;
		size_t low = 0, high = file->by_base[b].count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (list[middle].start <= places[b])
				low = middle + 1;
			else
				high = middle;
		}
		if (!low || (list[low - 1].bytes &&
			     places[b] - list[low - 1].start >= list[low - 1].bytes))
			continue;
		*offset = places[b] - list[low - 1].start;
		return list[low - 1].name;
	}
	return STR_NONE;
}
