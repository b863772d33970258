/* What the writers get to know of processes and threads: names, users, versions. */
#include <string.h>

#include "etw/machine.h"

enum {
	STILL_RUNNING = 259,
	FLAG_PACKAGED = 9,
	AUTHORITIES_MAX = 15,
	COMMANDS = 5,
};

static const char *const images[] = {
	"explorer.exe", "rustc.exe",	     "ConditionalCount.exe", "svchost.exe",
	"conhost.exe",	"RuntimeBroker.exe", "tracelog.exe",	     "csrss.exe",
};

static const char *const demo_images[] = { "sum-sorted.exe", "sum-unsorted.exe" };

/* Code page 1252; the last field of parentheses in a text line is the process id. */
static const char *const odd_images[] = {
	"foo, bar (x86).exe", "a b.exe", "say \"hi\".exe",   "(8).exe",	  "b\374cher.exe",
	"\x80uro \x96 5.exe", "x",	 "comma,comma,.exe", "plain.exe",
};

static const char *const thread_names[] = {
	"", "worker", "", "GC finalizer", "UI thread", "", "pool 7",
};

/* UTF-8: letters of the code page, of none, and beyond the 16 bits. */
static const char *const odd_thread_names[] = {
	"",
	"\303\274bersetzer",
	"queue 1, high",
	"\xe6\x97\xa5\xe6\x9c\xac",
	"\xf0\x9f\x90\x9d bee",
	"\xe2\x82\xac rate",
};

static const char *group_command(const struct machine *machine, const struct group *group)
{
	static const char *const commands[COMMANDS] = {
		"\"C:\\Program Files\\tool\\tool.exe\" --emit=dep-info,metadata,link",
		"tool.exe",
		"\"C:\\a, b\\say \"hi\".exe\" \"one, two\", three -x",
		"C:\\Windows\\system32\\svchost.exe -k netsvcs -p -s Sch\xc3\xa4"
		"fer",
		NULL,
	};
	static char longest[800];

	if (!(machine->plan->tasks & TASKS_ODD_NAMES))
		return commands[group->command % 2];
	if (commands[group->command % COMMANDS])
		return commands[group->command % COMMANDS];
	for (size_t i = 0; i + 1 < sizeof(longest); i++)
		longest[i] = "\"long, \" x"[i % 10];
	return longest;
}

struct etw_process_facts facts_of_group(const struct machine *machine,
					const struct group *group)
{
	bool packaged = group->version >= 4 && group->command % 3 == 1;

	return (struct etw_process_facts){
		.pid = group->pid,
		.parent_pid = group->parent_pid,
		.session = group->parent_pid ? 1 : 0,
		.exit_status = group->ended ? 1 : STILL_RUNNING,
		.flags = packaged ? FLAG_PACKAGED : 0,
		.version = group->version,
		.authorities = group->authorities,
		.image = machine->ledger->processes[group->process].image,
		.command = group_command(machine, group),
		.package = packaged ? "Example.App_1.0_x64__8wekyb3d8bbwe" : "",
		.app = packaged ? "Example.App_8wekyb3d8bbwe!App" : "",
	};
}

struct etw_thread_facts facts_of_task(const struct machine *machine,
				      const struct task *task)
{
	const struct group *group = &machine->groups[task->group];

	return (struct etw_thread_facts){
		.pid = group->pid,
		.tid = task->tid,
		.version = task->version,
		.name_field = task->name_field,
		.priority = 9,
		.name = machine->ledger->accounts[task->account].name,
		.image = machine->ledger->processes[group->process].image,
	};
}

unsigned facts_process_version(const struct machine *machine)
{
	return machine->plan->tasks & TASKS_VERSIONS ? 1 + machine->births % 4 : 4;
}

int facts_user(const struct machine *machine)
{
	static const int sizes[] = { 5, -1, AUTHORITIES_MAX, 1, 2 };

	if (!(machine->plan->tasks & TASKS_SIDS))
		return 5;
	return sizes[machine->births % COUNT(sizes)];
}

/*
 * "CPU Performance Counters on Windows" (randomascii.wordpress.com, 2016): of the
 * branches 0.06 % are mispredicted where the numbers are sorted, else 18 %.
 */
unsigned facts_mispredicted(const struct machine *machine, const struct task *task)
{
	const struct group *group = &machine->groups[task->group];
	const char *image = machine->ledger->processes[group->process].image;

	if (task->tid == 0 || strncmp(image, "sum-", 4) != 0)
		return 500;
	return strcmp(image, demo_images[0]) == 0 ? 6 : 1800;
}

const char *facts_image(const struct machine *machine)
{
	if (machine->plan->tasks & TASKS_ODD_NAMES)
		return odd_images[machine->births % COUNT(odd_images)];
	if (machine->plan->tasks & TASKS_DEMO)
		return demo_images[machine->ledger->process_count % COUNT(demo_images)];
	return images[machine->births % COUNT(images)];
}

/* Names with commas are for threads of processes without: one of them can be parsed. */
const char *facts_thread_name(const struct machine *machine, const struct group *group)
{
	const char *image = machine->ledger->processes[group->process].image;
	const char *name;

	if (!(machine->plan->tasks & TASKS_THREAD_NAMES))
		return "";
	if (!(machine->plan->tasks & TASKS_ODD_NAMES))
		return thread_names[machine->births % COUNT(thread_names)];
	name = odd_thread_names[machine->births % COUNT(odd_thread_names)];
	return strchr(image, ',') ? "" : name;
}

void facts_choose_version(struct machine *machine, struct task *task)
{
	bool named = machine->plan->tasks & TASKS_THREAD_NAMES;

	task->version = 3;
	task->name_field = named;
	if (!(machine->plan->tasks & TASKS_VERSIONS))
		return;
	task->version = 1 + machine->births % 4;
	task->name_field = rng_chance(&machine->rng, 2);
}
