/*
 * role.h - finds the role of a counter from its name or from perf's type and config.
 */
#ifndef PERFTAB_ROLE_H
#define PERFTAB_ROLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum role {
#define ROLE(enumerator, name, is_hardware) ROLE_##enumerator,
#define GENERIC(role, type, config)
#define RAW(role, vendor, config)
#define NAME(role, name)
#include "counters/roles.def"
#undef ROLE
#undef GENERIC
#undef RAW
#undef NAME
	ROLES
};

/* A counter as the trace describes it, and the machine: any of it may be unknown. */
struct role_counter {
	struct str event;
	int64_t type, config; /* of perf_event_attr; INT64_MIN: not known */
};

struct role_found {
	enum role role;
	struct str pmu;	      /* "cpu_core" of "cpu_core/cycles/u"; else empty */
	int64_t pmu_type;     /* of a generic event of one kind of core; else 0 */
	struct str modifiers; /* "u", "uk" */
};

/* arch and cpu_model say what a raw config means; they may be empty. */
struct role_found role_find(const struct role_counter *counter, struct str arch,
			    struct str cpu_model);

const char *role_name(enum role role);
bool role_is_hardware(enum role role);
/* Counted by a PMU, whatever it is, by perf's type or by its source on Windows. */
bool role_needs_pmu(const struct role_counter *counter);

#endif
