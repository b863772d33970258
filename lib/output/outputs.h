/*
 * outputs.h - every output format.  To add one, see CONTRIBUTING.md.
 */
#ifndef PERFTAB_OUTPUTS_H
#define PERFTAB_OUTPUTS_H

#include "model/sink.h"

extern const struct sink_ops sqlite_writer;
extern const struct sink_ops csv_writer;
extern const struct sink_ops parquet_writer;
extern const struct sink_ops clickhouse_writer;
extern const struct sink_ops perfetto_writer;
extern const struct sink_ops folded_writer;
extern const struct sink_ops speedscope_writer;
extern const struct sink_ops null_writer;

/*
 * For a program, before it uses SQLite: no statistics of memory, which databases do not
 * need and which cost a lock for each allocation, and small caches.
 */
void sqlite_configure(void);

/* What --to chooses from; ends with NULL. */
extern const struct sink_ops *const writers[];

#endif
