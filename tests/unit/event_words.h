/*
 * event_words.h - events put into words, so that tables of tests can expect them, and the
 * machines that they are parsed on.
 */
#ifndef PERFTAB_EVENT_WORDS_H
#define PERFTAB_EVENT_WORDS_H

#include "capture/linux/events/event.h"
#include "event_tree.h"

/*
 * "cycles:u 0/0 -k-h; cpu/umask=1/ 4/0x100 pmu=cpu": name, type/config and what else is
 * set, one after the other.
 */
const char *event_words(const struct event_list *list);

/* The machine of the present test, in a scratch directory of its own. */
extern struct event_sources event_machine;
void event_machine_make(enum event_tree tree);
/* Group fixture: TREE_INTEL. */
int event_machine_intel(void **state);
/* Writes a file of the machine; the path is relative to its directory. */
void event_machine_file(const char *path, const char *text);

/*
 * What the names (NULL: the default events) come to on a machine: the events in words, or
 * the message.  Fills `error`, which may be NULL, and checks that it agrees with the
 * status.
 */
const char *event_outcome(const struct event_sources *sources, const char *names,
			  struct error *error);

#endif
