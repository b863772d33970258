/*
 * code_page.h - texts in a code page of Windows or DOS, as UTF-8.
 */
#ifndef PERFTAB_CODE_PAGE_H
#define PERFTAB_CODE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* The number of UTF-8 among code pages. */
#define CODE_PAGE_UTF8 65001

bool code_page_is_known(int64_t number);
/* Returns the numbers of all known pages, "437, 737, ..."; constant. */
const char *code_page_numbers(void);
/*
 * Returns a copy in UTF-8 of bytes in a known page other than UTF-8; bytes without a
 * character become U+FFFD.  ptr NULL: out of memory.
 */
struct str code_page_text(struct arena *arena, int64_t number, struct str bytes);

#endif
