/*
 * terms.h - terms between slashes, shared by what the user types and what sysfs
 * has.
 */
#ifndef PERFTAB_EVENTS_TERMS_H
#define PERFTAB_EVENTS_TERMS_H

#include "capture/linux/events/private.h"

struct term {
	struct str name, value;
	bool has_value;
};
struct term_set {
	struct term terms[EVENT_TERMS_MAX];
	size_t count;
};

/* One event between its slashes. */
struct term_scope {
	struct event_scope *scope;
	struct capture_event *event;
	const struct pmu *pmu;
	const struct term_set *typed; /* what the user wrote */
};

/* "a=1,b": borrowed from the text. */
enum status event_parse_terms(struct event_scope *scope, struct str text,
			      struct term_set *set) MUST_CHECK;

/* Each answers ST_END when the term is nothing of its kind. */

/* config=, config1=, ...: the whole word. */
enum status event_apply_config(struct term_scope *scope,
			       const struct term *term) MUST_CHECK;
/* A field of the PMU's format/. */
enum status event_apply_format(struct term_scope *scope,
			       const struct term *term) MUST_CHECK;
/* A name below the PMU's events/, as it is written or, as perf does, in other case. */
enum status event_apply_alias(struct term_scope *scope, struct str typed) MUST_CHECK;

#endif
