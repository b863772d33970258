/* test_record.c - the tables and statuses as data: nothing forgotten, nothing twice. */
#include <ctype.h>
#include <string.h>

#include "model/read_class.h"
#include "unit.h"

static bool is_name(const char *name)
{
	if (!islower((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) &&
		    *name != '_')
			return false;
	return true;
}

static size_t field_size(const struct field *field)
{
	return field->kind == FIELD_TEXT || field->kind == FIELD_BLOB ? sizeof(struct str)
								      : sizeof(int64_t);
}

/* Fields fill the row struct from its start to its end, in order, without holes. */
UNIT_TEST(tables)
{
	assert_true(RECORD_TABLES > 20);
	for (size_t t = 0; t < RECORD_TABLES; t++) {
		const struct table *table = &tables[t];
		size_t at = 0;

		assert_non_null(table->name);
		assert_true(is_name(table->name));
		assert_true(table->field_count > 0);
		for (size_t i = 0; i < table->field_count; i++) {
			assert_true(is_name(table->fields[i].name));
			assert_int_equal(table->fields[i].offset, at);
			at += field_size(&table->fields[i]);
			for (size_t k = 0; k < i; k++)
				assert_string_not_equal(table->fields[i].name,
							table->fields[k].name);
		}
		assert_int_equal(table->row_size, at);
		for (size_t k = 0; k < t; k++)
			assert_string_not_equal(table->name, tables[k].name);
	}
}

UNIT_TEST(kinds)
{
	assert_string_equal(tables[RECORD_trace].name, "trace");
	assert_string_equal(tables[RECORD_context_switch].name, "context_switch");
	assert_string_equal(tables[RECORD_status_charge].name, "status_charge");
	assert_int_equal(RECORD_OWN_TABLE, RECORD_TABLES);
	/* A wide row must stay below SQLite's limit of 2000 columns. */
	assert_true(tables[RECORD_context_switch].field_count + GROUP_COUNTERS_MAX <
		    2000);
	for (size_t i = 0; i < tables[RECORD_context_switch].field_count; i++)
		assert_int_equal(tables[RECORD_context_switch].fields[i].kind, FIELD_INT);
}

static const struct field *field_of(enum record_kind kind, const char *name)
{
	for (size_t i = 0; i < tables[kind].field_count; i++)
		if (strcmp(tables[kind].fields[i].name, name) == 0)
			return &tables[kind].fields[i];
	fail_msg("%s has no %s", tables[kind].name, name);
	return NULL;
}

/* Each macro of tables.def makes a kind of its own. */
static const struct {
	int line;
	enum record_kind table;
	const char *field;
	enum field_kind kind;
	bool is_int;
} kinds[] = {
	{ ROW, RECORD_text_poke, "addr", FIELD_INT, true },
	{ ROW, RECORD_text_poke, "old_bytes", FIELD_BLOB, false },
	{ ROW, RECORD_text_poke, "new_bytes", FIELD_BLOB, false },
	{ ROW, RECORD_other_record, "body", FIELD_BLOB, false },
	{ ROW, RECORD_header_feature, "content", FIELD_BLOB, false },
	{ ROW, RECORD_header_feature, "name", FIELD_TEXT, false },
	{ ROW, RECORD_sample_value, "value", FIELD_VALUE, true },
	{ ROW, RECORD_callchain, "frames", FIELD_TEXT, false },
};

UNIT_TEST(field_kinds)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct field *field = field_of(kinds[i].table, kinds[i].field);

		ROW_INT(&kinds[i], field->kind, kinds[i].kind);
		ROW_INT(&kinds[i], field_is_int(field->kind), kinds[i].is_int);
	}
}

/* A row's table is its kind's, or its own. */
UNIT_TEST(record_table)
{
	static const struct field fields[] = { { "x", FIELD_INT, 0 } };
	static const struct table own = { "own", fields, 1, sizeof(int64_t) };

	for (int kind = 0; kind < RECORD_TABLES; kind++)
		assert_ptr_equal(record_table(&(struct record){
					 .kind = (enum record_kind)kind, .table = &own }),
				 &tables[kind]);
	assert_ptr_equal(
		record_table(&(struct record){ .kind = RECORD_OWN_TABLE, .table = &own }),
		&own);
}

UNIT_TEST(statuses)
{
	for (int s = 0; s < CHARGE_STATUSES; s++) {
		const struct charge_status_words *words = &charge_status_words[s];
		bool unproven = strcmp(words->name, "unattributed") == 0;

		assert_non_null(words->name);
		assert_non_null(words->reason);
		assert_true(strlen(words->words) > 0);
		assert_int_equal(charge_is_unproven(s), unproven);
		assert_true(!unproven || strlen(words->reason) > 0);
		for (int k = 0; k < s; k++)
			assert_true(
				strcmp(words->name, charge_status_words[k].name) != 0 ||
				strcmp(words->reason, charge_status_words[k].reason) !=
					0);
	}
}

/* Proven intervals alone belong to an interrupt, unless it is a thread's own work. */
static const struct {
	int line;
	int64_t status, interrupt_id;
	enum charge_class class;
} reads[] = {
	{ ROW, CHARGE_CHARGED, INT_NONE, CLASS_CHARGED },
	{ ROW, CHARGE_CHARGED, 7, CLASS_CHARGED },
	{ ROW, CHARGE_CHARGED, 6, CLASS_INTERRUPT },
	{ ROW, CHARGE_WITH_IDLE, 6, CLASS_WITH_IDLE },
	{ ROW, CHARGE_CHAIN, 6, CLASS_UNPROVEN },
	{ ROW, CHARGE_BASELINE, 6, CLASS_CHARGED },
};

UNIT_TEST(read_classes)
{
	struct map interrupts = { NULL, 0, 0 };

	assert_true(read_class_add(&interrupts,
				   &(struct interrupt_row){ .interrupt_id = 6 }));
	assert_true(
		read_class_add(&interrupts, &(struct interrupt_row){ .interrupt_id = 7,
								     .in_thread = 1 }));
	for (size_t i = 0; i < COUNT(reads); i++) {
		const struct group_read_row row = {
			.status = reads[i].status,
			.interrupt_id = reads[i].interrupt_id,
		};

		ROW_INT(&reads[i], read_class(&interrupts, &row), reads[i].class);
	}
	map_release(&interrupts);
}

/* The numbers are stored in databases: these never change. */
UNIT_TEST(status_numbers)
{
	static const enum charge_status in_order[] = {
		CHARGE_BASELINE, CHARGE_CHARGED,   CHARGE_WITH_IDLE, CHARGE_LOST,
		CHARGE_THROTTLE, CHARGE_DECREASE,  CHARGE_LEADER,    CHARGE_MULTIPLEXED,
		CHARGE_CHAIN,	 CHARGE_NO_THREAD,
	};

	for (size_t i = 0; i < COUNT(in_order); i++)
		assert_int_equal(in_order[i], i);
	assert_true(CHARGE_STATUSES >= COUNT(in_order));
}
