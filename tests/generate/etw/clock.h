/*
 * From the machine's time, whole microseconds since the first header event, to the stamps
 * of a trace and back to the nanoseconds that a reader must find.
 */
#ifndef ETW_CLOCK_H
#define ETW_CLOCK_H

#include <stdint.h>

struct etw_clock {
	uint64_t hz;
	uint64_t base_us; /* time of the header event that says what stamps mean */
	uint64_t base_ticks;
};

/* Stamps are cut to whole ticks. */
uint64_t clock_ticks(const struct etw_clock *clock, uint64_t us);

/* What a stamp means, cut to whole nanoseconds since the first header event. */
uint64_t clock_ns(const struct etw_clock *clock, uint64_t ticks);

/* FILETIME of a time. */
uint64_t clock_filetime(uint64_t us);

#endif
