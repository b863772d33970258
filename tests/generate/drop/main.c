/*
 * Copies a little-endian perf.data, in the form of a file or of a pipe, without the
 * records of some types: what a recorder would have written that does not know them.
 */
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"

enum {
	PIPE_HEADER_BYTES = 16,
	FILE_HEADER_BYTES = 104,
	DATA_AT = 40,
	FEATURES_AT = 72,
	FEATURE_BITS = 256,
	SECTION_BYTES = 16,
	RECORD_HEADER_BYTES = 8,
	RECORD_TRACING_DATA = 66,
};

static const char usage[] =
	"usage: drop_records TYPE[,TYPE...] IN OUT\n"
	"\n"
	"Writes OUT, IN without its records of these types: numbers as in\n"
	"perf.data-file-format.txt, 69 for ID_INDEX.\n";

static uint64_t number_at(const struct byte_buf *in, uint64_t at, size_t count)
{
	uint64_t value = 0;

	if (at > in->size || in->size - at < count)
		die("the file ends before 0x%llx", (unsigned long long)(at + count));
	for (size_t i = count; i-- > 0;)
		value = value << 8 | in->data[at + i];
	return value;
}

static struct byte_buf file_load(const char *path)
{
	struct byte_buf in = { 0 };
	FILE *file = fopen(path, "rb");
	uint8_t block[65536];
	size_t got;

	if (!file)
		die("%s: cannot be opened", path);
	while ((got = fread(block, 1, sizeof(block), file)) > 0)
		buf_bytes(&in, block, got);
	fclose(file);
	return in;
}

static bool is_listed(const char *types, uint64_t type)
{
	for (const char *at = types; *at;
	     at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
		if (strtoull(at, NULL, 10) == type)
			return true;
	return false;
}

/* Copies [from, to) record by record; returns how many bytes were left out. */
static uint64_t copy_records(const struct byte_buf *in, uint64_t from, uint64_t to,
			     const char *types, struct byte_buf *out)
{
	uint64_t dropped = 0;

	while (from < to) {
		uint64_t type = number_at(in, from, 4);
		uint64_t size = number_at(in, from + 6, 2);

		if (size < RECORD_HEADER_BYTES || size > to - from)
			die("record at 0x%llx: size %llu", (unsigned long long)from,
			    (unsigned long long)size);
		if (type == RECORD_TRACING_DATA)
			size += number_at(in, from + RECORD_HEADER_BYTES, 4);
		if (is_listed(types, type))
			dropped += size;
		else
			buf_bytes(out, in->data + from, size);
		from += size;
	}
	return dropped;
}

/* The sections after the data have moved up. */
static void move_sections(struct byte_buf *out, uint64_t table, uint64_t dropped)
{
	for (unsigned bit = 0; bit < FEATURE_BITS; bit++) {
		if (!(out->data[FEATURES_AT + bit / 8] >> bit % 8 & 1))
			continue;
		buf_set_u64(out, table, number_at(out, table, 8) - dropped);
		table += SECTION_BYTES;
	}
}

int main(int argc, char **argv)
{
	struct byte_buf in, out = { 0 };
	uint64_t from, to, dropped;
	bool is_pipe;

	if (argc != 4) {
		fputs(usage, stderr);
		return 2;
	}
	in = file_load(argv[2]);
	is_pipe = number_at(&in, 8, 8) == PIPE_HEADER_BYTES;
	from = is_pipe ? PIPE_HEADER_BYTES : number_at(&in, DATA_AT, 8);
	to = is_pipe ? in.size : from + number_at(&in, DATA_AT + 8, 8);
	if (to > in.size || from > to)
		die("the data lies outside the file");
	buf_bytes(&out, in.data, from);
	dropped = copy_records(&in, from, to, argv[1], &out);
	if (dropped == 0)
		die("%s: it has no such record", argv[2]);
	buf_bytes(&out, in.data + to, in.size - to);
	if (!is_pipe) {
		buf_set_u64(&out, DATA_AT + 8, to - from - dropped);
		move_sections(&out, to - dropped, dropped);
	}
	file_save(argv[3], &out);
	buf_release(&out);
	buf_release(&in);
	return 0;
}
