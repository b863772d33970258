/* test_bundle_out.c - tools/capture/perflib/bundle_out.c: what cannot be written. */
#include "capture/perflib/bundle_out.h"

#include <unistd.h>

#include "unit.h"

UNIT_TEST(no_such_folder)
{
	struct error error = { .status = ST_OK };
	struct bundle_out out;

	assert_int_equal(bundle_out_open(&out, "/nonexistent/x.plb", &error), ST_IO);
	assert_string_equal(error.text,
			    "cannot write /nonexistent/x.plb: No such file or "
			    "directory");
	/* As after every failure. */
	assert_int_equal(bundle_out_close(&out, &error), ST_OK);
}

UNIT_TEST(full_device)
{
	struct error error = { .status = ST_OK };
	struct bundle_out out;
	struct session_out calls;

	assert_int_equal(bundle_out_open(&out, "/dev/full", &error), ST_OK);
	calls = bundle_out_calls(&out);
	assert_int_equal(calls.write(calls.context, "12345", 5, &error), ST_OK);
	assert_int_equal(bundle_out_close(&out, &error), ST_IO);
	assert_string_equal(error.text, "/dev/full: cannot write after 5 bytes: No space "
					"left on device");
	assert_false(out.reader_closed);
}

/* Some file systems report only then that a write failed. */
UNIT_TEST(a_file_that_cannot_be_closed)
{
	const char *path = unit_below(unit_directory(), "x.plb");
	struct error error = { .status = ST_OK };
	struct bundle_out out;
	char expected[600];

	assert_int_equal(bundle_out_open(&out, path, &error), ST_OK);
	close(fileno(out.file));
	assert_int_equal(bundle_out_close(&out, &error), ST_IO);
	snprintf(expected, sizeof(expected), "cannot close %s: Bad file descriptor",
		 path);
	assert_string_equal(error.text, expected);
	assert_int_equal(bundle_out_close(&out, &error), ST_OK); /* once is enough */
}
