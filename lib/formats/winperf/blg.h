/*
 * blg.h - what is particular to a performance log (.blg): an .etl whose events are the
 * records of PDH.
 *
 * The buffers are walked twice like those of any .etl.  In the first walk the log's names
 * and catalogue are learned, in the second one its samples become rows.
 */
#ifndef PERFTAB_BLG_H
#define PERFTAB_BLG_H

#include "formats/etw/etl.h"
#include "formats/winperf/winperf.h"

#define BLG_PART_HEADER_BYTES 8u

/* Parts of a sample, by the last of their four bytes that is not 0. */
enum blg_part_type {
	BLG_PART_COUNTER = 1,
	BLG_PART_INSTANCES = 2,
	BLG_PART_OUTER = 3,
	BLG_PART_BLOCK = 5,
};

/* An entry of the catalogue that is of one counter. */
struct blg_entry {
	struct winperf_set *set; /* NULL: of a whole object */
	struct winperf_counter *counter;
	struct registry_instance *instance;
	struct str instance_name, parent;
	uint32_t index;
	struct registry_visits visits; /* of all its instances, where it has several */
};

/* The values of several instances of a counter, on their way into rows. */
struct blg_multi {
	struct blg_entry *entry;
	struct cursor entries, texts; /* those that are left; what offsets count from */
	uint32_t left, status;
	bool whole; /* all could be read so far */
	int64_t part;
};

struct blg {
	struct winperf winperf;
	struct emit emit;
	/* the record that is being put together */
	uint8_t *bytes;
	size_t size, room;
	uint32_t type, parts, next_part;
	uint64_t ticks, from;
	/* what the log says beforehand */
	struct blg_entry *entries;
	bool has_objects; /* an entry is of a whole object: V1 blocks with a clock */
	bool has_shift;	  /* shift_ns is known: from local time to that clock */
	int64_t shift_ns;
	size_t entry_count;
	struct winperf_list *lists;
	size_t list_count;
	/* the sample at hand */
	struct cursor sample;
	size_t part;
	int64_t snapshot; /* of its parts other than V1 blocks; 0: none yet */
	struct blg_multi multi;
};

/* What .etl files hand the events of a performance log to. */
extern const struct etl_consumer blg_consumer;

/* --- blg_catalogue.c: records that are whole, in the first walk --- */

void blg_decode_names(struct blg *blg);
void blg_decode_catalogue(struct blg *blg);
void blg_decode_objects(struct blg *blg);

/* --- blg_values.c: parts of a sample with values, in the second walk --- */

void blg_on_values(struct blg *blg, struct cursor part, unsigned int type);
/* The next instance of a part with several; false: there is none. */
bool blg_next_instance(struct blg *blg);

#endif
