/* switches.c - encodes single switches, and decodes them again. */
#include "output/html/switches.h"

#include "base/array.h"
#include "base/varint.h"

void switches_begin(struct switches *switches, size_t bytes_max)
{
	*switches = (struct switches){ .bytes_max = bytes_max, .left_out_ns = INT64_MAX };
}

void switches_end(struct switches *switches)
{
	bytes_release(&switches->bytes);
}

bool switches_add(struct switches *switches, const struct switch_entry *entry)
{
	struct bytes *bytes = &switches->bytes;

	if (switches->is_full || bytes->size >= switches->bytes_max) {
		switches->is_full = true;
		switches_leave_out(switches, entry->ts_ns);
		return true;
	}
	varint_put(bytes, entry->cpu < 0 ? 0 : (uint64_t)entry->cpu + 1);
	varint_put(bytes, varint_zigzag((int64_t)((uint64_t)entry->ts_ns -
						  (uint64_t)switches->last_ns)));
	varint_put(bytes, varint_zigzag(entry->on_cpu_ns));
	varint_put(bytes, entry->key);
	varint_put(bytes, entry->kind);
	varint_put(bytes, entry->book);
	varint_put(bytes, entry->count);
	for (size_t i = 0; i < entry->count; i++)
		varint_put(bytes, varint_zigzag(entry->deltas[i]));
	switches->last_ns = entry->ts_ns;
	switches->count++;
	return !bytes->failed;
}

void switches_read(struct switches_reader *reader, const struct switches *switches)
{
	*reader = (struct switches_reader){
		.at = switches->bytes.data,
		.end = switches->bytes.data ? switches->bytes.data + switches->bytes.size
					    : NULL,
	};
}

bool switches_next(struct switches_reader *reader, struct switch_entry *entry)
{
	const uint8_t **at = &reader->at, *end = reader->end;

	if (*at == end)
		return false;
	entry->cpu = (int64_t)varint_decode(at, end) - 1;
	entry->ts_ns = reader->ts_ns =
		(int64_t)((uint64_t)reader->ts_ns +
			  (uint64_t)varint_signed(varint_decode(at, end)));
	entry->on_cpu_ns = varint_signed(varint_decode(at, end));
	entry->key = varint_decode(at, end);
	entry->kind = (unsigned int)varint_decode(at, end);
	entry->book = (size_t)varint_decode(at, end);
	entry->count = (size_t)varint_decode(at, end);
	entry->deltas = reader->deltas;
	for (size_t i = 0; i < entry->count; i++) {
		int64_t delta = varint_signed(varint_decode(at, end));

		if (i < ARRAY_COUNT(reader->deltas))
			reader->deltas[i] = delta;
	}
	return true;
}
