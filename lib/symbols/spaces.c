/* spaces.c - collects mappings, forks and execs, and puts them in order. */
#include "symbols/spaces.h"

#include <stdlib.h>

#include "base/array.h"

#define MODE_KERNEL 1
#define MODE_GUEST 4 /* and those after it */
/* Of mappings by simpleperf: functions of the file are named by their addresses. */
#define PROT_JIT_SYMFILE 0x4000

void spaces_begin(struct spaces *spaces)
{
	*spaces = (struct spaces){ .count = 0 };
	spaces->last_module = &spaces->first_module;
	spaces->last_process = &spaces->first_process;
}

void spaces_release(struct spaces *spaces)
{
	free(spaces->mappings);
	free(spaces->changes);
	map_release(&spaces->latest);
	map_release(&spaces->modules);
	map_release(&spaces->process_of_thread);
	map_release(&spaces->processes);
	map_release(&spaces->by_pid);
	arena_release(&spaces->arena);
	spaces_begin(spaces);
}

void spaces_forget(struct spaces *spaces)
{
	bool limit_reached = spaces->limit_reached, out_of_memory = spaces->out_of_memory;

	spaces_release(spaces);
	spaces->limit_reached = limit_reached;
	spaces->out_of_memory = out_of_memory;
}

/* --- modules --- */

static struct module *intern_module(struct spaces *spaces, struct str path,
				    struct str build_id)
{
	uint64_t key = map_hash_text(map_hash_text(map_salt(), path), build_id);
	struct module *module;

	MAP_FIND(&spaces->modules, key, module,
		 str_equal(module->path, path) && str_equal(module->build_id, build_id));
	if (module)
		return module;
	module = arena_alloc(&spaces->arena, sizeof(*module));
	if (!module || !map_put(&spaces->modules, key, module)) {
		spaces->out_of_memory = true;
		return NULL;
	}
	*module = (struct module){
		.module_id = INT_NONE,
		.path = arena_str(&spaces->arena, path),
		.build_id = build_id.len ? arena_str(&spaces->arena, build_id) : STR_NONE,
	};
	*spaces->last_module = module;
	spaces->last_module = &module->next;
	return module;
}

/* --- mappings --- */

static bool is_below_limit(struct spaces *spaces, size_t count)
{
	spaces->limit_reached |= count == MAPPINGS_MAX;
	return count < MAPPINGS_MAX;
}

static struct mapping *add_mapping(struct spaces *spaces, const struct mapping *mapping)
{
	if (mapping->start >= mapping->end || !is_below_limit(spaces, spaces->count))
		return NULL;
	if (!ARRAY_GROW(spaces->mappings, spaces->room, spaces->count)) {
		spaces->out_of_memory = true;
		return NULL;
	}
	spaces->mappings[spaces->count] = *mapping;
	return &spaces->mappings[spaces->count++];
}

/* Times before the recording are 0. */
static int64_t begin_of(int64_t ts_ns)
{
	return ts_ns == INT_NONE || ts_ns == 0 ? INT64_MIN : ts_ns;
}

/* The kernel is named after the symbol that its mapping begins with. */
static struct str path_of(struct str filename)
{
	struct str kernel = STR("[kernel.kallsyms]");

	return filename.len > kernel.len &&
			       memcmp(filename.ptr, kernel.ptr, kernel.len) == 0
		       ? kernel
		       : filename;
}

static struct mapping of_row(struct spaces *spaces, const struct mmap_row *row)
{
	struct mapping mapping = {
		.start = (uint64_t)row->addr,
		.end = (uint64_t)row->addr + (uint64_t)row->bytes,
		.file_offset = (uint64_t)row->file_offset,
		.ts_ns = begin_of(row->ts_ns),
		.end_ns = INT64_MAX,
		.thread_id = row->thread_id,
		.pid = row->pid,
		.process_id = INT_NONE,
	};

	if (mapping.end < mapping.start)
		mapping.end = UINT64_MAX;
	mapping.module =
		intern_module(spaces,
			      path_of(row->filename.ptr ? row->filename : STR("")),
			      row->build_id.ptr ? row->build_id : STR(""));
	return mapping;
}

void spaces_on_mmap(struct spaces *spaces, const struct mmap_row *row)
{
	struct mapping mapping;

	if (row->is_data == 1 || (row->mode != INT_NONE && row->mode >= MODE_GUEST))
		return;
	mapping = of_row(spaces, row);
	mapping.is_kernel = row->mode == MODE_KERNEL || row->pid == -1;
	if (mapping.is_kernel) /* they stay, and a recorder may learn of them late */
		mapping.ts_ns = INT64_MIN;
	if (mapping.is_kernel ||
	    (row->prot != INT_NONE && (row->prot & PROT_JIT_SYMFILE) != 0))
		mapping.file_offset = mapping.start;
	if (mapping.module)
		(void)add_mapping(spaces, &mapping);
}

static uint64_t latest_key(int64_t pid, int64_t addr)
{
	return map_key(pid, addr, 0, 0);
}

/* The mapping that this row begins is the latest of its place. */
static void begin_latest(struct spaces *spaces, uint64_t key,
			 const struct mapping *mapping)
{
	const struct mapping *added = add_mapping(spaces, mapping);
	uintptr_t number;

	if (!added)
		return;
	number = (uintptr_t)(added - spaces->mappings) + 1;
	if (!map_put(&spaces->latest, key, (void *)number))
		spaces->out_of_memory = true;
}

static struct mapping *find_latest(struct spaces *spaces, uint64_t key, uint64_t start)
{
	uintptr_t number = (uintptr_t)map_get(&spaces->latest, key);
	struct mapping *mapping = number ? &spaces->mappings[number - 1] : NULL;

	return mapping && mapping->start == start && mapping->end_ns == INT64_MAX
		       ? mapping
		       : NULL;
}

void spaces_on_ksymbol(struct spaces *spaces, const struct ksymbol_row *row)
{
	uint64_t key = latest_key(-1, row->addr);
	struct mapping *known = find_latest(spaces, key, (uint64_t)row->addr);
	struct mapping mapping = {
		.start = (uint64_t)row->addr,
		.end = (uint64_t)row->addr + (uint64_t)row->bytes,
		.file_offset = (uint64_t)row->addr,
		.ts_ns = begin_of(row->ts_ns),
		.end_ns = INT64_MAX,
		.thread_id = INT_NONE,
		.pid = INT_NONE,
		.process_id = INT_NONE,
		.is_kernel = true,
	};
	char path[32] = "[";

	if (row->is_removed == 1) {
		if (known)
			known->end_ns = row->ts_ns;
		return;
	}
	memcpy(path + 1, row->kind.ptr ? row->kind.ptr : "",
	       row->kind.len < 28 ? row->kind.len : 28);
	strcat(path, "]");
	mapping.module = intern_module(spaces, str_of(path), STR(""));
	mapping.function =
		row->name.ptr ? arena_str(&spaces->arena, row->name) : STR_NONE;
	if (mapping.module)
		begin_latest(spaces, key, &mapping);
}

void spaces_on_image(struct spaces *spaces, const struct mmap_row *row, bool is_end)
{
	uint64_t key = latest_key(row->pid, row->addr);
	struct mapping *known = find_latest(spaces, key, (uint64_t)row->addr);
	struct mapping mapping;

	if (is_end) {
		if (known)
			known->end_ns = row->ts_ns;
		return;
	}
	if (known) /* what is listed at the end may have been seen before */
		return;
	mapping = of_row(spaces, row);
	mapping.is_kernel = row->addr < 0;
	if (mapping.module)
		begin_latest(spaces, key, &mapping);
}

/* --- tasks --- */

static void add_change(struct spaces *spaces, const struct task_change *change)
{
	if (change->thread_id == INT_NONE || change->ts_ns == INT_NONE ||
	    change->ts_ns == 0 || !is_below_limit(spaces, spaces->change_count))
		return;
	if (ARRAY_GROW(spaces->changes, spaces->change_room, spaces->change_count))
		spaces->changes[spaces->change_count++] = *change;
	else
		spaces->out_of_memory = true;
}

void spaces_on_fork(struct spaces *spaces, const struct fork_row *row)
{
	if (row->parent_thread_id != INT_NONE)
		add_change(spaces,
			   &(struct task_change){ row->thread_id, row->parent_thread_id,
						  row->ts_ns });
}

void spaces_on_comm(struct spaces *spaces, const struct comm_row *row)
{
	if (row->is_exec == 1)
		add_change(spaces,
			   &(struct task_change){ row->thread_id, INT_NONE, row->ts_ns });
}

void spaces_on_process(struct spaces *spaces, const struct process_row *row)
{
	struct space_process *process = arena_alloc(&spaces->arena, sizeof(*process));

	if (!process) {
		spaces->out_of_memory = true;
		return;
	}
	*process = (struct space_process){
		.process_id = row->process_id,
		.pid = row->pid,
		.start_ns = row->start_ns, /* INT_NONE is before all */
		.end_ns = row->end_ns == INT_NONE ? INT64_MAX : row->end_ns,
		.next_of_pid = map_get(&spaces->by_pid, (uint64_t)row->pid),
	};
	*spaces->last_process = process;
	spaces->last_process = &process->next;
	spaces->out_of_memory |=
		!map_put(&spaces->processes, (uint64_t)row->process_id, process) ||
		!map_put(&spaces->by_pid, (uint64_t)row->pid, process);
}

void spaces_on_thread(struct spaces *spaces, const struct thread_row *row)
{
	struct space_process *process =
		map_get(&spaces->processes, (uint64_t)row->process_id);

	if (process &&
	    !map_put(&spaces->process_of_thread, (uint64_t)row->thread_id, process))
		spaces->out_of_memory = true;
}

const struct space_process *spaces_process(const struct spaces *spaces, int64_t thread_id)
{
	return thread_id == INT_NONE
		       ? NULL
		       : map_get(&spaces->process_of_thread, (uint64_t)thread_id);
}
