/*
 * entries.c - an entry is a record of two integers, the value and the row id.
 *
 * Most entries have numbers of the same sizes as the entry before: the front of such a
 * cell is made once.
 */
#include "output/sqlite_bulk/entries.h"

#include "output/sqlite_bulk/record.h"

/* The size of the record, and its header of three bytes. */
#define FRONT_BYTES 4
/* Numbers are written with up to eight bytes too many before them. */
#define ENTRY_ROOM (FRONT_BYTES + 3 * sizeof(int64_t))

/* Numbers of one size: from the least one so many more. */
struct alike {
	uint64_t least, more;
};

struct shape {
	struct alike values, rowids; /* values as the sorter orders them */
	uint8_t front[FRONT_BYTES];
	uint8_t second, size; /* bytes of the row id, of the cell */
};

static inline bool is_alike(struct alike alike, uint64_t number)
{
	return number - alike.least <= alike.more;
}

/* Small and negative numbers, and NULL, which are rare, are alike to nothing else. */
static struct alike alike_of(int64_t number, struct bulk_int_size size)
{
	static const uint8_t size_before[] = { 0, 0, 1, 2, 3, 0, 4, 0, 6 };
	uint64_t least = UINT64_C(1) << (8 * size_before[size.size]) >> 1;

	if (number < 2)
		return (struct alike){ (uint64_t)number, 0 };
	least = least ? least : 2;
	return (struct alike){ least, (UINT64_C(1) << (8 * size.size - 1)) - 1 - least };
}

static struct shape shape_of(const struct bulk_key *key)
{
	int64_t value = key_number(key);
	struct bulk_int_size first = record_int_size(value);
	struct bulk_int_size second = record_int_size(key->rowid);
	struct shape shape = { .values = alike_of(value, first),
			       .rowids = alike_of(key->rowid, second),
			       .second = second.size };

	if (value == BULK_KEY_NULL)
		first.type = first.size = 0;
	shape.values.least = key_value((int64_t)shape.values.least);
	shape.size = (uint8_t)(FRONT_BYTES + first.size + second.size);
	shape.front[0] = (uint8_t)(shape.size - 1);
	shape.front[1] = FRONT_BYTES - 1;
	shape.front[2] = first.type;
	shape.front[3] = second.type;
	return shape;
}

/* Writes an entry before `end`; returns where it begins. */
static inline uint8_t *write_entry(uint8_t *end, const struct bulk_key *key,
				   const struct shape *shape)
{
	uint8_t *from = end - shape->size;

	record_int_bytes(end, key->rowid);
	record_int_bytes(end - shape->second, key_number(key));
	memcpy(from, shape->front, FRONT_BYTES);
	return from;
}

/* Entries of keys alike, as many as the page has room for; returns the key after them. */
static const struct bulk_key *write_alike(struct bulk_level *leaf,
					  const struct shape *like,
					  const struct bulk_key *key,
					  const struct bulk_key *end)
{
	const struct shape shape = *like;
	struct bulk_level here = *leaf;

	while (key < end && level_has_room(&here, ENTRY_ROOM) &&
	       is_alike(shape.values, key->value) &&
	       is_alike(shape.rowids, (uint64_t)key->rowid)) {
		(void)write_entry(here.page + here.content, key++, &shape);
		(void)level_place(&here, shape.size);
	}
	*leaf = here;
	return key;
}

enum status entries_write(struct bulk_tree *tree, const struct bulk_key *keys,
			  size_t count, struct error *error)
{
	const struct bulk_key *key = keys, *end = keys + count;
	struct bulk_level *leaf = &tree->levels[0];
	uint8_t spare[ENTRY_ROOM];

	while (key < end) {
		struct shape shape = shape_of(key);
		enum status status;
		const uint8_t *from;

		key = write_alike(leaf, &shape, key, end);
		if (key == end || level_has_room(leaf, ENTRY_ROOM))
			continue;
		/* The last ones of a page, with no room before them: made elsewhere. */
		shape = shape_of(key);
		from = write_entry(spare + sizeof(spare), key, &shape);
		status = tree_add(tree, from, shape.size, error);
		if (status != ST_OK)
			return status;
		key++;
	}
	return ST_OK;
}
