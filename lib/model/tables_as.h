/*
 * tables_as.h - turns a list of tables (tables.def and its like) into code.
 *
 * Define TABLES as the list's name and one of these, then include; all of it is undefined
 * again at the end, so that it can be included as often as needed:
 *
 *   TABLES_AS_STRUCTS      struct <table>_row, a member for each column
 *   TABLES_AS_FIELDS       static const struct field <table>_fields[]
 *   TABLES_AS_LIST(table)  what this macro makes of each table, columns left out
 */
#if defined(TABLES_AS_STRUCTS)
#define TABLE(table) struct table##_row {
#define INT(table, field) int64_t field;
#define VALUE(table, field) int64_t field;
#define REAL(table, field) double field;
#define TEXT(table, field) struct str field;
#define BLOB(table, field) struct str field;
#elif defined(TABLES_AS_FIELDS)
#define TABLE(table) static const struct field table##_fields[] = {
#define INT(table, field) { #field, FIELD_INT, offsetof(struct table##_row, field) },
#define VALUE(table, field) { #field, FIELD_VALUE, offsetof(struct table##_row, field) },
#define REAL(table, field) { #field, FIELD_REAL, offsetof(struct table##_row, field) },
#define TEXT(table, field) { #field, FIELD_TEXT, offsetof(struct table##_row, field) },
#define BLOB(table, field) { #field, FIELD_BLOB, offsetof(struct table##_row, field) },
#else
#define TABLE(table) TABLES_AS_LIST(table)
#define INT(table, field)
#define VALUE(table, field)
#define REAL(table, field)
#define TEXT(table, field)
#define BLOB(table, field)
#endif

#if defined(TABLES_AS_STRUCTS) || defined(TABLES_AS_FIELDS)
#define END(table) \
	}          \
	;
#else
#define END(table)
#endif

#include TABLES

#undef TABLE
#undef INT
#undef VALUE
#undef REAL
#undef TEXT
#undef BLOB
#undef END
#undef TABLES
#undef TABLES_AS_STRUCTS
#undef TABLES_AS_FIELDS
#undef TABLES_AS_LIST
