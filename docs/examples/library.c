/*
 * library.c - the five programs that ran most of the time, and the findings of a trace.
 *
 *	cc library.c $(pkg-config --cflags --libs perftab) -o library
 */
#include <inttypes.h>
#include <perftab/perftab.h>
#include <stdio.h>

static int print_bill(struct perftab *trace)
{
	int status = perftab_bill(trace, "comm");

	for (int line = 0; (status = perftab_next(trace)) == PERFTAB_ROW; line++)
		if (line < 5)
			printf("%-20s %12" PRId64 " ns\n",
			       perftab_text(trace, perftab_find(trace, "comm"), NULL),
			       perftab_int(trace, perftab_find(trace, "on_cpu_ns")));
	return status;
}

static int print_findings(struct perftab *trace)
{
	int status;

	while ((status = perftab_next(trace)) == PERFTAB_ROW)
		printf("%s\n", perftab_text(trace, perftab_find(trace, "text"), NULL));
	return status;
}

int main(int argc, char **argv)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	int (*const print[])(struct perftab *) = { print_bill, print_findings };
	int failed = argc != 2;

	options.tables = "finding";
	for (int i = 0; i < 2 && !failed; i++) {
		struct perftab *trace;

		if (perftab_open(&trace, argv[1], &options) == PERFTAB_OK)
			print[i](trace);
		if ((failed = perftab_status(trace) < 0))
			fprintf(stderr, "%s: %s\n", argv[1], perftab_error(trace));
		perftab_close(trace);
	}
	return failed;
}
