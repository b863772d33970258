/*
 * carried.h - names of functions that came with the trace, by file.
 */
#ifndef PERFTAB_SYMBOLS_CARRIED_H
#define PERFTAB_SYMBOLS_CARRIED_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

/* Functions of a trace, and bytes of their names. */
#define CARRIED_MAX ((size_t)4 << 20)
#define CARRIED_BYTES_MAX ((size_t)128 << 20)

enum carried_base { CARRIED_FILE, CARRIED_MAP, CARRIED_ADDRESS, CARRIED_BASES };

struct carried {
	struct arena arena;
	struct map files; /* hash of filename -> struct carried_file */
	struct carried_file *first;
	size_t count, bytes;
	bool limit_reached, out_of_memory;
};

void carried_add(struct carried *carried, const struct file_symbol_row *row);
void carried_release(struct carried *carried);
/* The trace is complete: puts the functions of each file in order. */
void carried_settle(struct carried *carried);
/*
 * The function at a place of a file, which is a file offset, an offset in its mapping and
 * an address.  ptr NULL: none; *offset is that from its start.
 */
struct str carried_find(const struct carried *carried, struct str filename,
			const uint64_t places[CARRIED_BASES], uint64_t *offset);

#endif
