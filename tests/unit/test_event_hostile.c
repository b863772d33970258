/*
 * test_event_hostile.c - tools/capture/linux/events/event.h: a sysfs and a tracefs that
 * are hostile.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event_words.h"
#include "unit.h"

UNIT_GROUP(event_machine_intel, NULL);

/* What the names come to, with the folder's name replaced by "TREE". */
static const char *outcome(const char *names)
{
	static char text[65536];
	const char *folder = unit_path("");
	size_t length = strlen(folder) - 1;
	char *at;

	snprintf(text, sizeof(text), "%s", event_outcome(&event_machine, names, NULL));
	at = strstr(text, folder);
	if (at) {
		memmove(at + 4, at + length, strlen(at + length) + 1);
		memcpy(at, "TREE", 4);
	}
	return text;
}

UNIT_TEST(large_and_binary_files)
{
	static char bytes[EVENT_FILE_MAX + 1];

	memset(bytes, ' ', sizeof(bytes));
	memcpy(bytes, "config:0-7", 10);
	assert_true(event_tree_write(unit_path(""), "sysfs/msr/format/large", bytes,
				     EVENT_FILE_MAX));
	assert_string_equal(outcome("msr/large=1/"), "msr/large=1/ 9/0x1 pmu=msr");
	assert_true(event_tree_write(unit_path(""), "sysfs/msr/format/large", bytes,
				     EVENT_FILE_MAX + 1));
	assert_string_equal(outcome("msr/large=1/"),
			    "'TREE/sysfs/msr/format/large' has more than 4096 bytes");
	bytes[10] = '\0';
	assert_true(
		event_tree_write(unit_path(""), "sysfs/msr/format/binary", bytes, 20));
	assert_string_equal(outcome("msr/binary=1/"),
			    "'TREE/sysfs/msr/format/binary' is not text");
}

/* Folders, FIFOs and links that lead nowhere in the place of files. */
UNIT_TEST(other_than_files)
{
	event_machine_file("sysfs/msr/format/folder/file", "config:0");
	assert_string_equal(outcome("msr/folder=1/"),
			    "'TREE/sysfs/msr/format/folder' is not a file");
	assert_int_equal(mkfifo(unit_path("sysfs/msr/format/fifo"), 0600), 0);
	assert_string_equal(outcome("msr/fifo=1/"),
			    "'TREE/sysfs/msr/format/fifo' is not a file");
	assert_int_equal(symlink("loop", unit_path("sysfs/msr/format/loop")), 0);
	assert_string_equal(outcome("msr/loop=1/"),
			    "PMU 'msr' has no event or term 'loop'; did you mean "
			    "'loop'?");
	assert_int_equal(symlink("/dev/zero", unit_path("sysfs/msr/format/zero")), 0);
	assert_string_equal(outcome("msr/zero=1/"),
			    "'TREE/sysfs/msr/format/zero' is not a file");
}

/* A folder that is not a PMU is skipped; its name reaches no path. */
UNIT_TEST(odd_pmus)
{
	assert_int_equal(symlink("self", unit_path("sysfs/self")), 0);
	assert_int_equal(symlink(".", unit_path("sysfs/again")), 0);
	event_machine_file("sysfs/a_file", "4\n");
	event_machine_file("sysfs/no_number/type", "four\n");
	event_machine_file("sysfs/too_large/type", "4294967296\n");
	event_machine_file("sysfs/.hidden/type", "4\n");
	event_machine_file("sysfs/folder/type/file", "4\n");
	event_machine_file("sysfs/odd\x1b[2J/type", "3\n");
	event_machine_file("sysfs/odd\x1b[2J/events/e", "x=1\n");
	assert_string_equal(outcome("again/x/"),
			    "no PMU 'again' here; there are software, tracepoint, "
			    "odd\\x1b[2J, cpu, breakpoint, msr, power, uncore_imc_0, "
			    "uncore_imc_1, uncore_imc_10, ...");
	HAS(outcome(".hidden/x/"), "no PMU '.hidden' here; there are ");
	assert_string_equal(outcome("cycles"), "cycles 0/0");
}

UNIT_TEST(odd_tracepoints)
{
	assert_int_equal(symlink(".", unit_path("tracefs/events/sched/again")), 0);
	assert_int_equal(symlink("..", unit_path("tracefs/events/sched/up")), 0);
	assert_string_equal(outcome("sched:again"),
			    "no tracepoint 'again' in system 'sched'; did you mean "
			    "'again'?");
	event_machine_file("tracefs/events/odd/a/id", "-5\n");
	assert_string_equal(outcome("odd:a"),
			    "the id of tracepoint 'odd:a' is '-5', not a number");
	event_machine_file("tracefs/events/odd/b/id", "4294967296\n");
	assert_string_equal(outcome("odd:b"), "the id of tracepoint 'odd:b' is "
					      "'4294967296', not a number");
	event_machine_file("tracefs/events/odd/c/id/id", "4\n");
	assert_string_equal(outcome("odd:c"),
			    "'TREE/tracefs/events/odd/c/id' is not a file");
}
