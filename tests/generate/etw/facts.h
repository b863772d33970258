/* What happens in the simulated machine, as both writers are told of it. */
#ifndef ETW_FACTS_H
#define ETW_FACTS_H

#include "etw/plan.h"

/* Types of Process and Thread events. */
enum verb {
	VERB_START = 1,
	VERB_END = 2,
	VERB_DC_START = 3,
	VERB_DC_END = 4,
	VERB_DEFUNCT = 0x27,
};

/* When, where and by whom an event is written. */
struct etw_stamp {
	uint64_t us;
	unsigned cpu;
	uint32_t pid;
	uint32_t tid;
};

struct etw_process_facts {
	uint32_t pid;
	uint32_t parent_pid;
	uint32_t session;
	int32_t exit_status;
	uint32_t flags;
	unsigned version;    /* of the event, 1 to 5 */
	int authorities;     /* of the user's SID, -1: none */
	const char *image;   /* code page 1252 */
	const char *command; /* UTF-8, as package and app */
	const char *package;
	const char *app;
};

struct etw_thread_facts {
	uint32_t pid;
	uint32_t tid;
	unsigned version; /* 1 to 4 */
	bool name_field;  /* a version 3 event has the name too */
	uint8_t priority;
	const char *name;  /* UTF-8, may be empty */
	const char *image; /* of the process, code page 1252 */
};

struct etw_image_facts {
	uint32_t pid;
	unsigned version;
	uint64_t base;
	const char *path;
};

struct etw_interval_facts {
	uint8_t type; /* 0x48 set, 0x49 at the start, 0x4a at the end */
	unsigned version;
	uint32_t source;
	uint32_t now;
	uint32_t before;
	const char *name;
};

/* A context switch.  In text it has the names of the accounts. */
struct etw_switch {
	unsigned cpu;
	uint64_t us;
	size_t old_account;
	size_t new_account;
	uint32_t old_tid;
	uint32_t new_tid;
	uint8_t old_priority;
	uint8_t new_priority;
	uint8_t c_state;
	uint8_t reason;
	uint8_t state;
	uint8_t ideal_cpu;
	uint32_t wait_time;
	uint32_t quantum;
	uint32_t ran_us; /* since the switch before */
	bool dropped; /* LastDroppedTimes lies between this switch and the one before */
	unsigned counter_count;
	uint64_t values[COUNTER_MAX + 1];
};

#endif
