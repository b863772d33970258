/*
 * Writes perf.data files whose totals are known beforehand: the trace of a simulated
 * machine, and beside it what a correct reader must say about it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine.h"

enum { PATH_BYTES = 4096 };

struct order {
	const struct form *form;
	const char *directory;
	uint64_t seed;
	uint64_t switches;
};

static void usage(FILE *out)
{
	fputs("usage: make_trace [--form FORM] --list\n"
	      "       make_trace --forms\n"
	      "       make_trace [--form FORM] [--seed N] [--switches N] SCENARIO|all DIR\n"
	      "\n"
	      "Writes DIR/SCENARIO.data and the truths about it: SCENARIO.thread.csv,\n"
	      "SCENARIO.thread-unproven.csv and SCENARIO.check.csv.\n"
	      "\n"
	      "The records, and so the truths, are the same in every form.\n"
	      "\n"
	      "  --list        print the names of the scenarios the form can hold\n"
	      "  --forms       print the names of the forms\n"
	      "  --form FORM   container of the records (default file)\n"
	      "  --seed N      random seed (default 1)\n"
	      "  --switches N  about how many context switches to make (default 400)\n"
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

static void make_trace(const struct scenario *scenario, const struct order *order)
{
	char path[PATH_BYTES];
	struct byte_buf text = { 0 };
	struct machine machine;
	struct ledger ledger;
	struct trace trace;

	make_path(path, order, scenario->name, ".data");
	ledger_init(&ledger, scenario);
	trace_open(&trace, scenario, order->form, path);
	machine_init(&machine, scenario, &trace, &ledger,
		     rng_seed(order->seed, scenario->name));
	machine_run(&machine, order->switches);
	trace_close(&trace);
	ledger_thread_csv(&ledger, RULE_SEPARATE, &text);
	write_text(order, scenario->name, ".thread.csv", &text);
	ledger_thread_csv(&ledger, RULE_SWITCHED_OUT, &text);
	write_text(order, scenario->name, ".thread-unproven.csv", &text);
	ledger_check_csv(&ledger, &text);
	write_text(order, scenario->name, ".check.csv", &text);
	ledger_release(&ledger);
}

static void make_traces(const char *name, const struct order *order)
{
	bool all = !strcmp(name, "all");
	bool found = false;

	for (size_t i = 0; i < scenario_count; i++) {
		bool held = form_can_hold(order->form, &scenarios[i]);

		if (all ? !held : strcmp(name, scenarios[i].name) != 0)
			continue;
		if (!held)
			die("form %s cannot hold scenario %s", order->form->name, name);
		if (!found)
			make_directories(order->directory);
		found = true;
		make_trace(&scenarios[i], order);
	}
	if (!found)
		die("no scenario is named \"%s\"; see --list", name);
}

static void list_scenarios(const struct form *form)
{
	for (size_t i = 0; i < scenario_count; i++)
		if (form_can_hold(form, &scenarios[i]))
			puts(scenarios[i].name);
}

static void list_forms(void)
{
	for (size_t i = 0; i < form_count; i++)
		puts(forms[i].name);
}

static const struct form *parse_form(const char *name)
{
	const struct form *form = form_find(name);

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
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct order order = { .form = &forms[0], .seed = 1, .switches = 400 };
	bool list = false;
	int option;

	while ((option = getopt_long(argc, argv, "lFf:s:n:h", options, NULL)) != -1) {
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
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (list) {
		list_scenarios(order.form);
		return 0;
	}
	if (argc - optind != 2) {
		usage(stderr);
		return 2;
	}
	order.directory = argv[optind + 1];
	make_traces(argv[optind], &order);
	return 0;
}
