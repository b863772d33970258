/* .etl files, the text of xperf, PerfLib blocks and PDH-CSV: things of one kind. */
#include <string.h>

#include "etw/xpress.h"
#include "growth/growth.h"

enum {
	BUFFER_BYTES = 65536,
	HEADER_BYTES = 0x48,
	BOMB_BYTES = 1 << 20, /* of a compressed buffer, decompressed */
	SYSTEM64 = 0xc002,
	PERFINFO64 = 0xc011,
	EVENT64 = 0xc013,
	GROUP_THREAD = 5,
	THREAD_START = 1,
	CSWITCH = 0x24,
	COMPRESSED = 0x40,
};

/* --- .etl --- */

struct etl {
	struct byte_buf *out;
	struct byte_buf events; /* of the buffer at hand */
	uint64_t sequence;
	bool compressed;
};

static void put_header(struct etl *etl, size_t size)
{
	struct byte_buf *out = etl->out;
	size_t at = out->size;

	buf_zero(out, HEADER_BYTES);
	buf_set_u32(out, at, (uint32_t)size);
	buf_set(out, at + 0x18, etl->sequence++, 8);
	buf_set_u32(out, at + 0x30, (uint32_t)(HEADER_BYTES + etl->events.size));
	buf_set_u16(out, at + 0x34, etl->compressed ? COMPRESSED : 0);
}

static void end_buffer(struct etl *etl)
{
	struct byte_buf packed = { 0 };

	if (etl->events.size == 0)
		return;
	if (etl->compressed) {
		xpress_pack(&packed, etl->events.data, etl->events.size);
		put_header(etl, HEADER_BYTES + packed.size);
		buf_append(etl->out, &packed);
		buf_release(&packed);
	} else {
		put_header(etl, BUFFER_BYTES);
		buf_append(etl->out, &etl->events);
		buf_fill(etl->out, 0xff, BUFFER_BYTES - HEADER_BYTES - etl->events.size);
	}
	etl->events.size = 0;
}

static struct byte_buf *begin_event(struct etl *etl, size_t bytes)
{
	size_t room = etl->compressed ? BOMB_BYTES : BUFFER_BYTES - HEADER_BYTES;

	if (etl->events.size + bytes > room)
		end_buffer(etl);
	return &etl->events;
}

/* An event of a provider; the first one, in a buffer of its own, makes it an .etl. */
static void put_provided(struct etl *etl, uint64_t ticks, uint64_t kind)
{
	struct byte_buf *events = begin_event(etl, 0x50);

	BUF(events, "22224488", 0x50, EVENT64, 0, 0, 4, 4, ticks, kind);
	buf_zero(events, 0x50 - 32);
}

static void begin(struct etl *etl)
{
	put_provided(etl, 1, 0);
	end_buffer(etl);
}

static void finish(struct etl *etl)
{
	end_buffer(etl);
	buf_release(&etl->events);
}

/* Version 0: the two ids alone. */
static void put_thread(struct etl *etl, uint64_t ticks, uint64_t tid)
{
	struct byte_buf *out = begin_event(etl, 40);

	BUF(out, "2221144844", 0, SYSTEM64, 40, THREAD_START, GROUP_THREAD, 4, 4, ticks,
	    0, 0);
	BUF(out, "44", tid, 4);
}

static void put_cswitch(struct etl *etl, uint64_t ticks, uint64_t from, uint64_t to)
{
	struct byte_buf *out = begin_event(etl, 40);

	BUF(out, "22211844", 2, PERFINFO64, 40, CSWITCH, GROUP_THREAD, ticks, to, from);
	buf_zero(out, 16);
}

static void write_etl_switches(struct byte_buf *out, uint64_t count)
{
	struct etl etl = { .out = out };

	begin(&etl);
	for (uint64_t i = 1; i <= count; i++)
		put_cswitch(&etl, i * 100, 8 + i % 7 * 4, 8 + (i + 1) % 7 * 4);
	finish(&etl);
}

static void write_etl_threads(struct byte_buf *out, uint64_t count)
{
	struct etl etl = { .out = out };

	begin(&etl);
	for (uint64_t i = 1; i <= count; i++) {
		put_thread(&etl, i * 100, i * 4);
		put_cswitch(&etl, i * 100 + 10, i * 4, i * 4 + 4);
	}
	finish(&etl);
}

static void write_etl_reuse(struct byte_buf *out, uint64_t count)
{
	struct etl etl = { .out = out };

	begin(&etl);
	for (uint64_t i = 1; i <= count; i++)
		put_thread(&etl, i * 100, 8);
	finish(&etl);
}

/* EVENT_HEADER events of providers that differ. */
static void write_etl_kinds(struct byte_buf *out, uint64_t count)
{
	struct etl etl = { .out = out };

	begin(&etl);
	for (uint64_t i = 1; i <= count; i++)
		put_provided(&etl, i * 100, i);
	finish(&etl);
}

/* Many events of 16 bytes, all of one byte: 1 MiB in some 100 bytes. */
static void write_xpress_bomb(struct byte_buf *out, uint64_t count)
{
	struct etl etl = { .out = out };

	begin(&etl);
	etl.compressed = true;
	for (uint64_t i = 1; i <= count; i++) {
		struct byte_buf *events = begin_event(&etl, 16);

		BUF(events, "222118", 0, PERFINFO64, 16, 1, 0x55, 100);
	}
	finish(&etl);
}

/* --- the text of xperf --- */

static void begin_text(struct byte_buf *out)
{
	buf_text(out,
		 "BeginHeader\n"
		 "CSwitch, TimeStamp, New Process Name ( PID), New TID, NPri, Old "
		 "Process Name ( PID), Old TID, OPri, OldState, Wait Reason, Swapable, "
		 "CPU, IdealProc, PrevCState\n"
		 "P-Start, TimeStamp, Process Name ( PID), ParentPID\n"
		 "EndHeader\n");
}

static void write_text_processes(struct byte_buf *out, uint64_t count)
{
	begin_text(out);
	for (uint64_t i = 1; i <= count; i++)
		buf_text(out, "P-Start, %llu, name-%llu.exe (%llu), 4\n",
			 (unsigned long long)i * 10, (unsigned long long)i,
			 (unsigned long long)i * 4);
}

static void write_text_threads(struct byte_buf *out, uint64_t count)
{
	begin_text(out);
	for (uint64_t i = 1; i <= count; i++)
		buf_text(
			out,
			"CSwitch, %llu, a.exe (4000000000), %llu, 8, a.exe (4000000000), "
			"%llu, 1, Waiting, WrQueue, Swapable, 0, 0, 0\n",
			(unsigned long long)i * 10, (unsigned long long)(i + 1) * 4,
			(unsigned long long)i * 4);
}

static void write_text_kinds(struct byte_buf *out, uint64_t count)
{
	begin_text(out);
	for (uint64_t i = 1; i <= count; i++)
		buf_text(out, "Kind%llu, %llu, 1, 2, 3\n", (unsigned long long)i,
			 (unsigned long long)i * 10);
}

/* --- PerfLib and PDH-CSV --- */

/* A bare block of one counter of all instances; no more than PerfLib's 32 MiB. */
static void write_instances(struct byte_buf *out, uint64_t count)
{
	size_t block, list;

	BUF(out, "44888", 0, 1, 1000000000, 134397325643644257u, 10000000);
	BUF(out, "22222222", 2026, 11, 6, 21, 11, 2, 43, 364);
	block = out->size;
	BUF(out, "4444", 0, 4, 0, 0);
	list = out->size;
	BUF(out, "44", 0, (uint32_t)count);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = out->size;
		char name[24];

		snprintf(name, sizeof(name), "%llx", (unsigned long long)i);
		BUF(out, "44", 0, (uint32_t)i);
		buf_wide_z(out, name);
		buf_align(out, at, 8);
		buf_set_size(out, at, at);
		BUF(out, "448", 8, 16, i);
	}
	buf_set_size(out, list, list);
	buf_set_size(out, block + 8, block);
	buf_set_size(out, 0, 0);
}

static void begin_csv(struct byte_buf *out)
{
	buf_text(out, "\"(PDH-CSV 4.0) (UTC)(0)\"");
}

static void write_csv_columns(struct byte_buf *out, uint64_t count)
{
	begin_csv(out);
	for (uint64_t i = 1; i <= count; i++)
		buf_text(out, ",\"\\\\BOX\\A(i%llu)\\%% D\"", (unsigned long long)i);
	buf_text(out, "\n\"08/14/2007 15:40:38.659\"");
	for (uint64_t i = 1; i <= count; i++)
		buf_text(out, ",\"%llu\"", (unsigned long long)i);
	buf_text(out, "\n");
}

static void write_csv_rows(struct byte_buf *out, uint64_t count)
{
	begin_csv(out);
	buf_text(out, ",\"\\\\BOX\\A(b)\\%% D\"\n");
	for (uint64_t i = 0; i < count; i++)
		buf_text(out, "\"08/%02llu/2007 %02llu:%02llu:%02llu.000\",\"%llu\"\n",
			 (unsigned long long)(i / 86400 % 28 + 1),
			 (unsigned long long)(i / 3600 % 24),
			 (unsigned long long)(i / 60 % 60), (unsigned long long)(i % 60),
			 (unsigned long long)i);
}

const struct growth windows_growths[] = {
	{ "etl-switches", "etl", "switches", write_etl_switches },
	{ "etl-threads", "etl", "threads, with a switch each", write_etl_threads },
	{ "etl-reuse", "etl", "incarnations of one thread id", write_etl_reuse },
	{ "etl-kinds", "etl", "kinds of events", write_etl_kinds },
	{ "xpress-bomb", "etl", "events, compressed 5,000 to 1", write_xpress_bomb },
	{ "text-processes", "txt", "processes", write_text_processes },
	{ "text-threads", "txt", "threads, with a switch each", write_text_threads },
	{ "text-kinds", "txt", "kinds of events", write_text_kinds },
	{ "instances", "blob", "instances of a counterset", write_instances },
	{ "csv-columns", "csv", "columns", write_csv_columns },
	{ "csv-rows", "csv", "rows", write_csv_rows },
	{ "", NULL, NULL, NULL },
};
