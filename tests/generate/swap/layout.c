/*
 * Interpreter of layouts, strings that name the fields of a record or header feature:
 *   2 4 8   a number of so many bytes
 *   q       8 bytes to be copied
 *   s       u32 length and so many characters
 *   z       zero-terminated string, padded so that the next field is 8-aligned
 *   n(...)  u32 count and so many groups;  N(...) the same with a u64 count
 *   *       u64s up to the end
 *   r       bytes to be copied, up to the end
 *   ?       the layout may end here
 */
#include "swap/swap.h"

#include <string.h>

/* Behind the closing parenthesis of the group that layout is in. */
static const char *skip_group(const char *layout)
{
	for (unsigned depth = 1; *layout; layout++) {
		if (*layout == '(')
			depth++;
		else if (*layout == ')' && --depth == 0)
			return layout + 1;
	}
	return layout;
}

static void swap_name(struct cursor *cursor)
{
	const uint8_t *name = cursor->image->data + cursor->at;
	const uint8_t *end = memchr(name, 0, cursor_left(cursor));
	size_t bytes;

	if (!end)
		cursor_die(cursor, "the name at 0x%zx has no end", cursor->at);
	bytes = (size_t)(end - name) + 1;
	while ((cursor->at + bytes - cursor->start) % 8 && bytes < cursor_left(cursor))
		bytes++;
	copy_bytes(cursor, bytes);
}

static void swap_field(struct cursor *cursor, char letter)
{
	switch (letter) {
	case '2':
	case '4':
	case '8':
		swap_number(cursor, (size_t)(letter - '0'));
		break;
	case 'q':
		copy_bytes(cursor, 8);
		break;
	case 's':
		copy_bytes(cursor, swap_u32(cursor));
		break;
	case 'z':
		swap_name(cursor);
		break;
	case '*':
		while (cursor_left(cursor) >= 8)
			swap_u64(cursor);
		break;
	case 'r':
		copy_bytes(cursor, cursor_left(cursor));
		break;
	default:
		cursor_die(cursor, "layout letter \"%c\" is unknown", letter);
	}
}

/* A count from the file needs no limit: each group takes bytes, and they run out. */
static const char *swap_groups(struct cursor *cursor, const char *layout, uint64_t count)
{
	const char *at = layout;

	if (!count)
		return skip_group(layout);
	while (count--) {
		for (at = layout; *at && *at != ')';) {
			char letter = *at++;

			if (letter == 'n')
				at = swap_groups(cursor, at + 1, swap_u32(cursor));
			else if (letter == 'N')
				at = swap_groups(cursor, at + 1, swap_u64(cursor));
			else if (letter != '?')
				swap_field(cursor, letter);
			else if (!cursor_left(cursor))
				return at;
		}
	}
	return *at ? at + 1 : at;
}

void swap_layout(struct cursor *cursor, const char *layout)
{
	swap_groups(cursor, layout, 1);
}
