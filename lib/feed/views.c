/* views.c - what to ask for instead of the names that databases have and traces lack. */
#include "base/array.h"
#include "feed/feed.h"

#define INSTEAD(view, have) "'" view "' is a view of databases, not a table: " have
#define BILL(view, by)                                                         \
	{                                                                      \
		view, INSTEAD(view, "perftab_bill() by '" by "' has its rows") \
	}
#define VIEW(view)                                                                       \
	{                                                                                \
		view, INSTEAD(view, "perftab-convert and perftab-analyze --sql have it") \
	}

static const struct {
	const char *name, *text;
} views[] = {
	{ "charge_status",
	  "'charge_status' is a table of databases, not of a trace: it is "
	  "the same in all" },
	BILL("process_bill", "process"),
	BILL("comm_bill", "comm"),
	BILL("cgroup_bill", "cgroup"),
	BILL("process_tree", "tree"),
	VIEW("context_switch_named"),
	VIEW("finding_sorted"),
	VIEW("kernel_task_check"),
	VIEW("perflib_counter_type"),
	VIEW("perflib_formula"),
	VIEW("perflib_value"),
	VIEW("process_metric"),
	VIEW("sample_bill"),
	VIEW("sample_named"),
	VIEW("stat_interval"),
	VIEW("switch_counters"),
	VIEW("switch_utc"),
	VIEW("switch_values"),
};

const char *feed_view(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(views); i++)
		if (strcmp(name, views[i].name) == 0)
			return views[i].text;
	return NULL;
}
