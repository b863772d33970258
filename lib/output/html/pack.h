/*
 * pack.h - writes what was collected to blocks of the page, within a budget of bytes.
 *
 * The layouts are described at the functions; the scripts in page/ decode them.
 */
#ifndef PERFTAB_HTML_PACK_H
#define PERFTAB_HTML_PACK_H

#include <stdio.h>

#include "output/html/collect.h"
#include "output/html/colours.h"

struct packing {
	FILE *to;	/* the page: blocks */
	FILE *document; /* JSON: members that describe the blocks */
	const struct colours *colours;
	struct collect *collect;
	size_t blocks; /* so far */
};

/* The members "lanes", "books" and "switches", each after a comma.  False: no memory. */
bool pack_lanes(struct packing *packing);
bool pack_books(struct packing *packing);
bool pack_switches(struct packing *packing);

#endif
