/* options.c - the option table of perftab-convert, and what contradicts what. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "base/code_page.h"
#include "base/os.h"
#include "base/text.h"
#include "output/outputs.h"
#include "output/target.h"
#include "output_name.h"

/* Less holds no more than the page cache and the batches. */
#define MEMORY_MIB_MIN 16

/* What is in the documentation of ClickHouse's recipes. */
#define CLUSTER "fleet"

#define AT(member) OPTION_AT(struct convert_options, member)

static const struct option_spec specs[] = {
	{ OPTION_TEXT, 'o', "output", "PATH",
	  "the database file, the directory for CSV or Parquet,\nor - for standard output (perfetto, folded, speedscope,\nclickhouse, for which it is the default)",
	  AT(output.path), 0 },
	{ OPTION_TEXT, 't', "to",
	  "sqlite|csv|parquet|clickhouse|perfetto|folded|speedscope|null",
	  "sqlite (default; x.folded, x.pftrace and some others say\nthe format by their name); parquet: a tree for DuckDB and\nothers; clickhouse: a stream of its Native format;\nperfetto: for ui.perfetto.dev; folded: stacks for flame\ngraphs; null: read and attribute, write nothing",
	  AT(to), 0 },
	{ OPTION_FLAG, 'l', "list", NULL, "convert nothing: show what is in each input",
	  AT(is_list), 0 },
	{ OPTION_FLAG, 'j', "json", NULL, "with --list: as one JSON document", AT(json),
	  0 },
	{ OPTION_FLAG, 'f', "force", NULL, "replace an output that exists",
	  AT(output.overwrite), 0 },
	{ OPTION_TEXT, 0, "mode", "MODE",
	  "permissions of the output, octal, for example 640\n(default: 600, less the "
	  "umask)",
	  AT(mode), 0 },
	{ OPTION_CHOICE, 0, "sync", NULL,
	  "have the output on the disk before it gets its name\n(default when it replaces "
	  "another)",
	  AT(sync), SYNC_ALWAYS },
	{ OPTION_CHOICE, 0, "no-sync", NULL, "leave that to the system", AT(sync),
	  SYNC_NEVER },
	{ OPTION_FLAG, 0, "csv-safe", NULL,
	  "csv: put ' before texts that a spreadsheet would take\nfor a formula",
	  AT(output.csv_safe), 0 },
	{ OPTION_FLAG, 0, "no-views", NULL,
	  "csv: leave out process_bill and context_switch_named,\nwhich repeat what the tables have",
	  AT(output.no_views), 0 },
	{ OPTION_FLAG, 0, "all-tables", NULL,
	  "parquet: every table of the database as well", AT(output.all_tables), 0 },
	{ OPTION_WORD, 0, "table", "bill|bill_by_second|switch",
	  "clickhouse: what the stream has (default bill)", AT(table), 0 },
	{ OPTION_MAYBE, 0, "create", "CLUSTER",
	  "clickhouse: print what creates the tables, with the\ncounters of the inputs, if any; the cluster is called\nfleet unless you say so",
	  AT(create), 0 },
	{ OPTION_WORD, 0, "parquet-encoding", "delta|plain",
	  "numbers as differences (default) or plain, for old\nreaders of Parquet",
	  AT(parquet_encoding), 0 },
	{ OPTION_TEXT, 0, "counter", "NAME",
	  "folded, speedscope: weigh stacks by this counter, by\non_cpu_ns or off_cpu_ns (default: the heaviest sampled)",
	  AT(output.counter), 0 },
	{ OPTION_MAYBE, 0, "symbols", "ROOT",
	  "name functions from files too, where the trace has no\nnames: those below ROOT (default /) whose build id is\nthat of the trace",
	  AT(symbols), 0 },
	{ OPTION_TEXTS, 0, "host", "FILE=NAME",
	  "the machine that the trace FILE is of, instead of what\nit says; for each file that needs it",
	  AT(machines.hosts), 0 },
	{ OPTION_TEXTS, 0, "wall", "FILE=UTC",
	  "when the trace FILE began, such as\n2026-11-22T10:00:00.5Z, instead of what it says",
	  AT(machines.walls), 0 },
	{ OPTION_TEXTS, 0, "shift", "HOST=DURATION",
	  "put the clock of a machine right: add 250ms, -1.5s ...\nto the time of day of its traces",
	  AT(machines.shifts), 0 },
	{ OPTION_FLAG, 0, "anonymize", NULL,
	  "to share the output: hosts, users, SIDs, command lines,\npaths become short "
	  "tokens; names of processes stay;\nwith --list: show what would stay",
	  AT(anonymize), 0 },
	{ OPTION_FLAG, 0, "anonymize-names", NULL,
	  "the same, and names of processes and threads as well", AT(anonymize_names),
	  0 },
	{ OPTION_FLAG, 0, "no-runs", NULL,
	  "handle every switch by itself (tests): the result is the\nsame",
	  AT(input.no_runs), 0 },
	{ OPTION_FLAG, 0, "no-indexes", NULL, "leave out the database's indexes",
	  AT(no_indexes), 0 },
	{ OPTION_WORD, 0, "loader", "bulk|sql",
	  "how rows get into the database: bulk (default), written\nas pages, or sql, "
	  "inserted",
	  AT(loader), 0 },
	{ OPTION_INT, 0, "memory", "MIB",
	  "memory for sorting the database's indexes and all\naround it (default 104)",
	  AT(memory_mib), MEMORY_MIB_MIN },
	{ OPTION_INT, 0, "threads", "N",
	  "how many threads work at once, the first included\n(default: as many as there are CPUs, but 2 to 16)",
	  AT(threads), 1 },
	{ OPTION_CHOICE, 0, "verify", NULL,
	  "check each page as it is written, and have SQLite check\nthe database before it "
	  "gets its name (by default pages\nare checked if the inputs have less than 256 MiB)",
	  AT(verify), VERIFY_ALWAYS },
	{ OPTION_CHOICE, 0, "no-verify", NULL,
	  "check only that each page of the database is used once", AT(verify),
	  VERIFY_NEVER },
	{ OPTION_FLAG, 'v', "verbose", NULL,
	  "report what fell back to another way, and why", AT(verbose), 0 },
#include "common/input_options.def"
	{ OPTION_FLAG, 0, "no-sandbox", NULL,
	  "read the inputs with all rights of the user", AT(no_sandbox), 0 },
	{ OPTION_FLAG, 0, "strict", NULL, "exit with 1, not 3, when an input was damaged",
	  AT(strict), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

const struct cli convert_cli = {
	.name = "perftab-convert",
	.usage = (const char *const[]){ "INPUT... -o OUT.db",
					"INPUT... --to csv|parquet -o DIR",
					"INPUT... --to clickhouse [-o FILE|-]",
					"INPUT... --to folded -o FILE|-",
					"INPUT --to perfetto|speedscope -o FILE|-",
					"--list [--json] INPUT...", NULL },
	.summary =
		"Turns performance traces into one SQLite database, one CSV file a table, Parquet\n"
		"files, a stream for ClickHouse, a trace for Perfetto, or stacks (folded,\n"
		"speedscope), and charges every counter's deltas to the threads they belong to.\n"
		"Reads perf.data, .etl, text of xperf, PerfLib bundles, .blg and PDH-CSV.  --list\n"
		"shows what is in them: form, events, counts of records, header, problems.",
	.options = specs,
	.examples =
		(const char *const[]){
			"a trace into a database", "perftab-convert perf.data -o perf.db",
			"several traces into one database",
			"perftab-convert before.data after.data -o both.db",
			"a trace into CSV files, one a table",
			"perftab-convert perf.data --to csv -o tables",
			"traces into a tree of Parquet files",
			"perftab-convert *.data --to parquet -o fleet",
			"the same without names, paths and command lines, to share it",
			"perftab-convert --anonymize perf.data -o shared.db",
			"what is in a trace, and what is wrong with it",
			"perftab-convert --list perf.data", NULL },
};

static const struct sink_ops *find_writer(const char *name)
{
	for (size_t i = 0; writers[i]; i++)
		if (strcmp(writers[i]->name, name) == 0)
			return writers[i];
	return NULL;
}

static int wrong_format(const char *name)
{
	char words[200] = "";
	size_t at = 0;

	for (size_t i = 0; writers[i]; i++)
		at += text_print(words + at, sizeof(words) - at, "%s%s", i ? "|" : "",
				 writers[i]->name);
	return cli_wrong_word(&convert_cli, "unknown output format", name, words);
}

/* A hint for the writer; what cannot be looked at counts as nothing. */
static uint64_t bytes_of(char **inputs)
{
	uint64_t bytes = 0;
	struct os_info info;

	for (; *inputs; inputs++)
		if (os_inspect_path(*inputs, &info) && info.kind == OS_FILE)
			bytes += info.size;
	return bytes;
}

static void print_note(void *context, const char *text)
{
	const struct convert_options *options = context;

	if (options->verbose)
		cli_warn(convert_cli.name, text);
}

static void print_warning(void *context, const char *text)
{
	(void)context;
	cli_warn(convert_cli.name, text);
}

/* Permissions in octal, as chmod accepts them; false: something else. */
static bool parse_mode(const char *text, unsigned int *value)
{
	char *end;
	unsigned long number = strtoul(text, &end, 8);

	*value = (unsigned int)number;
	return text[0] >= '0' && text[0] <= '7' && *end == '\0' && number != 0 &&
	       number <= 0777;
}

/* The options of the output; the exit status of wrong usage, or EXIT_DONE. */
static int set_output(struct convert_options *options, char **inputs)
{
	struct sink_options *output = &options->output;

	if (options->mode && !parse_mode(options->mode, &output->mode))
		return cli_wrong_usage(
			&convert_cli,
			"invalid mode '%s': expected an octal number, for example 640",
			options->mode);
	output->overwrite_hint = " (--force replaces it)";
	output->sync = (enum sink_sync)options->sync;
	output->by_sql = options->loader == 1;
	output->indexes = !options->no_indexes;
	output->table =
		options->table < 0 ? FLEET_BILL : (enum fleet_table)options->table;
	output->create = options->create && !*options->create ? CLUSTER : options->create;
	output->parquet_plain = options->parquet_encoding == 1;
	output->memory_bytes = (uint64_t)options->memory_mib << 20;
	output->verify = (enum sink_verify)options->verify;
	output->note = print_note;
	output->warn = print_warning;
	output->context = options;
	output->input_bytes = bytes_of(inputs);
	return EXIT_DONE;
}

static bool is_to_stdout(const struct convert_options *options)
{
	return options->output.path && strcmp(options->output.path, "-") == 0;
}

/* What only a database has; NULL: no such option. */
static const char *database_option(const struct convert_options *options)
{
	return options->loader >= 0		  ? "--loader"
	       : options->no_indexes		  ? "--no-indexes"
	       : options->memory_mib		  ? "--memory"
	       : options->verify == VERIFY_ALWAYS ? "--verify"
	       : options->verify == VERIFY_NEVER  ? "--no-verify"
						  : NULL;
}

/* What a listing cannot have. */
static int check_list(const struct convert_options *options)
{
	const char *output = options->to		 ? "--to"
			     : options->output.path	 ? "-o"
			     : options->output.overwrite ? "--force"
							 : database_option(options);

	if (options->is_list && options->output.csv_safe)
		return cli_wrong_usage(
			&convert_cli,
			"--list prints text or --json: no CSV, no --csv-safe");
	if (options->is_list && output)
		return cli_wrong_usage(&convert_cli, "--list converts nothing: no %s",
				       output);
	if (options->json && !options->is_list)
		return cli_wrong_usage(&convert_cli, "--json goes with --list");
	if (options->is_list && options->symbols)
		return cli_wrong_usage(&convert_cli,
				       "--list names no functions: no --symbols");
	return EXIT_DONE;
}

/* What only a stream for ClickHouse has; standard output is its place by default. */
static int check_clickhouse(struct convert_options *options,
			    const struct sink_ops *writer)
{
	if (writer == &clickhouse_writer && !options->output.path)
		options->output.path = "-";
	if (writer != &clickhouse_writer && (options->table >= 0 || options->create))
		return cli_wrong_usage(&convert_cli, "--%s goes with --to clickhouse",
				       options->create ? "create" : "table");
	if (options->table >= 0 && options->create)
		return cli_wrong_usage(&convert_cli,
				       "--create is of all tables: no --table");
	return EXIT_DONE;
}

/* What only one kind of files in a folder has. */
static int check_folder(const struct convert_options *options,
			const struct sink_ops *writer)
{
	if (writer != &csv_writer &&
	    (options->output.no_views || options->output.csv_safe))
		return cli_wrong_usage(&convert_cli, "--%s goes with --to csv",
				       options->output.no_views ? "no-views"
								: "csv-safe");
	if (writer == &parquet_writer ||
	    (!options->output.all_tables && !options->parquet_encoding))
		return EXIT_DONE;
	return cli_wrong_usage(&convert_cli, "--%s goes with --to parquet",
			       options->output.all_tables ? "all-tables"
							  : "parquet-encoding");
}

static int check_database(const struct convert_options *options,
			  const struct sink_ops *writer)
{
	const char *name = database_option(options);

	return name && writer != &sqlite_writer
		       ? cli_wrong_usage(&convert_cli, "%s goes with --to sqlite", name)
		       : EXIT_DONE;
}

/* The place of the output, which must differ from the inputs. */
static int check_output(const struct convert_options *options,
			const struct sink_ops *writer, int argc, char **argv, int first)
{
	const struct output_name *name;
	struct os_info info;

	if (!options->output.path && writer != &null_writer)
		return argc - first > 1 && !os_inspect_path(argv[argc - 1], &info)
			       ? cli_wrong_usage(&convert_cli,
						 "no output given: did you mean -o %s?",
						 argv[argc - 1])
			       : cli_wrong_usage(&convert_cli,
						 "no output given: -o PATH");
	if (options->output.path && writer == &null_writer)
		return cli_wrong_usage(&convert_cli, "--to null writes nothing: no -o");
	if (is_to_stdout(options) && !writer->to_stdout)
		return cli_wrong_usage(
			&convert_cli, "a %s cannot be written to standard output",
			writer == &sqlite_writer ? "database" : "directory");
	if (argc - first > 1 &&
	    (writer == &perfetto_writer || writer == &speedscope_writer))
		return cli_wrong_usage(&convert_cli,
				       "--to %s writes a single trace: give one input",
				       writer->name);
	for (int i = first; options->output.path && i < argc; i++)
		if (target_is(options->output.path, argv[i]))
			return cli_wrong_usage(
				&convert_cli,
				"the output would be written over the input %s", argv[i]);
	name = options->to ? NULL : output_name_find(options->output.path);
	return name && name->hint
		       ? cli_wrong_usage(&convert_cli,
					 "'%s' would be an SQLite database; %s",
					 options->output.path, name->hint)
		       : EXIT_DONE;
}

int parse_options(struct convert_options *options, const struct sink_ops **writer,
		  int argc, char **argv, int *operands)
{
	const struct output_name *name;
	int result;

	*options = (struct convert_options){
		.input = { .want_rows = true },
		.verify = VERIFY_SMALL,
		.sync = SYNC_REPLACING,
		.table = -1,
		.loader = -1,
	};
	result = cli_parse(&convert_cli, options, argc, argv, operands);
	if (result != EXIT_DONE)
		return result;
	if (options->input.code_page && !code_page_is_known(options->input.code_page))
		return cli_wrong_usage(&convert_cli,
				       "unsupported code page %lld: expected %s",
				       (long long)options->input.code_page,
				       code_page_numbers());
	name = output_name_find(options->output.path);
	*writer = options->to	     ? find_writer(options->to)
		  : name && name->to ? find_writer(name->to)
				     : &sqlite_writer;
	if (!*writer)
		return wrong_format(options->to);
	if (options->output.counter && *writer != &folded_writer &&
	    *writer != &speedscope_writer)
		return cli_wrong_usage(&convert_cli,
				       "--counter goes with --to folded or speedscope");
	result = check_list(options);
	if (result == EXIT_DONE)
		result = check_clickhouse(options, *writer);
	if (result == EXIT_DONE)
		result = check_folder(options, *writer);
	if (result == EXIT_DONE)
		result = check_database(options, *writer);
	if (result != EXIT_DONE)
		return result;
	if (*operands == argc && !options->create)
		return cli_wrong_usage(&convert_cli, "no input given");
	result = machines_check(&convert_cli, &options->machines, argv + *operands);
	if (result != EXIT_DONE)
		return result;
	if (options->is_list)
		return EXIT_DONE;
	result = check_output(options, *writer, argc, argv, *operands);
	return result == EXIT_DONE ? set_output(options, argv + *operands) : result;
}
