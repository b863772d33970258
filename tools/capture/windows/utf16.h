/*
 * utf16.h - texts from and to Windows.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_UTF16_H
#define PERFTAB_CAPTURE_WINDOWS_UTF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * UTF-8 as UTF-16, terminated; bytes that are not UTF-8 become U+FFFD.  False: it does
 * not fit into so many units.
 */
bool utf16_of(uint16_t *to, size_t units, const char *text);

/*
 * The text that ends with a NUL or after so many units, as UTF-8, terminated; lone
 * surrogates become U+FFFD.  Cut to what fits.
 */
void utf16_to_utf8(char *to, size_t size, const uint16_t *text, size_t units);

#endif
