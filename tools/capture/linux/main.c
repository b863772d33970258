/* main.c - perftab-capture for Linux: options and main loop. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "capture/linux/audit/command.h"
#include "capture/linux/proc/source.h"
#include "capture/linux/recorder/recorder.h"
#include "capture/linux/repeat.h"
#include "capture/perflib/command.h"
#include "capture/perflib/replay.h"
#include "common/cli.h"

#define RING_BYTES_MAX ((uint64_t)1 << 30)
#define COMPRESSION_LEVEL 1

/* --- perftab-capture perf --- */

struct perf_command {
	struct recorder_options recorder;
	struct option_texts events;
	const char *cpus_text, *ring_text;
	const char *output, *against;
	int64_t duration_ns; /* 0: until the command ends or Ctrl-C */
	int64_t runs;	     /* 0: one, without --repeat */
	bool no_audit, compress, quiet;
};

#define AT(member) OPTION_AT(struct perf_command, member)

static const struct option_spec perf_options[] = {
	{ OPTION_TEXTS, 'e', "event", "EVENTS",
	  "what to count at every switch, as perf names it;\nseveral with commas (default: see EVENTS in the\nmanual; perftab-capture list events)",
	  AT(events), 0 },
	{ OPTION_FLAG, 'a', "all-cpus", NULL,
	  "all of the machine (default, if it is permitted)", AT(recorder.all_cpus), 0 },
	{ OPTION_INT, 'p', "pid", "PID",
	  "only this process, its threads and what they start", AT(recorder.pid), 1 },
	{ OPTION_INT, 't', "tid", "TID", "only this thread, and what it starts",
	  AT(recorder.tid), 1 },
	{ OPTION_TEXT, 'C', "cpu", "CPUS", "only these CPUs, such as 0-3,8",
	  AT(cpus_text), 0 },
	{ OPTION_TEXT, 0, "cgroup", "NAME",
	  "only while tasks of this control group run; NAME is a\npath below /sys/fs/cgroup, or where it is mounted",
	  AT(recorder.cgroup), 0 },
	{ OPTION_DURATION, 'd', "duration", "DURATION",
	  "end after so long, as 500ms or 10s; with a command too", AT(duration_ns), 0 },
	{ OPTION_TEXT, 'o', "output", "FILE",
	  "where to (default: perf.data); -: standard output, for\na pipe", AT(output),
	  0 },
	{ OPTION_TEXT, 'm', "mmap-size", "SIZE",
	  "ring of each CPU: 512K, 4M, or a number of pages\n(default: 4M, or what the limits allow)",
	  AT(ring_text), 0 },
	{ OPTION_WORD, 0, "via", "auto|bpf|perf",
	  "how switches are seen: bpf, by programs in the kernel,\nwhich miss none; perf, by samples; auto (default): bpf\nwhere it can be",
	  AT(recorder.via), RECORDER_VIA_AUTO },
	{ OPTION_MAYBE_WORD, 0, "interrupts", "exact|count",
	  "what interrupts cost: exact (default), all counters\nare read where one begins and ends; count, how many\nthere were in each interval",
	  AT(recorder.interrupts), INTERRUPTS_EXACT },
	{ OPTION_TEXT, 0, "filter", "FILTER",
	  "count tracepoints of -e only where their fields are so,\nas perf has it: 'prev_pid == 0'",
	  AT(recorder.filter), 0 },
	{ OPTION_FLAG, 0, "multiplex", NULL,
	  "let groups take turns when the events do not fit the\nPMU at once",
	  AT(recorder.multiplex), 0 },
	{ OPTION_FLAG, 0, "no-audit", NULL,
	  "do not test the counters before, nor read the\nkernel's own books",
	  AT(no_audit), 0 },
	{ OPTION_INT, 0, "repeat", "N",
	  "record the command N times, to files in the folder -o\n(default: perf.runs), for perftab-analyze --diff",
	  AT(runs), 1 },
	{ OPTION_TEXT, 0, "against", "COMMAND",
	  "with --repeat: in turns with this command", AT(against), 0 },
	{ OPTION_FLAG, 'z', "compress", NULL, "compress what is recorded (zstd)",
	  AT(compress), 0 },
	{ OPTION_FLAG, 'q', "quiet", NULL, "say nothing unless something is wrong",
	  AT(quiet), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli perf_cli = {
	.name = "perftab-capture perf",
	.usage = (const char *const[]){ "[OPTIONS] [--] [COMMAND ...]", NULL },
	.summary =
		"Records what every CPU's counters say at every context switch, for perftab-analyze,\n"
		"perftab-convert and perf.  Ends with the command, after -d, or at Ctrl-C.",
	.options = perf_options,
	.examples =
		(const char *const[]){
			"all of the machine while a command runs",
			"perftab-capture perf -- make -j2",
			"the bill of five seconds, without a file",
			"perftab-capture perf -a -d 5 -o - | perftab-analyze -",
			"cycles and instructions in user mode, of two CPUs",
			"perftab-capture perf -C 0,1 -e cycles:u,instructions:u -d 10",
			"did the change help?  ten runs of each, in turns",
			"perftab-capture perf --repeat 10 --against './new' -o runs -- ./old",
			NULL },
	.exits = "that of the command (128 + N if signal N ended it), 126 or\n"
		 "127 if it could not be run; 0 done, 1 failed, 2 wrong usage",
	.before_command = true,
};

static void warn(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "perftab-capture: %s\n", text);
}

static int failed(const struct error *error)
{
	char words[512];

	text_shown(words, sizeof(words), str_of(error->text), 500);
	fprintf(stderr, "perftab-capture: %s\n", words);
	return EXIT_FAILED;
}

/* A number of pages, or of bytes with K, M or G; a power of two of pages.  0: neither. */
static size_t parse_ring_bytes(const char *text)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = page, wanted,
		 unit = page;
	char *end;

	errno = 0;
	wanted = strtoull(text, &end, 10);
	if (errno || end == text || text[0] == '-' || wanted == 0)
		return 0;
	if (*end == 'K' || *end == 'k')
		unit = 1024;
	else if (*end == 'M' || *end == 'm')
		unit = 1 << 20;
	else if (*end == 'G' || *end == 'g')
		unit = 1 << 30;
	if (end[*end && unit != page ? 1 : 0] || wanted > RING_BYTES_MAX / unit)
		return 0;
	while (bytes < wanted * unit)
		bytes *= 2;
	return (size_t)bytes;
}

/* --- talk --- */

static void report_beginning(const struct perf_command *command, const struct recorder *r)
{
	if (command->quiet || r->workload.pid || !os_is_terminal(STDERR_FILENO))
		return;
	fprintf(stderr, "perftab-capture: recording to %s; Ctrl-C ends it\n",
		command->output);
}

static void report_end(const struct perf_command *command, const struct recorder *r,
		       const struct perf_writer *writer)
{
	char switches[32], lost[32], read_cost[64] = "";

	recorder_report_losses(r);
	if (command->quiet)
		return;
	text_grouped(switches, sizeof(switches), (int64_t)r->stats.samples);
	text_grouped(lost, sizeof(lost), (int64_t)r->stats.lost);
	if (r->stats.read_ns)
		snprintf(read_cost, sizeof(read_cost), ", and each read %.2f us",
			 (double)r->stats.read_ns * 1e-3);
	fprintf(stderr,
		"perftab-capture: %s: %s switches%s in %.2f s on %zu CPU%s, %.2f MB, %s lost; "
		"the recorder took %.3f s of CPU (%.2f %% of one)%s\n",
		strcmp(command->output, "-") == 0 ? "standard output" : command->output,
		switches,
		r->stats.written < r->stats.samples ? " recorded, not all written," : "",
		r->seconds, r->cpus.count, r->cpus.count == 1 ? "" : "s",
		(double)writer->written / 1e6, lost, r->cpu_seconds,
		r->seconds > 0 ? 100 * r->cpu_seconds / r->seconds : 0, read_cost);
}

/* What ended the recording; after a failed write, what of it can be read. */
static void report_failure(const struct error *error, const struct recorder *r,
			   const struct perf_writer *writer)
{
	char written[32], switches[32], words[512];

	if (error->status != ST_IO || writer->is_pipe || writer->is_broken ||
	    r->began <= 0) {
		(void)failed(error);
		return;
	}
	text_shown(words, sizeof(words), str_of(error->text), 500);
	text_grouped(written, sizeof(written), (int64_t)r->stats.written);
	text_grouped(switches, sizeof(switches), (int64_t)r->stats.samples);
	fprintf(stderr,
		"perftab-capture: %s; the file can be read, and has %s of %s switches "
		"recorded, in %.2f MB\n",
		words, written, switches, (double)writer->written / 1e6);
}

/* --- the recording --- */

static enum status record(const struct perf_command *command, struct recorder *r,
			  struct perf_writer *writer)
{
	enum status status = recorder_begin(r, writer);
	double end = os_seconds() + (double)command->duration_ns / 1e9;

	if (status == ST_OK)
		report_beginning(command, r);
	while (status == ST_OK) {
		double left = command->duration_ns ? end - os_seconds() : 1;

		if (left <= 0)
			break;
		status = recorder_step(r, writer,
				       left * 1000 < RECORDER_STEP_MS
					       ? (int)(left * 1000) + 1
					       : RECORDER_STEP_MS);
	}
	return status < ST_OK ? status : recorder_end(r, writer);
}

static int run(const struct perf_command *command)
{
	struct error error = { .status = ST_OK };
	struct recorder recorder;
	struct perf_writer writer = { .fd = -1 };
	enum status status = recorder_open(&recorder, &command->recorder, &error);
	int result = EXIT_DONE;

	if (status == ST_OK)
		status = perf_writer_open(&writer, command->output,
					  command->compress ? COMPRESSION_LEVEL : 0,
					  &error);
	if (status == ST_OK) {
		status = record(command, &recorder, &writer);
		recorder_stop_clock(&recorder);
		if (!writer.pipe_closed && recorder.began > 0 &&
		    (status == ST_OK || error.status == ST_IO))
			report_end(command, &recorder, &writer);
	}
	if (status != ST_OK) {
		result = recorder.wrong_usage ? EXIT_USAGE : EXIT_FAILED;
		if (!writer.pipe_closed)
			report_failure(&error, &recorder, &writer);
	}
	perf_writer_close(&writer);
	result = recorder_end_command(&recorder, result);
	recorder_close(&recorder);
	return result;
}

/* --- several runs --- */

static int run_to(const void *context, const struct recorder_options *options,
		  const char *path)
{
	struct perf_command command = *(const struct perf_command *)context;

	command.recorder = *options;
	command.output = path;
	command.quiet = true; /* as there are many */
	return run(&command);
}

static int run_repeat(const struct perf_command *command)
{
	const struct repeat repeat = { .runs = command->runs,
				       .against = command->against,
				       .directory = command->output ? command->output
								    : "perf.runs",
				       .quiet = command->quiet,
				       .run = run_to,
				       .context = command };

	return repeat_record(&repeat, &command->recorder);
}

static int check_repeat(const struct perf_command *command)
{
	const char *against = command->against;

	if (!command->runs)
		return cli_wrong_usage(&perf_cli, "--against goes with --repeat");
	if (command->runs > REPEAT_RUNS_MAX)
		return cli_wrong_usage(&perf_cli, "--repeat needs at most %d",
				       REPEAT_RUNS_MAX);
	if (!command->recorder.command)
		return cli_wrong_usage(&perf_cli, "--repeat needs a command");
	if (against && !against[strspn(against, " \t")])
		return cli_wrong_usage(&perf_cli, "--against needs a command");
	if (command->output && strcmp(command->output, "-") == 0)
		return cli_wrong_usage(&perf_cli,
				       "--repeat writes files: -o needs a folder");
	return EXIT_DONE;
}

/* --- the command line --- */

/* Of -a, -C, -p, -t and --cgroup there is one; some ways see only whole CPUs. */
static int check_target(const struct recorder_options *options, bool has_cpus)
{
	const char *tasks = options->pid ? "-p" : options->tid ? "-t" : NULL;

	if (options->all_cpus + has_cpus + (options->pid != 0) + (options->tid != 0) +
		    (options->cgroup != NULL) >
	    1)
		return cli_wrong_usage(&perf_cli,
				       "-a, -C, -p, -t and --cgroup exclude one another");
	if (options->interrupts && (tasks || options->cgroup))
		return cli_wrong_usage(&perf_cli,
				       "--interrupts and %s exclude one another: "
				       "interrupts are of whole CPUs",
				       tasks ? tasks : "--cgroup");
	if (options->via == RECORDER_VIA_BPF && tasks)
		return cli_wrong_usage(&perf_cli,
				       "--via bpf and %s exclude one another: programs "
				       "read whole CPUs",
				       tasks);
	return EXIT_DONE;
}

static int parse_perf(struct perf_command *command, int argc, char **argv, char **words)
{
	struct recorder_options *options = &command->recorder;
	struct error error = { .status = ST_OK };
	int first, result = cli_parse(&perf_cli, command, argc, argv, &first);

	if (result == EXIT_DONE)
		result = check_target(options, command->cpus_text != NULL);
	if (result != EXIT_DONE)
		return result;
	if (command->ring_text) {
		options->ring_bytes = parse_ring_bytes(command->ring_text);
		if (!options->ring_bytes)
			return cli_wrong_usage(&perf_cli,
					       "-m needs a size such as 512K or 4M, at "
					       "most 1G, or a number of pages, not '%s'",
					       command->ring_text);
	}
	options->warn = warn;
	options->audit = !command->no_audit;
	options->command = first < argc ? argv + first : NULL;
	options->words = words;
	options->events = command->events.texts;
	options->event_lists = command->events.count;
	if (command->runs || command->against)
		result = check_repeat(command);
	if (result == EXIT_DONE && command->cpus_text &&
	    cpu_list_parse(&options->cpus, command->cpus_text, &error) != ST_OK)
		return cli_wrong_usage(&perf_cli, "%s", error.text);
	return result;
}

static int capture_perf(int argc, char **argv, char **words)
{
	struct perf_command command = { .runs = 0 };
	int result = parse_perf(&command, argc, argv, words);

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	os_catch_interrupts();
	if (command.runs) {
		result = run_repeat(&command);
	} else {
		command.output = command.output ? command.output : "perf.data";
		command.recorder.to_stdout = strcmp(command.output, "-") == 0;
		result = run(&command);
	}
	cpu_list_release(&command.recorder.cpus);
	return result;
}

/* --- perftab-capture perflib --- */

static enum status open_proc(const void *context, struct source *source,
			     const struct option_texts *trees, struct error *error)
{
	(void)context;
	return proc_source_open(source, trees->texts, trees->count, error);
}

static const struct perflib_system perflib_system = {
	.open = open_proc,
	.replay = replay_open,
	.defaults = (const char *const[]){ "*" },
	.default_count = 1,
	.counterset_help =
		"what to capture: NAME[(INSTANCES)][\\COUNTERS]; may be\ngiven several times (default: '*', all of them)",
	.examples =
		(const char *const[]){
			"everything, once a second, until Ctrl-C",
			"perftab-capture perflib",
			"processors and disks, every five seconds for an hour",
			"perftab-capture perflib -c 'Linux Processor' -c 'Linux Disk' -i 5 -n 721",
			"threads of processes whose names begin with perf",
			"perftab-capture perflib -c 'Linux Process(perf*)\\Threads'",
			"without a file",
			"perftab-capture perflib -n 2 -o - | perftab-convert - -o counters.db",
			NULL },
};

/* --- perftab-capture list --- */

struct list_command {
	bool json;
	struct perflib_input input;
};

static const struct option_spec list_options[] = {
	{ OPTION_FLAG, 0, "json", NULL, "print one JSON document",
	  OPTION_AT(struct list_command, json), 0 },
	{ OPTION_TEXTS, 0, "proc", "DIR",
	  "countersets: of a copy of /proc, not of this machine",
	  OPTION_AT(struct list_command, input.trees), 0 },
	{ OPTION_TEXT, 0, "replay", "BUNDLE", "countersets: of a bundle",
	  OPTION_AT(struct list_command, input.bundle), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli list_cli = {
	.name = "perftab-capture list",
	.usage = (const char *const[]){ "[OPTIONS] events|countersets [NAME]", NULL },
	.summary = "Shows what this machine can count.",
	.options = list_options,
	.examples = (const char *const[]){ "all events, by kind",
					   "perftab-capture list events",
					   "tracepoints of the scheduler",
					   "perftab-capture list events 'sched:*'",
					   "the counters of processes and processors",
					   "perftab-capture list countersets '*process*'",
					   "for programs",
					   "perftab-capture list --json events", NULL },
	.exits = "0 done, 1 failed, 2 wrong usage",
};

static enum status list_events(const struct list_command *list, const char *name,
			       struct error *error)
{
	struct permissions permissions;
	struct event_sources sources = {
		.sysfs = "/sys/bus/event_source/devices",
		.counts = counter_is_counted,
		.context = &permissions,
		.model_names = true,
	};

	permissions_read(&permissions);
	sources.tracefs = permissions_tracefs();
	return event_list_print(stdout, &sources, name, list->json, error);
}

static enum status list_countersets(const struct list_command *list, const char *name,
				    struct error *error)
{
	struct source source;
	enum status status =
		perflib_input_open(&list->input, &perflib_system, &source, error);

	if (status == ST_OK)
		status = perflib_list(stdout, &source, name, list->json, error);
	if (source.ops)
		source.ops->release(source.state);
	return status;
}

static int capture_list(int argc, char **argv)
{
	struct error error = { .status = ST_OK };
	struct list_command list = { .json = false };
	int first, result = cli_parse(&list_cli, &list, argc, argv, &first);
	bool is_countersets;
	enum status status;

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	if (first == argc)
		return cli_wrong_usage(&list_cli,
				       "expected what to list: events or countersets");
	if (strcmp(argv[first], "profile-sources") == 0)
		return cli_wrong_usage(
			&list_cli, "profile-sources is for Windows: on Linux, events");
	is_countersets = strcmp(argv[first], "countersets") == 0;
	if (!is_countersets && strcmp(argv[first], "events") != 0)
		return cli_wrong_word(&list_cli, "cannot list", argv[first],
				      "events|countersets");
	if (argc - first > 2)
		return cli_wrong_usage(&list_cli, "one name at a time");
	if (!is_countersets && (list.input.bundle || list.input.trees.count))
		return cli_wrong_usage(&list_cli,
				       "--proc and --replay are for countersets");
	status = is_countersets ? list_countersets(&list, argv[first + 1], &error)
				: list_events(&list, argv[first + 1], &error);
	if (status != ST_OK)
		return failed(&error);
	return cli_close_stdout("perftab-capture") ? EXIT_DONE : EXIT_FAILED;
}

/* --- all of it --- */

static const char general_help[] =
	"usage: perftab-capture perf [OPTIONS] [--] [COMMAND ...]\n"
	"       perftab-capture perflib [OPTIONS]\n"
	"       perftab-capture audit [OPTIONS]\n"
	"       perftab-capture list [OPTIONS] events|countersets [NAME]\n\n"
	"Records counters for perftab-analyze and perftab-convert.\n\n"
	"  perf      counters of every context switch, from the kernel's perf events\n"
	"  perflib   snapshots of counters from /proc, in the form of Windows' PerfLib\n"
	"  audit     which counters count known work rightly\n"
	"  list      what this machine can count\n\n"
	"Each of them says more with --help.\n";

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	os_fill_standard();
	if (strcmp(what, "perf") == 0)
		return capture_perf(argc - 1, argv + 1, argv);
	if (strcmp(what, "perflib") == 0)
		return perflib_capture(argc - 1, argv + 1, argv, &perflib_system);
	if (strcmp(what, "audit") == 0)
		return audit_command(argc - 1, argv + 1);
	if (strcmp(what, "list") == 0)
		return capture_list(argc - 1, argv + 1);
	if (strcmp(what, "etw") == 0) {
		cli_warn("perftab-capture", "etw is for Windows: on Linux, perf "
					    "(try 'perftab-capture --help')");
		return EXIT_USAGE;
	}
	return cli_no_command("perftab-capture", general_help,
			      "perf=record=stat|perflib|audit|list", what);
}
