/* values_names.c - what countersets and counters are called. */
#include "base/text.h"
#include "report/values.h"

/* A name in the language that is wanted, else in the other one. */
static struct str choose_name(const struct values *values, struct str local,
			      struct str english)
{
	struct str first = values->options.local ? local : english;

	return first.ptr ? first : values->options.local ? english : local;
}

/* Makes a name from the title of a V1 object, its number in the machine's registry. */
static struct str number_name(struct values *values, int64_t number, int64_t title)
{
	char text[40];

	if (title != INT_NONE)
		text_print(text, sizeof(text), "title %lld", (long long)title);
	else
		text_print(text, sizeof(text), "#%lld", (long long)number);
	return arena_str(&values->arena, str_of(text));
}

/* \\machine\counterset, as PDH writes it; the name alone where no machine is named. */
static struct str path_of(struct values *values, const struct value_set *set)
{
	struct str machine = set->row.machine, name = set->name;
	size_t size = machine.len + name.len + sizeof("\\\\\\");
	char *path;

	if (machine.len == 0)
		return name;
	path = arena_alloc(&values->arena, size);
	if (!path)
		return STR_NONE;
	return (struct str){ path,
			     text_print(path, size, "\\\\%.*s\\%.*s", (int)machine.len,
					machine.ptr, (int)name.len, name.ptr) };
}

bool values_name_set(struct values *values, struct value_set *set)
{
	const struct perflib_counterset_row *row = &set->row;
	struct str name = choose_name(values, row->name, row->english_name);

	set->name = name.ptr	    ? name
		    : row->guid.ptr ? row->guid
				    : number_name(values, row->counterset, row->title);
	set->path = path_of(values, set);
	if (!values->has_machines && values->sets &&
	    !str_equal(values->sets->row.machine, row->machine)) {
		values->has_machines = true;
		for (struct value_set *s = values->sets; s; s = s->next)
			s->shown = s->path;
	}
	set->shown = values->has_machines ? set->path : set->name;
	return set->path.ptr;
}

struct str values_name_counter(struct values *values,
			       const struct perflib_counter_row *row)
{
	struct str name = choose_name(values, row->name, row->english_name);

	return name.ptr ? name : number_name(values, row->counter, row->title);
}
