/* test_pdh_text.c - cells of PDH-CSV: paths, times, minutes, numbers. */
#include <stdlib.h>
#include <string.h>

#include "formats/winperf/pdh_text.h"
#include "model/record.h"
#include "unit.h"

UNIT_TEST(paths)
{
	static const struct {
		int line;
		const char *text, *machine, *object, *instance, *counter; /* NULL: none */
	} cases[] = {
		{ __LINE__, "\\\\M\\O\\C", "M", "O", NULL, "C" },
		{ __LINE__, "\\O\\C", NULL, "O", NULL, "C" },
		{ __LINE__, "\\\\M\\O(i)\\C", "M", "O", "i", "C" },
		{ __LINE__, "\\\\M\\O(0,_Total)\\% C", "M", "O", "0,_Total", "% C" },
		{ __LINE__, "\\\\M\\O(a(1)/b\\c#2)\\C/s", "M", "O", "a(1)/b\\c#2",
		  "C/s" },
		{ __LINE__, "\\\\M\\O()\\C", "M", "O", "", "C" },
		{ __LINE__, "\\\\M\\O\\C (x)", "M", "O", NULL, "C (x)" },
		{ __LINE__, "\\\\M\\O\\C (x)\\y", "M", "O", NULL, "C (x)\\y" },
		{ __LINE__, "\\\\M\\O)\\C(", "M", "O)", NULL, "C(" },
		{ __LINE__, "\\\\M\\O(x\\C", "M", "O(x", NULL, "C" },
		{ __LINE__, "\\\\M\\O", "M", "O", NULL, "" },
		{ __LINE__, "\\\\M", NULL, NULL, NULL, NULL },
		{ __LINE__, "\\\\M\\", "M", "", NULL, "" },
		{ __LINE__, "comment", NULL, NULL, NULL, NULL },
		{ __LINE__, "", NULL, NULL, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* A copy of its own, so that reading beyond it shows. */
		char *copy = strdup(cases[i].text);
		struct pdh_path path;
		bool is_path = pdh_path((struct str){ copy, strlen(copy) }, &path);
		bool wanted = cases[i].object && *cases[i].object && *cases[i].counter;

		if (is_path != wanted ||
		    (wanted && (!str_equal(path.object, str_of(cases[i].object)) ||
				!str_equal(path.counter, str_of(cases[i].counter)) ||
				!path.machine.ptr != !cases[i].machine ||
				!str_equal(path.machine, str_of(cases[i].machine)) ||
				!path.instance.ptr != !cases[i].instance ||
				!str_equal(path.instance, str_of(cases[i].instance)))))
			fail_msg("line %d: %s", cases[i].line, cases[i].text);
		free(copy);
	}
}

UNIT_TEST(minutes)
{
	static const struct {
		int line;
		const char *text;
		int64_t minutes;
	} cases[] = {
		{ __LINE__, "(PDH-CSV 4.0) (Eastern Daylight Time)(240)", 240 },
		{ __LINE__, "(PDH-CSV 4.0) (Russia (zone 2))(-180)", -180 },
		{ __LINE__, "(PDH-CSV 4.0) (UTC)(0)", 0 },
		{ __LINE__, "(PDH-CSV 4.0) (RTZ 2 (", INT_NONE },
		{ __LINE__, "(PDH-CSV 4.0)", INT_NONE },
		{ __LINE__, "(PDH-CSV 4.0) (x)(1441)", INT_NONE },
		{ __LINE__, "(PDH-CSV 4.0) (x)(99999)", INT_NONE },
		{ __LINE__, "(PDH-CSV 4.0) (x)(-)", INT_NONE },
		{ __LINE__, "(PDH-CSV 4.0) (x)()", INT_NONE },
		{ __LINE__, "", INT_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (pdh_minutes(str_of(cases[i].text)) != cases[i].minutes)
			fail_msg("line %d: %s", cases[i].line, cases[i].text);
}

UNIT_TEST(times)
{
	static const struct {
		int line;
		const char *text;
		int64_t ns; /* INT_NONE: no time */
	} cases[] = {
		{ __LINE__, "01/01/1970 00:00:00.001", 1000000 },
		{ __LINE__, "01/01/1970 00:00:01", 1000000000 },
		{ __LINE__, "02/29/2024 23:59:59.999", 1709251199999000000 },
		{ __LINE__, "12/31/2261 00:00:00", 9214560000000000000 },
		{ __LINE__, "01/01/1678 00:00:00", -9214560000000000000 },
		{ __LINE__, "12/31/1677 00:00:00", INT_NONE },
		{ __LINE__, "01/01/1632 00:00:00", INT_NONE },
		{ __LINE__, "02/29/2023 00:00:00.000", INT_NONE },
		{ __LINE__, "13/01/2023 00:00:00.000", INT_NONE },
		{ __LINE__, "01/01/9999 00:00:00.000", INT_NONE },
		{ __LINE__, "01/01/2023 24:00:00.000", INT_NONE },
		{ __LINE__, "01/01/2023 00:00:00.00", INT_NONE },
		{ __LINE__, "01/01/2023 00:00", INT_NONE },
		{ __LINE__, "1/1/2023 00:00:00", INT_NONE },
		{ __LINE__, "Exiting", INT_NONE },
		{ __LINE__, "", INT_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = INT_NONE;

		if (!pdh_time(str_of(cases[i].text), &ns))
			ns = INT_NONE;
		if (ns != cases[i].ns)
			fail_msg("line %d: %s: %lld", cases[i].line, cases[i].text,
				 (long long)ns);
	}
}

UNIT_TEST(numbers)
{
	static const char *const none[] = { "",	     "nan", "inf", "0x10", "1,5",
					    "1.2.3", "e",   "-",   "1 2",  "1e999" };
	double value;

	assert_true(pdh_real(STR("-12.5e-1"), &value) && value == -1.25);
	assert_true(pdh_real(STR("12.500000000000001"), &value) &&
		    value == 12.500000000000001);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (pdh_real(str_of(none[i]), &value))
			fail_msg("\"%s\" is not a number", none[i]);
	assert_true(str_equal(pdh_trim(STR("  a b ")), STR("a b")));
	assert_true(str_equal(pdh_trim(STR("   ")), STR("")));
}
