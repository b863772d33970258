/*
 * make_growth - writes a file with COUNT things of one kind, for bench/growth.
 */
#include <stdlib.h>
#include <string.h>

#include "growth/growth.h"

static const char usage[] = "usage: make_growth --list\n"
			    "       make_growth KIND COUNT FILE\n";

static void list(const struct growth *growths)
{
	for (; growths->name[0]; growths++)
		printf("%s %s %s\n", growths->name, growths->ending, growths->what);
}

static bool make(const struct growth *growths, const char *name, uint64_t count,
		 const char *path)
{
	struct byte_buf out = { 0 };

	for (; growths->name[0]; growths++) {
		if (strcmp(growths->name, name) != 0)
			continue;
		growths->write(&out, count);
		file_save(path, &out);
		buf_release(&out);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	uint64_t count = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list(perf_growths);
		list(windows_growths);
		return 0;
	}
	if (count == 0 || (!make(perf_growths, argv[1], count, argv[3]) &&
			   !make(crowd_growths, argv[1], count, argv[3]) &&
			   !make(windows_growths, argv[1], count, argv[3]))) {
		fputs(usage, stderr);
		return 2;
	}
	return 0;
}
