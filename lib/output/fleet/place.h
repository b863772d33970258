/*
 * place.h - which machine, day and trace the rows of a fleet are of.
 */
#ifndef PERFTAB_FLEET_PLACE_H
#define PERFTAB_FLEET_PLACE_H

#include "model/record.h"

#define FLEET_TEXT_BYTES 160

struct fleet_place {
	char host[FLEET_TEXT_BYTES];  /* as in a path; "": not known */
	char date[16];		      /* of the first moment; "": not known */
	int64_t day;		      /* the same since 1970; INT_NONE: not known */
	char trace[FLEET_TEXT_BYTES]; /* the column `trace` */
};

/* `number` is for inputs of one output that are otherwise the same. */
void fleet_place(struct fleet_place *place, const struct trace_row *trace, size_t number);
/* A text as part of a path: all but letters, digits and -._, become %XX. */
void fleet_escape(char to[FLEET_TEXT_BYTES], struct str text);

#endif
