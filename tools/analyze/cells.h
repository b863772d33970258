/*
 * cells.h - single values, as text, CSV and JSON show them.
 */
#ifndef PERFTAB_ANALYZE_CELLS_H
#define PERFTAB_ANALYZE_CELLS_H

#include <stdio.h>

#include "common/text_table.h"
#include "model/record.h"

/*
 * CSV: quoted where needed; safe: a text that a spreadsheet reads as a formula gets '.
 */
void csv_cell(FILE *to, struct str text, bool safe);
void csv_number(FILE *to, int64_t value); /* empty for INT_NONE */
void csv_value(FILE *to, int64_t value);  /* never empty */

/*
 * CSV and JSON: the fewest digits that are this number and no other; infinity, which JSON
 * has no word for, as a number that is read as one.
 */
void print_real(FILE *to, double value);

/* Text: fit for a terminal, cut to so many columns. */
void print_shown(FILE *to, struct str text, size_t columns);
/* The same, cut in the middle. */
void print_path(FILE *to, struct str path, size_t columns);
/* A paragraph, its lines broken at blanks. */
void print_words(FILE *to, const char *words);
/* In a table; a name is cut to VIEW_NAME_WIDTH, an id that is not known is left out. */
void shown_cell(struct text_table *table, size_t column, struct str text, size_t columns);
void id_cell(struct text_table *table, size_t column, int64_t id);

#endif
