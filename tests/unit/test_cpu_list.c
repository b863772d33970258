/* test_cpu_list.c - tools/common/cpu_list.h: CPUs as users and the
 * kernel write them. */
#include <string.h>

#include "common/cpu_list.h"
#include "unit.h"

#define CPUS 8

static const struct {
	int line;
	const char *text;
	size_t count; /* 0: it is not a list */
	int cpus[CPUS];
} lists[] = {
	{ ROW, "0", 1, { 0 } },
	{ ROW, "3", 1, { 3 } },
	{ ROW, "0-3", 4, { 0, 1, 2, 3 } },
	{ ROW, "0-1\n", 2, { 0, 1 } },
	{ ROW, "0-1,8", 3, { 0, 1, 8 } },
	{ ROW, "8,0-1", 3, { 0, 1, 8 } }, /* ascending, whatever was written */
	{ ROW, "2,2,1-2", 2, { 1, 2 } },
	{ ROW, "5-5", 1, { 5 } },
	{ ROW, "007", 1, { 7 } },
	{ ROW, "16383", 1, { 16383 } },
	{ ROW, "16384", 0, { 0 } },
	{ ROW, "0-16384", 0, { 0 } },
	{ ROW, "99999999999999999999", 0, { 0 } },
	{ ROW, "", 0, { 0 } },
	{ ROW, "\n", 0, { 0 } },
	{ ROW, ",", 0, { 0 } },
	{ ROW, "0,", 0, { 0 } },
	{ ROW, "-1", 0, { 0 } },
	{ ROW, "3-1", 0, { 0 } },
	{ ROW, "1-", 0, { 0 } },
	{ ROW, "0 1", 0, { 0 } },
	{ ROW, " 0", 0, { 0 } },
	{ ROW, "0-3:2", 0, { 0 } },
	{ ROW, "all", 0, { 0 } },
	{ ROW, "+1", 0, { 0 } },
};

static const struct {
	int line;
	size_t size;
	const char *text, *printed;
} printed[] = {
	{ ROW, 80, "5", "5" },
	{ ROW, 80, "8,0-1,3,2", "0-3,8" },
	{ ROW, 80, "0-16383", "0-16383" },
	{ ROW, 80, "0,16383", "0,16383" },
	{ ROW, 22, "0,2,4,6,8,10", "0,2,4,6,..." },
};

UNIT_TEST(print)
{
	for (size_t i = 0; i < COUNT(printed); i++) {
		struct error error = { .status = ST_OK };
		struct cpu_list list;
		bool cpus[CPU_LIST_MAX] = { false };
		char text[80];

		assert_int_equal(cpu_list_parse(&list, printed[i].text, &error), ST_OK);
		for (size_t k = 0; k < list.count; k++)
			cpus[list.cpus[k]] = true;
		cpu_list_release(&list);
		cpu_list_print(text, printed[i].size, cpus);
		ROW_TEXT(&printed[i], text, printed[i].printed);
	}
}

UNIT_TEST(lists)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct error error = { .status = ST_OK };
		struct cpu_list list;
		enum status status = cpu_list_parse(&list, lists[i].text, &error);

		ROW_INT(&lists[i], status, lists[i].count ? ST_OK : ST_CORRUPT);
		ROW_INT(&lists[i], list.count, lists[i].count);
		for (size_t k = 0; k < list.count; k++)
			ROW_INT(&lists[i], list.cpus[k], lists[i].cpus[k]);
		if (status != ST_OK)
			ROW_TRUE(&lists[i], strstr(error.text, "invalid CPU list") &&
						    strstr(error.text, "0-3,8"));
		cpu_list_release(&list);
		ROW_INT(&lists[i], list.count, 0);
	}
}

UNIT_TEST(has)
{
	struct error error = { .status = ST_OK };
	struct cpu_list list;

	assert_int_equal(cpu_list_parse(&list, "1-2,16383", &error), ST_OK);
	assert_false(cpu_list_has(&list, 0));
	assert_true(cpu_list_has(&list, 1));
	assert_true(cpu_list_has(&list, 2));
	assert_false(cpu_list_has(&list, 3));
	assert_true(cpu_list_has(&list, 16383));
	assert_false(cpu_list_has(&list, -1));
	cpu_list_release(&list);
	assert_false(cpu_list_has(&list, 1));
}

UNIT_TEST(files)
{
	const char *path = unit_path("online");
	struct error error = { .status = ST_OK };
	struct cpu_list list;

	assert_int_equal(cpu_list_read(&list, path, &error), ST_IO);
	HAS(error.text, path);
	assert_int_equal(list.count, 0);
	error = (struct error){ .status = ST_OK };
	unit_write_file(path, "0-3,6\n", 6);
	assert_int_equal(cpu_list_read(&list, path, &error), ST_OK);
	assert_int_equal(list.count, 5);
	assert_int_equal(list.cpus[4], 6);
	cpu_list_release(&list);
	unit_write_file(path, "", 0); /* a machine with no CPU to name there */
	assert_int_equal(cpu_list_read(&list, path, &error), ST_IO);
	error = (struct error){ .status = ST_OK };
	unit_write_file(path, "garbage\n", 8);
	assert_int_equal(cpu_list_read(&list, path, &error), ST_CORRUPT);
}
