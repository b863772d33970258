/* composite.c - packs the columns of a key, and unpacks them into entries. */
#include "output/sqlite_bulk/composite.h"

#include <stdlib.h>
#include <string.h>

#include "output/sqlite_bulk/record.h"

/*
 * Bits of each leading column, by their number: all 64 but one.  The first is mostly a
 * trace, the last of three a counter of a counterset.
 */
static const unsigned int bits_of[BULK_KEY_COLUMNS_MAX][BULK_KEY_COLUMNS_MAX - 1] = {
	{ 0 },
	{ 63 },
	{ 24, 39 },
	{ 12, 28, 23 },
};

/* --- rows to keys --- */

/* The last column ascends, or begins again with the next value of the first. */
static bool ascends(const struct bulk_composite *composite, int64_t first, int64_t last)
{
	return !composite->any || first > composite->first ||
	       (first == composite->first && last >= composite->last);
}

static bool add_step(struct bulk_composite *composite, int64_t rowid, int64_t value)
{
	struct bulk_step *steps = composite->steps;
	size_t count = composite->step_count;

	if (count && steps[count - 1].value == value)
		return true;
	if (count == BULK_STEPS_MAX)
		return false;
	if (count == composite->step_room) {
		composite->step_room = count ? 2 * count : 64;
		steps = realloc(steps, composite->step_room * sizeof(*steps));
		if (!steps)
			return false;
		composite->steps = steps;
	}
	steps[composite->step_count++] = (struct bulk_step){ rowid, value };
	return true;
}

/* NULL is 0, and other values one more than they are. */
static bool pack(const struct bulk_composite *composite, const int64_t *values,
		 int64_t *number)
{
	const unsigned int *bits = bits_of[composite->columns - 1];
	uint64_t packed = 0;
	bool fits = true;

	for (size_t i = 0; i + 1 < composite->columns; i++) {
		uint64_t value = values[i] == INT64_MIN ? 0 : (uint64_t)values[i] + 1;

		fits &= values[i] == INT64_MIN || (values[i] >= 0 && !(value >> bits[i]));
		packed = packed << bits[i] | value;
	}
	*number = (int64_t)packed;
	return fits;
}

bool composite_key(struct bulk_composite *composite, const int64_t *values, int64_t rowid,
		   int64_t *number)
{
	int64_t last = values[composite->columns - 1];

	if (composite->is_left)
		return false;
	composite->is_left = !pack(composite, values, number) ||
			     !ascends(composite, values[0], last) ||
			     !add_step(composite, rowid, last);
	composite->any = true;
	composite->first = values[0];
	composite->last = last;
	return !composite->is_left;
}

/* --- keys to entries --- */

static bool is_of_step(const struct bulk_composite *composite, size_t at, int64_t rowid)
{
	return at < composite->step_count && composite->steps[at].rowid <= rowid &&
	       (at + 1 == composite->step_count ||
		rowid < composite->steps[at + 1].rowid);
}

/* Mostly that of the entry before, or the next one. */
static int64_t last_value(struct bulk_composite *composite, int64_t rowid)
{
	size_t low = 0, high = composite->step_count;

	if (!is_of_step(composite, composite->at, rowid))
		composite->at++;
	if (is_of_step(composite, composite->at, rowid))
		return composite->steps[composite->at].value;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (composite->steps[middle].rowid <= rowid)
			low = middle;
		else
			high = middle;
	}
	composite->at = low;
	return composite->steps[low].value;
}

/* Returns its number of values: the columns and the row id. */
static size_t unpack(struct bulk_composite *composite, const struct bulk_key *key,
		     int64_t values[BULK_KEY_COLUMNS_MAX + 1])
{
	uint64_t number = (uint64_t)key_number(key);
	const unsigned int *bits = bits_of[composite->columns - 1];
	size_t last = composite->columns - 1;

	for (size_t i = last; i-- > 0;) {
		values[i] = (int64_t)(number & ((UINT64_C(1) << bits[i]) - 1)) - 1;
		if (values[i] < 0)
			values[i] = INT64_MIN;
		number >>= bits[i];
	}
	values[last] = last_value(composite, key->rowid);
	values[last + 1] = key->rowid;
	return last + 2;
}

enum status composite_entry(struct bulk_composite *composite, struct bulk_tree *tree,
			    const struct bulk_key *key, struct error *error)
{
	/* The sizes of entry and header, types, values, and what these overwrite. */
	enum { VALUES = BULK_KEY_COLUMNS_MAX + 1, ROOM = 8 + 2 + VALUES * 9 };
	int64_t values[VALUES];
	uint8_t types[VALUES], room[ROOM], *end = room + ROOM;
	size_t count = unpack(composite, key, values);
	struct bulk_front front = { types + VALUES, end };

	for (size_t i = count; i-- > 0;)
		front = values[i] == INT64_MIN ? front_null(front)
					       : front_int(front, values[i]);
	front.cell -= count;
	memcpy(front.cell, front.types, count);
	*--front.cell = (uint8_t)(count + 1);
	front.cell--;
	*front.cell = (uint8_t)(end - front.cell - 1);
	return tree_add(tree, front.cell, (size_t)(end - front.cell), error);
}

void composite_release(struct bulk_composite *composite)
{
	free(composite->steps);
	*composite = (struct bulk_composite){ .columns = composite->columns };
}
