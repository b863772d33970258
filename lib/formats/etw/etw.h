/*
 * etw.h - what the readers of .etl files and of xperf's text share: names of the Windows
 * kernel's numbers, and the tables of ETW.
 *
 * A row is emitted as RECORD_OWN_TABLE with its table from etw_tables[].  A reader sets
 * thread_id to the tid; attribution replaces it by the thread.
 */
#ifndef PERFTAB_ETW_H
#define PERFTAB_ETW_H

#include "base/arena.h"
#include "base/map.h"
#include "model/emit.h"
#include "model/reader.h"

#define TABLES "formats/etw/tables.def"
#define TABLES_AS_STRUCTS
#include "model/tables_as.h"

enum etw_table {
#define TABLES "formats/etw/tables.def"
#define TABLES_AS_LIST(table) TABLE_##table,
#include "model/tables_as.h"
	ETW_TABLES
};

extern const struct table etw_tables[ETW_TABLES];

/* Emits a copy of a row of the table. */
static inline void etw_emit_row(struct emit *emit, enum etw_table table, uint64_t offset,
				const void *row)
{
	emit_push_own_row(emit, &etw_tables[table], offset, row);
}

/* Returns the name of a KTHREAD_STATE: "Waiting", ...; ptr NULL: no such number. */
struct str etw_thread_state(int64_t number);
/* Returns the number of a name in any case; INT_NONE: no such name. */
int64_t etw_thread_state_number(struct str name);
#define ETW_STATE_TERMINATED 4
/* Returns the name of a KWAIT_REASON: "WrQueue", ...; ptr NULL: no such number. */
struct str etw_wait_reason(int64_t number);
/* Returns the wait mode of a switch: "NonSwap" for 0, "Swapable" for 1, as in xperf. */
struct str etw_wait_mode(int64_t number);

/*
 * Converts FILETIME, 100 ns since 1601, to ns since 1970; INT_NONE: it does not fit
 * int64_t.
 */
int64_t etw_unix_ns(uint64_t filetime);

/* Returns text in an ANSI code page, assumed to be Windows-1252, as UTF-8. */
struct str etw_ansi_text(struct arena *arena, struct str bytes);

/* --- details of switches: each distinct combination is one row --- */

struct etw_details {
	struct map known; /* by hash */
	struct arena arena;
	size_t count;
	int64_t last_id;
};

/*
 * Returns the detail_id of these columns, without trace_id and detail_id.  For a new one,
 * sets *is_new and row->detail_id: the caller emits the row.  INT_NONE: out of memory.
 * Copies texts.
 */
int64_t etw_detail(struct etw_details *details, struct etw_switch_detail_row *row,
		   bool *is_new);
void etw_details_release(struct etw_details *details);

#endif
