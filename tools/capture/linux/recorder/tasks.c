/* tasks.c - writes COMM and FORK records of existing tasks from /proc. */
#include "capture/linux/recorder/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/linux/counters/clock.h"
#include "formats/perf/write_parts.h"

#define STAT_BYTES 1024
#define COMMAND_BYTES 4096
#define COMM_BYTES 64
#define STARTTIME_FIELD 22 /* of /proc/PID/stat, counted from 1 */

struct task {
	pid_t pid, tid, parent;
	char comm[COMM_BYTES];
	uint64_t start_ticks; /* since boot */
};

/* --- /proc/PID/task/TID/stat --- */

/* "tid (comm) state ppid ...": the name may hold anything, so its end is the last ')'. */
static bool parse_stat(struct task *task, char *text)
{
	char *name = strchr(text, '('), *end = strrchr(text, ')'), *at;
	size_t length;
	int field = 3;

	if (!name || !end || end < name)
		return false;
	length = (size_t)(end - name - 1);
	length = length < COMM_BYTES - 1 ? length : COMM_BYTES - 1;
	memcpy(task->comm, name + 1, length);
	task->comm[length] = '\0';
	for (at = end + 2; *at && field < STARTTIME_FIELD; at++) {
		if (*at != ' ')
			continue;
		if (++field == 4)
			task->parent = (pid_t)strtol(at + 1, NULL, 10);
	}
	task->start_ticks = strtoull(at, NULL, 10);
	return field == STARTTIME_FIELD;
}

static bool read_stat(struct task *task, const char *proc)
{
	char path[PATH_MAX], text[STAT_BYTES];
	int fd;
	ssize_t got;

	snprintf(path, sizeof(path), "%s/%d/task/%d/stat", proc, (int)task->pid,
		 (int)task->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false; /* it has ended */
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	return parse_stat(task, text);
}

bool tasks_began_before(const char *proc, pid_t pid, uint64_t time_ns)
{
	struct task task = { .pid = pid, .tid = pid };
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t asleep_ns = now_ns(CLOCK_BOOTTIME) - now_ns(CLOCK_MONOTONIC);

	return read_stat(&task, proc) &&
	       task.start_ticks <= (time_ns + asleep_ns) / tick_ns;
}

/* --- records --- */

/* What follows every record: tid, time, CPU, id. */
static void write_trailer(struct bytes *to, const struct counters *c,
			  const struct task *task, uint64_t time_ns)
{
	bytes_u32(to, (uint32_t)task->pid);
	bytes_u32(to, (uint32_t)task->tid);
	bytes_u64(to, time_ns);
	bytes_u32(to, (uint32_t)c->request.cpus.cpus[0]);
	bytes_u32(to, 0);
	bytes_u64(to, counters_tracker(c)->ids[0]);
}

static void write_task(struct bytes *to, const struct counters *c,
		       const struct task *task)
{
	size_t start = perf_begin_record(to, PERF_RECORD_FORK);
	size_t name;
	bool is_main = task->pid == task->tid;

	bytes_u32(to, (uint32_t)task->pid);
	bytes_u32(to, (uint32_t)(is_main ? task->parent : task->pid));
	bytes_u32(to, (uint32_t)task->tid);
	bytes_u32(to, (uint32_t)(is_main ? task->parent : task->pid));
	bytes_u64(to, 0);
	write_trailer(to, c, task, 0);
	(void)perf_end_record(to, start);

	start = perf_begin_record(to, PERF_RECORD_COMM);
	bytes_u32(to, (uint32_t)task->pid);
	bytes_u32(to, (uint32_t)task->tid);
	name = to->size;
	bytes_text(to, task->comm);
	bytes_pad(to, name, 8);
	write_trailer(to, c, task, c->supports.clockid ? now_ns(CLOCK_MONOTONIC) : 0);
	(void)perf_end_record(to, start);
}

/* --- folders of numbers --- */

/* The next number that is a name in the folder; 0: no more. */
static pid_t next_number(DIR *folder)
{
	const struct dirent *entry;

	while ((entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

bool tasks_write_command(struct bytes *to, const char *proc, pid_t pid, uint64_t time_ns)
{
	char path[64 + 256], words[COMMAND_BYTES];
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "%.255s/%d/cmdline", proc, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, words, sizeof(words));
		close(fd);
	}
	if (got == 0)
		return false;
	if (got > 0 && words[0] != '\0') /* else it has ended */
		perf_write_command_line(to, (uint32_t)pid, time_ns,
					(struct str){ words, (size_t)got });
	return true;
}

static void write_process(struct bytes *to, const char *proc, const struct counters *c,
			  pid_t pid, uint64_t armed_ticks)
{
	char path[PATH_MAX];
	struct task task = { .pid = pid };
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%d/task", proc, (int)pid);
	folder = opendir(path);
	while (folder && (task.tid = next_number(folder)))
		if (read_stat(&task, proc) && task.start_ticks <= armed_ticks)
			write_task(to, c, &task);
	if (folder)
		closedir(folder);
	(void)tasks_write_command(to, proc, pid,
				  c->supports.clockid ? now_ns(CLOCK_MONOTONIC) : 0);
}

void tasks_write(struct bytes *to, const char *proc, const struct counters *c, pid_t pid,
		 uint64_t armed_ns)
{
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	DIR *folder;

	if (pid > 0) {
		write_process(to, proc, c, pid, armed_ns / tick_ns);
		return;
	}
	folder = opendir(proc);
	while (folder && (pid = next_number(folder)))
		write_process(to, proc, c, pid, armed_ns / tick_ns);
	if (folder)
		closedir(folder);
}

enum status tasks_of(const char *proc, int64_t pid, pid_t **tids, size_t *count,
		     struct error *error)
{
	char path[PATH_MAX];
	size_t room = 0;
	pid_t tid;
	DIR *folder;

	*tids = NULL;
	*count = 0;
	snprintf(path, sizeof(path), "%s/%lld/task", proc, (long long)pid);
	folder = opendir(path);
	while (folder && *count < TASKS_MAX && (tid = next_number(folder))) {
		if (!ARRAY_GROW(*tids, room, *count)) {
			closedir(folder);
			return error_nomem(error);
		}
		(*tids)[(*count)++] = tid;
	}
	if (folder)
		closedir(folder);
	if (*count == 0)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "there is no process %lld", (long long)pid);
	return ST_OK;
}

pid_t tasks_process(const char *proc, int64_t tid)
{
	char path[PATH_MAX], line[256];
	int pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%lld/status", proc, (long long)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (file)
		fclose(file);
	return (pid_t)pid;
}
