/*
 * test_windows_texts.c - tools/capture/windows: UTF-16, command lines, lists of sources.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/windows/command_line.h"
#include "capture/windows/etw/profile_sources.h"
#include "capture/windows/etw/session.h"
#include "capture/windows/utf16.h"
#include "unit.h"

/* --- utf16.h --- */

static const struct {
	int line;
	const char *utf8;
	uint16_t utf16[8];
	const char *back; /* NULL: the same */
} texts[] = {
	{ ROW, "", { 0 }, NULL },
	{ ROW, "a\xc3\xa9", { 'a', 0xe9, 0 }, NULL },
	{ ROW, "\xe2\x82\xac", { 0x20ac, 0 }, NULL },
	{ ROW, "\xf0\x9f\x98\x80", { 0xd83d, 0xde00, 0 }, NULL },
	{ ROW, "\xff\xc3", { 0xfffd, 0xfffd, 0 }, "\xef\xbf\xbd\xef\xbf\xbd" },
	{ ROW,
	  "\xed\xa0\x80",
	  { 0xfffd, 0xfffd, 0xfffd, 0 },
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
};

UNIT_TEST(texts_there_and_back)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		uint16_t wide[8] = { 0 };
		char back[32];

		ROW_TRUE(&texts[i], utf16_of(wide, 8, texts[i].utf8));
		for (size_t k = 0; k == 0 || texts[i].utf16[k - 1]; k++)
			ROW_INT(&texts[i], wide[k], texts[i].utf16[k]);
		utf16_to_utf8(back, sizeof(back), wide, 8);
		ROW_TEXT(&texts[i], back, texts[i].back ? texts[i].back : texts[i].utf8);
	}
}

UNIT_TEST(no_unit_too_many)
{
	uint16_t wide[4] = { 1, 1, 1, 0x55 };
	char bytes[8] = "xxxxxxx";

	assert_true(utf16_of(wide, 3, "ab"));
	assert_false(utf16_of(wide, 3, "abc"));
	assert_false(utf16_of(wide, 3, "a\xf0\x9f\x98\x80"));
	assert_int_equal(wide[3], 0x55);
	utf16_to_utf8(bytes, 7, (const uint16_t[]){ 0x20ac, 0x20ac, 0 }, 3);
	assert_string_equal(bytes, "\xe2\x82\xac");
	utf16_to_utf8(bytes, sizeof(bytes), (const uint16_t[]){ 0xd83d, 0xde00 }, 1);
	assert_string_equal(bytes, "\xef\xbf\xbd");
}

/* --- command_line.h: the rules of CommandLineToArgvW --- */

static const struct {
	int line;
	const char *words[4];
	const char *text;
} lines[] = {
	{ ROW, { "a", "b" }, "a b" },
	{ ROW, { "a b", "" }, "\"a b\" \"\"" },
	{ ROW,
	  { "C:\\dir\\x.exe", "\\\\host\\share\\" },
	  "C:\\dir\\x.exe \\\\host\\share\\" },
	{ ROW, { "C:\\my dir\\" }, "\"C:\\my dir\\\\\"" },
	{ ROW, { "say \"hi\"" }, "\"say \\\"hi\\\"\"" },
	{ ROW, { "a\\\"b" }, "\"a\\\\\\\"b\"" },
	{ ROW, { "\ta" }, "\"\ta\"" },
};

UNIT_TEST(words_become_a_line)
{
	for (size_t i = 0; i < COUNT(lines); i++) {
		size_t need = strlen(lines[i].text) + 1;
		char *line = malloc(need), *words[4] = { NULL };

		for (size_t k = 0; lines[i].words[k]; k++)
			words[k] = strdup(lines[i].words[k]);
		ROW_TRUE(&lines[i], command_line_join(line, need, words));
		ROW_TEXT(&lines[i], line, lines[i].text);
		ROW_TRUE(&lines[i], !command_line_join(line, need - 1, words));
		for (size_t k = 0; words[k]; k++)
			free(words[k]);
		free(line);
	}
}

/* --- etw_size_buffers() --- */

static const struct {
	int line;
	uint32_t cpus;
	uint64_t memory_mib;
	uint32_t given, minimum, maximum;
} sizes[] = {
	{ ROW, 8, 65536, 0, 512, 2048 }, /* those of rustc-perf, and no more */
	{ ROW, 8, 16384, 0, 512, 2048 },
	{ ROW, 8, 8192, 0, 256, 1024 },
	{ ROW, 2, 1024, 0, 32, 128 },
	{ ROW, 1, 0, 0, 4, 4 },
	{ ROW, 64, 512, 0, 130, 130 }, /* two a CPU at least, and two more */
	{ ROW, 8, 16384, 100, 25, 100 },
	{ ROW, 8, 1024, 8192, 2048, 8192 },
	{ ROW, UINT32_MAX, 1024, 0, 4098, 4098 },
};

UNIT_TEST(buffers_fit_the_machine)
{
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct win_machine machine = { .cpus = sizes[i].cpus,
					       .memory_mib = sizes[i].memory_mib };
		uint32_t minimum = 0, maximum = 0;

		etw_size_buffers(&machine, sizes[i].given, &minimum, &maximum);
		ROW_INT(&sizes[i], minimum, sizes[i].minimum);
		ROW_INT(&sizes[i], maximum, sizes[i].maximum);
	}
}

/* --- lists of sources: every length, every byte changed --- */

static const uint8_t list[] = {
	0x20, 0, 0, 0, 19, 0, 0, 0, 0,	 0x10, 0,   0, 0xff, 0xff, 0, 0,
	0,    0, 0, 0, 0,  0, 0, 0, 'T', 0,    'C', 0, 0,    0,	   0, 0,
	0,    0, 0, 0, 26, 0, 0, 0, 0,	 0x10, 0,   0, 0xff, 0xff, 0, 0,
	0,    0, 0, 0, 0,  0, 0, 0, 'I', 0,    'R', 0, 0,    0,
};

static enum status parse(const uint8_t *bytes, size_t size,
			 struct profile_sources *sources, struct error *error)
{
	uint8_t *copy = malloc(size ? size : 1); /* so that ASan sees its end */
	enum status status;

	memcpy(copy, bytes, size);
	*error = (struct error){ .status = ST_OK };
	memset(sources, 0, sizeof(*sources));
	status = profile_sources_parse(sources, copy, size, error);
	free(copy);
	return status;
}

UNIT_TEST(a_list_of_two)
{
	struct profile_sources sources;
	struct error error;

	assert_int_equal(parse(list, sizeof(list), &sources, &error), ST_OK);
	assert_int_equal(sources.count, 2);
	assert_string_equal(sources.sources[0].name, "TC");
	assert_int_equal(sources.sources[0].id, 19);
	assert_int_equal(sources.sources[1].least, 4096);
	assert_int_equal(sources.sources[1].most, 65535);
	assert_ptr_equal(profile_sources_find(&sources, STR("ir")), &sources.sources[1]);
	assert_null(profile_sources_find(&sources, STR("i")));
	profile_sources_release(&sources);
}

UNIT_TEST(every_damage_ends)
{
	struct profile_sources sources;
	struct error error;

	for (size_t size = 0; size < sizeof(list); size++) {
		enum status status = parse(list, size, &sources, &error);

		/* Names may be short, structures may not. */
		assert_int_equal(status, size >= 32 + 24 ? ST_OK : ST_CORRUPT);
		assert_true(status == ST_OK || error.offset <= size);
		profile_sources_release(&sources);
	}
	for (size_t at = 0; at < sizeof(list); at++)
		for (unsigned value = 0; value < 256; value++) {
			uint8_t bytes[sizeof(list)];

			memcpy(bytes, list, sizeof(list));
			bytes[at] = (uint8_t)value;
			(void)!parse(bytes, sizeof(bytes), &sources, &error);
			profile_sources_release(&sources);
		}
}
