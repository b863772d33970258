/*
 * library.c - the five programs that ran most of the time, and the findings of a trace.
 *
 *	cc library.c $(pkg-config --cflags --libs perftab) -o library
 */
#include <inttypes.h>
#include <perftab/perftab.h>
#include <stdio.h>

/* A failure stays in the handle: main() reports it. */
static void print_bill(struct perftab *trace)
{
	int comm = -1, time = -1;

	if (perftab_bill(trace, "comm") < 0)
		return;
	for (int line = 0; line < 5 && perftab_next(trace) == PERFTAB_ROW; line++) {
		if (line == 0) { /* all rows have the same columns */
			comm = perftab_find(trace, "comm");
			time = perftab_find(trace, "on_cpu_ns");
		}
		printf("%-20s %12" PRId64 " ns\n", perftab_text(trace, comm, NULL),
		       perftab_int(trace, time));
	}
}

static void print_findings(struct perftab *trace)
{
	int text = -1;

	while (perftab_next(trace) == PERFTAB_ROW) {
		if (text < 0)
			text = perftab_find(trace, "text");
		printf("%s\n", perftab_text(trace, text, NULL));
	}
}

int main(int argc, char **argv)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	void (*const print[])(struct perftab *) = { print_bill, print_findings };
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
