/* mutate_text.c - see mutate_text.h. */
#include "mutate_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct place {
	size_t at, size;
};

/* The line, or the field, around a random byte; the end is not part of it. */
static struct place find_part(struct mutant *m, const char *ends)
{
	size_t from = mutant_choose(m, m->size), to = from;

	while (from > 0 && !memchr(ends, m->bytes[from - 1], strlen(ends)))
		from--;
	while (to < m->size && !memchr(ends, m->bytes[to], strlen(ends)))
		to++;
	return (struct place){ from, to - from };
}

static void put_number(struct mutant *m, const struct place *field)
{
	static const char *const forms[] = { "%" PRIu64, "%" PRId64, "0x%" PRIx64,
					     "-%" PRIu64, "%" PRIu64 ".5" };
	char text[32];
	int length = snprintf(text, sizeof(text), forms[mutant_choose(m, 5)],
			      mutant_number(m, 1000));

	(void)mutant_replace(m, field->at, field->size, (const uint8_t *)text,
			     (size_t)length);
}

static void mutate_field(struct mutant *m)
{
	struct place field = find_part(m, ",\n"), other = find_part(m, ",\n");
	uint8_t copy[256];

	switch (mutant_choose(m, 4)) {
	case 0:
		put_number(m, &field);
		break;
	case 1:
		mutant_change_bytes(m, field.at, field.at + field.size);
		break;
	default: /* one that another line has there, perhaps */
		if (other.size > sizeof(copy))
			break;
		memcpy(copy, m->bytes + other.at, other.size);
		(void)mutant_replace(m, field.at, field.size, copy, other.size);
	}
}

static void mutate_line(struct mutant *m)
{
	struct place line = find_part(m, "\n"), other = find_part(m, "\n");

	line.size += line.at + line.size < m->size;
	other.size += other.at + other.size < m->size;
	if (mutant_choose(m, 3))
		(void)mutant_copy(m, line.at, other.at, other.size);
	else
		(void)mutant_replace(m, line.at, line.size, NULL, 0);
}

void mutate_text_lines(struct mutant *m)
{
	for (size_t i = mutant_choose(m, 4) + 1; i-- > 0;)
		switch (m->size ? mutant_choose(m, 8) : 0) {
		case 0:
			mutant_change_all(m, 0);
			break;
		case 1:
		case 2:
			mutate_line(m);
			break;
		default:
			mutate_field(m);
		}
}
