/* Events that no reader need know, under every header there is: they must be skipped. */
#include "etw/etl_write.h"

enum {
	KIND_FULL,
	KIND_EVENT,
	KIND_EVENT_ITEMS,
	KIND_MESSAGE,
	KIND_INSTANCE,
	KIND_COMPACT,
	KIND_SYSTEM,
	KIND_PERFINFO,
	KIND_PERFINFO_EXTENDED,
	KIND_PERFINFO_SPARE,
	KIND_BARE,
	KIND_COUNT,
};

static void put_mark(struct etl *etl, uint8_t kind)
{
	buf_u8(&etl->event, kind);
	buf_u8(&etl->event, 0xc0);
}

static void put_noise(struct etl *etl, uint64_t most)
{
	for (uint64_t left = rng_range(&etl->rng, 0, most); left; left--)
		buf_u8(&etl->event, (uint8_t)rng_next(&etl->rng));
}

static void put_guid(struct etl *etl)
{
	buf_u64(&etl->event, rng_next(&etl->rng));
	buf_u64(&etl->event, rng_next(&etl->rng));
}

static void put_thread(struct etl *etl)
{
	buf_u32(&etl->event, 4 * (uint32_t)rng_range(&etl->rng, 1, 4000));
	buf_u32(&etl->event, 4 * (uint32_t)rng_range(&etl->rng, 1, 4000));
}

static void put_full(struct etl *etl, bool instance)
{
	static const uint8_t kinds[2][2] = { { 0x0a, 0x14 }, { 0x0b, 0x15 } };
	struct byte_buf *out = &etl->event;

	buf_u16(out, 0);
	put_mark(etl, kinds[instance][rng_range(&etl->rng, 0, 1)]);
	buf_u8(out, (uint8_t)rng_range(&etl->rng, 0, 60));
	buf_u8(out, 4);
	buf_u16(out, 2);
	put_thread(etl);
	buf_u64(out, etl->event_ticks);
	put_guid(etl);
	buf_u32(out, 0);
	buf_u32(out, 0);
	if (instance) {
		buf_u32(out, 11);
		buf_u32(out, 12);
		put_guid(etl);
	}
	put_noise(etl, 60);
}

static void put_item(struct etl *etl, uint16_t type, uint16_t more, uint16_t size)
{
	BUF(&etl->event, "2222", (uint16_t)((8u + size + 7) & ~7u), type, more, size);
	for (unsigned i = 0; i < ((size + 7u) & ~7u); i++)
		buf_u8(&etl->event, (uint8_t)rng_next(&etl->rng));
}

static void put_event(struct etl *etl, bool items)
{
	struct byte_buf *out = &etl->event;
	bool wide = rng_chance(&etl->rng, 2);

	buf_u16(out, 0);
	put_mark(etl, wide ? 0x13 : 0x12);
	buf_u16(out, (uint16_t)((wide ? 0x40 : 0x20) | items));
	buf_u16(out, 0);
	put_thread(etl);
	buf_u64(out, etl->event_ticks);
	put_guid(etl);
	BUF(out, "21111288", 36, 4, 16, 4, 36, 5, 0x8000000000000010u, 0);
	buf_zero(out, 16);
	if (items) {
		put_item(etl, 1, 1, 16);
		put_item(etl, 2, 1, 12);
		put_item(etl, 8, rng_chance(&etl->rng, 2), 16);
		if (out->data[out->size - 20] & 1)
			put_item(etl, 6, 0, 40);
	}
	put_noise(etl, 40);
}

static void put_message(struct etl *etl)
{
	struct byte_buf *out = &etl->event;
	uint16_t options = (uint16_t)(rng_next(&etl->rng) & 0x2b);

	BUF(out, "21122", 0, 0, 0x90, 17, options);
	if (options & 0x01)
		buf_u32(out, 99);
	if (options & 0x02)
		put_guid(etl);
	if (options & 0x08)
		buf_u64(out, etl->event_ticks);
	if (options & 0x20)
		put_thread(etl);
	put_noise(etl, 30);
}

/* SYSTEM and COMPACT, of a group that does not exist. */
static void put_system(struct etl *etl, bool compact)
{
	static const uint8_t kinds[2][2] = { { 1, 2 }, { 3, 4 } };
	struct byte_buf *out = &etl->event;

	buf_u16(out, 3);
	put_mark(etl, kinds[compact][rng_range(&etl->rng, 0, 1)]);
	BUF(out, "211", 0, 0x24, 0x3e);
	put_thread(etl);
	buf_u64(out, etl->event_ticks);
	if (!compact)
		buf_u64(out, 0);
	put_noise(etl, 50);
}

static void put_perfinfo(struct etl *etl, unsigned kind)
{
	struct byte_buf *out = &etl->event;
	unsigned count = (unsigned)rng_range(&etl->rng, 0, COUNTER_MAX);
	uint16_t version = 2;

	if (kind == KIND_PERFINFO_EXTENDED)
		version |= (uint16_t)(count << VERSION_COUNTERS_SHIFT | VERSION_PEBS);
	if (kind == KIND_PERFINFO_SPARE)
		version |= (uint16_t)(0x0800u << rng_range(&etl->rng, 0, 3));
	buf_u16(out, version);
	put_mark(etl, rng_chance(&etl->rng, 4) ? 0x10 : 0x11);
	BUF(out, "2118", 0, (uint8_t)(kind == KIND_PERFINFO ? 0x20 : 0x33),
	    kind == KIND_PERFINFO ? 0x18 : GROUP_PERFINFO, etl->event_ticks);
	if (kind == KIND_PERFINFO_EXTENDED)
		for (unsigned i = 0; i <= count; i++)
			buf_u64(out, rng_next(&etl->rng));
	put_noise(etl, 50);
}

/* TIMED, ERROR and WNODE: only their size is known. */
static void put_bare(struct etl *etl)
{
	buf_u16(&etl->event, 0);
	put_mark(etl, (uint8_t)rng_range(&etl->rng, 0x0c, 0x0e));
	buf_zero(&etl->event, 12);
	put_noise(etl, 30);
}

void etl_put_strange(struct etl *etl, unsigned cpu, uint64_t us, uint64_t ticks)
{
	unsigned kind = (unsigned)rng_range(&etl->rng, 0, KIND_COUNT - 1);
	bool size_first = kind <= KIND_INSTANCE || kind == KIND_BARE;

	etl_begin_loose(etl, cpu, us, ticks, size_first ? 0 : 4);
	switch (kind) {
	case KIND_FULL:
	case KIND_INSTANCE:
		put_full(etl, kind == KIND_INSTANCE);
		break;
	case KIND_EVENT:
	case KIND_EVENT_ITEMS:
		put_event(etl, kind == KIND_EVENT_ITEMS);
		break;
	case KIND_MESSAGE:
		put_message(etl);
		break;
	case KIND_SYSTEM:
	case KIND_COMPACT:
		put_system(etl, kind == KIND_COMPACT);
		break;
	case KIND_BARE:
		put_bare(etl);
		break;
	default:
		put_perfinfo(etl, kind);
	}
	etl_end_loose(etl);
}
