/* Stamps of a trace. */
#include "etw/clock.h"

static const uint64_t start_filetime = 132675686690347142u;

/* a * b / c without overflow, for a remainder of c that times b fits. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
	return a / c * b + a % c * b / c;
}

uint64_t clock_ticks(const struct etw_clock *clock, uint64_t us)
{
	return clock->base_ticks + scale(us - clock->base_us, clock->hz, 1000000);
}

uint64_t clock_ns(const struct etw_clock *clock, uint64_t ticks)
{
	return clock->base_us * 1000 +
	       scale(ticks - clock->base_ticks, 1000000000, clock->hz);
}

uint64_t clock_filetime(uint64_t us)
{
	return start_filetime + us * 10;
}
