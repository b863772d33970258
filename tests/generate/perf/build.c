/* Records, attributes and both forms of a small perf.data. */
#include "perf/build.h"

#include <string.h>

enum {
	ATTR_BYTES = 112,
	HEADER_BYTES = 104,
	PIPE_HEADER_BYTES = 16,
	SECTION_BYTES = 16,
	TEXT_ALIGN = 64,
};

size_t begin_record(struct byte_buf *out, uint32_t type)
{
	size_t start = out->size;

	BUF(out, "422", type, 0, 0);
	return start;
}

void end_record(struct byte_buf *out, size_t start)
{
	buf_set_u16(out, start + 6, (uint16_t)(out->size - start));
}

void put_text(struct byte_buf *out, const char *text)
{
	size_t length = strlen(text) + 1;
	size_t padded = (length + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;

	buf_u32(out, (uint32_t)padded);
	buf_bytes(out, text, length);
	buf_zero(out, padded - length);
}

void put_pipe_header(struct byte_buf *out)
{
	buf_bytes(out, "PERFILE2", 8);
	buf_u64(out, PIPE_HEADER_BYTES);
}

void put_attr(struct byte_buf *out, const struct event *event)
{
	size_t start = out->size;

	BUF(out, "44888888", event->type, ATTR_BYTES, event->config, event->period,
	    event->sample_type, event->read_format, event->flags, 0);
	buf_zero(out, ATTR_BYTES - (out->size - start));
}

void put_attr_record(struct byte_buf *out, const struct event *event)
{
	size_t start = begin_record(out, RECORD_HEADER_ATTR);

	put_attr(out, event);
	buf_u64(out, event->id);
	end_record(out, start);
}

void put_event_names(struct byte_buf *out, const struct event *events, size_t count)
{
	BUF(out, "44", count, ATTR_BYTES);
	for (size_t i = 0; i < count; i++) {
		put_attr(out, &events[i]);
		buf_u32(out, 1);
		put_text(out, events[i].name);
		buf_u64(out, events[i].id);
	}
}

void put_event_desc_record(struct byte_buf *out, const struct event *events, size_t count)
{
	size_t start = begin_record(out, RECORD_HEADER_FEATURE);

	buf_u64(out, FEATURE_EVENT_DESC);
	put_event_names(out, events, count);
	end_record(out, start);
}

void put_text_feature_record(struct byte_buf *out, uint64_t feature, const char *text)
{
	size_t start = begin_record(out, RECORD_HEADER_FEATURE);

	buf_u64(out, feature);
	put_text(out, text);
	end_record(out, start);
}

void put_name_update(struct byte_buf *out, const struct event *event)
{
	size_t start = begin_record(out, RECORD_EVENT_UPDATE);

	BUF(out, "88", 2, event->id);
	buf_bytes(out, event->name, strlen(event->name) + 1);
	buf_align(out, start, 8);
	end_record(out, start);
}

void put_comm(struct byte_buf *out, const struct event *event, uint64_t time_ns,
	      uint32_t tid, const char *name)
{
	size_t start = begin_record(out, RECORD_COMM);

	BUF(out, "44", tid, tid);
	buf_bytes(out, name, strlen(name) + 1);
	buf_align(out, start, 8);
	BUF(out, "448448", tid, tid, time_ns, 0, 0, event->id);
	end_record(out, start);
}

void put_mapping(struct byte_buf *out, const struct event *event, uint64_t time_ns,
		 uint32_t tid, uint64_t address)
{
	static const char file[] = "/nowhere/mapped";
	size_t start = begin_record(out, RECORD_MMAP);

	BUF(out, "44888", tid, tid, address, 4096, 0);
	buf_bytes(out, file, sizeof(file));
	buf_align(out, start, 8);
	BUF(out, "448448", tid, tid, time_ns, 0, 0, event->id);
	end_record(out, start);
}

void put_file(struct byte_buf *out, const struct event *events, size_t count,
	      const struct byte_buf *records, uint64_t claimed)
{
	const uint64_t entry = ATTR_BYTES + SECTION_BYTES;
	uint64_t ids = HEADER_BYTES + entry * count, data = ids + 8 * count;
	struct byte_buf text = { 0 };

	put_text(&text, "4.16.0");
	buf_bytes(out, "PERFILE2", 8);
	BUF(out, "888888888888", HEADER_BYTES, entry, HEADER_BYTES, entry * count, data,
	    records->size, 0, 0, UINT64_C(1) << FEATURE_OSRELEASE, 0, 0, 0);
	for (size_t i = 0; i < count; i++) {
		put_attr(out, &events[i]);
		BUF(out, "88", ids + 8 * i, 8);
	}
	for (size_t i = 0; i < count; i++)
		buf_u64(out, events[i].id);
	buf_append(out, records);
	BUF(out, "88", out->size + SECTION_BYTES, claimed ? claimed : text.size);
	buf_append(out, &text);
	buf_release(&text);
}
