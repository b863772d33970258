/* catalog.c - reads columns, indexes and root pages of a table from SQLite. */
#include "output/sqlite_bulk/catalog.h"

#include <stddef.h>

/*
 * Reasons why an INSERT does more than add a row at the end of a b-tree, and entries to
 * indexes that the sorter supports.
 */
static const char *const refusal_query =
	"SELECT CASE\n"
	"  WHEN l.type <> 'table' OR l.wr THEN 'it is not an ordinary table'\n"
	"  WHEN EXISTS (SELECT 1 FROM sqlite_schema AS r\n"
	"      WHERE r.tbl_name = t.name AND r.type = 'trigger') THEN 'it has triggers'\n"
	"  WHEN EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) AS c WHERE c.hidden <> 0)\n"
	"      THEN 'it has generated columns'\n"
	"  WHEN EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) AS c WHERE c.pk > 0\n"
	"      AND NOT (c.pk = 1 AND c.cid = 0 AND upper(c.type) = 'INTEGER'))\n"
	"      THEN 'its primary key is not its first column'\n"
	"  WHEN t.sql LIKE '%autoincrement%' THEN 'it has AUTOINCREMENT'\n"
	"  WHEN t.sql LIKE '%check(%' OR t.sql LIKE '%check (%' THEN 'it has a CHECK'\n"
	"  WHEN EXISTS (SELECT 1 FROM pragma_index_list(t.name) AS i\n"
	"      WHERE i.\"unique\" OR i.partial) THEN 'it has a unique or partial index'\n"
	"  WHEN EXISTS (SELECT 1 FROM pragma_index_list(t.name) AS i\n"
	"      WHERE (SELECT count(*) FROM pragma_index_xinfo(i.name) WHERE key) > 4)\n"
	"      THEN 'it has an index over more than four columns'\n"
	"  WHEN EXISTS (SELECT 1 FROM pragma_index_list(t.name) AS i,\n"
	"      pragma_index_xinfo(i.name) AS x\n"
	"      LEFT JOIN pragma_table_xinfo(t.name) AS c ON c.cid = x.cid\n"
	"      WHERE x.key AND (x.\"desc\" OR c.pk > 0\n"
	"          OR upper(coalesce(c.type, '')) <> 'INTEGER'))\n"
	"      THEN 'it has an index over something other than an integer column'\n"
	"  ELSE '' END\n"
	"FROM sqlite_schema AS t JOIN pragma_table_list(?1) AS l ON l.name = t.name\n"
	"WHERE t.type = 'table' AND l.schema = 'main' AND t.name = ?1";

static const char *const queries[] = {
	[CATALOG_REFUSAL] = refusal_query,
	[CATALOG_COLUMNS] = "SELECT name, upper(type), \"notnull\", "
			    "dflt_value IS NOT NULL, pk "
			    "FROM pragma_table_info(?1) ORDER BY cid",
	[CATALOG_INDEXES] = "SELECT i.name, x.cid FROM pragma_index_list(?1) AS i, "
			    "pragma_index_xinfo(i.name) AS x "
			    "WHERE x.key ORDER BY i.seq, x.seqno",
};

void catalog_release(struct catalog *catalog)
{
	for (size_t i = 0; i < CATALOG_QUERIES; i++)
		sqlite3_finalize(catalog->statements[i]);
	*catalog = (struct catalog){ .db = catalog->db };
}

/* The statement, prepared if it is not yet, about this name; NULL: SQLite failed. */
static sqlite3_stmt *ask(sqlite3 *db, sqlite3_stmt **statement, const char *sql,
			 const char *name)
{
	if (!*statement && sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT,
					      statement, NULL) != SQLITE_OK)
		return NULL;
	if (sqlite3_bind_text(*statement, 1, name, -1, SQLITE_TRANSIENT) != SQLITE_OK)
		return NULL;
	return *statement;
}

sqlite3_stmt *catalog_ask(struct catalog *catalog, enum catalog_query query,
			  const char *table)
{
	return ask(catalog->db, &catalog->statements[query], queries[query], table);
}

char *catalog_refusal(struct catalog *catalog, const char *table)
{
	sqlite3_stmt *statement = catalog_ask(catalog, CATALOG_REFUSAL, table);
	char *reason = NULL;

	if (!statement)
		return NULL;
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		reason = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
		break;
	case SQLITE_DONE:
		reason = sqlite3_mprintf("there is no such table");
		break;
	}
	sqlite3_reset(statement);
	return reason;
}

uint32_t catalog_root(sqlite3 *db, const char *name)
{
	sqlite3_stmt *statement = NULL;
	uint32_t root = 0;

	if (ask(db, &statement, "SELECT rootpage FROM sqlite_schema WHERE name = ?1",
		name) &&
	    sqlite3_step(statement) == SQLITE_ROW)
		root = (uint32_t)sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return root;
}
