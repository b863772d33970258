/*
 * view.h - a table of lines and columns, from which every form of a report is printed.
 *
 * The bill, the estimates, the counts of perf stat and the check are views; renderers
 * know nothing else.  A line holds cells; a column names the cell it shows, its kind and
 * its forms, so one cell may be shown differently in text and in CSV.
 *
 * Cells of a line are texts, and numbers in three zones: ids, which are never added up;
 * counts, where INT_NONE means "unknown"; values, which are always known.
 */
#ifndef PERFTAB_REPORT_VIEW_H
#define PERFTAB_REPORT_VIEW_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/record.h"

/* Maximum of lines times cells: 1 GB. */
#define VIEW_CELLS_MAX ((size_t)128 << 20)

/* In the order of the lines; LINE_OTHERS: the sum of lines that were left out. */
enum line_kind {
	LINE_TASK,
	LINE_OTHERS,
	LINE_IDLE,
	LINE_WITH_IDLE, /* shared by idle and a thread */
	LINE_INTERRUPTS,
	LINE_UNATTRIBUTED,
	LINE_FALLS, /* of counters that went down, not a cost; only in text */
	LINE_TOTAL,
};

struct view_line {
	enum line_kind kind;
	bool is_dropped;	    /* left out of view.lines */
	bool is_csv_only;	    /* empty: left out of text */
	const void *of;		    /* its owner, for the maker of the view */
	const void *counted;	    /* the thread counted last, likewise */
	struct view_branch *branch; /* its place in a tree; NULL: none */
	struct str *texts;
	int64_t *numbers;
};

/* Where a line is in a tree. */
struct view_branch {
	struct view_line *parent; /* NULL: a root */
	struct view_line *first_child, *last_child, *next_sibling;
	size_t depth;
	int64_t *sums; /* the numbers of this line and of all below it */
};

/* Where a column is shown. */
enum view_form {
	VIEW_TEXT = 1,
	VIEW_CSV = 2,
	VIEW_JSON = 4,
};

enum view_kind {
	/* of a text cell; sorted ascending */
	VIEW_NAME,
	/* of a number; an id is sorted ascending, the others descending */
	VIEW_ID,
	VIEW_NUMBER,
	VIEW_NS,	 /* text shows milliseconds */
	VIEW_FLAG,	 /* 0 or 1 */
	VIEW_SCALED,	 /* text shows "~" before it */
	VIEW_SHARE,	 /* percent of the same cell of the total */
	VIEW_WITH_SHARE, /* the number and its share */
	VIEW_RATIO,	 /* number / other number * scale */
	/* JSON only */
	VIEW_KIND,   /* the kind of the line */
	VIEW_LIST,   /* an array of `count` numbers */
	VIEW_OBJECT, /* the columns of kind VIEW_RATIO, by name; lines of tasks only */
};

struct view_column {
	enum view_kind kind;
	unsigned forms;
	struct str name;  /* in CSV, in JSON, for sorting */
	struct str title; /* in text */
	size_t cell;	  /* its index among the texts, or among the numbers */
	bool is_key;	  /* names the line: repeated where a text table is cut */
	bool is_event;	  /* named by the trace: preferred among equal names */
	bool tasks_only;  /* empty in lines of no task */
	bool is_sum;	  /* shows the sums of the tree instead of the numbers */
	bool is_indented; /* text: by the depth of the line */
	size_t tie;	  /* cell that sorts equals; VIEW_NO_CELL: none */
	size_t count;	  /* VIEW_LIST */
	size_t other;	  /* VIEW_RATIO: the denominator */
	double scale;	  /* likewise */
	int places;	  /* likewise: digits after the point in text */
	const char *unit; /* likewise */
	size_t width;	  /* text: maximum of a name; 0: none */
	const char *none; /* text: shown for an unknown number */
};

#define VIEW_NO_CELL SIZE_MAX
#define VIEW_NAME_WIDTH 40
#define VIEW_TITLE_WIDTH 40

struct view {
	struct arena arena;
	size_t texts, numbers;	  /* of a line */
	size_t ids, counts;	  /* numbers that are ids (the first), then counts */
	size_t first_unknown;	  /* counts from here on begin as INT_NONE */
	struct view_line **lines; /* sorted: tasks, others, idle, ... */
	size_t line_count, line_room;
	struct view_line *total; /* not among the lines */
	struct view_line *rest;	 /* sum of more lines, likewise; NULL: none */
	size_t rest_lines;	 /* how many lines `rest` sums */
	struct view_column *columns;
	size_t column_count, column_room;
	size_t tie;	  /* cell that sorts equals, descending */
	bool is_tree;	  /* view_make_tree() */
	bool keeps_order; /* equals stay in the order of their making */
	size_t first_key; /* column of the order without --sort; VIEW_NO_CELL: as made */
	struct str unattributed;  /* text: its name; ptr NULL: as in CSV */
	bool failed;		  /* out of memory, or over VIEW_CELLS_MAX */
	struct view_column spare; /* set instead when there is no memory for a column */
};

/* Begins a view of lines with so many texts, ids, counts and values. */
void view_begin(struct view *view, size_t texts, size_t ids, size_t counts,
		size_t values);
void view_release(struct view *view);

/* Adds a line of zeros; ids and unknown counts are INT_NONE.  NULL: `failed` is set. */
struct view_line *view_add_line(struct view *view, enum line_kind kind);
/*
 * Adds a line that was made by view_new_line(), or dropped.  False: `failed` is set.
 */
bool view_append(struct view *view, struct view_line *line);
/* As view_add_line(), but does not add it to the lines. */
struct view_line *view_new_line(struct view *view, enum line_kind kind);
/* Adds a column, which the caller completes before adding the next one. */
struct view_column *view_add_column(struct view *view, enum view_kind kind,
				    unsigned forms, const char *name, size_t cell);
/* Returns the index of the column added last. */
size_t view_last_column(const struct view *view);

/* Adds counts and values of a line to another one. */
void view_add(const struct view *view, struct view_line *sum,
	      const struct view_line *line);
/* Makes the total of all lines. */
void view_add_total(struct view *view);
/* Sets a parent, before view_make_tree().  False: `failed` is set. */
bool view_set_parent(struct view *view, struct view_line *line, struct view_line *parent);
/*
 * Computes depths and sums of lines with parents, and has view_sort() put each line after
 * its parent.  Cuts rings of parents.
 */
void view_make_tree(struct view *view);
static inline struct view_line *view_parent(const struct view_line *line)
{
	return line->branch ? line->branch->parent : NULL;
}
/* Returns the sums of a line of a tree, else NULL. */
static inline const int64_t *view_sums(const struct view_line *line)
{
	return line->branch ? line->branch->sums : NULL;
}

/* Sorts by the CSV name of a column; NULL: the view's own order.  False: no column. */
bool view_sort(struct view *view, const char *column);

/* Returns whether a cell is a value, which is always known. */
static inline bool view_is_value(const struct view *view, size_t cell)
{
	return cell >= view->ids + view->counts;
}

/* Returns whether a line is beyond the first `top` (0: all). */
static inline bool view_is_hidden(const struct view *view, size_t line, int64_t top)
{
	return top && view->lines[line]->kind == LINE_TASK && line >= (uint64_t)top;
}

static inline int64_t view_number(const struct view_column *column,
				  const struct view_line *line)
{
	const int64_t *sums = column->is_sum ? view_sums(line) : NULL;

	return (sums ? sums : line->numbers)[column->cell];
}

/* Computes a VIEW_SHARE, VIEW_WITH_SHARE or VIEW_RATIO; false: it has no value. */
bool view_ratio(const struct view *view, const struct view_column *column,
		const struct view_line *line, double *value);

#endif
