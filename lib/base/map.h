/*
 * map.h - 64-bit keys to pointers, open addressing.
 *
 * Owns its table, not what the pointers point to.  NULL values are not stored.
 */
#ifndef PERFTAB_MAP_H
#define PERFTAB_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct map_slot {
	uint64_t key;
	void *value; /* NULL: the slot is free */
};

struct map {
	struct map_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

/*
 * Random in each process, so that a crafted file cannot make all keys collide.  map_seed
 * is 0 until the first key is made or stored; map_salt() is never 0.
 */
extern _Atomic uint64_t map_seed;
uint64_t map_new_salt(void);

static inline uint64_t map_salt(void)
{
	uint64_t seed = atomic_load_explicit(&map_seed, memory_order_relaxed);

	return seed ? seed : map_new_salt();
}

/*
 * Adds two numbers to a key that begins with map_salt().  Uses both halves of a product
 * that depends on the salt: with one half alone, differences in high bits cancel.
 */
static inline uint64_t map_mix(uint64_t hash, uint64_t a, uint64_t b)
{
	unsigned __int128 product =
		(unsigned __int128)(hash ^ a) * ((hash << 32 | hash >> 32) ^ b);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Returns the key of a text; `start` is map_salt() or a seed, with the kind of key. */
uint64_t map_hash_text(uint64_t start, struct str text);

static inline size_t map_hash(uint64_t key, size_t capacity)
{
	/*
	 * Each bit of the key changes each bit of the slot.  One multiplication is not
	 * enough: with one seed of 280, keys that differ in 10 bits got 600 slots of 4096
	 * where random ones get 900.
	 */
	uint64_t hash = key ^ atomic_load_explicit(&map_seed, memory_order_relaxed);

	hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
	hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
	return (size_t)(hash ^ hash >> 32) & (capacity - 1);
}

/* Returns one key for four numbers.  Others may have the same: MAP_FIND() compares. */
static inline uint64_t map_key(int64_t a, int64_t b, int64_t c, int64_t d)
{
	return map_mix(map_mix(map_salt(), (uint64_t)a, (uint64_t)b), (uint64_t)c,
		       (uint64_t)d);
}

/* Returns the value of key, or NULL. */
static inline void *map_get(const struct map *map, uint64_t key)
{
	size_t at;

	if (map->count == 0)
		return NULL;
	at = map_hash(key, map->capacity);
	while (map->slots[at].value) {
		if (map->slots[at].key == key)
			return map->slots[at].value;
		at = (at + 1) & (map->capacity - 1);
	}
	return NULL;
}

/*
 * The one with that key of which `is_it` holds, an expression with `found`, or NULL.
 * Different ones may have the same key: they have the next keys, and a new one is to be
 * put with what `key` is then.
 */
#define MAP_FIND(map, key, found, is_it)                   \
	do {                                               \
		(found) = map_get((map), (key));           \
		while ((found) && !(is_it))                \
			(found) = map_get((map), ++(key)); \
	} while (0)

/* Sets or replaces; false when out of memory. */
bool map_put(struct map *map, uint64_t key, void *value);
void map_release(struct map *map);

#endif
