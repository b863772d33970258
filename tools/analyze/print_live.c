/* print_live.c - one interval of a live bill: a line of what it was, and the table. */
#include <time.h>

#include "base/text.h"
#include "print.h"

void print_live(FILE *to, const struct bill *bill, const struct print_options *options)
{
	const struct trace_row *trace = &bill->report->trace;
	char switches[40], clock[16] = "";
	time_t now = time(NULL);
	struct tm local;

	if (localtime_r(&now, &local))
		(void)strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	text_grouped(switches, sizeof(switches), bill->total.switches);
	fprintf(to, "%s  %.3f s, %s switches\n\n", clock,
		(double)(trace->last_ns - trace->first_ns) * 1e-9, switches);
	if (bill->report->reference)
		print_bill_lines(to, bill, options);
}
