/*
 * switches.h - single switches with their counters, from the first on, as many as fit.
 */
#ifndef PERFTAB_HTML_SWITCHES_H
#define PERFTAB_HTML_SWITCHES_H

#include "base/bytes.h"
#include "model/record.h"

/* Flag beside an enum charge_class: a switch ended the interval, not a read. */
#define SWITCH_ENDS 8U

struct switch_entry {
	int64_t cpu; /* or INT_NONE */
	int64_t ts_ns, on_cpu_ns;
	uint64_t key;
	unsigned int kind; /* enum charge_class, or with SWITCH_ENDS */
	size_t book;	   /* index of the book with its counters */
	const int64_t *deltas;
	size_t count;
};

struct switches {
	struct bytes bytes;
	size_t bytes_max;
	size_t count;
	int64_t last_ns;
	bool is_full;
	int64_t left_out_ns; /* time of the first one left out; INT64_MAX: none was */
};

void switches_begin(struct switches *switches, size_t bytes_max);
void switches_end(struct switches *switches);
/* Notes that a switch does not fit. */
static inline void switches_leave_out(struct switches *switches, int64_t ts_ns)
{
	if (ts_ns < switches->left_out_ns)
		switches->left_out_ns = ts_ns;
}
/* False: out of memory. */
bool switches_add(struct switches *switches, const struct switch_entry *entry);

struct switches_reader {
	const uint8_t *at, *end;
	int64_t ts_ns;
	int64_t deltas[64];
};

void switches_read(struct switches_reader *reader, const struct switches *switches);
/* Reads the next switch; its deltas are in the reader.  False: there are no more. */
bool switches_next(struct switches_reader *reader, struct switch_entry *entry);

#endif
