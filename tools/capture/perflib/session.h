/*
 * session.h - a capture: records the answers of a source into a bundle, on a schedule.
 *
 * Answers are not interpreted, except for return codes and the names needed to resolve
 * the user's requests: docs/formats/perflib-bundle.md.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_SESSION_H
#define PERFTAB_CAPTURE_PERFLIB_SESSION_H

#include "capture/perflib/selection.h"

/* Failed snapshots in a row that end the capture. */
#define SESSION_FAILURES_MAX 10

struct session_fact {
	const char *key, *value;
};

struct session_options {
	const char *const *requests; /* as in selection.h */
	size_t request_count;
	bool requests_are_optional;	  /* one available request is enough */
	const struct session_fact *facts; /* after those of the source */
	size_t fact_count;
	double interval;   /* seconds */
	int64_t snapshots; /* 0: until the user or the source ends it */
	/* Called for problems that do not end the capture; or NULL. */
	void (*warn)(const char *text);
};

/* The output of the bundle.  flush() is called between whole records. */
struct session_out {
	plb_write *write;
	enum status (*flush)(void *context, struct error *error); /* or NULL */
	void *context;
};

struct session {
	struct source *source; /* borrowed */
	struct session_options options;
	struct query_retry retry;
	struct countersets all;
	struct selection selection;
	struct session_out out;
	struct plb_writer writer;
	uint32_t query;
	bool is_open; /* the query */
	struct {
		int64_t snapshots, failed,
			missed; /* missed: skipped times of the schedule */
		uint64_t answer_bytes;
		size_t refused; /* identifiers */
	} stats;
};

/* Resolves the requests; writes nothing yet. */
MUST_CHECK enum status session_open(struct session *session, struct source *source,
				    const struct session_options *options,
				    struct error *error);
/* Writes the whole bundle; Ctrl-C or SIGTERM ends it like the last snapshot. */
MUST_CHECK enum status session_record(struct session *session,
				      const struct session_out *out, struct error *error);
void session_close(struct session *session);

#endif
