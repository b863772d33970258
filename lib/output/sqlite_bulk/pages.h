/*
 * pages.h - the pages of a database file that SQLite is not looking at.
 *
 * Pages are appended in the order in which they are complete, collected into extents and
 * written with one call each; none is copied on the way.  The header on page 1 says what
 * SQLite is to believe when it opens the file again: how many pages there are, and that
 * something has changed.
 */
#ifndef PERFTAB_BULK_PAGES_H
#define PERFTAB_BULK_PAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* SQLite locks this byte of the file; the page that holds it is never used. */
#define BULK_LOCK_BYTE UINT32_C(0x40000000)

/* Pages that follow one another and are not written yet, then free rooms for more. */
struct bulk_extent {
	uint32_t first;
	size_t count, rooms;
	uint8_t *pages[];
};

struct bulk_pages {
	int fd;
	const char *path;  /* the caller's; for messages */
	size_t page_bytes; /* 512 .. 65536, a power of two */
	size_t usable;	   /* without what is reserved at the end of each */
	uint32_t next;	   /* number of the page appended next */
	uint32_t lock_page;
	size_t extent_room;
	/* Two indexes may grow at once: while one extent is written, the other is filled.
	 */
	pthread_mutex_t lock;
	pthread_cond_t written;
	bool writing;
	struct bulk_extent *filling, *other;
};

/*
 * Opens a database that SQLite has closed.  ST_UNSUPPORTED: of a kind that is left to
 * SQLite, and error->text is the reason.  `lock_byte` is BULK_LOCK_BYTE except in tests.
 */
MUST_CHECK enum status pages_open(struct bulk_pages *pages, const char *path,
				  uint32_t lock_byte, struct error *error);
/* Room for a page, zeros; for free().  NULL: out of memory. */
uint8_t *pages_room(const struct bulk_pages *pages);
/*
 * Takes the page for the end of the file, and gives another room for it, with whatever is
 * left in it; *number is what the page is called.
 */
MUST_CHECK enum status pages_append(struct bulk_pages *pages, uint8_t **page,
				    uint32_t *number, struct error *error);
/* Writes over a page that SQLite has allotted, or reads what is written already. */
MUST_CHECK enum status pages_write(struct bulk_pages *pages, uint32_t number,
				   const uint8_t *page, struct error *error);
MUST_CHECK enum status pages_read(const struct bulk_pages *pages, uint32_t number,
				  size_t from, void *to, size_t size,
				  struct error *error);
/* Everything into the file, and the header set: SQLite may open it. */
MUST_CHECK enum status pages_hand_over(struct bulk_pages *pages, struct error *error);
/* After SQLite has closed it again: goes on behind what it allotted. */
MUST_CHECK enum status pages_reopen(struct bulk_pages *pages, struct error *error);
void pages_close(struct bulk_pages *pages);

#endif
