/*
 * little_endian.h - reads and writes the little-endian numbers of bundles and of
 * PerfLib's structures on any machine.  Readers of untrusted bytes use a cursor instead.
 */
#ifndef PERFTAB_LITTLE_ENDIAN_H
#define PERFTAB_LITTLE_ENDIAN_H

#include <stdint.h>

static inline void le_write_u16(uint8_t *to, uint16_t value)
{
	to[0] = (uint8_t)value;
	to[1] = (uint8_t)(value >> 8);
}

static inline void le_write_u32(uint8_t *to, uint32_t value)
{
	le_write_u16(to, (uint16_t)value);
	le_write_u16(to + 2, (uint16_t)(value >> 16));
}

static inline void le_write_u64(uint8_t *to, uint64_t value)
{
	le_write_u32(to, (uint32_t)value);
	le_write_u32(to + 4, (uint32_t)(value >> 32));
}

static inline uint16_t le_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t le_u32(const uint8_t *at)
{
	return le_u16(at) | (uint32_t)le_u16(at + 2) << 16;
}

#endif
