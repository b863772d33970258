/* tree.c - fills leaf and interior pages of a b-tree in key order. */
#include "output/sqlite_bulk/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sqlite_format.h"

/*
 * A row id, or the entry of an index over four integers with the number of a child: a
 * header of 7 bytes, five integers.
 */
#define KEY_BYTES_MAX 64

void tree_init(struct bulk_tree *tree, struct bulk_pages *pages, enum bulk_tree_kind kind)
{
	*tree = (struct bulk_tree){ .pages = pages, .kind = kind };
	tree->cell_max = payload_max(kind == BULK_INDEX, pages->usable);
}

void tree_release(struct bulk_tree *tree)
{
	for (size_t i = 0; i < tree->level_count; i++)
		free(tree->levels[i].page);
	tree->level_count = 0;
}

static void clear(const struct bulk_tree *tree, struct bulk_level *level)
{
	level->pointers = level->header;
	level->content = tree->pages->usable;
}

/* The page of a level; creates the level if it is the first at that height. */
static struct bulk_level *level_at(struct bulk_tree *tree, size_t height,
				   struct error *error)
{
	struct bulk_level *level = &tree->levels[height];

	if (height < tree->level_count)
		return level;
	assert(height < BULK_LEVELS_MAX);
	level->page = pages_room(tree->pages);
	if (!level->page) {
		error_nomem(error);
		return NULL;
	}
	level->header = height ? INTERIOR_HEADER_BYTES : LEAF_HEADER_BYTES;
	clear(tree, level);
	tree->level_count = height + 1;
	return level;
}

/* --- full pages --- */

static void write_header(const struct bulk_tree *tree, const struct bulk_level *level)
{
	static const uint8_t kinds[2][2] = {
		[BULK_TABLE] = { TABLE_LEAF, TABLE_INTERIOR },
		[BULK_INDEX] = { INDEX_LEAF, INDEX_INTERIOR },
	};
	uint8_t *page = level->page;

	page[PAGE_KIND] = kinds[tree->kind][level != &tree->levels[0]];
	put_u16(page + PAGE_FREE, 0);
	put_u16(page + PAGE_CELLS, (level->pointers - level->header) / 2);
	put_u16(page + PAGE_CONTENT, level->content & 0xffff);
	page[PAGE_FRAGMENTS] = 0;
	/* Clears bytes of the page before between pointers and cells. */
	memset(page + level->pointers, 0, level->content - level->pointers);
}

static enum status check(struct bulk_tree *tree, const struct bulk_level *level,
			 struct error *error)
{
	return !tree->is_checked || page_is_sound(&tree->check, level->page,
						  tree->pages->usable)
		       ? ST_OK
		       : error_set(error, ST_CORRUPT, ERROR_NO_OFFSET,
				   "%s: a page was not written as it should be",
				   tree->pages->path);
}

static enum status append(struct bulk_tree *tree, struct bulk_level *level,
			  uint32_t *number, struct error *error)
{
	enum status status;

	write_header(tree, level);
	status = check(tree, level, error);
	if (status != ST_OK)
		return status;
	status = pages_append(tree->pages, &level->page, number, error);
	clear(tree, level);
	return status;
}

static enum status link_page(struct bulk_tree *tree, size_t height, uint32_t child,
			     const uint8_t *key, size_t size, struct error *error);

/* Removes the latest cell from the page into `key`, for the level above. */
static size_t remove_last(struct bulk_level *level, uint8_t key[KEY_BYTES_MAX])
{
	size_t size = level->last_size;

	assert(level->pointers > level->header + 2 && size <= KEY_BYTES_MAX);
	memcpy(key, level->page + level->content, size);
	level->content += size;
	level->pointers -= 2;
	return size;
}

/* Copies the row id of the latest cell, which follows the size of the record. */
static size_t copy_rowid(const struct bulk_level *leaf, uint8_t key[KEY_BYTES_MAX])
{
	const uint8_t *cell = leaf->page + leaf->content, *end = cell + leaf->last_size;
	uint64_t payload, rowid;
	const uint8_t *from = cell + get_varint(cell, end, &payload);
	size_t size = get_varint(from, end, &rowid);

	memcpy(key, from, size);
	return size;
}

/*
 * Appends a full leaf and adds it to the level above.  Its key there is the last row id
 * in the leaf (table), or the last entry, which moves up (index), so that the leaf that
 * now begins never stays empty.
 */
static enum status end_leaf(struct bulk_tree *tree, struct error *error)
{
	uint8_t key[KEY_BYTES_MAX];
	struct bulk_level *leaf = &tree->levels[0];
	uint32_t number;
	enum status status;
	size_t size;

	if (tree->kind == BULK_TABLE)
		size = copy_rowid(leaf, key);
	else
		size = remove_last(leaf, key);
	status = append(tree, leaf, &number, error);
	return status == ST_OK ? link_page(tree, 1, number, key, size, error) : status;
}

/* The same for an interior page: the child of its last cell becomes its last child. */
static enum status end_interior(struct bulk_tree *tree, size_t height,
				struct error *error)
{
	uint8_t cell[KEY_BYTES_MAX];
	struct bulk_level *level = &tree->levels[height];
	uint32_t number;
	enum status status;
	size_t size = remove_last(level, cell);

	memcpy(level->page + PAGE_RIGHT, cell, CHILD_BYTES);
	status = append(tree, level, &number, error);
	return status == ST_OK ? link_page(tree, height + 1, number, cell + CHILD_BYTES,
					   size - CHILD_BYTES, error)
			       : status;
}

/* Adds the page `child`, whose keys are at most (an index: less than) `key`. */
static enum status link_page(struct bulk_tree *tree, size_t height, uint32_t child,
			     const uint8_t *key, size_t size, struct error *error)
{
	struct bulk_level *level = level_at(tree, height, error);
	uint8_t *cell;

	if (!level)
		return error->status;
	if (!level_has_room(level, CHILD_BYTES + size)) {
		enum status status = end_interior(tree, height, error);

		if (status != ST_OK)
			return status;
	}
	cell = level_place(level, CHILD_BYTES + size);
	put_u32(cell, child);
	memcpy(cell + CHILD_BYTES, key, size);
	return ST_OK;
}

/* --- interface --- */

enum status tree_add(struct bulk_tree *tree, const uint8_t *cell, size_t size,
		     struct error *error)
{
	struct bulk_level *leaf = &tree->levels[0];
	enum status status = ST_OK;

	if (!tree->level_count)
		status = level_at(tree, 0, error) ? ST_OK : error->status;
	else if (!level_has_room(leaf, size))
		status = end_leaf(tree, error);
	if (status == ST_OK)
		memcpy(level_place(leaf, size), cell, size);
	return status;
}

enum status tree_close(struct bulk_tree *tree, struct error *error)
{
	enum status status = ST_OK;

	/* Each page but the topmost is the last child of the one above it. */
	for (size_t i = 0; i + 1 < tree->level_count && status == ST_OK; i++) {
		uint32_t number;

		status = append(tree, &tree->levels[i], &number, error);
		put_u32(tree->levels[i + 1].page + PAGE_RIGHT, number);
	}
	return status;
}

enum status tree_write_root(struct bulk_tree *tree, struct error *error)
{
	struct bulk_level *top;

	if (tree->level_count == 0)
		return ST_OK;
	top = &tree->levels[tree->level_count - 1];
	write_header(tree, top);
	if (check(tree, top, error) != ST_OK)
		return error->status;
	return pages_write(tree->pages, tree->root, top->page, error);
}
