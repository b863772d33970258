/* system.c - reads cpufreq, the NMI watchdog and the open files of processes. */
#include "capture/linux/audit/system.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/text.h"
#include "capture/linux/counters/clock.h"

#define USERS_SHOWN 8
#define PERF_EVENT_LINK "anon_inode:[perf_event]"

static bool read_number(const char *path, uint64_t *number)
{
	FILE *file = fopen(path, "re");
	unsigned long long value = 0;
	bool is_read = file && fscanf(file, "%llu", &value) == 1;

	if (file)
		fclose(file);
	*number = value;
	return is_read;
}

static bool read_word(const char *path, char *word, size_t size)
{
	FILE *file = fopen(path, "re");
	bool is_read = file && fgets(word, (int)size, file);

	if (file)
		fclose(file);
	if (is_read)
		word[strcspn(word, "\n")] = '\0';
	return is_read;
}

/*
 * With acpi-cpufreq and its boost on, cpuinfo_max_freq may be the frequency without
 * boost.
 */
uint64_t system_max_khz(const char *sysfs, int cpu)
{
	char path[512], driver[64];
	uint64_t khz, boost = 0;

	snprintf(path, sizeof(path), "%s/cpu%d/cpufreq/scaling_driver", sysfs, cpu);
	if (!read_word(path, driver, sizeof(driver)))
		return 0;
	snprintf(path, sizeof(path), "%s/cpufreq/boost", sysfs);
	if (strcmp(driver, "acpi-cpufreq") == 0 && read_number(path, &boost) && boost)
		return 0;
	snprintf(path, sizeof(path), "%s/cpu%d/cpufreq/cpuinfo_max_freq", sysfs, cpu);
	return read_number(path, &khz) && khz < UINT32_MAX ? khz : 0;
}

/* --- other users of counters --- */

/* How many perf events the process has open. */
static size_t count_events(const char *proc, const char *pid)
{
	char path[512], link[64];
	const struct dirent *entry;
	size_t count = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%s/fd", proc, pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		ssize_t length =
			readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);

		count += length == sizeof(PERF_EVENT_LINK) - 1 &&
			 memcmp(link, PERF_EVENT_LINK, (size_t)length) == 0;
	}
	if (folder)
		closedir(folder);
	return count;
}

static size_t add_user(char *words, size_t size, const char *proc, const char *pid,
		       size_t events)
{
	char path[512], name[64] = "", shown[80];
	size_t used = strlen(words);

	snprintf(path, sizeof(path), "%s/%s/comm", proc, pid);
	(void)read_word(path, name, sizeof(name));
	text_shown(shown, sizeof(shown), str_of(name), 16);
	return text_print(words + used, size - used, "%s%s (pid %.10s, %zu perf events)",
			  used ? ", " : "", shown, pid, events);
}

size_t system_counter_users(const char *proc, pid_t self, uint64_t budget_ns, char *words,
			    size_t size)
{
	uint64_t end = now_ns(CLOCK_MONOTONIC) + budget_ns, watchdog = 0;
	const struct dirent *entry;
	char path[512];
	size_t users = 0;
	DIR *folder;

	words[0] = '\0';
	snprintf(path, sizeof(path), "%s/sys/kernel/nmi_watchdog", proc);
	if (read_number(path, &watchdog) && watchdog) {
		text_print(words, size, "the NMI watchdog (kernel.nmi_watchdog is 1)");
		users++;
	}
	folder = opendir(proc);
	while (folder && now_ns(CLOCK_MONOTONIC) < end && (entry = readdir(folder))) {
		size_t events;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    strtol(entry->d_name, NULL, 10) == self)
			continue;
		events = count_events(proc, entry->d_name);
		if (events && users++ < USERS_SHOWN)
			add_user(words, size, proc, entry->d_name, events);
	}
	if (folder)
		closedir(folder);
	return users;
}
