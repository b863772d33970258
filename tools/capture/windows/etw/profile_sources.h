/*
 * profile_sources.h - the profile sources: what the processors of this machine can count.
 *
 * The list comes from the kernel but is validated like a file.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_ETW_PROFILE_SOURCES_H
#define PERFTAB_CAPTURE_WINDOWS_ETW_PROFILE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "capture/windows/api/etw.h"

#define PROFILE_SOURCES_MAX 1024
#define PROFILE_SOURCE_NAME 120 /* bytes; longer ones are cut */

struct profile_source {
	char name[PROFILE_SOURCE_NAME];
	uint32_t id;
	uint32_t least, most; /* sampling intervals */
};

struct profile_sources {
	struct profile_source *sources;
	size_t count, room;
	uint32_t number; /* error code of a refusal */
};

/* Release the list in any case. */
enum status profile_sources_read(struct profile_sources *list, const struct etw_api *api,
				 struct error *error) MUST_CHECK;
void profile_sources_release(struct profile_sources *list);

/* Parses untrusted bytes. */
enum status profile_sources_parse(struct profile_sources *list, const uint8_t *bytes,
				  size_t size, struct error *error) MUST_CHECK;

/* By name, ignoring case; or NULL. */
const struct profile_source *profile_sources_find(const struct profile_sources *list,
						  struct str name);
/* Whether the list has no counter, only the clock. */
bool profile_sources_clock_only(const struct profile_sources *list);

void profile_sources_print(FILE *to, const struct profile_sources *list);

#endif
