/*
 * places.h - samples by module or function.
 *
 * Samples are counted by thread, address and event while they come; what was at each
 * address is known at the end of the trace, from rows of frame_symbol.
 */
#ifndef PERFTAB_REPORT_PLACES_H
#define PERFTAB_REPORT_PLACES_H

#include "report/estimate.h"

/* Maximum of combinations of thread, address and event. */
#define PLACES_MAX ((size_t)4 << 20)

enum place_by { PLACE_NONE, PLACE_SYMBOL, PLACE_MODULE };

struct places {
	struct arena arena;
	int64_t from_ns, to_ns; /* only samples of [from_ns, to_ns) */
	struct map counts;	/* hash of thread, address, event -> struct place_count */
	struct place_count *first, **last;
	size_t count;
	struct map frames; /* hash of process and address -> struct place_frame */
	struct map names;  /* hash of a text -> struct str */
};

void places_begin(struct places *places, int64_t from_ns, int64_t to_ns);
void places_release(struct places *places);
/* False: out of memory, or more than PLACES_MAX. */
bool places_add_sample(struct places *places, const struct sample_row *row);
/* Handles a row of the trace; false: out of memory. */
bool places_on_row(struct places *places, const struct record *record);

/* Texts and counts of a line; it has no ids. */
enum place_text { PLACE_TEXT_MODULE, PLACE_TEXT_SYMBOL, PLACE_TEXTS };
enum place_cell { PLACE_SAMPLES, PLACE_EVENT_SAMPLES };

/*
 * Makes a view with a column for each event of the estimate; processes that do not pass
 * the filter share one line.  False: out of memory; call view_release() in either case.
 */
bool places_make_view(struct places *places, enum place_by by,
		      const struct estimate *estimate, const struct cut_filter *filter,
		      struct view *view);

#endif
