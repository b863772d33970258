/*
 * Writer of .etl files.  An event is begun, its payload is put into etl->event, and it is
 * ended: then it is in its CPU's buffer.  Events of one CPU come in the order of
 * time.
 */
#ifndef ETL_WRITE_H
#define ETL_WRITE_H

#include "etw/clock.h"
#include "etw/etl_store.h"
#include "etw/facts.h"
#include "etw/ledger.h"

enum {
	BUFFER_HEAD_BYTES = 0x48,

	BUFFER_FLUSH_MARKER = 0x01,
	BUFFER_EVENTS_LOST = 0x02,
	BUFFER_BUFFER_LOST = 0x04,
	BUFFER_PROC_INDEX = 0x20,
	BUFFER_COMPRESSED = 0x40,

	/* Beside the true version of a PERFINFO event. */
	VERSION_COUNTERS_SHIFT = 8,
	VERSION_PEBS = 0x8000,

	GROUP_HEADER = 0x00,
	GROUP_DISK = 0x01,
	GROUP_PROCESS = 0x03,
	GROUP_THREAD = 0x05,
	GROUP_TCP = 0x06,
	GROUP_UDP = 0x08,
	GROUP_CONFIG = 0x0b,
	GROUP_PERFINFO = 0x0f,
	GROUP_IMAGE = 0x14,
};

/* Kinds of event headers. */
enum head {
	HEAD_SYSTEM,
	HEAD_PERFINFO,
	HEAD_FULL, /* with the classic GUID of the group */
};

struct event_id {
	enum head head;
	uint8_t group;
	uint8_t type;
	uint16_t version;
};

struct etl_cpu {
	struct byte_buf events; /* of the present buffer */
	struct etw_entry *entries;
	size_t entry_count;
	size_t entry_room;
	uint16_t flags;	     /* what was lost, of the present buffer */
	uint16_t last_flags; /* of the one before it in the file */
	bool doomed;	     /* the present buffer will not be in the file */
	bool pinned;	     /* it holds what everything depends on */
	bool stored;	     /* a buffer of the CPU is in the file */
	uint64_t last_sequence;
	uint64_t last_ticks;
	unsigned lose_left; /* switches to be lost */
	unsigned doom_in;   /* buffers before one is lost */
	unsigned lose_in;   /* the same, for events lost */
};

struct etl {
	const struct etw_plan *plan;
	const struct etw_form *form;
	struct etw_ledger *ledger;
	struct etw_clock clock;
	struct etl_store store;
	struct rng rng;	      /* of the container */
	struct rng fault_rng; /* of what is lost */
	struct etl_cpu cpus[CPU_MAX];
	struct byte_buf event;
	unsigned event_cpu;
	uint64_t event_us;
	uint64_t event_ticks;
	size_t event_size_at;
	uint32_t buffer_bytes;
	unsigned pointer_bytes;
	uint64_t next_sequence;
	uint64_t last_missing; /* the last number of a buffer that was lost, or 0 */
	uint32_t events_lost;
	uint32_t buffers_lost;
	uint64_t head_offsets[2];
	unsigned head_count;
};

/* path may be NULL: then nothing is written, but losses are decided. */
void etl_open(struct etl *etl, const struct etw_plan *plan, const struct etw_form *form,
	      struct etw_ledger *ledger, const char *path, uint64_t seed);
void etl_close(struct etl *etl, uint64_t us);

/* A buffer with the log file's header; from the second on it begins a session. */
void etl_put_head(struct etl *etl, uint64_t us);

void etl_begin(struct etl *etl, const struct etw_stamp *stamp, struct event_id id);
void etl_pointer(struct etl *etl, uint64_t value);
void etl_end(struct etl *etl);

/* An event that may be lost with its buffer; its size goes to `size_at` in it. */
void etl_begin_loose(struct etl *etl, unsigned cpu, uint64_t us, uint64_t ticks,
		     size_t size_at);
/* Returns false if the event's buffer will not be in the file. */
bool etl_end_loose(struct etl *etl);

/* In etl_buffers.c: room in the CPU's buffer for an event of so many bytes. */
void etl_make_room(struct etl *etl, unsigned cpu, size_t size, bool pin);

/* Ends the present buffers of all CPUs. */
void etl_flush(struct etl *etl, uint64_t us);

/* Returns false if the switch is not in the file. */
bool etl_put_switch(struct etl *etl, const struct etw_switch *sw);

/* In etl_tasks.c. */
void etl_put_process(struct etl *etl, const struct etw_stamp *stamp, enum verb verb,
		     const struct etw_process_facts *facts);
void etl_put_thread(struct etl *etl, const struct etw_stamp *stamp, enum verb verb,
		    const struct etw_thread_facts *facts);
void etl_put_thread_name(struct etl *etl, const struct etw_stamp *stamp,
			 const struct etw_thread_facts *facts);

/* In etl_extras.c. */
void etl_put_counters(struct etl *etl, const struct etw_stamp *stamp, bool other);
void etl_put_corruption(struct etl *etl, const struct etw_stamp *stamp, unsigned cpu,
			uint64_t last_good_us);
void etl_put_dropped(struct etl *etl, const struct etw_stamp *stamp,
		     const uint64_t *times_us);
void etl_put_interval(struct etl *etl, const struct etw_stamp *stamp,
		      const struct etw_interval_facts *facts);
void etl_put_sample(struct etl *etl, const struct etw_stamp *stamp, bool counter);
void etl_put_ready(struct etl *etl, const struct etw_stamp *stamp, uint32_t tid);
void etl_put_batch(struct etl *etl, const struct etw_stamp *stamp, const uint32_t *tids);
void etl_put_counted(struct etl *etl, const struct etw_stamp *stamp);
void etl_put_image(struct etl *etl, const struct etw_stamp *stamp, enum verb verb,
		   const struct etw_image_facts *facts);
void etl_put_cpu_config(struct etl *etl, const struct etw_stamp *stamp);
void etl_put_run(struct etl *etl, const struct etw_stamp *stamp, unsigned count);

/* In etl_strange.c: an event that no reader need know. */
void etl_put_strange(struct etl *etl, unsigned cpu, uint64_t us, uint64_t ticks);

#endif
