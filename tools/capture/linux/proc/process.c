/* process.c - the processes of /proc as rows. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "capture/linux/proc/private.h"

#define AT(counter) (PROC_PROCESS_##counter - PROC_PROCESS_FIRST)

/* Fields of /proc/PID/stat after the name, by the numbers that proc(5) gives them. */
enum {
	PARENT = 4,
	MINOR_FAULTS = 10,
	MAJOR_FAULTS = 12,
	USER_TICKS = 14,
	SYSTEM_TICKS = 15,
	THREADS = 20,
	STARTED = 22,
	VIRTUAL = 23,
	RESIDENT = 24,
	IO_DELAY = 42,
	FIELDS
};

/* --- who is there --- */

/* 0: not the name of a process. */
static uint32_t pid_of(const char *name)
{
	uint64_t pid = 0;

	for (; *name; name++) {
		if (*name < '0' || *name > '9' || pid > UINT32_MAX / 10)
			return 0;
		pid = pid * 10 + (uint64_t)(*name - '0');
	}
	return pid < SOURCE_ANY ? (uint32_t)pid : 0;
}

static bool add_pid(struct proc_snapshot *snapshot, uint32_t pid)
{
	if (!ARRAY_GROW(snapshot->pids, snapshot->pid_room, snapshot->pid_count))
		return false;
	snapshot->pids[snapshot->pid_count++] = pid;
	return true;
}

static int by_pid(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

/* In the order of their numbers, as /proc has them and a copy of it may not. */
static uint32_t list_pids(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	int fd = openat(tree->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint32_t code = CODE_DONE, pid;

	snapshot->pid_count = 0;
	if (!folder) {
		if (fd >= 0)
			close(fd);
		return CODE_READ_FAULT;
	}
	while (code == CODE_DONE && (entry = readdir(folder)))
		if ((pid = pid_of(entry->d_name)) != 0 && !add_pid(snapshot, pid))
			code = CODE_OUT_OF_MEMORY;
	closedir(folder);
	qsort(snapshot->pids, snapshot->pid_count, sizeof(*snapshot->pids), by_pid);
	return code;
}

/* --- what each has used --- */

static void add_process(const struct proc_tree *tree, uint64_t *row, const uint64_t *f)
{
	uint64_t unit = 10000000 / tree->user_hz;

	row[AT(BUSY)] = (f[USER_TICKS] + f[SYSTEM_TICKS]) * unit;
	row[AT(USER)] = f[USER_TICKS] * unit;
	row[AT(PRIVILEGED)] = f[SYSTEM_TICKS] * unit;
	row[AT(IO_DELAY)] = f[IO_DELAY] * unit;
	row[AT(ELAPSED)] =
		(uint64_t)(tree->wall_100ns - tree->boot_100ns) + f[STARTED] * unit;
	row[AT(NOW)] = (uint64_t)tree->wall_100ns;
	row[AT(NOW_FREQ)] = PROC_TICKS_PER_SECOND;
	row[AT(PARENT)] = f[PARENT];
	row[AT(THREADS)] = f[THREADS];
	row[AT(VIRTUAL)] = f[VIRTUAL];
	row[AT(RESIDENT)] = f[RESIDENT] * tree->page_bytes;
	row[AT(FAULTS)] = f[MINOR_FAULTS] + f[MAJOR_FAULTS];
	row[AT(MAJOR)] = f[MAJOR_FAULTS];
}

/* "1 (name) S 0 ..."; the name may have parentheses and blanks in it. */
static void parse_process(const struct proc_tree *tree, struct proc_rows *rows,
			  uint32_t pid, struct str text)
{
	const char *open = memchr(text.ptr, '(', text.len);
	const char *close = memrchr(text.ptr, ')', text.len);
	uint64_t fields[FIELDS] = { 0 }, *row;
	struct str name, rest;

	if (!open || !close || close < open)
		return;
	name = (struct str){ open + 1, (size_t)(close - open - 1) };
	rest = (struct str){ close + 1, text.len - (size_t)(close + 1 - text.ptr) };
	(void)proc_word(&rest); /* its state */
	for (int i = 4; i < FIELDS; i++)
		fields[i] = proc_number(&rest);
	row = proc_row(rows, pid, name.len ? name : STR("(nameless)"));
	if (row)
		add_process(tree, row, fields);
}

void proc_read_processes(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	struct proc_rows *rows = &snapshot->sets[PROC_SET_PROCESS];

	if (!snapshot->wanted[PROC_SET_PROCESS])
		return;
	proc_rows_begin(rows, PROC_SET_PROCESS);
	rows->code = list_pids(tree, snapshot);
	for (size_t i = 0; i < snapshot->pid_count; i++) {
		char path[TEXT_INT_MAX + 8];
		size_t length = text_int(path, snapshot->pids[i]);
		struct str text;

		memcpy(path + length, "/stat", sizeof("/stat"));
		text = proc_read(tree, tree->root, path);
		if (text.ptr) /* else it has ended meanwhile */
			parse_process(tree, rows, snapshot->pids[i], text);
	}
}
