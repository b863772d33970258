/*
 * text_table.h - aligned columns, as wide as the terminal or at most 100 characters.
 *
 * Columns that do not fit follow in further blocks, each of which repeats the first ones.
 */
#ifndef PERFTAB_TEXT_TABLE_H
#define PERFTAB_TEXT_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

/* Of a file or pipe; of a terminal its width, or COLUMNS. */
#define TEXT_TABLE_COLUMNS 100
size_t text_columns(void);

struct text_table {
	struct arena arena;
	size_t columns;
	size_t repeated; /* first columns, in every block */
	size_t rows;
	size_t rules;	   /* a rule is drawn above this row; 0: none */
	struct str *cells; /* row by row; row 0 is the title */
	bool *left;	   /* by column: left-aligned */
	size_t room;
	bool one_block; /* what does not fit is left out, and named below */
	bool failed;	/* out of memory: nothing is printed */
};

void text_table_init(struct text_table *table, size_t columns, size_t repeated);
void text_table_row(struct text_table *table); /* begins one; cells are empty */
/* A cell of the row that was begun last; the text is copied. */
void text_table_text(struct text_table *table, size_t column, struct str text);
void text_table_int(struct text_table *table, size_t column, int64_t value);
/* Nanoseconds as milliseconds with three places, rounded as in words.js of pages. */
void text_table_ms(struct text_table *table, size_t column, int64_t ns);
void text_table_real(struct text_table *table, size_t column, double value, int places,
		     const char *unit);
void text_table_print(const struct text_table *table, FILE *to);
void text_table_release(struct text_table *table);

#endif
