/* test_bulk_pages.c - lib/output/sqlite_bulk/pages.h: pages at the end of a database. */
#include "output/sqlite_bulk/pages.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "unit.h"

#define PAGE_BYTES 512
#define EXTENT_PAGES 256
#define PAGES ((BULK_EXTENTS + 1) * EXTENT_PAGES + 10)

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
static void append_pages(uint32_t lock, bool is_shared)
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
	if (is_shared)
		pages_share_writes(&pages);
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
		for (int is_shared = 0; is_shared < 2; is_shared++)
			append_pages(locks[i], is_shared);
}

/* Appends pages to a file that has room for some of them. */
static enum status refused(size_t count, size_t fits, struct error *error)
{
	const char *path = new_database();
	struct bulk_pages pages;
	struct rlimit before, limit;
	enum status status = ST_OK;
	uint32_t number;
	uint8_t *page;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(pages_open(&pages, path, 0, error), ST_OK);
	pages_share_writes(&pages);
	page = pages_room(&pages);
	assert_non_null(page);
	limit = before;
	limit.rlim_cur = (pages.next - 1 + fits) * PAGE_BYTES;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (size_t i = 0; i < count && status == ST_OK; i++)
		status = pages_append(&pages, &page, &number, error);
	if (status == ST_OK)
		status = pages_hand_over(&pages, error);
	free(page);
	pages_close(&pages);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	return status;
}

/* However many writes there were before, and after it. */
UNIT_TEST(refused_write)
{
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);

	for (size_t i = 0; i <= BULK_EXTENTS + 1; i++)
		for (size_t j = 0; j <= i; j++) {
			struct error error = { ST_OK, 0, "" };

			assert_int_equal(refused(i * EXTENT_PAGES + 1, j * EXTENT_PAGES,
						 &error),
					 ST_IO);
			HAS(error.text, "cannot write");
		}
	(void)signal(SIGXFSZ, handler);
}
