/* spaces_find.c - sorts the mappings of a trace and finds those of an address. */
#include <stdlib.h>

#include "symbols/spaces.h"

/* --- settling --- */

/* The incarnation of a pid at a time, or its first one. */
static const struct space_process *process_at(const struct spaces *spaces, int64_t pid,
					      int64_t ts_ns)
{
	const struct space_process *found = NULL;

	/* The newest one first: their rows come in order of start. */
	for (const struct space_process *p = map_get(&spaces->by_pid, (uint64_t)pid); p;
	     p = p->next_of_pid) {
		found = p;
		if (p->start_ns <= ts_ns)
			break;
	}
	return found;
}

static int compare(const void *left, const void *right)
{
	const struct mapping *a = left, *b = right;

	if (a->is_kernel != b->is_kernel)
		return a->is_kernel ? -1 : 1;
	if (a->process_id != b->process_id)
		return a->process_id < b->process_id ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns ? -1 : 1;
	return 0;
}

static struct space_process *process_of(const struct spaces *spaces,
					const struct task_change *change)
{
	return map_get(&spaces->process_of_thread, (uint64_t)change->thread_id);
}

static void bind_forks(struct spaces *spaces)
{
	for (size_t i = 0; i < spaces->change_count; i++) {
		const struct task_change *change = &spaces->changes[i];
		struct space_process *process = process_of(spaces, change);
		const struct space_process *parent;

		if (!process || change->parent_thread_id == INT_NONE)
			continue;
		parent = spaces_process(spaces, change->parent_thread_id);
		if (parent && parent != process && !process->parent) {
			process->parent = parent;
			process->fork_ns = change->ts_ns;
		}
	}
}

static int compare_times(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Calls with each exec of a known process. */
static void each_exec(struct spaces *spaces,
		      void (*call)(struct space_process *process, int64_t ts_ns))
{
	for (size_t i = 0; i < spaces->change_count; i++) {
		const struct task_change *change = &spaces->changes[i];
		struct space_process *process = process_of(spaces, change);

		if (process && change->parent_thread_id == INT_NONE)
			call(process, change->ts_ns);
	}
}

static void count_exec(struct space_process *process, int64_t ts_ns)
{
	(void)ts_ns;
	process->exec_count++;
}

static void add_exec(struct space_process *process, int64_t ts_ns)
{
	process->execs[process->exec_count++] = ts_ns;
}

static void bind_execs(struct spaces *spaces)
{
	each_exec(spaces, count_exec);
	for (struct space_process *p = spaces->first_process; p; p = p->next) {
		if (p->exec_count)
			p->execs = arena_alloc(&spaces->arena,
					       p->exec_count * sizeof(*p->execs));
		spaces->out_of_memory |= p->exec_count && !p->execs;
		p->exec_count = 0;
	}
	if (spaces->out_of_memory)
		return;
	each_exec(spaces, add_exec);
	for (struct space_process *p = spaces->first_process; p; p = p->next)
		if (p->exec_count)
			qsort(p->execs, p->exec_count, sizeof(*p->execs), compare_times);
}

/* The first exec after a time; INT64_MAX: there is none. */
static int64_t next_exec(const struct space_process *process, int64_t ts_ns)
{
	size_t low = 0, high = process->exec_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->execs[middle] > ts_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low < process->exec_count ? process->execs[low] : INT64_MAX;
}

static void bind_mappings(struct spaces *spaces)
{
	for (size_t i = 0; i < spaces->count; i++) {
		struct mapping *mapping = &spaces->mappings[i];
		const struct space_process *process =
			mapping->is_kernel ? NULL
					   : spaces_process(spaces, mapping->thread_id);

		if (!process && !mapping->is_kernel && mapping->pid != INT_NONE)
			process = process_at(spaces, mapping->pid, mapping->ts_ns);
		mapping->process_id = process ? process->process_id : INT_NONE;
	}
}

/* Once for each mapping, as an address may be in thousands, with as many execs. */
static void end_at_exec(struct mapping *mapping, const struct space_process *process)
{
	int64_t exec_ns = next_exec(process, mapping->ts_ns);

	if (exec_ns < mapping->end_ns)
		mapping->end_ns = exec_ns;
}

void spaces_settle(struct spaces *spaces)
{
	bind_forks(spaces);
	bind_execs(spaces);
	bind_mappings(spaces);
	if (spaces->count)
		qsort(spaces->mappings, spaces->count, sizeof(*spaces->mappings),
		      compare);
	for (size_t i = 0; i < spaces->count; i++) {
		struct mapping *mapping = &spaces->mappings[i];
		const struct mapping *before = i ? &spaces->mappings[i - 1] : NULL;
		struct space_process *process =
			mapping->is_kernel ? NULL
					   : map_get(&spaces->processes,
						     (uint64_t)mapping->process_id);

		if (process)
			end_at_exec(mapping, process);
		mapping->furthest = mapping->end;
		if (before && before->is_kernel == mapping->is_kernel &&
		    before->process_id == mapping->process_id &&
		    before->furthest > mapping->furthest)
			mapping->furthest = before->furthest;
		spaces->kernel_count += mapping->is_kernel;
		if (process && process->count++ == 0)
			process->first = i;
	}
}

/* --- finding --- */

/* Of one address; fewer are left, as runtimes map the same place again and again. */
#define FOUND_MAX 64

struct found {
	struct spaces *spaces;
	uint64_t address;
	struct version *versions;
	size_t count;
};

/* In order of time; of two that begin at once the one that was added last counts. */
static void add_version(struct found *found, const struct version *version)
{
	struct version *list = found->versions;
	size_t at = 0, high = found->count;

	if (version->from_ns >= version->to_ns)
		return;
	while (at < high) {
		size_t middle = at + (high - at) / 2;

		if (list[middle].from_ns <= version->from_ns)
			at = middle + 1;
		else
			high = middle;
	}
	if (at && list[at - 1].from_ns == version->from_ns) {
		list[at - 1] = *version;
		return;
	}
	if (found->count == FOUND_MAX) {
		found->spaces->limit_reached = true;
		return;
	}
	memmove(&list[at + 1], &list[at], (found->count - at) * sizeof(*list));
	list[at] = *version;
	found->count++;
}

/* A step of the walk over mappings that may hold the address; false: that was enough. */
static bool may_step(struct found *found, size_t *steps)
{
	if (++*steps <= MAPPING_STEPS_MAX &&
	    ++found->spaces->steps <= MAPPING_ALL_STEPS_MAX)
		return true;
	found->spaces->limit_reached = true;
	return false;
}

/* One past the last of [first, first + count) that begins at or before the address. */
static size_t last_before(const struct found *found, size_t first, size_t count)
{
	size_t low = first, high = first + count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (found->spaces->mappings[middle].start <= found->address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What the process mapped itself, up to a time. */
static void find_own(struct found *found, const struct space_process *process,
		     int64_t until_ns)
{
	size_t at = last_before(found, process->first, process->count), steps = 0;

	while (at > process->first && may_step(found, &steps)) {
		const struct mapping *mapping = &found->spaces->mappings[--at];

		if (mapping->furthest <= found->address)
			break;
		if (mapping->end > found->address && mapping->ts_ns <= until_ns)
			add_version(found, &(struct version){ mapping, mapping->ts_ns,
							      mapping->end_ns });
	}
}

static int64_t first_exec(const struct space_process *process)
{
	return process->exec_count ? process->execs[0] : INT64_MAX;
}

/* What its parents had at its fork, which it has until its first exec. */
static void find_inherited(struct found *found, const struct space_process *process)
{
	int64_t from_ns = process->fork_ns, to_ns = first_exec(process);
	int64_t fork_ns = from_ns;

	for (int depth = 0; process->parent && depth < FORK_DEPTH_MAX; depth++) {
		struct version list[FOUND_MAX];
		struct found above = { found->spaces, found->address, list, 0 };
		size_t i;

		fork_ns = process->fork_ns;
		process = process->parent;
		find_own(&above, process, fork_ns);
		i = above.count;
		if (i && list[i - 1].to_ns > fork_ns) {
			add_version(found, &(struct version){ list[i - 1].mapping,
							      from_ns, to_ns });
			return;
		}
		if (i || first_exec(process) <= fork_ns)
			return;
	}
}

static void find_kernel(struct found *found)
{
	size_t at = last_before(found, 0, found->spaces->kernel_count), steps = 0;

	while (at && may_step(found, &steps)) {
		const struct mapping *mapping = &found->spaces->mappings[--at];

		if (mapping->furthest <= found->address ||
		    (found->count && mapping->start != found->versions[0].mapping->start))
			break;
		if (mapping->end > found->address)
			add_version(found, &(struct version){ mapping, mapping->ts_ns,
							      mapping->end_ns });
	}
}

/* The same part of a file, or function, at the same place, one right after the other. */
static bool continues(const struct version *before, const struct version *after)
{
	const struct mapping *a = before->mapping, *b = after->mapping;

	return before->to_ns == after->from_ns && a->module == b->module &&
	       a->start == b->start && a->file_offset == b->file_offset &&
	       str_equal(a->function, b->function);
}

/* Those that are not empty, each once; the last ones if there are too many. */
static size_t keep_versions(struct found *found, struct version *versions)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		const struct version *version = &found->versions[i];

		if (version->from_ns >= version->to_ns)
			continue;
		if (kept && continues(&versions[kept - 1], version)) {
			versions[kept - 1].to_ns = version->to_ns;
			continue;
		}
		if (kept == MAPPING_VERSIONS_MAX) {
			found->spaces->limit_reached = true;
			memmove(versions, versions + 1, --kept * sizeof(*versions));
		}
		versions[kept++] = *version;
	}
	return kept;
}

size_t spaces_find(struct spaces *spaces, const struct space_process *process,
		   uint64_t address, struct version versions[MAPPING_VERSIONS_MAX])
{
	struct version all[FOUND_MAX];
	struct found found = { spaces, address, all, 0 };

	if (!process)
		find_kernel(&found);
	else
		find_own(&found, process, INT64_MAX);
	if (process && (!found.count || all[0].from_ns != INT64_MIN))
		find_inherited(&found, process);
	/* The later one counts from its beginning on. */
	for (size_t i = 0; i + 1 < found.count; i++)
		if (all[i].to_ns > all[i + 1].from_ns)
			all[i].to_ns = all[i + 1].from_ns;
	return keep_versions(&found, versions);
}
