/*
 * test_sql_temporary.c - tools/analyze/sql_trace.c: a query of a trace where no folder
 * has room for a temporary database.  The linker gives the call that makes a file to the
 * mock.
 */
#include <errno.h>
#include <string.h>

#include "analyze/sql.h"
#include "base/os.h"
#include "unit.h"

static int tries;

int __wrap_os_create_temporary(const char *folder);
int __wrap_os_create_temporary(const char *folder)
{
	assert_non_null(folder);
	tries++;
	errno = ENOSPC;
	return -1;
}

UNIT_TEST(no_folder_has_room)
{
	const struct sql_options options = { .query = "SELECT * FROM process_bill" };
	struct error error = { .status = ST_OK };
	bool is_damaged = false;

	assert_int_equal(sql_print(SEEDS_DIRECTORY "/good-basic.data", &options,
				   &is_damaged, &error),
			 ST_IO);
	assert_string_equal(error.text,
			    "cannot make a temporary database: No space left on device: "
			    "set TMPDIR to a folder with room");
	assert_true(tries >= 2); /* each folder there is */
	assert_false(is_damaged);
}
