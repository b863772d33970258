/* named.c - joins context_switch.csv with threads and names of counters. */
#include "output/csv/named.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#define FILE_NAME "context_switch_named"
#define SOURCE_NAME "context_switch"
#define CHUNK_BYTES ((size_t)256 * 1024)
#define FIELDS_MAX (16 + GROUP_COUNTERS_MAX)

/* Columns of context_switch.csv, in the order of tables.def. */
enum source {
	SWITCH_ID,
	TS_NS,
	CPU,
	GROUP_ID,
	PREV_THREAD,
	NEXT_THREAD,
	PREV_STATE,
	STATUS,
	ON_CPU_NS,
	RUNNING_NS,
	DETAIL_ID,
	DELTAS
};

/* "name",pid and the like, as lines need it. */
struct task {
	struct str text;
};

struct line {
	struct str fields[FIELDS_MAX];
	size_t count;
};

/* --- tasks --- */

/* CSV of a text and a number, either of which may be missing. */
static struct task *make_task(struct csv_named *named, const struct sink *sink,
			      struct str name, int64_t number)
{
	struct task *task = arena_alloc(&named->arena,
					sizeof(*task) + 2 * name.len + 8 + TEXT_INT_MAX);
	char *to = (char *)(task + 1);
	size_t at;

	if (!task)
		return NULL;
	at = csv_text(sink, to, name);
	to[at++] = ',';
	if (number != INT_NONE)
		at += text_int(to + at, number);
	task->text = (struct str){ to, at };
	return task;
}

/* "process",pid,"thread",tid; the second half is that of next_thread. */
struct thread_task {
	const struct task *process, *thread;
};

static bool add_thread(struct csv_named *named, const struct sink *sink,
		       const struct thread_row *row)
{
	struct thread_task *thread = arena_alloc(&named->arena, sizeof(*thread));

	if (!thread)
		return false;
	thread->process = map_get(&named->processes, (uint64_t)row->process_id);
	thread->thread = make_task(named, sink, row->name, row->tid);
	return thread->thread &&
	       map_put(&named->threads, (uint64_t)row->thread_id, thread);
}

bool csv_named_on_row(struct csv_named *named, const struct sink *sink,
		      const struct record *record)
{
	const struct process_row *process;
	struct task *task;

	if (record->kind == RECORD_thread)
		return add_thread(named, sink, record->data);
	if (record->kind != RECORD_process)
		return true;
	process = record->data;
	task = make_task(named, sink, process->name, process->pid);
	return task && map_put(&named->processes, (uint64_t)process->process_id, task);
}

void csv_named_release(struct csv_named *named)
{
	map_release(&named->processes);
	map_release(&named->threads);
	arena_release(&named->arena);
	*named = (struct csv_named){ .arena = { NULL } };
}

/* --- lines --- */

/* A number of ours; false: an empty field. */
static bool parse_number(struct str field, int64_t *number)
{
	uint64_t value = 0;
	bool is_negative = field.len && field.ptr[0] == '-';

	for (size_t i = is_negative; i < field.len; i++)
		value = value * 10 + (uint64_t)(field.ptr[i] - '0');
	*number = (int64_t)(is_negative ? 0 - value : value);
	return field.len > (size_t)is_negative;
}

static size_t put(char *to, struct str text)
{
	if (text.len)
		memcpy(to, text.ptr, text.len);
	return text.len;
}

static const struct thread_task *find_thread(const struct csv_named *named,
					     struct str field)
{
	int64_t id;

	return parse_number(field, &id) ? map_get(&named->threads, (uint64_t)id) : NULL;
}

static struct str text_of(const struct task *task)
{
	return task ? task->text : STR(",");
}

static size_t put_status(char *to, struct str field)
{
	int64_t status;

	if (!parse_number(field, &status) || status < 0 || status >= CHARGE_STATUSES)
		return put(to, STR(","));
	return text_print(to, 128, "\"%s\",\"%s\"", charge_status_words[status].name,
			  charge_status_words[status].reason);
}

/* Deltas by column; slots without a column are left out. */
static size_t put_deltas(char *to, const struct line *line, const struct csv_group *group,
			 const struct csv_columns *columns, struct str *cells)
{
	size_t at = 0;

	memset(cells, 0, columns->count * sizeof(cells[0]));
	for (size_t i = 0; group && i < group->slots && DELTAS + i < line->count; i++)
		if (group->columns[i] < columns->count)
			cells[group->columns[i]] = line->fields[DELTAS + i];
	for (size_t i = 0; i < columns->count; i++) {
		to[at++] = ',';
		at += put(to + at, cells[i]);
	}
	return at;
}

static enum status write_named(struct csv_named *named, struct sink *sink,
			       struct csv_file *file, const struct line *line,
			       const struct csv_columns *columns, struct str *cells)
{
	const struct str *fields = line->fields;
	const struct thread_task *prev = find_thread(named, fields[PREV_THREAD]);
	const struct thread_task *next = find_thread(named, fields[NEXT_THREAD]);
	struct str who[] = { text_of(prev ? prev->process : NULL),
			     text_of(prev ? prev->thread : NULL),
			     text_of(next ? next->thread : NULL) };
	const struct csv_group *group = NULL;
	size_t bytes = 512 + who[0].len + who[1].len + who[2].len +
		       (DELTAS + columns->count) * CSV_NUMBER_BYTES;
	char *to = csv_room(sink, file, FILE_NAME, bytes), *start = to;
	int64_t group_id;

	if (!to)
		return sink->error.status;
	if (parse_number(fields[GROUP_ID], &group_id))
		group = map_get(&columns->groups, (uint64_t)group_id);
	to += put(to, fields[SWITCH_ID]);
	*to++ = ',';
	if (group)
		to += text_int(to, group->trace_id);
	for (enum source i = TS_NS; i <= GROUP_ID; i++) {
		*to++ = ',';
		to += put(to, fields[i]);
	}
	for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
		*to++ = ',';
		to += put(to, who[i]);
	}
	*to++ = ',';
	to += put(to, fields[PREV_STATE]);
	*to++ = ',';
	to += put_status(to, fields[STATUS]);
	for (enum source i = ON_CPU_NS; i <= RUNNING_NS; i++) {
		*to++ = ',';
		to += put(to, fields[i]);
	}
	to += put_deltas(to, line, group, columns, cells);
	*to++ = '\n';
	file->used += (size_t)(to - start);
	return ST_OK;
}

/* The fields of a line of numbers. */
static void split(struct line *line, const char *from, const char *end)
{
	line->count = 0;
	for (; line->count < FIELDS_MAX; from++) {
		const char *comma = memchr(from, ',', (size_t)(end - from));
		const char *to = comma ? comma : end;

		line->fields[line->count++] = (struct str){ from, (size_t)(to - from) };
		from = to;
		if (!comma)
			break;
	}
	for (size_t i = line->count; i < DELTAS; i++)
		line->fields[i] = STR_NONE;
}

/* --- the file --- */

static enum status write_names(struct sink *sink, struct csv_file *file,
			       const struct csv_columns *columns)
{
	static const char fixed[] =
		"switch_id,trace_id,ts_ns,cpu,group_id,process,pid,thread,tid,"
		"next_thread,next_tid,prev_state,status,reason,on_cpu_ns,running_ns";
	char *to = csv_room(sink, file, FILE_NAME, sizeof(fixed));

	if (!to)
		return sink->error.status;
	file->used += put(to, STR(fixed));
	return csv_columns_write(sink, file, FILE_NAME, columns);
}

/* Lines of the chunk from `used` on; the rest of a line moves to its front. */
static enum status write_chunk(struct csv_named *named, struct sink *sink,
			       struct csv_file *file, const struct csv_columns *columns,
			       struct str *cells, char *chunk, size_t *used)
{
	const char *at = chunk, *end = chunk + *used, *newline;
	enum status status = ST_OK;
	struct line line;

	while (status == ST_OK && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		split(&line, at, newline);
		at = newline + 1;
		/* The header begins with a letter. */
		if (line.fields[0].len && line.fields[0].ptr[0] != 's')
			status = write_named(named, sink, file, &line, columns, cells);
	}
	*used = (size_t)(end - at);
	memmove(chunk, at, *used);
	return status;
}

static enum status copy_lines(struct csv_named *named, struct sink *sink,
			      struct csv_file *file, const struct csv_columns *columns,
			      int from)
{
	char *chunk = memory_alloc(CHUNK_BYTES);
	struct str *cells = memory_alloc_zeroed(columns->count + 1, sizeof(cells[0]));
	size_t used = 0;
	ptrdiff_t got = 1;
	enum status status = chunk && cells ? ST_OK : error_nomem(&sink->error);

	while (status == ST_OK && got > 0) {
		got = os_read(from, chunk + used, CHUNK_BYTES - used);
		if (got < 0)
			status = csv_file_failed(sink, SOURCE_NAME);
		else
			used += (size_t)got;
		if (status == ST_OK && os_interrupted())
			status = error_set(&sink->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
					   "interrupted");
		if (status == ST_OK)
			status = write_chunk(named, sink, file, columns, cells, chunk,
					     &used);
	}
	free(chunk);
	free(cells);
	return status;
}

enum status csv_named_write(struct csv_named *named, struct sink *sink,
			    struct os_folder *folder, const struct csv_columns *columns)
{
	struct csv_file file = { .fd = -1 };
	int from = os_open_in(folder, SOURCE_NAME ".csv", OS_READ);
	enum status status;

	if (from < 0)
		return csv_file_failed(sink, SOURCE_NAME);
	status = csv_file_open(sink, &file, folder, FILE_NAME, CSV_BUFFER_BYTES);
	if (status == ST_OK)
		status = write_names(sink, &file, columns);
	if (status == ST_OK)
		status = copy_lines(named, sink, &file, columns, from);
	if (status == ST_OK)
		status = csv_file_finish(sink, &file, FILE_NAME);
	(void)os_close(from);
	csv_file_close(&file);
	return status;
}
