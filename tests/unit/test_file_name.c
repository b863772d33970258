/* test_file_name.c - lib/base: names that Windows reserves. */
#include "base/file_name.h"
#include "unit.h"

UNIT_TEST(reserved)
{
	static const char *const names[] = {
		"aux",	 "AUX",		 "aux.csv", "Con",	"prn.tar.gz",
		"nul",	 "COM1",	 "com0",    "lpt9.txt", "LPT1",
		"aux  ", "con .parquet", "conin$",  "CONOUT$",	"com\xc2\xb9",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(file_name_is_reserved(str_of(names[i])));
}

UNIT_TEST(not_reserved)
{
	static const char *const names[] = {
		"",	"auxiliary", "aux-table.csv", "aux_",	     "xaux",
		"com",	"com10",     "lpt",	      "lpta",	     "console",
		".aux", "a.aux",     "conin",	      "com\xc2\xb4",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(file_name_is_reserved(str_of(names[i])));
}

UNIT_TEST(suffix)
{
	assert_string_equal(file_name_suffix("aux"), "-table");
	assert_string_equal(file_name_suffix("Lpt3"), "-table");
	assert_string_equal(file_name_suffix("counter"), "");
}
