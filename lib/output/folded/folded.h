/*
 * folded.h - what both forms of stacks share: the state of the sink, and the choice of
 * what is weighed.
 */
#ifndef PERFTAB_FOLDED_H
#define PERFTAB_FOLDED_H

#include "base/bytes.h"
#include "model/sink.h"
#include "output/folded/stacks.h"
#include "output/target.h"
#include "output/trace_contents.h"

struct folded {
	struct target target;
	bool is_stdout;
	int fd;
	struct bytes bytes; /* not written yet */
	struct stacks stacks;
	struct trace_contents contents;
	size_t traces;
};

/* What the weights of a trace are. */
struct folded_choice {
	int64_t counter_id;
	struct str name;
	bool is_ns;
};

/* One line a stack, of one trace. */
enum status folded_write_lines(struct sink *sink, const struct folded_choice *choice);
/* speedscope.c: a document of one trace. */
enum status folded_write_speedscope(struct sink *sink, const struct folded_choice *choice,
				    const struct trace_row *trace);

/* flush.c: writes the buffer once it is large, or at once if `all`. */
enum status folded_flush(struct sink *sink, bool all);

#endif
