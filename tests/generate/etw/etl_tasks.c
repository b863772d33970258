/* Process and Thread events of an .etl file, in every version. */
#include <string.h>

#include "etw/charset.h"
#include "etw/etl_write.h"

enum {
	TYPE_SET_NAME = 0x48,
};

/* As the kernel does it: rundowns of version 4 are the only ones without times. */
static enum head process_head(const struct etl *etl, enum verb verb, unsigned version,
			      uint32_t pid)
{
	bool rundown = verb != VERB_START && verb != VERB_END;

	if (etl->plan->dress & DRESS_MERGED && pid % 3 == 0)
		return HEAD_FULL;
	return rundown && version >= 4 ? HEAD_PERFINFO : HEAD_SYSTEM;
}

/* TOKEN_USER, two pointers, and the SID behind it. */
static void put_sid(struct etl *etl, const struct etw_process_facts *facts)
{
	struct byte_buf *out = &etl->event;

	if (facts->authorities < 0) {
		buf_u32(out, 0);
		return;
	}
	etl_pointer(etl, 0xffffb00412345678u);
	etl_pointer(etl, 0);
	buf_u8(out, 1);
	buf_u8(out, (uint8_t)facts->authorities);
	buf_zero(out, 5);
	buf_u8(out, 5);
	for (int i = 0; i < facts->authorities; i++)
		buf_u32(out, i ? facts->pid * 7919u + (uint32_t)i : 21);
}

static void put_process_numbers(struct etl *etl, const struct etw_process_facts *facts)
{
	struct byte_buf *out = &etl->event;
	uint64_t key = 0xffffe00100000080u + (uint64_t)facts->pid * 0x440;
	uint64_t table = 0x1ab000u + (uint64_t)facts->pid * 0x1000;

	etl_pointer(etl, facts->version == 1 ? table : key);
	BUF(out, "4444", facts->pid, facts->parent_pid, facts->session,
	    (uint32_t)facts->exit_status);
	if (facts->version >= 3)
		etl_pointer(etl, table);
	if (facts->version >= 4)
		buf_u32(out, facts->flags);
}

void etl_put_process(struct etl *etl, const struct etw_stamp *stamp, enum verb verb,
		     const struct etw_process_facts *facts)
{
	struct event_id id = { process_head(etl, verb, facts->version, facts->pid),
			       GROUP_PROCESS, (uint8_t)verb, (uint16_t)facts->version };
	struct byte_buf *out = &etl->event;

	etl_begin(etl, stamp, id);
	put_process_numbers(etl, facts);
	put_sid(etl, facts);
	buf_bytes(out, facts->image, strlen(facts->image) + 1);
	if (facts->version >= 2)
		put_utf16z(out, facts->command);
	if (facts->version >= 4) {
		put_utf16z(out, facts->package);
		put_utf16z(out, facts->app);
	}
	if (facts->version >= 5)
		buf_u64(out, clock_filetime(stamp->us));
	etl_end(etl);
}

static void put_addresses(struct etl *etl, const struct etw_thread_facts *facts,
			  unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		etl_pointer(etl,
			    0xfffff80000000000u + facts->tid * 0x10000u + i * 0x6000);
}

static void put_thread_fields(struct etl *etl, enum verb verb,
			      const struct etw_thread_facts *facts)
{
	struct byte_buf *out = &etl->event;

	buf_u32(out, facts->pid);
	buf_u32(out, facts->tid);
	if (facts->version == 1) {
		if (verb == VERB_END)
			return;
		put_addresses(etl, facts, 6);
		buf_u8(out, 0);
		return;
	}
	put_addresses(etl, facts, 7);
	buf_u32(out, 0);
	if (facts->version == 2)
		return;
	BUF(out, "1111", facts->priority, 5, 2, 0);
	if (facts->version >= 4 || facts->name_field)
		put_utf16z(out, facts->name);
}

void etl_put_thread(struct etl *etl, const struct etw_stamp *stamp, enum verb verb,
		    const struct etw_thread_facts *facts)
{
	struct event_id id = { HEAD_SYSTEM, GROUP_THREAD, (uint8_t)verb,
			       (uint16_t)facts->version };

	if (etl->plan->dress & DRESS_MERGED && facts->tid % 3 == 0)
		id.head = HEAD_FULL;
	etl_begin(etl, stamp, id);
	put_thread_fields(etl, verb, facts);
	etl_end(etl);
}

void etl_put_thread_name(struct etl *etl, const struct etw_stamp *stamp,
			 const struct etw_thread_facts *facts)
{
	struct event_id id = { HEAD_SYSTEM, GROUP_THREAD, TYPE_SET_NAME, 2 };

	etl_begin(etl, stamp, id);
	buf_u32(&etl->event, facts->pid);
	buf_u32(&etl->event, facts->tid);
	put_utf16z(&etl->event, facts->name);
	etl_end(etl);
}
