/*
 * make_image.c - makes the empty database of the schema at build time, with the SQLite
 * that the programs are linked with: a C header with its pages, of each size, with and
 * without indexes.  Bytes between runs are zero.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

/* Of the catalog in memory, which has tables alone: SQLite lists those in less. */
#define MEMORY_PAGE_BYTES 1024
/* Zeros that end a run. */
#define ZEROS_MIN 16

static void fail(const char *doing, const char *why)
{
	fprintf(stderr, "make_schema_image: %s: %s\n", doing, why);
	exit(1);
}

static void execute(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(sql, sqlite3_errmsg(db));
}

/* In a file: SQLite does not fill in the header of a database in memory. */
static sqlite3 *make_database(const char *path, int page_bytes, int has_indexes)
{
	char pragmas[256];
	sqlite3 *db;

	(void)remove(path);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		fail(path, sqlite3_errmsg(db));
	sqlite3_snprintf(sizeof(pragmas), pragmas,
			 "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			 "PRAGMA page_size = %d; PRAGMA application_id = %d;"
			 "PRAGMA user_version = %d",
			 page_bytes, SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	execute(db, pragmas);
	execute(db, "BEGIN");
	execute(db, schema_tables);
	if (has_indexes)
		execute(db, schema_indexes);
	if (page_bytes != MEMORY_PAGE_BYTES)
		execute(db, schema_views);
	execute(db, "COMMIT");
	return db;
}

static size_t zeros_at(const unsigned char *bytes, size_t at, size_t size)
{
	size_t end = at;

	while (end < size && bytes[end] == 0)
		end++;
	return end - at;
}

/* The end of the run that begins at `at`. */
static size_t run_end(const unsigned char *bytes, size_t at, size_t size)
{
	while (at < size) {
		size_t zeros = zeros_at(bytes, at, size);

		if (zeros >= ZEROS_MIN || at + zeros == size)
			break;
		at += zeros + 1;
	}
	return at;
}

static void print_number(FILE *out, size_t number)
{
	for (int i = 0; i < 4; i++)
		fprintf(out, "%d,", (int)(number >> 8 * i & 0xff));
}

/* Offset, length and bytes of each run. */
static void print_image(FILE *out, const char *name, const unsigned char *bytes,
			size_t size)
{
	size_t end;

	fprintf(out, "static const unsigned char %s_runs[] = {\n", name);
	for (size_t at = zeros_at(bytes, 0, size); at < size;
	     at = end + zeros_at(bytes, end, size)) {
		end = run_end(bytes, at, size);
		print_number(out, at);
		print_number(out, end - at);
		for (size_t i = at; i < end; i++)
			fprintf(out, "%d,%s", bytes[i], (i - at) % 32 == 31 ? "\n" : "");
		fputc('\n', out);
	}
	fprintf(out, "};\n#define %s_bytes %zu\n", name, size);
}

int main(int argc, char **argv)
{
	static const int sizes[] = { MEMORY_PAGE_BYTES, 4096, 32768 };
	FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
	char path[4096], name[64];

	if (!out)
		fail("cannot write",
		     argc == 2 ? argv[1] : "usage: make_schema_image FILE");
	fputs("/* Made from the .sql files in schema/ by schema/make_image.c. */\n", out);
	snprintf(path, sizeof(path), "%s.db", argv[1]);
	for (int i = 0; i < 6; i++) {
		int page_bytes = sizes[i % 3], has_indexes = i / 3;
		sqlite3 *db = make_database(path, page_bytes, has_indexes);
		sqlite3_int64 size = 0;
		unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);

		if (!bytes)
			fail("reading", sqlite3_errmsg(db));
		snprintf(name, sizeof(name), "image_%d_%s", page_bytes,
			 has_indexes ? "indexed" : "plain");
		print_image(out, name, bytes, (size_t)size);
		sqlite3_free(bytes);
		sqlite3_close(db);
	}
	(void)remove(path);
	if (fclose(out) != 0)
		fail("cannot write", argv[1]);
	return 0;
}
