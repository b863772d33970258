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
 * What each argument is says perf_counter.h, what the functions give docs/counters.md.
 * All are deterministic and harmless (SQLITE_INNOCUOUS), so views may use them.
 */
#ifndef PERFTAB_PERF_COUNTER_SQL_H
#define PERFTAB_PERF_COUNTER_SQL_H

struct sqlite3;

/* Registers them for one connection.  SQLITE_OK, or what SQLite refused it with. */
int perf_counter_sql_register(struct sqlite3 *db);

#endif
