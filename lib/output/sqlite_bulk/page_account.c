/* page_account.c - walks all b-trees and free pages of a database file. */
#include "output/sqlite_bulk/page_account.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/sqlite_format.h"

#define DEPTH_MAX 20 /* of a tree, as SQLite has it */

static enum status wrong(const struct bulk_page_account *account, uint32_t page,
			 const char *what, struct error *error)
{
	return error_set(error, ST_CORRUPT, ERROR_NO_OFFSET,
			 "page accounting of %s: page %u %s", account->pages->path, page,
			 what);
}

static enum status count_page(struct bulk_page_account *account, uint32_t page,
			      struct error *error)
{
	if (page == 0 || page > account->count)
		return wrong(account, page, "is not in the file", error);
	if (account->seen[page / 8] >> page % 8 & 1)
		return wrong(account, page, "is used twice", error);
	if (page == account->pages->lock_page)
		return wrong(account, page, "is the locked page", error);
	account->seen[page / 8] |= (uint8_t)(1u << page % 8);
	return ST_OK;
}

enum status page_account_begin(struct bulk_page_account *account,
			       const struct bulk_pages *pages, struct error *error)
{
	uint8_t count[4];
	enum status status =
		pages_read(pages, 1, HEADER_PAGES, count, sizeof(count), error);

	*account = (struct bulk_page_account){ .pages = pages };
	if (status != ST_OK)
		return status;
	account->count = get_u32(count);
	account->seen = calloc(1, (size_t)account->count / 8 + 1);
	return account->seen ? ST_OK : error_nomem(error);
}

void page_account_release(struct bulk_page_account *account)
{
	free(account->seen);
	account->seen = NULL;
}

/* --- overflow pages --- */

static enum status count_chain(struct bulk_page_account *account, uint32_t page,
			       uint64_t bytes, struct error *error)
{
	size_t room = account->pages->usable - 4;

	for (;;) {
		uint8_t next[4];
		enum status status = count_page(account, page, error);

		if (status == ST_OK)
			status = pages_read(account->pages, page, 0, next, sizeof(next),
					    error);
		if (status != ST_OK)
			return status;
		if (bytes <= room)
			return get_u32(next) == 0
				       ? ST_OK
				       : wrong(account, page,
					       "has too many overflow pages", error);
		page = get_u32(next);
		bytes -= room;
	}
}

/* Bytes of a payload in its cell: section 1.6 of SQLite's file format. */
static uint64_t local_bytes(const struct bulk_page_account *account, uint8_t kind,
			    uint64_t payload)
{
	size_t usable = account->pages->usable;
	uint64_t most = payload_max(page_is_index(kind), usable);
	uint64_t least = (usable - 12) * 32 / 255 - 23;
	uint64_t rest;

	if (payload <= most)
		return payload;
	rest = least + (payload - least) % (usable - 4);
	return rest <= most ? rest : least;
}

static enum status count_payload(struct bulk_page_account *account, uint32_t page,
				 uint8_t kind, const uint8_t *cell, const uint8_t *end,
				 struct error *error)
{
	uint64_t payload, rowid, local, room;
	size_t front = decode_front(cell, end, kind, &payload, &rowid);

	local = local_bytes(account, kind, payload);
	room = (uint64_t)(end - cell) - front;
	if (!front || local > room || (local < payload && room - local < 4))
		return wrong(account, page, "has a cell that leaves it", error);
	if (local == payload)
		return ST_OK;
	return count_chain(account, get_u32(cell + front + local), payload - local,
			   error);
}

/* --- trees --- */

static enum status walk(struct bulk_page_account *account, uint32_t page, bool is_index,
			size_t depth, uint64_t *cells, struct error *error);

/* Children and overflow pages of one whole page. */
static enum status walk_cells(struct bulk_page_account *account, uint32_t page,
			      uint8_t kind, const uint8_t *bytes, size_t depth,
			      uint64_t *cells, struct error *error)
{
	bool is_leaf = page_is_leaf(kind), is_index = page_is_index(kind);
	const uint8_t *head = bytes + (page == 1 ? HEADER_BYTES : 0);
	const uint8_t *pointers =
		head + (is_leaf ? LEAF_HEADER_BYTES : INTERIOR_HEADER_BYTES);
	const uint8_t *end = bytes + account->pages->usable;
	size_t count = get_u16(head + PAGE_CELLS);
	enum status status = ST_OK;

	if (count > (size_t)(end - pointers) / 2)
		return wrong(account, page, "has more cells than room", error);
	for (size_t i = 0; i < count && status == ST_OK; i++) {
		size_t at = get_u16(pointers + 2 * i);

		if (at + 4 > account->pages->usable)
			return wrong(account, page, "has a cell that leaves it", error);
		if (is_leaf || is_index)
			status = count_payload(account, page, kind, bytes + at, end,
					       error);
		if (!is_leaf && status == ST_OK)
			status = walk(account, get_u32(bytes + at), is_index, depth + 1,
				      cells, error);
	}
	if (!is_leaf && status == ST_OK)
		status = walk(account, get_u32(head + PAGE_RIGHT), is_index, depth + 1,
			      cells, error);
	return status;
}

static bool is_known(const struct bulk_page_account *account, uint32_t page)
{
	return account->loaded && page >= account->known_first &&
	       page < account->known_end;
}

static enum status read_head(const struct bulk_page_account *account, uint32_t page,
			     struct bulk_page_head *head, struct error *error)
{
	uint8_t bytes[LEAF_HEADER_BYTES];
	enum status status = ST_OK;

	*head = (struct bulk_page_head){ 0, 0 };
	if (is_known(account, page))
		*head = pages_head(account->loaded, page);
	if (head->kind)
		return ST_OK;
	status = pages_read(account->pages, page, page == 1 ? HEADER_BYTES : 0, bytes,
			    sizeof(bytes), error);
	if (status == ST_OK)
		*head = (struct bulk_page_head){ bytes[PAGE_KIND],
						 (uint16_t)get_u16(bytes + PAGE_CELLS) };
	return status;
}

static enum status walk(struct bulk_page_account *account, uint32_t page, bool is_index,
			size_t depth, uint64_t *cells, struct error *error)
{
	const struct bulk_pages *pages = account->pages;
	enum status status = count_page(account, page, error);
	struct bulk_page_head head;
	uint8_t *bytes;

	if (status == ST_OK)
		status = read_head(account, page, &head, error);
	if (status != ST_OK)
		return status;
	if (!page_is_known(head.kind) || page_is_index(head.kind) != is_index)
		return wrong(account, page, "is not of its tree's kind", error);
	if (depth > DEPTH_MAX)
		return wrong(account, page, "is too far from the root", error);
	if (page_is_leaf(head.kind) || is_index)
		*cells += head.cells;
	if (page_is_leaf(head.kind) && is_known(account, page))
		return ST_OK;
	bytes = malloc(pages->page_bytes);
	if (!bytes)
		return error_nomem(error);
	status = pages_read(pages, page, 0, bytes, pages->page_bytes, error);
	if (status == ST_OK)
		status = walk_cells(account, page, head.kind, bytes, depth, cells, error);
	free(bytes);
	return status;
}

enum status page_account_tree(struct bulk_page_account *account, uint32_t root,
			      uint64_t *cells, struct error *error)
{
	uint8_t kind = 0;
	enum status status = ST_OK;

	*cells = 0;
	if (root >= 1 && root <= account->count)
		status = pages_read(account->pages, root, root == 1 ? HEADER_BYTES : 0,
				    &kind, 1, error);
	return status == ST_OK ? walk(account, root, page_is_index(kind), 0, cells, error)
			       : status;
}

/* --- free pages --- */

/* A trunk page: the next trunk, the number of free pages it lists, and those. */
static enum status count_trunk(struct bulk_page_account *account, uint32_t trunk,
			       uint32_t *count, uint32_t *next, struct error *error)
{
	const struct bulk_pages *pages = account->pages;
	enum status status = count_page(account, trunk, error);
	uint8_t *bytes = malloc(pages->page_bytes);

	if (!bytes)
		return error_nomem(error);
	if (status == ST_OK)
		status = pages_read(pages, trunk, 0, bytes, pages->page_bytes, error);
	if (status == ST_OK && get_u32(bytes + 4) > pages->usable / 4 - 2)
		status = wrong(account, trunk, "lists more free pages than it has room",
			       error);
	for (uint32_t i = 0; status == ST_OK && i < get_u32(bytes + 4); i++)
		status = count_page(account, get_u32(bytes + 8 + 4 * (size_t)i), error);
	if (status == ST_OK) {
		*count += 1 + get_u32(bytes + 4);
		*next = get_u32(bytes);
	}
	free(bytes);
	return status;
}

enum status page_account_end(struct bulk_page_account *account, struct error *error)
{
	uint8_t head[HEADER_BYTES];
	uint32_t count = 0, trunk;
	enum status status = pages_read(account->pages, 1, 0, head, sizeof(head), error);

	trunk = status == ST_OK ? get_u32(head + HEADER_FREE_FIRST) : 0;
	while (status == ST_OK && trunk)
		status = count_trunk(account, trunk, &count, &trunk, error);
	if (status == ST_OK && count != get_u32(head + HEADER_FREE_COUNT))
		status = wrong(account, 1, "counts other free pages than there are",
			       error);
	for (uint32_t page = 1; status == ST_OK && page <= account->count; page++)
		if (!(account->seen[page / 8] >> page % 8 & 1) &&
		    page != account->pages->lock_page)
			status = wrong(account, page, "is not used", error);
	return status;
}
