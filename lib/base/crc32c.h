/*
 * crc32c.h - the CRC-32C (Castagnoli) of bytes: polynomial 0x1edc6f41, reflected.
 */
#ifndef PERFTAB_CRC32C_H
#define PERFTAB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of earlier bytes, `crc` (0: none), continued with these. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);

#endif
