/*
 * over_time.h - the bill, or the estimates, of each interval of a recorded trace.
 */
#ifndef PERFTAB_ANALYZE_OVER_TIME_H
#define PERFTAB_ANALYZE_OVER_TIME_H

#include "render.h"
#include "report/series.h"

/* Text has at most so many bars in a line: the series need not be finer then. */
#define OVER_TIME_BARS 50

struct over_time {
	struct series *series;
	/* Of the whole, sorted. */
	struct bill *bill;
	struct estimate *estimate; /* NULL: the bill is what is cut into intervals */
	struct cut_filter filter;
	struct render_options render;
	const char *sort_column;
};

/* Room for two times, the time of day, and commas. */
#define INTERVAL_CELLS 120
/* Has lines of CSV begin with their interval; `cells` is used until they are printed. */
void csv_interval(struct render_options *render, char cells[INTERVAL_CELLS],
		  const struct trace_row *trace, int64_t from_ns, int64_t to_ns);

/*
 * CSV: each interval's lines, with its time first.  JSON: the member "intervals" and the
 * end of the object.  Text: a line of bars for each line of the whole.  The books of the
 * totals are replaced by those of the last interval.  False: out of memory.
 */
bool over_time_print(FILE *to, struct over_time *over, enum form form);

#endif
