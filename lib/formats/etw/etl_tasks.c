/*
 * etl_tasks.c - Process, Thread and Image events: who was there, and what was loaded;
 * see docs/formats/etl.md for the versions of each payload.
 *
 * Such payloads do not say how wide their pointers are; the header does.  Programs other
 * than the kernel have written 64 bit payloads under 32 bit headers (sawbuck's files),
 * and SIDs after a pointer of zero, which for the kernel means that there is none.  So
 * where the kernel's reading does not end with the payload's last byte, the others are
 * tried.
 */
#include "base/array.h"
#include "base/text.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

#define SID_SUBAUTHORITIES_MAX 15
#define SID_TEXT_BYTES \
	(24 + SID_SUBAUTHORITIES_MAX * 11) /* "S-255-", 48 bits, "-", 32 bits */

/* --- texts --- */

/* A file's name in the code page of the machine, if it is not UTF-8 by now. */
static struct str ansi_name(struct etl_texts *texts, struct cursor *c)
{
	struct str name = cursor_nul_str(c);

	return !name.ptr || text_is_valid(name) ? name
						: etw_ansi_text(&texts->scratch, name);
}

static struct str not_empty(struct str text)
{
	return text.len ? text : STR_NONE;
}

/* A way to read a payload. */
struct shape {
	unsigned int pointer_bytes;
	bool sid_after_zero;
};

/* "S-1-5-21-..."; ptr NULL: none. */
static struct str decode_sid(struct etl_texts *texts, struct cursor *c,
			     const struct shape *shape)
{
	struct cursor ahead = *c;
	size_t room, at;
	char *to = etl_texts_room(texts, SID_TEXT_BYTES, &room);
	uint64_t authority = 0;
	unsigned int revision, count;

	if (cursor_u32(&ahead) == 0 && !shape->sid_after_zero) {
		cursor_skip(c, 4);
		return STR_NONE;
	}
	cursor_skip(c, 2 * shape->pointer_bytes); /* TOKEN_USER */
	revision = cursor_u8(c);
	count = cursor_u8(c);
	for (int i = 0; i < 6; i++) /* the only big-endian number of the file */
		authority = authority << 8 | cursor_u8(c);
	if (count > SID_SUBAUTHORITIES_MAX)
		c->overrun = true;
	at = text_print(to, room, "S-%u-%llu", revision, (unsigned long long)authority);
	for (unsigned int i = 0; i < count && !c->overrun; i++)
		at += text_print(to + at, room - at, "-%u", cursor_u32(c));
	texts->used += at;
	return c->overrun ? STR_NONE : (struct str){ to, at };
}

/* --- processes --- */

static void decode_process(struct etl_texts *texts, const struct etl_event *event,
			   const struct shape *shape, struct cursor *c,
			   struct etw_process_row *row)
{
	unsigned int pointer = shape->pointer_bytes, version = event->version;
	uint64_t first = etl_pointer(c, pointer);

	*row = (struct etw_process_row){ .session_id = INT_NONE,
					 .exit_status = INT_NONE,
					 .flags = INT_NONE,
					 .unique_key = INT_NONE,
					 .directory_table_base = INT_NONE };
	if (version == 0) {
		row->pid = (int64_t)first;
		row->parent_pid = (int64_t)etl_pointer(c, pointer);
	} else {
		*(version == 1 ? &row->directory_table_base : &row->unique_key) =
			(int64_t)first;
		row->pid = cursor_u32(c);
		row->parent_pid = cursor_u32(c);
		row->session_id = cursor_u32(c);
		row->exit_status = cursor_u32(c);
	}
	if (version >= 3)
		row->directory_table_base = (int64_t)etl_pointer(c, pointer);
	if (version >= 4)
		row->flags = cursor_u32(c);
	row->sid = decode_sid(texts, c, shape);
	row->image = not_empty(ansi_name(texts, c));
	if (version >= 2)
		row->command = not_empty(etl_utf16(texts, c));
	if (version >= 4) {
		row->package = not_empty(etl_utf16(texts, c));
		row->application_id = not_empty(etl_utf16(texts, c));
	}
	if (version == 5)
		cursor_skip(c, 8); /* ExitTime */
}

struct cursor etl_decode_process(struct etl_texts *texts, const struct etl_event *event,
				 struct etw_process_row *row)
{
	unsigned int pointer = event->pointer_bytes, other = 12 - pointer;
	const struct shape shapes[] = {
		{ pointer, false }, { pointer, true },	{ other, false },
		{ other, true },    { pointer, false }, /* none has fitted */
	};
	size_t used = texts->used;
	struct cursor c;

	for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
		texts->used = used;
		c = event->payload;
		decode_process(texts, event, &shapes[i], &c, row);
		if (!c.overrun && cursor_left(&c) == 0)
			break;
	}
	return c;
}

static void emit_process(struct etl_output *output, const struct etl_event *event,
			 const struct etw_process_row *row)
{
	struct task_process_event process = {
		.ts_ns = row->ts_ns,
		.pid = row->pid,
		.parent_pid = row->parent_pid,
		.what = event->opcode == 1   ? PROCESS_STARTED
			: event->opcode == 2 ? PROCESS_ENDED
					     : PROCESS_ALIVE,
		.name = row->image,
		.command = row->command,
	};

	emit_push_event(&output->emit, RECORD_TASK_PROCESS, event->offset, &process,
			sizeof(process));
	if (output->want_rows)
		etw_emit_row(&output->emit, TABLE_etw_process, event->offset, row);
}

static void on_process(struct etl_output *output, const struct etl_event *event,
		       int64_t ts_ns, const char *name)
{
	struct etw_process_row row;
	struct cursor c = etl_decode_process(output->texts, event, &row);

	row.ts_ns = ts_ns;
	row.event = str_of(name);
	if (etl_check_payload(output->findings, event, &c))
		emit_process(output, event, &row);
}

/* --- threads --- */

struct thread_fields {
	uint32_t pid, tid;
	struct str name;
};

static void decode_thread(struct etl_output *output, const struct etl_event *event,
			  struct cursor *c, struct thread_fields *fields)
{
	unsigned int pointer = event->pointer_bytes, version = event->version;

	if (version == 0) {
		fields->tid = cursor_u32(c);
		fields->pid = cursor_u32(c);
		return;
	}
	fields->pid = cursor_u32(c);
	fields->tid = cursor_u32(c);
	if (version == 1) {
		/* An end has the two numbers alone. */
		if (cursor_left(c))
			cursor_skip(c, 6 * pointer + 1); /* stacks, starts, wait mode */
		return;
	}
	cursor_skip(c, 7 * pointer + 4); /* stacks, start or affinity, TEB, service tag */
	if (version >= 3)
		cursor_skip(c, 4); /* priorities, flags */
	/* Newer builds put a name after what is still called version 3. */
	if (version >= 3 && cursor_left(c))
		fields->name = not_empty(etl_utf16(output->texts, c));
}

static void emit_name(struct etl_output *output, const struct etl_event *event,
		      int64_t ts_ns, const struct thread_fields *fields)
{
	struct task_comm_event comm = { .ts_ns = ts_ns,
					.pid = fields->pid,
					.tid = fields->tid,
					.name = fields->name };

	emit_push_event(&output->emit, RECORD_TASK_COMM, event->offset, &comm,
			sizeof(comm));
}

static void on_thread(struct etl_output *output, const struct etl_event *event,
		      int64_t ts_ns)
{
	struct thread_fields fields = { 0, 0, STR_NONE };
	struct cursor c = event->payload;

	decode_thread(output, event, &c, &fields);
	if (!etl_check_payload(output->findings, event, &c))
		return;
	if (event->opcode == 1) {
		struct task_fork_event fork = { ts_ns, fields.pid, fields.tid, INT_NONE,
						INT_NONE };

		emit_push_event(&output->emit, RECORD_TASK_FORK, event->offset, &fork,
				sizeof(fork));
	}
	if (event->opcode > 2 || fields.name.ptr)
		emit_name(output, event, ts_ns, &fields);
	if (event->opcode == 2) {
		struct task_exit_event exit = { ts_ns, INT_NONE, fields.pid, fields.tid };

		emit_push_event(&output->emit, RECORD_TASK_EXIT, event->offset, &exit,
				sizeof(exit));
	}
}

static void on_thread_name(struct etl_output *output, const struct etl_event *event,
			   int64_t ts_ns)
{
	struct cursor c = event->payload;
	struct thread_fields fields;

	fields.pid = cursor_u32(&c);
	fields.tid = cursor_u32(&c);
	fields.name = not_empty(etl_utf16(output->texts, &c));
	if (etl_check_payload(output->findings, event, &c))
		emit_name(output, event, ts_ns, &fields);
}

/* --- images --- */

static void decode_image(struct etl_output *output, const struct etl_event *event,
			 unsigned int pointer, struct cursor *c,
			 struct etw_image_row *row)
{
	unsigned int version = event->version;
	uint32_t reserved;

	row->addr = (int64_t)etl_pointer(c, pointer);
	if (version == 0) {
		row->bytes = cursor_u32(c);
	} else {
		row->bytes = (int64_t)etl_pointer(c, pointer);
		row->pid = cursor_u32(c);
	}
	if (version >= 2) {
		row->checksum = cursor_u32(c);
		row->link_time = cursor_u32(c);
		reserved = cursor_u32(c);
		row->default_addr = (int64_t)etl_pointer(c, pointer);
		cursor_skip(c, 16);
		if (version >= 3) {
			row->signature_level = reserved & 0xff;
			row->signature_type = reserved >> 8 & 0xff;
		}
	}
	row->filename = not_empty(etl_utf16(output->texts, c));
}

static void on_image(struct etl_output *output, const struct etl_event *event,
		     int64_t ts_ns, const char *name)
{
	const unsigned int pointers[] = { event->pointer_bytes,
					  12u - event->pointer_bytes,
					  event->pointer_bytes };
	struct cursor c = { .overrun = true };
	struct etw_image_row row = { .ts_ns = ts_ns,
				     .event = str_of(name),
				     .pid = event->pid,
				     .checksum = INT_NONE,
				     .link_time = INT_NONE,
				     .default_addr = INT_NONE,
				     .signature_level = INT_NONE,
				     .signature_type = INT_NONE };

	for (size_t i = 0; i < 3 && (c.overrun || cursor_left(&c)); i++) {
		output->texts->used = 0;
		c = event->payload;
		decode_image(output, event, pointers[i], &c, &row);
	}
	if (etl_check_payload(output->findings, event, &c) && output->want_rows)
		etw_emit_row(&output->emit, TABLE_etw_image, event->offset, &row);
}

bool etl_on_task(struct etl_output *output, const struct etl_event *event, int64_t ts_ns)
{
	/* xperf's words, for its texts fill the same tables. */
	static const char *const processes[] = { NULL, "P-Start", "P-End", "P-DCStart",
						 "P-DCEnd" };
	static const char *const images[] = { NULL, NULL, "I-End", "I-DCStart",
					      "I-DCEnd" };

	switch (event->group << 8 | event->opcode) {
	case ETL_PROCESS_START:
	case ETL_PROCESS_END:
	case ETL_PROCESS_DC_START:
	case ETL_PROCESS_DC_END:
		on_process(output, event, ts_ns, processes[event->opcode]);
		return true;
	case ETL_PROCESS_DEFUNCT:
		on_process(output, event, ts_ns, "P-Defunct");
		return true;
	case ETL_THREAD_START:
	case ETL_THREAD_END:
	case ETL_THREAD_DC_START:
	case ETL_THREAD_DC_END:
		on_thread(output, event, ts_ns);
		return true;
	case ETL_THREAD_NAME:
		on_thread_name(output, event, ts_ns);
		return true;
	case ETL_IMAGE_LOAD:
	case ETL_IMAGE_LOAD_CLASSIC:
		on_image(output, event, ts_ns, "I-Start");
		return true;
	case ETL_IMAGE_UNLOAD:
	case ETL_IMAGE_DC_START:
	case ETL_IMAGE_DC_END:
		on_image(output, event, ts_ns, images[event->opcode]);
		return true;
	default:
		return false;
	}
}
