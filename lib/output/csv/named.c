/* named.c - joins context_switch.csv with threads and names of counters. */
#include "output/csv/named.h"

#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#define FILE_NAME "context_switch_named"
#define SOURCE_NAME "context_switch"
#define CHUNK_BYTES ((size_t)256 * 1024)
#define SLACK_BYTES 16 /* that find_end() may read */
#define STATUS_BYTES 128

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

/* A comma each, and a number where it is not copied. */
#define FIXED_BYTES (16 * CSV_NUMBER_BYTES + STATUS_BYTES)

/* "name",pid and the like, as lines need it. */
struct task {
	struct str text;
};

/* A line of numbers: its first fields, and where the deltas are, without a comma. */
struct line {
	struct str fields[DELTAS];
	struct str deltas;
};

/* What all lines have in common. */
struct joint {
	const struct csv_named *named;
	const struct csv_columns *columns;
	size_t slots; /* deltas of a line of context_switch.csv */
	struct str statuses[CHARGE_STATUSES];
	char status_text[CHARGE_STATUSES][STATUS_BYTES];
};

/* Whole lines, and what becomes of them, in one thread. */
struct part {
	const struct joint *joint;
	char *lines;
	size_t used; /* of them */
	char *text;
	size_t size, room;
	const struct csv_group *group; /* of the latest line */
	int64_t group_id;
	bool has_plain_group; /* its slots are the columns, in order */
	struct str *cells;    /* by column */
	bool out_of_memory;
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

	if (field.len == 1) { /* most statuses and groups */
		*number = field.ptr[0] - '0';
		return true;
	}
	bool is_negative = field.len && field.ptr[0] == '-';

	for (size_t i = is_negative; i < field.len; i++)
		value = value * 10 + (uint64_t)(field.ptr[i] - '0');
	*number = (int64_t)(is_negative ? 0 - value : value);
	return field.len > (size_t)is_negative;
}

static char *put(char *to, struct str text)
{
	if (text.len)
		memcpy(to, text.ptr, text.len);
	return to + text.len;
}

/* The bytes from the first field to the end of the last, with the commas in between. */
static struct str span(const struct line *line, enum source first, enum source last)
{
	const char *from = line->fields[first].ptr;

	return (struct str){ from, (size_t)(line->fields[last].ptr +
					    line->fields[last].len - from) };
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

static struct str status_text(const struct joint *joint, struct str field)
{
	int64_t status;

	return parse_number(field, &status) && status >= 0 && status < CHARGE_STATUSES
		       ? joint->statuses[status]
		       : STR(",");
}

/* Mostly the group of the line before. */
static const struct csv_group *find_group(struct part *part, struct str field)
{
	const struct csv_columns *columns = part->joint->columns;
	const struct csv_group *group = NULL;
	int64_t id;

	if (parse_number(field, &id)) {
		if (part->group && part->group_id == id)
			return part->group;
		group = map_get(&columns->groups, (uint64_t)id);
		part->group_id = id;
	}
	part->group = group;
	part->has_plain_group = group && group->slots == columns->count &&
				group->slots == part->joint->slots;
	for (size_t i = 0; part->has_plain_group && i < group->slots; i++)
		part->has_plain_group = group->columns[i] == i;
	return group;
}

/* Deltas by column; slots without a column are left out. */
static char *put_deltas(char *to, struct part *part, struct str deltas)
{
	size_t columns = part->joint->columns->count;
	const struct csv_group *group = part->group;
	const char *at = deltas.ptr, *end = at + deltas.len;

	if (part->has_plain_group) {
		if (columns)
			*to++ = ',';
		return put(to, deltas);
	}
	memset(part->cells, 0, columns * sizeof(part->cells[0]));
	for (size_t i = 0; group && i < group->slots && i < part->joint->slots; i++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *cell_end = comma ? comma : end;

		if (group->columns[i] < columns)
			part->cells[group->columns[i]] =
				(struct str){ at, (size_t)(cell_end - at) };
		at = comma ? comma + 1 : end;
	}
	for (size_t i = 0; i < columns; i++) {
		*to++ = ',';
		to = put(to, part->cells[i]);
	}
	return to;
}

/* Room for `bytes` more; NULL: out of memory. */
static char *part_room(struct part *part, size_t bytes)
{
	if (part->room - part->size < bytes) {
		size_t room = 2 * part->room + bytes;
		char *text = memory_resize(part->text, room);

		if (!text)
			return NULL;
		part->text = text;
		part->room = room;
	}
	return part->text + part->size;
}

static bool write_named(struct part *part, const struct line *line)
{
	const struct joint *joint = part->joint;
	const struct str *fields = line->fields;
	const struct thread_task *prev = find_thread(joint->named, fields[PREV_THREAD]);
	const struct thread_task *next = find_thread(joint->named, fields[NEXT_THREAD]);
	struct str who[] = { text_of(prev ? prev->process : NULL),
			     text_of(prev ? prev->thread : NULL),
			     text_of(next ? next->thread : NULL) };
	const struct csv_group *group = find_group(part, fields[GROUP_ID]);
	char *to = part_room(part, FIXED_BYTES + who[0].len + who[1].len + who[2].len +
					   joint->columns->count + line->deltas.len);

	if (!to)
		return false;
	to = put(to, fields[SWITCH_ID]);
	*to++ = ',';
	if (group)
		to += text_int(to, group->trace_id);
	*to++ = ',';
	to = put(to, span(line, TS_NS, GROUP_ID));
	for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
		*to++ = ',';
		to = put(to, who[i]);
	}
	*to++ = ',';
	to = put(to, fields[PREV_STATE]);
	*to++ = ',';
	to = put(to, status_text(joint, fields[STATUS]));
	*to++ = ',';
	to = put(to, span(line, ON_CPU_NS, RUNNING_NS));
	to = put_deltas(to, part, line->deltas);
	*to++ = '\n';
	part->size = (size_t)(to - part->text);
	return true;
}

/*
 * The next comma or newline, which is there; eight bytes after it may be read.  All other
 * bytes of a line are digits and signs, which are greater.
 */
static inline const char *find_end(const char *at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	for (;; at += 8) {
		uint64_t bytes, lower;

		memcpy(&bytes, at, sizeof(bytes));
		lower = (bytes - ones * (',' + 1)) & ~bytes & (ones << 7);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		if (lower) /* the lowest is the first */
			return at + __builtin_ctzll(lower) / 8;
#else
		for (int i = 0; lower && i < 8; i++)
			if (at[i] == ',' || at[i] == '\n')
				return at + i;
#endif
	}
}

/* The line at `at`; returns the one after it.  The newline is there. */
static const char *split(struct line *line, const char *at, const char *end)
{
	const char *newline;

	for (size_t i = 0; i < DELTAS; i++) {
		const char *from = at;

		at = find_end(at);
		line->fields[i] = (struct str){ from, (size_t)(at - from) };
		at += *at == ',';
	}
	newline = memchr(at, '\n', (size_t)(end - at));
	line->deltas = (struct str){ at, (size_t)(newline - at) };
	return newline + 1;
}

/* The lines of a part become text. */
static void write_lines(void *context)
{
	struct part *part = context;
	const char *at = part->lines, *end = at + part->used;
	struct line line;

	part->size = 0;
	while (at < end && !part->out_of_memory) {
		at = split(&line, at, end);
		part->out_of_memory = !write_named(part, &line);
	}
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
	file->used += (size_t)(put(to, STR(fixed)) - to);
	return csv_columns_write(sink, file, FILE_NAME, columns);
}

/* A source of whole lines. */
struct source_file {
	int fd;
	size_t kept; /* bytes of the part read last that belong to the next one */
	const char *kept_at;
	bool is_over;
};

/* NULL: there is none. */
static const char *last_newline(const char *lines, size_t size)
{
	while (size && lines[size - 1] != '\n')
		size--;
	return size ? lines + size - 1 : NULL;
}

/* Fills the part with the next lines; none: it is the end. */
static enum status read_lines(struct sink *sink, struct source_file *from,
			      struct part *part)
{
	const char *newline;
	ptrdiff_t got = 1;

	part->used = from->kept;
	if (from->kept)
		memmove(part->lines, from->kept_at, from->kept);
	while (!from->is_over && part->used < CHUNK_BYTES) {
		got = os_read(from->fd, part->lines + part->used,
			      CHUNK_BYTES - part->used);
		if (got < 0)
			return csv_file_failed(sink, SOURCE_NAME);
		part->used += (size_t)got;
		from->is_over = got == 0;
	}
	newline = last_newline(part->lines, part->used);
	if (!newline && part->used == CHUNK_BYTES)
		return error_set(&sink->error, ST_CORRUPT, ERROR_NO_OFFSET,
				 "cannot read %s.csv: a line of more than %zu bytes",
				 SOURCE_NAME, CHUNK_BYTES);
	from->kept_at = newline ? newline + 1 : part->lines;
	from->kept = (size_t)(part->lines + part->used - from->kept_at);
	part->used -= from->kept;
	return os_interrupted() ? error_set(&sink->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
					    "interrupted")
				: ST_OK;
}

/* Without the header, whose columns are counted. */
static enum status read_first_lines(struct sink *sink, struct source_file *from,
				    struct joint *joint, struct part *part)
{
	enum status status = read_lines(sink, from, part);
	const char *newline = part->used ? memchr(part->lines, '\n', part->used) : NULL;
	size_t columns = 1;

	if (status != ST_OK || !newline)
		return status;
	for (const char *at = part->lines; at < newline; at++)
		columns += *at == ',';
	joint->slots = columns - DELTAS;
	part->used -= (size_t)(newline + 1 - part->lines);
	memmove(part->lines, newline + 1, part->used + from->kept);
	from->kept_at = part->lines + part->used;
	return ST_OK;
}

static enum status write_part(struct sink *sink, struct csv_file *file,
			      const struct part *part)
{
	struct csv_file whole = { file->fd, part->size, part->room, part->text };

	if (part->out_of_memory)
		return error_nomem(&sink->error);
	return csv_file_flush(sink, &whole, FILE_NAME);
}

/* Two parts at a time, the second one in the second thread. */
static enum status write_parts(struct sink *sink, struct csv_file *file,
			       struct source_file *from, struct joint *joint,
			       struct part parts[2], struct background *background)
{
	enum status status = read_first_lines(sink, from, joint, &parts[0]);

	while (status == ST_OK && (parts[0].used || !from->is_over)) {
		status = read_lines(sink, from, &parts[1]);
		if (status == ST_OK && background)
			background_run(background, write_lines, &parts[1]);
		write_lines(&parts[0]);
		if (status == ST_OK)
			status = write_part(sink, file, &parts[0]);
		if (background)
			background_wait(background, 0);
		else
			write_lines(&parts[1]);
		if (status == ST_OK)
			status = write_part(sink, file, &parts[1]);
		if (status == ST_OK)
			status = read_lines(sink, from, &parts[0]);
	}
	return status;
}

static void describe_statuses(struct joint *joint)
{
	for (size_t i = 0; i < CHARGE_STATUSES; i++) {
		size_t size = text_print(joint->status_text[i], STATUS_BYTES,
					 "\"%s\",\"%s\"", charge_status_words[i].name,
					 charge_status_words[i].reason);

		joint->statuses[i] = (struct str){ joint->status_text[i], size };
	}
}

static enum status copy_lines(const struct csv_named *named, struct sink *sink,
			      struct csv_file *file, const struct csv_columns *columns,
			      struct background *background, int from)
{
	struct joint joint = { .named = named, .columns = columns };
	struct part parts[2] = { { .joint = &joint }, { .joint = &joint } };
	struct source_file source = { .fd = from };
	enum status status = csv_file_flush(sink, file, FILE_NAME); /* the header */

	describe_statuses(&joint);
	for (size_t i = 0; i < 2; i++) {
		parts[i].lines = memory_alloc(CHUNK_BYTES + SLACK_BYTES);
		parts[i].cells =
			memory_alloc_zeroed(columns->count + 1, sizeof(struct str));
		if (status == ST_OK && (!parts[i].lines || !parts[i].cells))
			status = error_nomem(&sink->error);
	}
	if (status == ST_OK)
		status = write_parts(sink, file, &source, &joint, parts, background);
	for (size_t i = 0; i < 2; i++) {
		free(parts[i].lines);
		free(parts[i].text);
		free(parts[i].cells);
	}
	return status;
}

enum status csv_named_write(const struct csv_named *named, struct sink *sink,
			    struct os_folder *folder, const struct csv_columns *columns,
			    struct background *background)
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
		status = copy_lines(named, sink, &file, columns, background, from);
	if (status == ST_OK)
		status = csv_file_finish(sink, &file, FILE_NAME);
	(void)os_close(from);
	csv_file_close(&file);
	return status;
}
