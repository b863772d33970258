/*
 * text_verdicts.c - a line on the counters of a trace: which are proven, which are
 * contradicted, and by what.  There is none where nothing was tested.
 */
#include "base/array.h"
#include "base/text.h"
#include "render.h"

#define WORDS_BYTES 4000
#define WORDS_EACH 700 /* of one counter, at most */

static bool was_tested(const struct totals *totals)
{
	for (size_t i = 0; i < totals->counter_count; i++)
		if (totals->counters[i].audit.reason.ptr)
			return true;
	return false;
}

/* The counters of one verdict, appended to `words`. */
static size_t add_counters(char *words, size_t used, const struct totals *totals,
			   struct str verdict, bool with_reason)
{
	size_t count = 0;
	char name[200], reason[500];

	for (size_t i = 0; i < totals->counter_count; i++) {
		const struct totals_counter *counter = &totals->counters[i];

		if (!counter->audit.reason.ptr ||
		    !str_equal(counter->audit.verdict, verdict) ||
		    bill_is_edge(totals, i) || used + WORDS_EACH > WORDS_BYTES)
			continue;
		text_shown(name, sizeof(name), counter->row.name, VIEW_TITLE_WIDTH);
		text_shown(reason, sizeof(reason), counter->audit.reason, 240);
		used += text_print(words + used, WORDS_BYTES - used, "%s %s",
				   count++ ? "," : "", name);
		if (with_reason)
			used += text_print(words + used, WORDS_BYTES - used, " (by %s)",
					   reason);
	}
	return used;
}

void text_verdicts(FILE *to, const struct totals *totals)
{
	static const char *const verdicts[] = { "contradicted", "proven", "plausible" };
	char words[WORDS_BYTES];
	size_t used = 0;

	if (!was_tested(totals))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(verdicts); i++) {
		size_t before = used, begun;

		used += text_print(words + used, sizeof(words) - used,
				   "%s%s:", used ? "; " : "", verdicts[i]);
		begun = used;
		used = add_counters(words, used, totals, str_of(verdicts[i]), i == 0);
		if (used == begun)
			used = before;
		words[used] = '\0';
	}
	print_words(to, words);
}
