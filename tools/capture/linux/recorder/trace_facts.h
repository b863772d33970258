/*
 * trace_facts.h - what a trace says of itself, from the counters that were opened, the
 * machine and tracefs; formats/perf/write.h writes it.
 */
#ifndef PERFTAB_TRACE_FACTS_H
#define PERFTAB_TRACE_FACTS_H

#include "base/arena.h"
#include "capture/linux/counters/counters.h"
#include "capture/linux/counters/machine.h"
#include "formats/perf/write_parts.h"

struct trace_facts {
	struct perf_write_facts written;
	struct machine machine;
	struct bytes formats; /* what written.tracing_data is */
	struct arena arena;
};

/*
 * Reads the machine; events, groups and ids are those of the counters, whose names and
 * attributes are borrowed.  `command` is the recorder's own, NULL at the end.
 */
MUST_CHECK enum status trace_facts_read(struct trace_facts *facts,
					const struct counters *counters,
					char *const *command, struct error *error);
void trace_facts_release(struct trace_facts *facts);

/*
 * trace_formats.c: formats of all tracepoints among the events, as `tracefs` has them,
 * which is the mount point.
 */
MUST_CHECK enum status trace_formats_read(struct trace_facts *facts, const char *tracefs,
					  const struct counters *counters,
					  struct error *error);

#endif
