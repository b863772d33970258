/* Texts as the media keep them: UTF-16 and code page 1252. */
#ifndef ETW_CHARSET_H
#define ETW_CHARSET_H

#include "common/bytes.h"

/* Appends UTF-8 text as UTF-16 with its end. */
void put_utf16z(struct byte_buf *out, const char *utf8);

/* Appends code page 1252 as UTF-8, without an end. */
void put_ansi_as_utf8(struct byte_buf *out, const char *ansi);

/* Appends UTF-8 as code page 1252, without an end; what it cannot say becomes '?'. */
void put_utf8_as_ansi(struct byte_buf *out, const char *utf8);

#endif
