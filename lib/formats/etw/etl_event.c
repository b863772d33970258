/*
 * etl_event.c - the header of one event, and where its payload begins; see
 * docs/formats/etl.md, "Events".
 *
 * The top byte of the first word and, for most, its third byte say which header it is.
 * The size of pointers is that of the header's type: files mix 32 and 64 bit events.
 */
#include "base/array.h"
#include "formats/etw/etl_layout.h"

/* Third byte. */
enum {
	TYPE_SYSTEM32 = 0x01,
	TYPE_SYSTEM64,
	TYPE_COMPACT32,
	TYPE_COMPACT64,
	TYPE_FULL32 = 0x0a,
	TYPE_INSTANCE32,
	TYPE_TIMED,
	TYPE_ERROR,
	TYPE_WNODE,
	TYPE_PERFINFO32 = 0x10,
	TYPE_PERFINFO64,
	TYPE_EVENT32,
	TYPE_EVENT64,
	TYPE_FULL64,
	TYPE_INSTANCE64,
};

#define MARKER_HEADER 0xc0u
#define MARKER_ULONG32_TIME 0xb0u
#define MARKER_END 0xffffffffu
#define MARKER_PERFINFO 0xc0100000u /* of 32 and of 64 bits */
#define MARKER_PERFINFO_MASK 0xfffe0000u
#define PERFINFO_BYTES 16u

/* Of Version in SYSTEM, COMPACT and PERFINFO headers. */
#define VERSION_MASK 0x00ffu
#define PMC_COUNT_MASK 0x0700u
#define PMC_COUNT_SHIFT 8
#define SPARE_MASK 0x7800u
#define PEBS_FLAG 0x8000u

/* EVENT_HEADER.Flags, extended items and their types. */
#define FLAG_EXTENDED_INFO 0x0001u
#define ITEM_FOLLOWS 0x0001u
#define ITEM_PMC_COUNTERS 8u

/* OptionFlags of messages. */
#define MESSAGE_SEQUENCE 0x01u
#define MESSAGE_GUID 0x02u
#define MESSAGE_COMPONENT 0x04u
#define MESSAGE_TIME 0x08u
#define MESSAGE_SYSTEM_INFO 0x20u

/* --- headers, after their first four bytes --- */

/* [PEBS index], counter values; after the fixed header of kernel events. */
static void decode_extension(struct cursor *c, uint16_t version, struct etl_event *event)
{
	event->version = version & VERSION_MASK;
	if (version & SPARE_MASK) {
		event->odd_bits = true;
		return;
	}
	event->has_pebs = version & PEBS_FLAG;
	if (event->has_pebs)
		cursor_skip(c, 8);
	event->pmc_count = (uint8_t)((version & PMC_COUNT_MASK) >> PMC_COUNT_SHIFT);
	event->pmcs = cursor_bytes(c, event->pmc_count * 8u);
}

static void decode_kernel(struct cursor *c, uint16_t version, struct etl_event *event)
{
	cursor_skip(c, 2); /* Size */
	event->is_kernel = true;
	event->opcode = cursor_u8(c);
	event->group = cursor_u8(c);
	event->tid = cursor_u32(c);
	event->pid = cursor_u32(c);
	event->ticks = cursor_u64(c);
	event->has_ticks = true;
	if (event->header == ETL_SYSTEM)
		cursor_skip(c, 8); /* kernel and user time */
	decode_extension(c, version, event);
}

static void decode_full(struct cursor *c, struct etl_event *event)
{
	event->opcode = cursor_u8(c);
	cursor_skip(c, 1); /* Level */
	event->version = cursor_u16(c);
	event->tid = cursor_u32(c);
	event->pid = cursor_u32(c);
	event->ticks = cursor_u64(c);
	event->has_ticks = true;
	event->guid = cursor_bytes(c, 16);
	cursor_skip(c, 8); /* kernel and user time */
	if (event->header == ETL_INSTANCE)
		cursor_skip(c, 0x48 - 0x30); /* ids, and the parent's GUID */
}

static void decode_items(struct cursor *c, struct etl_event *event)
{
	uint16_t total, type, linkage, bytes;

	do {
		struct cursor item;

		total = cursor_u16(c);
		type = cursor_u16(c);
		linkage = cursor_u16(c);
		bytes = cursor_u16(c);
		if (total < 8) {
			c->overrun = true;
			return;
		}
		item = cursor_sub(c, total - 8u);
		if (type == ITEM_PMC_COUNTERS && bytes / 8 <= ETL_PMCS_MAX &&
		    bytes <= cursor_left(&item)) {
			event->pmc_count = (uint8_t)(bytes / 8);
			event->pmcs = cursor_bytes(&item, event->pmc_count * 8u);
		}
	} while ((linkage & ITEM_FOLLOWS) && !c->overrun);
}

static void decode_event_header(struct cursor *c, struct etl_event *event)
{
	uint16_t flags = cursor_u16(c);

	cursor_skip(c, 2); /* EventProperty */
	event->tid = cursor_u32(c);
	event->pid = cursor_u32(c);
	event->ticks = cursor_u64(c);
	event->has_ticks = true;
	event->guid = cursor_bytes(c, 16);
	event->id = cursor_u16(c);
	event->version = cursor_u8(c);
	cursor_skip(c, 2); /* Channel, Level */
	event->opcode = cursor_u8(c);
	cursor_skip(c, 0x50 - 0x2e); /* Task, Keyword, times, activity */
	if (flags & FLAG_EXTENDED_INFO)
		decode_items(c, event);
}

static void decode_message(struct cursor *c, struct etl_event *event)
{
	uint16_t options;

	event->id = cursor_u16(c);
	options = cursor_u16(c);
	if (options & MESSAGE_SEQUENCE)
		cursor_skip(c, 4);
	if (options & MESSAGE_GUID)
		event->guid = cursor_bytes(c, 16);
	else if (options & MESSAGE_COMPONENT)
		cursor_skip(c, 4);
	if (options & MESSAGE_TIME) {
		event->ticks = cursor_u64(c);
		event->has_ticks = true;
	}
	if (options & MESSAGE_SYSTEM_INFO) {
		event->tid = cursor_u32(c);
		event->pid = cursor_u32(c);
	}
}

/* --- classic GUIDs --- */

static const struct classic {
	uint8_t guid[16]; /* as in the file */
	uint8_t group;
} classics[] = {
	/* 3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c Process */
	{ { 0xd0, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f,
	    0xd7, 0xba, 0x7c },
	  0x03 },
	/* 3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c Thread */
	{ { 0xd1, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f,
	    0xd7, 0xba, 0x7c },
	  0x05 },
	/* 2cb15d1d-5fc1-11d2-abe1-00a0c911f518 Image */
	{ { 0x1d, 0x5d, 0xb1, 0x2c, 0xc1, 0x5f, 0xd2, 0x11, 0xab, 0xe1, 0x00, 0xa0, 0xc9,
	    0x11, 0xf5, 0x18 },
	  0x14 },
	/* ce1dbfb4-137e-4da6-87b0-3f59aa102cbc PerfInfo */
	{ { 0xb4, 0xbf, 0x1d, 0xce, 0x7e, 0x13, 0xa6, 0x4d, 0x87, 0xb0, 0x3f, 0x59, 0xaa,
	    0x10, 0x2c, 0xbc },
	  0x0f },
	/* 3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c DiskIo */
	{ { 0xd4, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f,
	    0xd7, 0xba, 0x7c },
	  0x01 },
	/* 3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c PageFault */
	{ { 0xd3, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f,
	    0xd7, 0xba, 0x7c },
	  0x02 },
	/* 90cbdc39-4a3e-11d1-84f4-0000f80464e3 FileIo */
	{ { 0x39, 0xdc, 0xcb, 0x90, 0x3e, 0x4a, 0xd1, 0x11, 0x84, 0xf4, 0x00, 0x00, 0xf8,
	    0x04, 0x64, 0xe3 },
	  0x04 },
	/* 9a280ac0-c8e0-11d1-84e2-00c04fb998a2 TcpIp */
	{ { 0xc0, 0x0a, 0x28, 0x9a, 0xe0, 0xc8, 0xd1, 0x11, 0x84, 0xe2, 0x00, 0xc0, 0x4f,
	    0xb9, 0x98, 0xa2 },
	  0x06 },
	/* bf3a50c5-a9c9-4988-a005-2df0b7c80f80 UdpIp */
	{ { 0xc5, 0x50, 0x3a, 0xbf, 0xc9, 0xa9, 0x88, 0x49, 0xa0, 0x05, 0x2d, 0xf0, 0xb7,
	    0xc8, 0x0f, 0x80 },
	  0x08 },
	/* ae53722e-c863-11d2-8659-00c04fa321a1 Registry */
	{ { 0x2e, 0x72, 0x53, 0xae, 0x63, 0xc8, 0xd2, 0x11, 0x86, 0x59, 0x00, 0xc0, 0x4f,
	    0xa3, 0x21, 0xa1 },
	  0x09 },
	/* def2fe46-7bd6-4b80-bd94-f57fe20d0ce3 StackWalk */
	{ { 0x46, 0xfe, 0xf2, 0xde, 0xd6, 0x7b, 0x80, 0x4b, 0xbd, 0x94, 0xf5, 0x7f, 0xe2,
	    0x0d, 0x0c, 0xe3 },
	  0x18 },
	/* 01853a65-418f-4f36-aefc-dc0f1d2fd235 SystemConfig */
	{ { 0x65, 0x3a, 0x85, 0x01, 0x8f, 0x41, 0x36, 0x4f, 0xae, 0xfc, 0xdc, 0x0f, 0x1d,
	    0x2f, 0xd2, 0x35 },
	  0x0b },
};

/*
 * Classic events under the GUID of a kernel group (merged traces, converted ones) become
 * the kernel's own.
 */
static void map_classic(struct etl_event *event)
{
	for (size_t i = 0; i < ARRAY_COUNT(classics); i++) {
		if (memcmp(event->guid, classics[i].guid, 16) != 0)
			continue;
		event->is_kernel = true;
		event->group = classics[i].group;
	}
}

/* --- which header it is --- */

struct header_kind {
	enum etl_header header;
	uint8_t pointer_bytes;
	const char *name;
};

/* By the third byte; without a name: not known. */
static const struct header_kind header_kinds[] = {
	[TYPE_SYSTEM32] = { ETL_SYSTEM, 4, "SYSTEM32" },
	[TYPE_SYSTEM64] = { ETL_SYSTEM, 8, "SYSTEM64" },
	[TYPE_COMPACT32] = { ETL_COMPACT, 4, "COMPACT32" },
	[TYPE_COMPACT64] = { ETL_COMPACT, 8, "COMPACT64" },
	[TYPE_FULL32] = { ETL_FULL, 4, "FULL32" },
	[TYPE_FULL64] = { ETL_FULL, 8, "FULL64" },
	[TYPE_INSTANCE32] = { ETL_INSTANCE, 4, "INSTANCE32" },
	[TYPE_INSTANCE64] = { ETL_INSTANCE, 8, "INSTANCE64" },
	[TYPE_TIMED] = { ETL_OTHER, 8, "TIMED" },
	[TYPE_ERROR] = { ETL_OTHER, 8, "ERROR" },
	[TYPE_WNODE] = { ETL_OTHER, 8, "WNODE" },
	[TYPE_PERFINFO32] = { ETL_PERFINFO, 4, "PERFINFO32" },
	[TYPE_PERFINFO64] = { ETL_PERFINFO, 8, "PERFINFO64" },
	[TYPE_EVENT32] = { ETL_EVENT, 4, "EVENT32" },
	[TYPE_EVENT64] = { ETL_EVENT, 8, "EVENT64" },
};
#define HEADER_KINDS ARRAY_COUNT(header_kinds)

const char *etl_header_name(const struct etl_event *event)
{
	if (event->header == ETL_MESSAGE)
		return "MESSAGE";
	if (event->header == ETL_ULONG32_TIME)
		return "ULONG32_TIME";
	return header_kinds[event->header_type].name;
}

/* Kernel headers have their size after the marker, all others in its low half. */
static bool has_size_after_marker(enum etl_header header)
{
	return header == ETL_SYSTEM || header == ETL_COMPACT;
}

static bool find_header_kind(uint32_t marker, struct etl_event *event)
{
	uint32_t top = marker >> 24, type = marker >> 16 & 0xff;

	event->pointer_bytes = 8;
	event->header_type = (uint8_t)type;
	if (top == MARKER_HEADER) {
		if (type >= HEADER_KINDS || !header_kinds[type].name)
			return false;
		event->header = header_kinds[type].header;
		event->pointer_bytes = header_kinds[type].pointer_bytes;
		return true;
	}
	if (top == MARKER_ULONG32_TIME) {
		event->header = ETL_ULONG32_TIME;
		return true;
	}
	event->header = ETL_MESSAGE;
	return (top & 0xd0) == 0x90; /* 0x80 and 0x10 set, 0x40 clear */
}

static void decode_header(struct cursor *c, uint32_t marker, struct etl_event *event)
{
	switch (event->header) {
	case ETL_SYSTEM:
	case ETL_COMPACT:
		decode_kernel(c, (uint16_t)marker, event);
		break;
	case ETL_FULL:
	case ETL_INSTANCE:
		decode_full(c, event);
		break;
	case ETL_EVENT:
		decode_event_header(c, event);
		break;
	case ETL_MESSAGE:
		decode_message(c, event);
		break;
	case ETL_PERFINFO: /* decode_perfinfo() */
	case ETL_ULONG32_TIME:
	case ETL_OTHER:
		break;
	}
}

/*
 * What read_header() does, for the header of nearly all events of a trace of switches:
 * without a cursor, which costs half of the walk.
 */
static enum etl_walk decode_perfinfo(struct cursor *c, uint32_t marker,
				     struct etl_event *event)
{
	const uint8_t *at = c->pos;
	size_t left = cursor_left(c), begin = PERFINFO_BYTES, step;
	uint16_t size = 0, version = (uint16_t)marker;
	unsigned int pmcs = (version & PMC_COUNT_MASK) >> PMC_COUNT_SHIFT;
	bool odd_bits = version & SPARE_MASK;

	if (left >= PERFINFO_BYTES)
		memcpy(&size, at + 4, sizeof(size));
	if (!odd_bits)
		begin += (version & PEBS_FLAG ? 8 : 0) + 8 * pmcs;
	if (size < begin || size > left)
		return ETL_WALK_BAD;
	event->header = ETL_PERFINFO;
	event->header_type = (uint8_t)(marker >> 16);
	event->pointer_bytes = marker >> 16 & 1 ? 8 : 4;
	event->size = size;
	event->offset = c->offset;
	event->has_ticks = event->is_kernel = true;
	event->tid = event->pid = INT_NONE;
	event->group = at[7];
	event->opcode = at[6];
	event->id = 0;
	event->version = version & VERSION_MASK;
	event->guid = NULL;
	event->odd_bits = odd_bits;
	event->has_pebs = version & PEBS_FLAG;
	event->pmc_count = odd_bits ? 0 : (uint8_t)pmcs;
	event->pmcs = at + begin - (odd_bits ? 0 : 8 * pmcs);
	event->payload = cursor_over(at + begin, size - begin, c->offset + begin, false);
	memcpy(&event->ticks, at + 8, sizeof(event->ticks));
	step = (size + 7u) & ~(size_t)7;
	step = step < left ? step : left;
	c->pos += step;
	c->offset += step;
	return ETL_WALK_EVENT;
}

enum etl_walk etl_decode_event(struct cursor *c, struct etl_event *event)
{
	struct cursor head = *c, whole;
	uint32_t marker, size, padding;

	if (cursor_left(c) < 8)
		return ETL_WALK_END;
	marker = cursor_u32(&head);
	if ((marker & MARKER_PERFINFO_MASK) == MARKER_PERFINFO)
		return decode_perfinfo(c, marker, event);
	if (marker == MARKER_END)
		return ETL_WALK_END;
	*event = (struct etl_event){ .offset = c->offset,
				     .tid = INT_NONE,
				     .pid = INT_NONE };
	if (!find_header_kind(marker, event))
		return ETL_WALK_BAD;
	size = has_size_after_marker(event->header) ? cursor_u16(&head) : marker & 0xffff;
	if (size < 4 || size > cursor_left(c))
		return ETL_WALK_BAD;
	event->size = size;
	whole = cursor_sub(c, size);
	padding = -size & 7u;
	cursor_skip(c, padding < cursor_left(c) ? padding : cursor_left(c));
	cursor_skip(&whole, 4);
	decode_header(&whole, marker, event);
	if (whole.overrun)
		return ETL_WALK_BAD;
	if (event->guid && event->header != ETL_MESSAGE)
		map_classic(event);
	event->payload = whole;
	return ETL_WALK_EVENT;
}
