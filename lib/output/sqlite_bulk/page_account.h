/*
 * page_account.h - page accounting: each page of a database file must be used once.
 *
 * It walks the trees from their roots, with the chains of overflow pages, then the list
 * of free pages.  A page that is used twice, of the wrong kind, or not used at all is an
 * error.  It depends on the file format only, not on how the file was written.
 */
#ifndef PERFTAB_BULK_PAGE_ACCOUNT_H
#define PERFTAB_BULK_PAGE_ACCOUNT_H

#include "output/sqlite_bulk/pages.h"

struct bulk_page_account {
	const struct bulk_pages *pages;
	uint32_t count; /* pages of the file */
	uint8_t *seen;	/* a bit for each */
	/*
	 * Pages in this range are as the loader appended them: it knows how each begins,
	 * and its leaves have no overflow pages.  NULL: all are read.
	 */
	const struct bulk_pages *loaded;
	uint32_t known_first, known_end;
};

MUST_CHECK enum status page_account_begin(struct bulk_page_account *account,
					  const struct bulk_pages *pages,
					  struct error *error);
/* *cells: rows of a table, entries of an index.  ST_CORRUPT: see error->text. */
MUST_CHECK enum status page_account_tree(struct bulk_page_account *account, uint32_t root,
					 uint64_t *cells, struct error *error);
/* Counts the free pages; then every page must have been counted. */
MUST_CHECK enum status page_account_end(struct bulk_page_account *account,
					struct error *error);
void page_account_release(struct bulk_page_account *account);

#endif
