/* books.c - reads /proc/stat, /proc/interrupts, schedstat and status of tasks. */
#include "capture/linux/audit/books.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "capture/linux/audit/facts.h"
#include "capture/linux/counters/clock.h"
#include "model/own_facts.h"

#define PATH_BYTES 300

static const enum own_fact book_facts[] = {
	[KERNEL_SWITCHES] = FACT_SWITCHES,
	[KERNEL_INTERRUPTS] = FACT_INTERRUPTS,
	[KERNEL_SOFTIRQS] = FACT_SOFTIRQS,
	[KERNEL_TICKS] = FACT_TICKS,
};

static FILE *open_file(const char *folder, const char *name)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "re");
}

/* --- the machine --- */

/* Lines may be long: those of interrupts have a number for each of them. */
static void read_stat(const char *proc, int64_t *values)
{
	FILE *file = open_file(proc, "stat");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		long long value;

		if (sscanf(line, "ctxt %lld", &value) == 1)
			values[KERNEL_SWITCHES] = value;
		else if (sscanf(line, "softirq %lld", &value) == 1)
			values[KERNEL_SOFTIRQS] = value;
	}
	free(line);
	if (file)
		fclose(file);
}

/* The sum of the numbers that follow the label, one a CPU. */
static int64_t sum_line(const char *at)
{
	int64_t sum = 0;

	for (;;) {
		char *end;
		unsigned long long value = strtoull(at, &end, 10);

		if (end == at || (*end && !isspace((unsigned char)*end)))
			return sum;
		sum += (int64_t)value;
		at = end;
	}
}

/* Numbered ones have handlers; "LOC" is the timer of each CPU on x86. */
static void read_interrupts(const char *proc, int64_t *values)
{
	FILE *file = open_file(proc, "interrupts");
	char *line = NULL;
	size_t room = 0;

	if (file)
		values[KERNEL_INTERRUPTS] = 0;
	while (file && getline(&line, &room, file) > 0) {
		const char *label = line + strspn(line, " ");
		const char *colon = strchr(label, ':');

		if (!colon)
			continue;
		if (isdigit((unsigned char)*label))
			values[KERNEL_INTERRUPTS] += sum_line(colon + 1);
		else if (strncmp(label, "LOC:", 4) == 0)
			values[KERNEL_TICKS] = sum_line(colon + 1);
	}
	free(line);
	if (file)
		fclose(file);
}

void books_read(struct kernel_books *books, enum book_moment moment)
{
	int64_t *values = books->values[moment];

	for (size_t i = 0; i < KERNEL_BOOKS; i++)
		values[i] = FACT_NONE;
	if (!books->proc || !books->is_machine)
		return;
	read_stat(books->proc, values);
	read_interrupts(books->proc, values);
}

/* --- tasks --- */

/* run_ns from schedstat, switches from status; false: it is gone. */
static bool read_task(const char *proc, struct book_task *task)
{
	char folder[PATH_BYTES - 32], line[256];
	unsigned long long run_ns = 0;
	bool is_read;
	FILE *file;

	snprintf(folder, sizeof(folder), "%s/%d/task/%d", proc, (int)task->pid,
		 (int)task->tid);
	file = open_file(folder, "schedstat");
	is_read = file && fscanf(file, "%llu", &run_ns) == 1;
	if (file)
		fclose(file);
	task->run_ns = (int64_t)run_ns;
	task->voluntary = task->involuntary = FACT_NONE;
	file = is_read ? open_file(folder, "status") : NULL;
	while (file && fgets(line, sizeof(line), file)) {
		long long value;

		if (sscanf(line, "voluntary_ctxt_switches: %lld", &value) == 1)
			task->voluntary = value;
		else if (sscanf(line, "nonvoluntary_ctxt_switches: %lld", &value) == 1)
			task->involuntary = value;
	}
	if (file)
		fclose(file);
	return is_read;
}

static void add_threads(struct kernel_books *books, pid_t pid, uint64_t end_ns)
{
	char path[PATH_BYTES];
	const struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%d/task", books->proc, (int)pid);
	folder = opendir(path);
	while (folder && books->task_count < BOOK_TASKS_MAX &&
	       now_ns(CLOCK_MONOTONIC) < end_ns && (entry = readdir(folder))) {
		struct book_task *task = &books->tasks[books->task_count];

		*task = (struct book_task){
			.pid = pid, .tid = (pid_t)strtol(entry->d_name, NULL, 10)
		};
		books->task_count += task->tid > 0 && read_task(books->proc, task);
	}
	if (folder)
		closedir(folder);
}

void books_begin(struct kernel_books *books, const char *proc, bool is_machine, pid_t pid)
{
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + BOOK_TASKS_NS;
	const struct dirent *entry;
	DIR *folder;

	*books = (struct kernel_books){ .proc = proc, .is_machine = is_machine };
	books->tasks = memory_alloc(BOOK_TASKS_MAX * sizeof(*books->tasks));
	if (!books->tasks)
		return;
	if (pid) {
		add_threads(books, pid, end_ns);
		return;
	}
	folder = is_machine ? opendir(proc) : NULL;
	while (folder && books->task_count < BOOK_TASKS_MAX &&
	       now_ns(CLOCK_MONOTONIC) < end_ns && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_threads(books, (pid_t)strtol(entry->d_name, NULL, 10),
				    end_ns);
	if (folder)
		closedir(folder);
}

void books_release(struct kernel_books *books)
{
	free(books->tasks);
	*books = (struct kernel_books){ .proc = NULL };
}

/* --- the lines --- */

static int64_t rise(int64_t from, int64_t to)
{
	return from == FACT_NONE || to == FACT_NONE || to < from ? FACT_NONE : to - from;
}

/* Those that ran; of one that has ended nothing is known. */
static void write_task(struct bytes *lines, const struct kernel_books *books,
		       const struct book_task *before)
{
	struct book_task now = *before;
	struct fact fact = fact_of("task");

	if (!read_task(books->proc, &now) || now.run_ns == before->run_ns)
		return;
	fact.event = before->tid;
	fact.least = rise(before->voluntary, now.voluntary);
	fact.most = rise(before->involuntary, now.involuntary);
	fact.found = rise(before->run_ns, now.run_ns);
	fact_write(lines, &fact);
}

void books_write(struct bytes *lines, const struct kernel_books *books)
{
	const int64_t(*values)[KERNEL_BOOKS] = books->values;

	if (!books->proc)
		return;
	for (size_t i = 0; i < KERNEL_BOOKS && books->is_machine; i++) {
		struct fact fact = fact_of(own_fact_word(book_facts[i]));

		fact.least = rise(values[BOOK_ARMED][i], values[BOOK_BEFORE_END][i]);
		fact.most = rise(values[BOOK_BEFORE_ARMING][i], values[BOOK_ENDED][i]);
		if (fact.least != FACT_NONE && fact.most != FACT_NONE)
			fact_write(lines, &fact);
	}
	for (size_t i = 0; i < books->task_count; i++)
		write_task(lines, books, &books->tasks[i]);
}
