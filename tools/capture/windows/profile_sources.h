/*
 * profile_sources.h - what this machine's processors can count, as Windows lists it.
 *
 * The list comes from the kernel, but is read like a file: nothing in it is believed.
 */
#ifndef PERFTAB_PROFILE_SOURCES_H
#define PERFTAB_PROFILE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "etw_api.h"

#define PROFILE_SOURCES_MAX 1024
#define PROFILE_SOURCE_NAME 120 /* bytes; longer ones are cut */

struct profile_source {
	char name[PROFILE_SOURCE_NAME];
	uint32_t id;
	uint32_t least, most; /* of the intervals that it can be sampled at */
};

struct profile_sources {
	struct profile_source *sources;
	size_t count;
	uint32_t number; /* what Windows answered when it refused */
};

/* To be released in any case. */
enum status profile_sources_read(struct profile_sources *list, const struct etw_api *api,
				 struct error *error) MUST_CHECK;
void profile_sources_release(struct profile_sources *list);

/* The bytes of a list, whatever they are. */
enum status profile_sources_parse(struct profile_sources *list, const uint8_t *bytes,
				  size_t size, struct error *error) MUST_CHECK;

/* By name, no matter the case; NULL: there is none. */
const struct profile_source *profile_sources_find(const struct profile_sources *list,
						  struct str name);
/* Nothing but the clock: no counter is shown. */
bool profile_sources_clock_only(const struct profile_sources *list);

void profile_sources_print(FILE *to, const struct profile_sources *list);

#endif
