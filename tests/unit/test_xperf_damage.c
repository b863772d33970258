/*
 * test_xperf_damage.c - lib/formats/etw/xperf_*.c: lines that are damaged, and too many
 * of them.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/etw/etw.h"
#include "xperf_runs.h"

static const struct {
	int line;
	const char *text;
} bad[] = {
	{ ROW, "CSwitch, 120, " A ", 44\n" },
	{ ROW, IN("120", A, "44") OUT(IDLE, "0", "Running") "3\n" },
	{ ROW, IN("120", "a.exe", "44") OUT(IDLE, "0", "Running") "3, 0\n" },
	{ ROW, IN("120", "a.exe ()", "44") OUT(IDLE, "0", "Running") "3, 0\n" },
	{ ROW, IN("120", A, "x") OUT(IDLE, "0", "Running") "3, 0\n" },
	{ ROW, IN("120", A, "44") OUT(IDLE, "-2", "Running") "3, 0\n" },
	{ ROW, IN("120", A, "44") OUT(IDLE, "0", "Running") "-1, 0\n" },
	{ ROW, IN("120", A, "44") OUT(IDLE, "0", "Running") "65536, 0\n" },
	{ ROW, IN("120", A, "44") OUT(IDLE, "0", "Running") ", 0\n" },
	{ ROW, IN("120", A, "99999999999") OUT(IDLE, "0", "Running") "3, 0\n" },
	/* An invalid time. */
	{ ROW, SWITCH("99999999999999999", A, "44", IDLE, "0", "3") },
	{ ROW, SWITCH("-3", A, "44", IDLE, "0", "3") },
	{ ROW, SWITCH("1.5", A, "44", IDLE, "0", "3") },
	{ ROW, SWITCH("", A, "44", IDLE, "0", "3") },
	{ ROW, "CSwitch\n" },
};

/* An invalid switch leaves the intervals around it without proof. */
UNIT_TEST(bad_lines)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		char text[2048];
		const char *rows;

		snprintf(text, sizeof(text), "%sPmc, 120, 44, 5, 5\n%s%s",
			 PMC SWITCH_18
			 "\nPmc, 100, 44, 1, 1\n" SWITCH("100", A, "44", IDLE, "0", "3"),
			 bad[i].text,
			 "Pmc, 140, 0, 9, 9\n" SWITCH("140", IDLE, "0", A, "44", "3"));
		rows = rows_of(text);
		ROW_HAS(&bad[i], rows, "kind='bad_line' count=1",
			"kind='lost_window' count=1", "kind='unpaired' count=1",
			"status='recovered'");
	}
}

/* So does one that is too long. */
UNIT_TEST(long_switch)
{
	char *text = malloc(2 * XPERF_TEST_BYTES);
	const char *rows;
	size_t at;

	at = (size_t)snprintf(text, XPERF_TEST_BYTES, "%s",
			      PMC SWITCH_18 "\nPmc, 100, 44, 1, 1\n" SWITCH(
				      "100", A, "44", IDLE, "0",
				      "3") "Pmc, 120, 44, 5, 5\n" IN("120", A, "44")
				      OUT(IDLE, "0", "Running") "3, 0, ");
	memset(text + at, 'x', XPERF_TEST_BYTES);
	strcpy(text + at + XPERF_TEST_BYTES,
	       "\nPmc, 140, 0, 9, 9\n" SWITCH("140", IDLE, "0", A, "44", "3"));
	rows = rows_of(text);
	HAS(rows, "kind='bad_line' count=1", "kind='lost_window' count=1",
	    "kind='unpaired' count=1");
	free(text);
}

#define FIRST_SWITCH PMC SWITCH_18 "\nPmc, 100, 44, 1, 1\n@100 a 44 - 0 3\n"
#define BAD_SWITCH "CSwitch, 120, " A ", 44\n"

/* Each switch that is missing leaves an interval without proof; two in a row the same. */
UNIT_TEST(several_bad_switches)
{
	const char *rows = rows_of(FIRST_SWITCH BAD_SWITCH
				   "Pmc, 140, 0, 9, 9\n@140 - 0 a 44 3\n" BAD_SWITCH
				   "Pmc, 180, 44, 19, 19\n@180 a 44 - 0 3\n"
				   "Pmc, 190, 0, 20, 20\n@190 - 0 a 44 3\n");

	HAS(rows, "kind='bad_line' count=2", "kind='lost_window' count=2");
	rows = rows_of(FIRST_SWITCH BAD_SWITCH BAD_SWITCH
		       "Pmc, 140, 0, 9, 9\n@140 - 0 a 44 3\n");
	HAS(rows, "kind='bad_line' count=2", "kind='lost_window' count=1");
}

/* The counters of a switch that cannot be read are not those of the next one. */
UNIT_TEST(counters_of_a_bad_switch)
{
	const char *rows = rows_of(FIRST_SWITCH "Pmc, 140, 0, 9, 9\n" BAD_SWITCH
						"@140 - 0 a 44 3\n");

	HAS(rows, "kind='unpaired' count=1", "kind='unread' count=1");
	rows = rows_of(FIRST_SWITCH "Pmc, 140, 0, 9, 9\n@140 - 0 a 44 3\n");
	LACKS(rows, "kind='unpaired'", "kind='unread'");
}

/* Lines of known events with an invalid time are not messages. */
UNIT_TEST(timeless)
{
	const char *rows = rows_of(PMC SWITCH_18 "\nMark, TimeStamp, x\n"
						 "Mark, -1, x\nPmc, x, 44, 1, 1\n"
						 "T-Start, -1, " A ", 44\n"
						 "They say, -1, this happens\n");

	HAS(rows, "kind='bad_line' count=3", "kind='noise_line' count=1");
}

UNIT_TEST(cut_off)
{
	const char *rows;

	/* In the middle of a line, and of one that is whole but for its end. */
	rows = rows_of(SWITCH_18 "\n@90 a 44 - 0 3\nCSwitch, 95, Idle (   0), 0, 8, -1");
	HAS(rows, "kind='truncated' count=1", "status='partial'");
	LACKS(rows, "bad_line");
	rows = rows_of(SWITCH_18 "\n" IN("90", A, "44") OUT(IDLE, "0", "Running") "3, 0");
	HAS(rows, "status='complete'", "context_switch ");
	rows = rows_of("BeginHeader\n" SWITCH_18 "\n");
	HAS(rows, "kind='truncated' count=1");
	/* A header that does not end does not lose the events. */
	rows = rows_of("BeginHeader\n" SWITCH_18 "\n@90 a 44 - 0 3\n");
	HAS(rows, "context_switch ");
}

UNIT_TEST(odd_lines)
{
	const char *rows;
	char *text = malloc(XPERF_TEST_BYTES);

	/* Times beyond what there is, events of which no column line speaks. */
	rows = rows_of(SWITCH_18 "\nMark, TimeStamp, x\n"
				 "Mark, 9223372036854775807, x\n"
				 "Mark, 18446744073709551615, x\nMark, 5, x\n"
				 "T-Start, 5, " A ", 44\nI-Start, 5, x\n");
	HAS(rows, "kind='bad_line' count=4",
	    "name='Mark' events=3 bytes=", "first_ns=5000 last_ns=5000 ");
	rows = rows_of("Mark, TimeStamp, x\nMark, 9223372036854776, x\n");
	HAS(rows, "kind='bad_line' count=1", "a time beyond the range of nanoseconds");
	/* A line that is too long, and one of a class whose name is. */
	memset(text, 'x', XPERF_TEST_BYTES);
	memcpy(text, "Mark, TimeStamp, y\n", 19);
	memcpy(text + XPERF_TEST_BYTES - 14, ", 5\nMark, 6\n\0", 13);
	rows = rows_of(text);
	HAS(rows, "kind='bad_line' count=1", "name='Mark' events=1 bytes=8 ");
	memset(text + 19, 'x', 200);
	strcpy(text + 219, ", 5\n");
	rows = rows_of(text);
	HAS(rows, "kind='noise_line' count=1");
	free(text);
}

/*
 * More kinds of events than are distinguished, all of them counted; those that matter
 * are always distinguished.
 */
UNIT_TEST(many_classes)
{
	size_t room = 1100 * 48 + 4096, at = 0;
	char *text = malloc(room);
	const char *rows;

	for (int i = 0; i < 1100; i++)
		at += (size_t)snprintf(text + at, room - at, "Mark%d, TimeStamp\n", i);
	at += (size_t)snprintf(text + at, room - at, "%s",
			       PMC SWITCH_18 "\n" THREE_SWITCHES("\n"));
	for (int i = 0; i < 1100; i++)
		at += (size_t)snprintf(text + at, room - at, "Mark%d, %d\n", i, i);
	rows = rows_of(text);
	HAS(rows, "name='Mark1023' events=1 ", "name='(others)' events=76 ",
	    "name='CSwitch' events=3 ", "| 700,8\n", "kind='fact_limit' count=76");
	free(text);
}

/* A line break in a command line: what follows is not the name of an event. */
UNIT_TEST(nameless_classes)
{
	const char *rows = rows_of("Mark, TimeStamp, x\nMark, 1, x\n"
				   "--password=x, 2, y\nsecret, 3\n"
				   "I-Start, 4, x\n");

	HAS(rows, "name='(others)' events=2 ", "name='Mark' events=1 ",
	    "name='I-Start' events=1 ");
	LACKS(rows, "password", "secret", "fact_limit");
}

/* Combinations made to collide with the known hash: a chain of them is too slow. */
UNIT_TEST(details)
{
	const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
	struct etw_details details = { .count = 0 };
	struct etw_switch_detail_row row;
	bool is_new;

	for (int64_t i = 0; i < 1000; i++) {
		uint64_t hash = 1;

		/* Three texts of no bytes, then the first priority. */
		for (int text = 0; text < 3; text++)
			hash *= factor;
		hash = (hash ^ (uint64_t)i) * factor;
		row = (struct etw_switch_detail_row){ .prev_priority = i,
						      .next_priority = (int64_t)hash };
		assert_int_equal(etw_detail(&details, &row, &is_new), i + 1);
		assert_true(is_new);
	}
	/* The first hash may have been made before the seed was drawn. */
	assert_true(details.known.count >= 999);
	etw_details_release(&details);
}

/* Back in time on one CPU; on two CPUs that is allowed. */
UNIT_TEST(time_back)
{
	const char *rows;

	rows = rows_of(PMC SWITCH_18
		       "\nPmc, 200, 44, 1, 1\n@200 a 44 - 0 0\nPmc, 100, 48, 1, 1\n"
		       "@100 b 48 - 0 1\nPmc, 220, 0, 2, 2\n@220 - 0 a 44 0\n"
		       "Pmc, 90, 0, 2, 2\n@90 - 0 b 48 1\n");
	HAS(rows, "kind='time_back' count=1", "first_ns=90000 last_ns=220000 ");
}
