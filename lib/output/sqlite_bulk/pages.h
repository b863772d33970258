/*
 * pages.h - reads and appends pages of a database file that SQLite has closed.
 *
 * Pages are appended in the order in which they are complete, collected into extents and
 * written with one call each, without copies.  The header on page 1 gets the number of
 * pages and a new change counter, for SQLite to see when it opens the file again.
 */
#ifndef PERFTAB_BULK_PAGES_H
#define PERFTAB_BULK_PAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/os.h"

/* SQLite locks this byte of the file; the page that holds it is never used. */
#define BULK_LOCK_BYTE UINT32_C(0x40000000)

/* One to fill, one that waits to be written, one being written. */
#define BULK_EXTENTS 3

/* Consecutive pages that are not written yet, then free rooms for more. */
struct bulk_extent {
	struct bulk_pages *owner;
	struct error error; /* of the writes */
	uint32_t first;
	size_t count, rooms;
	uint8_t *pages[];
};

/* The start of a page of a b-tree. */
struct bulk_page_head {
	uint8_t kind; /* 0: the page was not appended */
	uint16_t cells;
};

struct bulk_pages {
	int fd;
	const char *path;  /* the caller's; for messages */
	size_t page_bytes; /* 512 .. 65536, a power of two */
	size_t usable;	   /* without the reserved bytes at the end of each */
	uint32_t next;	   /* number of the page appended next */
	uint32_t lock_page;
	size_t extent_room;
	/* For two indexes at once: while extents are written, another one is filled. */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool is_ending; /* one thread waits until there is an extent to fill */
	struct bulk_extent *extents[BULK_EXTENTS];
	size_t at; /* that is filled */
	struct background
		*background;	 /* NULL: the thread that fills extents writes them */
	struct os_room reserved; /* of the writing thread */
	/* Of each page appended, from this one on. */
	uint32_t first_head;
	size_t head_room;
	struct bulk_page_head *heads;
};

/*
 * Opens a database that SQLite has closed.  ST_UNSUPPORTED: it is left to SQLite, and
 * error->text is the reason.  `lock_byte` is BULK_LOCK_BYTE except in tests.
 */
MUST_CHECK enum status pages_open(struct bulk_pages *pages, const char *path,
				  uint32_t lock_byte, struct error *error);
/* Has an idle thread of the pool write the pages from here on. */
void pages_share_writes(struct bulk_pages *pages);
/* Returns zeroed room for a page, to be freed by free(); NULL: out of memory. */
uint8_t *pages_room(const struct bulk_pages *pages);
/*
 * Appends the page and replaces it by another room, with undefined contents; *number is
 * the page's number.
 */
MUST_CHECK enum status pages_append(struct bulk_pages *pages, uint8_t **page,
				    uint32_t *number, struct error *error);
/* Overwrites a page that SQLite allocated, or reads a page already written. */
MUST_CHECK enum status pages_write(struct bulk_pages *pages, uint32_t number,
				   const uint8_t *page, struct error *error);
MUST_CHECK enum status pages_read(const struct bulk_pages *pages, uint32_t number,
				  size_t from, void *to, size_t size,
				  struct error *error);
/* Returns the head of an appended page; undefined for any other page. */
struct bulk_page_head pages_head(const struct bulk_pages *pages, uint32_t number);
/* Writes all pages and the header: SQLite may then open the file. */
MUST_CHECK enum status pages_hand_over(struct bulk_pages *pages, struct error *error);
/* Continues after the pages that SQLite allocated, when it has closed the file. */
MUST_CHECK enum status pages_reopen(struct bulk_pages *pages, struct error *error);
void pages_close(struct bulk_pages *pages);

#endif
