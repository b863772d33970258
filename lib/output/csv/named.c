/* named.c - joins context_switch.csv with threads and names of counters. */
#include "output/csv/named.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "output/csv/pieces.h"

#define FILE_NAME "context_switch_named"
#define SOURCE_NAME "context_switch"
#define CHUNK_BYTES ((size_t)256 * 1024)
#define STATUS_BYTES 128
/* A text of at most so many bytes is copied with bytes after it: that needs no branch. */
#define COPY_BYTES 32

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
#define FIXED_BYTES (16 * CSV_NUMBER_BYTES + STATUS_BYTES + COPY_BYTES)

/* "name",pid */
struct process_task {
	struct str text;
};

/* "process",pid,"thread",tid, of which next_thread has the second half. */
struct thread_task {
	struct str text, thread;
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
	char status_text[CHARGE_STATUSES][STATUS_BYTES + COPY_BYTES];
};

/* What a piece keeps from line to line. */
struct latest {
	const struct csv_group *group;
	int64_t group_id;
	bool has_plain_group; /* its slots are the columns, in order */
	struct str *cells;    /* by column */
};

/* --- tasks --- */

/* Most bytes of put_task() with such a name. */
static size_t task_bytes(struct str name)
{
	return 2 * name.len + sizeof("\"'\",") + TEXT_INT_MAX;
}

/* CSV of a text and a number, either of which may be missing. */
static struct str put_task(const struct sink *sink, char *to, struct str name,
			   int64_t number)
{
	size_t at = csv_text(sink, to, name);

	to[at++] = ',';
	if (number != INT_NONE)
		at += text_int(to + at, number);
	return (struct str){ to, at };
}

static bool add_process(struct csv_named *named, const struct sink *sink,
			const struct process_row *row)
{
	struct process_task *task = arena_alloc(&named->arena, sizeof(*task));
	char *to = arena_alloc(&named->arena, task_bytes(row->name));

	if (!task || !to)
		return false;
	task->text = put_task(sink, to, row->name, row->pid);
	return map_put(&named->processes, (uint64_t)row->process_id, task);
}

static bool add_thread(struct csv_named *named, const struct sink *sink,
		       const struct thread_row *row)
{
	const struct process_task *process =
		map_get(&named->processes, (uint64_t)row->process_id);
	struct str front = process ? process->text : STR(",");
	struct thread_task *task = arena_alloc(&named->arena, sizeof(*task));
	char *to = arena_alloc(&named->arena,
			       front.len + 1 + task_bytes(row->name) + COPY_BYTES);

	if (!task || !to)
		return false;
	memcpy(to, front.ptr, front.len);
	to[front.len] = ',';
	task->thread = put_task(sink, to + front.len + 1, row->name, row->tid);
	task->text = (struct str){ to, front.len + 1 + task->thread.len };
	return map_put(&named->threads, (uint64_t)row->thread_id, task);
}

bool csv_named_on_row(struct csv_named *named, const struct sink *sink,
		      const struct record *record)
{
	if (record->kind == RECORD_thread)
		return add_thread(named, sink, record->data);
	return record->kind != RECORD_process || add_process(named, sink, record->data);
}

void csv_named_release(struct csv_named *named)
{
	map_release(&named->processes);
	map_release(&named->threads);
	arena_release(&named->arena);
	*named = (struct csv_named){ .arena = { NULL } };
}

/* --- lines of numbers --- */

/* Where lines are split: commas and newlines of 64 bytes, as bits. */
struct ends {
	const char *base;
	uint64_t bits;
};

/* All bytes but these are digits and signs, which are greater. */
static inline uint64_t find_ends(const char *at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 8; i++) {
		uint64_t bytes;

		memcpy(&bytes, at + 8 * i, sizeof(bytes));
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
		bytes = __builtin_bswap64(bytes);
#endif
		/* The high bit of each byte that is less, then these side by side. */
		bytes = ~((bytes | high) - ones * (',' + 1)) & high;
		bits |= (bytes >> 7) * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
	}
	return bits;
}

/* There is one more. */
static inline const char *next_end(struct ends *ends)
{
	const char *end;

	while (!ends->bits) {
		ends->base += 64;
		ends->bits = find_ends(ends->base);
	}
	end = ends->base + __builtin_ctzll(ends->bits);
	ends->bits &= ends->bits - 1;
	return end;
}

/* The line at `at`; returns the one after it.  The newline is there. */
static inline const char *split(struct line *line, const char *at, struct ends *ends)
{
	const char *end = at - 1;

	for (size_t i = 0; i < DELTAS; i++) {
		if (i == 0 || *end != '\n') {
			at = end + 1;
			end = next_end(ends);
		} else { /* not a line of ours: empty */
			at = end;
		}
		line->fields[i] = (struct str){ at, (size_t)(end - at) };
	}
	at = *end == '\n' ? end : end + 1;
	while (*end != '\n')
		end = next_end(ends);
	line->deltas = (struct str){ at, (size_t)(end - at) };
	return end + 1;
}

/* A number of ours; false: an empty field. */
static inline bool parse_number(struct str field, int64_t *number)
{
	bool is_negative = field.len && field.ptr[0] == '-';
	uint64_t value = 0;

	for (size_t i = is_negative; i < field.len; i++)
		value = value * 10 + (uint64_t)(field.ptr[i] - '0');
	*number = (int64_t)(is_negative ? 0 - value : value);
	return field.len > (size_t)is_negative;
}

/* The bytes from the first field to the end of the last, with the commas in between. */
static struct str span(const struct line *line, enum source first, enum source last)
{
	const char *from = line->fields[first].ptr;

	return (struct str){ from, (size_t)(line->fields[last].ptr +
					    line->fields[last].len - from) };
}

/* --- lines with names --- */

/* After the text COPY_BYTES can be read. */
static inline char *put(char *to, struct str text)
{
	if (text.len <= COPY_BYTES)
		memcpy(to, text.ptr, COPY_BYTES);
	else
		memcpy(to, text.ptr, text.len);
	return to + text.len;
}

static const char no_text[COPY_BYTES] = ",,,";
static const struct thread_task no_thread = { { no_text, 3 }, { no_text, 1 } };

static const struct thread_task *find_thread(const struct csv_named *named,
					     struct str field)
{
	const struct thread_task *task = NULL;
	int64_t id;

	if (parse_number(field, &id))
		task = map_get(&named->threads, (uint64_t)id);
	return task ? task : &no_thread;
}

static struct str status_text(const struct joint *joint, struct str field)
{
	int64_t status;

	return parse_number(field, &status) && status >= 0 && status < CHARGE_STATUSES
		       ? joint->statuses[status]
		       : no_thread.thread;
}

/* Mostly the group of the line before. */
static const struct csv_group *find_group(struct latest *latest,
					  const struct joint *joint, struct str field)
{
	const struct csv_columns *columns = joint->columns;
	const struct csv_group *group = NULL;
	int64_t id;

	if (parse_number(field, &id)) {
		if (latest->group && latest->group_id == id)
			return latest->group;
		group = map_get(&columns->groups, (uint64_t)id);
		latest->group_id = id;
	}
	latest->group = group;
	latest->has_plain_group =
		group && group->slots == columns->count && group->slots == joint->slots;
	for (size_t i = 0; latest->has_plain_group && i < group->slots; i++)
		latest->has_plain_group = group->columns[i] == i;
	return group;
}

/* Deltas by column; slots without a column are left out. */
static char *put_deltas(char *to, const struct latest *latest, const struct joint *joint,
			struct str deltas)
{
	size_t columns = joint->columns->count;
	const struct csv_group *group = latest->group;
	const char *at = deltas.ptr, *end = at + deltas.len;

	if (latest->has_plain_group) {
		if (columns)
			*to++ = ',';
		return put(to, deltas);
	}
	memset(latest->cells, 0, columns * sizeof(latest->cells[0]));
	for (size_t i = 0; group && i < group->slots && i < joint->slots; i++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *cell_end = comma ? comma : end;

		if (group->columns[i] < columns)
			latest->cells[group->columns[i]] =
				(struct str){ at, (size_t)(cell_end - at) };
		at = comma ? comma + 1 : end;
	}
	for (size_t i = 0; i < columns; i++) {
		*to++ = ',';
		if (latest->cells[i].len)
			to = put(to, latest->cells[i]);
	}
	return to;
}

static inline char *put_line(char *to, const struct line *line, struct latest *latest,
			     const struct joint *joint, const struct thread_task *prev,
			     const struct thread_task *next)
{
	const struct str *fields = line->fields;
	const struct csv_group *group = find_group(latest, joint, fields[GROUP_ID]);

	to = put(to, fields[SWITCH_ID]);
	*to++ = ',';
	if (group)
		to += text_int(to, group->trace_id);
	*to++ = ',';
	to = put(to, span(line, TS_NS, GROUP_ID));
	*to++ = ',';
	to = put(to, prev->text);
	*to++ = ',';
	to = put(to, next->thread);
	*to++ = ',';
	to = put(to, fields[PREV_STATE]);
	*to++ = ',';
	to = put(to, status_text(joint, fields[STATUS]));
	*to++ = ',';
	to = put(to, span(line, ON_CPU_NS, RUNNING_NS));
	to = put_deltas(to, latest, joint, line->deltas);
	*to++ = '\n';
	return to;
}

static bool write_named(struct csv_piece *piece, const struct line *line,
			struct latest *latest)
{
	const struct joint *joint = piece->all->context;
	const struct thread_task *prev =
		find_thread(joint->named, line->fields[PREV_THREAD]);
	const struct thread_task *next =
		find_thread(joint->named, line->fields[NEXT_THREAD]);
	size_t numbers = (size_t)(line->deltas.ptr + line->deltas.len -
				  line->fields[SWITCH_ID].ptr);
	char *to = csv_piece_room(piece, FIXED_BYTES + prev->text.len + next->thread.len +
						 joint->columns->count + numbers);

	if (!to)
		return false;
	piece->size =
		(size_t)(put_line(to, line, latest, joint, prev, next) - piece->text);
	return true;
}

/* The lines of a piece, which are whole, become text. */
static void write_lines(struct csv_piece *piece)
{
	const struct joint *joint = piece->all->context;
	const char *at = piece->source, *end = at + piece->used;
	struct ends ends = { at, piece->used ? find_ends(at) : 0 };
	struct latest latest = { .cells = memory_alloc_zeroed(joint->columns->count + 1,
							      sizeof(struct str)) };
	struct line line;

	piece->out_of_memory |= !latest.cells;
	while (at < end && !piece->out_of_memory) {
		at = split(&line, at, &ends);
		if (!write_named(piece, &line, &latest))
			break;
	}
	free(latest.cells);
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
	memcpy(to, fixed, sizeof(fixed) - 1);
	file->used += sizeof(fixed) - 1;
	return csv_columns_write(sink, file, FILE_NAME, columns);
}

/* A source of whole lines. */
struct source_file {
	int fd;
	size_t kept; /* bytes read last that belong to the next piece */
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

/* Fills the piece with the next lines. */
static enum status read_lines(struct sink *sink, struct source_file *from,
			      struct csv_piece *piece)
{
	const char *newline;
	ptrdiff_t got = 1;

	piece->used = from->kept;
	if (from->kept)
		memmove(piece->source, from->kept_at, from->kept);
	while (!from->is_over && piece->used < CHUNK_BYTES) {
		got = os_read(from->fd, piece->source + piece->used,
			      CHUNK_BYTES - piece->used);
		if (got < 0)
			return csv_file_failed(sink, SOURCE_NAME);
		piece->used += (size_t)got;
		from->is_over = got == 0;
	}
	memset(piece->source + piece->used, 0, CSV_SLACK_BYTES);
	newline = last_newline(piece->source, piece->used);
	if (!newline && piece->used == CHUNK_BYTES)
		return error_set(&sink->error, ST_CORRUPT, ERROR_NO_OFFSET,
				 "cannot read %s.csv: a line of more than %zu bytes",
				 SOURCE_NAME, CHUNK_BYTES);
	from->kept_at = newline ? newline + 1 : piece->source;
	from->kept = (size_t)(piece->source + piece->used - from->kept_at);
	piece->used -= from->kept;
	return os_interrupted() ? error_set(&sink->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
					    "interrupted")
				: ST_OK;
}

/* Without the header, whose columns are counted. */
static enum status read_first_lines(struct sink *sink, struct source_file *from,
				    struct joint *joint, struct csv_piece *piece)
{
	enum status status = read_lines(sink, from, piece);
	const char *newline =
		piece->used ? memchr(piece->source, '\n', piece->used) : NULL;
	size_t columns = 1;

	if (status != ST_OK || !newline)
		return status;
	for (const char *at = piece->source; at < newline; at++)
		columns += *at == ',';
	joint->slots = columns - DELTAS;
	piece->used -= (size_t)(newline + 1 - piece->source);
	memmove(piece->source, newline + 1, piece->used + from->kept);
	from->kept_at = piece->source + piece->used;
	return ST_OK;
}

/* All lines, a piece at a time. */
static enum status write_pieces(struct sink *sink, struct csv_file *file,
				struct source_file *from, struct joint *joint,
				struct csv_pieces *pieces)
{
	enum status status =
		read_first_lines(sink, from, joint, csv_pieces_filling(pieces));

	while (status == ST_OK && !from->is_over) {
		status = csv_pieces_turn(pieces, sink, file, FILE_NAME);
		if (status == ST_OK)
			status = read_lines(sink, from, csv_pieces_filling(pieces));
	}
	return status == ST_OK ? csv_pieces_end(pieces, sink, file, FILE_NAME) : status;
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
			      int from)
{
	struct joint joint = { .named = named, .columns = columns };
	struct source_file source = { .fd = from };
	struct csv_pieces pieces;
	enum status status = ST_OK;

	describe_statuses(&joint);
	if (csv_pieces_init(&pieces, CHUNK_BYTES, write_lines, &joint))
		status = write_pieces(sink, file, &source, &joint, &pieces);
	else
		status = error_nomem(&sink->error);
	csv_pieces_release(&pieces);
	return status;
}

enum status csv_named_write(const struct csv_named *named, struct sink *sink,
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
