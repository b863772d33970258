/* test_error.c - lib/base/error.h: the first failure is the one reported. */
#include <string.h>

#include "base/error.h"
#include "unit.h"

UNIT_TEST(first_wins)
{
	struct error error = { ST_OK, 0, "" };

	assert_int_equal(error_set(&error, ST_CORRUPT, 0x40, "size %d, expected %d", 6,
				   8),
			 ST_CORRUPT);
	assert_int_equal(error_set(&error, ST_IO, 0x80, "later"), ST_IO);
	assert_int_equal(error_nomem(&error), ST_NOMEM);
	assert_int_equal(error.status, ST_CORRUPT);
	assert_int_equal(error.offset, 0x40);
	assert_string_equal(error.text, "size 6, expected 8");
}

UNIT_TEST(long_text)
{
	struct error error = { ST_OK, 0, "" };
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(error_set(&error, ST_LIMIT, ERROR_NO_OFFSET, "%s", text),
			 ST_LIMIT);
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
}

UNIT_TEST(nowhere)
{
	struct error error = { ST_OK, 0, "" };

	assert_int_equal(error_set(NULL, ST_IO, 0, "%s", "lost"), ST_IO);
	assert_int_equal(error_nomem(&error), ST_NOMEM);
	assert_int_equal(error.offset, ERROR_NO_OFFSET);
	assert_string_equal(error.text, "out of memory");
}

UNIT_TEST(copied)
{
	struct error error = { ST_OK, 0, "" }, other = { ST_OK, 0, "" };

	assert_int_equal(error_copy(&error, &other), ST_OK);
	assert_int_equal(error.status, ST_OK);
	assert_int_equal(error_set(&other, ST_LIMIT, 7, "100 %%"), ST_LIMIT);
	assert_int_equal(error_copy(&error, &other), ST_LIMIT);
	assert_int_equal(error.offset, 7);
	assert_string_equal(error.text, "100 %");
}
