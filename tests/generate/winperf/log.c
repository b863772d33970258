/*
 * A performance log: buffers of ETW around the records of PDH.
 *
 * What a .blg holds of V1 blocks, names and counters of objects is laid out as in a real
 * one; values of single counters are laid out as docs/formats/perf-logs.md infers.
 */
#include <stdio.h>
#include <string.h>

#include "winperf/build.h"

enum {
	BUFFER_BYTES = 8192, /* of what is small */
	LARGE_BUFFER_BYTES = 65536,
	BUFFER_HEADER = 0x48,
	PART_BYTES = 8000,
	EVENT_HEADER = 72,
	CATALOGUE = 0x20,
	SAMPLE = 0x22,
	OBJECTS = 0x23,
	NAMES = 0x24,
};

#define TIME_BEGIN UINT64_C(128315940000000000)
/* Four hours west of UTC. */
#define TIME_LOCAL (TIME_BEGIN - UINT64_C(144000000000))

struct log {
	struct byte_buf *out;
	size_t buffer; /* where it begins */
	size_t buffer_bytes;
	uint64_t sequence;
	size_t part_bytes; /* of a record in one event */
	FILE *file;	   /* or NULL: all stays in `out` */
	const char *path;
};

/* --- buffers --- */

static void begin_buffer(struct log *log)
{
	log->buffer = log->out->size;
	buf_zero(log->out, BUFFER_HEADER);
}

static void end_buffer(struct log *log)
{
	struct byte_buf *out = log->out;
	size_t filled = out->size - log->buffer;

	buf_set_u32(out, log->buffer, (uint32_t)log->buffer_bytes);
	buf_set_u32(out, log->buffer + 4, (uint32_t)filled);
	buf_set_u64(out, log->buffer + 0x18, log->sequence);
	buf_set_u32(out, log->buffer + 0x30, (uint32_t)filled);
	buf_set_u16(out, log->buffer + 0x36, log->sequence == 0 ? 4 : 0);
	log->sequence++;
	buf_fill(out, 0xff, log->buffer_bytes - filled);
	if (!log->file)
		return;
	file_write(log->file, log->path, out->data, out->size);
	out->size = 0;
}

static void put_log_header(struct log *log)
{
	struct byte_buf *out = log->out;
	size_t at;

	begin_buffer(log);
	at = out->size;
	buf_u16(out, 2);
	buf_u8(out, 1);
	buf_u8(out, 0xc0);
	buf_u16(out, 0); /* size: when it is known */
	buf_u16(out, 0);
	buf_zero(out, 8);
	buf_u64(out, TIME_BEGIN);
	buf_zero(out, 8);
	BUF(out, "44448", (uint32_t)log->buffer_bytes, 0x04010006, 6000, 1, 0);
	buf_zero(out, 8);
	BUF(out, "444444", 0x01000001, 0, 1, 4, 0, 1496);
	buf_zero(out, 8 + 176);
	BUF(out, "88844", TIME_BEGIN, 3579545, TIME_BEGIN, 2, 0);
	buf_utf16(out, "log");
	buf_utf16(out, "made-up.blg");
	buf_set_u16(out, at + 4, (uint16_t)(out->size - at));
	end_buffer(log);
}

/* --- records --- */

static void put_event(struct log *log, unsigned int type, uint64_t time,
		      unsigned int part, unsigned int parts, const uint8_t *bytes,
		      size_t size)
{
	static const uint8_t guid[16] = {
		0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49,
		0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79
	};
	struct byte_buf *out = log->out;
	size_t needed = (EVENT_HEADER + size + 7) / 8 * 8;

	if (out->size - log->buffer + needed > log->buffer_bytes) {
		end_buffer(log);
		begin_buffer(log);
	}
	BUF(out, "211112", (uint16_t)(EVENT_HEADER + size), 0x0a, 0xc0, (uint8_t)type, 0,
	    60);
	buf_zero(out, 8);
	buf_u64(out, time);
	buf_bytes(out, guid, sizeof(guid));
	buf_zero(out, 8 + 16);
	buf_u32(out, part);
	buf_u32(out, parts);
	buf_bytes(out, bytes, size);
	buf_zero(out, needed - EVENT_HEADER - size);
}

/* In as many parts as it needs; `missing`: the number of one that is left out. */
static size_t put_record(struct log *log, unsigned int type, uint64_t time,
			 const struct byte_buf *record, unsigned int missing)
{
	size_t most = log->part_bytes, first = 0;
	unsigned int parts = (unsigned int)((record->size + most - 1) / most);

	for (unsigned int i = 0; i < parts; i++) {
		size_t left = record->size - i * most, size = left < most ? left : most;
		size_t needed = (EVENT_HEADER + size + 7) / 8 * 8;

		if (i + 1 == missing)
			continue;
		put_event(log, type, time, i + 1, parts, record->data + i * most, size);
		if (i == 0)
			first = log->out->size - needed + EVENT_HEADER;
	}
	return first;
}

/* --- what a log says beforehand --- */

static void put_names(struct build *build, struct log *log)
{
	static const char *const names[] = {
		"2",	"System",      "6",   "% Processor Time", "146",  "Switches",
		"148",	"Bytes",       "238", "Processor",	  "1350", "% Used",
		"9999", "\xc3\x84rger"
	};
	struct byte_buf p = { 0 };
	size_t at;

	buf_utf16(&p, "\\\\MACHINE");
	for (size_t i = 0; i < COUNT(names); i++)
		buf_utf16(&p, is_case(&build->fault, "bad-names") && i == 12 ? "x"
									     : names[i]);
	at = put_record(log, NAMES, TIME_LOCAL, &p, 0);
	if (is_case(&build->fault, "bad-names"))
		find(&build->fault, "blg_catalogue", at + p.size - 2 * (2 + 6));
	settle(build, 0, 0);
	buf_release(&p);
}

static void buf_entry(struct byte_buf *p, const char *object, const char *instance,
		      const char *counter, uint32_t type, uint64_t time_base)
{
	size_t at = p->size, strings;

	BUF(p, "444484", 0, 0x10, 0, type, time_base, (uint32_t)-1);
	buf_zero(p, 24);
	strings = p->size;
	buf_utf16(p, "\\\\MACHINE");
	buf_set_size(p, at + 32, strings);
	buf_utf16(p, object);
	buf_set_u32(p, at + 36, instance ? (uint32_t)(p->size - strings) : 0xffffffff);
	if (instance)
		buf_utf16(p, instance);
	buf_set_u32(p, at + 40, 0xffffffff);
	buf_set_size(p, at + 48, strings);
	buf_utf16(p, counter);
	buf_align(p, 0, 8);
	buf_set_size(p, at, at);
}

static void put_catalogue(struct build *build, struct log *log)
{
	struct byte_buf p = { 0 };
	size_t at;

	if (is_case(&build->fault, "bad-no-catalogue")) {
		find(&build->fault, "blg_catalogue", NOWHERE);
		settle(build, 0, 0);
		return;
	}
	buf_u32(&p, 0x06ff);
	buf_u32(&p, 0x00020008);
	buf_entry(&p, "Processor", "*", "*", 0x10, 0);
	buf_entry(&p, "Disk", "C:", "Reads/sec", 0x10410500, 3579545);
	buf_entry(&p, "Disk", "D:", "Reads/sec", 0x10410500, 3579545);
	at = p.size;
	buf_entry(&p, "Memory", NULL, "Bytes", 0x00010100, 0);
	if (is_case(&build->fault, "bad-catalogue"))
		buf_set_u32(&p, at, 8);
	at += put_record(log, CATALOGUE, TIME_LOCAL, &p, 0);
	if (is_case(&build->fault, "bad-catalogue"))
		find(&build->fault, "blg_catalogue", at);
	settle(build, 0, 0);
	buf_release(&p);
}

static void put_objects(struct log *log)
{
	static const uint32_t titles[] = { 6, 1350, 1350 };
	static const uint32_t types[] = { 0x21510500, 0x20020400, 0x40030403 };
	struct byte_buf p = { 0 };

	buf_zero(&p, 32);
	buf_bytes(&p, "BL\3\5", 4);
	BUF(&p, "444", 16 + 3 * 16, 4, 3);
	for (int i = 0; i < 3; i++)
		buf_u32(&p, titles[i]);
	for (int i = 0; i < 3; i++)
		buf_u32(&p, types[i]);
	BUF(&p, "888", 10000000, 3579545, 3579545);
	put_record(log, OBJECTS, TIME_LOCAL, &p, 0);
	buf_release(&p);
}

/* --- samples --- */

static void buf_raw(struct build *build, struct byte_buf *p, unsigned int part,
		    const char *name, unsigned int counter, uint32_t status)
{
	bool named = !is_case(&build->fault, "bad-no-catalogue") &&
		     !(part == 3 && is_case(&build->fault, "bad-catalogue"));

	buf_bytes(p, "BL\3\1", 4);
	BUF(p, "44848844", 48, status, TIME_LOCAL + build->sample, 0,
	    1000 * build->sample + part, 50000 * build->sample, part, 0);
	if (!named) {
		find(&build->fault, "blg_unknown", p->size - 48);
		return;
	}
	if (status > 1)
		buf_text(&build->values, "%u|%u|%s|0|%u|8|\n", build->snapshot, part,
			 name, counter);
	else
		buf_text(&build->values, "%u|%u|%s|0|%u|8|%u\n", build->snapshot, part,
			 name, counter, 1000 * build->sample + part);
}

static void put_sample(struct build *build, struct log *log)
{
	struct byte_buf p = { 0 };
	struct byte_buf block = { 0 };
	bool is_missing = is_now(&build->fault, "bad-part-missing");
	size_t values = build->values.size, reported = build->fault.finding_count, first,
	       at;

	buf_bytes(&p, "BL\3\0", 4);
	buf_u32(&p, 0);
	buf_bytes(&p, "BL\3\5", 4);
	buf_u32(&p, 0);
	put_block(build, &block);
	buf_append(&p, &block);
	buf_set_u32(&p, 12, (uint32_t)(block.size + 8));
	first = p.size;
	if (is_now(&build->fault, "bad-part-tag") ||
	    is_now(&build->fault, "bad-part-size"))
		values = build->values.size;
	build->snapshot++;
	buf_raw(build, &p, 1, "C:", 0, 0);
	buf_raw(build, &p, 2, "D:", 0, build->sample == 1 ? 1 : 0xc0000bba);
	buf_raw(build, &p, 3, "", 0, 0);
	if (is_now(&build->fault, "odd-part-type")) {
		find(&build->fault, "blg_unknown", p.size);
		buf_bytes(&p, "BL\3\2", 4);
		buf_u32(&p, 24);
		buf_zero(&p, 16);
	}
	spoil(&build->fault, PLACE_PARTS, &p, first);
	/* Nothing after an invalid part is read. */
	if (is_now(&build->fault, "bad-part-tag") ||
	    is_now(&build->fault, "bad-part-size")) {
		build->values.size = values;
		build->snapshot--;
	}
	buf_set_size(&p, 4, 0);
	at = put_record(log, SAMPLE, TIME_LOCAL + build->sample, &p, is_missing ? 2 : 0);
	if (is_missing) { /* reported for those that are there, at the first of them */
		for (size_t i = 1; i < (p.size + log->part_bytes - 1) / log->part_bytes;
		     i++)
			find(&build->fault, "blg_part", 0);
		at -= EVENT_HEADER;
		build->values.size = values;
		build->snapshot -= 2;
	}
	settle(build, reported, at);
	buf_release(&p);
	buf_release(&block);
}

/* --- a log of counters alone, one of them of all instances --- */

#define SECOND_100NS UINT64_C(10000000)

static void put_counter_catalogue(struct log *log)
{
	struct byte_buf p = { 0 };

	buf_u32(&p, 0x06ff);
	buf_u32(&p, 0x00020008);
	buf_entry(&p, "Processor", "*", "% Processor Time", 0x21510500, SECOND_100NS);
	buf_entry(&p, "Memory", NULL, "Bytes", 0x00010100, 0);
	put_record(log, CATALOGUE, TIME_LOCAL, &p, 0);
	buf_release(&p);
}

/* The last sample lacks the second processor. */
static void buf_several(struct build *build, struct byte_buf *p)
{
	static const char *const names[] = { "_Total", "0", "1" };
	unsigned int count = build->sample == 3 ? 2 : 3;
	uint64_t since = build->sample * SECOND_100NS;
	bool lost = is_now(&build->fault, "bad-several-count");
	size_t at = p->size;

	buf_bytes(p, "BL\3\2", 4);
	BUF(p, "444448", 0, 0, count, 0, 0, TIME_LOCAL + since);
	for (unsigned int i = 0; i < count; i++)
		BUF(p, "4488", 0, 1, since / 100 * (i + 1), TIME_BEGIN + since + i);
	for (unsigned int i = 0; i < count; i++) {
		buf_set_size(p, at + 32 + 24 * i, at + 8);
		buf_utf16(p, names[i]);
		if (!lost && !(i == 0 && is_now(&build->fault, "bad-several-name")))
			buf_text(&build->values, "%u|0|%s|0|0|8|%llu\n", build->snapshot,
				 names[i], (unsigned long long)(since / 100 * (i + 1)));
	}
	buf_align(p, 0, 8);
	buf_set_size(p, at + 4, at);
	buf_set_size(p, at + 8, at + 8);
	spoil(&build->fault, PLACE_SEVERAL, p, at);
}

static void put_counter_sample(struct build *build, struct log *log)
{
	struct byte_buf p = { 0 };
	uint64_t time = TIME_LOCAL + build->sample * SECOND_100NS;

	build->snapshot++;
	buf_bytes(&p, "BL\3\0", 4);
	buf_u32(&p, 0);
	buf_several(build, &p);
	buf_bytes(&p, "BL\3\1", 4);
	BUF(&p, "44848844", 48, 0, time, 0, 1000 * build->sample, 0, 1, 0);
	buf_text(&build->values, "%u|1||0|0|8|%u\n", build->snapshot,
		 1000 * build->sample);
	buf_set_size(&p, 4, 0);
	settle(build, 0, put_record(log, SAMPLE, time, &p, 0));
	buf_release(&p);
}

static void put_counter_log(struct build *build, struct log *log)
{
	put_names(build, log);
	put_counter_catalogue(log);
	for (unsigned int sample = 1; sample <= 3; sample++) {
		begin_sample(build, sample);
		put_counter_sample(build, log);
	}
}

void put_log(struct build *build)
{
	bool in_parts = is_case(&build->fault, "good-parts") ||
			is_case(&build->fault, "bad-part-missing");
	struct log log = { .out = &build->out,
			   .buffer_bytes = BUFFER_BYTES,
			   .part_bytes = in_parts ? 300 : PART_BYTES };

	put_log_header(&log);
	begin_buffer(&log);
	if (is_case(&build->fault, "good-several") ||
	    is_case_of(&build->fault, "bad-several")) {
		put_counter_log(build, &log);
		end_buffer(&log);
		return;
	}
	put_names(build, &log);
	put_catalogue(build, &log);
	for (unsigned int sample = 1; sample <= 3; sample++) {
		begin_sample(build, sample);
		put_sample(build, &log);
	}
	build->fault.is_now = false;
	put_objects(&log);
	end_buffer(&log);
}

void write_log(const char *path, unsigned int samples)
{
	struct build build = { .fault = { .name = "" } };
	struct byte_buf out = { 0 }, p = { 0 };
	struct log log = { .out = &out,
			   .buffer_bytes = LARGE_BUFFER_BYTES,
			   .part_bytes = PART_BYTES,
			   .file = file_create(path),
			   .path = path };

	put_log_header(&log);
	begin_buffer(&log);
	put_names(&build, &log);
	put_catalogue(&build, &log);
	for (unsigned int i = 1; i <= samples; i++) {
		p.size = 0;
		buf_bytes(&p, "BL\3\0", 4);
		buf_u32(&p, 0);
		buf_bytes(&p, "BL\3\5", 4);
		buf_u32(&p, 0);
		put_heavy_block(&p, i, 80);
		buf_set_size(&p, 4, 0);
		buf_set_u32(&p, 12, (uint32_t)p.size - 8);
		put_record(&log, SAMPLE, TIME_LOCAL + i, &p, 0);
	}
	end_buffer(&log);
	file_close(log.file, path);
	buf_release(&out);
	buf_release(&p);
}
