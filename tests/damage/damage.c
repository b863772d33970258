/*
 * Makes damaged copies of a little-endian perf.data file, and says what the damage hit.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER_BYTES = 104,
	RECORD_BYTES = 8,
	SECTION_BYTES = 16,
	RECORD_TRACING_DATA = 66,
	RECORD_AUXTRACE = 71,
};

struct section {
	uint64_t offset;
	uint64_t size;
};

struct trace {
	uint8_t *bytes;
	uint64_t size;
	uint64_t attr_bytes;
	struct section attrs;
	struct section data;
};

struct record {
	uint64_t offset;
	uint64_t size; /* of the record alone */
	uint64_t span; /* with what follows it without a header */
	uint32_t type;
};

static _Noreturn void usage(FILE *out, int status)
{
	fputs("usage: damage list FILE             print offset, size and type of each record\n"
	      "       damage cut FILE N OUT        write the first N bytes\n"
	      "       damage flip FILE SEED OUT    flip one bit anywhere\n"
	      "       damage flips FILE SEED COUNT OUT    flip bits of the data section\n"
	      "       damage zero FILE OFFSET OUT  set the size of the record there to 0\n"
	      "\n"
	      "FILE is an undamaged little-endian perf.data, not from a pipe.  cut and zero\n"
	      "print how many records are whole, or come before; flip and flips print offset,\n"
	      "bit and place of each bit: header, attrs, ids, features, nothing, or\n"
	      "data record header|body of OFFSET SIZE TYPE.\n",
	      out);
	exit(status);
}

static _Noreturn void die(const char *path, const char *text)
{
	fprintf(stderr, "damage: %s: %s\n", path, text);
	exit(1);
}

static uint64_t load(const struct trace *trace, uint64_t at, unsigned width)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width && at + i < trace->size; i++)
		value |= (uint64_t)trace->bytes[at + i] << (8 * i);
	return value;
}

static struct section load_section(const struct trace *trace, uint64_t at)
{
	return (struct section){ load(trace, at, 8), load(trace, at + 8, 8) };
}

static bool holds(const struct section *section, uint64_t offset)
{
	return offset - section->offset < section->size;
}

static void read_bytes(struct trace *trace, const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 ||
	    fseek(file, 0, SEEK_SET))
		die(path, strerror(errno));
	trace->size = (uint64_t)size;
	trace->bytes = malloc((size_t)size + 1);
	if (!trace->bytes || fread(trace->bytes, 1, (size_t)size, file) != trace->size)
		die(path, "cannot be read");
	fclose(file);
}

static void open_trace(struct trace *trace, const char *path)
{
	read_bytes(trace, path);
	if (trace->size < HEADER_BYTES || memcmp(trace->bytes, "PERFILE2", 8) ||
	    load(trace, 8, 8) != HEADER_BYTES)
		die(path, "not a little-endian perf.data in the form of a file");
	trace->attr_bytes = load(trace, 16, 8);
	trace->attrs = load_section(trace, 24);
	trace->data = load_section(trace, 40);
	if (trace->data.offset < HEADER_BYTES || trace->data.offset > trace->size ||
	    trace->data.size > trace->size - trace->data.offset)
		die(path, "the data section does not fit into the file");
	/* A killed recorder: records to the end of the file, and no features. */
	if (!trace->data.size)
		trace->data.size = trace->size - trace->data.offset;
}

/* Starts from a record of zeros.  False at the end, and where no record can be. */
static bool next_record(const struct trace *trace, struct record *record)
{
	uint64_t end = trace->data.offset + trace->data.size;

	record->offset =
		record->offset ? record->offset + record->span : trace->data.offset;
	if (record->offset >= end || end - record->offset < RECORD_BYTES)
		return false;
	record->type = (uint32_t)load(trace, record->offset, 4);
	record->size = load(trace, record->offset + 6, 2);
	record->span = record->size;
	if (record->type == RECORD_AUXTRACE || record->type == RECORD_TRACING_DATA)
		record->span += load(trace, record->offset + 8,
				     record->type == RECORD_AUXTRACE ? 8 : 4);
	return record->size >= RECORD_BYTES && record->span >= record->size &&
	       record->span <= end - record->offset;
}

static void list(const struct trace *trace, const char *path)
{
	struct record record = { 0 };

	while (next_record(trace, &record))
		printf("%" PRIu64 " %" PRIu64 " %" PRIu32 "\n", record.offset,
		       record.size, record.type);
	if (record.offset != trace->data.offset + trace->data.size)
		die(path, "its records do not fill the data section");
}

static bool in_ids(const struct trace *trace, uint64_t offset)
{
	uint64_t entry = trace->attr_bytes;

	for (uint64_t at = entry; entry && at <= trace->attrs.size; at += entry) {
		uint64_t end = trace->attrs.offset + at;
		struct section ids = load_section(trace, end - SECTION_BYTES);

		if (holds(&ids, offset))
			return true;
	}
	return false;
}

/* The table after the data, and the sections that it points to. */
static bool in_features(const struct trace *trace, uint64_t offset)
{
	uint64_t at = trace->data.offset + trace->data.size;

	for (unsigned bit = 0; bit < 256 && at < trace->size; bit++) {
		struct section feature = load_section(trace, at);

		if (!(trace->bytes[72 + bit / 8] >> (bit % 8) & 1))
			continue;
		if (offset - at < SECTION_BYTES || holds(&feature, offset))
			return true;
		at += SECTION_BYTES;
	}
	return false;
}

static void print_place(const struct trace *trace, uint64_t offset)
{
	struct record record = { 0 };

	if (!holds(&trace->data, offset)) {
		puts(offset < HEADER_BYTES	    ? "header"
		     : holds(&trace->attrs, offset) ? "attrs"
		     : in_ids(trace, offset)	    ? "ids"
		     : in_features(trace, offset)   ? "features"
						    : "nothing");
		return;
	}
	while (next_record(trace, &record) && offset - record.offset >= record.span)
		;
	printf("data record %s of %" PRIu64 " %" PRIu64 " %" PRIu32 "\n",
	       offset - record.offset < RECORD_BYTES ? "header" : "body", record.offset,
	       record.size, record.type);
}

/* splitmix64: the same on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t value = *state += 0x9e3779b97f4a7c15;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

/* Places are those of the undamaged file, so flips are made after all were printed. */
static void flip(struct trace *trace, uint64_t seed, uint64_t count, struct section where)
{
	uint8_t *mask = calloc((size_t)trace->size, 1);

	if (!mask)
		die("flip", "no memory for it");
	while (count-- && where.size) {
		uint64_t offset = where.offset + next_random(&seed) % where.size;
		unsigned bit = (unsigned)(next_random(&seed) % 8);

		mask[offset] = (uint8_t)(mask[offset] ^ 1u << bit);
		printf("%" PRIu64 " %u ", offset, bit);
		print_place(trace, offset);
	}
	for (uint64_t i = 0; i < trace->size; i++)
		trace->bytes[i] ^= mask[i];
	free(mask);
}

static void cut(struct trace *trace, uint64_t size, const char *path)
{
	struct record record = { 0 };
	uint64_t whole = 0;

	if (size > trace->size)
		die(path, "it is shorter than that");
	while (next_record(trace, &record) && record.offset + record.span <= size)
		whole++;
	printf("%" PRIu64 " records are whole\n", whole);
	trace->size = size;
}

static void zero(struct trace *trace, uint64_t offset, const char *path)
{
	struct record record = { 0 };
	uint64_t before = 0;

	while (next_record(trace, &record) && record.offset != offset)
		before++;
	if (record.offset != offset || !holds(&trace->data, offset))
		die(path, "no record begins there; see damage list");
	trace->bytes[offset + 6] = 0;
	trace->bytes[offset + 7] = 0;
	printf("%" PRIu64 " records come before it\n", before);
}

static void write_bytes(const struct trace *trace, const char *path)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(trace->bytes, 1, (size_t)trace->size, file) != trace->size ||
	    fclose(file))
		die(path, strerror(errno));
}

/* False unless text is a number, decimal or 0x... */
static bool parse_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return !errno && end != text && !*end && *text >= '0' && *text <= '9';
}

int main(int argc, char **argv)
{
	enum { LIST, CUT, FLIP, FLIPS, ZERO, ORDERS };
	static const char *const orders[] = { "list", "cut", "flip", "flips", "zero" };
	static const int arguments[] = { 3, 5, 5, 6, 5 };
	struct trace trace = { 0 };
	uint64_t number = 0, count = 1;
	int order = 0;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		usage(stdout, 0);
	while (argc > 1 && order < ORDERS && strcmp(argv[1], orders[order]))
		order++;
	if (argc < 2 || order == ORDERS || argc != arguments[order] ||
	    (order != LIST && !parse_number(argv[3], &number)) ||
	    (order == FLIPS && !parse_number(argv[4], &count)))
		usage(stderr, 2);
	open_trace(&trace, argv[2]);
	if (order == LIST)
		list(&trace, argv[2]);
	else if (order == CUT)
		cut(&trace, number, argv[2]);
	else if (order == ZERO)
		zero(&trace, number, argv[2]);
	else
		flip(&trace, number, count,
		     order == FLIPS ? trace.data : (struct section){ 0, trace.size });
	if (order != LIST)
		write_bytes(&trace, argv[argc - 1]);
	free(trace.bytes);
	return 0;
}
