/*
 * make_etw - writes Windows ETW traces as .etl files and as the text of `xperf -a
 * dumper`, both from one plan, with what a correct reader must say about them.
 *
 *   DIR/PLAN.etl, DIR/PLAN.txt        the trace in both media; some plans have no text
 *   ....etl.thread.csv                charges by thread, (unattributed) apart
 *   ....etl.thread-unproven.csv       the same when every interval goes to the thread
 *                                     that was switched out
 *   ....etl.process.csv               charges by process
 *   ....etl.check.csv                 first and last value, and the sums by status
 *   ....txt.*.csv                     the same truths, of what the text shows
 *
 * The rows are sorted as `LC_ALL=C sort` does.  The rules are those of
 * docs/attribution.md with what is special to ETW; the ledger (etw_ledger.c) has them.
 * The first counted switch of a CPU is a baseline and in no bill.  Times are whole
 * nanoseconds since the first header event, each cut by itself; those of the text are
 * whole microseconds. There is no with_idle.  Trace and truths come from one simulated
 * machine (etw_machine.c) and nothing is read back, nor is any code shared with the
 * reader.
 *
 * What a reader of each medium must make of special plans:
 *
 *   truncated       the file ends within its last buffer, which holds switches only; the
 *                   truth is what is in the whole buffers, EndTime is 0
 *   single_stream   nothing can be charged: no switch is in any bill, not even as
 *                   unattributed, and no CPU is in the check
 *   batched         has no other switches: no counters, no bill
 *   append          the counters go on from one session to the next, other threads are
 *                   on the CPUs then; buffer numbers go on too
 *   two_configs     the first list in time holds, wherever it stands in the file
 *
 * A form is another container for the same events.  Where a plan loses what a buffer
 * holds, that depends on the form, and so do the truths.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "etw_machine.h"
#include "xpress_packer.h"

enum {
	PATH_BYTES = 4096,
};

struct order {
	const char *directory;
	const struct etw_form *form;
	uint64_t seed;
	uint64_t switches;
};

static void usage(FILE *out)
{
	fputs("usage: make_etw [OPTIONS] PLAN|all DIR\n"
	      "       make_etw [--form FORM] --list\n"
	      "       make_etw --forms\n"
	      "       make_etw --self-test\n"
	      "\n"
	      "  --list        print the names of the plans the form can hold\n"
	      "  --forms       print the names of the forms\n"
	      "  --form FORM   container of the events (default raw)\n"
	      "  --seed N      random seed (default 1)\n"
	      "  --switches N  about how many context switches to make (default 400)\n"
	      "  --self-test   pack and unpack bytes, and compare\n"
	      "  --help        print this\n",
	      out);
}

static void make_path(char *path, const struct order *order, const char *name,
		      const char *suffix)
{
	int length =
		snprintf(path, PATH_BYTES, "%s/%s%s", order->directory, name, suffix);

	if (length < 0 || length >= PATH_BYTES)
		die("%s: path is longer than %d bytes", order->directory, PATH_BYTES - 1);
}

static void make_directories(const char *directory)
{
	char path[PATH_BYTES];
	size_t length = strlen(directory);

	if (length == 0 || length >= sizeof(path))
		die("\"%s\" cannot be a directory", directory);
	for (size_t i = 1; i <= length; i++) {
		if (directory[i] != '/' && directory[i] != '\0')
			continue;
		memcpy(path, directory, i);
		path[i] = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			die("%s: %s", path, strerror(errno));
	}
}

static void write_text(const struct order *order, const char *name, const char *suffix,
		       struct byte_buf *text)
{
	char path[PATH_BYTES];
	FILE *file;

	make_path(path, order, name, suffix);
	file = fopen(path, "wb");
	if (!file)
		die("%s: %s", path, strerror(errno));
	if (fwrite(text->data, text->size, 1, file) != 1 || fclose(file))
		die("%s: %s", path, strerror(errno));
	buf_release(text);
}

static void write_truths(const struct order *order, const struct etw_ledger *ledger,
			 enum medium medium)
{
	const char *name = ledger->plan->name;
	bool etl = medium == MEDIUM_ETL;
	struct byte_buf text = { 0 };

	etw_truth_threads(ledger, medium, RULE_SEPARATE, &text);
	write_text(order, name, etl ? ".etl.thread.csv" : ".txt.thread.csv", &text);
	etw_truth_threads(ledger, medium, RULE_SWITCHED_OUT, &text);
	write_text(order, name,
		   etl ? ".etl.thread-unproven.csv" : ".txt.thread-unproven.csv", &text);
	etw_truth_processes(ledger, medium, &text);
	write_text(order, name, etl ? ".etl.process.csv" : ".txt.process.csv", &text);
	etw_truth_check(ledger, medium, &text);
	write_text(order, name, etl ? ".etl.check.csv" : ".txt.check.csv", &text);
}

static void make_etw(const struct etw_plan *plan, const struct order *order)
{
	static struct machine machine;
	static struct etw_ledger ledger;
	static struct etl etl;
	uint64_t seed = rng_seed(order->seed, plan->name);
	bool txt = order->form->txt && etw_plan_has_text(plan);
	char etl_path[PATH_BYTES];
	char txt_path[PATH_BYTES];
	struct xperf xperf;

	make_path(etl_path, order, plan->name, ".etl");
	make_path(txt_path, order, plan->name, ".txt");
	etw_ledger_init(&ledger, plan);
	etl_open(&etl, plan, order->form, &ledger, order->form->etl ? etl_path : NULL,
		 seed);
	xperf_open(&xperf, plan, order->form, &ledger, &etl.clock, txt, seed);
	machine_run(&machine, plan, &etl, &xperf, &ledger, order->switches, seed);
	etl_close(&etl, machine.last_us + 100);
	xperf_close(&xperf, txt_path, etl.events_lost, etl.buffers_lost);
	if (order->form->etl)
		write_truths(order, &ledger, MEDIUM_ETL);
	if (txt)
		write_truths(order, &ledger, MEDIUM_TXT);
	etw_ledger_release(&ledger);
}

static void make_plans(const char *name, const struct order *order)
{
	bool all = !strcmp(name, "all");
	bool found = false;

	for (size_t i = 0; i < etw_plan_count; i++) {
		bool held = etw_form_can_hold(order->form, &etw_plans[i]);

		if (all ? !held : strcmp(name, etw_plans[i].name) != 0)
			continue;
		if (!held)
			die("form %s cannot hold plan %s", order->form->name, name);
		if (!found)
			make_directories(order->directory);
		found = true;
		make_etw(&etw_plans[i], order);
	}
	if (!found)
		die("no plan is named \"%s\"; see --list", name);
}

static void list_plans(const struct etw_form *form)
{
	for (size_t i = 0; i < etw_plan_count; i++)
		if (etw_form_can_hold(form, &etw_plans[i]))
			puts(etw_plans[i].name);
}

static void list_forms(void)
{
	for (size_t i = 0; i < etw_form_count; i++)
		puts(etw_forms[i].name);
}

static const struct etw_form *parse_form(const char *name)
{
	const struct etw_form *form = etw_form_find(name);

	if (!form)
		die("no form is named \"%s\"; see --forms", name);
	return form;
}

static uint64_t parse_number(const char *text)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-')
		die("\"%s\" is not a number", text);
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "list", no_argument, NULL, 'l' },
		{ "forms", no_argument, NULL, 'F' },
		{ "form", required_argument, NULL, 'f' },
		{ "seed", required_argument, NULL, 's' },
		{ "switches", required_argument, NULL, 'n' },
		{ "self-test", no_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct order order = { .form = &etw_forms[0], .seed = 1, .switches = 400 };
	bool list = false;
	int option;

	while ((option = getopt_long(argc, argv, "lFf:s:n:Th", options, NULL)) != -1) {
		switch (option) {
		case 'l':
			list = true;
			break;
		case 'F':
			list_forms();
			return 0;
		case 'f':
			order.form = parse_form(optarg);
			break;
		case 's':
			order.seed = parse_number(optarg);
			break;
		case 'n':
			order.switches = parse_number(optarg);
			break;
		case 'T':
			xpress_self_test();
			return 0;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (list) {
		list_plans(order.form);
		return 0;
	}
	if (argc - optind != 2) {
		usage(stderr);
		return 2;
	}
	order.directory = argv[optind + 1];
	make_plans(argv[optind], &order);
	return 0;
}
