/* test_finding.c - lib/core/finding.h: counted by kind, the first one kept. */
#include <string.h>

#include "core/error.h"
#include "core/finding.h"
#include "unit.h"

static void test_none(void **state)
{
	static const struct findings findings;
	struct finding_row row;

	(void)state;
	assert_false(findings_damaged(&findings));
	for (int kind = 0; kind < FINDING_KINDS; kind++)
		assert_false(finding_row(&findings, (enum finding_kind)kind, &row));
}

static void test_count(void **state)
{
	struct findings findings = { 0 };
	struct finding_row row;

	(void)state;
	finding_add(&findings, FINDING_CHAIN_GAP, 0x100, 2);
	finding_add(&findings, FINDING_CHAIN_GAP, 0x40, 3);
	assert_true(finding_row(&findings, FINDING_CHAIN_GAP, &row));
	assert_int_equal(row.count, 5);
	assert_int_equal(row.first_offset, 0x100);
	ASSERT_STR(row.kind, "chain_gap");
	ASSERT_STR(row.severity, "warning");
	assert_true(row.text.len > 0);
	assert_false(findings_damaged(&findings));
}

static void test_no_offset(void **state)
{
	struct findings findings = { 0 };
	struct finding_row row;

	(void)state;
	finding_add(&findings, FINDING_NAMELESS, ERROR_NO_OFFSET, 1);
	assert_true(finding_row(&findings, FINDING_NAMELESS, &row));
	assert_int_equal(row.first_offset, INT_NONE);
}

static void test_say(void **state)
{
	struct findings findings = { 0 };
	struct finding_row row;
	char lengthy[500];

	(void)state;
	finding_say(&findings, FINDING_BAD_RECORD, 8, "size %d", 6);
	finding_say(&findings, FINDING_BAD_RECORD, 9, "size %d", 7);
	assert_true(finding_row(&findings, FINDING_BAD_RECORD, &row));
	ASSERT_STR(row.text, "size 6");
	ASSERT_STR(row.severity, "damage");
	assert_int_equal(row.count, 2);
	assert_int_equal(row.first_offset, 8);
	assert_true(findings_damaged(&findings));

	memset(lengthy, 'x', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	finding_say(&findings, FINDING_TRUNCATED, 8, "%s", lengthy);
	assert_true(finding_row(&findings, FINDING_TRUNCATED, &row));
	assert_int_equal(row.text.len, sizeof(findings.of[0].text) - 1);
}

/* Every kind has a name, a severity of the three, and words. */
static void test_kinds(void **state)
{
	(void)state;
	for (int kind = 0; kind < FINDING_KINDS; kind++) {
		struct findings findings = { 0 };
		struct finding_row row;
		bool damage;

		finding_add(&findings, (enum finding_kind)kind, 0, 1);
		assert_true(finding_row(&findings, (enum finding_kind)kind, &row));
		damage = str_equal(row.severity, STR("damage"));
		assert_true(damage || str_equal(row.severity, STR("warning")) ||
			    str_equal(row.severity, STR("info")));
		assert_int_equal(findings_damaged(&findings), damage);
		assert_true(row.kind.len > 0 && row.text.len > 0);
		assert_int_equal(row.first_offset, 0);
		for (size_t i = 0; i < row.kind.len; i++)
			assert_true(row.kind.ptr[i] == '_' ||
				    (row.kind.ptr[i] >= 'a' && row.kind.ptr[i] <= 'z'));
	}
}

/* Counts come from files: two of the largest must not overflow. */
static void test_huge_counts(void **state)
{
	struct findings findings = { 0 };
	struct finding_row row;

	(void)state;
	finding_add(&findings, FINDING_LOST_EVENTS, 0, INT64_MAX);
	finding_add(&findings, FINDING_LOST_EVENTS, 0, INT64_MAX);
	assert_true(finding_row(&findings, FINDING_LOST_EVENTS, &row));
	assert_int_equal(row.count, INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	  cmocka_unit_test(test_count),
		cmocka_unit_test(test_no_offset), cmocka_unit_test(test_say),
		cmocka_unit_test(test_kinds),	  cmocka_unit_test(test_huge_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
