/* test_names.c - names.h: both encodings. */
#include "capture/perflib/names.h"

#include <string.h>

#include "unit.h"

static const struct {
	int line;
	const char *utf8;
	uint8_t utf16[16];
	size_t bytes;
	const char *back; /* NULL: the same */
} texts[] = {
	{ ROW, "", "", 0, NULL },
	{ ROW, "a,0",
	  "a\0,\0"
	  "0",
	  6, NULL },
	{ ROW,
	  "gr\xc3\xb6\xc3\x9f"
	  "e",
	  "g\0r\0\xf6\0\xdf\0"
	  "e",
	  10, NULL },
	{ ROW, "\xf0\x9f\x98\x80", "\x3d\xd8\x00\xde", 4, NULL },
	{ ROW, "\xe2\x82\xac", "\xac\x20", 2, NULL },
	/* What is not UTF-8 is replaced, byte by byte. */
	{ ROW,
	  "a\xff"
	  "b",
	  "a\0\xfd\xff"
	  "b",
	  6,
	  "a\xef\xbf\xbd"
	  "b" },
	{ ROW, "\xed\xa0\x80", "\xfd\xff\xfd\xff\xfd\xff", 6,
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
};

UNIT_TEST(encodings)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct arena arena = { NULL };
		uint8_t to[32];
		size_t bytes = names_utf16(to, sizeof(to), str_of(texts[i].utf8));

		ROW_INT(&texts[i], bytes, texts[i].bytes);
		ROW_INT(&texts[i], memcmp(to, texts[i].utf16, bytes), 0);
		ROW_STR(&texts[i], names_utf8(&arena, to, bytes),
			texts[i].back ? texts[i].back : texts[i].utf8);
		/* No byte after the room, and no half of a character. */
		memset(to, 0x55, sizeof(to));
		assert_int_equal(names_utf16(to, bytes ? bytes - 1 : 0,
					     str_of(texts[i].utf8)),
				 bytes);
		assert_int_equal(to[bytes ? bytes - 1 : 0], 0x55);
		arena_release(&arena);
	}
}

/* Up to the NUL; a lone surrogate is replaced, a last odd byte is left out. */
UNIT_TEST(utf16)
{
	struct arena arena = { NULL };

	ASSERT_STR(names_utf8(&arena, (const uint8_t *)"a\0\0\0b\0", 6), "a");
	ASSERT_STR(names_utf8(&arena, (const uint8_t *)"\x00\xd8x\0", 4),
		   "\xef\xbf\xbdx");
	ASSERT_STR(names_utf8(&arena, (const uint8_t *)"a\0b", 3), "a");
	arena_release(&arena);
}
