/* cut.c - finds or adds the line of a process, thread or CPU. */
#include "report/cut.h"

#include "base/pattern.h"
#include "base/text.h"

/* The processes of a pid, the last one first. */
struct cut_process {
	const struct totals_process *process;
	struct cut_process *before;
};

const char *const cut_names[] = { "process", "thread", "cpu", "comm", "tree", "cgroup" };
const char *const cut_plurals[] = { "processes", "threads", "cpus",
				    "comms",	 "tree",    "cgroups" };

static bool index_processes(struct cut *cut)
{
	const struct totals_process *p = cut->totals->processes;
	bool done = true;

	for (; p && done; p = p->next) {
		struct cut_process *at = arena_alloc(&cut->view->arena, sizeof(*at));

		if (!at)
			return false;
		at->process = p;
		at->before = map_get(&cut->process_by_pid, (uint64_t)p->row.pid);
		done = map_put(&cut->process_by_pid, (uint64_t)p->row.pid, at);
	}
	return done;
}

size_t cut_texts(enum cut_by by)
{
	return by == BY_TREE	 ? CUT_COMMAND + 1
	       : by == BY_THREAD ? CUT_THREAD + 1
				 : CUT_PROCESS + 1;
}

bool cut_begin(struct cut *cut, enum cut_by by, const struct cut_filter *filter,
	       const struct totals *totals, struct view *view)
{
	*cut = (struct cut){
		.by = by, .filter = *filter, .totals = totals, .view = view
	};
	return (filter->root == INT_NONE && by != BY_TREE) || index_processes(cut);
}

void cut_end(struct cut *cut)
{
	map_release(&cut->lines);
	map_release(&cut->process_by_pid);
}

/* --- columns --- */

static struct view_column *add_key(struct view *view, enum view_kind kind, unsigned forms,
				   const char *name, size_t cell)
{
	struct view_column *column = view_add_column(view, kind, forms, name, cell);

	column->is_key = true;
	if (kind == VIEW_NAME)
		column->width = VIEW_NAME_WIDTH;
	return column;
}

static void add_tree_columns(struct view *view)
{
	unsigned data = VIEW_CSV | VIEW_JSON;

	view_add_column(view, VIEW_ID, data, "parent_pid", CUT_PARENT_PID);
	view_add_column(view, VIEW_NAME, data, "command", CUT_COMMAND);
}

void cut_add_columns(struct view *view, enum cut_by by)
{
	unsigned all = VIEW_TEXT | VIEW_CSV | VIEW_JSON;

	if (by == BY_CPU) {
		add_key(view, VIEW_ID, all, "cpu", CUT_CPU);
		return;
	}
	view_add_column(view, VIEW_KIND, VIEW_JSON, "kind", 0);
	if (by == BY_THREAD) { /* in text beside the process, elsewhere after its id */
		add_key(view, VIEW_NAME, all, "process", CUT_PROCESS);
		add_key(view, VIEW_NAME, VIEW_TEXT, "thread", CUT_THREAD);
		add_key(view, VIEW_ID, all, "pid", CUT_PID);
		add_key(view, VIEW_ID, all, "tid", CUT_TID);
		view_add_column(view, VIEW_NAME, VIEW_CSV | VIEW_JSON, "thread",
				CUT_THREAD);
		return;
	}
	add_key(view, VIEW_NAME, all,
		by == BY_COMM	  ? "comm"
		: by == BY_CGROUP ? "cgroup"
				  : "process",
		CUT_PROCESS)
		->is_indented = by == BY_TREE;
	if (by == BY_COMM || by == BY_CGROUP)
		add_key(view, VIEW_NUMBER, all, "processes", CUT_PROCESSES)->tasks_only =
			true;
	else
		add_key(view, VIEW_ID, all, "pid", CUT_PID);
	if (by == BY_TREE)
		add_tree_columns(view);
	add_key(view, VIEW_NUMBER, all, "threads", CUT_THREADS)->tasks_only = true;
}

/* --- lines --- */

#define ID_BYTES 32

/* Its id where it has no name, in `number`. */
static struct str name_or_id(char number[ID_BYTES], struct str name, int64_t id)
{
	if (name.ptr && name.len)
		return name;
	text_print(number, ID_BYTES, ":%lld", (long long)id);
	return str_of(number);
}

static struct str shown_name(struct cut *cut, struct str name, int64_t id)
{
	char number[ID_BYTES];
	struct str shown = name_or_id(number, name, id);

	return shown.ptr == number ? arena_str(&cut->view->arena, shown) : shown;
}

static void name_line(struct cut *cut, struct view_line *line,
		      const struct totals_thread *thread)
{
	const struct process_row *process = &thread->process->row;
	bool is_idle = line->kind == LINE_IDLE;

	line->of = cut->by == BY_THREAD ? (const void *)thread : thread->process;
	line->texts[CUT_PROCESS] =
		is_idle ? STR("(idle)") : shown_name(cut, process->name, process->pid);
	if (cut->by == BY_TREE)
		line->texts[CUT_COMMAND] = process->command;
	line->numbers[CUT_PID] = is_idle ? INT_NONE : process->pid;
	line->numbers[CUT_PARENT_PID] = is_idle ? INT_NONE : process->parent_pid;
	line->numbers[CUT_PROCESSES] = !is_idle;
	if (cut->by != BY_THREAD)
		return;
	line->texts[CUT_THREAD] = shown_name(cut, thread->row.name, thread->row.tid);
	line->numbers[CUT_TID] = thread->row.tid;
	line->numbers[CUT_CPU] = thread->row.idle_cpu;
	line->numbers[CUT_THREADS] = INT_NONE;
}

static bool is_idle_thread(const struct totals_thread *thread)
{
	return thread->process->row.pid == 0 || thread->row.idle_cpu != INT_NONE;
}

struct view_line *cut_add_named(struct cut *cut, enum line_kind kind, struct str name)
{
	struct view_line *line = view_add_line(cut->view, kind);

	if (!line)
		return NULL;
	line->texts[CUT_PROCESS] = name;
	line->numbers[CUT_THREADS] = INT_NONE;
	return line;
}

/* --- parents --- */

/* Returns the process with the parent's pid when the process began. */
static const struct totals_process *parent_of(const struct cut *cut,
					      const struct totals_process *process)
{
	const struct cut_process *at;
	const struct totals_process *first = NULL;

	if (process->row.parent_pid == INT_NONE || process->row.pid == 0)
		return NULL;
	at = map_get(&cut->process_by_pid, (uint64_t)process->row.parent_pid);
	for (; at; at = at->before) {
		if (at->process == process || at->process->row.pid == 0)
			continue;
		first = at->process;
		if (process->row.start_ns == INT_NONE ||
		    first->row.start_ns <= process->row.start_ns)
			return first;
	}
	return first;
}

/*
 * A process keeps the pid of a parent that has ended, which another may get.  So what a
 * recorder started began in the trace, each parent before its child.
 */
static bool is_proven(const struct totals_process *process,
		      const struct totals_process *parent)
{
	return process->row.start_ns != INT_NONE &&
	       (!parent || parent->row.start_ns <= process->row.start_ns);
}

#define DEPTH_MAX 1024 /* of parents; damaged ones may form a ring */

static bool descends(const struct cut *cut, const struct totals_process *process)
{
	const struct cut_filter *filter = &cut->filter;

	for (int depth = 0; process && depth < DEPTH_MAX; depth++) {
		bool is_child = process->row.parent_pid == filter->root;
		const struct totals_process *parent =
			is_child ? NULL : parent_of(cut, process);

		if (filter->root_is_recorder && !is_proven(process, parent))
			return false;
		if (is_child)
			return true;
		process = parent;
	}
	return false;
}

bool cut_passes(const struct cut *cut, const struct totals_thread *thread)
{
	const struct cut_filter *filter = &cut->filter;
	const struct process_row *process = &thread->process->row;
	char number[ID_BYTES];

	return (filter->pid == INT_NONE || process->pid == filter->pid) &&
	       (filter->tid == INT_NONE || thread->row.tid == filter->tid) &&
	       (!filter->process ||
		pattern_match(str_of(filter->process),
			      name_or_id(number, process->name, process->pid))) &&
	       (filter->root == INT_NONE || descends(cut, thread->process));
}

static struct view_line *others_line(struct cut *cut)
{
	if (!cut->others)
		cut->others = cut_add_named(cut, LINE_OTHERS, STR("(other processes)"));
	return cut->others;
}

struct view_line *cut_thread_line(struct cut *cut, const struct totals_thread *thread)
{
	const void *of = cut->by == BY_THREAD ? (const void *)thread : thread->process;
	bool is_idle = is_idle_thread(thread);
	struct view_line *line;

	if (!is_idle && !cut_passes(cut, thread))
		return others_line(cut);
	cut->matches += !is_idle;
	line = map_get(&cut->lines, (uint64_t)(uintptr_t)of);
	if (line)
		return line;
	line = view_add_line(cut->view, is_idle ? LINE_IDLE : LINE_TASK);
	if (!line || !map_put(&cut->lines, (uint64_t)(uintptr_t)of, line))
		return NULL;
	name_line(cut, line, thread);
	return line;
}

/* Its path; a number where the trace has none. */
static struct str cgroup_name(struct cut *cut, int64_t cgroup_id)
{
	const struct totals_cgroup *cgroup =
		map_get(&cut->totals->cgroup_by_id, (uint64_t)cgroup_id);

	if (cgroup_id == 0)
		return STR("(unknown)");
	return shown_name(cut, cgroup ? cgroup->row.path : STR_NONE, cgroup_id);
}

/* A line for each process in it: cut_join() adds them up. */
struct view_line *cut_cgroup_line(struct cut *cut, const struct totals_thread *thread,
				  int64_t cgroup_id)
{
	const struct totals_process *process = thread->process;
	uint64_t key = map_key(process->row.process_id, cgroup_id, 0, 0);
	struct view_line *line;

	if (is_idle_thread(thread) || !cut_passes(cut, thread))
		return cut_thread_line(cut, thread);
	cut->matches++;
	MAP_FIND(&cut->lines, key, line,
		 line->of == process && line->numbers[CUT_CGROUP] == cgroup_id);
	if (line)
		return line;
	line = view_add_line(cut->view, LINE_TASK);
	if (!line || !map_put(&cut->lines, key, line))
		return NULL;
	line->of = process;
	line->texts[CUT_PROCESS] = cgroup_name(cut, cgroup_id);
	line->numbers[CUT_CGROUP] = cgroup_id;
	line->numbers[CUT_PROCESSES] = 1;
	return line;
}

struct view_line *cut_cpu_line(struct cut *cut, int64_t cpu)
{
	struct view_line *line = map_get(&cut->lines, (uint64_t)cpu);

	if (line)
		return line;
	line = cpu == INT_NONE
		       ? cut_add_named(cut, LINE_UNATTRIBUTED, STR("(unattributed)"))
		       : cut_add_named(cut, LINE_TASK, STR_NONE);
	if (!line || !map_put(&cut->lines, (uint64_t)cpu, line))
		return NULL;
	line->numbers[CUT_CPU] = cpu;
	return line;
}

struct view_line *cut_unattributed_line(struct cut *cut)
{
	struct view_line *line = map_get(&cut->lines, 0);

	if (line)
		return line;
	line = cut_add_named(cut, LINE_UNATTRIBUTED, STR("(unattributed)"));
	return line && map_put(&cut->lines, 0, line) ? line : NULL;
}

bool cut_complete_idle(struct cut *cut)
{
	struct view_line *line;

	for (size_t i = 0; i < cut->view->line_count; i++)
		if (cut->view->lines[i]->kind == LINE_IDLE)
			return true;
	line = cut_add_named(cut, LINE_IDLE, STR("(idle)"));
	if (line && cut->by != BY_THREAD)
		line->numbers[CUT_THREADS] = 0;
	return line != NULL;
}

/* --- names --- */

/* The first line of that name, or where to put one. */
static struct view_line *find_name(const struct map *names, struct str name,
				   uint64_t *hash)
{
	struct view_line *line;

	*hash = map_hash_text(map_salt(), name);
	while ((line = map_get(names, *hash)) != NULL &&
	       !str_equal(line->texts[CUT_PROCESS], name))
		++*hash;
	return line;
}

static bool join_names(struct view *view)
{
	struct map names = { NULL, 0, 0 };
	bool done = true;
	size_t kept = 0;

	for (size_t i = 0; i < view->line_count && done; i++) {
		struct view_line *line = view->lines[i], *first;
		uint64_t hash = 0;

		first = line->kind == LINE_TASK
				? find_name(&names, line->texts[CUT_PROCESS], &hash)
				: NULL;
		if (first) {
			view_add(view, first, line);
			continue;
		}
		line->numbers[CUT_PID] = line->numbers[CUT_CGROUP] = INT_NONE;
		if (line->kind == LINE_TASK)
			done = map_put(&names, hash, line);
		view->lines[kept++] = line;
	}
	map_release(&names);
	view->line_count = kept;
	return done;
}

/* --- tree --- */

static struct view_line *process_line(struct cut *cut,
				      const struct totals_process *process)
{
	struct view_line *line = map_get(&cut->lines, (uint64_t)(uintptr_t)process);
	struct totals_thread thread = {
		.process = (struct totals_process *)(uintptr_t)process
	};

	if (line && line->is_dropped && !view_append(cut->view, line))
		return NULL;
	if (line)
		return line;
	line = view_add_line(cut->view, LINE_TASK);
	if (!line || !map_put(&cut->lines, (uint64_t)(uintptr_t)process, line))
		return NULL;
	name_line(cut, line, &thread);
	return line;
}

/* Parents that cost nothing themselves are lines too; lines may be added on the way. */
static bool make_tree(struct cut *cut)
{
	struct view *view = cut->view;
	bool done = true;

	for (size_t i = 0; i < view->line_count && done; i++) {
		struct view_line *line = view->lines[i];
		const struct totals_process *parent =
			line->kind == LINE_TASK ? parent_of(cut, line->of) : NULL;
		struct view_line *above;

		/* A parent without a name is only a number. */
		if (!parent || (!parent->row.name.ptr &&
				!map_get(&cut->lines, (uint64_t)(uintptr_t)parent)))
			continue;
		above = process_line(cut, parent);
		done = above && view_set_parent(view, line, above);
	}
	if (done)
		view_make_tree(view);
	return done;
}

bool cut_join(struct cut *cut)
{
	if (cut->by == BY_COMM || cut->by == BY_CGROUP)
		return join_names(cut->view);
	return cut->by != BY_TREE || make_tree(cut);
}
