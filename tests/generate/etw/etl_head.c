/* The buffer that begins an .etl file: TRACE_LOGFILE_HEADER and the events beside it. */
#include "etw/etl_write.h"

enum {
	TYPE_LOGFILE = 0x00,
	TYPE_GROUP_MASKS = 0x20,
	TYPE_BUILD_LAB = 0x42,
	TYPE_PARTITION = 0x50,
	HEAD_BUFFER_BYTES = 0x400,
	BUFFER_TYPE_HEADER = 4,
	COMPRESSION_XPRESS = 3,
	MODE_SEQUENTIAL = 0x1,
	MODE_CIRCULAR = 0x2,
	MODE_APPEND = 0x4,
	MODE_ADD_TO_HEADER = 0x1000,
	MODE_RELOG = 0x10000,
	MODE_SYSTEM_LOGGER = 0x02000000,
	MODE_COMPRESSED = 0x04000000,
	MODE_SINGLE_STREAM = 0x10000000,
	KERNEL_VERSION = 70,
	KERNEL_VERSION_7 = 27,
	RESTART_US = 2500000, /* a session that is appended begins with a young clock */
};

static uint32_t log_file_mode(const struct etl *etl)
{
	uint32_t mode = MODE_SEQUENTIAL;

	if (etl->form->order == ORDER_WRAPPED)
		mode = MODE_CIRCULAR;
	if (etl->plan->dress & DRESS_MERGED)
		mode |= MODE_ADD_TO_HEADER | MODE_RELOG;
	else
		mode |= etl->form->windows7 ? 0u : (uint32_t)MODE_SYSTEM_LOGGER;
	if (etl->plan->dress & DRESS_APPEND)
		mode |= MODE_APPEND;
	if (etl->form->packing)
		mode |= MODE_COMPRESSED;
	if (etl->plan->dress & DRESS_SINGLE_STREAM)
		mode |= MODE_SINGLE_STREAM;
	return mode;
}

/* Major, minor, log version. */
static void put_version(const struct etl *etl, struct byte_buf *out)
{
	BUF(out, "11114", etl->form->windows7 ? 6 : 10, etl->form->windows7 ? 1 : 0,
	    etl->form->packing ? 2 : 1, etl->form->packing ? 0 : 5,
	    etl->form->windows7 ? 7601 : 18362);
}

static uint32_t cpu_mhz(const struct etl *etl)
{
	return etl->plan->clock == CLOCK_CYCLES ? (uint32_t)(etl->clock.hz / 1000000)
						: 2808;
}

static void put_logfile_payload(struct etl *etl, uint64_t us, struct byte_buf *out)
{
	bool narrow = etl->form->header32;
	bool merged = etl->plan->dress & DRESS_MERGED;
	bool single = etl->plan->dress & DRESS_SINGLE_STREAM;
	bool qpc = etl->plan->clock == CLOCK_QPC;

	buf_u32(out, etl->buffer_bytes);
	put_version(etl, out);
	buf_u32(out, single ? 1 : etl->plan->cpu_count);
	buf_u64(out, 0); /* EndTime and the counts of losses are corrected at the end */
	BUF(out, "44444444", 156250, 0, log_file_mode(etl), 0, 1, narrow ? 4 : 8, 0,
	    cpu_mhz(etl));
	buf_number(out, 0x0000001300000008u & (narrow ? 0xffffffffu : UINT64_MAX),
		   narrow ? 4 : 8);
	buf_number(out, 0x00000000deadbeefu, narrow ? 4 : 8);
	buf_u32(out, (uint32_t)-60); /* time zone: bias, names and dates of its halves */
	buf_zero(out, 172);
	BUF(out, "88844", clock_filetime(0) - 36000000000u,
	    qpc ? etl->clock.hz : 10000000, clock_filetime(us), etl->plan->clock, 0);
	buf_wide_z(out, merged ? "Relogger" : "NT Kernel Logger");
	buf_wide_z(out, merged ? "[multiple files]" : "C:\\trace.etl");
}

static size_t begin_system_event(struct etl *etl, uint8_t type, uint16_t version,
				 struct byte_buf *out)
{
	size_t start = out->size;

	BUF(out, "21121144844", version, etl->form->header32 ? 1 : 2, 0xc0, 0, type,
	    GROUP_HEADER, 5944, 2788, etl->clock.base_ticks, 1, 0);
	return start;
}

static void end_system_event(size_t start, struct byte_buf *out)
{
	size_t size = out->size - start;

	buf_set_u16(out, start + 4, (uint16_t)size);
	buf_zero(out, -size & 7);
}

static void put_other_events(struct etl *etl, struct byte_buf *out)
{
	size_t start = begin_system_event(etl, TYPE_GROUP_MASKS, 1, out);
	bool batched = etl->plan->dress & DRESS_BATCHED;

	buf_u32(out, 0x00000017);
	buf_u32(out, batched ? 0x00000100 : 0);
	buf_zero(out, 6 * sizeof(uint32_t));
	buf_u32(out, etl->form->windows7 ? KERNEL_VERSION_7 : KERNEL_VERSION);
	end_system_event(start, out);
	start = begin_system_event(etl, TYPE_BUILD_LAB, 1, out);
	buf_wide_z(out, "18362.1.amd64fre.19h1");
	end_system_event(start, out);
	if (etl->form->windows7)
		return;
	start = begin_system_event(etl, TYPE_PARTITION, 1, out);
	buf_zero(out, 48);
	end_system_event(start, out);
}

static void put_buffer_fields(struct etl *etl, uint64_t us, uint32_t whole,
			      struct byte_buf *out)
{
	bool merged = etl->plan->dress & DRESS_MERGED;
	bool windows7 = etl->form->windows7;
	uint32_t state = etl->form->packing || !merged ? COMPRESSION_XPRESS : 0;
	uint16_t flags = BUFFER_FLUSH_MARKER;

	if (!windows7 && !merged && !etl->form->packing)
		flags |= BUFFER_PROC_INDEX;
	buf_u32(out, whole);
	buf_u32(out, 0); /* SavedOffset: no reader may use it */
	BUF(out, "448", 0, 0, merged ? 0 : clock_ticks(&etl->clock, us));
	buf_u64(out, etl->next_sequence++);
	buf_u64(out, 0);
	buf_u16(out, windows7 ? 0x0800 : 0);
	buf_u16(out, merged ? 0 : 0x14);
	buf_u32(out, state);
	buf_u32(out, 0); /* Offset */
	buf_u16(out, flags);
	buf_u16(out, BUFFER_TYPE_HEADER);
	buf_zero(out, 16);
}

void etl_put_head(struct etl *etl, uint64_t us)
{
	uint32_t whole = etl->form->packing ? HEAD_BUFFER_BYTES : etl->buffer_bytes;
	struct byte_buf out = { 0 };
	size_t start;

	if (etl->head_count) {
		etl_flush(etl, us);
		etl->clock.base_us = us;
		etl->clock.base_ticks = RESTART_US;
		for (unsigned cpu = 0; cpu < CPU_MAX; cpu++)
			etl->cpus[cpu].last_ticks = 0;
	}
	put_buffer_fields(etl, us, whole, &out);
	start = begin_system_event(etl, TYPE_LOGFILE, 2, &out);
	put_logfile_payload(etl, us, &out);
	end_system_event(start, &out);
	put_other_events(etl, &out);
	if (out.size > whole)
		die("%s: the header has %zu bytes", etl->plan->name, out.size);
	buf_set_u32(&out, 0x30, (uint32_t)out.size);
	buf_fill(&out, 0xff, whole - out.size);
	if (etl->head_count == sizeof(etl->head_offsets) / sizeof(uint64_t))
		die("%s: too many sessions", etl->plan->name);
	etl->head_offsets[etl->head_count++] = store_header(&etl->store, &out);
}
