/*
 * test_builds_without.c - lib/symbols/files/files_none.c and
 * tools/capture/linux/bpf/programs_none.c: what builds without elfutils and libbpf say.
 */
#include "capture/linux/bpf/programs.h"
#include "symbols/files/files.h"
#include "unit.h"

UNIT_TEST(without_elfutils)
{
	struct error error = { .status = ST_OK };
	const struct file_request request = { .kind = FILE_ELF };

	assert_null(files_start("/", &error));
	assert_int_equal(error.status, ST_UNSUPPORTED);
	assert_string_equal(error.text,
			    "--symbols: this build cannot read files for names of "
			    "functions: it was made without libelf (elfutils)");
	files_stop(NULL);
	assert_int_equal(files_ask(NULL, &request, NULL, NULL), FILE_NONE);
}

UNIT_TEST(without_libbpf)
{
	struct bpf_programs *programs = (void *)&programs;
	struct error error = { .status = ST_OK };

	assert_false(bpf_programs_built());
	assert_int_equal(bpf_programs_open(&programs, NULL, 65536, &error),
			 ST_UNSUPPORTED);
	assert_null(programs);
	HAS(error.text, "this perftab-capture was built without BPF", "libbpf-dev");
	/* What a recorder calls all the same. */
	assert_false(bpf_programs_read(programs, 0, BPF_READ_FIRST));
	assert_int_equal(bpf_programs_fd(programs), -1);
	assert_int_equal(bpf_programs_lost(programs, 0), 0);
	bpf_programs_close(programs);
}
