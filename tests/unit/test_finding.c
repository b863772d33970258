/* test_finding.c - lib/model/finding.h: counted by kind, the first one kept. */
#include <string.h>

#include "base/error.h"
#include "model/finding.h"
#include "unit.h"

UNIT_TEST(none)
{
	static const struct findings findings;
	struct finding_row row;

	assert_false(findings_damaged(&findings));
	for (int kind = 0; kind < FINDING_KINDS; kind++)
		assert_false(finding_row(&findings, (enum finding_kind)kind, &row));
}

UNIT_TEST(count)
{
	struct findings findings = { 0 };
	struct finding_row row;

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

UNIT_TEST(no_offset)
{
	struct findings findings = { 0 };
	struct finding_row row;

	finding_add(&findings, FINDING_NAMELESS, ERROR_NO_OFFSET, 1);
	assert_true(finding_row(&findings, FINDING_NAMELESS, &row));
	assert_int_equal(row.first_offset, INT_NONE);
}

UNIT_TEST(say)
{
	struct findings findings = { 0 };
	struct finding_row row;
	char lengthy[500];

	finding_report(&findings, FINDING_BAD_RECORD, 8, "size %d", 6);
	finding_report(&findings, FINDING_BAD_RECORD, 9, "size %d", 7);
	assert_true(finding_row(&findings, FINDING_BAD_RECORD, &row));
	ASSERT_STR(row.text, "size 6");
	ASSERT_STR(row.severity, "damage");
	assert_int_equal(row.count, 2);
	assert_int_equal(row.first_offset, 8);
	assert_true(findings_damaged(&findings));

	memset(lengthy, 'x', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	finding_report(&findings, FINDING_TRUNCATED, 8, "%s", lengthy);
	assert_true(finding_row(&findings, FINDING_TRUNCATED, &row));
	assert_int_equal(row.text.len, sizeof(findings.of[0].text) - 1);
}

/* A text of all findings of a kind replaces that of the first, and counts none. */
UNIT_TEST(set_text)
{
	struct findings findings = { 0 };
	struct finding_row row;

	finding_report(&findings, FINDING_FIRST_INTERVAL, 8, "first");
	finding_set_text(&findings, FINDING_FIRST_INTERVAL, "100 % of them");
	finding_set_text(&findings, FINDING_LAST_INTERVAL, "none");
	assert_true(finding_row(&findings, FINDING_FIRST_INTERVAL, &row));
	ASSERT_STR(row.text, "100 % of them");
	assert_int_equal(row.count, 1);
	assert_false(finding_row(&findings, FINDING_LAST_INTERVAL, &row));
}

/* Every kind has a name, a severity of the three, and words. */
UNIT_TEST(kinds)
{
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
				    (row.kind.ptr[i] >= '0' && row.kind.ptr[i] <= '9') ||
				    (row.kind.ptr[i] >= 'a' && row.kind.ptr[i] <= 'z'));
	}
}

/* Counts come from files: two of the largest must not overflow. */
UNIT_TEST(huge_counts)
{
	struct findings findings = { 0 };
	struct finding_row row;

	finding_add(&findings, FINDING_LOST_EVENTS, 0, INT64_MAX);
	finding_add(&findings, FINDING_LOST_EVENTS, 0, INT64_MAX);
	assert_true(finding_row(&findings, FINDING_LOST_EVENTS, &row));
	assert_int_equal(row.count, INT64_MAX);
}

/* --- gaps --- */

UNIT_TEST(gaps)
{
	struct findings findings = { 0 };
	struct finding_row row;

	assert_int_equal(findings_rows(&findings), FINDING_KINDS);
	finding_gap(&findings, FINDING_BAD_RECORD, 0x100, 0x180, "size %d", 3);
	finding_gap(&findings, FINDING_BAD_COMPRESSED, 0x200, 0x201, "piece");
	finding_gap(&findings, FINDING_BAD_RECORD, 0x300, UINT64_MAX, "to the end");
	assert_true(findings_damaged(&findings));
	assert_int_equal(findings_rows(&findings), FINDING_KINDS + 3);
	/* All of them are gaps: nothing is left for rows of the kinds. */
	for (int kind = 0; kind < FINDING_KINDS; kind++)
		assert_false(finding_row(&findings, (size_t)kind, &row));

	assert_true(finding_row(&findings, FINDING_KINDS, &row));
	ASSERT_STR(row.kind, "bad_record");
	ASSERT_STR(row.severity, "damage");
	ASSERT_STR(row.text, "size 3");
	assert_int_equal(row.count, 1);
	assert_int_equal(row.first_offset, 0x100);
	assert_int_equal(row.end_offset, 0x180);
	assert_true(finding_row(&findings, FINDING_KINDS + 1, &row));
	ASSERT_STR(row.kind, "bad_compressed");
	assert_int_equal(row.first_offset, 0x200);
	assert_int_equal(row.end_offset, 0x201);
	/* What does not fit a column is NULL. */
	assert_true(finding_row(&findings, FINDING_KINDS + 2, &row));
	ASSERT_STR(row.text, "to the end");
	assert_int_equal(row.first_offset, 0x300);
	assert_int_equal(row.end_offset, INT_NONE);

	findings_release(&findings);
	assert_int_equal(findings_rows(&findings), FINDING_KINDS);
	findings_release(&findings);
}

/* Gaps and others of one kind: a row each for the gaps, one for all others. */
UNIT_TEST(gaps_and_others)
{
	struct findings findings = { 0 };
	struct finding_row row;

	finding_add(&findings, FINDING_BAD_RECORD, 0x50, 2);
	finding_gap(&findings, FINDING_BAD_RECORD, 0x100, 0x180, "gap");
	finding_add(&findings, FINDING_BAD_RECORD, 0x500, 3);
	assert_true(finding_row(&findings, FINDING_BAD_RECORD, &row));
	assert_int_equal(row.count, 5);
	assert_int_equal(row.first_offset, 0x50);
	assert_int_equal(row.end_offset, INT_NONE);
	assert_true(row.text.len > 0 && !str_equal(row.text, STR("gap")));
	assert_true(finding_row(&findings, FINDING_KINDS, &row));
	assert_int_equal(row.count, 1);
	findings_release(&findings);
}

/* The first offset of a kind's row is that of one that it counts, not of a gap. */
UNIT_TEST(others_after_a_gap)
{
	struct findings findings = { 0 };
	struct finding_row row;

	finding_gap(&findings, FINDING_BAD_RECORD, 0x100, 0x180, "gap");
	finding_report(&findings, FINDING_BAD_RECORD, 0x500, "said");
	assert_true(finding_row(&findings, FINDING_BAD_RECORD, &row));
	findings_release(&findings);
	assert_int_equal(row.count, 1);
	assert_int_equal(row.first_offset, 0x500);
}

/* Many are counted, no matter how many: FINDING_GAPS_MAX have rows of their own. */
UNIT_TEST(gaps_max)
{
	struct findings findings = { 0 };
	struct finding_row row;
	int64_t total = 0;

	for (uint64_t i = 0; i < FINDING_GAPS_MAX + 10; i++)
		finding_gap(&findings, FINDING_BAD_RECORD, 16 * i, 16 * i + 8, "gap %d",
			    (int)i);
	assert_int_equal(findings_rows(&findings), FINDING_KINDS + FINDING_GAPS_MAX);
	for (size_t i = 0; i < findings_rows(&findings); i++)
		if (finding_row(&findings, i, &row))
			total += row.count;
	assert_int_equal(total, FINDING_GAPS_MAX + 10);
	assert_true(finding_row(&findings, FINDING_BAD_RECORD, &row));
	assert_int_equal(row.count, 10);
	assert_true(finding_row(&findings, FINDING_KINDS + FINDING_GAPS_MAX - 1, &row));
	assert_int_equal(row.first_offset, 16 * (FINDING_GAPS_MAX - 1));
	ASSERT_STR(row.text, "gap 1023");
	findings_release(&findings);
}

/* A text that does not fit is cut, with its end. */
UNIT_TEST(gap_text)
{
	struct findings findings = { 0 };
	struct finding_row row;
	char lengthy[500];

	memset(lengthy, 'x', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	finding_gap(&findings, FINDING_BAD_RECORD, 1, 2, "%s", lengthy);
	assert_true(finding_row(&findings, FINDING_KINDS, &row));
	assert_int_equal(row.text.len, sizeof(findings.gaps[0].text) - 1);
	findings_release(&findings);
}
