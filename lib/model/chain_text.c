/* chain_text.c - parses the text that attribution/callchains.c writes of a call chain. */
#include "model/chain_text.h"

#include "base/text.h"

/* "0x..." to a number; false: it is a mark. */
static bool parse_address(struct str word, uint64_t *address)
{
	*address = 0;
	if (word.len < 3 || word.len > 18 || memcmp(word.ptr, "0x", 2) != 0)
		return false;
	for (size_t i = 2; i < word.len; i++) {
		int digit = text_hex_digit(word.ptr[i]);

		if (digit < 0)
			return false;
		*address = *address << 4 | (uint64_t)digit;
	}
	return true;
}

static void on_mark(struct str word, struct chain_frame *frame)
{
	frame->is_cookie = str_equal(word, STR("user deferred"));
	if (str_equal(word, STR("kernel")))
		frame->place = CHAIN_KERNEL;
	else if (str_equal(word, STR("user")) || frame->is_cookie)
		frame->place = CHAIN_USER;
	else
		frame->place = CHAIN_OTHER;
}

bool chain_next_frame(struct str *rest, struct chain_frame *frame)
{
	frame->is_cookie = false;
	while (rest->len) {
		const char *from = memchr(rest->ptr, '"', rest->len), *to;
		struct str word;

		if (!from)
			break;
		from++;
		rest->len -= (size_t)(from - rest->ptr);
		rest->ptr = from;
		to = memchr(from, '"', rest->len);
		if (!to)
			break;
		word = (struct str){ from, (size_t)(to - from) };
		rest->len -= word.len + 1;
		rest->ptr = to + 1;
		if (parse_address(word, &frame->address))
			return true;
		on_mark(word, frame);
	}
	rest->len = 0;
	return false;
}
