/*
 * session.h - a capture: what a source answers goes into a bundle, on a steady schedule.
 *
 * Nothing that comes back is understood here beyond return codes and the names needed to
 * find what the user asked for: docs/formats/perflib-bundle.md.
 */
#ifndef PERFTAB_CAPTURE_PERFLIB_SESSION_H
#define PERFTAB_CAPTURE_PERFLIB_SESSION_H

#include "capture/perflib/selection.h"

/* So many snapshots in a row that failed end the capture. */
#define SESSION_FAILURES_MAX 10

struct session_fact {
	const char *key, *value;
};

struct session_options {
	const char *const *requests; /* selection.h */
	size_t request_count;
	bool requests_are_optional;	  /* one that can be had is enough */
	const struct session_fact *facts; /* behind those of the source */
	size_t fact_count;
	double interval;   /* seconds */
	int64_t snapshots; /* 0: until the user or the source ends it */
	/* What is wrong but ends nothing; NULL: not told. */
	void (*warn)(const char *text);
};

/* Where the bundle goes.  Whole records have been written when flush() is called. */
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
		int64_t snapshots, failed, missed; /* missed: the schedule's */
		uint64_t answer_bytes;
		size_t refused; /* identifiers */
	} stats;
};

/* Finds what is wished; nothing is written yet. */
MUST_CHECK enum status session_open(struct session *session, struct source *source,
				    const struct session_options *options,
				    struct error *error);
/* All of the bundle; Ctrl-C or SIGTERM ends it as the last snapshot does. */
MUST_CHECK enum status session_record(struct session *session,
				      const struct session_out *out, struct error *error);
void session_close(struct session *session);

#endif
