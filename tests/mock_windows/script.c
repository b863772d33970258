/*
 * script.c - the script of the mock: commands, separated by semicolons.
 *
 *   missing FUNCTION         this Windows lacks the function
 *   fail FUNCTION N NUMBER   its N-th call fails (0: every call); "any": the N-th of all
 *                            calls; the number can be a fault of sizes: short, growing,
 *                            huge, shrinks, lies (perflib.c)
 *   bundle FILE              PerfLib answers from this bundle
 *   processors               its first counterset has the GUID of Processor Information
 *   refuse N NUMBER          PerfAddCounters sets the status of the N-th identifier
 *   sources full|few|timer|none     the profile sources
 *   list short|growing|lying|cut|loop|jump|long|endless    a fault of their list
 *   build N, cpus N, memory MIB, hypervisor guest|hyperv, limit COUNTERS
 *   running SESSION          a session of this name is running
 *   held                     other sessions hold counters, and Windows reports them
 *   command CODE MS          the command ends with CODE after MS, or "never"
 *   bill CODE                perftab-analyze ends with CODE
 *   interrupt MS, gone MS    Ctrl-C; another program stops the session
 *   lost EVENTS BUFFERS, space BYTES
 *   trace FILE               a session writes these bytes; files are real then, in the
 *                            current folder, with their whole path as the name
 *   self ID                  the number of this process
 *   quiet                    no log
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/windows/api/numbers.h"
#include "mock.h"

struct mock mock;

uint32_t mock_enter(const char *function)
{
	struct mock *m = &mock;
	static char names[64][40];
	static unsigned counts[64];
	size_t i = 0;

	m->calls++;
	while (names[i][0] && strcmp(names[i], function) != 0)
		i++;
	snprintf(names[i], sizeof(names[i]), "%s", function);
	counts[i]++;
	for (size_t k = 0; k < m->rule_count; k++) {
		bool any = strcmp(m->rules[k].function, "any") == 0;
		unsigned now = any ? m->calls : counts[i];

		if ((any || strcmp(m->rules[k].function, function) == 0) &&
		    (m->rules[k].nth == 0 || m->rules[k].nth == now))
			return m->rules[k].number;
	}
	return WIN_OK;
}

bool mock_is_missing(const char *function)
{
	for (size_t i = 0; i < mock.missing_count; i++)
		if (strcmp(mock.missing[i], function) == 0)
			return true;
	return false;
}

/* --- its commands --- */

static void unknown_command(const char *command)
{
	fprintf(stderr, "mock_windows: no such command: '%s'\n", command);
	exit(99);
}

static uint32_t number_of(const char *text)
{
	uint32_t size = mock_size_fault(text);

	if (size)
		return size;
	return strcmp(text, "never") == 0 ? UINT32_MAX : (uint32_t)strtoul(text, NULL, 0);
}

static void add_rule(char *const *words)
{
	struct mock *m = &mock;

	snprintf(m->rules[m->rule_count].function, sizeof(m->rules[0].function), "%s",
		 words[1]);
	m->rules[m->rule_count].nth = number_of(words[2]);
	m->rules[m->rule_count++].number = number_of(words[3]);
}

static void add_running(const char *name)
{
	struct mock_session *session = mock.sessions;

	while (session->handle)
		session++;
	snprintf(session->name, sizeof(session->name), "%s", name);
	session->handle = 0x21 + (uint64_t)(session - mock.sessions);
}

static bool set_numbers(const char *command, char *const *words)
{
	struct mock *m = &mock;
	const struct {
		const char *command;
		uint32_t *first, *second;
	} all[] = {
		{ "build", &m->machine.build, NULL },
		{ "cpus", &m->machine.cpus, NULL },
		{ "limit", &m->limit, NULL },
		{ "command", &m->command_code, &m->command_ms },
		{ "bill", &m->bill_code, NULL },
		{ "interrupt", &m->interrupt_ms, NULL },
		{ "gone", &m->gone_ms, NULL },
		{ "lost", &m->events_lost, &m->buffers_lost },
		{ "refuse", &m->refused_identifier, &m->refused_code },
		{ "self", &m->own_id, NULL },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(command, all[i].command) != 0)
			continue;
		*all[i].first = number_of(words[1]);
		if (all[i].second)
			*all[i].second = number_of(words[2]);
		return true;
	}
	return false;
}

static void run_command(const char *command, char *const *words, const char *rest)
{
	struct mock *m = &mock;

	if (strcmp(words[0], "missing") == 0)
		snprintf(m->missing[m->missing_count++], sizeof(m->missing[0]), "%s",
			 words[1]);
	else if (strcmp(words[0], "fail") == 0)
		add_rule(words);
	else if (strcmp(words[0], "sources") == 0)
		snprintf(m->sources, sizeof(m->sources), "%s", words[1]);
	else if (strcmp(words[0], "list") == 0)
		snprintf(m->list, sizeof(m->list), "%s", words[1]);
	else if (strcmp(words[0], "bundle") == 0)
		snprintf(m->bundle, sizeof(m->bundle), "%s", words[1]);
	else if (strcmp(words[0], "trace") == 0)
		snprintf(m->trace, sizeof(m->trace), "%s", words[1]);
	else if (strcmp(words[0], "memory") == 0)
		m->machine.memory_mib = number_of(words[1]);
	else if (strcmp(words[0], "space") == 0)
		m->free_bytes = number_of(words[1]);
	else if (strcmp(words[0], "hypervisor") == 0)
		m->machine.hypervisor = strcmp(words[1], "guest") == 0
						? HYPERVISOR_GUEST
						: HYPERVISOR_HYPERV;
	else if (strcmp(words[0], "running") == 0)
		add_running(rest + strlen("running "));
	else if (strcmp(words[0], "held") == 0)
		m->held = true;
	else if (strcmp(words[0], "processors") == 0)
		m->processors = true;
	else if (strcmp(words[0], "quiet") == 0)
		m->quiet = true;
	else if (!set_numbers(words[0], words))
		unknown_command(command);
}

void mock_script(const char *script)
{
	static char copy[1024], line[1024];
	char *command, *next = copy;

	mock = (struct mock){
		.sources = "full",
		.list = "",
		.machine = { .major = 10,
			     .build = 22631,
			     .cpus = 8,
			     .memory_mib = 16384,
			     .host = "MOCK",
			     .processor = "A processor" },
		.limit = 8,
		.interrupt_ms = UINT32_MAX,
		.gone_ms = UINT32_MAX,
		.free_bytes = (uint64_t)100 << 30,
	};
	snprintf(copy, sizeof(copy), "%s", script);
	while ((command = strsep(&next, ";"))) {
		static char none[1];
		char *words[4] = { none, none, none, none }, *at = line;
		size_t count = 0;

		command += strspn(command, " ");
		snprintf(line, sizeof(line), "%s", command);
		while (count < 4 && at)
			words[count++] = strsep(&at, " ");
		if (command[0])
			run_command(command, words, command);
	}
}
