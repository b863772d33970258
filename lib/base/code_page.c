/* code_page.c - see code_page.h; the tables are code_pages.def. */
#include "base/code_page.h"

#include "base/array.h"
#include "base/text.h"

#define UTF8_BYTES_MAX 3 /* of a letter of these pages */
#define NO_CHARACTER 0xfffd

static const struct page {
	int64_t number;
	uint16_t upper[128];
} pages[] = {
#define PAGE(number, ...) { number, { __VA_ARGS__ } },
#include "base/code_pages.def"
#undef PAGE
};

static const struct page *find_page(int64_t number)
{
	for (size_t i = 0; i < ARRAY_COUNT(pages); i++)
		if (pages[i].number == number)
			return &pages[i];
	return NULL;
}

bool code_page_is_known(int64_t number)
{
	return number == CODE_PAGE_UTF8 || find_page(number);
}

const char *code_page_numbers(void)
{
	return "437, 737, 850, 852, 855, 857, 858, 862, 866, 874, 1250 to 1258, 65001";
}

struct str code_page_text(struct arena *arena, int64_t number, struct str bytes)
{
	const struct page *page = find_page(number);
	char *to = arena_alloc(arena, bytes.len * UTF8_BYTES_MAX + 1);
	size_t at = 0;

	if (!to)
		return STR_NONE;
	for (size_t i = 0; i < bytes.len; i++) {
		uint8_t byte = (uint8_t)bytes.ptr[i];
		uint32_t code = byte;

		if (byte >= 0x80)
			code = page && page->upper[byte - 0x80] ? page->upper[byte - 0x80]
								: NO_CHARACTER;
		at += text_write_utf8(to + at, code);
	}
	return (struct str){ to, at };
}
