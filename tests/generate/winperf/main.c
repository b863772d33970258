/*
 * make_winperf - PerfLib V1 blocks (.v1) and performance logs (.blg), good and bad, with
 * what a reader must find in them (.findings) and keep of them (.values).
 *
 *   make_winperf --list
 *   make_winperf --log SAMPLES FILE
 *   make_winperf DIR [CASE]
 */
#include <stdlib.h>
#include <string.h>

#include "winperf/build.h"

/* The offsets are those of the structures; cases without numbers are in code. */
/* clang-format off */
static const struct fault faults[] = {
	{ .name = "good" },
	{ .name = "good-churn" },
	{ .name = "good-wide" },
	{ .name = "good-code-page" },
	{ .name = "odd-code-page" },
	{ .name = "odd-id" },
	{ "bad-header-short", PLACE_HEADER, 24, 4, 40, "perf_block_header", 0, false },
	{ "bad-header-long", PLACE_HEADER, 24, 4, 0xfffffff8, "perf_block_header", 0, false },
	{ "bad-signature", PLACE_HEADER, 0, 1, 'Q', "perf_block_header", 0, false },
	{ "bad-endian", PLACE_HEADER, 8, 4, 0, "perf_block_header", 0, false },
	{ "bad-machine", PLACE_HEADER, 84, 4, 0xffffff00, "perf_block_name", 0, false },
	{ "bad-size-billions", PLACE_HEADER, 20, 4, 0xffffffff, "perf_block_size", 0, false },
	{ "bad-clock-freq", PLACE_HEADER, 64, 8, 0, "perf_block_clock", 36, false },
	{ "bad-clock-date", PLACE_HEADER, 38, 2, 13, "perf_block_clock", 36, false },
	{ .name = "bad-objects-many" },
	{ .name = "bad-objects-behind" },
	{ "bad-object-zero", PLACE_OBJECT_END, 0, 4, 0, "perf_block_object", 0, false },
	{ "bad-object-long", PLACE_OBJECT_END, 0, 4, 0x7ffffff8, "perf_block_object", 0, false },
	{ "bad-definitions-short", PLACE_OBJECT, 4, 4, 32, "perf_block_object", 0, true },
	{ "bad-definitions-long", PLACE_OBJECT, 4, 4, 0xffffff00, "perf_block_object", 0, true },
	{ "bad-counters-billions", PLACE_OBJECT, 32, 4, 0xffffffff, "perf_block_counters", 64, true },
	{ "bad-counter-short", PLACE_OBJECT, 64, 4, 8, "perf_block_counters", 64, true },
	{ "bad-instance-short", PLACE_INSTANCE, 0, 4, 16, "perf_block_instance", 0, true },
	{ "bad-instance-long", PLACE_INSTANCE, 0, 4, 0xfffffff8, "perf_block_instance", 0, true },
	{ .name = "bad-instances-billions" },
	{ "bad-values-short", PLACE_VALUES_2, 0, 4, 3, "perf_block_instance", 0, true },
	{ "bad-values-long", PLACE_VALUES_2, 0, 4, 0x7fffffff, "perf_block_instance", 0, true },
	{ "bad-value-outside", PLACE_OBJECT, 140, 4, 22, NULL, 0, false },
	{ "bad-value-outside", PLACE_VALUES, 0, 0, 0, "perf_block_value", 0, false },
	{ "bad-name-outside", PLACE_INSTANCE, 16, 4, 4000, "perf_block_name", 0, false },
	{ "bad-name-inside", PLACE_INSTANCE, 16, 4, 20, "perf_block_name", 0, false },
	{ "bad-name-no-end", PLACE_INSTANCE, 20, 4, 2, "perf_block_name", 0, false },
	{ "bad-parent", PLACE_INSTANCE, 4, 8, 7ull << 32 | 238, "perf_block_parent", 0, false },
	{ "bad-parent-next", PLACE_INSTANCE, 4, 8, 4ull << 32 | 238, "perf_block_parent", 0, false },
	{ .name = "bad-rest" },
	{ .name = "bad-rest-eight" },
	/* logs */
	{ .name = "good-log" },
	{ .name = "good-parts" },
	{ .name = "odd-part-type" },
	{ .name = "bad-names" },
	{ .name = "bad-catalogue" },
	{ .name = "bad-no-catalogue" },
	{ "bad-part-tag", PLACE_PARTS, 0, 1, 'X', "blg_record", 0, false },
	{ "bad-part-size", PLACE_PARTS, 4, 4, 0x7fffffff, "blg_record", 0, false },
	{ .name = "bad-part-missing" },
	{ .name = "good-several" },
	{ "bad-several-count", PLACE_SEVERAL, 12, 4, 0x7fffffff, "blg_record", 0, false },
	{ "bad-several-name", PLACE_SEVERAL, 32, 4, 0xfffffff0, "blg_record", 32, false },
};
/* clang-format on */

enum { LOG_CASES = 12 };

void begin_sample(struct build *build, unsigned int sample)
{
	build->sample = sample;
	build->fault.is_now = sample == 2;
}

void settle(struct build *build, size_t first, size_t from)
{
	for (size_t i = first; i < build->fault.finding_count; i++) {
		buf_text(&build->findings, "%s|", build->fault.findings[i].kind);
		if (build->fault.findings[i].at != NOWHERE)
			buf_text(&build->findings, "%zu",
				 build->fault.findings[i].at + from);
		buf_text(&build->findings, "\n");
	}
	build->fault.finding_count = first;
}

void buf_utf16(struct byte_buf *buf, const char *text)
{
	for (; *text; text++) {
		if ((*text & 0xe0) == 0xc0) { /* two bytes of UTF-8 */
			buf_u16(buf,
				(uint16_t)((text[0] & 0x1f) << 6 | (text[1] & 0x3f)));
			text++;
			continue;
		}
		buf_u16(buf, (uint8_t)*text);
	}
	buf_u16(buf, 0);
}

/* Nothing of the file can be read after these. */
static bool ends_here(const struct build *build)
{
	return is_now(&build->fault, "bad-signature") ||
	       is_now(&build->fault, "bad-size-billions");
}

static void put_blocks(struct build *build)
{
	size_t values = SIZE_MAX;

	for (unsigned int sample = 1; sample <= 3; sample++) {
		struct byte_buf p = { 0 };

		begin_sample(build, sample);
		put_block(build, &p);
		settle(build, 0, build->out.size);
		buf_append(&build->out, &p);
		buf_release(&p);
		if (ends_here(build))
			values = build->values.size;
	}
	if (values != SIZE_MAX)
		build->values.size = values;
}

static void make(const char *directory, const char *name)
{
	struct build build = { .fault = { faults, COUNT(faults), .name = name } };
	bool is_log = false;

	for (size_t i = COUNT(faults) - LOG_CASES; i < COUNT(faults); i++)
		is_log |= strcmp(name, faults[i].name) == 0;
	build.is_wide = strcmp(name, "good-wide") == 0;
	build.code_page = strcmp(name, "good-code-page") == 0  ? 1252
			  : strcmp(name, "odd-code-page") == 0 ? 1251
							       : 0;
	if (is_log)
		put_log(&build);
	else
		put_blocks(&build);
	case_save(directory, name, is_log ? "blg" : "v1", &build.out);
	case_save(directory, name, "findings", &build.findings);
	case_save(directory, name, "values", &build.values);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--log") == 0) {
		write_log(argv[3], (unsigned int)strtoul(argv[2], NULL, 10));
		return 0;
	}
	return make_cases(faults, COUNT(faults),
			  "usage: make_winperf --list\n"
			  "       make_winperf --log SAMPLES FILE\n"
			  "       make_winperf DIR [CASE]\n",
			  make, argc, argv);
}
