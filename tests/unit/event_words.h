/*
 * event_words.h - events put into words, so that tables of tests can expect them.
 */
#ifndef PERFTAB_EVENT_WORDS_H
#define PERFTAB_EVENT_WORDS_H

#include "capture/linux/events/event.h"

/*
 * "cycles:u 0/0 -k-h; cpu/umask=1/ 4/0x100 pmu=cpu": name, type/config and what else is
 * set, one after the other.
 */
const char *event_words(const struct event_list *list);

#endif
