/* test_wrapped.c - tools/convert/list.h: texts over several lines. */
#include <stdlib.h>
#include <string.h>

#include "common/text_table.h"
#include "convert/list.h"
#include "unit.h"

#define INDENT 90
#define ROOM (TEXT_TABLE_COLUMNS - INDENT)

static void assert_wrapped(const char *text, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *to = open_memstream(&printed, &size);
	char *at;

	list_print_wrapped(to, str_of(text), INDENT);
	fclose(to);
	/* Without the indents. */
	for (at = printed; (at = strchr(at, '\n')) && at[1]; at++)
		if (strspn(at + 1, " ") == INDENT)
			memmove(at + 1, at + 1 + INDENT, strlen(at + 1 + INDENT) + 1);
	assert_string_equal(printed, expected);
	free(printed);
}

/* At the last blank that fits, too; where there is none, where the line is full. */
UNIT_TEST(broken_at_blanks)
{
	assert_int_equal(ROOM, 10);
	assert_wrapped("", "\n");
	assert_wrapped("1234567890", "1234567890\n");
	assert_wrapped("1 3 5 7890", "1 3 5 7890\n");
	assert_wrapped("1 3 5 7 9 b", "1 3 5 7 9\nb\n");
	assert_wrapped("1 3 5 7 90 b", "1 3 5 7\n90 b\n");
	assert_wrapped("1 3 5 7 9012", "1 3 5 7\n9012\n");
	assert_wrapped("1 3 5 789    b", "1 3 5 789\nb\n");
	assert_wrapped("12345678901", "1234567890\n1\n");
	assert_wrapped("\xc3\xa4\xc3\xb6 45 789 b", "\xc3\xa4\xc3\xb6 45 789\nb\n");
}
