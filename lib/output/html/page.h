/*
 * page.h - a page with markup, style, scripts and data in one file.
 *
 * Its content security policy allows the scripts and styles it was built with, by their
 * hashes, and nothing from outside.  Data of traces are in blocks (blocks.h) and in the
 * document, which is JSON in a block.
 */
#ifndef PERFTAB_HTML_PAGE_H
#define PERFTAB_HTML_PAGE_H

#include <stdio.h>

#include "base/error.h"
#include "output/target.h"

struct page {
	struct target target;
	bool is_stdout;
	struct str title;
	FILE *to;
	FILE *document; /* JSON; in memory until the end */
	char *text;
	size_t size;
};

/* Returns false if the build has no uPlot: there are no pages. */
bool page_is_possible(void);
/*
 * "-" is standard output.  A file that exists is replaced if it is such a page.  The
 * title is text of any kind, which is borrowed.
 */
MUST_CHECK enum status page_open(struct page *page, const char *path, struct str title,
				 struct error *error);
/* Writes what precedes all blocks: once it is known that there is a report. */
void page_begin(struct page *page);
/* After the document: completes the page, which gets its name. */
MUST_CHECK enum status page_finish(struct page *page, struct error *error);
/* May be called at any time; removes a page that is not complete. */
void page_close(struct page *page);

#endif
