/* Conversions between UTF-8, UTF-16 and code page 1252. */
#include "etw/charset.h"

#include <string.h>

/* The bytes 0x80 to 0x9f; 0 where the code page has nothing. */
static const uint16_t ansi_high[32] = {
	0x20ac, 0,	0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
	0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,	0x017d, 0,
	0,	0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
	0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,	0x017e, 0x0178,
};

/* The texts are this program's own, and well formed. */
static uint32_t next_character(const char **text)
{
	uint8_t lead = (uint8_t) * (*text)++;
	unsigned more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
	uint32_t code = more ? lead & (0x3fu >> more) : lead;

	while (more--)
		code = code << 6 | ((uint8_t) * (*text)++ & 0x3f);
	return code;
}

void put_utf16z(struct byte_buf *out, const char *utf8)
{
	while (*utf8) {
		uint32_t code = next_character(&utf8);

		if (code >= 0x10000) {
			buf_u16(out, (uint16_t)(0xd800 + ((code - 0x10000) >> 10)));
			code = 0xdc00 + ((code - 0x10000) & 0x3ff);
		}
		buf_u16(out, (uint16_t)code);
	}
	buf_u16(out, 0);
}

void put_ansi_as_utf8(struct byte_buf *out, const char *ansi)
{
	for (; *ansi; ansi++) {
		uint32_t code = (uint8_t)*ansi;

		if (code >= 0x80 && code < 0xa0)
			code = ansi_high[code - 0x80];
		if (code >= 0x800) {
			BUF(out, "111", (uint8_t)(0xe0 | code >> 12),
			    (uint8_t)(0x80 | (code >> 6 & 0x3f)),
			    (uint8_t)(0x80 | (code & 0x3f)));
		} else if (code >= 0x80) {
			buf_u8(out, (uint8_t)(0xc0 | code >> 6));
			buf_u8(out, (uint8_t)(0x80 | (code & 0x3f)));
		} else {
			buf_u8(out, (uint8_t)code);
		}
	}
}

static uint8_t ansi_byte(uint32_t code)
{
	if (code < 0x80 || (code >= 0xa0 && code < 0x100))
		return (uint8_t)code;
	for (unsigned i = 0; i < 32; i++)
		if (ansi_high[i] == code)
			return (uint8_t)(0x80 + i);
	return '?';
}

void put_utf8_as_ansi(struct byte_buf *out, const char *utf8)
{
	while (*utf8)
		buf_u8(out, ansi_byte(next_character(&utf8)));
}
