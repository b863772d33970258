/*
 * unit.h - what the unit tests share: checks that print a row's own line, scratch
 * directories, a reader that replays records and a sink that writes down what it gets.
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
 * UNIT_TEST(name) { ... } is a test.  It registers itself: unit_PROGRAM NAME runs the
 * tests of test_NAME.c in the order of the file.  `state` is what a fixture's setup left
 * there.
 */
#define UNIT_TEST(name)                                                \
	static void test_##name(void **state);                         \
	__attribute__((constructor)) static void unit_add_##name(void) \
	{                                                              \
		unit_add_test(__FILE__, "test_" #name, test_##name);   \
	}                                                              \
	static void test_##name(void **state __attribute__((unused)))
/* The same for tests with a fixture: UNIT_CASE(name, struct fixture *f) { ... } */
#define UNIT_CASE(name, fixture)          \
	static void case_##name(fixture); \
	UNIT_TEST(name)                   \
	{                                 \
		case_##name(*state);      \
	}                                 \
	static void case_##name(fixture)
/*
 * The fixture of a file: a zeroed struct for each of its tests, with what sets it up and
 * tears it down (the latter may be UNIT_NOTHING); or plain functions of cmocka, around
 * all of its tests or around each of them.
 */
#define UNIT_FIXTURE(type, setup, teardown)        \
	static int unit_setup(void **state)        \
	{                                          \
		*state = unit_alloc(sizeof(type)); \
		setup((type *)*state);             \
		return 0;                          \
	}                                          \
	static int unit_teardown(void **state)     \
	{                                          \
		teardown((type *)*state);          \
		return 0;                          \
	}                                          \
	UNIT_EACH(unit_setup, unit_teardown)
#define UNIT_NOTHING (void)
#define UNIT_GROUP(setup, teardown) UNIT_AROUND(setup, teardown, false)
#define UNIT_EACH(setup, teardown) UNIT_AROUND(setup, teardown, true)
#define UNIT_AROUND(setup, teardown, each)                             \
	__attribute__((constructor)) static void unit_fixture(void)    \
	{                                                              \
		unit_add_fixture(__FILE__, (setup), (teardown), each); \
	}                                                              \
	_Static_assert(1, "a semicolon follows")
void unit_add_test(const char *file, const char *name, CMUnitTestFunction run);
void unit_add_fixture(const char *file, CMFixtureFunction setup,
		      CMFixtureFunction teardown, bool each);

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

/* A text has each of these parts, or none of them. */
#define HAS(text, ...) UNIT_HAS(true, text, __LINE__, __VA_ARGS__)
#define LACKS(text, ...) UNIT_HAS(false, text, __LINE__, __VA_ARGS__)
#define ROW_HAS(row, text, ...) UNIT_HAS(true, text, (row)->line, __VA_ARGS__)
#define ROW_LACKS(row, text, ...) UNIT_HAS(false, text, (row)->line, __VA_ARGS__)
#define UNIT_HAS(has, text, line, ...) \
	unit_has(has, (text), (const char *const[]){ __VA_ARGS__, NULL }, __FILE__, line)
void unit_has(bool has, const char *text, const char *const *parts, const char *file,
	      int line);

/* --- what lasts until the program ends --- */

/* Calls release(object) then, last object first. */
void unit_at_end(void (*release)(void *object), void *object);
/* Memory that is freed then: from malloc(), and new of zeros. */
void *unit_keep(void *memory);
void *unit_alloc(size_t size);

/* --- files --- */

/*
 * A new empty directory; unit_path() is in it from now on. Removed when the program ends.
 */
const char *unit_directory(void);
/* "<present directory>/<name>", or of another one; valid until the program ends. */
const char *unit_path(const char *name);
const char *unit_below(const char *directory, const char *name);
/* Makes the directory unit_path(name), and those above it. */
void unit_folder(const char *name);
void unit_write_file(const char *path, const void *bytes, size_t size);
/* The whole file with a NUL after it; NULL when it cannot be read.  size may be NULL. */
char *unit_read_file(const char *path, size_t *size);
bool unit_exists(const char *path);
/* How many names in the directory begin like that. */
int unit_count(const char *path, const char *beginning);

/* --- manifests: tests as lines of a file --- */

struct unit_line {
	const char *file;
	int line;
	char *text;
};
/* Each line of tests/unit/<name> but for blank ones and those that begin with '#'. */
void unit_manifest(const char *name, void (*on_line)(struct unit_line *line));
/* Cuts the text at each " | ", and undoes \\, \n, \r, \t and \xNN; how many there are. */
size_t unit_fields(struct unit_line *line, char **fields, size_t most);
void unit_unescape(char *text);
#define LINE_TEXT(of, found, expected) \
	_assert_string_equal((found), (expected), (of)->file, (of)->line)

/* --- a function in a child process, with what it prints --- */

struct unit_output {
	int status; /* what the function returned; 128 + signal if one killed it */
	char out[8192];
	char err[8192];
};
void unit_capture(int (*run)(void *context), void *context, struct unit_output *output);

/* --- records in and out --- */

/* A reader that returns these; needs no open and no close. */
struct unit_play {
	const struct record *records;
	size_t count, at;
	enum status ends_with; /* ST_OK stands for ST_END */
};
struct reader unit_replay(struct unit_play *play);

/*
 * A sink whose rows become lines: "table field=1 field='text' field=0x6279 field=- |
 * 5,6".
 */
struct unit_notes {
	struct unit_stream *stream;
	enum record_kind
		fail_at; /* put() of this kind fails; RECORD_SAMPLED: none does */
};
/* The notes must outlive the sink. */
struct sink unit_noting_sink(struct unit_notes *notes);
/* Everything so far. */
const char *unit_notes_text(const struct unit_notes *notes);
/* The lines of one table alone. */
const char *unit_notes_of(const struct unit_notes *notes, const char *table);

#endif
