/* role.c - finds what a counter counts: from its name, type and config, or a raw code. */
#include "counters/role.h"

#include <string.h>

#include "base/array.h"

#define NAME_BYTES_MAX 96

/* perf_event_attr.type */
enum {
	TYPE_HARDWARE = 0,
	TYPE_SOFTWARE = 1,
	TYPE_TRACEPOINT = 2,
	TYPE_CACHE = 3,
	TYPE_RAW = 4
};

enum vendor { VENDOR_NONE, VENDOR_INTEL, VENDOR_AMD, VENDOR_ARM };

static const struct {
	const char *name;
	bool is_hardware;
} roles[] = {
#define ROLE(enumerator, name, is_hardware) { name, is_hardware },
#define GENERIC(role, type, config)
#define RAW(role, vendor, config)
#define NAME(role, name)
#include "counters/roles.def"
#undef ROLE
#undef GENERIC
};

static const struct {
	enum role role;
	int64_t type, config;
} generics[] = {
#define ROLE(enumerator, name, is_hardware)
#define GENERIC(role, type, config) { ROLE_##role, type, config },
#include "counters/roles.def"
#undef GENERIC
#undef RAW
};

static const struct {
	enum role role;
	enum vendor vendor;
	int64_t config;
} raws[] = {
#define GENERIC(role, type, config)
#define RAW(role, vendor, config) { ROLE_##role, VENDOR_##vendor, config },
#include "counters/roles.def"
#undef RAW
#undef NAME
};

static const struct {
	enum role role;
	const char *name;
} names[] = {
#define RAW(role, vendor, config)
#define NAME(role, name) { ROLE_##role, name },
#include "counters/roles.def"
#undef ROLE
#undef GENERIC
#undef RAW
#undef NAME
};

const char *role_name(enum role role)
{
	return roles[role].name;
}

bool role_is_hardware(enum role role)
{
	return roles[role].is_hardware;
}

bool role_needs_pmu(const struct role_counter *counter)
{
	if (counter->type == INT64_MIN) /* of Windows: a profile source */
		return true;
	return counter->type == TYPE_HARDWARE || counter->type == TYPE_CACHE ||
	       counter->type == TYPE_RAW;
}

/* --- the parts of a name --- */

static struct str part(const char *from, const char *end)
{
	return (struct str){ from, (size_t)(end - from) };
}

static bool are_modifiers(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!memchr("ukhGHIpPSDWeb", text.ptr[i], 13))
			return false;
	return text.len > 0;
}

/* "pmu/term/mods", or "term:mods"; missing parts are empty. */
static struct str split(struct str event, struct role_found *found)
{
	const char *end = event.ptr + event.len, *first, *last, *colon = NULL;

	found->pmu = found->modifiers = part(end, end);
	first = event.len ? memchr(event.ptr, '/', event.len) : NULL;
	last = first ? memchr(first + 1, '/', (size_t)(end - first - 1)) : NULL;
	if (last) {
		found->pmu = part(event.ptr, first);
		found->modifiers = part(last + 1, end);
		return part(first + 1, last);
	}
	for (const char *at = event.ptr; at < end; at++)
		if (*at == ':')
			colon = at;
	if (!colon || !are_modifiers(part(colon + 1, end)))
		return event;
	found->modifiers = part(colon + 1, end);
	return part(event.ptr, colon);
}

/* In the form of roles.def, without libpfm4's "model::". */
static struct str normal_name(struct str term, char *to)
{
	size_t used = 0;

	for (size_t i = 0; i + 1 < term.len; i++)
		if (term.ptr[i] == ':' && term.ptr[i + 1] == ':')
			term = part(term.ptr + i + 2, term.ptr + term.len), i = 0;
	for (size_t i = 0; i < term.len && used < NAME_BYTES_MAX; i++) {
		char c = ascii_lower(term.ptr[i]);

		to[used++] = c == ':' ? '.' : c;
	}
	return (struct str){ to, used };
}

/* --- the machine --- */

static bool contains(struct str text, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= text.len; i++)
		if (memcmp(text.ptr + i, word, length) == 0)
			return true;
	return false;
}

static enum vendor vendor_of(struct str arch, struct str cpu_model)
{
	if (contains(arch, "aarch64") || contains(arch, "arm"))
		return VENDOR_ARM;
	if (contains(cpu_model, "Intel"))
		return VENDOR_INTEL;
	return contains(cpu_model, "AMD") ? VENDOR_AMD : VENDOR_NONE;
}

/* --- the role --- */

static enum role generic_role(const struct role_counter *counter)
{
	int64_t config = counter->config & 0xffffffff;

	for (size_t i = 0; i < ARRAY_COUNT(generics); i++)
		if (generics[i].type == counter->type && generics[i].config == config)
			return generics[i].role;
	return ROLE_NONE;
}

static enum role raw_role(const struct role_counter *counter, enum vendor vendor)
{
	for (size_t i = 0; i < ARRAY_COUNT(raws); i++)
		if (counter->type == TYPE_RAW && raws[i].vendor == vendor &&
		    raws[i].config == counter->config)
			return raws[i].role;
	return ROLE_NONE;
}

static enum role named_role(struct str name)
{
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (str_equal(name, str_of(names[i].name)))
			return names[i].role;
	return ROLE_NONE;
}

struct role_found role_find(const struct role_counter *counter, struct str arch,
			    struct str cpu_model)
{
	struct role_found found = { .role = ROLE_NONE };
	struct str term = split(counter->event, &found);
	char name[NAME_BYTES_MAX];

	if (counter->type == TYPE_TRACEPOINT)
		return found;
	found.role = generic_role(counter);
	if (found.role != ROLE_NONE &&
	    (counter->type == TYPE_HARDWARE || counter->type == TYPE_CACHE))
		found.pmu_type = counter->config >> 32;
	if (found.role == ROLE_NONE)
		found.role = named_role(normal_name(term, name));
	if (found.role == ROLE_NONE)
		found.role = raw_role(counter, vendor_of(arch, cpu_model));
	return found;
}
