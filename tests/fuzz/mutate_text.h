/* mutate_text.h - mutations of lines with fields between commas. */
#ifndef PERFTAB_MUTATE_TEXT_H
#define PERFTAB_MUTATE_TEXT_H

#include "mutant.h"

void mutate_text_lines(struct mutant *m);

#endif
