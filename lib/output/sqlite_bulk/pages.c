/* pages.c - appends pages to a database file in large writes. */
#include "output/sqlite_bulk/pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/background.h"
#include "base/os.h"
#include "base/sqlite_format.h"

/* Large enough to make the cost of each call negligible. */
#define EXTENT_BYTES ((size_t)1 << 20)
#define EXTENT_PAGES_MAX 256
/* SQLite's own limit of page numbers. */
#define PAGES_MAX UINT32_C(0xfffffffe)

static enum status write_at(const struct bulk_pages *pages, const uint8_t *from,
			    size_t size, uint64_t offset, struct error *error)
{
	return os_write_all_at(pages->fd, from, size, offset)
		       ? ST_OK
		       : error_system(error, "write", pages->path);
}

static struct bulk_extent *filling(const struct bulk_pages *pages)
{
	return pages->extents[pages->at];
}

static uint64_t page_offset(const struct bulk_pages *pages, uint32_t number)
{
	return (uint64_t)(number - 1) * pages->page_bytes;
}

enum status pages_read(const struct bulk_pages *pages, uint32_t number, size_t from,
		       void *to, size_t size, struct error *error)
{
	ptrdiff_t got;

	do
		got = os_read_at(pages->fd, to, size, page_offset(pages, number) + from);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_system(error, "read", pages->path);
	if ((size_t)got < size)
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "cannot read %s: page %u is not in the file",
				 pages->path, number);
	return ST_OK;
}

/* --- the header --- */

static bool is_power_of_two(size_t bytes)
{
	return (bytes & (bytes - 1)) == 0;
}

/* The reason why the file is left to SQLite, or NULL. */
static const char *refusal(const struct bulk_pages *pages, const uint8_t *header)
{
	if (memcmp(header, "SQLite format 3", 16) != 0)
		return "it is not an SQLite database";
	if (header[HEADER_WRITE_VERSION] != 1 || header[HEADER_READ_VERSION] != 1)
		return "it has a write-ahead log";
	if (pages->page_bytes < 512 || pages->page_bytes > 65536 ||
	    !is_power_of_two(pages->page_bytes) || pages->usable < 480)
		return "its page size is not supported";
	if (get_u32(header + HEADER_SCHEMA_FORMAT) != 4)
		return "its schema format is not 4";
	if (get_u32(header + HEADER_VACUUM_ROOT) != 0)
		return "it has pointer maps (auto_vacuum)";
	if (get_u32(header + HEADER_ENCODING) != 1)
		return "its texts are not UTF-8";
	if (get_u32(header + HEADER_CHANGES) != get_u32(header + HEADER_CHANGES_THEN))
		return "its number of pages is unknown";
	return NULL;
}

/* Checks that the header's number of pages matches the size of the file. */
static enum status find_end(struct bulk_pages *pages, const uint8_t *header,
			    struct error *error)
{
	uint32_t count = get_u32(header + HEADER_PAGES);
	struct os_info info;

	if (!os_inspect(pages->fd, &info))
		return error_system(error, "read", pages->path);
	if (count == 0 || info.size != (uint64_t)count * pages->page_bytes)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "its size is %lld, expected that of its %u pages",
				 (long long)info.size, count);
	pages->next = count + 1;
	if (filling(pages))
		filling(pages)->first = pages->next;
	return ST_OK;
}

static enum status check_header(struct bulk_pages *pages, uint32_t lock_byte,
				struct error *error)
{
	uint8_t header[HEADER_BYTES];
	enum status status;
	const char *reason;

	status = pages_read(pages, 1, 0, header, sizeof(header), error);
	if (status != ST_OK)
		return status;
	pages->page_bytes = get_u16(header + HEADER_PAGE_BYTES);
	if (pages->page_bytes == 1)
		pages->page_bytes = 65536;
	pages->usable = pages->page_bytes - header[HEADER_RESERVED];
	reason = refusal(pages, header);
	if (reason)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%s", reason);
	pages->lock_page = lock_byte / (uint32_t)pages->page_bytes + 1;
	return find_end(pages, header, error);
}

/* --- opening and closing --- */

static bool new_extents(struct bulk_pages *pages)
{
	size_t bytes = sizeof(struct bulk_extent) +
		       pages->extent_room * sizeof(pages->extents[0]->pages[0]);

	for (size_t i = 0; i < BULK_EXTENTS; i++) {
		struct bulk_extent *extent = pages->extents[i] = calloc(1, bytes);

		if (!extent)
			return false;
		extent->owner = pages;
		extent->first = pages->next;
	}
	return true;
}

static void free_extent(struct bulk_extent *extent)
{
	for (size_t i = 0; extent && i < extent->rooms; i++)
		free(extent->pages[i]);
	free(extent);
}

enum status pages_open(struct bulk_pages *pages, const char *path, uint32_t lock_byte,
		       struct error *error)
{
	enum status status;

	*pages = (struct bulk_pages){ .path = path };
	pthread_mutex_init(&pages->lock, NULL);
	pthread_cond_init(&pages->ended, NULL);
	pages->fd = os_open(path, OS_CHANGE);
	status = pages->fd < 0 ? error_system(error, "open", pages->path)
			       : check_header(pages, lock_byte, error);
	if (status == ST_OK) {
		pages->first_head = pages->next;
		pages->extent_room = EXTENT_BYTES / pages->page_bytes;
		if (pages->extent_room > EXTENT_PAGES_MAX)
			pages->extent_room = EXTENT_PAGES_MAX;
		if (!new_extents(pages))
			status = error_nomem(error);
	}
	if (status != ST_OK)
		pages_close(pages);
	return status;
}

void pages_close(struct bulk_pages *pages)
{
	if (!pages->path)
		return;
	background_stop(pages->background);
	if (pages->fd >= 0)
		(void)os_close(pages->fd);
	for (size_t i = 0; i < BULK_EXTENTS; i++)
		free_extent(pages->extents[i]);
	free(pages->heads);
	pthread_cond_destroy(&pages->ended);
	pthread_mutex_destroy(&pages->lock);
	*pages = (struct bulk_pages){ .fd = -1 };
}

void pages_share_writes(struct bulk_pages *pages)
{
	pages->background = background_start(BACKGROUND_SHORT);
}

/* --- pages --- */

uint8_t *pages_room(const struct bulk_pages *pages)
{
	/* The kernel copies faster if pages are aligned as in the file. */
	uint8_t *room = os_alloc_aligned(pages->page_bytes, pages->page_bytes);

	if (room)
		memset(room, 0, pages->page_bytes);
	return room;
}

/* After the first `size` bytes: what is left of the pieces. */
static struct os_piece *pass(struct os_piece *at, size_t size)
{
	for (; size && size >= at->size; at++)
		size -= at->size;
	if (size) {
		at->bytes = (char *)at->bytes + size;
		at->size -= size;
	}
	return at;
}

static enum status write_extent(struct bulk_pages *pages,
				const struct bulk_extent *extent, struct error *error)
{
	struct os_piece pieces[EXTENT_PAGES_MAX], *at = pieces;
	const struct os_piece *end = pieces + extent->count;
	uint64_t offset = page_offset(pages, extent->first);

	for (size_t i = 0; i < extent->count; i++)
		pieces[i] = (struct os_piece){ extent->pages[i], pages->page_bytes };
	os_reserve(pages->fd, &pages->reserved,
		   offset + extent->count * pages->page_bytes);
	while (at < end) {
		ptrdiff_t wrote =
			os_write_pieces_at(pages->fd, at, (size_t)(end - at), offset);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return error_system(error, "write", pages->path);
		at = pass(at, (size_t)wrote);
		offset += (uint64_t)wrote;
	}
	return ST_OK;
}

static void write_full(void *context)
{
	struct bulk_extent *extent = context;

	(void)write_extent(extent->owner, extent, &extent->error);
	extent->count = 0;
}

/* All that is full is written; a failure so far comes first. */
static enum status wait_for_writes(struct bulk_pages *pages, enum status status,
				   struct error *error)
{
	if (pages->background)
		background_wait(pages->background, 0);
	for (size_t i = 0; i < BULK_EXTENTS && status == ST_OK; i++)
		status = error_copy(error, &pages->extents[i]->error);
	return status;
}

/*
 * Called with the lock, which is released meanwhile.  A full extent is written by another
 * thread, or, if none was free until the next one is full, by this one.
 */
static enum status end_extent(struct bulk_pages *pages, struct error *error)
{
	struct bulk_extent *full = filling(pages);

	while (pages->is_ending)
		pthread_cond_wait(&pages->ended, &pages->lock);
	if (full != filling(pages)) /* the other thread did it */
		return ST_OK;
	pages->is_ending = true;
	pages->at = (pages->at + 1) % BULK_EXTENTS;
	filling(pages)->first = pages->next;
	pthread_mutex_unlock(&pages->lock);
	if (pages->background) {
		background_run(pages->background, write_full, full);
		background_wait(pages->background, BULK_EXTENTS - 2);
	} else {
		write_full(full);
	}
	pthread_mutex_lock(&pages->lock);
	pages->is_ending = false;
	pthread_cond_broadcast(&pages->ended);
	/* That of before: it is written, and filled next, even after a failure. */
	return error_copy(error, &pages->extents[(pages->at + 1) % BULK_EXTENTS]->error);
}

/* The next place of the extent; it holds a free room, which the page replaces. */
static uint8_t **next_room(struct bulk_pages *pages, struct error *error)
{
	struct bulk_extent *extent = filling(pages);
	uint8_t **next = &extent->pages[extent->count];

	if (pages->next == PAGES_MAX) {
		error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
			  "cannot write %s: more than %u pages", pages->path,
			  PAGES_MAX - 1);
		return NULL;
	}
	if (extent->count == extent->rooms) {
		*next = pages_room(pages);
		if (!*next) {
			error_nomem(error);
			return NULL;
		}
		extent->rooms++;
	}
	return next;
}

/*
 * Makes room in the extent that is being filled; the other thread may append meanwhile.
 */
static enum status make_room(struct bulk_pages *pages, struct error *error)
{
	enum status status = ST_OK;

	while (status == ST_OK && filling(pages)->count == pages->extent_room)
		status = end_extent(pages, error);
	return status;
}

/* Notes how the next page begins, for page accounting; false: out of memory. */
static bool note_head(struct bulk_pages *pages, const uint8_t *page)
{
	size_t at = pages->next - pages->first_head;

	if (!ARRAY_GROW_ZEROED(pages->heads, pages->head_room, at))
		return false;
	pages->heads[at] =
		(struct bulk_page_head){ page[PAGE_KIND],
					 (uint16_t)get_u16(page + PAGE_CELLS) };
	return true;
}

struct bulk_page_head pages_head(const struct bulk_pages *pages, uint32_t number)
{
	size_t at = (size_t)number - pages->first_head;

	return at < pages->head_room ? pages->heads[at] : (struct bulk_page_head){ 0, 0 };
}

/* Appends a page; NULL: a page of zeros.  There must be room. */
static enum status append(struct bulk_pages *pages, uint8_t **page, struct error *error)
{
	uint8_t **next = next_room(pages, error);

	if (!next)
		return error->status;
	if (page && !note_head(pages, *page))
		return error_nomem(error);
	if (page) {
		uint8_t *free_room = *next;

		*next = *page;
		*page = free_room;
	} else {
		memset(*next, 0, pages->page_bytes);
	}
	pages->next++;
	filling(pages)->count++;
	return ST_OK;
}

enum status pages_append(struct bulk_pages *pages, uint8_t **page, uint32_t *number,
			 struct error *error)
{
	enum status status;

	pthread_mutex_lock(&pages->lock);
	status = make_room(pages, error);
	if (status == ST_OK && pages->next == pages->lock_page) {
		status = append(pages, NULL, error);
		if (status == ST_OK)
			status = make_room(pages, error);
	}
	*number = pages->next;
	if (status == ST_OK)
		status = append(pages, page, error);
	pthread_mutex_unlock(&pages->lock);
	return status;
}

enum status pages_write(struct bulk_pages *pages, uint32_t number, const uint8_t *page,
			struct error *error)
{
	return write_at(pages, page, pages->page_bytes, page_offset(pages, number),
			error);
}

enum status pages_hand_over(struct bulk_pages *pages, struct error *error)
{
	uint8_t header[HEADER_BYTES];
	enum status status;

	pthread_mutex_lock(&pages->lock);
	status = end_extent(pages, error);
	pthread_mutex_unlock(&pages->lock);
	status = wait_for_writes(pages, status, error);
	os_give_back(pages->fd, &pages->reserved);
	if (status == ST_OK)
		status = pages_read(pages, 1, 0, header, sizeof(header), error);
	if (status != ST_OK)
		return status;
	put_u32(header + HEADER_CHANGES, get_u32(header + HEADER_CHANGES) + 1);
	put_u32(header + HEADER_CHANGES_THEN, get_u32(header + HEADER_CHANGES));
	put_u32(header + HEADER_PAGES, pages->next - 1);
	return write_at(pages, header, sizeof(header), 0, error);
}

enum status pages_reopen(struct bulk_pages *pages, struct error *error)
{
	uint8_t header[HEADER_BYTES];
	enum status status = pages_read(pages, 1, 0, header, sizeof(header), error);

	return status == ST_OK ? find_end(pages, header, error) : status;
}
