/* event_words.c - see event_words.h. */
#include "event_words.h"

#include <stdarg.h>
#include <string.h>

#include "unit.h"

struct event_sources event_machine;

static char words[65536];
static size_t at;

static void say(const char *format, ...) PRINTF_LIKE(1, 2);

static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (at < sizeof(words))
		at += (size_t)vsnprintf(words + at, sizeof(words) - at, format, args);
	va_end(args);
}

static void say_number(const char *name, unsigned long long value)
{
	if (value)
		say(" %s=%#llx", name, value);
}

static void say_flags(const struct perf_event_attr *attr)
{
	static const char *const words_of[] = {
		"-u", "-k", "-h", "-host", "-guest", "-idle", "pinned", "exclusive",
	};
	const int set[] = { attr->exclude_user, attr->exclude_kernel, attr->exclude_hv,
			    attr->exclude_host, attr->exclude_guest,  attr->exclude_idle,
			    attr->pinned,	attr->exclusive };

	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		if (set[i])
			say(" %s", words_of[i]);
}

static void say_event(const struct capture_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	say("%s %u/%#llx", event->name, attr->type, (unsigned long long)attr->config);
	say_number("config1", attr->config1);
	say_number("config2", attr->config2);
	say_number("access", attr->bp_type);
	say_flags(attr);
	if (attr->precise_ip || event->precise_max)
		say(" p%u%s", attr->precise_ip, event->precise_max ? "max" : "");
	if (event->pmu)
		say(" pmu=%s", event->pmu);
	if (event->cpus)
		say(" cpus=%s", event->cpus);
	if (event->unit || event->scale < 1 || event->scale > 1)
		say(" %g%s", event->scale, event->unit ? event->unit : "");
	if (event->tracepoint_system)
		say(" tp=%s,%s", event->tracepoint_system, event->tracepoint_name);
	if (event->group)
		say(" group%zu", event->group);
	if (attr->size != sizeof(*attr) || attr->sample_period || attr->sample_type)
		say(" and something that is the recorder's");
}

const char *event_words(const struct event_list *list)
{
	at = 0;
	words[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			say("; ");
		say_event(&list->events[i]);
	}
	return words;
}

void event_machine_make(enum event_tree tree)
{
	assert_true(event_tree_make(unit_directory(), tree));
	event_machine = (struct event_sources){ .sysfs = unit_path("sysfs"),
						.tracefs = unit_path("tracefs") };
}

int event_machine_intel(void **state)
{
	(void)state;
	event_machine_make(TREE_INTEL);
	return 0;
}

void event_machine_file(const char *path, const char *text)
{
	assert_true(event_tree_text(unit_path(""), path, text));
}

const char *event_outcome(const struct event_sources *sources, const char *names,
			  struct error *error)
{
	struct event_list list = { .count = 0 };
	static struct error own;
	enum status status;

	error = error ? error : &own;
	*error = (struct error){ .status = ST_OK };
	status = names ? event_list_parse(&list, sources, names, error)
		       : event_list_default(&list, sources, error);
	assert_int_equal(status, error->status);
	if (status == ST_OK)
		event_words(&list);
	event_list_release(&list);
	return status == ST_OK ? words : error->text;
}
