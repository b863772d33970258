/*
 * list.h - what is in a trace (perftab-convert --list): collected, then printed.
 *
 * The collector is a sink: it keeps the rows that describe a trace.  When the trace row
 * comes, the trace is complete and `done` is called with all of them.
 */
#ifndef PERFTAB_LIST_H
#define PERFTAB_LIST_H

#include <stdio.h>

#include "base/arena.h"
#include "model/sink.h"
#include "pipeline/anonymous.h"

#define LIST_SCHEMA_VERSION 1

/* The rows of one table, in the order they came. */
struct list_rows {
	void *rows; /* struct <table>_row */
	size_t count, room;
};

struct listing {
	struct arena arena; /* the texts of the rows */
	struct trace_row trace;
	struct list_rows of[RECORD_TABLES]; /* by kind; only those of list.c have rows */
	const struct table *own_table; /* of ETW: etw_event_count; NULL: it has none */
	struct list_rows own;	       /* its rows */
	const struct anonymous *anonymous; /* what replaced texts; NULL: nothing did */
};

#define LIST_ROW(listing, table, i) \
	(&((const struct table##_row *)(listing)->of[RECORD_##table].rows)[i])
#define LIST_COUNT(listing, table) ((listing)->of[RECORD_##table].count)

/* Which of the listing's groups a counter is read in, or LIST_NO_GROUP. */
#define LIST_NO_GROUP SIZE_MAX
size_t list_group_of(const struct listing *listing, const struct counter_row *counter);

/* The sink.  Its state is a struct list_sink; the caller sets the last two members. */
struct list_sink {
	struct listing listing;
	void (*done)(void *context, const struct listing *listing);
	void *context;
};
extern const struct sink_ops list_sink_ops;

/* Names that --anonymize leaves as they are; list_kept.c. */
void list_print_kept_text(FILE *to, const struct anonymous *anonymous);
void list_print_kept_json(FILE *to, const struct anonymous *anonymous);

void list_print_text(FILE *to, const struct listing *listing);
/* One object; the caller writes the separators between several. */
void list_print_json(FILE *to, const struct listing *listing);
/* A text over several lines, broken at blanks, all but the first after the indent. */
void list_print_wrapped(FILE *to, struct str text, size_t indent);

#endif
