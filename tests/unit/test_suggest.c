/* test_suggest.c - tools/common/suggest.h: which names are near a wrong one. */
#include "common/suggest.h"

#include <string.h>

#include "unit.h"

#define NAMES 5

static const struct {
	int line;
	const char *word;
	const char *names[NAMES];
	const char *text;
} rows[] = {
	{ ROW, "cycels", { "cycles", "branches" }, "; did you mean 'cycles'?" },
	{ ROW, "CYCLES", { "cycles" }, "; did you mean 'cycles'?" },
	{ ROW, "cycle", { "cycles", "cycle_" }, "; did you mean 'cycles' or 'cycle_'?" },
	/* Those that are as near, as they were offered; three at most. */
	{ ROW,
	  "aaaax",
	  { "aaaa1", "aaaa2", "aaaa3", "aaaa4" },
	  "; did you mean 'aaaa1', 'aaaa2' or 'aaaa3'?" },
	/* A nearer one that comes later is first, and the others are not shown. */
	{ ROW, "abcdefgh", { "abcdefXY", "abcdefgX" }, "; did you mean 'abcdefgX'?" },
	/* Two swaps are two changes, of which eight letters may have two. */
	{ ROW, "badcefgh", { "abcdefgh" }, "; did you mean 'abcdefgh'?" },
	{ ROW, "badcfegh", { "abcdefgh" }, "" },
	{ ROW, "cycles", { "cycles", "cycles" }, "; did you mean 'cycles'?" },
	/* Nothing of a short word is left. */
	{ ROW, "x", { "y", "" }, "" },
	{ ROW, "", { "a" }, "" },
	{ ROW,
	  "a23456789012345678901234567890123456789012345678",
	  { "b23456789012345678901234567890123456789012345678",
	    "a234567890123456789012345678901234567890123456789" },
	  "; did you mean 'b23456789012345678901234567890123456789012345678'?" },
	{ ROW,
	  "a234567890123456789012345678901234567890123456789",
	  { "a23456789012345678901234567890123456789012345678" },
	  "" },
};

UNIT_TEST(nearest)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct suggest nearest;
		char text[SUGGEST_TEXT];

		suggest_begin(&nearest, str_of(rows[i].word));
		for (size_t k = 0; k < NAMES && rows[i].names[k]; k++)
			suggest_offer(&nearest, rows[i].names[k]);
		suggest_text(&nearest, text, sizeof(text));
		ROW_TEXT(&rows[i], text, rows[i].text);
	}
}

/* An alias is nearer than any name. */
UNIT_TEST(alias)
{
	struct suggest nearest;
	char text[SUGGEST_TEXT];

	suggest_begin(&nearest, STR("output"));
	suggest_offer(&nearest, "outputs");
	suggest_alias(&nearest, "outpu", "wrong");
	suggest_alias(&nearest, "output", "to");
	suggest_text(&nearest, text, sizeof(text));
	assert_string_equal(text, "; did you mean 'to'?");
}
