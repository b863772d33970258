/*
 * keys.h - keys of sums: a thread, or one of the lines apart from threads.
 */
#ifndef PERFTAB_HTML_KEYS_H
#define PERFTAB_HTML_KEYS_H

#include "model/record.h"
#include "output/html/sums.h"

enum key {
	KEY_REST = SUMS_REST,
	KEY_UNATTRIBUTED,
	KEY_WITH_IDLE,
	KEY_INTERRUPTS,
	KEY_THREADS = 8, /* + thread_id */
};

static inline uint64_t key_of_thread(int64_t thread_id)
{
	return thread_id < 0 ? (uint64_t)KEY_UNATTRIBUTED
			     : (uint64_t)thread_id + KEY_THREADS;
}

#endif
