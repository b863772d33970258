/* request.c - checks what a recording asks for before the kernel is asked. */
#include "capture/linux/counters/counters.h"

/* The leader decides when a group is on its PMU. */
static enum status check_modifiers(const struct event_list *events, struct error *error)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct capture_event *event = &events->events[i];

		if (event->attr.pinned || event->attr.exclusive)
			return error_set(
				error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				"%.60s: %s is for the leader of a group, and here "
				"sched_switch leads; leave out :%c",
				event->name,
				event->attr.pinned ? "D (pinned)" : "e (exclusive)",
				event->attr.pinned ? 'D' : 'e');
	}
	return ST_OK;
}

static enum status check_filter(const struct counter_request *request,
				struct error *error)
{
	const struct event_list *events = request->events;

	for (size_t i = 0; i < events->count && request->filter; i++)
		if (events->events[i].attr.type == PERF_TYPE_TRACEPOINT)
			return ST_OK;
	return request->filter
		       ? error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "--filter '%.100s': no tracepoint is counted here; "
				   "name one with -e",
				   request->filter)
		       : ST_OK;
}

enum status counter_request_check(const struct counter_request *request,
				  struct error *error)
{
	enum status status = check_modifiers(request->events, error);

	return status == ST_OK ? check_filter(request, error) : status;
}
