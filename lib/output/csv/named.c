/* named.c - joins context_switch.csv with threads and names of counters. */
#include "output/csv/named.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiled_twice.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "base/uninitialized.h"
#include "base/unroll.h"

#define FILE_NAME "context_switch_named"
#define SOURCE_NAME "context_switch"
#define STATUS_BYTES 128
/* After a text so many bytes can be read, and written to. */
#define COPY_BYTES CSV_TASKS_SLACK
/* From the begin of a line on so many can be read, although it may be the last one. */
#define SPLIT_BYTES (3 * 64)

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

struct text {
	const char *ptr;
	size_t size;
};

/* What all lines have in common. */
struct joint {
	const struct csv_tasks *tasks;
	const struct csv_columns *columns;
	int fd;					   /* context_switch.csv */
	uint64_t bytes;				   /* of it */
	size_t slots;				   /* deltas of a line of it */
	size_t line_bytes;			   /* most of such a line */
	size_t added_bytes;			   /* most that a line gets more */
	struct text statuses[CHARGE_STATUSES + 1]; /* the last one: unknown */
	char status_text[CHARGE_STATUSES + 1][STATUS_BYTES + COPY_BYTES];
};

/* The group of a line. */
struct line_group {
	uint64_t field; /* short_field() of its number; 0: that is longer */
	char trace_text[TEXT_INT_MAX + 1 + COPY_BYTES];
	struct text trace;
	const struct csv_group *group;	    /* NULL: not known */
	bool is_plain;			    /* its slots are the columns, in order */
	struct text cells[CSV_COLUMNS_MAX]; /* of a line, by column */
};

/* A line of context_switch.csv. */
struct line {
	const char *begin, *end;  /* its newline */
	const char *ends[DELTAS]; /* of the fields before the deltas */
};

/* --- fields --- */

/* The bytes of a field of one to eight, the last one highest, after zeros. */
static ALWAYS_INLINE uint64_t short_field(const char *from, size_t length)
{
	uint64_t bytes;

	memcpy(&bytes, from, sizeof(bytes));
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	return bytes << (64 - 8 * length);
}

/* The number that such digits are. */
static ALWAYS_INLINE uint64_t parse_digits(uint64_t digits)
{
	digits &= UINT64_C(0x0f0f0f0f0f0f0f0f);
	/* Pairs, fours, all of them. */
	digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (digits * 10000 + (digits >> 32)) & UINT32_MAX;
}

/* A number of any length; INT_NONE: an empty field. */
static int64_t parse_any(struct text field)
{
	const char *at = field.ptr, *end = at + field.size;
	bool is_negative = at < end && *at == '-';
	uint64_t value = 0;

	if (at == end)
		return INT_NONE;
	for (at += is_negative; at < end; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	return (int64_t)(is_negative ? 0 - value : value);
}

/* An id, which is not negative; INT_NONE: an empty field. */
static ALWAYS_INLINE int64_t parse_id(struct text field)
{
	return field.size - 1 < 8
		       ? (int64_t)parse_digits(short_field(field.ptr, field.size))
		       : parse_any(field);
}

typedef char wide __attribute__((vector_size(32)));

/* 32 bytes, or as many as there are; so many after it can be read, and written to. */
static ALWAYS_INLINE char *put(char *to, struct text text)
{
	wide bytes;

	memcpy(&bytes, text.ptr, sizeof(bytes));
	memcpy(to, &bytes, sizeof(bytes));
	if (text.size > sizeof(bytes))
		memcpy(to + sizeof(bytes), text.ptr + sizeof(bytes),
		       text.size - sizeof(bytes));
	return to + text.size;
}

/* The same of a text that mostly has more than 32 bytes, and not more than 64. */
static ALWAYS_INLINE char *put_long(char *to, struct text text)
{
	wide bytes;

	memcpy(&bytes, text.ptr + sizeof(bytes), sizeof(bytes));
	memcpy(to + sizeof(bytes), &bytes, sizeof(bytes));
	memcpy(&bytes, text.ptr, sizeof(bytes));
	memcpy(to, &bytes, sizeof(bytes));
	if (text.size > 2 * sizeof(bytes))
		memcpy(to + 2 * sizeof(bytes), text.ptr + 2 * sizeof(bytes),
		       text.size - 2 * sizeof(bytes));
	return to + text.size;
}

/* --- lines of numbers --- */

/* False: it has fewer fields than a line of ours. */
static bool split_any(struct line *line)
{
	const char *at = line->begin;

	for (size_t i = 0; i < DELTAS; i++) {
		while (*at != ',' && *at != '\n')
			at++;
		if (*at == '\n' && i < DETAIL_ID)
			return false;
		line->ends[i] = at++;
	}
	line->end = line->ends[DETAIL_ID];
	while (*line->end != '\n')
		line->end++;
	return true;
}

#ifdef HAVE_AVX2

/* Which of 64 bytes are less than a limit, as bits. */
AVX2 static inline uint64_t find_less(const char *at, char limit)
{
	const __m256i all_limit = _mm256_set1_epi8(limit);
	__m256i first, second;

	memcpy(&first, at, sizeof(first));
	memcpy(&second, at + sizeof(first), sizeof(second));
	first = _mm256_cmpgt_epi8(all_limit, first);
	second = _mm256_cmpgt_epi8(all_limit, second);
	return (uint32_t)_mm256_movemask_epi8(first) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(second) << 32;
}

/*
 * False: one of its halves has more than 64 bytes.  Numbers have no bytes that are less
 * than a comma.
 */
AVX2 static inline bool split_by_avx2(struct line *line)
{
	const char *at = line->begin;
	uint64_t bits = find_less(at, ',' + 1);

	if (__builtin_popcountll(bits) <= PREV_THREAD)
		return false;
	COMPLETELY
	for (size_t i = 0; i <= PREV_THREAD; i++, bits &= bits - 1)
		line->ends[i] = at + __builtin_ctzll(bits);
	at = line->ends[PREV_THREAD] + 1;
	bits = find_less(at, ',' + 1);
	if (__builtin_popcountll(bits) < DELTAS - NEXT_THREAD)
		return false;
	COMPLETELY
	for (size_t i = NEXT_THREAD; i < DELTAS; i++, bits &= bits - 1)
		line->ends[i] = at + __builtin_ctzll(bits);
	at = line->ends[DETAIL_ID];
	bits = find_less(at, '\n' + 1);
	line->end = bits ? at + __builtin_ctzll(bits) : strchr(at, '\n');
	return true;
}
#endif

static ALWAYS_INLINE bool split(struct line *line, bool has_avx2)
{
#ifdef HAVE_AVX2
	if (has_avx2 && split_by_avx2(line))
		return true;
#endif
	(void)has_avx2;
	return split_any(line);
}

/* From one field to another one, without the border after that. */
static ALWAYS_INLINE struct text span(const struct line *line, size_t first, size_t last)
{
	const char *begin = first ? line->ends[first - 1] + 1 : line->begin;

	return (struct text){ begin, (size_t)(line->ends[last] - begin) };
}

/* --- lines with names --- */

static ALWAYS_INLINE char *put_span(char *to, const struct line *line, size_t first,
				    size_t last)
{
	struct text text = span(line, first, last);

	text.size++;
	return put(to, text);
}

static void set_group(struct line_group *group, const struct joint *joint,
		      struct text field)
{
	const struct csv_columns *columns = joint->columns;
	int64_t id = parse_any(field);
	const struct csv_group *found =
		id == INT_NONE ? NULL : map_get(&columns->groups, (uint64_t)id);
	size_t size = found ? text_int(group->trace_text, found->trace_id) : 0;

	group->trace_text[size] = ',';
	group->trace = (struct text){ group->trace_text, size + 1 };
	group->field = field.size - 1 < 8 ? short_field(field.ptr, field.size) : 0;
	group->group = found;
	group->is_plain =
		found && found->slots == columns->count && found->slots == joint->slots;
	for (size_t i = 0; group->is_plain && i < found->slots; i++)
		group->is_plain = found->columns[i] == i;
}

static ALWAYS_INLINE bool is_group(const struct line_group *group, struct text field)
{
	return field.size - 1 < 8 && short_field(field.ptr, field.size) == group->field;
}

static ALWAYS_INLINE struct text status_text(const struct joint *joint, struct text field)
{
	uint64_t status = field.size == 1 ? (uint64_t)(*field.ptr - '0')
					  : (uint64_t)parse_any(field);

	return joint->statuses[status < CHARGE_STATUSES ? status : CHARGE_STATUSES];
}

/* Deltas by column; slots without a column are left out. */
static char *put_deltas(char *to, const struct joint *joint, const struct line *line,
			struct line_group *group)
{
	size_t columns = joint->columns->count;
	const struct csv_group *found = group->group;
	const char *at = line->ends[DETAIL_ID];

	memset(group->cells, 0, columns * sizeof(group->cells[0]));
	for (size_t i = 0; found && i < found->slots && at < line->end; i++) {
		const char *begin = at + 1;

		at = memchr(begin, ',', (size_t)(line->end - begin));
		if (!at)
			at = line->end;
		if (found->columns[i] < columns)
			group->cells[found->columns[i]] =
				(struct text){ begin, (size_t)(at - begin) };
	}
	for (size_t i = 0; i < columns; i++) {
		*to++ = ',';
		if (group->cells[i].size)
			to = put(to, group->cells[i]);
	}
	*to++ = '\n';
	return to;
}

static ALWAYS_INLINE char *put_line(char *to, const struct joint *joint,
				    const struct line *line, struct line_group *group)
{
	const struct csv_task_list *threads = &joint->tasks->threads;
	const char *texts = (const char *)joint->tasks->text.data;
	const struct csv_task *prev =
		csv_tasks_find(threads, parse_id(span(line, PREV_THREAD, PREV_THREAD)));
	const struct csv_task *next =
		csv_tasks_find(threads, parse_id(span(line, NEXT_THREAD, NEXT_THREAD)));
	struct text group_id = span(line, GROUP_ID, GROUP_ID);
	const char *deltas = line->ends[DETAIL_ID];

	if (!is_group(group, group_id))
		set_group(group, joint, group_id);
	to = put_span(to, line, SWITCH_ID, SWITCH_ID);
	to = put(to, group->trace);
	to = put_span(to, line, TS_NS, GROUP_ID);
	to = put(to, (struct text){ texts + prev->process_at, prev->process_size });
	to = put(to, (struct text){ texts + prev->at, prev->size });
	to = put(to, (struct text){ texts + next->at, next->size });
	to = put_span(to, line, PREV_STATE, PREV_STATE);
	to = put(to, status_text(joint, span(line, STATUS, STATUS)));
	to = put(to, span(line, ON_CPU_NS, RUNNING_NS));
	if (!group->is_plain)
		return put_deltas(to, joint, line, group);
	return put_long(to, (struct text){ deltas, (size_t)(line->end + 1 - deltas) });
}

/* Lines of context_switch.csv become text. */
struct source_lines {
	struct csv_piece *piece;
	const char *at, *end;
};

static ALWAYS_INLINE void name_lines_any(struct source_lines *lines, bool has_avx2)
{
	struct csv_piece *piece = lines->piece;
	const struct joint *joint = piece->all->context;
	struct line line UNINITIALIZED;
	struct line_group group UNINITIALIZED;

	line.begin = lines->at;
	group.field = 0;
	while (line.begin < lines->end && split(&line, has_avx2)) {
		size_t bytes = (size_t)(line.end - line.begin) + joint->added_bytes;
		char *to = csv_piece_room(piece, bytes);

		if (!to)
			break;
		piece->size = (size_t)(put_line(to, joint, &line, &group) - piece->text);
		line.begin = line.end + 1;
	}
	lines->at = line.begin;
}

COMPILED_TWICE(name_lines, struct source_lines *)

/*
 * A piece has the lines after the newlines in a part of the file; the line before the
 * first one is the header, or belongs to the part before.
 */
static void make_piece(struct csv_piece *piece)
{
	const struct joint *joint = piece->all->context;
	char *text = piece->source, *end = text + piece->used;
	uint64_t left = joint->bytes - piece->place - piece->used;
	size_t more = left < joint->line_bytes ? (size_t)left : joint->line_bytes;
	struct source_lines lines = { .piece = piece };
	const char *last;

	if (!os_read_all_at(joint->fd, text, piece->used + more, piece->place)) {
		piece->failure = errno;
		return;
	}
	memset(end + more, '\n', SPLIT_BYTES);
	lines.at = memchr(text, '\n', piece->used);
	if (!lines.at)
		return; /* in the middle of the header */
	lines.at++;
	last = more ? memchr(end, '\n', more) : end - 1;
	if (last) {
		lines.end = last + 1;
		name_lines(&lines);
	}
	if (lines.at != lines.end && !piece->failure)
		piece->failure = EIO; /* not a file of ours */
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

static void describe_statuses(struct joint *joint)
{
	for (size_t i = 0; i <= CHARGE_STATUSES; i++) {
		char *to = joint->status_text[i];
		size_t size = i < CHARGE_STATUSES
				      ? text_print(to, STATUS_BYTES, "\"%s\",\"%s\",",
						   charge_status_words[i].name,
						   charge_status_words[i].reason)
				      : text_print(to, STATUS_BYTES, ",,");

		joint->statuses[i] = (struct text){ to, size };
	}
}

/* All lines, a piece at a time. */
static enum status write_lines(struct sink *sink, struct csv_file *file,
			       const struct joint *joint, struct csv_pieces *pieces)
{
	enum status status = ST_OK;

	csv_pieces_begin(pieces, file, FILE_NAME, make_piece, joint);
	for (uint64_t at = 0; at < joint->bytes && status == ST_OK;
	     at += CSV_SOURCE_BYTES) {
		struct csv_piece *piece = csv_pieces_filling(pieces);
		uint64_t left = joint->bytes - at;

		piece->place = at;
		piece->used = left < CSV_SOURCE_BYTES ? (size_t)left : CSV_SOURCE_BYTES;
		status = csv_pieces_turn(pieces, sink);
		if (status == ST_OK && os_interrupted())
			status = error_set(&sink->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
					   "interrupted");
	}
	return csv_pieces_end(pieces, status, sink);
}

static enum status write_file(struct sink *sink, struct os_folder *folder,
			      const struct joint *joint, struct csv_pieces *pieces)
{
	struct csv_file file;
	enum status status =
		csv_file_open(sink, &file, folder, FILE_NAME, CSV_BUFFER_BYTES);

	if (status == ST_OK)
		status = write_names(sink, &file, joint->columns);
	if (status == ST_OK)
		status = write_lines(sink, &file, joint, pieces);
	if (status == ST_OK)
		status = csv_file_finish(sink, &file, FILE_NAME);
	csv_file_close(&file);
	return status;
}

enum status csv_named_write(const struct csv_tasks *tasks, struct sink *sink,
			    struct os_folder *folder, const struct csv_columns *columns,
			    size_t slots, struct csv_pieces *pieces)
{
	size_t most = CSV_SLACK_BYTES - SPLIT_BYTES;
	size_t line_bytes = (DELTAS + slots) * (TEXT_INT_MAX + 1);
	struct joint joint = { .tasks = tasks,
			       .columns = columns,
			       .fd = os_open_in(folder, SOURCE_NAME ".csv", OS_READ),
			       .slots = slots,
			       .line_bytes = line_bytes < most ? line_bytes : most,
			       .added_bytes = 2 * tasks->longest + STATUS_BYTES +
					      TEXT_INT_MAX + columns->count +
					      2 * COPY_BYTES };
	struct os_info info;
	enum status status;

	if (joint.fd < 0 || !os_inspect(joint.fd, &info)) {
		status = csv_file_failed(sink, SOURCE_NAME);
	} else {
		joint.bytes = info.size;
		describe_statuses(&joint);
		status = write_file(sink, folder, &joint, pieces);
	}
	if (joint.fd >= 0)
		(void)os_close(joint.fd);
	return status;
}
