/*
 * etw.h - what the readers of .etl files and of xperf's text have in common: names of the
 * Windows kernel's numbers, and the tables of ETW.
 *
 * A row goes out as RECORD_OWN_TABLE with its table from etw_tables[].  In thread_id a
 * reader writes the tid; attribution puts the thread there.
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

/* A copy of a row of that table, on its way out. */
static inline void etw_emit_row(struct emit *emit, enum etw_table table, uint64_t offset,
				const void *row)
{
	emit_push_own_row(emit, &etw_tables[table], offset, row);
}

/* KTHREAD_STATE: "Waiting", ...; ptr NULL: no such number. */
struct str etw_thread_state(int64_t number);
/* The number of a name, however it is capitalised, or INT_NONE. */
int64_t etw_thread_state_number(struct str name);
#define ETW_STATE_TERMINATED 4
/* KWAIT_REASON: "WrQueue", ... */
struct str etw_wait_reason(int64_t number);
/* Of a switch: "NonSwap" for 0, "Swapable" for 1, as xperf prints it. */
struct str etw_wait_mode(int64_t number);

/*
 * FILETIME, 100 ns since 1601, as ns since 1970; INT_NONE if it does not fit
 * int64_t.
 */
int64_t etw_unix_ns(uint64_t filetime);

/* Texts of the recording machine's ANSI code page, taken for Windows-1252, as UTF-8. */
struct str etw_ansi_text(struct arena *arena, struct str bytes);

/* --- details of switches: each distinct combination is one row --- */

struct etw_details {
	struct map known; /* by hash */
	struct arena arena;
	size_t count;
	int64_t last_id;
};

/*
 * The detail_id of these columns (its trace_id and detail_id are not looked at).  When it
 * is new, *is_new and row->detail_id are set and the row must go out.  INT_NONE: no
 * memory. Texts are copied.
 */
int64_t etw_detail(struct etw_details *details, struct etw_switch_detail_row *row,
		   bool *is_new);
void etw_details_release(struct etw_details *details);

#endif
