/* Events of an .etl file other than those of switches and tasks. */
#include <string.h>

#include "etw/charset.h"
#include "etw/etl_write.h"

enum {
	TYPE_DROPPED = 0x52,
	TYPE_COUNTERS = 0x30,
	TYPE_CORRUPTION = 0x31,
	TYPE_SAMPLE = 0x2e,
	TYPE_COUNTER_SAMPLE = 0x2f,
	TYPE_READY = 0x32,
	TYPE_BATCH = 0x25,
	TYPE_IMAGE_LOAD = 0x0a,
	TYPE_CPU = 0x0a,
	TYPE_DISK_READ = 0x0a,
	TYPE_DISK_WRITE = 0x0b,
	TYPE_SEND = 0x0a,
	TYPE_RECEIVE = 0x0b,
	TYPE_TIMER_EXPIRATION = 0x51,
	TYPE_TIMER_SET = 0x53,
	BATCH_THREADS = 16,
	HOST_LETTERS = 256,
	DOMAIN_LETTERS = 134,
};

void etl_put_counters(struct etl *etl, const struct etw_stamp *stamp, bool other)
{
	struct event_id id = { other ? HEAD_SYSTEM : HEAD_PERFINFO, GROUP_PERFINFO,
			       TYPE_COUNTERS, 2 };
	const struct etw_plan *plan = etl->plan;

	etl_begin(etl, stamp, id);
	buf_u32(&etl->event, plan->counter_count);
	for (unsigned i = 0; i < plan->counter_count; i++)
		put_utf16z(&etl->event,
			   other ? "SomethingElse" : etw_counter_name(plan, i));
	etl_end(etl);
}

void etl_put_corruption(struct etl *etl, const struct etw_stamp *stamp, unsigned cpu,
			uint64_t last_good_us)
{
	struct event_id id = { HEAD_PERFINFO, GROUP_PERFINFO, TYPE_CORRUPTION, 2 };
	struct byte_buf *out = &etl->event;

	etl_begin(etl, stamp, id);
	BUF(out, "44", cpu, etl->plan->counter_count);
	for (unsigned i = 0; i < etl->plan->counter_count; i++) /* the first one first */
		BUF(out, "48", 6 + i, clock_ticks(&etl->clock, last_good_us + 3000 * i));
	etl_end(etl);
}

void etl_put_dropped(struct etl *etl, const struct etw_stamp *stamp,
		     const uint64_t *times_us)
{
	struct event_id id = { HEAD_SYSTEM, GROUP_HEADER, TYPE_DROPPED, 1 };
	struct byte_buf *out = &etl->event;

	etl_begin(etl, stamp, id);
	BUF(out, "44", etl->plan->cpu_count, 0);
	for (unsigned cpu = 0; cpu < etl->plan->cpu_count; cpu++)
		buf_u64(out, times_us[cpu] ? clock_ticks(&etl->clock, times_us[cpu]) : 0);
	etl_end(etl);
}

void etl_put_interval(struct etl *etl, const struct etw_stamp *stamp,
		      const struct etw_interval_facts *facts)
{
	struct event_id id = { HEAD_PERFINFO, GROUP_PERFINFO, facts->type,
			       (uint16_t)facts->version };

	etl_begin(etl, stamp, id);
	BUF(&etl->event, "444", facts->source, facts->now, facts->before);
	if (facts->version >= 3)
		put_utf16z(&etl->event, facts->name);
	etl_end(etl);
}

void etl_put_sample(struct etl *etl, const struct etw_stamp *stamp, bool counter)
{
	struct event_id id = { HEAD_PERFINFO, GROUP_PERFINFO,
			       counter ? TYPE_COUNTER_SAMPLE : TYPE_SAMPLE, 2 };
	struct byte_buf *out = &etl->event;

	etl_begin(etl, stamp, id);
	etl_pointer(etl, 0xfffff80212340000u + stamp->us % 4096);
	BUF(out, "422", stamp->tid, counter ? 6 : 1, counter ? 0 : 0x40);
	etl_end(etl);
}

void etl_put_ready(struct etl *etl, const struct etw_stamp *stamp, uint32_t tid)
{
	struct event_id id = { HEAD_PERFINFO, GROUP_THREAD, TYPE_READY, 2 };

	etl_begin(etl, stamp, id);
	BUF(&etl->event, "41111", tid, 1, 2, 1, 0);
	etl_end(etl);
}

void etl_put_batch(struct etl *etl, const struct etw_stamp *stamp, const uint32_t *tids)
{
	struct event_id id = { HEAD_PERFINFO, GROUP_THREAD, TYPE_BATCH, 2 };
	struct byte_buf *out = &etl->event;

	etl_begin(etl, stamp, id);
	buf_u64(out, clock_ticks(&etl->clock, stamp->us) - 9000);
	for (unsigned i = 0; i < BATCH_THREADS; i++)
		buf_u32(out, tids[i]);
	for (unsigned i = 0; i < BATCH_THREADS; i++)
		buf_u8(out, (uint8_t)(8 + i % 4));
	/* One record of each kind: idle out, short and long; thread, short and long. */
	BUF(out, "2448", (uint16_t)(90u << 2), 1u | 700u << 2,
	    2u | 3u << 2 | 31u << 9 | 150u << 15,
	    3u | 4000u << 2 | (uint64_t)5 << 32 | (uint64_t)15 << 36 | (uint64_t)9 << 42 |
		    (uint64_t)77 << 47);
	etl_end(etl);
}

static void put_disk(struct etl *etl, const struct etw_stamp *stamp, uint8_t type)
{
	etl_begin(etl, stamp, (struct event_id){ HEAD_SYSTEM, GROUP_DISK, type, 3 });
	BUF(&etl->event, "44448", 0, 0x60043, 4096, 0, 0x1234000);
	etl_pointer(etl, 0xffffe00012345678u);
	etl_pointer(etl, 0xffffe00012346000u);
	BUF(&etl->event, "84", 1700, stamp->tid);
	etl_end(etl);
}

static void put_packet(struct etl *etl, const struct etw_stamp *stamp, uint8_t group,
		       uint8_t type)
{
	etl_begin(etl, stamp, (struct event_id){ HEAD_SYSTEM, group, type, 2 });
	BUF(&etl->event, "4444224", stamp->pid, 1460, 0x0100007f, 0x0200007f, 0x5000,
	    0xbb01, 0);
	etl_pointer(etl, 0);
	etl_end(etl);
}

static void put_timer(struct etl *etl, const struct etw_stamp *stamp, uint8_t type)
{
	etl_begin(etl, stamp,
		  (struct event_id){ HEAD_PERFINFO, GROUP_PERFINFO, type, 2 });
	buf_u64(&etl->event, etl->event_ticks + 156250);
	etl_pointer(etl, 0xfffff80012345678u);
	etl_pointer(etl, 0xfffff80012346000u);
	BUF(&etl->event, "411", 0, 0, 1);
	etl_end(etl);
}

/* Disk reads and writes, packets, timers that are set and expire. */
void etl_put_counted(struct etl *etl, const struct etw_stamp *stamp)
{
	put_disk(etl, stamp, TYPE_DISK_READ);
	put_disk(etl, stamp, TYPE_DISK_WRITE);
	put_packet(etl, stamp, GROUP_TCP, TYPE_SEND);
	put_packet(etl, stamp, GROUP_UDP, TYPE_RECEIVE);
	put_timer(etl, stamp, TYPE_TIMER_SET);
	put_timer(etl, stamp, TYPE_TIMER_EXPIRATION);
}

void etl_put_image(struct etl *etl, const struct etw_stamp *stamp, enum verb verb,
		   const struct etw_image_facts *facts)
{
	bool load = verb == VERB_START;
	struct event_id id = { HEAD_SYSTEM, load ? GROUP_PROCESS : GROUP_IMAGE,
			       load ? TYPE_IMAGE_LOAD : (uint8_t)verb,
			       (uint16_t)facts->version };
	struct byte_buf *out = &etl->event;

	etl_begin(etl, stamp, id);
	etl_pointer(etl, facts->base);
	etl_pointer(etl, 0x1c2000);
	buf_u32(out, facts->pid);
	if (facts->version >= 2) {
		BUF(out, "444", 0x1bd8c, 0x5e7d1f3a, facts->version >= 3 ? 0x0c : 0);
		etl_pointer(etl, facts->base);
		buf_zero(out, 4 * sizeof(uint32_t));
	}
	put_utf16z(out, facts->path);
	etl_end(etl);
}

static void put_fixed_text(struct byte_buf *out, const char *text, unsigned letters)
{
	for (unsigned i = 0; i < letters; i++)
		buf_u16(out, *text ? (uint8_t)*text++ : 0);
}

void etl_put_cpu_config(struct etl *etl, const struct etw_stamp *stamp)
{
	struct event_id id = { HEAD_SYSTEM, GROUP_CONFIG, TYPE_CPU,
			       etl->form->windows7 ? 2 : 3 };
	struct byte_buf *out = &etl->event;

	etl_begin(etl, stamp, id);
	BUF(out, "44444", 2808, etl->plan->cpu_count, 16384, 4096, 65536);
	put_fixed_text(out, "TESTBENCH-7", HOST_LETTERS);
	put_fixed_text(out, "example.test", DOMAIN_LETTERS);
	etl_pointer(etl, 1);
	/* 808 bytes at 64 bits: the older version has room for no more. */
	if (id.version == 2) {
		etl_end(etl);
		return;
	}
	etl_pointer(etl, 0x7fffffeffffu);
	BUF(out, "22224", 9, 6, 0x9e0a, 0, 2666);
	etl_end(etl);
}

/* Equal events without stamps, 24 bytes each: matches of any length when packed. */
void etl_put_run(struct etl *etl, const struct etw_stamp *stamp, unsigned count)
{
	static const uint8_t rest[20] = "no reader knows it.";
	uint64_t ticks = clock_ticks(&etl->clock, stamp->us);

	for (unsigned i = 0; i < count; i++) {
		etl_begin_loose(etl, stamp->cpu, stamp->us, ticks, 0);
		BUF(&etl->event, "211", 0, 0x0e, 0xc0);
		buf_bytes(&etl->event, rest, sizeof(rest));
		etl_end_loose(etl);
	}
}
