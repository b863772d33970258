/* Options, lists and directories of the generators of traces. */
#include "program.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void usage(const struct generator *generator, FILE *out)
{
	fprintf(out,
		"%s\n"
		"  --list        print the names of the %ss the form can hold\n"
		"  --forms       print the names of the forms\n"
		"  --form FORM   container of the records (default %s)\n"
		"  --seed N      random seed (default 1)\n"
		"  --switches N  about how many context switches to make (default 400)\n"
		"  --help        print this\n",
		generator->usage, generator->noun, generator->form_name(0));
}

void order_path(const struct order *order, const char *name, const char *suffix,
		char path[PATH_BYTES])
{
	int length =
		snprintf(path, PATH_BYTES, "%s/%s%s", order->directory, name, suffix);

	if (length < 0 || length >= PATH_BYTES)
		die("%s: path is longer than %d bytes", order->directory, PATH_BYTES - 1);
}

void order_save(const struct order *order, const char *name, const char *suffix,
		struct byte_buf *text)
{
	char path[PATH_BYTES];

	order_path(order, name, suffix, path);
	file_save(path, text);
	buf_release(text);
}

static void make_directories(const char *directory)
{
	char path[PATH_BYTES];
	size_t length = strlen(directory);

	if (length == 0 || length >= sizeof(path))
		die("\"%s\" is not a directory name", directory);
	for (size_t i = 1; i <= length; i++) {
		if (directory[i] != '/' && directory[i] != '\0')
			continue;
		memcpy(path, directory, i);
		path[i] = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			die("%s: %s", path, strerror(errno));
	}
}

static void make_scenarios(const struct generator *generator, const char *name,
			   const struct order *order)
{
	bool all = !strcmp(name, "all");
	bool found = false;

	for (size_t i = 0; i < generator->scenario_count; i++) {
		bool held = generator->can_hold(order->form, i);

		if (all ? !held : strcmp(name, generator->scenario_name(i)) != 0)
			continue;
		if (!held)
			die("form %s cannot hold %s %s",
			    generator->form_name(order->form), generator->noun, name);
		if (!found)
			make_directories(order->directory);
		found = true;
		generator->make(i, order);
	}
	if (!found)
		die("no %s is named \"%s\"; see --list", generator->noun, name);
}

static int list_scenarios(const struct generator *generator, size_t form)
{
	for (size_t i = 0; i < generator->scenario_count; i++)
		if (generator->can_hold(form, i))
			puts(generator->scenario_name(i));
	return 0;
}

static int list_forms(const struct generator *generator)
{
	for (size_t i = 0; i < generator->form_count; i++)
		puts(generator->form_name(i));
	return 0;
}

static size_t parse_form(const struct generator *generator, const char *name)
{
	for (size_t i = 0; i < generator->form_count; i++)
		if (!strcmp(name, generator->form_name(i)))
			return i;
	die("no form is named \"%s\"; see --forms", name);
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

int generate(const struct generator *generator, int argc, char **argv)
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
	struct order order = { .seed = 1, .switches = 400 };
	bool list = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'l') {
			list = true;
		} else if (option == 'F') {
			return list_forms(generator);
		} else if (option == 'f') {
			order.form = parse_form(generator, optarg);
		} else if (option == 's') {
			order.seed = parse_number(optarg);
		} else if (option == 'n') {
			order.switches = parse_number(optarg);
		} else if (option == 'T' && generator->self_test) {
			generator->self_test();
			return 0;
		} else {
			usage(generator, option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : 2;
		}
	}
	if (list)
		return list_scenarios(generator, order.form);
	if (argc - optind != 2) {
		usage(generator, stderr);
		return 2;
	}
	order.directory = argv[optind + 1];
	make_scenarios(generator, argv[optind], &order);
	return 0;
}
