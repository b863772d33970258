/* statements.c - CREATE TABLE for ClickHouse 18.16 and later; see statements.h. */
#include "output/clickhouse/statements.h"

#include <string.h>

static void put(struct bytes *to, const char *text)
{
	bytes_put(to, text, strlen(text));
}

/* A name as ClickHouse quotes it. */
static void put_name(struct bytes *to, const char *name)
{
	put(to, "`");
	for (; *name; name++) {
		if (*name == '`' || *name == '\\')
			put(to, "\\");
		bytes_put(to, name, 1);
	}
	put(to, "`");
}

static void put_column(struct bytes *to, const char *name, enum native_type type,
		       bool is_first)
{
	put(to, is_first ? "\n\t" : ",\n\t");
	put_name(to, name);
	put(to, " ");
	put(to, native_type_name(type));
}

/* What tables are sorted by. */
static const char *const orders[FLEET_TABLES] = {
	[FLEET_BILL] = "host, date, counter, process",
	[FLEET_BILL_BY_SECOND] = "host, date, counter, ts_ns",
	[FLEET_SWITCH] = "host, date, trace, cpu, ts_ns",
};

static void put_table(struct bytes *to, enum fleet_table table,
		      const char *const *counters, size_t count)
{
	struct native_column columns[NATIVE_COLUMNS_MAX];

	native_columns(columns, table);
	put(to, "CREATE TABLE IF NOT EXISTS ");
	put(to, fleet_tables[table].name);
	put(to, " (");
	for (size_t i = 0; i < native_column_count(table); i++)
		put_column(to, columns[i].name, columns[i].type, i == 0);
	for (size_t i = 0; i < count; i++)
		put_column(to, counters[i], NATIVE_NUMBER, false);
	put(to, "\n) ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (");
	put(to, orders[table]);
	put(to, ");\n");
}

static void put_distributed(struct bytes *to, enum fleet_table table, const char *cluster)
{
	put(to, "CREATE TABLE IF NOT EXISTS ");
	put(to, fleet_tables[table].name);
	put(to, "_all AS ");
	put(to, fleet_tables[table].name);
	put(to, " ENGINE = Distributed(");
	put_name(to, cluster);
	put(to, ", currentDatabase(), ");
	put(to, fleet_tables[table].name);
	put(to, ", cityHash64(host));\n");
}

void native_statements(struct bytes *to, const char *cluster, const char *const *counters,
		       size_t count)
{
	put(to, "-- On every server.\n");
	for (size_t i = 0; i < FLEET_TABLES; i++)
		put_table(to, (enum fleet_table)i, counters,
			  i == FLEET_SWITCH ? count : 0);
	put(to, "-- On every server of a cluster: the tables of all servers as one.\n");
	for (size_t i = 0; i < FLEET_TABLES; i++)
		put_distributed(to, (enum fleet_table)i, cluster);
}
