/* map.c - hash table with linear probing that doubles when it is full. */
#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/os.h"

#define MAP_FIRST_CAPACITY 64

_Atomic uint64_t map_seed;

uint64_t map_hash_text(uint64_t start, struct str text)
{
	uint64_t hash = start;

	for (size_t i = 0; i < text.len; i++) {
		hash = (hash ^ (uint8_t)text.ptr[i]) * UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 29;
	}
	return hash;
}

uint64_t map_new_salt(void)
{
	uint64_t seed = os_random() | 1, none = 0;

	/* The first of several threads sets it. */
	return atomic_compare_exchange_strong(&map_seed, &none, seed) ? seed : none;
}

static void insert(struct map *map, uint64_t key, void *value)
{
	size_t at = map_hash(key, map->capacity);

	while (map->slots[at].value && map->slots[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	map->count += map->slots[at].value == NULL;
	map->slots[at].key = key;
	map->slots[at].value = value;
}

static bool grow(struct map *map)
{
	struct map bigger = { NULL,
			      map->capacity ? map->capacity * 2 : MAP_FIRST_CAPACITY, 0 };

	(void)map_salt(); /* before any key is hashed */
	bigger.slots = memory_alloc_zeroed(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].value)
			insert(&bigger, map->slots[i].key, map->slots[i].value);
	free(map->slots);
	*map = bigger;
	return true;
}

bool map_put(struct map *map, uint64_t key, void *value)
{
	assert(value);
	/* At most three quarters full, so that a probe always ends. */
	if (map->count + 1 > map->capacity / 4 * 3 && !grow(map))
		return false;
	insert(map, key, value);
	return true;
}

void map_release(struct map *map)
{
	free(map->slots);
	*map = (struct map){ NULL, 0, 0 };
}
