/* list_kept.c - names that stay with --anonymize, for a user to look through. */
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "common/json.h"
#include "list.h"

#define SHOWN_COLUMNS 80
#define SHOWN_BYTES (4 * SHOWN_COLUMNS + 8)
#define INDENT 2
#define LINE_COLUMNS 100

struct names {
	struct str *names; /* borrowed */
	size_t count, room;
	bool of_processes; /* which are wanted */
	bool failed;
};

static void add_name(void *context, struct str name, bool is_process)
{
	struct names *names = context;

	if (is_process != names->of_processes || names->failed)
		return;
	names->failed = !ARRAY_GROW(names->names, names->room, names->count);
	if (!names->failed)
		names->names[names->count++] = name;
}

static int by_text(const void *a, const void *b)
{
	const struct str *x = a, *y = b;
	int order = memcmp(x->ptr, y->ptr, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static struct names sorted_names(const struct anonymous *anonymous, bool of_processes)
{
	struct names names = { .of_processes = of_processes };

	anonymous_each_kept(anonymous, add_name, &names);
	if (names.count)
		qsort(names.names, names.count, sizeof(names.names[0]), by_text);
	return names;
}

static void print_names(FILE *to, const struct anonymous *anonymous, bool of_processes,
			const char *title)
{
	struct names names = sorted_names(anonymous, of_processes);
	size_t used = 0;

	fprintf(to, "\n%s that stay: %zu\n", title, names.count);
	for (size_t i = 0; i < names.count; i++) {
		char shown[SHOWN_BYTES];
		size_t columns =
			text_shown(shown, sizeof(shown), names.names[i], SHOWN_COLUMNS);

		if (used && used + columns + 3 > LINE_COLUMNS) {
			fputs(",\n", to);
			used = 0;
		}
		used += (used ? 2 : INDENT) + columns;
		fprintf(to, "%s%s", used == INDENT + columns ? "  " : ", ", shown);
	}
	fputs(names.count ? "\n" : "", to);
	free(names.names);
}

void list_print_kept_text(FILE *to, const struct anonymous *anonymous)
{
	print_names(to, anonymous, true, "Names of processes and threads");
	print_names(to, anonymous, false, "Other names (of events, fields, the machine)");
}

void list_print_kept_json(FILE *to, const struct anonymous *anonymous)
{
	static const char *const members[] = { "kept_labels", "kept_names" };

	for (int of_processes = 1; of_processes >= 0; of_processes--) {
		struct names names = sorted_names(anonymous, of_processes);

		fprintf(to, ",\n   \"%s\": [", members[of_processes]);
		for (size_t i = 0; i < names.count; i++) {
			fputs(i ? ", " : "", to);
			json_text(to, names.names[i]);
		}
		fputs("]", to);
		free(names.names);
	}
}
