/* image.c - writes the pages of the empty database, which are mostly zeros. */
#include "output/sqlite/image.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "schema_image.h"

/* Runs of bytes, each after its offset and its length; all else is zero. */
struct image {
	const unsigned char *runs;
	size_t runs_bytes;
	size_t bytes; /* of the database */
};

#define IMAGE(name)                                                                    \
	{                                                                              \
		image_##name##_runs, sizeof(image_##name##_runs), image_##name##_bytes \
	}

/* By pages and indexes. */
static const struct image images[][2] = {
	{ IMAGE(4096_plain), IMAGE(4096_indexed) },
	{ IMAGE(32768_plain), IMAGE(32768_indexed) },
};

/* In memory small pages do: each table and index has one. */
static const struct image memory_images[2] = { IMAGE(1024_plain), IMAGE(1024_indexed) };
#define MORE_BYTES ((size_t)64 << 10) /* for a trace's own tables */

static size_t number_at(const unsigned char *at)
{
	return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

/* --- into a file --- */

/* The last byte first, which gives the file its size. */
static bool write_runs(int fd, const struct image *image)
{
	const unsigned char *at = image->runs, *end = at + image->runs_bytes;
	const unsigned char zero = 0;
	bool done = os_write_all_at(fd, &zero, 1, image->bytes - 1);

	while (done && at < end) {
		size_t offset = number_at(at), count = number_at(at + 4);

		done = os_write_all_at(fd, at + 8, count, offset);
		at += 8 + count;
	}
	return done;
}

enum status image_write(const char *path, const char *name, bool has_large_pages,
			bool has_indexes, struct error *error)
{
	int fd = os_open(path, OS_CHANGE);
	bool done = fd >= 0 && write_runs(fd, &images[has_large_pages][has_indexes]);
	int code = errno;

	if (fd >= 0 && !os_close(fd) && done) {
		done = false;
		code = errno;
	}
	return done ? ST_OK
		    : error_set(error, ST_IO, ERROR_NO_OFFSET,
				"cannot write %s: creating tables: %s", name,
				code == ENOSPC ? "the disk is full" : strerror(code));
}

/* --- into memory --- */

int image_open(sqlite3 **db, bool has_indexes)
{
	const struct image *image = &memory_images[has_indexes];
	const unsigned char *at = image->runs, *end = at + image->runs_bytes;
	size_t room = image->bytes + MORE_BYTES;
	unsigned char *bytes;
	int result = sqlite3_open_v2(":memory:", db,
				     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (result != SQLITE_OK)
		return result;
	bytes = sqlite3_malloc64(room);
	if (!bytes)
		return SQLITE_NOMEM;
	memset(bytes, 0, image->bytes);
	for (; at < end; at += 8 + number_at(at + 4))
		memcpy(bytes + number_at(at), at + 8, number_at(at + 4));
	return sqlite3_deserialize(
		*db, "main", bytes, (sqlite3_int64)image->bytes, (sqlite3_int64)room,
		SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
}
