/* test_pattern.c - lib/base/pattern.h: names with wildcards. */
#include <string.h>

#include "base/pattern.h"
#include "unit.h"

static const struct {
	int line;
	const char *pattern, *text;
	bool matches;
} matches[] = {
	{ ROW, "", "", true },
	{ ROW, "", "a", false },
	{ ROW, "a", "", false },
	{ ROW, "Processor", "processor", true },
	{ ROW, "Processor", "Processors", false },
	{ ROW, "_Total", "_total", true },
	{ ROW, "_Total", "_Total2", false },
	{ ROW, "*", "", true },
	{ ROW, "*", "anything", true },
	{ ROW, "**", "a", true },
	{ ROW, "perf*", "PerfTab", true },
	{ ROW, "perf*", "per", false },
	{ ROW, "% *time", "% Processor Time", true },
	{ ROW, "*b", "abab", true },
	{ ROW, "*b", "aba", false },
	{ ROW, "*a*b", "xaxaxb", true },
	{ ROW, "*a*b", "xaxaxbx", false },
	{ ROW, "a*b*c", "axxbxxbc", true },
	{ ROW, "a*b*c", "axxcxxb", false },
	{ ROW, "a?c", "abc", true },
	{ ROW, "a?c", "ac", false },
	{ ROW, "a?", "a", false },
	{ ROW, "?", "", false },
	/* One character, not one byte, also after a *. */
	{ ROW, "?", "\xc3\xb6", true },
	{ ROW, "Z?hler", "Z\xc3\xa4hler", true },
	{ ROW, "gr??e",
	  "gr\xc3\xb6\xc3\x9f"
	  "e",
	  true },
	{ ROW, "*?r", "\xc3\xa4r", true },
	{ ROW, "*??r", "\xc3\xa4r", false },
	{ ROW, "*?", "\xf0\x9f\x98\x80", true },
	/* Only ASCII letters match in either case; a byte that is not text is one. */
	{ ROW, "\xc3\x84", "\xc3\xa4", false },
	{ ROW, "a?b",
	  "a\xff"
	  "b",
	  true },
	/* Not exponential. */
	{ ROW, "*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  false },
};

UNIT_TEST(match)
{
	char many[2001] = "";

	for (size_t i = 0; i < COUNT(matches); i++)
		ROW_INT(&matches[i],
			pattern_match(str_of(matches[i].pattern),
				      str_of(matches[i].text)),
			matches[i].matches);
	memset(many, 'a', sizeof(many) - 1);
	assert_false(pattern_match(STR("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ab"), str_of(many)));
}

/* A NUL is a byte as any other, also where the pattern has ended. */
UNIT_TEST(nul)
{
	assert_true(pattern_match(STR("a\0b"), STR("A\0B")));
	assert_false(pattern_match(STR("a"), STR("a\0")));
	assert_false(pattern_match(STR("a\0"), STR("a")));
}

UNIT_TEST(has_wildcard)
{
	assert_true(pattern_has_wildcard(STR("a?")));
	assert_true(pattern_has_wildcard(STR("*")));
	assert_false(pattern_has_wildcard(STR("a+")));
	assert_false(pattern_has_wildcard(STR_NONE));
}
