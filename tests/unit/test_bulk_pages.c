/* test_bulk_pages.c - lib/output/sqlite_bulk/pages.h: pages at the end of a database. */
#include "output/sqlite_bulk/pages.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define PAGE_BYTES 512
#define EXTENT_PAGES 256
#define PAGES (2 * EXTENT_PAGES + 10)

static const char *new_database(void)
{
	const char *path = unit_below(unit_directory(), "db");
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "PRAGMA page_size = 512; CREATE TABLE t (a);"
				      "INSERT INTO t VALUES (randomblob(5000))",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return path;
}

/* Appends pages whose first bytes are their number; `lock` is counted from the first. */
static void append_pages(uint32_t lock)
{
	const char *path = new_database();
	struct error error = { ST_OK, 0, "" };
	struct bulk_pages pages;
	uint32_t first, number, expected;
	uint8_t *page;

	assert_int_equal(pages_open(&pages, path, 0, &error), ST_OK);
	first = pages.next;
	pages_close(&pages);
	assert_int_equal(
		pages_open(&pages, path, (first + lock - 1) * PAGE_BYTES, &error), ST_OK);
	assert_int_equal(pages.extent_room, EXTENT_PAGES);
	assert_int_equal(pages.lock_page, first + lock);
	page = pages_room(&pages);
	assert_non_null(page);
	for (uint32_t i = 0; i < PAGES; i++) {
		expected = first + i + (i >= lock);
		memset(page, 0xaa, PAGE_BYTES);
		memcpy(page, &expected, sizeof(expected));
		assert_int_equal(pages_append(&pages, &page, &number, &error), ST_OK);
		assert_int_equal(number, expected);
	}
	assert_int_equal(pages_hand_over(&pages, &error), ST_OK);
	assert_int_equal(pages_head(&pages, first - 1).kind, 0);
	assert_int_equal(pages_head(&pages, first + PAGES + 1).kind, 0);
	for (uint32_t i = 0; i <= PAGES; i++) {
		struct bulk_page_head head = pages_head(&pages, first + i);

		assert_int_equal(head.kind, i == lock ? 0 : (first + i) & 0xff);
		assert_int_equal(head.cells, i == lock ? 0 : 0xaa);
		assert_int_equal(pages_read(&pages, first + i, 0, &number, sizeof(number),
					    &error),
				 ST_OK);
		assert_int_equal(number, i == lock ? 0 : first + i);
	}
	free(page);
	pages_close(&pages);
	/* The header is of this number of pages. */
	assert_int_equal(pages_open(&pages, path, 0, &error), ST_OK);
	assert_int_equal(pages.next, first + PAGES + 1);
	pages_close(&pages);
}

/* The page that SQLite locks is all zeros, wherever in an extent it is. */
UNIT_TEST(lock_page)
{
	static const uint32_t locks[] = { 0, 1, EXTENT_PAGES - 2, EXTENT_PAGES - 1,
					  EXTENT_PAGES };

	for (size_t i = 0; i < COUNT(locks); i++)
		append_pages(locks[i]);
}
