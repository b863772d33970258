/*
 * unit.h - what the unit tests share: checks that tell a row's own line, scratch
 * directories, a reader that plays back records and a sink that writes down what it gets.
 */
#ifndef PERFTAB_UNIT_H
#define PERFTAB_UNIT_H

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/reader.h"
#include "model/sink.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Rows of a table begin with ROW, and have `int line` as their first member; a check that
 * fails then names the row's line, not that of the loop.
 */
#define ROW .line = __LINE__
#define ROW_INT(row, found, expected)                                                    \
	_assert_int_equal((LargestIntegralType)(found), (LargestIntegralType)(expected), \
			  __FILE__, (row)->line)
#define ROW_TRUE(row, condition) \
	_assert_true((condition) ? 1 : 0, #condition, __FILE__, (row)->line)
#define ROW_TEXT(row, found, expected) \
	_assert_string_equal((found), (expected), __FILE__, (row)->line)

/* A struct str against a literal; NULL stands for ptr NULL. */
#define ASSERT_STR(found, expected) \
	unit_assert_str((found), (expected), __FILE__, __LINE__)
#define ROW_STR(row, found, expected) \
	unit_assert_str((found), (expected), __FILE__, (row)->line)
void unit_assert_str(struct str found, const char *expected, const char *file, int line);

/* --- files --- */

/* A new empty directory; the text lives until unit_remove(), which empties it too. */
char *unit_directory(void);
void unit_remove(char *directory);
/* "<directory>/<name>"; lives until the last directory is removed. */
const char *unit_path(const char *directory, const char *name);
void unit_write_file(const char *path, const void *bytes, size_t size);
/* The whole file with a NUL behind it, to be freed; NULL when it cannot be read. */
char *unit_read_file(const char *path, size_t *size);
bool unit_exists(const char *path);
/* How many names in the directory begin like that. */
int unit_count(const char *directory, const char *beginning);

/* --- a function in a child process, with what it prints --- */

struct unit_output {
	int status; /* what the function returned; 128 + signal if one killed it */
	char out[8192];
	char err[8192];
};
void unit_capture(int (*run)(void *context), void *context, struct unit_output *output);

/* --- records in and out --- */

/* A reader that gives these; opened by hand: nothing to close. */
struct unit_play {
	const struct record *records;
	size_t count, at;
	enum status ends_with; /* ST_OK stands for ST_END */
};
struct reader unit_player(struct unit_play *play);

/*
 * A sink whose rows become lines: "table field=1 field='text' field=0x6279 field=- |
 * 5,6".
 */
struct unit_notes {
	char *text;
	size_t size;
	FILE *stream;
	enum record_kind
		fail_at; /* put() of this kind fails; RECORD_SAMPLED: none does */
};
/* The notes must outlive the sink; unit_notes_free() after unit_notes_text(). */
struct sink unit_noting_sink(struct unit_notes *notes);
/* Everything so far. */
const char *unit_notes_text(struct unit_notes *notes);
/* The lines of one table alone, to be freed. */
char *unit_notes_of(struct unit_notes *notes, const char *table);
void unit_notes_free(struct unit_notes *notes);

#endif
