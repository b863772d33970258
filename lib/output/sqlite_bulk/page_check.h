/*
 * page_check.h - checks a page of a b-tree as it is written, from its bytes alone: what
 * quick_check would find wrong with it.
 *
 * Cells fill the page from its end without a gap, records are as long as their types say,
 * and keys ascend, from leaf to leaf as well.
 */
#ifndef PERFTAB_BULK_PAGE_CHECK_H
#define PERFTAB_BULK_PAGE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of an index and the row id. */
#define PAGE_CHECK_VALUES 5

/* The greatest key of the leaves so far: a row id, or the values of an entry. */
struct bulk_page_check {
	bool any;
	int64_t key[PAGE_CHECK_VALUES]; /* INT64_MIN: NULL */
};

/* The page but the first of a file, of a tree whose leaves come in order. */
bool page_is_sound(struct bulk_page_check *check, const uint8_t *page, size_t usable);

#endif
