/*
 * mutate_etl.h - mutations of an .etl: headers of buffers, and events, in compressed
 * buffers too.
 */
#ifndef PERFTAB_MUTATE_ETL_H
#define PERFTAB_MUTATE_ETL_H

#include "mutant.h"

/* A whole file; any bytes else. */
void mutate_etl_file(struct mutant *m);

#endif
