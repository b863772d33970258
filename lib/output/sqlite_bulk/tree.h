/*
 * tree.h - writes a b-tree from cells in the order of its keys.
 *
 * A leaf is filled and appended to the file, then the next one begins.  Above the leaves
 * each level has one page, which is filled with the numbers of the pages below it.  The
 * topmost page stays in memory until its place is known: the page that SQLite allocated
 * with CREATE TABLE or CREATE INDEX.
 */
#ifndef PERFTAB_BULK_TREE_H
#define PERFTAB_BULK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "output/sqlite_bulk/bytes.h"
#include "output/sqlite_bulk/pages.h"
#include "output/sqlite_bulk/sound.h"

/* Enough for 2^32 pages of 512 bytes with cells of 100 bytes. */
#define BULK_LEVELS_MAX 20

enum bulk_tree_kind {
	BULK_TABLE, /* rows are in leaves, keys are row ids */
	BULK_INDEX, /* entries are in every page, each once */
};

struct bulk_level {
	uint8_t *page;
	size_t header;	  /* bytes before the pointers to the cells */
	size_t cells;	  /* on this page */
	size_t content;	  /* where the first (the latest) cell begins */
	size_t last_size; /* of the latest cell */
};

struct bulk_tree {
	struct bulk_pages *pages;
	enum bulk_tree_kind kind;
	size_t cell_max; /* a larger payload would need overflow pages */
	uint64_t count;	 /* cells written, in leaves and, of indexes, above */
	int64_t last_rowid;
	bool is_checked; /* each page is checked before it is written */
	struct bulk_sound sound;
	size_t level_count;
	struct bulk_level levels[BULK_LEVELS_MAX];
};

void tree_init(struct bulk_tree *tree, struct bulk_pages *pages,
	       enum bulk_tree_kind kind);

static inline bool tree_has_room(const struct bulk_level *level, size_t size)
{
	return level->header + 2 * (level->cells + 1) + size <= level->content;
}

static inline uint8_t *tree_place(struct bulk_level *level, size_t size)
{
	level->content -= size;
	level->last_size = size;
	put_u16(level->page + level->header + 2 * level->cells++, level->content);
	return level->page + level->content;
}

/*
 * The leaf while many cells are written into it, in locals: a store into the page could
 * change members of the tree as far as the compiler knows.
 */
struct bulk_pen {
	uint8_t *page;
	size_t content, pointers, last_size;
	uint64_t count;
};

static inline struct bulk_pen tree_pen(const struct bulk_tree *tree)
{
	const struct bulk_level *leaf = &tree->levels[0];

	return (struct bulk_pen){ leaf->page, leaf->content,
				  leaf->header + 2 * leaf->cells, leaf->last_size,
				  tree->count };
}

/* Never with the empty tree, which has no leaf. */
static inline bool pen_has_room(const struct bulk_pen *pen, size_t size)
{
	return pen->pointers + 2 + size <= pen->content;
}

/* The cell that begins at `from`, and ends where the one before begins. */
static inline void pen_place(struct bulk_pen *pen, const uint8_t *from)
{
	size_t content = (size_t)(from - pen->page);

	pen->last_size = pen->content - content;
	pen->content = content;
	put_u16(pen->page + pen->pointers, content);
	pen->pointers += 2;
	pen->count++;
}

/* The tree is where the pen is, after the row `rowid`. */
static inline void tree_set_pen(struct bulk_tree *tree, const struct bulk_pen *pen,
				int64_t rowid)
{
	struct bulk_level *leaf = &tree->levels[0];

	leaf->content = pen->content;
	leaf->cells = (pen->pointers - leaf->header) / 2;
	leaf->last_size = pen->last_size;
	tree->count = pen->count;
	tree->last_rowid = rowid;
}

/*
 * Writes a cell that was made elsewhere, after the row `before`; the pen is then in the
 * leaf of that cell.
 */
MUST_CHECK enum status tree_add(struct bulk_tree *tree, struct bulk_pen *pen,
				int64_t before, const uint8_t *cell, size_t size,
				int64_t rowid, struct error *error);
/* Begins an empty leaf, after a full one or at the start. */
MUST_CHECK enum status tree_turn(struct bulk_tree *tree, struct error *error);
/*
 * Returns the place for the next cell of `size` bytes, which must be written before the
 * next call; its payload is at most cell_max.  Row ids of tables ascend.  NULL: see
 * *error.
 */
static inline uint8_t *tree_cell(struct bulk_tree *tree, size_t size, int64_t rowid,
				 struct error *error)
{
	struct bulk_level *leaf = &tree->levels[0];

	if ((!tree->level_count || !tree_has_room(leaf, size)) &&
	    tree_turn(tree, error) != ST_OK)
		return NULL;
	tree->count++;
	tree->last_rowid = rowid;
	return tree_place(leaf, size);
}
/* Ends the tree: appends all pages but the topmost. */
MUST_CHECK enum status tree_close(struct bulk_tree *tree, struct error *error);
/* Writes the topmost page to the root that SQLite allocated, unless the tree is empty. */
MUST_CHECK enum status tree_set_root(struct bulk_tree *tree, uint32_t root,
				     struct error *error);
void tree_release(struct bulk_tree *tree);

#endif
