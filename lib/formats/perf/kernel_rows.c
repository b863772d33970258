/*
 * kernel_rows.c - records of the kernel that become rows unchanged.
 *
 * Layouts: include/uapi/linux/perf_event.h, enum perf_event_type.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "formats/perf/records.h"

#define MISC_CPUMODE 7
#define MISC_MMAP_DATA (1u << 13)
#define MISC_MMAP_BUILD_ID (1u << 14)

#define PATH_BYTES_MAX 4096u
#define NAMESPACES_MAX 64u

static int64_t signed32(uint32_t number)
{
	return (int32_t)number;
}

/* A name that fills the rest of the record. */
static struct str rest_as_name(struct cursor *c)
{
	struct str name = cursor_padded_str(c, cursor_left(c));

	if (name.len > PATH_BYTES_MAX)
		name.len = PATH_BYTES_MAX;
	return name;
}

/* pid, tid u32 | addr, len, pgoff u64 | MMAP2: file u24, prot, flags u32 | name */
static bool decode_mmap(struct perf *perf, struct cursor *c, bool second, uint16_t misc,
			struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct mmap_row *row = &perf->scratch.event.mmap;

	*row = (struct mmap_row){ .ts_ns = id.ts_ns, .mode = misc & MISC_CPUMODE };
	row->is_data = (misc & MISC_MMAP_DATA) != 0;
	row->pid = signed32(cursor_u32(c));
	row->thread_id = signed32(cursor_u32(c));
	row->addr = (int64_t)cursor_u64(c);
	row->bytes = (int64_t)cursor_u64(c);
	row->file_offset = (int64_t)cursor_u64(c);
	row->prot = row->flags = INT_NONE;
	row->major = row->minor = row->inode = row->inode_generation = INT_NONE;
	if (second && misc & MISC_MMAP_BUILD_ID) {
		size_t size = cursor_u8(c);
		const uint8_t *bytes;

		cursor_skip(c, 3);
		bytes = cursor_bytes(c, 20);
		if (bytes)
			row->build_id = perf_print_hex(&perf->scratch, bytes,
						       size < 20 ? size : 20);
	} else if (second) {
		row->major = cursor_u32(c);
		row->minor = cursor_u32(c);
		row->inode = (int64_t)cursor_u64(c);
		row->inode_generation = (int64_t)cursor_u64(c);
	}
	if (second) {
		row->prot = cursor_u32(c);
		row->flags = cursor_u32(c);
	}
	row->filename = rest_as_name(c);
	out->kind = RECORD_mmap;
	return !c->overrun;
}

/* pid, tid u32, then one read of the counter: the value at the end of a thread. */
static bool decode_read(struct perf *perf, struct cursor *c, struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct counter_read_row *row = &perf->scratch.event.counter_read;
	uint64_t format = 0;

	*row = (struct counter_read_row){ .ts_ns = id.ts_ns,
					  .enabled_ns = INT_NONE,
					  .running_ns = INT_NONE };
	cursor_skip(c, 4);
	row->thread_id = signed32(cursor_u32(c));
	if (id.stream)
		format = id.stream->event->read_format;
	else if (perf->catalog.event_count)
		format = perf->catalog.events[0]->read_format;
	row->value = (int64_t)cursor_u64(c); /* of a group: how many there are */
	if (format & PERF_READ_ENABLED)
		row->enabled_ns = (int64_t)cursor_u64(c);
	if (format & PERF_READ_RUNNING)
		row->running_ns = (int64_t)cursor_u64(c);
	if (format & PERF_READ_GROUP) /* the first is the event's own */
		row->value = (int64_t)cursor_u64(c);
	if (format & PERF_READ_ID) {
		struct perf_stream *stream =
			map_get(&perf->catalog.streams, cursor_u64(c));

		id.stream = stream ? stream : id.stream;
	}
	row->counter_id = perf_counter_id(id.stream);
	out->kind = RECORD_counter_read;
	return !c->overrun;
}

/* AUX: offset, size, flags u64.  ITRACE_START: pid, tid u32.  AUX_OUTPUT_HW_ID: u64 */
static bool decode_aux(struct perf *perf, struct cursor *c, uint32_t type,
		       struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct aux_row *row = &perf->scratch.event.aux;

	*row = (struct aux_row){ .ts_ns = id.ts_ns,
				 .cpu = id.cpu,
				 .thread_id = id.tid,
				 .record = str_of(perf_record_name(type)),
				 .aux_offset = INT_NONE,
				 .bytes = INT_NONE,
				 .flags = INT_NONE };
	if (type == PERF_RECORD_AUX) {
		row->aux_offset = (int64_t)cursor_u64(c);
		row->bytes = (int64_t)cursor_u64(c);
		row->flags = (int64_t)cursor_u64(c);
	} else if (type == PERF_RECORD_ITRACE_START) {
		cursor_skip(c, 4);
		row->thread_id = signed32(cursor_u32(c));
	} else {
		row->flags = (int64_t)cursor_u64(c);
	}
	out->kind = RECORD_aux;
	return !c->overrun;
}

static bool decode_cgroup(struct perf *perf, struct cursor *c, struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct cgroup_row *row = &perf->scratch.event.cgroup;

	*row = (struct cgroup_row){ .ts_ns = id.ts_ns };
	row->cgroup_id = (int64_t)cursor_u64(c);
	row->path = rest_as_name(c);
	out->kind = RECORD_cgroup;
	return !c->overrun;
}

/* pid, tid u32 | nr u64 | {dev, inode u64}[nr]: a row each */
static bool decode_namespaces(struct perf *perf, struct cursor *c, uint64_t offset,
			      bool want_rows)
{
	static const char *const kinds[] = { "net",  "uts", "ipc",   "pid",
					     "user", "mnt", "cgroup" };
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct namespace_row row = { .ts_ns = id.ts_ns };
	uint64_t count;

	cursor_skip(c, 4);
	row.thread_id = signed32(cursor_u32(c));
	count = cursor_u64(c);
	if (c->overrun || count > NAMESPACES_MAX || count > cursor_left(c) / 16)
		return false;
	for (size_t i = 0; i < count && want_rows; i++) {
		char number[24];

		row.device = (int64_t)cursor_u64(c);
		row.inode = (int64_t)cursor_u64(c);
		if (i < ARRAY_COUNT(kinds))
			row.kind = str_of(kinds[i]);
		else
			row.kind = emit_text(
				&perf->rows.emit,
				(struct str){ number, text_print(number, sizeof(number),
								 "%zu", i) });
		emit_push_row(&perf->rows.emit, RECORD_namespace, offset, &row);
	}
	return true;
}

/* A word for a number, or the number. */
static struct str word_for(struct perf *perf, const char *const *words, size_t count,
			   uint64_t number)
{
	if (number < count && words[number])
		return str_of(words[number]);
	return (struct str){ perf->scratch.text,
			     text_print(perf->scratch.text, sizeof(perf->scratch.text),
					"%llu", (unsigned long long)number) };
}

/* addr u64 | len u32 | type, flags u16 | name */
static bool decode_ksymbol(struct perf *perf, struct cursor *c, struct record *out)
{
	static const char *const kinds[] = { NULL, "bpf", "ool" };
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct ksymbol_row *row = &perf->scratch.event.ksymbol;

	*row = (struct ksymbol_row){ .ts_ns = id.ts_ns };
	row->addr = (int64_t)cursor_u64(c);
	row->bytes = cursor_u32(c);
	row->kind = word_for(perf, kinds, 3, cursor_u16(c));
	row->is_removed = cursor_u16(c) & 1;
	row->name = rest_as_name(c);
	out->kind = RECORD_ksymbol;
	return !c->overrun;
}

/* type, flags u16 | id u32 | tag u8[8] */
static bool decode_bpf(struct perf *perf, struct cursor *c, struct record *out)
{
	static const char *const kinds[] = { NULL, "load", "unload" };
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct bpf_event_row *row = &perf->scratch.event.bpf_event;
	uint16_t kind = cursor_u16(c);
	const uint8_t *tag;

	*row = (struct bpf_event_row){ .ts_ns = id.ts_ns };
	row->flags = cursor_u16(c);
	row->program_id = cursor_u32(c);
	tag = cursor_bytes(c, 8);
	if (!tag)
		return false;
	row->tag = perf_print_hex(&perf->scratch, tag, 8);
	if (kind < 3 && kinds[kind]) {
		row->kind = str_of(kinds[kind]);
	} else { /* after the tag */
		char *to = perf->scratch.text + 17;

		row->kind = (struct str){ to, text_print(to, 16, "%u", kind) };
	}
	out->kind = RECORD_bpf_event;
	return true;
}

/* addr u64 | old_len, new_len u16 | bytes of both */
static bool decode_text_poke(struct perf *perf, struct cursor *c, struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct text_poke_row *row = &perf->scratch.event.text_poke;
	size_t old_size, new_size;

	*row = (struct text_poke_row){ .ts_ns = id.ts_ns };
	row->addr = (int64_t)cursor_u64(c);
	old_size = cursor_u16(c);
	new_size = cursor_u16(c);
	row->old_bytes =
		(struct str){ (const char *)cursor_bytes(c, old_size), old_size };
	row->new_bytes =
		(struct str){ (const char *)cursor_bytes(c, new_size), new_size };
	out->kind = RECORD_text_poke;
	return !c->overrun;
}

/*
 * cookie, nr u64 | u64 each: the user part of call chains with that cookie, recorded when
 * the thread left the kernel (Linux 6.19).
 */
static bool decode_deferred(struct perf *perf, struct cursor *c, struct record *out)
{
	struct perf_trailer id = perf_decode_trailer(perf, c);
	struct deferred_chain_event *event = &perf->scratch.event.deferred_chain;
	const uint8_t *chain;
	uint64_t count;

	*event = (struct deferred_chain_event){ .ts_ns = id.ts_ns,
						.cpu = id.cpu,
						.tid = id.tid };
	event->cookie = (int64_t)cursor_u64(c);
	count = cursor_u64(c);
	if (c->overrun || count > PERF_CHAIN_MAX || count > cursor_left(c) / 8)
		return false;
	chain = cursor_bytes(c, (size_t)count * 8);
	event->chain =
		perf_load_chain(&perf->scratch, chain, (size_t)count, c->big_endian);
	event->chain_count = event->chain ? (size_t)count : 0;
	out->kind = RECORD_DEFERRED_CHAIN;
	return true;
}

/* What has no table of its own. */
enum status perf_decode_other(struct reader *reader, struct cursor *c,
			      const struct perf_header *header, struct record *out)
{
	struct perf *perf = reader->state;
	struct other_record_row *row = &perf->scratch.event.other_record;
	bool kernel = perf_is_kernel_type(header->type);
	const char *name = perf_record_name(header->type);

	finding_add(&reader->findings,
		    name ? FINDING_OTHER_RECORD : FINDING_UNKNOWN_RECORD, out->offset, 1);
	if (!reader->options.want_rows)
		return ST_END;
	*row = (struct other_record_row){ .ts_ns = INT_NONE,
					  .record_offset = (int64_t)out->offset,
					  .type = header->type,
					  .record = str_of(name),
					  .bytes = header->size };
	if (kernel)
		row->ts_ns = perf_decode_trailer(perf, c).ts_ns;
	if (cursor_left(c) <= PERF_OTHER_BYTES_MAX)
		row->body = (struct str){ (const char *)c->pos, cursor_left(c) };
	out->kind = RECORD_other_record;
	return ST_OK;
}

enum status perf_decode_kernel_row(struct reader *reader, struct cursor *c,
				   const struct perf_header *header, struct record *out)
{
	struct perf *perf = reader->state;
	bool whole;

	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		whole = decode_mmap(perf, c, header->type == PERF_RECORD_MMAP2,
				    header->misc, out);
		break;
	case PERF_RECORD_READ:
		whole = decode_read(perf, c, out);
		break;
	case PERF_RECORD_AUX:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		whole = decode_aux(perf, c, header->type, out);
		break;
	case PERF_RECORD_NAMESPACES:
		whole = decode_namespaces(perf, c, out->offset,
					  reader->options.want_rows);
		if (whole)
			return ST_END;
		break;
	case PERF_RECORD_KSYMBOL:
		whole = decode_ksymbol(perf, c, out);
		break;
	case PERF_RECORD_BPF_EVENT:
		whole = decode_bpf(perf, c, out);
		break;
	case PERF_RECORD_CGROUP:
		whole = decode_cgroup(perf, c, out);
		if (whole)
			return ST_OK;
		break;
	case PERF_RECORD_TEXT_POKE:
		whole = decode_text_poke(perf, c, out);
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		whole = decode_deferred(perf, c, out);
		break;
	default:
		return perf_decode_other(reader, c, header, out);
	}
	if (whole)
		return reader->options.want_rows ? ST_OK : ST_END;
	finding_add(&reader->findings, FINDING_SHORT_RECORD, out->offset, 1);
	return ST_END;
}
