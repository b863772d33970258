/*
 * dictionary.h - the texts of a column in a row group, each once, with numbers from 0.
 */
#ifndef PERFTAB_PARQUET_DICTIONARY_H
#define PERFTAB_PARQUET_DICTIONARY_H

#include "base/arena.h"
#include "base/map.h"

/* Texts that take turns, as the names of counters do, are found without hashing. */
#define DICTIONARY_RECENT 16

struct dictionary {
	struct str *texts; /* by number */
	size_t count, room;
	uint32_t last;			    /* found last: often it comes again */
	uint32_t recent[DICTIONARY_RECENT]; /* found last, by address */
	size_t bytes;			    /* of all texts */
	struct map by_hash;		    /* -> struct dictionary_entry */
	struct arena arena;
};

#define DICTIONARY_NONE UINT32_MAX

/* The number of a text; DICTIONARY_NONE: out of memory. */
uint32_t dictionary_number(struct dictionary *dictionary, struct str text, bool is_utf8);
void dictionary_clear(struct dictionary *dictionary);

#endif
