/*
 * perf_counter_sql.h - the counter calculator as SQL functions.
 *
 *     perf_counter_value(type, n0, n1, d0, d1, frequency
 *                        [, multi [, variant [, n_bytes [, d_bytes]]]])
 *     perf_counter_status(the same)
 *     perf_counter_type_name(type)
 *     perf_counter_unit(type)
 *     perf_counter_over(type)
 *     perf_counter_base_type(type)
 *
 * perf_counter.h describes the arguments, docs/counters.md the results.  All functions
 * are deterministic and harmless (SQLITE_INNOCUOUS), so views may use them.
 */
#ifndef PERFTAB_PERF_COUNTER_SQL_H
#define PERFTAB_PERF_COUNTER_SQL_H

struct sqlite3;

/* Registers them for one connection.  Returns an SQLite result code. */
int perf_counter_sql_register(struct sqlite3 *db);

#endif
