/*
 * bill.h - a bill as the rows of a feed.
 *
 * Wide: a row for each line, with the columns of `perftab-analyze --by WHAT --csv`.
 * Tall: a row of feed_bill_table for each line and counter, and only the lines that the
 * views process_bill and comm_bill have.
 */
#ifndef PERFTAB_FEED_BILL_H
#define PERFTAB_FEED_BILL_H

#include "feed/feed.h"
#include "report/cut.h"

struct feed_bill {
	enum cut_by by;
	bool is_tall;
};

/* The table of the tall form. */
extern const struct table feed_bill_table;

/* A feed_request.run, whose context is a struct feed_bill. */
MUST_CHECK enum status feed_run_bill(struct feed *feed, struct reader *reader,
				     void *bill);
/* Gets the cut that a word names; false: none has that name. */
bool feed_bill_by(const char *word, enum cut_by *by);

#endif
