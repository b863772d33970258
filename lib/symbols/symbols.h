/*
 * symbols.h - a sink in front of another one, that adds what addresses are: the modules
 * and functions of samples and call chains, as rows of `module` and `frame_symbol`.
 *
 * It looks at the rows that pass, and adds its own before the row of the trace.  Names
 * come from the trace itself, and from files if it is given a reader of them.
 */
#ifndef PERFTAB_SYMBOLS_SYMBOLS_H
#define PERFTAB_SYMBOLS_SYMBOLS_H

#include "model/sink.h"
#include "symbols/file_names.h"

struct symbol_options {
	file_asker_fn *ask; /* NULL: names that the trace has, and no others */
	void *files;	    /* what it is called with */
	/* What could not be read, and why; or NULL. */
	void (*warn)(void *context, const char *path, const char *text);
	void *context;
};

/* Both `inner` and the files are borrowed; finish() finishes the inner one. */
MUST_CHECK enum status symbols_open(struct sink *sink, struct sink *inner,
				    const struct symbol_options *options);

#endif
