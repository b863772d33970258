/*
 * utf16.h - converts texts from and to the UTF-16 of Windows.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_UTF16_H
#define PERFTAB_CAPTURE_WINDOWS_UTF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Converts UTF-8 to terminated UTF-16; invalid bytes become U+FFFD.  False: it does not
 * fit into `units`.
 */
bool utf16_of(uint16_t *to, size_t units, const char *text);

/*
 * Converts the text, up to a NUL or `units`, to terminated UTF-8; lone surrogates become
 * U+FFFD.  Truncates to what fits.
 */
void utf16_to_utf8(char *to, size_t size, const uint16_t *text, size_t units);

#endif
