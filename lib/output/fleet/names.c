/* names.c - makes the names of counters differ; see names.h. */
#include "output/fleet/names.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

static bool is_taken(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(names[i], name) == 0)
			return true;
	return false;
}

bool fleet_counter_names(struct arena *arena, const char **names, size_t count,
			 const struct fleet_counters *counters)
{
	for (size_t i = 0; i < counters->slots; i++) {
		struct str counter = counters->names[i];
		struct str valid =
			text_valid_utf8(arena, counter.ptr ? counter : STR("?"));
		/* Each counter before it may cost a #. */
		char *name =
			valid.ptr ? arena_alloc(arena, valid.len + count + i + 1) : NULL;

		if (!name)
			return false;
		memcpy(name, valid.ptr, valid.len);
		name[valid.len] = '\0';
		while (is_taken((const char *const *)names, count + i, name))
			strcat(name, "#");
		names[count + i] = name;
	}
	return true;
}
