/* The table of forms. */
#include "trace/forms.h"

/* clang-format off */
const struct form forms[] = {
	{ "file", "little-endian file, as perf record writes it on x86", 0 },
	{ "file-be", "the same by a big-endian machine", FORM_BIG_ENDIAN },
	{ "pipe", "pipe form in a regular file", FORM_PIPE },
	{ "pipe-be", "the same by a big-endian machine", FORM_PIPE | FORM_BIG_ENDIAN },
	{ "zstd", "perf record -z of perf 5.2 to 6.15", FORM_COMPRESSED },
	{ "zstd2", "perf record -z of perf 6.16 and later", FORM_COMPRESSED2 },
	{ "zstd2-wrap", "the same, some records have header.size 0 as their size is 65536",
	  FORM_COMPRESSED2 | FORM_SIZE_WRAP },
	{ "pipe-zstd", "perf record -z into a pipe", FORM_PIPE | FORM_COMPRESSED },
	{ "dir", "directory of perf record --threads", FORM_DIRECTORY },
	{ "unfinished", "the recorder was killed: no data size, no features",
	  FORM_UNFINISHED },
	{ "attrs-last", "attrs after the data, as perf inject writes them from a pipe",
	  FORM_ATTRS_LAST },
	{ "v1", "the magic of perf.data version 1", FORM_OLD_MAGIC },
	{ "bigattr", "attrs larger than any known, the unknown part is zero",
	  FORM_BIG_ATTR },
	{ "overwrite", "perf record --overwrite: each ring newest record first",
	  FORM_BACKWARD },
};
/* clang-format on */

const size_t form_count = COUNT(forms);

/* Without sample_id a COMM has no time: only its place in the file says its order. */
bool form_can_hold(const struct form *form, const struct scenario *scenario)
{
	return !form_has(form, FORM_DIRECTORY | FORM_BACKWARD) ||
	       !scenario_has(scenario, TRAIT_NO_TRAILERS);
}
