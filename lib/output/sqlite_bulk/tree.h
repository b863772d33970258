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
#include "base/sqlite_format.h"
#include "output/sqlite_bulk/page_check.h"
#include "output/sqlite_bulk/pages.h"

/* Enough for 2^32 pages of 512 bytes with cells of 100 bytes. */
#define BULK_LEVELS_MAX 20

enum bulk_tree_kind {
	BULK_TABLE, /* rows are in leaves, keys are row ids */
	BULK_INDEX, /* entries are in every page, each once */
};

struct bulk_level {
	uint8_t *page;
	size_t header;	  /* bytes before the pointers to the cells */
	size_t pointers;  /* where the next one goes */
	size_t content;	  /* where the first (the latest) cell begins */
	size_t last_size; /* of the latest cell */
};

struct bulk_tree {
	struct bulk_pages *pages;
	const char *name;	/* of its table or index; the caller's */
	struct bulk_tree *next; /* likewise */
	uint32_t root;		/* which SQLite allocated */
	enum bulk_tree_kind kind;
	size_t cell_max; /* a larger payload would need overflow pages */
	bool is_checked; /* each page is checked before it is written */
	struct bulk_page_check check;
	size_t level_count;			   /* 0: the tree is empty */
	struct bulk_level levels[BULK_LEVELS_MAX]; /* the leaf first */
};

void tree_init(struct bulk_tree *tree, struct bulk_pages *pages,
	       enum bulk_tree_kind kind);

/*
 * Cells are made in the leaf, or elsewhere for tree_add().  A loop keeps the leaf in a
 * local: a store into the page could change members of the tree as far as the compiler
 * knows.  The leaf of an empty tree has no room.
 */
static inline bool level_has_room(const struct bulk_level *level, size_t size)
{
	return level->pointers + 2 + size <= level->content;
}

/* Adds a cell of `size` bytes; returns its place, which ends where the last one began. */
static inline uint8_t *level_place(struct bulk_level *level, size_t size)
{
	level->content -= size;
	level->last_size = size;
	put_u16(level->page + level->pointers, level->content);
	level->pointers += 2;
	return level->page + level->content;
}

/*
 * Adds a copy of the cell, in a new leaf if this one is full.  Its payload is at most
 * cell_max.
 */
MUST_CHECK enum status tree_add(struct bulk_tree *tree, const uint8_t *cell, size_t size,
				struct error *error);
/* Ends the tree: appends all pages but the topmost. */
MUST_CHECK enum status tree_close(struct bulk_tree *tree, struct error *error);
/* Writes the topmost page to the root, unless the tree is empty. */
MUST_CHECK enum status tree_write_root(struct bulk_tree *tree, struct error *error);
void tree_release(struct bulk_tree *tree);

#endif
