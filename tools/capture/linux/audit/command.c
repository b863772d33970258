/* command.c - options of perftab-capture audit; opens what a recording would open. */
#include "capture/linux/audit/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "capture/linux/audit/audit.h"
#include "capture/linux/recorder/recorder.h"
#include "common/cli.h"

struct audit_command {
	struct recorder_options recorder;
	struct option_texts events;
	const char *cpus_text;
};

#define AT(member) OPTION_AT(struct audit_command, member)

static const struct option_spec options[] = {
	{ OPTION_TEXTS, 'e', "event", "EVENTS",
	  "what to audit, as perf names it; several with commas\n(default: what perftab-capture perf counts)",
	  AT(events), 0 },
	{ OPTION_TEXT, 'C', "cpu", "CPUS",
	  "only these CPUs, such as 0-3,8 (default: all)", AT(cpus_text), 0 },
	{ OPTION_FLAG, 0, "multiplex", NULL,
	  "let groups take turns when the events do not fit the\nPMU at once",
	  AT(recorder.multiplex), 0 },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static const struct cli cli = {
	.name = "perftab-capture audit",
	.usage = (const char *const[]){ "[OPTIONS]", NULL },
	.summary =
		"Runs known work on each CPU and says which counters counted it: proven, plausible,\n"
		"or contradicted; and how many counters of the PMU others leave free.",
	.options = options,
	.examples =
		(const char *const[]){
			"what a recording would count here", "perftab-capture audit",
			"two events on one CPU",
			"perftab-capture audit -e task-clock,page-faults -C 0",
			"more events than the PMU can count at once",
			"perftab-capture audit --multiplex -e task-clock,page-faults",
			NULL },
	.exits = "0 no counter is contradicted, 1 failed, 2 wrong usage,\n3 a counter is "
		 "contradicted",
};

static void warn(void *context, const char *text)
{
	(void)context;
	cli_warn("perftab-capture", text);
}

static int report_error(const struct error *error)
{
	char words[512];

	text_shown(words, sizeof(words), str_of(error->text), 500);
	cli_warn("perftab-capture", words);
	return EXIT_FAILED;
}

static int run(struct recorder *recorder, struct error *error)
{
	struct audit audit;
	size_t contradicted = 0;
	bool has_memory = audit_run(&audit, &recorder->counters);

	if (has_memory) {
		contradicted = audit_print(stdout, &audit, &recorder->counters);
		printf("The audit lasted %.1f ms.\n", audit.seconds * 1e3);
	}
	audit_release(&audit);
	if (!has_memory) {
		(void)error_nomem(error);
		return report_error(error);
	}
	if (!cli_close_stdout("perftab-capture"))
		return EXIT_FAILED;
	return contradicted ? EXIT_DAMAGED : EXIT_DONE;
}

int audit_command(int argc, char **argv)
{
	struct audit_command command = { .cpus_text = NULL };
	struct recorder_options *recording = &command.recorder;
	struct error error = { .status = ST_OK };
	struct permissions permissions;
	struct recorder recorder;
	enum status status;
	int first, result = cli_parse(&cli, &command, argc, argv, &first);

	if (result != EXIT_DONE)
		return result < 0 ? EXIT_DONE : result;
	if (first < argc)
		return cli_wrong_usage(&cli, "audit has no operands, such as '%.100s'",
				       argv[first]);
	if (command.cpus_text &&
	    cpu_list_parse(&recording->cpus, command.cpus_text, &error) != ST_OK)
		return cli_wrong_usage(&cli, "%s", error.text);
	permissions_read(&permissions);
	recording->via = RECORDER_VIA_PERF;
	recording->warn = warn;
	/* Who may not count whole CPUs audits what counts this process. */
	if (!command.cpus_text && !permissions_cpu_wide(&permissions))
		recording->pid = getpid();
	recording->events = command.events.texts;
	recording->event_lists = command.events.count;
	status = recorder_open(&recorder, recording, &error);
	result = status == ST_OK ? run(&recorder, &error) : report_error(&error);
	if (recorder.wrong_usage)
		result = EXIT_USAGE;
	recorder_close(&recorder);
	cpu_list_release(&recording->cpus);
	return result;
}
