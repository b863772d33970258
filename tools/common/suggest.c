/* suggest.c - finds the names nearest to a wrong one by edit distance. */
#include "common/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

void suggest_begin(struct suggest *nearest, struct str word)
{
	memset(nearest, 0, sizeof(*nearest));
	if (word.len <= SUGGEST_LENGTH)
		memcpy(nearest->word, word.ptr, word.len);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to change, add, leave out or swap with the next; case does not count. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][SUGGEST_LENGTH + 1];
	size_t width = strlen(b), height = strlen(a);

	for (size_t k = 0; k <= width; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= height; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const size_t *top = rows[(i + 1) % 3];
		int c = tolower((unsigned char)a[i - 1]);

		row[0] = i;
		for (size_t k = 1; k <= width; k++) {
			int d = tolower((unsigned char)b[k - 1]);

			row[k] = least(above[k - 1] + (c != d),
				       least(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && c != d &&
			    c == tolower((unsigned char)b[k - 2]) &&
			    d == tolower((unsigned char)a[i - 2]))
				row[k] = least(row[k], top[k - 2] + 1);
		}
	}
	return rows[height % 3][width];
}

void suggest_offer(struct suggest *nearest, const char *name)
{
	size_t length = strlen(name), word = strlen(nearest->word), d, at;

	if (word == 0 || length == 0 || length > SUGGEST_LENGTH)
		return;
	d = distance(nearest->word, name);
	if (d > (word + 2) / 4 || d >= word)
		return;
	for (size_t i = 0; i < nearest->count; i++)
		if (strcmp(nearest->best[i].name, name) == 0)
			return;
	for (at = nearest->count; at > 0 && nearest->best[at - 1].distance > d; at--)
		if (at < SUGGEST_NAMES)
			nearest->best[at] = nearest->best[at - 1];
	if (at == SUGGEST_NAMES)
		return;
	memcpy(nearest->best[at].name, name, length + 1);
	nearest->best[at].distance = d;
	nearest->count += nearest->count < SUGGEST_NAMES;
}

void suggest_alias(struct suggest *nearest, const char *alias, const char *name)
{
	if (strcmp(nearest->word, alias) != 0)
		return;
	nearest->count = 1;
	nearest->best[0].distance = 0;
	text_print(nearest->best[0].name, sizeof(nearest->best[0].name), "%s", name);
}

/* Only those that are as near as the nearest one. */
void suggest_text(const struct suggest *nearest, char *to, size_t size)
{
	size_t at = 0, last = 0;

	to[0] = '\0';
	while (last < nearest->count &&
	       nearest->best[last].distance == nearest->best[0].distance)
		last++;
	for (size_t i = 0; i < last; i++) {
		char shown[4 * SUGGEST_LENGTH + 8];

		text_shown(shown, sizeof(shown), str_of(nearest->best[i].name),
			   SUGGEST_LENGTH);
		at += text_print(to + at, size - at, "%s'%s%s'",
				 i == 0		 ? "; did you mean "
				 : i + 1 == last ? " or "
						 : ", ",
				 nearest->prefix ? nearest->prefix : "", shown);
	}
	if (last)
		text_print(to + at, size - at, "?");
}
