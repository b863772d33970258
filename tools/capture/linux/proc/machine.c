/* machine.c - CPUs, memory, disks and interfaces of /proc as rows. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "capture/linux/proc/private.h"

/* The place of a counter in the row of its set. */
#define AT(set, counter) (PROC_##set##_##counter - PROC_##set##_FIRST)

#define TOTAL_ID 0xfffffffeu /* of the instance _Total of processors */
#define SECTOR_BYTES 512     /* of /proc/diskstats, whatever the disk's are */
#define IDLE_STATES_MAX 32
#define CPUS_MAX 65536

static struct proc_rows *begin(struct proc_snapshot *snapshot, enum proc_set_number set)
{
	struct proc_rows *rows = &snapshot->sets[set];

	proc_rows_begin(rows, set);
	return rows;
}

/* --- /proc/stat --- */

enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, TIMES };

/* Clock ticks of a CPU, of all added up and divided by their number for the mean. */
static void add_times(const struct proc_tree *tree, uint64_t *row, const uint64_t *times,
		      uint64_t cpus)
{
	uint64_t unit = 10000000 / tree->user_hz;
	const struct {
		size_t at;
		uint64_t ticks;
	} values[] = {
		{ AT(PROCESSOR, BUSY), times[IDLE] + times[IO_WAIT] }, /* INV */
		{ AT(PROCESSOR, USER), times[USER] + times[NICE] },
		{ AT(PROCESSOR, NICE), times[NICE] },
		{ AT(PROCESSOR, PRIVILEGED),
		  times[SYSTEM] + times[IRQ] + times[SOFTIRQ] },
		{ AT(PROCESSOR, INTERRUPT), times[IRQ] },
		{ AT(PROCESSOR, SOFTIRQ), times[SOFTIRQ] },
		{ AT(PROCESSOR, IO_WAIT), times[IO_WAIT] },
		{ AT(PROCESSOR, IDLE), times[IDLE] },
		{ AT(PROCESSOR, STEAL), times[STEAL] },
		{ AT(PROCESSOR, GUEST), times[GUEST] + times[GUEST_NICE] },
	};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		row[values[i].at] = values[i].ticks * unit / cpus;
}

static void parse_cpu(const struct proc_tree *tree, struct proc_rows *rows,
		      struct str line, uint64_t *total)
{
	struct str name = proc_word(&line), digits;
	uint64_t times[TIMES], *row;

	name.ptr += 3;
	name.len -= 3;
	digits = name;
	row = proc_row(rows, (uint32_t)proc_number(&digits), name);
	for (int i = 0; i < TIMES; i++) {
		times[i] = proc_number(&line);
		total[i] += times[i];
	}
	if (row)
		add_times(tree, row, times, 1);
}

static void parse_system(uint64_t *row, struct str line)
{
	static const struct {
		const char *key;
		size_t at;
	} keys[] = {
		{ "ctxt", AT(SYSTEM, SWITCHES) },
		{ "intr", AT(SYSTEM, INTERRUPTS) },
		{ "softirq", AT(SYSTEM, SOFTIRQS) },
		{ "processes", AT(SYSTEM, FORKS) },
		{ "procs_running", AT(SYSTEM, RUNNING) },
		{ "procs_blocked", AT(SYSTEM, BLOCKED) },
	};
	struct str key = proc_word(&line);

	for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
		if (str_equal(key, str_of(keys[i].key)))
			row[keys[i].at] = proc_number(&line);
}

static bool is_cpu(struct str line)
{
	return proc_starts(line, "cpu") && line.len > 3 && line.ptr[3] >= '0' &&
	       line.ptr[3] <= '9';
}

static void read_stat(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	struct proc_rows *cpus = begin(snapshot, PROC_SET_PROCESSOR);
	struct proc_rows *system = begin(snapshot, PROC_SET_SYSTEM);
	struct str text = proc_read(tree, tree->root, "stat"), line;
	uint64_t total[TIMES] = { 0 }, *row;

	cpus->code = system->code = tree->code;
	if (!text.ptr)
		return;
	row = proc_row(system, 0, STR(""));
	while (row && proc_line(&text, &line)) {
		if (is_cpu(line))
			parse_cpu(tree, cpus, line, total);
		else
			parse_system(row, line);
	}
	if (row) {
		row[AT(SYSTEM, UPTIME)] = (uint64_t)(tree->wall_100ns - tree->boot_100ns);
		row[AT(SYSTEM, NOW)] = (uint64_t)tree->wall_100ns;
		row[AT(SYSTEM, NOW_FREQ)] = PROC_TICKS_PER_SECOND;
	}
	if (cpus->count) {
		size_t count = cpus->count;

		row = proc_row(cpus, TOTAL_ID, STR("_Total"));
		if (row)
			add_times(tree, row, total, count);
	}
}

size_t proc_count_cpus(struct proc_tree *tree)
{
	struct str text = proc_read(tree, tree->root, "stat"), line;
	size_t count = 0;

	while (text.ptr && proc_line(&text, &line))
		count += is_cpu(line);
	return count;
}

/* --- /proc/meminfo, /proc/vmstat --- */

struct memory {
	uint64_t total, available, free, cached, dirty, committed, limit, swap, swap_free;
	uint64_t faults, major, in, out;
};

struct named_value {
	const char *key;
	uint64_t *value;
};

static void parse_named(struct str text, const struct named_value *values, size_t count)
{
	struct str line;
	size_t found = 0;

	while (found < count && proc_line(&text, &line)) {
		struct str key = proc_word(&line);

		for (size_t i = 0; i < count; i++)
			if (str_equal(key, str_of(values[i].key))) {
				*values[i].value = proc_number(&line);
				found++;
			}
	}
}

static void add_memory(uint64_t *row, const struct memory *m)
{
	row[AT(MEMORY, TOTAL)] = m->total * 1024;
	row[AT(MEMORY, AVAILABLE)] = m->available * 1024;
	row[AT(MEMORY, FREE)] = m->free * 1024;
	row[AT(MEMORY, CACHED)] = m->cached * 1024;
	row[AT(MEMORY, DIRTY)] = m->dirty * 1024;
	row[AT(MEMORY, COMMITTED)] = m->committed * 1024;
	row[AT(MEMORY, LIMIT)] = m->limit * 1024;
	/* Pages of 4 KiB: 32 bits of them are 16 TiB. */
	row[AT(MEMORY, SWAPPED)] = (m->swap - m->swap_free) / 4;
	row[AT(MEMORY, SWAP_PAGES)] = m->swap / 4;
	row[AT(MEMORY, FAULTS)] = m->faults;
	row[AT(MEMORY, MAJOR)] = m->major;
	row[AT(MEMORY, PAGED_IN)] = m->in * 1024;
	row[AT(MEMORY, PAGED_OUT)] = m->out * 1024;
}

static void read_memory(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	struct proc_rows *rows = begin(snapshot, PROC_SET_MEMORY);
	struct memory m = { 0 };
	const struct named_value info[] = {
		{ "MemTotal:", &m.total },     { "MemAvailable:", &m.available },
		{ "MemFree:", &m.free },       { "Cached:", &m.cached },
		{ "Dirty:", &m.dirty },	       { "Committed_AS:", &m.committed },
		{ "CommitLimit:", &m.limit },  { "SwapTotal:", &m.swap },
		{ "SwapFree:", &m.swap_free },
	};
	const struct named_value paging[] = {
		{ "pgpgin", &m.in },
		{ "pgpgout", &m.out },
		{ "pgfault", &m.faults },
		{ "pgmajfault", &m.major },
	};
	struct str text = proc_read(tree, tree->root, "meminfo");
	uint64_t *row;

	rows->code = tree->code;
	if (!text.ptr)
		return;
	parse_named(text, info, ARRAY_COUNT(info));
	text = proc_read(tree, tree->root, "vmstat");
	if (text.ptr)
		parse_named(text, paging, ARRAY_COUNT(paging));
	row = proc_row(rows, 0, STR(""));
	if (row)
		add_memory(row, &m);
}

/* --- /proc/diskstats --- */

enum {
	READS,
	READS_MERGED,
	READ_SECTORS,
	READ_MS,
	WRITES,
	WRITES_MERGED,
	WRITE_SECTORS,
	WRITE_MS,
	IN_FLIGHT,
	BUSY_MS,
	WEIGHTED_MS,
	FIELDS
};

/* Kernels count milliseconds in 32 bits; times 10000 they go on to fit into 64. */
static void add_disk(uint64_t *row, const uint64_t *f, int64_t ticks)
{
	row[AT(DISK, READS)] = row[AT(DISK, READ_BASE)] = f[READS];
	row[AT(DISK, WRITES)] = row[AT(DISK, WRITE_BASE)] = f[WRITES];
	row[AT(DISK, READ_BYTES)] = row[AT(DISK, READ_SIZE)] =
		f[READ_SECTORS] * SECTOR_BYTES;
	row[AT(DISK, WRITE_BYTES)] = row[AT(DISK, WRITE_SIZE)] =
		f[WRITE_SECTORS] * SECTOR_BYTES;
	row[AT(DISK, READ_TIME)] = f[READ_MS] * (PROC_TICKS_PER_SECOND / 1000);
	row[AT(DISK, WRITE_TIME)] = f[WRITE_MS] * (PROC_TICKS_PER_SECOND / 1000);
	row[AT(DISK, QUEUE)] = f[WEIGHTED_MS] * 10000;
	row[AT(DISK, BUSY)] = f[BUSY_MS] * 10000;
	row[AT(DISK, BUSY_STAMP)] = (uint64_t)ticks;
	row[AT(DISK, IN_FLIGHT)] = f[IN_FLIGHT];
}

static void read_disks(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	struct proc_rows *rows = begin(snapshot, PROC_SET_DISK);
	struct str text = proc_read(tree, tree->root, "diskstats"), line;

	rows->code = tree->code;
	while (text.ptr && proc_line(&text, &line)) {
		uint64_t major = proc_number(&line), minor = proc_number(&line);
		struct str name = proc_word(&line);
		uint64_t fields[FIELDS], used = 0, *row;

		for (int i = 0; i < FIELDS; i++) {
			fields[i] = proc_number(&line);
			used |= fields[i];
		}
		if (!used || !name.len)
			continue;
		row = proc_row(rows, (uint32_t)(major << 20 | (minor & 0xfffff)), name);
		if (row)
			add_disk(row, fields, tree->ticks);
	}
}

/* --- /proc/net/dev --- */

static void add_interface(uint64_t *row, const uint64_t *f)
{
	row[AT(NETWORK, BYTES_IN)] = f[0];
	row[AT(NETWORK, PACKETS_IN)] = f[1];
	row[AT(NETWORK, ERRORS_IN)] = f[2];
	row[AT(NETWORK, DROPPED_IN)] = f[3];
	row[AT(NETWORK, BYTES_OUT)] = f[8];
	row[AT(NETWORK, PACKETS_OUT)] = f[9];
	row[AT(NETWORK, ERRORS_OUT)] = f[10];
	row[AT(NETWORK, DROPPED_OUT)] = f[11];
}

static void read_network(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	struct proc_rows *rows = begin(snapshot, PROC_SET_NETWORK);
	struct str text = proc_read(tree, tree->root, "net/dev"), line;

	rows->code = tree->code;
	while (text.ptr && proc_line(&text, &line)) {
		const char *colon = memchr(line.ptr, ':', line.len);
		struct str name = proc_word(&line);
		uint64_t fields[12], *row;

		if (!colon) /* the titles */
			continue;
		if (colon == name.ptr) /* nameless */
			continue;
		name.len = (size_t)(colon - name.ptr);
		line.len += (size_t)(line.ptr - (colon + 1));
		line.ptr = colon + 1;
		for (int i = 0; i < 12; i++)
			fields[i] = proc_number(&line);
		row = proc_row(rows, 0, name);
		if (row)
			add_interface(row, fields);
	}
}

/* --- cpuidle --- */

static const char idle_form[] = "devices/system/cpu/cpu%u/cpuidle/state%u/%s";

static struct str read_idle(struct proc_tree *tree, unsigned int cpu, unsigned int state,
			    const char *what)
{
	char path[96];
	struct str text, line = STR_NONE;

	text_print(path, sizeof(path), idle_form, cpu, state, what);
	text = proc_read(tree, tree->sysfs, path);
	if (text.ptr)
		(void)proc_line(&text, &line);
	return line;
}

bool proc_has_idle_states(const struct proc_tree *tree)
{
	char path[96];

	text_print(path, sizeof(path), idle_form, 0u, 0u, "time");
	return tree->sysfs >= 0 && faccessat(tree->sysfs, path, F_OK, 0) == 0;
}

/* False: this CPU has no such state. */
static bool parse_idle_state(struct proc_tree *tree, struct proc_rows *rows,
			     unsigned int cpu, unsigned int state)
{
	struct str text = read_idle(tree, cpu, state, "time");
	uint64_t microseconds = proc_number(&text), entries, *row;
	char name[64];

	if (!text.ptr)
		return false;
	text = read_idle(tree, cpu, state, "usage");
	entries = proc_number(&text);
	text = read_idle(tree, cpu, state, "name");
	text_print(name, sizeof(name), "%u,%.*s", cpu, (int)text.len,
		   text.ptr ? text.ptr : "");
	row = proc_row(rows, cpu * IDLE_STATES_MAX + state, str_of(name));
	if (row) {
		row[AT(IDLE_STATE, TIME)] = microseconds * 10;
		row[AT(IDLE_STATE, STAY)] = microseconds * 10;
		row[AT(IDLE_STATE, ENTRIES)] = row[AT(IDLE_STATE, ENTERED)] = entries;
	}
	return true;
}

/* CPUs that are offline leave gaps. */
static void read_idle_states(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	struct proc_rows *rows = begin(snapshot, PROC_SET_IDLE_STATE);
	size_t cpus = proc_count_cpus(tree), seen = 0;

	rows->code = tree->code;
	for (unsigned int cpu = 0; seen < cpus && cpu < CPUS_MAX; cpu++) {
		unsigned int state = 0;

		while (state < IDLE_STATES_MAX &&
		       parse_idle_state(tree, rows, cpu, state))
			state++;
		seen += state > 0;
		if (state == 0 && cpu > 2 * cpus + 64) /* others have none */
			break;
	}
}

void proc_read_machine(struct proc_tree *tree, struct proc_snapshot *snapshot)
{
	if (snapshot->wanted[PROC_SET_PROCESSOR] || snapshot->wanted[PROC_SET_SYSTEM])
		read_stat(tree, snapshot);
	if (snapshot->wanted[PROC_SET_DISK])
		read_disks(tree, snapshot);
	if (snapshot->wanted[PROC_SET_NETWORK])
		read_network(tree, snapshot);
	if (snapshot->wanted[PROC_SET_MEMORY])
		read_memory(tree, snapshot);
	if (snapshot->wanted[PROC_SET_IDLE_STATE])
		read_idle_states(tree, snapshot);
}
