/* perf.data in the pipe form: records of one kind. */
#include <stdlib.h>
#include <string.h>

#include "growth/growth.h"
#include <zstd.h>

enum {
	MMAP2 = 10,
	COMM = 3,
	EXIT = 4,
	FORK = 7,
	LOST = 2,
	SAMPLE = 9,
	KSYMBOL = 17,
	CGROUP = 19,
	HEADER_ATTR = 64,
	TRACING_DATA = 66,
	FINISHED_ROUND = 68,
	ID_INDEX = 69,
	COMPRESSED = 81,
	SWITCH_ID = 10, /* of the event that samples switches */
	SWITCH_FORMAT = 314,
};

enum { IP = 1, TID = 2, TIME = 4, READ = 16, CALLCHAIN = 32, CPU = 128, RAW = 1024 };

#define IDENTIFIER (1u << 16)
#define GROUP_WITH_IDS 12
#define SAMPLE_ID_ALL (1u << 18)
#define WRITE_BACKWARD (1u << 27)
#define RECORD_BYTES_MAX 65528

static size_t begin_record(struct byte_buf *out, uint32_t type)
{
	BUF(out, "422", type, 0, 0);
	return out->size - 8;
}

static void end_record(struct byte_buf *out, size_t at)
{
	buf_align(out, at, 8);
	buf_set_u16(out, at + 6, (uint16_t)(out->size - at));
}

static void begin_pipe(struct byte_buf *out)
{
	buf_bytes(out, "PERFILE2", 8);
	buf_u64(out, 16);
}

static void put_attr(struct byte_buf *out, uint32_t type, uint64_t config,
		     uint64_t sample_type, uint64_t flags, uint64_t id)
{
	size_t at = begin_record(out, HEADER_ATTR);

	BUF(out, "448888884", type, 64, config, 1, sample_type | IDENTIFIER,
	    GROUP_WITH_IDS, SAMPLE_ID_ALL | flags, 0, 0);
	buf_zero(out, 4);
	buf_u64(out, id);
	end_record(out, at);
}

/* context-switches of the kernel's software events. */
static void begin_switches(struct byte_buf *out)
{
	begin_pipe(out);
	put_attr(out, 1, 3, TID | TIME | READ | CPU, 0, SWITCH_ID);
}

static void put_switch(struct byte_buf *out, uint64_t time, uint64_t tid, uint64_t value)
{
	size_t at = begin_record(out, SAMPLE);

	BUF(out, "8448448", SWITCH_ID, tid, tid, time, 0, 0, 1);
	BUF(out, "88", value, SWITCH_ID);
	end_record(out, at);
}

/* What every record but a sample ends with. */
static void put_trailer(struct byte_buf *out, uint64_t time)
{
	BUF(out, "448448", 1, 1, time, 0, 0, SWITCH_ID);
}

static void put_fork(struct byte_buf *out, uint64_t time, uint64_t tid)
{
	size_t at = begin_record(out, FORK);

	BUF(out, "44448", tid, 1, tid, 1, time);
	put_trailer(out, time);
	end_record(out, at);
}

static void put_name(struct byte_buf *out, uint64_t time, uint64_t tid, uint64_t number)
{
	size_t at = begin_record(out, COMM);

	BUF(out, "44", tid, tid);
	buf_text(out, "c%llu", (unsigned long long)number);
	buf_zero(out, 1);
	buf_align(out, at, 8);
	put_trailer(out, time);
	end_record(out, at);
}

/* --- kinds --- */

static void write_switches(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++)
		put_switch(out, i * 1000, 2 + i % 7, i);
}

static void write_threads(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		put_fork(out, i * 1000, i + 10);
		put_switch(out, i * 1000 + 10, i + 10, i);
	}
}

static void write_incarnations(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++)
		put_fork(out, i * 1000, 7);
}

/* The youngest first, as in a file of rings. */
static void write_forks_backwards(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++)
		put_fork(out, (count + 1 - i) * 1000, 7);
}

static void write_comms(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++)
		put_name(out, i * 1000, 7, i);
}

static void write_named_threads(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++)
		put_name(out, i * 1000, i + 10, i);
}

static void write_maps(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = begin_record(out, MMAP2);

		BUF(out, "44888448844", 7, 7, i << 12, 4096, 0, 8, 1, i, 0, 5, 2);
		buf_text(out, "/usr/lib/module-%llu.so", (unsigned long long)i);
		buf_zero(out, 1);
		buf_align(out, at, 8);
		put_trailer(out, i * 1000);
		end_record(out, at);
	}
}

static void write_cgroups(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = begin_record(out, CGROUP);

		buf_u64(out, i);
		buf_text(out, "/system.slice/unit-%llu", (unsigned long long)i);
		buf_zero(out, 1);
		buf_align(out, at, 8);
		put_trailer(out, i * 1000);
		end_record(out, at);
	}
}

static void write_ksymbols(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = begin_record(out, KSYMBOL);

		BUF(out, "8422", i << 8, 256, 1, 0);
		buf_text(out, "bpf_prog_%llu", (unsigned long long)i);
		buf_zero(out, 1);
		buf_align(out, at, 8);
		put_trailer(out, i * 1000);
		end_record(out, at);
	}
}

static void write_losses(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = begin_record(out, LOST);

		BUF(out, "88", SWITCH_ID, 1);
		put_trailer(out, i * 1000);
		end_record(out, at);
	}
}

static void write_callchains(struct byte_buf *out, uint64_t count)
{
	begin_pipe(out);
	put_attr(out, 1, 0, IP | TID | TIME | CPU | CALLCHAIN, 0, SWITCH_ID);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = begin_record(out, SAMPLE);

		BUF(out, "88448448", SWITCH_ID, i, 7, 7, i * 1000, 0, 0, 8);
		for (uint64_t k = 0; k < 8; k++)
			buf_u64(out, 0x400000 + (i >> 3 * k) * 16);
		end_record(out, at);
	}
}

static void write_counters(struct byte_buf *out, uint64_t count)
{
	begin_pipe(out);
	for (uint64_t i = 1; i <= count; i++)
		put_attr(out, 4, i, TID | TIME | READ | CPU, 0, SWITCH_ID + i);
	put_switch(out, 1000, 7, 1);
}

static void write_ids(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t done = 0; done < count;) {
		uint64_t part = count - done < 2000 ? count - done : 2000;
		size_t at = begin_record(out, ID_INDEX);

		buf_u64(out, part);
		for (uint64_t i = done; i < done + part; i++)
			BUF(out, "8888", i + SWITCH_ID, i, i % 64, UINT64_MAX);
		end_record(out, at);
		done += part;
	}
}

/* One name after another in TRACING_DATA, and an event of each of the first 8,000. */
static void write_tracepoints(struct byte_buf *out, uint64_t count)
{
	struct byte_buf data = { 0 };
	size_t at;

	begin_pipe(out);
	for (uint64_t i = 0; i < count && i < 8000; i++)
		put_attr(out, 2, 1000 + i, TID | TIME | CPU | RAW, 0, SWITCH_ID + i);
	buf_bytes(&data, "\x17\x08\x44tracing0.6\0\0\x08", 16);
	buf_u32(&data, 4096);
	buf_bytes(&data, "header_page\0", 12);
	buf_u64(&data, 0);
	buf_bytes(&data, "header_event\0", 13);
	BUF(&data, "844", 0, 0, 1);
	buf_bytes(&data, "growth\0", 7);
	buf_u32(&data, (uint32_t)count);
	for (uint64_t i = 0; i < count; i++) {
		size_t length = data.size;

		buf_u64(&data, 0);
		buf_text(&data,
			 "name: event_%llu\nID: %llu\nformat:\n\tfield:unsigned int "
			 "value;\toffset:8;\tsize:4;\tsigned:0;\nprint fmt: x\n",
			 (unsigned long long)i, 1000 + (unsigned long long)i);
		buf_set_u32(&data, length, (uint32_t)(data.size - length - 8));
	}
	at = begin_record(out, TRACING_DATA);
	buf_u32(out, (uint32_t)data.size);
	end_record(out, at);
	buf_append(out, &data);
	buf_align(out, 0, 8);
	for (uint64_t i = 0; i < count; i++) {
		at = begin_record(out, SAMPLE);
		BUF(out, "8448444", SWITCH_ID + i % 8000, 7, 7, i * 1000, 0, 0, 12);
		buf_zero(out, 12);
		end_record(out, at);
	}
	buf_release(&data);
}

/* --- damage --- */

/* A bad header after every fifth switch: a gap of so many bytes. */
static void put_gaps(struct byte_buf *out, uint64_t count, size_t bytes)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		for (uint64_t k = 0; k < 5; k++)
			put_switch(out, i * 1000 + k, 7, i);
		buf_fill(out, 0xee, bytes);
	}
}

static void write_gaps(struct byte_buf *out, uint64_t count)
{
	put_gaps(out, count, 64);
}

/* Gaps that end at an odd offset: every multiple of 8 is tried before. */
static void write_odd_gaps(struct byte_buf *out, uint64_t count)
{
	put_gaps(out, count, 63);
}

/* Nothing but bytes that form no record. */
static void write_garbage(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	buf_fill(out, 0xee, count * 64);
}

/* Samples whose size includes the five records after them. */
static void write_hidden(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = out->size;

		for (uint64_t k = 0; k < 6; k++)
			put_switch(out, i * 1000 + k, 7, i);
		buf_set_u16(out, at + 6, (uint16_t)(out->size - at));
	}
}

/* Records of an unknown type, whose contents must be looked at. */
static void write_unknown(struct byte_buf *out, uint64_t count)
{
	begin_switches(out);
	for (uint64_t i = 1; i <= count; i++) {
		size_t at = begin_record(out, 60);

		buf_fill(out, 0xee, 96);
		end_record(out, at);
	}
}

/* --- layers --- */

static void put_compressed(struct byte_buf *out, const struct byte_buf *from)
{
	size_t room = ZSTD_compressBound(from->size), at, done;
	uint8_t *packed = malloc(room);

	if (!packed)
		die("no memory for %zu bytes", room);
	done = ZSTD_compress(packed, room, from->data, from->size, 19);
	if (ZSTD_isError(done) || done > RECORD_BYTES_MAX)
		die("zstd: %s", ZSTD_getErrorName(done));
	at = begin_record(out, COMPRESSED);
	buf_bytes(out, packed, done);
	buf_set_u16(out, at + 6, (uint16_t)(out->size - at));
	free(packed);
}

/* Of each piece of some 100 bytes come 4 MiB of empty rounds. */
static void write_zstd_bomb(struct byte_buf *out, uint64_t count)
{
	struct byte_buf rounds = { 0 };

	begin_switches(out);
	for (uint64_t i = 0; i < 1u << 19; i++)
		BUF(&rounds, "422", FINISHED_ROUND, 0, 8);
	for (uint64_t i = 0; i < count; i += 1u << 19)
		put_compressed(out, &rounds);
	buf_release(&rounds);
}

/* The newest first, to be sorted. */
static void write_backward(struct byte_buf *out, uint64_t count)
{
	begin_pipe(out);
	put_attr(out, 1, 3, TID | TIME | READ | CPU, WRITE_BACKWARD, SWITCH_ID);
	for (uint64_t i = count; i > 0; i--)
		put_switch(out, i * 1000, 2 + i % 7, i);
}

/* In no order at all: the most that sorting can cost. */
static void write_shuffled(struct byte_buf *out, uint64_t count)
{
	begin_pipe(out);
	put_attr(out, 1, 3, TID | TIME | READ | CPU, WRITE_BACKWARD, SWITCH_ID);
	for (uint64_t i = 1; i <= count; i++)
		put_switch(out, i * 2654435761u % (1u << 31), 2 + i % 7, i);
}

const struct growth perf_growths[] = {
	{ "switches", "data", "switches", write_switches },
	{ "threads", "data", "threads, with a switch each", write_threads },
	{ "incarnations", "data", "incarnations of one thread id", write_incarnations },
	{ "forks-backwards", "data", "the same, the last one first",
	  write_forks_backwards },
	{ "comms", "data", "names of one thread", write_comms },
	{ "named-threads", "data", "threads with a name each", write_named_threads },
	{ "maps", "data", "mapped files", write_maps },
	{ "cgroups", "data", "cgroups", write_cgroups },
	{ "ksymbols", "data", "kernel symbols", write_ksymbols },
	{ "losses", "data", "LOST records", write_losses },
	{ "callchains", "data", "different call chains", write_callchains },
	{ "counters", "data", "counters", write_counters },
	{ "ids", "data", "ids of one event", write_ids },
	{ "tracepoints", "data", "formats of tracepoints", write_tracepoints },
	{ "gaps", "data", "gaps between records", write_gaps },
	{ "odd-gaps", "data", "gaps of 63 bytes", write_odd_gaps },
	{ "garbage", "data", "times 64 bytes without a record", write_garbage },
	{ "hidden", "data", "samples that hide five others", write_hidden },
	{ "unknown", "data", "records of an unknown type", write_unknown },
	{ "zstd-bomb", "data", "empty rounds, compressed 10,000 to 1", write_zstd_bomb },
	{ "backward", "data", "switches written backward", write_backward },
	{ "shuffled", "data", "switches in no order", write_shuffled },
	{ "", NULL, NULL, NULL },
};
