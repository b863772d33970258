/*
 * pfm.c - names of processor models through libpfm4.
 *
 * libpfm finds out the model when it is first asked, which is why it is asked last.
 */
#include "capture/linux/events/private.h"

#include "base/text.h"

static enum status say_missing(char *why, size_t size)
{
	text_print(why, size, "; %s (it knows processor models' names)",
		   event_pfm_missing());
	return ST_END;
}

#ifdef PERFTAB_HAVE_PFM

#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>

/* The functions that are used: pfm_initialize() ... */
#define EACH_FUNCTION(use)                                                           \
	use(initialize) use(strerror) use(get_os_event_encoding) use(get_event_next) \
		use(get_event_info) use(get_pmu_info)

#define POINTER(name) __typeof__(pfm_##name) *name;
static struct {
	EACH_FUNCTION(POINTER)
} pfm;

/* A static build has linked it. */
#ifdef PERFTAB_PFM_SHARED
#define FUNCTION(name) event_pfm_function(#name)
#else
#define FUNCTION(name) (void *)(uintptr_t)name
#endif

/* Its functions are there, once and for all. */
static bool load(void)
{
	void *function;

#define FIND(name)                       \
	function = FUNCTION(pfm_##name); \
	if (!function)                   \
		return false;            \
	memcpy(&pfm.name, &function, sizeof(function));
	EACH_FUNCTION(FIND)
#undef FIND
	return true;
}

const char *event_pfm_missing(void)
{
	return load() ? NULL : PERFTAB_PFM_NAME " is not installed";
}

/*
 * libpfm's "perf::" would open every tracepoint's id, thousands of files; all that it
 * knows is known without it.
 */
#define DISABLED "LIBPFM_DISABLED_PMUS"

static pfm_err_t begin(void)
{
	static pfm_err_t result;
	static bool is_begun;
	bool is_ours = !getenv(DISABLED);

	if (is_begun)
		return result;
	is_begun = true;
	if (is_ours)
		setenv(DISABLED, "perf", 0);
	result = pfm.initialize();
	if (is_ours) /* the recorded command inherits the environment */
		unsetenv(DISABLED);
	return result;
}

/* What this recorder cannot do with it; ST_OK: nothing. */
static enum status check(struct event_scope *scope, struct str name,
			 const struct perf_event_attr *attr)
{
	if (attr->sample_period || attr->freq)
		return event_fail(scope, ST_UNSUPPORTED,
				  "'%s' has a period or a frequency: counts are read "
				  "at context switches",
				  event_shown(name).text);
	if (attr->size > sizeof(*attr))
		return event_fail(scope, ST_UNSUPPORTED,
				  "libpfm is newer than this build: its attr has %u "
				  "bytes, not %zu",
				  attr->size, sizeof(*attr));
	return ST_OK;
}

/* Its own type is that of the PMU, which says on which CPUs it can be opened. */
static enum status find_pmu(struct event_scope *scope, struct capture_event *event)
{
	enum status status = event_pmus(scope);

	if (status != ST_OK || event->attr.type < PERF_TYPE_RAW)
		return status;
	for (size_t i = 0; i < scope->pmus.count; i++)
		if (scope->pmus.pmus[i].type == event->attr.type)
			return event_set_pmu(scope, event, &scope->pmus.pmus[i]);
	return ST_OK;
}

static enum status add(struct event_scope *scope, struct str name,
		       const struct perf_event_attr *attr, int cpu)
{
	enum status status = check(scope, name, attr);
	struct capture_event *event;
	char number[16];

	if (status == ST_OK)
		status = event_add(scope, name, attr->type, attr->config, &event);
	if (status != ST_OK)
		return status;
	event->attr = *attr;
	event->attr.size = sizeof(event->attr);
	event->attr.disabled = 0;
	/* Guests are counted here unless a modifier says otherwise; not so in libpfm. */
	if (!attr->precise_ip && !memmem(name.ptr, name.len, ":mg", 3) &&
	    !memmem(name.ptr, name.len, ":mh", 3))
		event->attr.exclude_guest = event->attr.exclude_host = 0;
	status = find_pmu(scope, event);
	if (status != ST_OK || cpu < 0)
		return status;
	free(event->cpus);
	snprintf(number, sizeof(number), "%d", cpu);
	event->cpus = event_copy(str_of(number));
	return event->cpus ? ST_OK : error_nomem(scope->error);
}

enum status event_add_model(struct event_scope *scope, struct str name, char *why,
			    size_t size)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg;
	pfm_err_t result;
	char *copy;

	if (!scope->sources->model_names)
		return ST_END;
	if (event_pfm_missing())
		return say_missing(why, size);
	result = begin();
	if (result == PFM_SUCCESS) {
		memset(&attr, 0, sizeof(attr));
		memset(&arg, 0, sizeof(arg));
		attr.size = sizeof(attr);
		arg.attr = &attr;
		arg.size = sizeof(arg);
		arg.cpu = -1;
		copy = event_copy(name);
		if (!copy)
			return error_nomem(scope->error);
		result = pfm.get_os_event_encoding(copy, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
						   PFM_OS_PERF_EVENT_EXT, &arg);
		free(copy);
	}
	if (result != PFM_SUCCESS) {
		if (result != PFM_ERR_NOTFOUND) /* every unknown name gives that */
			text_print(why, size, "; libpfm says: %s", pfm.strerror(result));
		return ST_END;
	}
	return add(scope, name, &attr, arg.cpu);
}

static size_t names_of(const pfm_pmu_info_t *pmu,
		       void (*each)(void *context, const char *name, const char *what),
		       void *context)
{
	size_t count = 0;

	for (int i = pmu->first_event; i != -1; i = pfm.get_event_next(i)) {
		pfm_event_info_t info;
		char name[256];

		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm.get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
			continue;
		count++;
		text_print(name, sizeof(name), "%s::%s", pmu->name, info.name);
		if (each)
			each(context, name, info.desc ? info.desc : "");
	}
	return count;
}

size_t event_model_names(void (*each)(void *context, const char *name, const char *what),
			 void *context)
{
	size_t count = 0;

	if (event_pfm_missing() || begin() != PFM_SUCCESS)
		return 0;
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu;

		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm.get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
		    pmu.is_present && strncmp(pmu.name, "perf", 4) != 0)
			count += names_of(&pmu, each, context);
	}
	return count;
}

#else

const char *event_pfm_missing(void)
{
	return "this build has no libpfm";
}

enum status event_add_model(struct event_scope *scope, struct str name, char *why,
			    size_t size)
{
	(void)name;
	return scope->sources->model_names ? say_missing(why, size) : ST_END;
}

size_t event_model_names(void (*each)(void *context, const char *name, const char *what),
			 void *context)
{
	(void)each;
	(void)context;
	return 0;
}

#endif
